package store

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Record is a row of the trace: a host span, or an event without duration.
type Record struct {
	ID          int64
	Parent      int64 // record that encloses it on its thread, 0 if none
	Depth       int
	Thread      model.ThreadID
	Site        *Site
	Sequence    uint64 // of the (start) event
	EndSequence uint64 // of the end event, 0 if none
	Start       int64  // ns since the trace's origin
	Duration    int64  // ns; 0 for events without partner
	Inner       int64  // ns in direct children
	Bytes       uint64
	Host        uint64
	Address     uint64 // on the device
	Opener      int64  // for delete and free: record of the create or alloc; negative: it existed before capture
	Correlation uint64 // of an enqueue with its device activity, 0 if none
	Span        bool   // has a duration
	Unended     bool   // a start whose end was not seen: it was cut off, Duration is until then
	Open        bool   // one whose end may still come: Duration is until now
}

// End is the time of the end; of the start where there is none.
func (r *Record) End() int64 { return r.Start + r.Duration }

// Exclusive is the duration without what direct children took, ns.
func (r *Record) Exclusive() int64 { return max(r.Duration-r.Inner, 0) }

// Filter selects records; its zero value selects all.
type Filter struct {
	From, To int64 // overlap with [From, To), ns; 0 is no bound
	Clipped  bool  // of a window's sums: times are the parts of spans that lie in it
	Exactly  bool  // From and To are bounds also where they are 0: there are times before the origin
	Process  model.ProcessID
	Thread   model.ThreadID
	Device   model.DeviceID
	Queue    model.QueueID
	Kinds    []string         // span or event names ("enqueue_launch", "alloc")
	Match    func(*Site) bool // further condition
	Spans    bool             // only records that are spans
	Within   *Within          // only what begins within ranges or frames of the program's own
	// Enough ends Mappings where it is true of the time that has been read to; nil:
	// never.
	Enough Enough
}

// Enough says of a reading that has come to a time of the trace whether that is
// enough. It is asked now and then.
type Enough func(time int64) bool

// askedEach is how many records are read between two times that Enough is asked.
const askedEach = 1024

// reached says whether reading ends at the n-th record, which is of a time.
func (e Enough) reached(n int, time int64) bool { return e != nil && n%askedEach == 0 && e(time) }

// Bounds are From and To, or the earliest and the latest time where there is none.
func (f *Filter) Bounds() (from, to int64) {
	from, to = f.From, f.To
	if from == 0 && !f.Exactly {
		from = math.MinInt64
	}
	if to == 0 && !f.Exactly {
		to = math.MaxInt64
	}
	if f.Within != nil {
		from, to = max(from, f.Within.From), min(to, f.Within.To)
	}
	return from, to
}

// bounded says whether the filter is for a part of the time.
func (f *Filter) bounded() bool {
	from, to := f.Bounds()
	return from != math.MinInt64 || to != math.MaxInt64
}

func (f *Filter) site(s *Site) bool {
	if f.Process != 0 && s.Process != f.Process || f.Device != 0 && s.Device != f.Device || f.Queue != 0 && s.Queue != f.Queue {
		return false
	}
	if f.Spans && !model.IsStart(s.KindCode) {
		return false
	}
	if len(f.Kinds) > 0 {
		found := false
		for _, kind := range f.Kinds {
			found = found || kind == s.Kind
		}
		if !found {
			return false
		}
	}
	return f.Match == nil || f.Match(s)
}

// Spans streams host spans in order of their start.
func (t *Trace) Spans(f Filter) iter.Seq2[*Record, error] {
	f.Spans = true
	return t.Records(f)
}

// Records streams records in order of their start, in bounded memory. The
// record is valid until the next one.
func (t *Trace) Records(f Filter) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		if err := t.records(f, func(r *Record) error {
			if !yield(r, nil) {
				return errStop
			}
			return nil
		}); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// The places of a record's values.
const (
	columnThread = iota
	columnSite
	columnSequence
	columnTime
	columnDuration
	columnEndSequence
	columnParent
	columnDepth
	columnInner
	columnBytes
	columnHost
	columnAddress
	columnOpener
	columnCorrelation
)

// set fills a record from its columns, but for the site.
func (r *Record) set(id int64, v []int64) {
	_ = v[columnCorrelation]
	*r = Record{ID: id, Thread: model.ThreadID(v[columnThread]), Sequence: uint64(v[columnSequence]), Start: v[columnTime],
		Duration: max(v[columnDuration], 0), Parent: v[columnParent], Depth: int(v[columnDepth]), Inner: v[columnInner],
		Bytes: uint64(v[columnBytes]), Host: uint64(v[columnHost]), Address: uint64(v[columnAddress]), Opener: v[columnOpener],
		Correlation: uint64(v[columnCorrelation])}
	if end := v[columnEndSequence]; end > 0 {
		r.EndSequence, r.Span = r.Sequence+uint64(end), true
	} else if end < 0 {
		r.Unended, r.Span = true, true
	}
}

var selectRecord = "SELECT id, " + strings.Join(storedColumns, ", ") + " FROM record "

func (t *Trace) readRecord(s *sqlite.Stmt, r *Record) (err error) {
	var stored [storedCorrelation + 1]int64
	for i := range stored {
		stored[i] = s.ColumnInt64(i + 1)
	}
	var values [columnCorrelation + 1]int64
	id := s.ColumnInt64(0)
	if err := t.unpack(id, stored[:], &values); err != nil {
		return err
	}
	if err := t.fill(r, id, values[:]); err != nil {
		return err
	}
	r.Site, err = t.Site(stored[storedSite])
	return err
}

// Record reads one record; nil if there is none of that number.
func (t *Trace) Record(id int64) (*Record, error) {
	var found *Record
	err := t.query(selectRecord+"WHERE id = ?", []int64{id}, func(s *sqlite.Stmt) error {
		found = new(Record)
		return t.readRecord(s, found)
	})
	return found, err
}

// query runs a statement. Queries may nest.
func (t *Trace) query(query string, args []int64, f func(*sqlite.Stmt) error) (err error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return schema.Explain(t.path, err)
	}
	defer func() {
		if err == nil {
			err = t.keep(query, stmt)
			return
		}
		// Finalize repeats the error of the last Step.
		_ = stmt.Finalize()
	}()
	for i, v := range args {
		stmt.BindInt64(i+1, v)
	}
	for {
		more, err := stmt.Step()
		if err != nil {
			return schema.Explain(t.path, err)
		}
		if !more {
			return nil
		}
		if err := f(stmt); err != nil {
			return err
		}
	}
}

// keptStatements is how many prepared statements a trace keeps: a timeline runs
// few of them very often.
const keptStatements = 64

// prepare gives a statement that is in use nowhere else: queries nest.
func (t *Trace) prepare(query string) (*sqlite.Stmt, error) {
	if stmt := t.statements[query]; stmt != nil {
		delete(t.statements, query)
		return stmt, nil
	}
	stmt, _, err := t.conn.PrepareTransient(query)
	return stmt, err
}

// keep puts a statement aside for the next time.
func (t *Trace) keep(query string, stmt *sqlite.Stmt) error {
	if t.statements == nil || t.statements[query] != nil || len(t.statements) >= keptStatements {
		return stmt.Finalize()
	}
	if err := stmt.Reset(); err != nil {
		return errors.Join(err, stmt.Finalize())
	}
	t.statements[query] = stmt
	return nil
}

// byStart holds records back: a heap by start, then by number.
type byStart []Record

func (h byStart) less(i, j int) bool {
	return h[i].Start < h[j].Start || h[i].Start == h[j].Start && h[i].ID < h[j].ID
}

func (h *byStart) put(r *Record) {
	*h = append(*h, *r)
	list := *h
	for at := len(list) - 1; at > 0; {
		up := (at - 1) / 2
		if !list.less(at, up) {
			break
		}
		list[at], list[up] = list[up], list[at]
		at = up
	}
}

// take gives the first one.
func (h *byStart) take() Record {
	list := *h
	oldest, last := list[0], len(list)-1
	list[0] = list[last]
	list[last].Site = nil
	list = list[:last]
	*h = list
	for at := 0; ; {
		down := 2*at + 1
		if down >= last {
			return oldest
		}
		if down+1 < last && list.less(down+1, down) {
			down++
		}
		if !list.less(down, at) {
			return oldest
		}
		list[at], list[down] = list[down], list[at]
		at = down
	}
}

// records streams in order of start: rows come in order of arrival, and a row
// is held back for as long as an earlier one may still come.
func (t *Trace) records(f Filter, yield func(*Record) error) error {
	from, to := f.Bounds()
	lateness, err := schema.Integer(t.conn, "SELECT value FROM meta WHERE key = 'lateness'")
	if err != nil {
		return schema.Explain(t.path, err)
	}
	first, last := int64(0), int64(math.MaxInt64)
	if from > math.MinInt64+lateness {
		if first, err = t.firstRecord(from - lateness); err != nil {
			return err
		}
		open, err := t.openAt(from, f.Thread)
		if err != nil {
			return err
		}
		for i := range open {
			if r := &open[i]; f.site(r.Site) && r.Start < to && (f.Within == nil || f.Within.Has(r.Site.Process, r.Start)) {
				if err := yield(r); err != nil {
					return err
				}
			}
		}
	}
	if to < math.MaxInt64-lateness {
		if last, err = t.firstRecord(to + lateness); err != nil {
			return err
		}
	}
	wanted := make(map[int64]*Site) // of a kind that is asked for; nil: not selected
	var site *Site
	siteID := int64(math.MinInt64)
	var held byStart
	var r Record
	var v [columnCorrelation + 1]int64
	err = t.pages.Scan("record", "id", storedColumns, first, last, func(id int64, stored []int64) error {
		if chosen, err := t.chosenSite(stored[storedSite]); err != nil || !chosen {
			return err
		}
		if err := t.unpack(id, stored, &v); err != nil {
			return err
		}
		time := v[columnTime]
		for lateness > 0 && len(held) > 0 && held[0].Start < time-lateness {
			oldest := held.take()
			if err := yield(&oldest); err != nil {
				return err
			}
		}
		if time < from || time >= to || f.Thread != 0 && f.Thread != model.ThreadID(v[columnThread]) {
			return nil
		}
		if v[columnSite] != siteID {
			siteID = v[columnSite]
			known := false
			if site, known = wanted[siteID]; !known {
				var other bool
				if site, other, err = t.siteFor(&f, siteID); err != nil {
					return err
				}
				if !other {
					wanted[siteID] = site
				}
			}
		}
		if site == nil || f.Within != nil && !f.Within.Has(site.Process, time) {
			return nil
		}
		if err := t.fill(&r, id, v[:]); err != nil {
			return err
		}
		r.Site = site
		if lateness > 0 {
			held.put(&r)
			return nil
		}
		return yield(&r)
	})
	for err == nil && len(held) > 0 {
		oldest := held.take()
		err = yield(&oldest)
	}
	return err
}

// siteFor reads a site if a filter selects it, nil if not; other: it is of another kind than the
// filter's, and was not read. Of a filter of kinds no neighbours are: most sites of a job with
// many ranks are of other ones.
func (t *Trace) siteFor(f *Filter, id int64) (site *Site, other bool, err error) {
	if len(f.Kinds) > 0 {
		known, err := t.head(id)
		if err != nil || !slices.Contains(f.Kinds, kindOf(known.kind)) {
			return nil, true, err
		}
		if err := t.loadSites(id, id); err != nil {
			return nil, false, err
		}
	}
	found, err := t.Site(id)
	if err != nil || !f.site(found) {
		return nil, false, err
	}
	return found, false, nil
}

// RecordsUntil gives the number of a record behind which all start after a time.
func (t *Trace) RecordsUntil(time int64) (int64, error) {
	_, last, err := t.between(time, time)
	return last, err
}

// firstRecord finds by bisection a record before which all start before time.
func (t *Trace) firstRecord(time int64) (int64, error) {
	low, err := schema.Integer(t.conn, "SELECT coalesce(min(id), 1) FROM record")
	if err != nil {
		return 0, schema.Explain(t.path, err)
	}
	high, err := schema.Integer(t.conn, "SELECT coalesce(max(id), 0) + 1 FROM record")
	if err != nil {
		return 0, schema.Explain(t.path, err)
	}
	for low < high {
		middle := low + (high-low)/2
		var id, at int64
		found := false
		if err := t.query("SELECT id, time FROM record WHERE id >= ? ORDER BY id LIMIT 1", []int64{middle}, func(s *sqlite.Stmt) error {
			id, at, found = s.ColumnInt64(0), s.ColumnInt64(1), true
			return nil
		}); err != nil {
			return 0, err
		}
		if found && at < time {
			low = id + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// openAt gives the spans that started before time and were still open then,
// each thread's outermost first. They enclose each other, so the last record
// before time leads to all of them.
func (t *Trace) openAt(time int64, only model.ThreadID) ([]Record, error) {
	threads, err := t.Threads()
	if err != nil {
		return nil, err
	}
	threads = slices.DeleteFunc(threads, func(thread model.ThreadInfo) bool { return only != 0 && thread.ID != only })
	before, err := t.lastBefore(time, threads)
	if err != nil {
		return nil, err
	}
	var out []Record
	for _, thread := range threads {
		at := before[thread.ID]
		// Parents are earlier records; a damaged file might name later ones.
		for previous := int64(math.MaxInt64); at > 0 && at < previous; {
			r, err := t.Record(at)
			if err != nil {
				return nil, err
			}
			if r == nil {
				break
			}
			if r.Span && r.Start < time && r.End() > time {
				out = append(out, *r)
			}
			previous, at = at, r.Parent
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

// lastBefore are the last records of threads that start before a time, of those that have one.
func (t *Trace) lastBefore(time int64, threads []model.ThreadInfo) (map[model.ThreadID]int64, error) {
	last := make(map[model.ThreadID]int64, len(threads))
	complete, err := t.complete()
	if err != nil {
		return nil, err
	}
	if !complete {
		_, before, err := t.between(time, time)
		for _, thread := range threads {
			if err == nil {
				err = t.query(`SELECT r.id FROM record r CROSS JOIN site s ON s.id = r.site
					WHERE s.thread = ? AND r.time < ? AND r.id <= ? ORDER BY r.id DESC LIMIT 1`, []int64{int64(thread.ID), time, before}, func(s *sqlite.Stmt) error {
					last[thread.ID] = s.ColumnInt64(0)
					return nil
				})
			}
		}
		return last, err
	}
	latest := make(map[model.ThreadID]int64, len(threads))
	for _, thread := range threads {
		latest[thread.ID] = math.MinInt64
	}
	take := func(thread model.ThreadID, id, at int64) {
		if newest, wanted := latest[thread]; wanted && at < time && (at > newest || at == newest && id > last[thread]) {
			last[thread], latest[thread] = id, at
		}
	}
	lanes, err := t.Lanes().All()
	if err != nil {
		return nil, err
	}
	for i := range lanes {
		lane := &lanes[i]
		if _, wanted := latest[lane.Thread]; !wanted || lane.Type == LaneQueue {
			continue
		}
		ids, err := t.members(lane, time, time)
		if err != nil {
			return nil, err
		}
		if err := t.blocksOf(lane, ids, func(b *Block, _ int64) error {
			take(lane.Thread, b.ID, b.Start)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	all, err := t.unsettled()
	if err != nil {
		return nil, err
	}
	for i := range all.list {
		take(all.list[i].thread, all.list[i].record, all.list[i].start)
	}
	return last, nil
}

// complete says whether the trace is finished: all is in its rollups then.
func (t *Trace) complete() (yes bool, err error) {
	err = t.query("SELECT value FROM meta WHERE key = 'complete'", nil, func(s *sqlite.Stmt) error {
		yes = s.ColumnInt64(0) == 1
		return nil
	})
	return yes, err
}
