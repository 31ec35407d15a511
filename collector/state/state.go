// Package state is what the programs of a trace are doing at a time: per device
// the memory in use, the present table and the async queues, per thread the
// constructs that it is in, and the sums of kernels, transfers and source lines up
// to then. Reader reads it from the trace alone, of a finished trace and of one
// that is being written in the same way.
//
// The events are those of OpenACC 3.3 chapter 5, the present table that of §2.6,
// the queues those of §2.16.
package state

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// State is a trace at a time. Times are nanoseconds since the trace's origin, sizes
// bytes.
type State struct {
	Origin int64 `json:"origin"` // what times count from, on the first host's CLOCK_MONOTONIC
	Now    int64 `json:"now"`    // time of the newest event
	Events int64 `json:"events"`
	Lost   int64 `json:"lost"` // events that capture dropped
	// Gaps are the times up to then of which the trace has not all that happened, but for the
	// one before a program was attached to. One that lasts is open, and ends now.
	Gaps []store.Gap `json:"gaps"`
	// Within is what sums are limited to (Reader.Only), nil: nothing; Chosen is how much of
	// that has passed, ns.
	Within *store.Within `json:"-"`
	Chosen int64         `json:"-"`

	Behind      int64               `json:"behind"` // how much older than the present this is, ns; 0: as new as can be
	Processes   []model.ProcessInfo `json:"processes"`
	Threads     []Thread            `json:"threads"`
	Devices     []Device            `json:"devices"`
	Kernels     []Kernel            `json:"kernels"`     // most device time first, then most host time
	Sources     []SourceTime        `json:"sources"`     // most exclusive time first
	Annotations []Annotation        `json:"annotations"` // most time first
	Errors      []Event             `json:"errors"`      // the first 1000
	ErrorSum    int64               `json:"error_count"`
	Log         []Event             `json:"log"`      // newest last
	Counters    []Counter           `json:"counters"` // the processes' figures, then the GPUs'
}

// Source is a place in the program's source as the runtime reported it; empty
// strings and -1 where it did not.
type Source struct {
	File     string `json:"file"`
	Line     int32  `json:"line"`
	Function string `json:"function"`
}

// Thread is a thread and what it is in.
type Thread struct {
	model.ThreadInfo
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

// Device is a device as one process sees it.
type Device struct {
	model.DeviceInfo
	Used        int64      `json:"used"`
	Peak        int64      `json:"peak"`
	Variables   []Variable `json:"variables"` // those of the mappings
	Mappings    []Mapping  `json:"mappings"`  // oldest first
	MappingSum  int        `json:"mapping_count"`
	Leaked      []Mapping  `json:"leaked"` // never deleted by a process that has ended by itself
	LeakedBytes int64      `json:"leaked_bytes"`
	Queues      []Queue    `json:"queues"` // by number
	Uploads     Transfers  `json:"uploads"`
	Downloads   Transfers  `json:"downloads"`
	Sent        []Sent     `json:"sent"` // to other devices, by their numbers
	Launches    int64      `json:"launches"`
	KernelTime  int64      `json:"kernel_time"` // measured
	// Memory is what was in use, oldest first.
	Memory []store.MemoryPoint `json:"-"`
}

// Variable is what was allocated for a variable at one place.
type Variable struct {
	Name        string `json:"name"`
	Source      Source `json:"source"`
	Live        int64  `json:"live"`        // allocations now
	Allocations int64  `json:"allocations"` // ever
}

// Mapping is a live mapping (or allocation, where the runtime reports no create
// events).
type Mapping struct {
	Record  int64  `json:"record"` // of the create or alloc; negative: it existed before capture
	Name    string `json:"name"`
	Host    uint64 `json:"host"`
	Device  uint64 `json:"device"`
	Bytes   uint64 `json:"bytes"`
	Since   int64  `json:"since"`
	Source  Source `json:"source"`
	Creates int32  `json:"creates"` // create events for this range while live
}

// Queue is an async queue. Depth counts what is not known to be done. Where
// Measured is false the runtime gives no device times: Busy is 0 and Bound says how
// long the queue may have been busy at most.
type Queue struct {
	model.QueueInfo
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
	WaitTime int64      `json:"wait_time"` // of the host, as store.Waited has it
	Waiting  int64      `json:"waiting"`   // threads blocked in a wait now
	// Dependencies are the newest waits of this queue for others, oldest first.
	Dependencies  []Dependency `json:"dependencies"`
	DependencySum int64        `json:"dependency_count"`
	HeldBack      int64        `json:"held_back"` // ns by those that are over

	// What the queue did, oldest first: operations that were measured, else when it
	// may have been busy; and when the host waited for it.
	Ran, Occupied, Waited []Stretch `json:"-"`
	// WaitingSince is when the oldest wait began that goes on; 0 if none does.
	WaitingSince int64 `json:"-"`
	// CutOff is the end of the queue's process, until which it was at what is not known to be
	// done; 0 while that goes on.
	CutOff int64 `json:"-"`
}

// Dependency is a wait of a queue for what another one has to do: of a wait directive
// or clause with async, or acc_wait_async.
type Dependency struct {
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

// Transfers is what went one way.
type Transfers struct {
	Count    int64     `json:"count"`
	Bytes    int64     `json:"bytes"`
	HostTime int64     `json:"host_time"` // in the enqueue calls
	Timed    store.Sum `json:"-"`         // on the device, of the transfers that were measured there
}

// Sent is what a device sent to another one.
type Sent struct {
	To string `json:"to"` // as lists show it
	Transfers
	to int64 // its number
}

// Kernel is a kernel at its place.
type Kernel struct {
	Name     string         `json:"name"`
	Symbol   string         `json:"symbol"` // the name as events have it: the linker's
	Program  string         `json:"-"`      // that which it is of
	Source   Source         `json:"source"`
	Device   model.DeviceID `json:"device"`
	Count    int64          `json:"count"`
	CutOff   int64          `json:"cut_off"` // enqueues, by their program's end
	HostTime int64          `json:"host_time"`
	Timed    store.Sum      `json:"-"`     // on the device, of the launches that were measured there
	Gangs    uint64         `json:"gangs"` // of the last launch
	Workers  uint64         `json:"workers"`
	Vector   uint64         `json:"vector"`
	By       store.Givers   `json:"by"` // of the launches that were measured last
	Last     int64          `json:"last"`
}

// SourceTime is the host time of one kind of span at one line.
type SourceTime struct {
	Source
	Kind      string `json:"kind"`
	Count     int64  `json:"count"`
	CutOff    int64  `json:"cut_off"` // of these by their program's end
	Inclusive int64  `json:"inclusive"`
	Exclusive int64  `json:"exclusive"`
}

// CutOff ends the kind of an entry of the log that is no event: a span ends with its program.
const CutOff = " cut off"

// Event is one event of the log.
type Event struct {
	Time     int64           `json:"time"`
	Duration int64           `json:"duration"` // ns, for an end event
	Record   int64           `json:"record"`
	Kind     string          `json:"kind"`
	Process  model.ProcessID `json:"process"`
	Thread   model.ThreadID  `json:"thread"`
	Device   model.DeviceID  `json:"device"`
	Queue    model.QueueID   `json:"queue"`
	Name     string          `json:"name"` // variable, kernel or error message
	Source   Source          `json:"source"`
	Bytes    uint64          `json:"bytes"`
	Host     uint64          `json:"host"`
	Address  uint64          `json:"address"` // on the device
	Implicit bool            `json:"implicit"`
	Code     int32           `json:"error_code"`
}

// The most that a State lists.
const (
	mostMappings = 1000 // live ones of a device: the newest are left out
	mostKernels  = 100
	mostSources  = 100
	mostErrors   = 1000
	mostLogged   = 200
)

// sourceOf is where a site is.
func sourceOf(s *store.Site) Source { return Source{s.File, s.Line, s.Function} }
