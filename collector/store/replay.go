package store

import (
	"container/heap"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// Item is an event, an activity or a dependency of a trace as it happened; the
// others are nil.
type Item struct {
	Event      *model.Event
	Activity   *model.Activity
	Dependency *model.Dependency
	Record     int64 // record of the event
	Depth      int   // of the record that the event begins; -1 for others
}

// Time is when the item is to be applied.
func (i *Item) Time() int64 {
	switch {
	case i.Event != nil:
		return i.Event.Time
	case i.Dependency != nil:
		return i.Dependency.Recorded
	}
	return i.Activity.Time
}

// Introduce gives a model the trace's strings, processes, threads, devices and
// queues.
func (t *Trace) Introduce(m *model.Model) error {
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

// Existing reads the data that existed before capture was switched on; strings
// are numbered in names.
func (t *Trace) Existing(names *model.Names) ([]model.Existing, error) {
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

// pendingEnd is the end of a span that has not been reached yet.
type pendingEnd struct {
	time   int64
	event  model.Event
	record int64
}

type byEnd []pendingEnd

func (h byEnd) Len() int { return len(h) }
func (h byEnd) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	if a.time != b.time {
		return a.time < b.time
	}
	if a.event.Thread != b.event.Thread {
		return a.event.Thread < b.event.Thread
	}
	return a.event.Sequence < b.event.Sequence
}
func (h byEnd) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byEnd) Push(x any)   { *h = append(*h, x.(pendingEnd)) }
func (h *byEnd) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// Items streams the raw events and activities in time order, pairs unfolded;
// strings are numbered in names. An item is valid until the next one.
func (t *Trace) Items(names *model.Names) iter.Seq2[*Item, error] {
	return func(yield func(*Item, error) bool) {
		became, err := t.texts(names)
		if err != nil {
			yield(nil, err)
			return
		}
		r := &unfolder{trace: t, names: became, yield: func(i *Item) bool { return yield(i, nil) }}
		if err := r.run(); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

type unfolder struct {
	trace *Trace
	names map[int64]model.Name
	yield func(*Item) bool
	ends  byEnd
	open  map[int64]uint64
	item  Item
	event model.Event

	dependencies []model.Dependency // to come
}

func (u *unfolder) send(item Item) error {
	u.item = item
	if !u.yield(&u.item) {
		return errStop
	}
	return nil
}

func (u *unfolder) run() error {
	next, stop := iter.Pull2(u.trace.Activities(Filter{}))
	defer stop()
	var activity *Activity
	var err error
	more := false
	advance := func() error {
		if activity, err, more = next(); err != nil {
			return err
		}
		if !more {
			activity = nil
		}
		return nil
	}
	if err := advance(); err != nil {
		return err
	}
	// Before an item at time, what ended or was recorded until then comes.
	catchUp := func(time int64, thread model.ThreadID, sequence uint64) error {
		for {
			endFirst := len(u.ends) > 0 && (activity == nil || u.ends[0].time <= activity.Recorded)
			if d := u.dependencies; len(d) > 0 && d[0].Recorded < time && (activity == nil || d[0].Recorded <= activity.Recorded) &&
				(len(u.ends) == 0 || d[0].Recorded < u.ends[0].time) {
				u.dependencies = d[1:]
				if err := u.send(Item{Dependency: &d[0]}); err != nil {
					return err
				}
				continue
			}
			switch {
			case endFirst && (u.ends[0].time < time || u.ends[0].time == time &&
				(u.ends[0].event.Thread != thread || u.ends[0].event.Sequence < sequence)):
				end := heap.Pop(&u.ends).(pendingEnd)
				if err := u.send(Item{Event: &end.event, Record: end.record, Depth: -1}); err != nil {
					return err
				}
			case !endFirst && activity != nil && activity.Recorded < time:
				a := u.activity(activity)
				if err := u.send(Item{Activity: &a}); err != nil {
					return err
				}
				if err := advance(); err != nil {
					return err
				}
			default:
				return nil
			}
		}
	}
	if err := u.openSpans(); err != nil {
		return err
	}
	if u.dependencies, err = u.trace.dependencies(u.names); err != nil {
		return err
	}
	endings, err := u.endings()
	if err != nil {
		return err
	}
	threads, err := u.trace.Threads()
	if err != nil {
		return err
	}
	known := make(map[model.ThreadID]bool, len(threads))
	for _, thread := range threads {
		known[thread.ID] = true
	}
	var record Record
	err = u.trace.scanRecords(math.MinInt64, math.MaxInt64, func(id int64, values []int64) (err error) {
		record.set(id, values)
		if record.Site, err = u.trace.Site(values[columnSite]); err != nil {
			return err
		}
		if !known[record.Thread] {
			return fmt.Errorf("%s: record %d names a thread that is not there: the file is damaged", u.trace.path, id)
		}
		if err := catchUp(record.Start, record.Thread, record.Sequence); err != nil {
			return err
		}
		u.event = u.start(&record)
		if err := u.send(Item{Event: &u.event, Record: record.ID, Depth: record.Depth}); err != nil {
			return err
		}
		if record.EndSequence == 0 {
			return nil
		}
		end := u.event
		if e, ok := endings[record.ID]; ok {
			site, err := u.trace.Site(e.site)
			if err != nil {
				return err
			}
			changed := Record{ID: record.ID, Thread: record.Thread, Site: site, Bytes: e.bytes, Host: e.host, Address: e.address,
				Correlation: e.correlation}
			end = u.start(&changed)
		}
		end.Kind++
		end.Pair = u.event.Pair
		end.Time, end.Sequence = record.End(), record.EndSequence
		heap.Push(&u.ends, pendingEnd{record.End(), end, record.ID})
		return nil
	})
	if err != nil {
		return err
	}
	return catchUp(1<<63-1, 0, 0)
}

// openSpans reads the pair numbers of spans whose end may still come, for a
// collector that goes on with the trace.
func (u *unfolder) openSpans() error {
	u.open = make(map[int64]uint64)
	return u.trace.query("SELECT record, pair FROM open_span", nil, func(s *sqlite.Stmt) error {
		u.open[s.ColumnInt64(0)] = uint64(s.ColumnInt64(1))
		return nil
	})
}

type endingRow struct {
	site                 int64
	bytes, host, address uint64
	correlation          uint64
}

func (u *unfolder) endings() (map[int64]endingRow, error) {
	rows := make(map[int64]endingRow)
	err := u.trace.query("SELECT e.record, e.site, x.bytes, x.host, x.address, e.correlation FROM ending e JOIN datum x ON x.id = e.datum", nil, func(s *sqlite.Stmt) error {
		rows[s.ColumnInt64(0)] = endingRow{s.ColumnInt64(1), uint64(s.ColumnInt64(2)), uint64(s.ColumnInt64(3)), uint64(s.ColumnInt64(4)),
			uint64(s.ColumnInt64(5))}
		return nil
	})
	return rows, err
}

// start makes the event that a record began with. The record's number serves
// as the pair, of which both ends are in the trace.
func (u *unfolder) start(r *Record) model.Event {
	s := r.Site
	e := model.Event{Process: s.Process, Thread: r.Thread, Event: capture.Event{
		Sequence: r.Sequence, Time: r.Start, Kind: s.KindCode, Version: s.Version, DeviceType: s.DeviceType,
		DeviceNumber: s.DeviceNumber, ThreadID: s.ThreadID, Async: s.Async, AsyncQueue: s.AsyncQueue,
		SourceFile: u.names[int64(s.file)], Function: u.names[int64(s.function)], Line: s.Line, EndLine: s.EndLine,
		FunctionLine: s.FunctionLine, FunctionEnd: s.FunctionEndLine, ProfileBytes: s.ProfileBytes, EventBytes: s.EventBytes,
		APIBytes: s.APIBytes, Parent: s.ParentConstruct, Implicit: s.Implicit, Name: u.names[int64(s.name)],
		Bytes: r.Bytes, Host: r.Host, Device: r.Address, Gangs: s.Gangs, Workers: s.Workers, Vector: s.Vector,
		ErrorCode: s.ErrorCode, RuntimeInfo: s.RuntimeInfo, API: s.DeviceAPI, APIDeviceType: s.APIDeviceType, Vendor: s.Vendor,
		DeviceHandle: s.DeviceHandle, ContextHandle: s.ContextHandle, AsyncHandle: s.AsyncHandle, CallStack: s.CallStack, Correlation: r.Correlation,
		Missing: capture.Missing(s.Missing)}}
	if s.HasDimensions {
		e.GangDimensions = ParseDimensions(s.Dimensions)
	}
	if model.IsStart(s.KindCode) {
		e.Pair = 1<<63 | uint64(r.ID)
		if pair, ok := u.open[r.ID]; ok {
			e.Pair = pair
		}
	}
	return e
}

func (u *unfolder) activity(a *Activity) model.Activity {
	w := a.Work
	return model.Activity{Process: w.Process, Activity: capture.Activity{Time: a.Recorded, Correlation: a.Correlation,
		Kind: w.KindCode, DeviceType: w.deviceType, DeviceNumber: w.deviceNumber, Async: w.Async, AsyncQueue: w.AsyncQueue,
		Bytes: a.Bytes, Start: a.Start, End: a.End(), DeviceStart: a.DeviceStart, DeviceEnd: a.DeviceEnd,
		Name: u.names[int64(w.name)], Pageable: w.Pageable}}
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
