package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/rollup"
)

// sums are what is kept of rows beside them while they come in: totals and rollups. Where a
// trace is written as an archive, which is as fast as one thread brings rows into their
// order, they are made beside it by a goroutine.
type sums struct {
	totals *totals
	roll   *rollup.Builder
	beside bool
	next   []addend      // not handed to the goroutine yet
	spare  []addend      // what the last one had
	busy   chan struct{} // closed when the goroutine has ended; nil: there is none
}

// addend is what a row adds.
type addend struct {
	what                         addition
	depth                        int32
	thread                       model.ThreadID
	queue                        model.QueueID
	device                       model.DeviceID
	id, site                     int64 // of an activity: its work
	time, duration, inner, bytes int64 // of a sample: inner is its value
	enqueue                      int64
}

type addition uint8

// The additions.
const (
	addBegun    addition = iota // a span whose activity may come
	addAwaited                  // one that told the number of its activity
	addInstant                  // an event without duration
	addSpan                     // a span that has ended
	addActivity                 // a device operation
	addSample                   // a device's memory in use
)

// addends is how many are handed over at once.
const addends = 4096

func newSums() *sums { return &sums{totals: newTotals(), roll: rollup.New()} }

func (s *sums) add(a addend) {
	if !s.beside {
		s.apply(&a)
		return
	}
	if s.next = append(s.next, a); len(s.next) < addends {
		return
	}
	s.wait()
	all, busy := s.next, make(chan struct{})
	s.next, s.spare, s.busy = s.spare[:0], all, busy
	go func() {
		defer close(busy)
		s.applyAll(all)
	}()
}

// wait waits for the goroutine.
func (s *sums) wait() {
	if s.busy != nil {
		<-s.busy
		s.busy = nil
	}
}

// whole waits until all that was added is in totals and rollups.
func (s *sums) whole() {
	s.wait()
	s.applyAll(s.next)
	s.next = s.next[:0]
}

func (s *sums) applyAll(all []addend) {
	for i := range all {
		s.apply(&all[i])
	}
}

func (s *sums) apply(a *addend) {
	switch a.what {
	case addBegun, addAwaited:
		s.totals.seen(cause{record: a.id, site: a.site, thread: a.thread, awaited: a.what == addAwaited})
	case addInstant:
		s.totals.add(a.thread, a.site, 0, 0, a.bytes, false)
		s.roll.Instant(a.id, a.thread, a.time, a.bytes, a.site)
	case addSpan:
		s.totals.add(a.thread, a.site, a.duration, a.inner, a.bytes, true)
		s.roll.Span(a.id, a.thread, a.depth, a.time, a.duration, a.bytes, a.site)
	case addActivity:
		s.totals.activity(a.site, a.enqueue, a.duration, a.bytes)
		s.roll.Activity(a.id, a.queue, a.time, a.duration, a.bytes, a.site)
	case addSample:
		s.roll.Sample(a.id, model.Sample{Device: a.device, Time: a.time, Value: a.inner})
	}
}
