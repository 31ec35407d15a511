package model

import (
	"sort"
)

// View is a copy of the model's state for those who show it. Times are
// nanoseconds since the trace's origin, sizes bytes, rates bytes a second.
type View struct {
	Now       int64            `json:"now"` // time of the newest event
	Events    int64            `json:"events"`
	Records   int64            `json:"records"`
	Lost      int64            `json:"lost"`   // events that capture dropped
	Behind    int64            `json:"behind"` // how much older than the present this is, ns; 0: as new as can be
	ByKind    map[string]int64 `json:"by_kind"`
	Processes []ProcessInfo    `json:"processes"`
	Threads   []ThreadView     `json:"threads"`
	Devices   []DeviceView     `json:"devices"`
	Kernels   []KernelView     `json:"kernels"` // most device time first, then most host time
	Sources   []SourceView     `json:"sources"` // most exclusive time first
	Errors    []EventView      `json:"errors"`  // the first 1000
	ErrorSum  int64            `json:"error_count"`
	Log       []EventView      `json:"log"` // newest last
}

// Source is a place in the program's source as the runtime reported it; empty
// strings and -1 where it did not.
type Source struct {
	File     string `json:"file"`
	Line     int32  `json:"line"`
	Function string `json:"function"`
}

// ThreadView is a thread and what it is in.
type ThreadView struct {
	ThreadInfo
	Events int64      `json:"events"`
	Stack  []OpenSpan `json:"stack"` // outermost first
}

// OpenSpan is a construct that a thread is in.
type OpenSpan struct {
	Record    int64  `json:"record"`
	Kind      string `json:"kind"`      // span name
	Construct string `json:"construct"` // parent construct
	Name      string `json:"name"`
	Source    Source `json:"source"`
	Since     int64  `json:"since"`
}

// DeviceView is a device as one process sees it.
type DeviceView struct {
	DeviceInfo
	Used        int64           `json:"used"`
	Peak        int64           `json:"peak"`
	PeakTime    int64           `json:"peak_time"`
	Variables   []VariableView  `json:"variables"` // most used first
	Mappings    []MappingView   `json:"mappings"`  // oldest first
	MappingSum  int             `json:"mapping_count"`
	Leaked      []MappingView   `json:"leaked"` // live when the device shut down
	LeakedBytes int64           `json:"leaked_bytes"`
	Unmatched   int64           `json:"unmatched"` // deletes and frees whose start was not seen
	Queues      []QueueView     `json:"queues"`    // by number
	Uploads     TransferSummary `json:"uploads"`
	Downloads   TransferSummary `json:"downloads"`
	Launches    int64           `json:"launches"`
	KernelTime  int64           `json:"kernel_time"` // measured
}

// VariableView is the device memory of a variable allocated at one place.
type VariableView struct {
	Name        string `json:"name"`
	Source      Source `json:"source"`
	Used        int64  `json:"used"`
	Peak        int64  `json:"peak"`
	AtPeak      int64  `json:"at_device_peak"` // when the device's use was highest
	Live        int64  `json:"live"`           // allocations now
	Allocations int64  `json:"allocations"`    // ever
}

// MappingView is a live mapping (or allocation, where the runtime reports no
// create events).
type MappingView struct {
	Record  int64  `json:"record"` // of the create or alloc
	Name    string `json:"name"`
	Host    uint64 `json:"host"`
	Device  uint64 `json:"device"`
	Bytes   uint64 `json:"bytes"`
	Since   int64  `json:"since"`
	Source  Source `json:"source"`
	Creates int32  `json:"creates"` // create events for this range while live
}

// QueueView is an async queue. Depth counts what is not known to be done. Where
// Measured is false the runtime gives no device times: Busy is 0 and Bound says
// how long the queue may have been busy at most.
type QueueView struct {
	QueueInfo
	Measured bool       `json:"measured"`
	Enqueued int64      `json:"enqueued"`
	Done     int64      `json:"done"`
	Depth    int64      `json:"depth"`
	Busy     int64      `json:"busy"`
	Bound    int64      `json:"bound"`
	Since    int64      `json:"since"` // first enqueue since the queue was empty
	Next     *Operation `json:"next"`  // first operation not known done: the one that runs
	Last     *Operation `json:"last"`  // newest measured operation
	Waits    int64      `json:"waits"`
	WaitTime int64      `json:"wait_time"`
	Waiting  int64      `json:"waiting"` // threads blocked in a wait now
	// Dependencies are the newest waits of this queue for others, oldest first.
	Dependencies  []DependencyView `json:"dependencies"`
	DependencySum int64            `json:"dependency_count"`
	HeldBack      int64            `json:"held_back"` // ns by those that are over
}

// DependencyView is a wait of a queue for what another one held: of a wait
// directive or clause with async, or acc_wait_async.
type DependencyView struct {
	Sequence int64  `json:"sequence"` // among those of the queue, from 1
	Queue    int64  `json:"queue"`    // number of the one waited for
	Time     int64  `json:"time"`     // of its enqueueing
	From     int64  `json:"from"`     // what it held back was due
	To       int64  `json:"to"`       // it was over; 0: not yet
	Measured bool   `json:"measured"` // To is the end of an operation on the device
	Source   Source `json:"source"`
}

// Operation is a kernel or transfer on a queue.
type Operation struct {
	Record   int64  `json:"record"` // the enqueue span
	Kind     string `json:"kind"`   // kernel, upload, download
	Name     string `json:"name"`
	Source   Source `json:"source"`
	Bytes    uint64 `json:"bytes"`
	Enqueued int64  `json:"enqueued"`
	Start    int64  `json:"start"` // measured, else 0
	End      int64  `json:"end"`
}

// TransferSummary is what went one way.
type TransferSummary struct {
	Count    int64     `json:"count"`
	Bytes    int64     `json:"bytes"`
	HostTime int64     `json:"host_time"` // in the enqueue calls
	Measured int64     `json:"measured"`  // transfers with device time
	Time     int64     `json:"time"`      // on the device
	Minimum  int64     `json:"minimum"`
	Maximum  int64     `json:"maximum"`
	Rates    []float64 `json:"rates"` // bytes a second per 100 ms, oldest first, up to now
}

// KernelView is a kernel at its place.
type KernelView struct {
	Name     string   `json:"name"`
	Symbol   string   `json:"symbol"` // the name as events have it: the linker's
	Source   Source   `json:"source"`
	Device   DeviceID `json:"device"`
	Count    int64    `json:"count"`
	HostTime int64    `json:"host_time"`
	Measured int64    `json:"measured"` // launches with device time
	Time     int64    `json:"time"`
	Minimum  int64    `json:"minimum"`
	Maximum  int64    `json:"maximum"`
	Gangs    uint64   `json:"gangs"` // of the last launch
	Workers  uint64   `json:"workers"`
	Vector   uint64   `json:"vector"`
	Last     int64    `json:"last"`
}

// SourceView is the host time of one kind of span at one line.
type SourceView struct {
	Source
	Kind      string `json:"kind"`
	Count     int64  `json:"count"`
	Inclusive int64  `json:"inclusive"`
	Exclusive int64  `json:"exclusive"`
}

// EventView is one event of the log.
type EventView struct {
	Time     int64     `json:"time"`
	Duration int64     `json:"duration"` // ns, for an end event
	Record   int64     `json:"record"`
	Kind     string    `json:"kind"`
	Process  ProcessID `json:"process"`
	Thread   ThreadID  `json:"thread"`
	Device   DeviceID  `json:"device"`
	Queue    QueueID   `json:"queue"`
	Name     string    `json:"name"` // variable, kernel or error message
	Source   Source    `json:"source"`
	Bytes    uint64    `json:"bytes"`
	Host     uint64    `json:"host"`
	Address  uint64    `json:"address"` // on the device
	Implicit bool      `json:"implicit"`
	Code     int32     `json:"error_code"`
}

// Limits bounds how much a View copies; 0 means the default, -1 everything.
type Limits struct {
	Mappings  int // live mappings per device, newest dropped first; default 1000
	Kernels   int // default 200
	Variables int // per device; default 200
	Sources   int // default 200
	Log       int // default 200
}

func limit(n, standard int) int {
	if n == 0 {
		return standard
	}
	if n < 0 {
		return int(^uint(0) >> 1)
	}
	return n
}

// View copies the state with the default limits.
func (m *Model) View() *View { return m.ViewWithin(Limits{}) }

// ViewWithin copies the state within limits.
func (m *Model) ViewWithin(l Limits) *View {
	m.mu.Lock()
	defer m.mu.Unlock()
	v := &View{Now: m.now, Events: m.events, Records: m.records, Lost: m.lost, Behind: m.behind, ByKind: make(map[string]int64),
		Processes: append([]ProcessInfo(nil), m.processes...), ErrorSum: m.errors.count}
	for kind, count := range m.kinds {
		name := KindName(kind)
		if name == "" {
			name = "unknown"
		}
		v.ByKind[name] += *count
	}
	for _, info := range m.threads {
		v.Threads = append(v.Threads, m.threadView(info))
	}
	for _, info := range m.directory.Devices {
		if !info.Requested() {
			v.Devices = append(v.Devices, m.deviceView(info, l))
		}
	}
	v.Kernels = m.kernelViews(limit(l.Kernels, 200))
	v.Sources = m.sourceViews(limit(l.Sources, 200))
	for _, e := range m.errors.first {
		v.Errors = append(v.Errors, m.eventView(e))
	}
	for _, e := range m.log.newest(limit(l.Log, 200)) {
		v.Log = append(v.Log, m.eventView(e))
	}
	return v
}

func (m *Model) at(file Name, line int32, function Name) Source {
	return Source{File: m.names.Readable(file), Line: line, Function: m.names.Readable(function)}
}

func (m *Model) threadView(info ThreadInfo) ThreadView {
	t := m.state(info.ID)
	v := ThreadView{ThreadInfo: info, Events: t.events}
	for _, s := range t.stack {
		v.Stack = append(v.Stack, OpenSpan{Record: s.ID, Kind: SpanName(s.Start.Kind),
			Construct: ConstructName(s.Start.Parent), Name: m.names.Readable(s.Start.Name),
			Source: m.at(s.Start.SourceFile, s.Start.Line, s.Start.Function), Since: s.Start.Time})
	}
	return v
}

func (m *Model) deviceView(info DeviceInfo, l Limits) DeviceView {
	d := m.device(info.ID)
	v := DeviceView{DeviceInfo: info, Used: d.used, Peak: d.peak, PeakTime: d.peakTime, LeakedBytes: d.leakedBytes,
		Unmatched: d.unknown, Uploads: d.up.view(m.now), Downloads: d.down.view(m.now),
		Launches: d.kernels, KernelTime: d.kernelTime}
	for key, x := range d.variables {
		v.Variables = append(v.Variables, VariableView{Name: m.names.Readable(key.name),
			Source: m.at(key.file, key.line, 0), Used: x.current, Peak: x.peak, AtPeak: d.usageAtPeak(x),
			Live: x.live, Allocations: x.count})
	}
	sort.Slice(v.Variables, func(i, j int) bool {
		a, b := &v.Variables[i], &v.Variables[j]
		if a.Used != b.Used {
			return a.Used > b.Used
		}
		if a.Peak != b.Peak {
			return a.Peak > b.Peak
		}
		if a.Name != b.Name {
			return a.Name < b.Name
		}
		return a.Source.Line < b.Source.Line
	})
	v.Variables = v.Variables[:min(len(v.Variables), limit(l.Variables, 200))]
	d.live(func(a allocation) { v.Mappings = append(v.Mappings, m.mappingView(a)) })
	v.MappingSum = len(v.Mappings)
	sort.Slice(v.Mappings, func(i, j int) bool { return v.Mappings[i].Record < v.Mappings[j].Record })
	v.Mappings = v.Mappings[:min(len(v.Mappings), limit(l.Mappings, 1000))]
	for _, a := range d.leaked[:min(len(d.leaked), limit(l.Mappings, 1000))] {
		v.Leaked = append(v.Leaked, m.mappingView(a))
	}
	sort.Slice(v.Leaked, func(i, j int) bool { return v.Leaked[i].Record < v.Leaked[j].Record })
	for _, q := range d.queues {
		v.Queues = append(v.Queues, m.queueView(q))
	}
	sort.Slice(v.Queues, func(i, j int) bool { return v.Queues[i].Number < v.Queues[j].Number })
	return v
}

func (m *Model) mappingView(a allocation) MappingView {
	return MappingView{Record: a.id, Name: m.names.Readable(a.variable.name), Host: a.host, Device: a.device,
		Bytes: a.bytes, Since: a.time, Source: m.at(a.variable.file, a.variable.line, a.function), Creates: a.count}
}

func (m *Model) queueView(q *queue) QueueView {
	v := QueueView{QueueInfo: q.info, Measured: q.isMeasured, Enqueued: q.enqueues, Done: q.enqueues - q.depth,
		Depth: q.depth, Busy: q.busy, Bound: q.bound, Waits: q.waits, WaitTime: q.waitTime, Waiting: q.waiting,
		DependencySum: q.dependencySum, HeldBack: q.heldBack}
	for _, x := range q.dependencies {
		v.Dependencies = append(v.Dependencies, m.dependencyView(x))
	}
	if v.Depth > 0 {
		v.Since = q.pendingAt
		if op := q.next(); op != nil {
			v.Next = m.operation(op, 0, 0)
		}
	}
	if q.last.id != 0 {
		v.Last = m.operation(&q.last, q.lastStart, q.lastEnd)
	}
	return v
}

func (m *Model) operation(op *operation, start, end int64) *Operation {
	return &Operation{Record: op.id, Kind: ActivityName(op.activity), Name: m.names.Readable(op.name),
		Source: m.at(op.file, op.line, 0), Bytes: op.bytes, Enqueued: op.time, Start: start, End: end}
}

func (w *direction) view(now int64) TransferSummary {
	return TransferSummary{Count: w.count, Bytes: w.bytes, HostTime: w.host, Measured: w.measured, Time: w.device,
		Minimum: w.minimum, Maximum: w.maximum, Rates: w.recent.history(now)}
}

func (m *Model) kernelViews(n int) []KernelView {
	var views []KernelView
	for key, k := range m.kernels {
		views = append(views, KernelView{Name: m.names.Readable(key.name), Symbol: m.names.Text(key.name), Source: m.at(key.file, key.line, k.function),
			Device: key.device, Count: k.count, HostTime: k.host, Measured: k.measured, Time: k.time,
			Minimum: k.minimum, Maximum: k.maximum, Gangs: k.gangs, Workers: k.workers, Vector: k.vector, Last: k.last})
	}
	sort.Slice(views, func(i, j int) bool {
		a, b := &views[i], &views[j]
		if a.Time != b.Time {
			return a.Time > b.Time
		}
		if a.HostTime != b.HostTime {
			return a.HostTime > b.HostTime
		}
		return a.Symbol < b.Symbol || a.Symbol == b.Symbol && a.Source.Line < b.Source.Line
	})
	return views[:min(len(views), n)]
}

func (m *Model) sourceViews(n int) []SourceView {
	var views []SourceView
	for key, s := range m.sources {
		views = append(views, SourceView{Source: m.at(key.file, key.line, key.function), Kind: SpanName(key.kind),
			Count: s.count, Inclusive: s.inclusive, Exclusive: s.exclusive})
	}
	sort.Slice(views, func(i, j int) bool {
		a, b := &views[i], &views[j]
		if a.Exclusive != b.Exclusive {
			return a.Exclusive > b.Exclusive
		}
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Kind < b.Kind
	})
	return views[:min(len(views), n)]
}

func (m *Model) eventView(l logged) EventView {
	kind := KindName(l.kind)
	return EventView{Time: l.time, Duration: l.duration, Record: l.record, Kind: kind, Process: l.process,
		Thread: l.thread, Device: l.deviceID, Queue: l.queue, Name: m.names.Readable(l.name),
		Source: m.at(l.file, l.line, l.function), Bytes: l.bytes, Host: l.host, Address: l.device,
		Implicit: l.implicit, Code: l.code}
}
