// Package write fills a trace: in time order from what a model folds, going on with one
// that is there, or from several others. What has been written is read by package store,
// also meanwhile.
package write

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/pages"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// row is a record on its way into the trace.
type row struct {
	id, site, sequence, time, duration, endSequence int64
	up, datum, link, inner, correlation             int64
	pair                                            uint64 // for the end to find it
	open                                            bool   // its end may still come
	awaits                                          bool   // what it links may still come
}

// TransactionRows is how many rows a transaction should have: Commit when
// Pending reaches it.
const TransactionRows = 50_000

// What a row may grow by when its end and what it links become known.
const (
	spareOfEnd  = 24
	spareOfLink = 4
)

// Writer fills a trace. It belongs to one goroutine. What has been written is
// in the file, together with the positions set, after Commit.
type Writer struct {
	path      string
	conn      *sqlite.Conn
	names     *model.Names
	directory *model.Directory
	dict      dictionaries
	rows      []row // not in the file yet; rows[i] has id base+i
	base      int64
	record    *pages.Loader
	activity  *pages.Loader
	datum     *pages.Loader
	data      dictionary[datum]
	relink    *sqlite.Stmt
	late      []lateLink
	peaks     map[model.DeviceID]int64
	newPeaks  map[model.DeviceID]bool
	detailed  int64 // the last site in site_detail
	sums      *sums
	open      map[int64]uint64 // pairs of the spans in the file that have no end yet
	opened    bool             // open differs from the file
	savedName int
	savedDev  int
	savedQ    int
	inTx      bool
	pending   int // rows since the last commit
	lastAct   int64
	lastTime  int64
	lateness  int64 // how much earlier than one before it a record was
	resumed   bool
	archived  *archived // nil: all rows stand in the file
	sampledAt map[Return]bool
	retired   []model.Retired
	settled   bool // places by call stacks and sums of all have come with the rows
	err       error
}

// Create makes a new trace at path, where nothing may be but an empty file that
// holds the name. origin is the moment
// on CLOCK_MONOTONIC that times count from. names and directory are those of
// the model that is fed beside it.
func Create(path string, origin int64, m *model.Model) (*Writer, error) {
	if there, err := os.Lstat(path); err == nil && (!there.Mode().IsRegular() || there.Size() > 0) {
		return nil, fmt.Errorf("%s: %w; choose another name or remove it", path, fs.ErrExist)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite, sqlite.OpenCreate)
	if err == nil {
		w := newWriter(path, conn, m)
		if err = w.create(origin); err == nil {
			return w, nil
		}
		conn.Close()
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(path + suffix)
	}
	return nil, schema.Explain(path, err)
}

func newWriter(path string, conn *sqlite.Conn, m *model.Model) *Writer {
	return &Writer{path: path, conn: conn, names: m.Names(), directory: m.Directory(), base: m.Records() + 1,
		dict: dictionaries{conn: conn}, savedName: 1, open: make(map[int64]uint64), sums: newSums(),
		peaks: make(map[model.DeviceID]int64), newPeaks: make(map[model.DeviceID]bool)}
}

func (w *Writer) create(origin int64) error {
	// The first page that there is at all says whose the file is.
	for _, pragma := range []string{"page_size = 8192", fmt.Sprintf("application_id = %d", schema.ApplicationID)} {
		if err := sqlitex.ExecuteTransient(w.conn, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	if err := w.pragmas(); err != nil {
		return err
	}
	if err := schema.Create(w.conn); err != nil {
		return err
	}
	if err := w.prepare(); err != nil {
		return err
	}
	if err := w.SetMeta("origin", origin); err != nil {
		return err
	}
	if err := w.SetMeta("complete", 0); err != nil {
		return err
	}
	return w.Commit()
}

// pragmas sets up the connection: others may read while we write, and a crash
// of the machine may cost the last transactions but never the file.
func (w *Writer) pragmas() error {
	for _, pragma := range []string{
		"journal_mode = WAL",
		"synchronous = NORMAL",
		"cache_size = -65536", // KiB: a transaction fits without spilling
		"temp_store = MEMORY",
		"wal_autocheckpoint = 4000",
	} {
		if err := sqlitex.ExecuteTransient(w.conn, "PRAGMA "+pragma, nil); err != nil {
			return err
		}
	}
	return nil
}

func (w *Writer) prepare() (err error) {
	if w.record, err = pages.NewLoader(w.conn, "record", pages.Null, pages.Null, pages.Null, 0, 0, 0, 0, pages.Null, 0, 0); err != nil {
		return err
	}
	if w.activity, err = pages.NewLoader(w.conn, "activity", pages.Null, 0, pages.Null, 0, 0, 0, 0, 0, 0); err != nil {
		return err
	}
	if w.datum, err = pages.NewLoader(w.conn, "datum", 0, 0, 0); err != nil {
		return err
	}
	w.relink, _, err = w.conn.PrepareTransient("UPDATE record SET link = ? WHERE id = ? AND link = 0")
	return err
}

// begin opens a transaction if none is open.
func (w *Writer) begin() error {
	if w.inTx {
		return nil
	}
	if err := sqlitex.ExecuteTransient(w.conn, "BEGIN IMMEDIATE", nil); err != nil {
		return err
	}
	w.inTx = true
	return nil
}

// fail remembers the first error: a writer that failed writes no more, so that
// positions never run ahead of rows.
func (w *Writer) fail(err error) error {
	if err == nil {
		return nil
	}
	if w.err == nil {
		w.err = schema.Explain(w.path, err)
	}
	return w.err
}

// ready opens a transaction, in a writer that has not failed.
func (w *Writer) ready() error {
	if w.err != nil {
		return w.err
	}
	return w.fail(w.begin())
}

// Write takes in what an event did. Steps come in the order of Apply, all of
// them.
func (w *Writer) Write(step *model.Step) error {
	if err := w.ready(); err != nil {
		return err
	}
	return w.fail(w.write(step))
}

// Interrupted takes in what Interrupt gave.
func (w *Writer) Interrupted(thread model.ThreadID, spans []*model.Span) error {
	if len(spans) == 0 {
		return w.err
	}
	if err := w.ready(); err != nil {
		return err
	}
	for _, s := range spans {
		if err := w.settle(s, thread, nil); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// Reached takes in what a span without end has spent in its children so far.
func (w *Writer) Reached(s *model.Span) error {
	if i := s.ID - w.base; i >= 0 {
		w.rows[i].inner = s.Inner
		return nil
	}
	return w.execute("UPDATE record SET inner_time = ?1 WHERE id = ?2 AND inner_time <> ?1", s.Inner, s.ID)
}

func (w *Writer) write(step *model.Step) error {
	e := step.Event
	if e.Time < w.lastTime {
		w.lateness = max(w.lateness, w.lastTime-e.Time)
	} else {
		w.lastTime = e.Time
	}
	for _, s := range step.Unended {
		if err := w.settle(s, e.Thread, nil); err != nil {
			return err
		}
	}
	switch step.Phase {
	case model.Ended:
		if err := w.settle(step.Span, e.Thread, e); err != nil {
			return err
		}
	default:
		site, err := w.siteOf(e, e.Kind, step.Depth, step.Own, step.Device, step.Queue)
		if err != nil {
			return err
		}
		r := row{id: step.ID, site: site, sequence: int64(e.Sequence), time: e.Time, datum: w.datumOf(e), correlation: int64(e.Correlation)}
		if step.Parent != 0 {
			r.up = step.ID - step.Parent
		}
		if step.Phase == model.Started {
			r.open, r.endSequence, r.pair, r.awaits = true, -1, e.Pair, e.Correlation != 0
			what := addBegun
			if e.Correlation != 0 {
				what = addAwaited
			}
			w.sums.add(addend{what: what, id: r.id, site: site, thread: e.Thread})
		} else {
			w.sums.add(addend{what: addInstant, id: r.id, site: site, thread: e.Thread, time: e.Time, bytes: int64(e.Bytes)})
		}
		switch e.Kind {
		case model.Create:
			r.awaits = true
		case model.Alloc:
			r.awaits, r.inner = true, noSample
		case model.Free:
			r.inner = noSample
		case model.Error, model.DeviceInitStart, model.DeviceShutdownStart, model.RuntimeShutdown:
			if err := schema.Execute(w.conn, "INSERT INTO landmark VALUES (?, ?)", r.id, e.Kind); err != nil {
				return err
			}
		}
		if step.Opener != 0 {
			r.link = step.ID - step.Opener
			if err := w.closeMapping(step.Opener, &r); err != nil {
				return err
			}
		}
		w.rows = append(w.rows, r)
		w.pending++
	}
	for _, s := range step.Samples {
		if err := w.sample(step, s); err != nil {
			return err
		}
	}
	for _, o := range step.Occupied {
		if err := schema.Execute(w.conn, "INSERT INTO occupancy VALUES (?, ?, ?, ?, ?)", int64(o.Queue), o.From, o.To, o.Operations, o.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// settle finishes a span's row: with its end, or as one that has none but was over.
func (w *Writer) settle(s *model.Span, thread model.ThreadID, end *model.Event) error {
	i := s.ID - w.base
	var late row
	r := &late
	if i >= 0 {
		r = &w.rows[i]
	} else {
		late = row{id: s.ID, endSequence: -1}
	}
	r.open = false
	r.inner = s.Inner
	r.duration = s.Cut - s.Start.Time
	if end != nil {
		// Clocks of one thread do not run backwards; a damaged capture may.
		r.duration = max(end.Time-s.Start.Time, 0)
		r.endSequence = int64(end.Sequence - s.Start.Sequence)
		if !sameEnd(&s.Start, end) {
			site, err := w.siteOf(end, s.Start.Kind, s.Depth, s.Own, s.Device, w.directory.Queue(s.Device, end.AsyncQueue))
			if err != nil {
				return err
			}
			if err := w.ending(i >= 0, s.ID, site, w.datumOf(end), int64(end.Correlation)); err != nil {
				return err
			}
		}
	} else if err := schema.Execute(w.conn, "INSERT INTO unended VALUES (?)", s.ID); err != nil {
		return err
	}
	site := r.site
	if i < 0 {
		var err error
		if site, err = w.siteOf(&s.Start, s.Start.Kind, s.Depth, s.Own, s.Device, s.Queue); err != nil {
			return err
		}
	}
	w.sums.add(addend{what: addSpan, id: s.ID, site: site, thread: thread, depth: int32(s.Depth), time: s.Start.Time, duration: r.duration,
		inner: s.Inner, bytes: int64(s.Start.Bytes)})
	if i < 0 {
		delete(w.open, s.ID)
		w.opened = true
		w.pending++
		return schema.Execute(w.conn, "UPDATE record SET duration = ?, end_sequence = ?, inner_time = ? WHERE id = ?", r.duration, r.endSequence, r.inner, s.ID)
	}
	return nil
}

// sameEnd says whether an end event tells nothing new but its time and
// sequence.
func sameEnd(s, e *model.Event) bool {
	return s.Version == e.Version && s.DeviceType == e.DeviceType && s.DeviceNumber == e.DeviceNumber &&
		s.ThreadID == e.ThreadID && s.Async == e.Async && s.AsyncQueue == e.AsyncQueue && s.SourceFile == e.SourceFile &&
		s.Function == e.Function && s.Line == e.Line && s.EndLine == e.EndLine && s.FunctionLine == e.FunctionLine &&
		s.FunctionEnd == e.FunctionEnd && s.ProfileBytes == e.ProfileBytes && s.EventBytes == e.EventBytes &&
		s.APIBytes == e.APIBytes && s.Parent == e.Parent && s.Implicit == e.Implicit && s.Name == e.Name &&
		s.Bytes == e.Bytes && s.Host == e.Host && s.Device == e.Device && s.Gangs == e.Gangs && s.Workers == e.Workers &&
		s.Vector == e.Vector && slices.Equal(s.GangDimensions, e.GangDimensions) && s.ErrorCode == e.ErrorCode &&
		s.RuntimeInfo == e.RuntimeInfo && s.API == e.API && s.APIDeviceType == e.APIDeviceType && s.Vendor == e.Vendor &&
		s.DeviceHandle == e.DeviceHandle && s.ContextHandle == e.ContextHandle && s.AsyncHandle == e.AsyncHandle && s.Correlation == e.Correlation &&
		slices.Equal(s.CallStack, e.CallStack) && s.Missing == e.Missing
}

// WriteActivity takes in a finished device operation and the record of the
// enqueue that caused it (0: not seen).
func (w *Writer) WriteActivity(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
	if err := w.ready(); err != nil {
		return err
	}
	var peer model.DeviceID
	if a.ToPeer {
		peer = w.directory.Device(a.Process, a.DeviceType, a.Peer)
	}
	work, err := w.dict.work(a, device, queue, peer)
	if err != nil {
		return w.fail(err)
	}
	w.lastAct++
	duration := a.End - a.Start
	if err := w.addActivity(a.Process, w.lastAct, work, enqueue, a.Start, duration, a.Time-a.End, int64(a.Bytes), a.DeviceStart-a.Start,
		a.DeviceEnd-a.DeviceStart-duration, int64(a.Correlation)); err != nil {
		return w.fail(err)
	}
	w.pending++
	if enqueue > 0 {
		w.link(enqueue, w.lastAct)
	}
	w.sums.add(addend{what: addActivity, id: w.lastAct, site: work, queue: queue, time: a.Start, duration: duration, bytes: int64(a.Bytes), enqueue: enqueue})
	return nil
}

// Pending is the number of rows since the last Commit.
func (w *Writer) Pending() int { return w.pending }

// WriteExisting takes in data that existed before capture was switched on, as
// Model.Existing numbered it.
func (w *Writer) WriteExisting(id int64, x *model.Existing, device model.DeviceID) error {
	return w.execute("INSERT INTO existing VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)", -id, int64(device), x.Time, int64(x.Host),
		int64(x.Device), int64(x.Bytes), int64(x.Name), x.Attached, int64(x.Structured), int64(x.Dynamic))
}

// Retire gives back with the next Commit what is kept for more of what will come no more.
func (w *Writer) Retire(gone model.Retired) { w.retired = append(w.retired, gone) }

// Commit ends the transaction: what was written and the positions set are in
// the file.
func (w *Writer) Commit() error {
	if w.err != nil {
		return w.err
	}
	return w.fail(w.commit())
}

func (w *Writer) commit() error {
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.saveNames(); err != nil {
		return err
	}
	if err := w.saveDetails(); err != nil {
		return err
	}
	for _, l := range w.late {
		w.relink.BindInt64(1, l.link)
		w.relink.BindInt64(2, l.record)
		_, err := w.relink.Step()
		if err := errors.Join(err, w.relink.Reset()); err != nil {
			return err
		}
	}
	w.late = w.late[:0]
	if err := w.flushRows(); err != nil {
		return err
	}
	w.sums.whole()
	for i := range w.retired {
		w.sums.roll.Retire(&w.retired[i])
	}
	if err := w.sums.totals.save(w.conn); err != nil {
		return err
	}
	if err := w.sums.roll.Save(w.conn); err != nil {
		return err
	}
	if err := sqlitex.ExecuteTransient(w.conn, "COMMIT", nil); err != nil {
		return err
	}
	w.inTx, w.pending = false, 0
	for i := range w.retired {
		w.sums.totals.retire(&w.retired[i])
		w.dict.retire(&w.retired[i])
	}
	w.retired = nil
	return pages.Forget(w.conn)
}

// flushRows writes the rows that are not in the file yet, open ones without
// their end, and forgets them: an end that comes later is an UPDATE.
func (w *Writer) flushRows() error {
	for i := range w.rows {
		r := &w.rows[i]
		duration, spare := r.duration, 0
		if r.open || r.endSequence == 0 {
			duration = pages.Null
		}
		if r.open {
			w.open[r.id], w.opened = r.pair, true
			spare = spareOfEnd
		}
		if r.awaits && r.link == 0 {
			spare += spareOfLink
		}
		if w.archived != nil && spare == 0 {
			if err := w.archived.record(r, duration); err != nil {
				return err
			}
			continue
		}
		w.record.Add(spare, r.id, r.site, r.sequence, r.time, r.up, r.datum, r.link, r.inner, duration, r.endSequence, r.correlation)
	}
	if w.archived != nil {
		if err := w.archived.flush(); err != nil {
			return err
		}
	}
	w.base += int64(len(w.rows))
	w.rows = w.rows[:0]
	for _, l := range []*pages.Loader{w.record, w.activity, w.datum} {
		if err := l.Flush(); err != nil {
			return err
		}
	}
	return w.saveOpen()
}

// change runs f in the open transaction.
func (w *Writer) change(f func() error) error {
	if err := w.ready(); err != nil {
		return err
	}
	w.pending++
	return w.fail(f())
}

// execute is change for one statement.
func (w *Writer) execute(query string, values ...any) error {
	return w.change(func() error { return schema.Execute(w.conn, query, values...) })
}

// orNull is a value as SQL has it, NULL where it is not known.
func orNull(value any, known bool) any {
	if !known {
		return nil
	}
	return value
}

// SetMeta writes a fact about the whole trace.
func (w *Writer) SetMeta(key string, value any) error {
	return w.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)
}

// SaveHost adds a host or replaces what is known of it.
func (w *Writer) SaveHost(h store.Host) error {
	return w.execute("INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?)", h.ID, h.Name, h.ClockOffset, orNull(h.Uncertainty, h.Uncertainty >= 0), h.RealtimeOffset)
}

// SaveProcess adds a process or replaces what is known of it; capture is the
// name of the capture folder it comes from.
func (w *Writer) SaveProcess(p model.ProcessInfo, host int64, capture string) error {
	arguments, err := json.Marshal(p.Arguments)
	if err != nil {
		return err
	}
	if w.archived != nil {
		w.archived.process(&p)
	}
	return w.execute(`INSERT OR REPLACE INTO process VALUES
			(?, ?, ?, ?, ?, ?, ?, nullif(?, 0), ?, ?, nullif(?, ''), nullif(?, ''), ?, ?)`,
		int64(p.ID), host, p.PID, p.ParentPID, p.Program, string(arguments), orNull(p.Rank, p.Rank >= 0), p.Ranks, p.Start, orNull(p.End, p.Ended != ""), p.Ended, p.Runtime,
		p.SinceAttach, capture)
}

// SaveThread adds a thread or replaces what is known of it.
func (w *Writer) SaveThread(t model.ThreadInfo) error {
	return w.execute("INSERT OR REPLACE INTO thread VALUES (?, ?, ?, ?, nullif(?, ''))", int64(t.ID), int64(t.Process), t.TID, int64(t.Number), t.Name)
}

// SetPosition says up to where a stream of a process's capture has been taken
// in: the offset of its next item.
func (w *Writer) SetPosition(process model.ProcessID, stream string, next int64) error {
	return w.execute("INSERT OR REPLACE INTO position VALUES (?, ?, ?)", int64(process), stream, next)
}

// SetLost says how many events of a process (of a thread, if not 0) capture
// dropped for a reason; it replaces an earlier figure.
func (w *Writer) SetLost(process model.ProcessID, thread model.ThreadID, reason string, events, bytes int64) error {
	return w.change(func() error {
		if err := schema.Execute(w.conn, "DELETE FROM lost WHERE process = ? AND coalesce(thread, 0) = ? AND reason = ?", int64(process), int64(thread), reason); err != nil {
			return err
		}
		if events == 0 && bytes == 0 {
			return nil
		}
		return schema.Execute(w.conn, "INSERT INTO lost VALUES (?, nullif(?, 0), ?, ?, ?)", int64(process), int64(thread), reason, events, bytes)
	})
}

// Close leaves the trace as it is after the last Commit, to be resumed. Finish
// is the other way to end.
func (w *Writer) Close() error {
	if w.conn == nil {
		return nil
	}
	var errs []error
	if w.inTx {
		errs = append(errs, sqlitex.ExecuteTransient(w.conn, "ROLLBACK", nil))
		w.inTx = false
	}
	errs = append(errs, w.finalize(), w.conn.Close())
	w.conn = nil
	w.sums.wait()
	if w.archived != nil && w.archived.rows != nil {
		errs = append(errs, w.archived.rows.Close())
	}
	return schema.Explain(w.path, errors.Join(errs...))
}

func (w *Writer) finalize() error {
	var errs []error
	for _, l := range []*pages.Loader{w.record, w.activity, w.datum} {
		if l != nil {
			errs = append(errs, l.Finalize())
		}
	}
	if w.relink != nil {
		errs = append(errs, w.relink.Finalize())
	}
	w.record, w.activity, w.datum, w.relink = nil, nil, nil, nil
	return errors.Join(errs...)
}
