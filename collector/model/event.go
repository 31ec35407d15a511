// Package model is what the rows of a trace depend on beside the event itself: a fold
// over the events of running programs in time order. It pairs starts with ends into
// nested spans, finds what a delete or free ends and the enqueue that caused what a
// device did, and keeps the memory in use. What the programs were doing at a time is
// read from the trace (collector/state).
//
// The events are those of OpenACC 3.3 chapter 5.
package model

import "github.com/accscope/accscope/collector/capture"

// ProcessID, ThreadID, DeviceID and QueueID number the processes, threads,
// devices and queues of one trace from 1; 0 is none.
type (
	ProcessID uint32
	ThreadID  uint32
	DeviceID  uint32
	QueueID   uint32
)

// Name is an interned string of the trace (see Names); 0 is the null pointer.
type Name = capture.StringID

// Giver gave a dimension of a launch's geometry; GiverNamed is the one of a word.
type Giver = capture.Giver

// GiverNamed is capture's.
func GiverNamed(name string) Giver { return capture.GiverNamed(name) }

// Event is a captured event in its place in the trace: its strings are the
// trace's Names, its Time is nanoseconds on the trace's clock (since the
// trace's origin).
type Event struct {
	capture.Event
	Process ProcessID
	Thread  ThreadID
}

// Activity is a finished device operation in its place in the trace: Time,
// Start and End are nanoseconds on the trace's clock, Name one of its Names.
type Activity struct {
	capture.Activity
	Process ProcessID
}

// Span is a start event and, once seen, its end.
type Span struct {
	ID     int64 // number of the record in the trace, from 1, in order of arrival
	Parent int64 // ID of the span that encloses it on its thread, 0 if none
	Depth  int   // enclosing spans
	Own    int   // how many of them are the program's own
	Start  Event
	Device DeviceID
	Queue  QueueID
	Inner  int64 // nanoseconds spent in direct children so far
	Cut    int64 // of one of Step.Unended: until when it lasted, as far as is known
}

// Phase says what an event did to the spans.
type Phase uint8

// The phases of a step.
const (
	Instant Phase = iota // the event has no partner: create, alloc, error, …
	Started              // the event opened Step.Span
	Ended                // the event closed Step.Span
	Orphan               // an end whose start was not seen
)

// Step is what one event did. It is valid until the next Apply.
type Step struct {
	Event  *Event
	Phase  Phase
	ID     int64 // the record: of the span for Started and Ended, of its own else
	Parent int64 // of the record
	Depth  int
	Own    int   // enclosing spans that are the program's own
	Span   *Span // for Started and Ended
	Device DeviceID
	Queue  QueueID
	// Opener is the record of the create (alloc) that this delete (free) ends, 0
	// where that was not seen.
	Opener int64
	// Contradicts: data were made that the events before say are still there, or ended that
	// they say were not there.
	Contradicts bool
	// Unended are spans that this event shows to have no end: an enclosing span
	// ended before them, or the thread begins what cannot lie in them. Their Cut is set.
	Unended []*Span
	// Samples are the counters that changed.
	Samples []Sample
	// Occupied are stretches of time after which a queue is known to be empty.
	Occupied []Occupancy
}

// Sample is a new value of a device's memory in use.
type Sample struct {
	Device DeviceID
	Time   int64
	Value  int64 // bytes
}

// Occupancy bounds what an unmeasured queue did: its operations ran some time
// between From and To.
type Occupancy struct {
	Queue      QueueID
	From, To   int64 // first enqueue after the queue was last known empty, return of the wait
	Operations int64
	Bytes      int64
}
