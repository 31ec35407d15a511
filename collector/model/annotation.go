package model

import "github.com/accscope/accscope/collector/capture"

// Kinds of events that are the program's own, beyond acc_event_t: annotations
// (accscope_annotation.h), and its calls of MPI. Number is Event.Host, a communicator
// Event.Device. A range of the process, in a lane of its own, has there the kernel's number
// of the thread that it began or ended on.
const (
	RangeStart = capture.RangeStart
	RangeEnd   = RangeStart + 1
	FrameStart = capture.FrameStart
	FrameEnd   = FrameStart + 1
	Mark       = capture.Mark
	MPIStart   = capture.MPIStart
	MPIEnd     = MPIStart + 1
)

// ownNames are the names of these kinds, and of their spans.
var ownNames = []struct {
	kind       int32
	name, span string
}{
	{RangeStart, "range_start", "range"}, {RangeEnd, "range_end", "range"},
	{FrameStart, "frame_start", "frame"}, {FrameEnd, "frame_end", "frame"},
	{Mark, "mark", "mark"},
	{MPIStart, "mpi_start", "mpi"}, {MPIEnd, "mpi_end", "mpi"},
}

// Own says whether events of a kind are the program's own, not the runtime's: they name
// no device, and what happens within their spans is not theirs.
func Own(kind int32) bool { return kind >= RangeStart && kind <= MPIEnd }

// inherit completes the end of an annotation, which says only what it ends.
func (e *Event) inherit(start *Event) {
	if e.Name != 0 {
		return
	}
	kind, time, sequence, pair, ended := e.Kind, e.Time, e.Sequence, e.Pair, e.Device
	*e = *start
	e.Kind, e.Time, e.Sequence, e.Pair = kind, time, sequence, pair
	if kind == RangeEnd {
		e.Device = ended
	}
}
