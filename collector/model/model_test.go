package model_test

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
)

// events drives a model with one thread's events.
type events struct {
	model *model.Model
	next  uint64
	time  int64
}

func newEvents() *events {
	m := model.New(nil, nil)
	m.AddProcess(model.ProcessInfo{ID: 1, Rank: -1})
	m.AddThread(model.ThreadInfo{ID: 1, Process: 1})
	return &events{model: m}
}

func (e *events) apply(kind int32, change func(*model.Event)) *model.Step {
	e.time += 10
	ev := model.Event{Process: 1, Thread: 1, Event: capture.Event{Kind: kind, Sequence: e.next, Time: e.time, DeviceType: 4, Async: 1,
		AsyncQueue: 1, Line: 7}}
	e.next++
	if change != nil {
		change(&ev)
	}
	return e.model.Apply(&ev)
}

func TestPairing(t *testing.T) {
	type event struct {
		kind int32
		pair uint64
	}
	type step struct {
		phase   model.Phase
		id      int64
		parent  int64
		unended int
	}
	for _, c := range []struct {
		name   string
		events []event
		want   []step
	}{
		{"nested", []event{{model.ComputeConstructStart, 1}, {model.EnqueueLaunchStart, 2}, {model.EnqueueLaunchEnd, 2}, {model.ComputeConstructEnd, 1}},
			[]step{{model.Started, 1, 0, 0}, {model.Started, 2, 1, 0}, {model.Ended, 2, 1, 0}, {model.Ended, 1, 0, 0}}},
		{"without numbers", []event{{model.UpdateStart, 0}, {model.UpdateStart, 0}, {model.UpdateEnd, 0}, {model.UpdateEnd, 0}},
			[]step{{model.Started, 1, 0, 0}, {model.Started, 2, 1, 0}, {model.Ended, 2, 1, 0}, {model.Ended, 1, 0, 0}}},
		{"an end without start", []event{{model.WaitEnd, 3}, {model.Alloc, 0}},
			[]step{{model.Orphan, 1, 0, 0}, {model.Instant, 2, 0, 0}}},
		{"a start without end", []event{{model.EnterDataStart, 1}, {model.EnqueueUploadStart, 2}, {model.EnterDataEnd, 1}},
			[]step{{model.Started, 1, 0, 0}, {model.Started, 2, 1, 0}, {model.Ended, 1, 0, 1}}},
		{"the number decides", []event{{model.UpdateStart, 1}, {model.UpdateStart, 2}, {model.UpdateEnd, 1}},
			[]step{{model.Started, 1, 0, 0}, {model.Started, 2, 1, 0}, {model.Ended, 1, 0, 1}}},
		{"no event of the specification", []event{{77, 0}, {-1, 0}},
			[]step{{model.Instant, 1, 0, 0}, {model.Instant, 2, 0, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEvents()
			for i, ev := range c.events {
				s := e.apply(ev.kind, func(x *model.Event) { x.Pair = ev.pair })
				if got := (step{s.Phase, s.ID, s.Parent, len(s.Unended)}); got != c.want[i] {
					t.Errorf("event %d gives %+v, want %+v", i, got, c.want[i])
				}
			}
		})
	}
}

// Synchronous constructs of all threads are on one queue here, and the times of each
// thread's kernels come a page at a time.
func TestActivityOfThreadsComesInPages(t *testing.T) {
	const threads, page = 16, 512
	e := newEvents()
	name := e.model.Intern("kernel")
	var records [threads][]int64
	for range page {
		for i := range records {
			number := uint64(threads*len(records[i]) + i + 1)
			launch := func(x *model.Event) { x.Pair, x.Name, x.Correlation = number, name, number }
			records[i] = append(records[i], e.apply(model.EnqueueLaunchStart, launch).ID)
			e.apply(model.EnqueueLaunchEnd, launch)
		}
	}
	for i, of := range records {
		for n, want := range of {
			a := model.Activity{Process: 1, Activity: capture.Activity{Kind: model.ActivityKernel, DeviceType: 4, AsyncQueue: 1,
				Correlation: uint64(threads*n + i + 1), Start: e.time, End: e.time + 3, Time: e.time}}
			if got, _, _ := e.model.ApplyActivity(&a); got != want {
				t.Fatalf("kernel %d of thread %d is of record %d, want %d", n, i, got, want)
			}
		}
	}
}

// Folding allocates nothing once it has seen what there is.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	e := newEvents()
	cycle := func() {
		e.apply(model.ComputeConstructStart, nil)
		e.apply(model.Alloc, func(x *model.Event) { x.Device, x.Bytes = 5, 10 })
		e.apply(model.EnqueueLaunchStart, nil)
		e.apply(model.EnqueueLaunchEnd, nil)
		e.apply(model.WaitStart, nil)
		e.apply(model.WaitEnd, nil)
		e.apply(model.Free, func(x *model.Event) { x.Device = 5 })
		e.apply(model.ComputeConstructEnd, nil)
	}
	// The ring of a queue's operations grows to its limit first.
	for range 40_000 {
		cycle()
	}
	// The events made here escape, one allocation each; the model adds none.
	if n := testing.AllocsPerRun(1000, cycle); n > 8 {
		t.Errorf("%v allocations for 8 events, 8 are the test's own", n)
	}
}

// What has no end lasts until the span around it ended, until it was interrupted, or until the
// last that was heard of a construct that was left by a jump; what is around it knows.
func TestCutOff(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(e *events) []*model.Span
		cut  []int64 // of spans outermost first
	}{
		{"a span around it ends", func(e *events) []*model.Span {
			e.apply(model.EnterDataStart, nil)
			e.apply(model.EnqueueUploadStart, nil) // at 20
			e.time = 90
			step := e.apply(model.EnterDataEnd, nil)
			if step.Span.Inner != 80 {
				t.Errorf("what is inside took %d ns of it", step.Span.Inner)
			}
			return step.Unended
		}, []int64{100}},
		{"its process ends", func(e *events) []*model.Span {
			e.apply(model.ComputeConstructStart, nil)
			e.apply(model.EnqueueLaunchStart, nil)
			spans := e.model.Interrupt(1, 0, 1000)
			if len(spans) == 2 && spans[0].Inner != 980 {
				t.Errorf("what is inside took %d ns of it", spans[0].Inner)
			}
			return spans
		}, []int64{1000, 1000}},
		{"it was left by a jump", func(e *events) []*model.Span {
			e.apply(model.ComputeConstructStart, nil)
			e.apply(model.Create, nil) // at 20
			e.time = 500
			step := e.apply(model.ComputeConstructStart, nil)
			if step.Depth != 0 {
				t.Errorf("the next construct is %d deep", step.Depth)
			}
			return step.Unended
		}, []int64{20}},
		{"its own data are in it", func(e *events) []*model.Span {
			e.apply(model.ComputeConstructStart, nil)
			return e.apply(model.EnterDataStart, func(x *model.Event) { x.Implicit = 1 }).Unended
		}, nil},
		{"at once", func(e *events) []*model.Span {
			e.apply(model.UpdateStart, nil)
			return e.model.Interrupt(1, 0, 0)
		}, []int64{11}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cut []int64
			for _, s := range c.run(newEvents()) {
				cut = append(cut, s.Cut)
			}
			if !slices.Equal(cut, c.cut) {
				t.Errorf("cut off at %d, want %d", cut, c.cut)
			}
		})
	}
}
