package openacc

import (
	"runtime"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// memory is what a Thread has allocated outside Go's heap.
type memory struct{ blocks []unsafe.Pointer }

// newMemory is that of a thread: it is freed once the thread is garbage.
func newMemory(of *Thread) *memory {
	m := new(memory)
	runtime.AddCleanup(of, (*memory).free, m)
	return m
}

func (m *memory) allocate(bytes uintptr) unsafe.Pointer {
	block := callbacks.Allocate(bytes)
	m.blocks = append(m.blocks, block)
	return block
}

func (m *memory) free() {
	for _, block := range m.blocks {
		callbacks.Deallocate(block)
	}
}

// addressOf is the address of something in memory of callbacks.Allocate.
func addressOf[T any](of *T) uintptr { return uintptr(unsafe.Pointer(of)) }

// A plan is what the call in progress does next, as far as it is decided: events, and
// the operations that they tell of, in their order. C carries it out in one crossing
// and raises each event when its turn comes. What cannot be a step (looking into the
// present table, memory) comes between two plans.
type plan struct {
	*callbacks.Plan
	*planMemory
	raises     bool // an event is among the steps
	pools      bool // so is one whose pair is one of Thread.pairs
	special    bool // own is in use
	operations [planOperations]planned
	prepared   int    // of operations
	pause      uint32 // a step that is not to be carried out yet; 0: none
	begun      uint64 // plans so far
}

// planOperations is more than one plan has.
const planOperations = 4

// planMemory is the part of a plan that C sees.
type planMemory struct {
	plan     callbacks.Plan
	steps    [callbacks.PlanSteps]callbacks.Step // but for those of computeEvents
	own      general                             // of an event that differs
	events   [callbacks.PlanSteps]callbacks.EventInfo
	operands [planOperations]device.Operands
}

// A planned operation is at a step of a plan.
type planned struct {
	device.Operation
	queue *Queue
	step  uint32
}

// What Step.Flags says of an event.
const (
	ofCompute  = callbacks.Lasting      // it is one of computeEvents
	pooledPair = callbacks.Lasting << 1 // its pair is one of Thread.pairs, and goes back there
)

func (p *plan) init(m *memory) {
	p.planMemory = (*planMemory)(m.allocate(unsafe.Sizeof(planMemory{})))
	p.Plan = &p.planMemory.plan
	for i := range p.operations {
		p.operations[i].Operands = &p.operands[i]
	}
}

// pending says whether steps are to be carried out.
func (p *plan) pending() bool { return p.Count > p.Done }

// A raiser plans what a call does, and carries it out: events with the operations that
// they tell of, and the error that ends the program (OpenACC 3.3 chapter 5).
type raiser struct {
	namer
	pairs []*callbacks.Pair // not in use

	initialising int           // initialisation events being raised
	failing      *device.Error // it ends the program; nil for none
	reporting    bool          // callbacks are told of an error that does not
}

// room makes place for a step, and gives its number.
func (t *raiser) room() uint32 {
	p := t.plan
	if p.Count == callbacks.PlanSteps {
		t.carryOut()
	}
	if p.Done == p.Count {
		p.Done, p.Count, p.prepared = 0, 0, 0
		p.raises, p.pools, p.special = false, false, false
		p.begun++
	}
	return p.Count
}

// step adds a step, and gives its number too.
func (t *raiser) step() (*callbacks.Step, uint32) {
	n, p := t.room(), t.plan
	p.Count++
	p.Step[n] = &p.steps[n]
	return p.Step[n], n
}

// A planMark is how far a plan is decided.
type planMark struct {
	begun uint64
	count uint32
}

func (p *plan) mark() planMark { return planMark{p.begun, p.Count} }

// isWithin says whether no step behind m has been carried out.
func (p *plan) isWithin(m planMark) bool { return p.begun == m.begun && p.Done <= m.count }

// concerns says whether an event has to be a step: it is wanted, or comes after others
// whose callbacks may make it so.
func (t *raiser) concerns(event callbacks.Event) bool {
	return t.plan.raises && t.plan.pending() || t.wanted(event)
}

// makeRoom sees to it that an operation and its events, so many steps, are in one plan.
func (t *raiser) makeRoom(steps uint32) {
	if p := t.plan; p.pending() && (p.prepared == planOperations || p.Count+steps > callbacks.PlanSteps) {
		t.carryOut()
	}
}

// carryOut carries out the plan. Events behind one whose callback called the runtime
// say what holds then.
func (t *raiser) carryOut() {
	for t.plan.pending() && !t.advance() {
		t.refresh()
	}
}

// carryOutAll is carryOut where a callback that calls the runtime may decide on what
// comes after it: it drops the steps behind it and reports false.
func (t *raiser) carryOutAll() bool {
	if !t.plan.pending() || t.advance() {
		return true
	}
	t.drop(computeStart)
	return false
}

// carryOutBefore carries out the steps before one.
func (t *raiser) carryOutBefore(step uint32) {
	p := t.plan
	for p.Done < step {
		p.pause = step
		if !t.advance() && p.Done < step {
			t.refresh()
		}
	}
}

// advance carries out the plan up to its end or pause, or up to an event whose callback
// called the runtime; then it reports false. The error of an operation is raised behind
// the event that tells of its end, and ends the plan.
func (t *raiser) advance() bool {
	p := t.plan
	first, count := p.Done, p.Count
	if p.pause != 0 {
		p.Count, p.pause = p.pause, 0
	}
	t.nest()
	failed := t.rt.registry.CarryOut(t.events, p.Plan)
	t.unnest()
	if p.pools {
		t.pairs = endedPairs(t.pairs, p.Step[first:p.Done])
	}
	err := p.outcome(first)
	if !failed && err == nil {
		done := p.Done == p.Count
		p.Count = count
		return done
	}
	if p.Count = p.Done; p.Done < count && endsOperation(p.Step[p.Done].Event) {
		p.Count++
		t.carryOut()
	}
	p.Count = count
	t.drop(computeStart)
	t.fail(t.fromDevice(err))
	return true
}

// endsOperation says whether an event tells of the end of the operation before it. A
// construct's arguments have none of their own where they carry no values.
func endsOperation(e callbacks.Event) bool {
	switch e {
	case callbacks.EnqueueUploadEnd, callbacks.EnqueueDownloadEnd, callbacks.EnqueueLaunchEnd, callbacks.WaitEnd:
		return true
	}
	return false
}

// outcome is the error of the operation run last since step first, if it has failed.
func (p *plan) outcome(first uint32) (err error) {
	for i := range p.operations[:p.prepared] {
		if o := &p.operations[i]; o.step >= first && o.step < p.Done {
			if err = o.queue.device.kept(o.queue.driver.Outcome(&o.Operation)); o.Kind == device.Await && err == nil {
				o.queue.drained(o.queue.finished.Load())
			}
		}
	}
	return err
}

// endedPairs appends the pairs of _end events that are pooled.
func endedPairs(pairs []*callbacks.Pair, steps []*callbacks.Step) []*callbacks.Pair {
	for _, s := range steps {
		if s.Flags == pooledPair && s.Event.Half() == callbacks.End {
			pairs = append(pairs, pairOf(s))
		}
	}
	return pairs
}

func pairOf(s *callbacks.Step) *callbacks.Pair { return *(**callbacks.Pair)(unsafe.Pointer(&s.Pair)) }

// isFrom says whether a step is an event of a compute construct, this one or one behind it.
func isFrom(s *callbacks.Step, event int) bool {
	i := computeIndex(s.Event)
	return s.Flags == ofCompute && i >= event && i < computeSteps
}

// drop takes back the steps not carried out, from an event of the compute construct in
// progress on: they are to be planned again, and so is the end of the call's span, which
// is the last step.
func (t *raiser) drop(from int) {
	p := t.plan
	if p.pending() {
		if s := p.Step[p.Count-1]; s.Flags == pooledPair && s.Event.Half() == callbacks.End && !endsOperation(s.Event) {
			t.context.ends, t.context.pair = s.Event, eventPair{pairOf(s), t}
			p.Count--
		}
	}
	n := p.Done
	for n < p.Count && from > computeStart && !isFrom(p.Step[n], from) {
		n++
	}
	for _, s := range p.Step[n:p.Count] {
		if s.Flags == ofCompute {
			t.context.planned = min(t.context.planned, computeIndex(s.Event))
		}
	}
	t.pairs = endedPairs(t.pairs, p.Step[n:p.Count])
	for p.prepared > 0 && p.operations[p.prepared-1].step >= n {
		p.prepared--
	}
	p.Count = n
	if e := t.context.events; e != nil {
		e.filled = false
	}
}
