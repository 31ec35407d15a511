package store

import (
	"fmt"
	"math"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// Restore tells a new model what of the trace matters to what a writer is to add: spans without end, live
// memory, and operations whose device activity has not been seen. It looks at each
// record, and takes in few kinds of them.
func (t *Trace) Restore(m *model.Model) error {
	if err := t.Introduce(m); err != nil {
		return err
	}
	existing, err := t.Existing(m.Names())
	if err != nil {
		return err
	}
	for i := range existing {
		m.Existing(&existing[i])
	}
	if err := t.query(`SELECT q.id, EXISTS (SELECT 1 FROM work w WHERE w.queue = q.id), coalesce(max(o.end), ?) FROM queue q
		LEFT JOIN occupancy o ON o.queue = q.id GROUP BY q.id`, []int64{math.MinInt64}, func(s *sqlite.Stmt) error {
		m.RestoreQueue(model.QueueID(s.ColumnInt64(0)), s.ColumnInt64(1) != 0, s.ColumnInt64(2))
		return nil
	}); err != nil {
		return err
	}
	open, err := t.openSpans(m)
	if err != nil {
		return err
	}
	var last int64
	if err := t.pages.Scan("record", "id", storedColumns, math.MinInt64, math.MaxInt64, func(id int64, v []int64) error {
		last = id
		if v[storedUp] != 0 {
			if s := open[id-v[storedUp]]; s != nil {
				s.Inner += v[storedDuration]
			}
		}
		site, err := t.Site(v[storedSite])
		if err != nil {
			return err
		}
		switch site.KindCode {
		case model.DeviceShutdownStart:
			if v[storedEndSequence] <= 0 {
				return nil // it goes on
			}
		case model.Create, model.Delete, model.Alloc, model.Free, model.RuntimeShutdown,
			model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart:
		default:
			return nil
		}
		d, err := t.datum(v[storedDatum])
		if err != nil {
			return err
		}
		m.Restore(&model.Row{Record: id, Kind: site.KindCode, Time: v[storedTime], Process: site.Process, Device: site.Device, Queue: site.Queue,
			Name: site.name, Bytes: uint64(d.bytes), Host: uint64(d.host), Address: uint64(d.address), Correlation: uint64(v[storedCorrelation]),
			Measured: v[storedLink] != 0})
		return nil
	}); err != nil {
		return err
	}
	m.SetRecords(last)
	return nil
}

// openSpans tells a model the spans that have no end yet, and gives them by their
// records.
func (t *Trace) openSpans(m *model.Model) (map[int64]*model.Span, error) {
	names, err := t.texts(m.Names())
	if err != nil {
		return nil, err
	}
	u := &unfolder{trace: t, names: names}
	if err := u.openSpans(); err != nil {
		return nil, err
	}
	known := make(map[model.ThreadID]bool)
	for _, thread := range m.Threads() {
		known[thread.ID] = true
	}
	open := make(map[int64]*model.Span, len(u.open))
	err = t.query(selectRecord+"WHERE id IN (SELECT record FROM open_span) ORDER BY id", nil, func(s *sqlite.Stmt) error {
		var r Record
		if err := t.readRecord(s, &r); err != nil {
			return err
		}
		if !known[r.Thread] {
			return fmt.Errorf("%s: record %d names a thread that is not there: the file is damaged", t.path, r.ID)
		}
		span := &model.Span{ID: r.ID, Parent: r.Parent, Depth: r.Depth, Own: r.Site.OwnDepth, Start: u.start(&r), Device: r.Site.Device, Queue: r.Site.Queue}
		open[r.ID] = span
		m.RestoreSpan(span)
		return nil
	})
	return open, err
}
