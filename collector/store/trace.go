// Package store reads traces: one SQLite file that holds every event of a session with
// every field of the three info structs of OpenACC 3.3 §5.2, what the devices did, and
// rollups to draw a timeline from (docs/trace-schema.md).
//
// A Trace gives rows in order of time, sums, timelines and the lives of data. A row is a
// start and its end together; what repeats stands once in dictionary tables. Package
// write fills a trace.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/location"
	"github.com/accscope/accscope/collector/store/pages"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Trace is a trace opened for reading. Its methods belong to one goroutine at a
// time; open one per goroutine.
type Trace struct {
	path         string
	conn         *sqlite.Conn
	pages        *pages.Reader
	rows         pages.Rows // of an archive; nil: in the file
	version      int        // of its schema
	sites        map[int64]*Site
	descriptions map[Description]*Description // by what they were when they were read: titles come later
	heads        map[int64]*heads             // by the first site
	works        map[int64]*Work
	data         map[int64][]datum // rows of the table datum by their number / dataChunk
	done         func() error      // called at the end; nil: nothing
	*names
	titled      int64 // what has been looked up is titled by the sites up to this one
	lastEnqueue enqueue
	newestStack int64 // the last call stack that has been read
	lastHeads   *heads
	stacks      Stacks
	frames      hostFrames // of call stacks
	only        *limit     // to processes; nil: all are read
	// What is asked for by device, of a finished trace; nil: not read.
	shut         map[model.DeviceID][]shutting
	otherSamples map[int64][]Sample // by record
	open         *unsettledSpans    // nil: not read
	// statements are prepared and not in use, by their text; nil: none are kept.
	statements map[string]*sqlite.Stmt
}

// names are what is learnt of all processes, whichever are read.
type names struct {
	readables  map[string]string          // as people are to see them, by what the events have
	titles     map[kernel]string          // of kernels, without their programs
	called     map[string]map[string]bool // programs that have kernels, by what these are called
	programs   map[model.ProcessID]string
	namesData  bool  // transfers with a place have names of variables
	newestSite int64 // the last site that titles have been looked for in
}

// Option changes how Open treats a file.
type Option func(*options)

type options struct {
	check bool
	rows  *archive.Archive // whose rows the file lacks; nil: it has them
}

// Checked makes Open verify the whole file first (PRAGMA quick_check): for
// files from elsewhere, at the price of reading them once.
func Checked() Option { return func(o *options) { o.check = true } }

// ownViews are the views for one connection only.
var ownViews = strings.ReplaceAll(schema.Views, "CREATE VIEW ", "CREATE TEMP VIEW ")

// Open opens a trace read-only: a file, or the folder of an archive. It is not trusted: its schema can run
// nothing, its views are not used, cells are checked as they are read, and strings and memory are
// limited.
func Open(path string, opts ...Option) (*Trace, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	if archive.Is(path) {
		return openArchive(path, o)
	}
	if err := location.Settle(path); err != nil {
		return nil, err
	}
	t, err := open(path, path, o)
	if !errors.Is(err, errEarlier) {
		return t, err
	}
	copied, done, err := schema.Migrated(path)
	if err != nil {
		return nil, err
	}
	if t, err = open(copied, path, o); err != nil {
		return nil, errors.Join(err, done())
	}
	t.done = done
	return t, nil
}

// errEarlier is wrapped by errors about traces of an earlier version.
var errEarlier = errors.New("trace of an earlier version")

// open opens a file that is called by a name.
func open(file, name string, o options) (*Trace, error) {
	conn, err := schema.OpenReadOnly(file)
	if err != nil {
		return nil, schema.Explain(name, err)
	}
	t := newTrace(name, conn, true)
	t.statements = make(map[string]*sqlite.Stmt)
	if err := t.harden(o); err != nil {
		conn.Close()
		return nil, err
	}
	return t, nil
}

// OnConnection reads a trace by the connection of its writer. It is not to be closed, and
// leaves no statement behind.
func OnConnection(path string, conn *sqlite.Conn) *Trace { return newTrace(path, conn, false) }

func newTrace(path string, conn *sqlite.Conn, keep bool) *Trace {
	return &Trace{path: path, conn: conn, pages: pages.NewReader(path, conn, keep), version: schema.Version,
		sites: make(map[int64]*Site), descriptions: make(map[Description]*Description), heads: make(map[int64]*heads), works: make(map[int64]*Work), data: make(map[int64][]datum),
		names: &names{readables: make(map[string]string), titles: make(map[kernel]string), called: make(map[string]map[string]bool), programs: make(map[model.ProcessID]string)}}
}

func (t *Trace) harden(o options) error {
	if err := schema.Protect(t.conn); err != nil {
		return schema.Explain(t.path, err)
	}
	version, err := schema.CheckVersion(t.conn, t.path)
	if err != nil {
		return err
	}
	if version < schema.WithoutCounters {
		return fmt.Errorf("%s: version %d: %w", t.path, version, errEarlier)
	}
	if err := schema.CheckTables(t.conn, t.path, version); err != nil {
		return err
	}
	t.version = version
	if err := t.useOwnViews(version, o.rows); err != nil {
		return err
	}
	if o.check {
		verdict, err := schema.Text(t.conn, "PRAGMA quick_check(1)")
		if err != nil {
			return schema.Explain(t.path, err)
		}
		if verdict != "ok" {
			return schema.Damaged(t.path, strings.Join(strings.Fields(verdict), " "))
		}
	}
	return nil
}

// useOwnViews gives the connection views of its own, which come before those in
// the file: these may be anybody's SQL. What a query sorts beyond the cache goes to the
// disk: SQLite then keeps its rows side by side, which sorts in two thirds of the time
// that it takes where all of them stay in memory.
func (t *Trace) useOwnViews(version int, rows *archive.Archive) error {
	for _, statement := range []string{"PRAGMA query_only = OFF", "PRAGMA temp_store = FILE"} {
		if err := sqlitex.ExecuteTransient(t.conn, statement, nil); err != nil {
			return schema.Explain(t.path, err)
		}
	}
	err := schema.AddMissing(t.conn, version)
	if err == nil && rows != nil {
		err = rows.Attach(t.conn)
	}
	if err == nil {
		err = sqlitex.ExecuteScript(t.conn, ownViews, nil)
	}
	return schema.Explain(t.path, errors.Join(err, sqlitex.ExecuteTransient(t.conn, "PRAGMA query_only = ON", nil)))
}

// Close ends reading.
func (t *Trace) Close() error {
	err := t.pages.Close()
	for _, stmt := range t.statements {
		err = errors.Join(err, stmt.Finalize())
	}
	if err = schema.Explain(t.path, errors.Join(err, t.conn.Close())); t.done != nil {
		err = errors.Join(err, t.done())
		t.done = nil
	}
	return err
}

// Path is the file read.
func (t *Trace) Path() string { return t.path }

// Conn is the connection, for SQL of the caller's own, which may call
// demangled(name). It can write nothing.
func (t *Trace) Conn() *sqlite.Conn { return t.conn }

// Interrupt makes running and later queries fail once done is closed; nil
// takes that back.
func (t *Trace) Interrupt(done <-chan struct{}) { t.conn.SetInterrupt(done) }

// each runs a query and calls f for each row. f returning errStop ends it.
func (t *Trace) each(query string, args []any, f func(*sqlite.Stmt) error) error {
	err := sqlitex.Execute(t.conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: f})
	if errors.Is(err, errStop) {
		return nil
	}
	if err != nil {
		return schema.Explain(t.path, err)
	}
	return nil
}

type stop struct{}

func (stop) Error() string { return "stop" }

// errStop ends a query from inside.
var errStop error = stop{}

// Meta is what is known of a trace as a whole.
type Meta struct {
	Version  int               `json:"version"`
	Origin   int64             `json:"origin"`   // what times count from, on the first host's CLOCK_MONOTONIC, ns
	Realtime int64             `json:"realtime"` // the same moment in Unix time, ns; 0 if unknown
	Complete bool              `json:"complete"` // false: still being written, or its collector was killed
	Lateness int64             `json:"lateness"` // how much earlier than its predecessors a record may be, ns
	First    int64             `json:"first"`    // time of the first record
	Last     int64             `json:"last"`     // end of the last
	Records  int64             `json:"records"`
	Events   int64             `json:"events"`
	Lost     int64             `json:"lost"` // events that capture dropped
	Facts    map[string]string `json:"facts"`
	Warnings []Warning         `json:"-"` // what runtimes warned of, by their places

	Constructs map[string]string `json:"-"` // names of compute constructs by FILE:LINE
	Sources    map[string]string `json:"-"` // SHA-256 of source files as the program ran, in hexadecimal digits
	Directives map[string]string `json:"-"` // their directives by FILE:LINE
	Loops      map[string]string `json:"-"` // line and text of the heads of the loops around these
	Exposed    []Data            `json:"-"` // whose device address acc_deviceptr has given
	Unused     []ProcessData     `json:"-"` // of which no kernel had any use
	Findings   []Finding         `json:"-"` // what is wrong with accesses to devices' memory

	gaps       []Gap
	operations map[model.ProcessID]int64
	samples    map[model.ProcessID]int64 // lost ones
}

// unfinishedKey and a number are the keys of facts that say which of the traces that this one
// was made of lacked something that was elsewhere.
const unfinishedKey = "unfinished_"

// UnfinishedKey is the key of the fact of a trace's part, by a number.
func UnfinishedKey(part int64) string { return unfinishedKey + strconv.FormatInt(part, 10) }

// IsUnfinished says whether a fact's key is one of these.
func IsUnfinished(key string) bool { return strings.HasPrefix(key, unfinishedKey) }

// countEvents leaves out the ends of what was cut off, and adds, until the trace is finished,
// the beginnings of what goes on.
const countEvents = `SELECT coalesce(sum(count + ended), 0) - (SELECT count(*) FROM unended u CROSS JOIN record r ON r.id = u.record WHERE r.duration IS NOT NULL)
	+ iif(EXISTS (SELECT 1 FROM meta WHERE key = 'complete' AND value = 1), 0, (SELECT count(*) FROM open_span)) FROM total`

// Meta reads what is known of the trace as a whole. Facts holds every key of
// the meta table but those of Warnings and of compute constructs.
func (t *Trace) Meta() (Meta, error) {
	m, err := t.Facts()
	if err != nil {
		return m, err
	}
	for query, to := range map[string]*int64{
		"SELECT coalesce(max(id), 0) FROM record":   &m.Records,
		"SELECT coalesce(sum(events), 0) FROM lost": &m.Lost,
		countEvents: &m.Events,
	} {
		if *to, err = schema.Integer(t.conn, query); err != nil {
			return m, schema.Explain(t.path, err)
		}
	}
	offset, err := schema.Integer(t.conn, "SELECT coalesce(realtime_offset - clock_offset, 0) FROM host ORDER BY id LIMIT 1")
	if err != nil {
		return m, schema.Explain(t.path, err)
	}
	if offset != 0 {
		m.Realtime = m.Origin + offset
	}
	m.First, m.Last, err = t.Extent()
	return m, err
}

// Facts is Meta without what is counted: it reads the meta table alone.
func (t *Trace) Facts() (Meta, error) {
	m := Meta{Version: schema.Version, Facts: make(map[string]string), Constructs: make(map[string]string),
		Sources: make(map[string]string), Directives: make(map[string]string), Loops: make(map[string]string)}
	err := t.each("SELECT key, value FROM meta", nil, func(s *sqlite.Stmt) error {
		if m.note(s.ColumnText(0), s.ColumnText(1)) || m.missing(s.ColumnText(0), s.ColumnText(1)) {
			return nil
		}
		m.Facts[s.ColumnText(0)] = s.ColumnText(1)
		switch s.ColumnText(0) {
		case "origin":
			m.Origin = s.ColumnInt64(1)
		case "complete":
			m.Complete = s.ColumnInt64(1) == 1
		case "lateness":
			m.Lateness = s.ColumnInt64(1)
		}
		return nil
	})
	return m, err
}

// Size is the greatest number of a record and of an activity: how many there
// are, but for those that were dropped.
func (t *Trace) Size() (records, activities int64, err error) {
	if records, err = schema.Integer(t.conn, "SELECT coalesce(max(id), 0) FROM record"); err == nil {
		activities, err = schema.Integer(t.conn, "SELECT coalesce(max(id), 0) FROM activity")
	}
	return records, activities, schema.Explain(t.path, err)
}

// Extent is the time of the first record and the end of the last.
func (t *Trace) Extent() (first, last int64, err error) {
	query := "SELECT min(first), max(last) FROM lane"
	var found bool
	read := func(s *sqlite.Stmt) error {
		found = !s.ColumnIsNull(0)
		first, last = s.ColumnInt64(0), s.ColumnInt64(1)
		return nil
	}
	if err := t.each(query, nil, read); err != nil {
		return 0, 0, err
	}
	if !found {
		if err := t.each(`SELECT min(time), max(coalesce(time + duration, time)) FROM record`, nil, read); err != nil {
			return 0, 0, err
		}
	}
	all, err := t.unsettled()
	if err != nil {
		return 0, 0, err
	}
	for i := range all.list {
		first = min(first, all.list[i].start)
	}
	return first, max(last, all.last), nil
}

// Run is the time of the run: from the first record to the end of the last record or process.
func (t *Trace) Run() (first, last int64, err error) {
	first, last, err = t.Extent()
	if err != nil {
		return 0, 0, err
	}
	err = t.query("SELECT max(end) FROM process WHERE ended IS NOT NULL AND "+t.ChosenSQL("id"), nil, func(s *sqlite.Stmt) error {
		if !s.ColumnIsNull(0) {
			last = max(last, s.ColumnInt64(0))
		}
		return nil
	})
	return first, last, err
}

// Host is a machine that processes of the trace ran on.
type Host struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// ClockOffset is added to the host's CLOCK_MONOTONIC to get the clock of the
	// trace's first host; Uncertainty bounds its error, -1 if not known.
	ClockOffset    int64 `json:"clock_offset"`
	Uncertainty    int64 `json:"clock_uncertainty"`
	RealtimeOffset int64 `json:"realtime_offset"` // CLOCK_REALTIME minus CLOCK_MONOTONIC, ns
}

// Process is a process of the trace and the host it ran on.
type Process struct {
	model.ProcessInfo
	On      Host   `json:"on"`
	Capture string `json:"capture"` // name of the capture folder
}

// ExitKey and a process's number are the key of the fact how it ended: "status 1", or the
// signal.
const ExitKey = "process_exit_"

// Processes reads the processes, by rank and then by start.
func (t *Trace) Processes() ([]Process, error) {
	var out []Process
	err := t.each(`SELECT p.id, h.name, p.pid, p.parent_pid, p.program, p.arguments, p.rank, p.ranks, p.start, p.end, p.ended,
		p.runtime, p.since_attach, p.capture, h.id, h.clock_offset, h.clock_uncertainty, h.realtime_offset,
		coalesce((SELECT value FROM meta WHERE key = '`+ExitKey+`' || p.id),
			-- Traces of earlier versions have it by the process number, which a program has too that it went on as.
			CASE WHEN p.ended IS NOT 'exec' THEN coalesce((SELECT 'status ' || value FROM meta WHERE key = 'exit_' || p.pid),
				(SELECT value FROM meta WHERE key = 'ended_' || p.pid)) END)
		FROM process p JOIN host h ON h.id = p.host WHERE `+t.ChosenSQL("p.id")+` ORDER BY p.rank, p.start, p.id`, nil, func(s *sqlite.Stmt) error {
		p := Process{ProcessInfo: model.ProcessInfo{ID: model.ProcessID(s.ColumnInt64(0)), Host: s.ColumnText(1), PID: s.ColumnInt(2),
			ParentPID: s.ColumnInt(3), Program: s.ColumnText(4), Rank: -1, Ranks: s.ColumnInt(7), Start: s.ColumnInt64(8),
			End: s.ColumnInt64(9), Ended: s.ColumnText(10), Exit: s.ColumnText(18), Runtime: s.ColumnText(11), SinceAttach: s.ColumnInt64(12) != 0},
			Capture: s.ColumnText(13),
			On: Host{ID: s.ColumnInt64(14), Name: s.ColumnText(1), ClockOffset: s.ColumnInt64(15), Uncertainty: -1,
				RealtimeOffset: s.ColumnInt64(17)}}
		if !s.ColumnIsNull(6) {
			p.Rank = s.ColumnInt(6)
		}
		if !s.ColumnIsNull(16) {
			p.On.Uncertainty = s.ColumnInt64(16)
		}
		if args := s.ColumnText(5); args != "" {
			if err := json.Unmarshal([]byte(args), &p.Arguments); err != nil {
				return fmt.Errorf("process %d: arguments are no JSON: %w", p.ID, err)
			}
		}
		out = append(out, p)
		return nil
	})
	return out, err
}

// mostThreads is more than the number of threads in any trace: what is kept of
// each stands at its number.
const mostThreads = 1 << 24

// Threads reads the threads, by process.
func (t *Trace) Threads() ([]model.ThreadInfo, error) {
	var out []model.ThreadInfo
	err := t.each("SELECT id, process, tid, name, number FROM thread WHERE "+t.ChosenSQL("process")+" ORDER BY process, id", nil, func(s *sqlite.Stmt) error {
		if id := s.ColumnInt64(0); id < 1 || id > mostThreads {
			return fmt.Errorf("%s: there is no thread %d: the file is damaged", t.path, id)
		}
		out = append(out, model.ThreadInfo{ID: model.ThreadID(s.ColumnInt64(0)), Process: model.ProcessID(s.ColumnInt64(1)),
			TID: s.ColumnInt(2), Name: s.ColumnText(3), Number: uint64(s.ColumnInt64(4))})
		return nil
	})
	return out, err
}

// Devices reads the devices, by process.
func (t *Trace) Devices() ([]model.DeviceInfo, error) {
	var out []model.DeviceInfo
	err := t.each("SELECT id, process, type, number, name, capacity, vendor FROM device WHERE "+t.ChosenSQL("process")+" ORDER BY id", nil, func(s *sqlite.Stmt) error {
		out = append(out, model.DeviceInfo{ID: model.DeviceID(s.ColumnInt64(0)), Process: model.ProcessID(s.ColumnInt64(1)),
			Type: s.ColumnInt32(2), Number: s.ColumnInt32(3), Name: s.ColumnText(4), Capacity: s.ColumnInt64(5), Vendor: s.ColumnText(6)})
		return nil
	})
	return out, err
}

// Peaks reads the most memory that was in use on each device, bytes. One on which none
// ever was has no entry.
func (t *Trace) Peaks() (map[model.DeviceID]int64, error) {
	peaks := map[model.DeviceID]int64{}
	err := t.each("SELECT device, peak_bytes FROM devices WHERE peak_bytes > 0", nil, func(s *sqlite.Stmt) error {
		peaks[model.DeviceID(s.ColumnInt64(0))] = s.ColumnInt64(1)
		return nil
	})
	return peaks, err
}

// Queues reads the async queues, by device.
func (t *Trace) Queues() ([]model.QueueInfo, error) {
	var out []model.QueueInfo
	err := t.each("SELECT q.id, q.device, q.number FROM queue q LEFT JOIN device d ON d.id = q.device WHERE "+t.ChosenSQL("d.process")+" ORDER BY q.id", nil, func(s *sqlite.Stmt) error {
		out = append(out, model.QueueInfo{ID: model.QueueID(s.ColumnInt64(0)), Device: model.DeviceID(s.ColumnInt64(1)), Number: s.ColumnInt64(2)})
		return nil
	})
	return out, err
}

// Loss is what capture dropped of one process.
type Loss struct {
	Process model.ProcessID `json:"process"`
	Thread  model.ThreadID  `json:"thread"` // 0: of the whole process
	Reason  string          `json:"reason"`
	Events  int64           `json:"events"`
	Bytes   int64           `json:"bytes"`
	// Operations are of devices: no event is among them.
	Operations int64 `json:"operations"`
}

// Losses reads what capture dropped.
func (t *Trace) Losses() ([]Loss, error) {
	var out []Loss
	err := t.each("SELECT process, thread, reason, events, bytes, operations FROM loss ORDER BY process, thread", nil, func(s *sqlite.Stmt) error {
		out = append(out, Loss{model.ProcessID(s.ColumnInt64(0)), model.ThreadID(s.ColumnInt64(1)), s.ColumnText(2), s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5)})
		return nil
	})
	return out, err
}
