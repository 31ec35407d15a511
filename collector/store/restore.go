package store

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// Restore tells a new model what of the trace matters to what a writer is to add: spans without end, live
// memory, and operations whose device activity has not been seen. It looks at each
// record, and takes in few kinds of them.
func (t *Trace) Restore(m *model.Model) error {
	if err := t.introduce(m); err != nil {
		return err
	}
	existing, err := t.existing(m.Names())
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
	pairs := make(map[int64]uint64) // that their ends will carry
	if err := t.query("SELECT record, pair FROM open_span", nil, func(s *sqlite.Stmt) error {
		pairs[s.ColumnInt64(0)] = uint64(s.ColumnInt64(1))
		return nil
	}); err != nil {
		return nil, err
	}
	known := make(map[model.ThreadID]bool)
	for _, thread := range m.Threads() {
		known[thread.ID] = true
	}
	open := make(map[int64]*model.Span, len(pairs))
	err = t.query(selectRecord+"WHERE id IN (SELECT record FROM open_span) ORDER BY id", nil, func(s *sqlite.Stmt) error {
		var r Record
		if err := t.readRecord(s, &r); err != nil {
			return err
		}
		if !known[r.Thread] {
			return fmt.Errorf("%s: record %d names a thread that is not there: the file is damaged", t.path, r.ID)
		}
		span := &model.Span{ID: r.ID, Parent: r.Parent, Depth: r.Depth, Own: r.Site.OwnDepth, Start: started(&r, names), Device: r.Site.Device, Queue: r.Site.Queue}
		span.Start.Pair = pairs[r.ID]
		open[r.ID] = span
		m.RestoreSpan(span)
		return nil
	})
	return open, err
}

// introduce gives a model the trace's strings, processes, threads, devices and
// queues.
func (t *Trace) introduce(m *model.Model) error {
	if _, err := t.texts(m.Names()); err != nil {
		return err
	}
	processes, err := t.Processes()
	if err != nil {
		return err
	}
	for _, p := range processes {
		m.AddProcess(p.ProcessInfo)
	}
	threads, err := t.Threads()
	if err != nil {
		return err
	}
	for _, th := range threads {
		m.AddThread(th)
	}
	devices, err := t.Devices()
	if err != nil {
		return err
	}
	for _, d := range devices {
		m.DescribeDevice(d)
	}
	queues, err := t.Queues()
	if err != nil {
		return err
	}
	for _, q := range queues {
		if int(q.Device) < 1 || int(q.Device) > len(devices) {
			return fmt.Errorf("%s: queue %d names device %d, which is not there", t.path, q.ID, q.Device)
		}
		m.Directory().Queue(q.Device, q.Number)
	}
	return nil
}

// existing reads the data that existed before capture was switched on; strings
// are numbered in names.
func (t *Trace) existing(names *model.Names) ([]model.Existing, error) {
	became, err := t.texts(names)
	if err != nil {
		return nil, err
	}
	var out []model.Existing
	err = t.each(`SELECT d.process, d.type, d.number, x.time, x.host, x.address, x.bytes, x.name, x.attached, x.structured, x.dynamic
		FROM existing x JOIN device d ON d.id = x.device ORDER BY x.id`, nil, func(s *sqlite.Stmt) error {
		out = append(out, model.Existing{Process: model.ProcessID(s.ColumnInt64(0)), Mapping: capture.Mapping{
			DeviceType: s.ColumnInt32(1), DeviceNumber: s.ColumnInt32(2), Time: s.ColumnInt64(3), Host: uint64(s.ColumnInt64(4)),
			Device: uint64(s.ColumnInt64(5)), Bytes: uint64(s.ColumnInt64(6)), Name: became[s.ColumnInt64(7)],
			Attached: uint32(s.ColumnInt64(8)), Structured: uint64(s.ColumnInt64(9)), Dynamic: uint64(s.ColumnInt64(10))}})
		return nil
	})
	return out, err
}

// texts interns the trace's strings and gives what each number has become.
func (t *Trace) texts(names *model.Names) (map[int64]model.Name, error) {
	became := map[int64]model.Name{0: 0}
	err := t.each("SELECT id, text FROM string WHERE id > 0 ORDER BY id", nil, func(s *sqlite.Stmt) error {
		became[s.ColumnInt64(0)] = names.Intern(s.ColumnText(1))
		return nil
	})
	return became, err
}

// started makes the event that a record began with; strings are numbered as names has it.
func started(r *Record, names map[int64]model.Name) model.Event {
	s := r.Site
	e := model.Event{Process: s.Process, Thread: r.Thread, Event: capture.Event{
		Sequence: r.Sequence, Time: r.Start, Kind: s.KindCode, Version: s.Version, DeviceType: s.DeviceType,
		DeviceNumber: s.DeviceNumber, ThreadID: s.ThreadID, Async: s.Async, AsyncQueue: s.AsyncQueue,
		SourceFile: names[int64(s.file)], Function: names[int64(s.function)], Line: s.Line, EndLine: s.EndLine,
		FunctionLine: s.FunctionLine, FunctionEnd: s.FunctionEndLine, ProfileBytes: s.ProfileBytes, EventBytes: s.EventBytes,
		APIBytes: s.APIBytes, Parent: s.ParentConstruct, Implicit: s.Implicit, Name: names[int64(s.name)],
		Bytes: r.Bytes, Host: r.Host, Device: r.Address, Gangs: s.Gangs, Workers: s.Workers, Vector: s.Vector,
		ErrorCode: s.ErrorCode, RuntimeInfo: s.RuntimeInfo, API: s.DeviceAPI, APIDeviceType: s.APIDeviceType, Vendor: s.Vendor,
		DeviceHandle: s.DeviceHandle, ContextHandle: s.ContextHandle, AsyncHandle: s.AsyncHandle, CallStack: s.CallStack, Correlation: r.Correlation,
		Missing: capture.Missing(s.Missing)}}
	if s.HasDimensions {
		e.GangDimensions = ParseDimensions(s.Dimensions)
	}
	return e
}

// ParseDimensions takes the dimensions of a launch apart (Site.Dimensions).
func ParseDimensions(text string) []uint64 {
	numbers := []uint64{}
	for part := range strings.SplitSeq(text, ",") {
		if n, err := strconv.ParseUint(part, 10, 64); err == nil {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
