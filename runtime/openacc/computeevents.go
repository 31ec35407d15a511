package openacc

import (
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// The events of a compute construct on a device with a memory of its own, in the
// order in which they are raised; those of the wait on a synchronous queue only.
const (
	computeStart = iota
	enterStart
	enterEnd
	launchStart
	launchEnd
	exitStart
	waitStart
	waitEnd
	exitEnd
	computeEnd

	computeSteps
)

// Behind these in computeMemory: the events of the upload of the argument block's values,
// between enterStart and enterEnd.
const (
	valuesStart = computeSteps + iota
	valuesEnd

	allSteps
)

var computeEvent = [computeSteps]callbacks.Event{
	callbacks.ComputeConstructStart, callbacks.EnterDataStart, callbacks.EnterDataEnd, callbacks.EnqueueLaunchStart,
	callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart, callbacks.WaitStart, callbacks.WaitEnd,
	callbacks.ExitDataEnd, callbacks.ComputeConstructEnd,
}

// allComputeEvents has a bit for each, as Registry.WantedEvents.
var allComputeEvents = func() (all uint32) {
	for _, event := range computeEvent {
		all |= 1 << (event & 31)
	}
	return all
}()

// computeIndex is the place of one of these.
func computeIndex(event callbacks.Event) int {
	for i, e := range computeEvent {
		if e == event {
			return i
		}
	}
	return computeSteps
}

// computeEvents are the events of a compute construct, composed once for all that the
// program's call will launch.
type computeEvents struct {
	*computeMemory            // nil before the first
	begun          bool       // it is the construct's in progress
	filled         bool       // and what its events have in common, too
	launched       launched   // what launch was filled for
	kernel         string     // what events call the kernel of launched
	told           toldValues // what values was filled for last
}

// computeMemory is the part of computeEvents that C sees.
type computeMemory struct {
	explicit callbacks.EventInfo // of the construct itself
	implicit callbacks.EventInfo
	launch   callbacks.EventInfo
	values   callbacks.EventInfo
	dims     [2]uint64 // acc_launch_event_info.num_gangs_per_dim
	steps    [allSteps]callbacks.Step
	pairs    [6]callbacks.Pair
}

// launched is what the fields of a launch event are made of.
type launched struct {
	kernel   *kernelCode
	geometry device.Geometry
	version  uint64 // of the Attributor's answers
}

// compute is the events of the compute construct in progress.
func (t *raiser) compute() *siteEvents {
	e := t.ownEvents()
	if e.begun {
		return e
	}
	if e.begun = true; e.computeMemory == nil {
		e.computeMemory = (*computeMemory)(t.memory.allocate(unsafe.Sizeof(computeMemory{})))
		e.compose()
	}
	if e.explicit.ParentConstruct != t.context.parent {
		e.setParent(t.context.parent)
	}
	for i := range e.pairs {
		e.pairs[i].Release()
	}
	return e
}

func (e *siteEvents) compose() {
	for _, of := range []*callbacks.EventInfo{&e.explicit, &e.implicit, &e.launch} {
		of.Implicit = 1
	}
	e.explicit.Implicit = 0
	for i, event := range append(computeEvent[:], callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd) {
		of, pair := &e.implicit, 0
		switch event {
		case callbacks.ComputeConstructStart, callbacks.ComputeConstructEnd:
			of = &e.explicit
		case callbacks.EnterDataStart, callbacks.EnterDataEnd:
			pair = 1
		case callbacks.EnqueueLaunchStart, callbacks.EnqueueLaunchEnd:
			of, pair = &e.launch, 2
		case callbacks.ExitDataStart, callbacks.ExitDataEnd:
			pair = 3
		case callbacks.WaitStart, callbacks.WaitEnd:
			pair = 4
		case callbacks.EnqueueUploadStart, callbacks.EnqueueUploadEnd:
			of, pair = &e.values, 5
		}
		e.steps[i] = callbacks.Step{Event: event, Flags: ofCompute, Pair: addressOf(&e.pairs[pair]),
			Info: addressOf(&e.info), API: addressOf(&e.api), EventInfo: addressOf(of)}
	}
}

func (e *siteEvents) setParent(parent construct) {
	e.changed()
	for _, of := range []*callbacks.EventInfo{&e.explicit, &e.implicit, &e.launch, &e.values} {
		of.ParentConstruct = parent
	}
}

// planCompute adds event i of the compute construct in progress, unless it was added
// before.
func (t *raiser) planCompute(i int) { t.planComputes(i, i) }

// planComputes adds events that follow one another.
func (t *raiser) planComputes(first, last int) {
	p, e := t.plan, t.context.events
	if !p.raises && atomic.LoadUint32(t.wantedEvents)&allComputeEvents == 0 {
		t.context.planned = max(last+1, t.context.planned) // nobody wants them
		return
	}
	if e != nil && e.filled && first >= t.context.planned && p.raises && p.pending() && p.Count+computeSteps <= callbacks.PlanSteps {
		p.add(e.steps[first : last+1])
		t.context.planned = last + 1
		return
	}
	t.planFirstComputes(first, last)
}

// planFirstComputes is planComputes where other things may have to be done before.
func (t *raiser) planFirstComputes(first, last int) {
	first = max(first, t.context.planned)
	t.context.planned = max(last+1, t.context.planned)
	for ; first <= last; first++ {
		if t.concerns(computeEvent[first]) {
			t.planComposed(first, last)
			return
		}
	}
}

// planComposed adds events of which the first one is a step, and so are the others then.
func (t *raiser) planComposed(first, last int) {
	e := t.compute()
	if !e.filled {
		t.ownGeneral()
		e.filled = true
	}
	t.makeRoom(uint32(last-first) + 1)
	t.room()
	t.plan.add(e.steps[first : last+1])
}

// add adds events, for which there is room.
func (p *plan) add(steps []callbacks.Step) {
	n := p.Count
	for i := range steps {
		p.Step[n] = &steps[i]
		n++
	}
	p.Count, p.raises = n, true
}

// planOfValues adds one of the events of the upload of values.
func (t *raiser) planOfValues(i int) {
	if p := t.plan; !p.pending() || p.Count == callbacks.PlanSteps {
		t.room()
	}
	t.plan.add(t.context.events.steps[i : i+1])
}
