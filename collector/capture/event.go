// Package capture is the capture format: what the profiler library writes while
// a program runs, and the reader that brings it back, whatever happened to the
// file in between. The records carry every field of the three info structs of
// OpenACC 3.3 §5.2.
package capture

import (
	"slices"
	"strings"

	"github.com/accscope/accscope/callbacks"
)

// StringID names an interned string of one process; 0 is the null pointer
// (different from the empty string).
type StringID uint32

// Event is one callback as the profiler library saw it. Fields that the
// runtime did not provide (valid_bytes too small) hold the value the
// specification gives to "not known": -1 for numbers, 0 for ids and pointers;
// Missing says which groups they are.
type Event struct {
	Sequence uint64 // per thread, without gaps, from 0
	Time     int64  // nanoseconds, the recording host's CLOCK_MONOTONIC

	// acc_prof_info
	Kind         int32 // acc_event_t
	Version      int32
	DeviceType   int32
	DeviceNumber int32
	ThreadID     int32 // as the runtime reported it
	Async        int64
	AsyncQueue   int64
	SourceFile   StringID
	Function     StringID
	Line         int32
	EndLine      int32
	FunctionLine int32
	FunctionEnd  int32
	ProfileBytes int32 // valid_bytes of acc_prof_info
	EventBytes   int32 // valid_bytes of acc_event_info
	APIBytes     int32 // valid_bytes of acc_api_info
	Parent       int32 // acc_construct_t as reported, unchecked
	Implicit     int32
	Pair         uint64 // the same for a _start and its _end, 0 for events without partner

	// Data events. Name is var_name, kernel_name or error_message by Kind.
	Name   StringID
	Bytes  uint64
	Host   uint64
	Device uint64

	// Launch events.
	Gangs   uint64
	Workers uint64
	Vector  uint64
	// GangDimensions are num_gangs_per_dim[1:], nil where not given.
	GangDimensions []uint64

	// Error events.
	ErrorCode   int32
	RuntimeInfo uint64

	// acc_api_info
	API           int32
	APIDeviceType int32
	Vendor        int32
	DeviceHandle  uint64
	ContextHandle uint64
	AsyncHandle   uint64

	// Correlation is that of the operation's Activity, for enqueue events under
	// a runtime that reports device activity; else 0.
	Correlation uint64

	// CallStack holds return addresses, innermost first; empty where none was
	// captured.
	CallStack []uint64

	Missing Missing
}

// Missing is a set of field groups that the runtime's structs were too short for.
type Missing uint8

// Field groups that may be missing.
const (
	MissingProfile Missing = missingProfile >> missingShift // some of acc_prof_info
	MissingEvent   Missing = missingEvent >> missingShift   // some of acc_event_info
	MissingAPI     Missing = missingAPI >> missingShift     // some of acc_api_info

	missingShift = 8 // in the flags of a site
)

// Activity is one finished device operation, as the runtime's device-activity
// interface delivers it (runtime/include/accscope_activity.h).
type Activity struct {
	Time         int64 // when it was recorded, CLOCK_MONOTONIC
	Correlation  uint64
	Kind         int32
	DeviceType   int32
	DeviceNumber int32
	Async        int64
	AsyncQueue   int64
	Bytes        uint64
	Start, End   int64 // CLOCK_MONOTONIC, mapped from the device's clock
	DeviceStart  int64 // the device's own clock
	DeviceEnd    int64
	Name         StringID
	Pageable     bool     // of a transfer: the host's memory was
	By           [3]Giver // of a kernel: who gave its gangs, workers and vector
	ToPeer       bool     // a copy to another device of the type: what follows holds
	Peer         int32    // its number
	SourceFile   StringID
	Line         int32
}

// Giver gave a dimension of a kernel's launch geometry (enum accscope_activity_giver).
type Giver uint8

var giverNames = func() (names []string) {
	for g := callbacks.GiverUnknown; g <= callbacks.GiverChosen; g++ {
		names = append(names, strings.TrimPrefix(g.String(), "accscope_activity_giver_"))
	}
	names[callbacks.GiverUnknown] = ""
	return names
}()

// String is the header's word, "" of one that is not known.
func (g Giver) String() string {
	if int(g) >= len(giverNames) {
		return ""
	}
	return giverNames[g]
}

// GiverNamed is the giver that String gives a word for, 0 where there is none.
func GiverNamed(name string) Giver { return Giver(max(slices.Index(giverNames, name), 0)) }

// Dependency says that a queue was made to wait for what another queue of its
// device held.
type Dependency struct {
	Recorded     int64 // CLOCK_MONOTONIC, as Time is
	Time         int64 // of its enqueueing
	DeviceType   int32
	DeviceNumber int32
	Queue        int64 // async_queue
	Awaited      int64 // the other one's
	SourceFile   StringID
	Line         int32
}
