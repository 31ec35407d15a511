package store

import (
	"container/heap"
	"errors"
	"iter"
	"math"

	"github.com/accscope/accscope/collector/model"
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
	Duration    int64  // ns; 0 for events without partner and for spans that never ended
	Inner       int64  // ns in direct children
	Bytes       uint64
	Host        uint64
	Address     uint64 // on the device
	Opener      int64  // for delete and free: record of the create or alloc; negative: it existed before capture
	Correlation uint64 // of an enqueue with its device activity, 0 if none
	Span        bool   // has a duration
	Unended     bool   // a start whose end was not seen
}

// End is the time of the end; of the start where there is none.
func (r *Record) End() int64 { return r.Start + r.Duration }

// Exclusive is the duration without what direct children took, ns.
func (r *Record) Exclusive() int64 { return max(r.Duration-r.Inner, 0) }

// Filter selects records; its zero value selects all.
type Filter struct {
	From, To int64 // overlap with [From, To), ns; To 0 means to the end
	Process  model.ProcessID
	Thread   model.ThreadID
	Device   model.DeviceID
	Queue    model.QueueID
	Kinds    []string         // span or event names ("enqueue_launch", "alloc")
	Match    func(*Site) bool // further condition
	Spans    bool             // only records that are spans
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
		}); err != nil && err != errStop {
			yield(nil, err)
		}
	}
}

const recordColumns = "id, thread, site, sequence, time, duration, end_sequence, parent, depth, inner_time, bytes, host, address, opener, correlation"

func (t *Trace) readRecord(s *sqlite.Stmt, r *Record) (err error) {
	*r = Record{ID: s.ColumnInt64(0), Thread: model.ThreadID(s.ColumnInt64(1)), Sequence: uint64(s.ColumnInt64(3)), Start: s.ColumnInt64(4),
		Duration: max(s.ColumnInt64(5), 0), Parent: s.ColumnInt64(7), Depth: s.ColumnInt(8), Inner: s.ColumnInt64(9),
		Bytes: uint64(s.ColumnInt64(10)), Host: uint64(s.ColumnInt64(11)), Address: uint64(s.ColumnInt64(12)), Opener: s.ColumnInt64(13), Correlation: uint64(s.ColumnInt64(14))}
	if end := s.ColumnInt64(6); end > 0 {
		r.EndSequence, r.Span = r.Sequence+uint64(end), true
	} else if end < 0 {
		r.Unended, r.Span = true, true
	}
	r.Site, err = t.Site(s.ColumnInt64(2))
	return err
}

// Record reads one record; nil if there is none of that number.
func (t *Trace) Record(id int64) (*Record, error) {
	var found *Record
	err := t.each("SELECT "+recordColumns+" FROM record WHERE id = ?", []any{id}, func(s *sqlite.Stmt) error {
		found = new(Record)
		return t.readRecord(s, found)
	})
	return found, err
}

// query runs a statement. Queries may nest.
func (t *Trace) query(query string, args []int64, f func(*sqlite.Stmt) error) (err error) {
	stmt, err := t.prepare(query)
	if err != nil {
		return explain(t.path, err)
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
			return explain(t.path, err)
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

// byStart orders held-back records by start, then by number.
type byStart []Record

func (h byStart) Len() int { return len(h) }
func (h byStart) Less(i, j int) bool {
	return h[i].Start < h[j].Start || h[i].Start == h[j].Start && h[i].ID < h[j].ID
}
func (h byStart) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byStart) Push(x any)   { *h = append(*h, x.(Record)) }
func (h *byStart) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// records streams in order of start: rows come in order of arrival, and a row
// is held back for as long as an earlier one may still come.
func (t *Trace) records(f Filter, yield func(*Record) error) error {
	to := f.To
	if to == 0 {
		to = math.MaxInt64
	}
	lateness, err := integer(t.conn, "SELECT value FROM meta WHERE key = 'lateness'")
	if err != nil {
		return explain(t.path, err)
	}
	first, last := int64(0), int64(math.MaxInt64)
	if f.From > 0 {
		if first, err = t.firstRecord(f.From - lateness); err != nil {
			return err
		}
		open, err := t.openAt(f.From, f.Thread)
		if err != nil {
			return err
		}
		for i := range open {
			if r := &open[i]; f.site(r.Site) && r.Start < to {
				if err := yield(r); err != nil {
					return err
				}
			}
		}
	}
	if f.To > 0 && f.To < math.MaxInt64-lateness {
		if last, err = t.firstRecord(f.To + lateness); err != nil {
			return err
		}
	}
	wanted := make(map[int64]int8) // by site: 1 yes, -1 no
	var held byStart
	var r Record
	where, args := "WHERE id >= ? AND id <= ?", []int64{first, last}
	if f.Thread != 0 {
		where, args = where+" AND +thread = ?", append(args, int64(f.Thread))
	}
	err = t.query("SELECT "+recordColumns+" FROM record "+where+" ORDER BY id", args, func(s *sqlite.Stmt) error {
		time := s.ColumnInt64(4)
		if lateness > 0 {
			for len(held) > 0 && held[0].Start < time-lateness {
				oldest := heap.Pop(&held).(Record)
				if err := yield(&oldest); err != nil {
					return err
				}
			}
		}
		if time < f.From || time >= to {
			return nil
		}
		site := s.ColumnInt64(2)
		want := wanted[site]
		if want == 0 {
			found, err := t.Site(site)
			if err != nil {
				return err
			}
			want = -1
			if f.site(found) {
				want = 1
			}
			wanted[site] = want
		}
		if want < 0 {
			return nil
		}
		if err := t.readRecord(s, &r); err != nil {
			return err
		}
		if lateness > 0 {
			heap.Push(&held, r)
			return nil
		}
		return yield(&r)
	})
	for err == nil && len(held) > 0 {
		oldest := heap.Pop(&held).(Record)
		err = yield(&oldest)
	}
	return err
}

// firstRecord finds by bisection a record before which all start before time.
func (t *Trace) firstRecord(time int64) (int64, error) {
	low, err := integer(t.conn, "SELECT coalesce(min(id), 1) FROM record")
	if err != nil {
		return 0, explain(t.path, err)
	}
	high, err := integer(t.conn, "SELECT coalesce(max(id), 0) + 1 FROM record")
	if err != nil {
		return 0, explain(t.path, err)
	}
	for low < high {
		middle := low + (high-low)/2
		var id, at int64
		found := false
		if err := t.each("SELECT id, time FROM record WHERE id >= ? ORDER BY id LIMIT 1", []any{middle}, func(s *sqlite.Stmt) error {
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
	indexed, err := t.indexed("record_by_thread")
	if err != nil {
		return nil, err
	}
	query := "SELECT id FROM record WHERE thread = ? AND time < ? ORDER BY time DESC, id DESC LIMIT 1"
	if !indexed {
		query = "SELECT id FROM record WHERE +thread = ? AND time < ? ORDER BY id DESC LIMIT 1"
	}
	var out byStart
	for _, thread := range threads {
		if only != 0 && thread.ID != only {
			continue
		}
		at, err := integer(t.conn, query, int64(thread.ID), time)
		if err != nil {
			return nil, explain(t.path, err)
		}
		// Parents are earlier records; a damaged file might name later ones.
		for previous := int64(math.MaxInt64); at > 0 && at < previous; {
			r, err := t.Record(at)
			if err != nil {
				return nil, err
			}
			if r == nil {
				break
			}
			if r.Span && r.Start < time && (r.Unended || r.End() > time) {
				out = append(out, *r)
			}
			previous, at = at, r.Parent
		}
	}
	heap.Init(&out)
	sorted := make([]Record, 0, len(out))
	for len(out) > 0 {
		sorted = append(sorted, heap.Pop(&out).(Record))
	}
	return sorted, nil
}

// indexed says whether the trace has an index; one being written has none.
func (t *Trace) indexed(index string) (bool, error) {
	n, err := integer(t.conn, "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?", index)
	return n > 0, explain(t.path, err)
}

// Activity is a device operation, measured.
type Activity struct {
	ID          int64
	Record      int64 // the enqueue that caused it, 0 if not seen
	Work        *Work
	Start       int64 // ns since the trace's origin
	Duration    int64
	Recorded    int64 // when the runtime handed it over
	DeviceStart int64 // the device's own clock
	DeviceEnd   int64
	Bytes       uint64
	Correlation uint64
}

// End is the time of the end.
func (a *Activity) End() int64 { return a.Start + a.Duration }

// Activities streams device activity in the order it was recorded, which on
// each queue is that of its start. Of the filter, From, To, Process, Device and
// Queue apply. The activity is valid until the next one.
func (t *Trace) Activities(f Filter) iter.Seq2[*Activity, error] {
	return func(yield func(*Activity, error) bool) {
		if err := t.activities(f, func(a *Activity) error {
			if !yield(a, nil) {
				return errStop
			}
			return nil
		}); err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

func (t *Trace) activities(f Filter, yield func(*Activity) error) error {
	to := f.To
	if to == 0 {
		to = math.MaxInt64
	}
	var a Activity
	return t.query(`SELECT id, record, work, start, duration, delay, device_start, device_excess, bytes, correlation FROM activity
		WHERE start < ? AND start + duration >= ? ORDER BY id`, []int64{to, f.From}, func(s *sqlite.Stmt) error {
		w, err := t.Work(s.ColumnInt64(2))
		if err != nil {
			return err
		}
		if f.Process != 0 && w.Process != f.Process || f.Device != 0 && w.Device != f.Device || f.Queue != 0 && w.Queue != f.Queue {
			return nil
		}
		readActivity(s, &a)
		a.Work = w
		return yield(&a)
	})
}

func readActivity(s *sqlite.Stmt, a *Activity) {
	*a = Activity{ID: s.ColumnInt64(0), Record: s.ColumnInt64(1), Start: s.ColumnInt64(3), Duration: s.ColumnInt64(4),
		DeviceStart: s.ColumnInt64(6), Bytes: uint64(s.ColumnInt64(8)), Correlation: uint64(s.ColumnInt64(9))}
	a.Recorded = a.Start + a.Duration + s.ColumnInt64(5)
	a.DeviceEnd = a.DeviceStart + a.Duration + s.ColumnInt64(7)
}

// Correlated reads the activity that an enqueue caused; nil if none was
// measured.
func (t *Trace) Correlated(record int64) (*Activity, error) {
	var found *Activity
	err := t.each(`SELECT id, record, work, start, duration, delay, device_start, device_excess, bytes, correlation FROM activity
		WHERE record = ? AND record > 0 LIMIT 1`, []any{record}, func(s *sqlite.Stmt) error {
		found = new(Activity)
		readActivity(s, found)
		w, err := t.Work(s.ColumnInt64(2))
		found.Work = w
		return err
	})
	return found, err
}
