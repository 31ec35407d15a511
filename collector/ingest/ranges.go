package ingest

import (
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
)

// Spans of a thread lie inside each other. Ranges of the process do not: they overlap, and
// may end on another thread than they began on. They lie in lanes, threads of the trace
// that the kernel does not know, in each of which one comes after the other.

// firstLane is the number of a process's first lane, beyond those of threads in captures.
const firstLane = 1 << 40

// mostLanes bounds the ranges of a process that are open at once: of more the oldest has no
// end.
const mostLanes = 1000

// lane holds a range at a time.
type lane struct {
	number   uint64
	thread   model.ThreadID
	sequence uint64 // of the next event
	holds    uint64 // the range's number in its process; 0: none
}

// lanes are those of a process.
type lanes struct {
	all   []*lane
	free  []*lane          // by their numbers, the highest first
	holds map[uint64]*lane // by range
	begun []uint64         // ranges in order of their begin; those that have ended, too
}

// resumeLanes finds the ranges that have not ended in a trace that is gone on with. What
// else was in their lanes is not known: the lanes of others get no more.
func (in *Ingester) resumeLanes() {
	type place struct {
		lanes *lanes
		lane  *lane
	}
	of := map[model.ThreadID]place{}
	for _, p := range in.processes {
		for number, thread := range p.threads {
			if number >= firstLane {
				l := &lane{number: number, thread: thread.ID}
				of[thread.ID] = place{&p.lanes, l}
				p.lanes.all = append(p.lanes.all, l)
			}
		}
	}
	in.model.OpenSpans(func(s *model.Span) {
		if at, known := of[s.Start.Thread]; known {
			at.lane.sequence = s.Start.Sequence + 1
			at.lanes.hold(at.lane, s.Start.Pair)
		}
	})
}

func (l *lanes) hold(at *lane, number uint64) {
	if l.holds == nil {
		l.holds = map[uint64]*lane{}
	}
	at.holds, l.holds[number] = number, at
	l.begun = append(l.begun, number)
}

// release says that a range has ended.
func (l *lanes) release(at *lane) {
	delete(l.holds, at.holds)
	at.holds = 0
	i, _ := slices.BinarySearchFunc(l.free, at.number, func(f *lane, number uint64) int { return int(number) - int(f.number) })
	l.free = slices.Insert(l.free, i, at)
	if len(l.begun) > 2*mostLanes {
		l.begun = slices.DeleteFunc(l.begun, func(number uint64) bool { return l.holds[number] == nil })
	}
}

// processRange puts an event of a range of the process into its lane: as one of a range of
// that thread, which says by what it has of an address on which thread it was raised.
func (in *Ingester) processRange(p *process, e *model.Event, raised capture.Thread) error {
	number := e.Device
	e.Device, e.Pair = uint64(raised.TID), number
	if e.Kind == capture.ProcessRangeStart {
		e.Kind = model.RangeStart
		l, err := in.freeLane(p, e.Time)
		if err != nil {
			return err
		}
		e.Thread, e.Sequence = l.thread, l.sequence
		l.sequence++
		p.lanes.hold(l, number)
		return nil
	}
	e.Kind = model.RangeEnd
	if l := p.lanes.holds[number]; l != nil {
		e.Thread, e.Sequence = l.thread, l.sequence
		l.sequence++
		p.lanes.release(l)
	}
	return nil
}

// freeLane gives a lane that holds no range at a time.
func (in *Ingester) freeLane(p *process, at int64) (*lane, error) {
	lanes := &p.lanes
	if n := len(lanes.free); n > 0 {
		l := lanes.free[n-1]
		lanes.free = lanes.free[:n-1]
		return l, nil
	}
	if len(lanes.holds) >= mostLanes {
		oldest := slices.IndexFunc(lanes.begun, func(number uint64) bool { return lanes.holds[number] != nil })
		l := lanes.holds[lanes.begun[oldest]]
		lanes.begun = lanes.begun[oldest+1:]
		delete(lanes.holds, l.holds)
		return l, in.interrupt(l.thread, at)
	}
	l := &lane{number: firstLane + uint64(len(lanes.all))}
	name := "ranges"
	if len(lanes.all) > 0 {
		name = fmt.Sprintf("ranges %d", len(lanes.all)+1)
	}
	lanes.all = append(lanes.all, l)
	var err error
	l.thread, err = in.thread(p, capture.Thread{Number: l.number, Name: name})
	return l, err
}
