package openacc

import (
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// The events of a compute construct on a device with a memory of its own, in the
// order in which they are raised. They end in one of two ways.
const (
	computeStart = iota
	enterStart
	enterEnd
	launchStart

	launchEnd
	exitStart
	exitEnd
	computeEnd

	// On a synchronous queue, with the wait.
	waitedLaunchEnd
	waitedExitStart
	waitStart
	waitEnd
	waitedExitEnd
	waitedComputeEnd

	computeSteps
)

var computeEvent = [computeSteps]callbacks.Event{
	callbacks.ComputeConstructStart, callbacks.EnterDataStart, callbacks.EnterDataEnd, callbacks.EnqueueLaunchStart,
	callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd,
	callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart, callbacks.WaitStart,
	callbacks.WaitEnd, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd,
}

// step is the place of event i in the construct in progress.
func (t *Thread) step(i int) int {
	if i < launchEnd || i > computeEnd {
		return i
	}
	if q := t.context.queue; q == nil || !q.synchronous() {
		return i
	}
	if i >= exitEnd {
		return i + waitedExitEnd - exitEnd
	}
	return i + waitedLaunchEnd - launchEnd
}

// computeEvents are the events of one compute construct, composed once for all
// that the program's call will launch: hold only says which ones are next.
type computeEvents struct {
	eventBatch
	*computeMemory
	launched launched // what launch was filled for
	kernel   string   // what events call the kernel of launched
	busy     bool     // the construct has not ended
	usual    bool     // its events are those of the construct before, and all wanted
}

// computeMemory is the part of computeEvents that C sees.
type computeMemory struct {
	batch    callbacks.Batch
	shared   general
	explicit callbacks.EventInfo // of the construct itself
	implicit callbacks.EventInfo
	launch   callbacks.EventInfo
	dims     [2]uint64 // acc_launch_event_info.num_gangs_per_dim
	announce device.Announcement
	pairs    [5]callbacks.Pair
}

// launched is what the fields of a launch event are made of.
type launched struct {
	name     *string // identifies the kernel
	geometry device.Geometry
}

func (t *Thread) newComputeEvents() *computeEvents {
	e := &computeEvents{computeMemory: (*computeMemory)(t.memory.allocate(unsafe.Sizeof(computeMemory{})))}
	e.eventBatch = eventBatch{Batch: &e.batch, general: &e.shared}
	e.batch.Kept = 1
	e.announce = device.Announcement{Raise: t.rt.registry.RaiseTogether(), Dispatch: uintptr(t.rt.registry.Published()), Batch: addressOf(&e.batch)}
	for _, of := range []*callbacks.EventInfo{&e.explicit, &e.implicit, &e.launch} {
		of.Implicit = 1
	}
	e.explicit.Implicit = 0
	for i, event := range computeEvent {
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
		}
		e.batch.Step[i] = callbacks.Step{Event: event, Pair: addressOf(&e.pairs[pair]),
			Info: addressOf(&e.shared.info), API: addressOf(&e.shared.api), EventInfo: addressOf(of)}
	}
	return e
}

// compute is the events of the compute construct in progress.
func (t *Thread) compute() *computeEvents {
	if e := t.context.compute; e != nil {
		return e
	}
	if t.events.Depth == 0 {
		t.taken()
	}
	if t.computes == nil {
		t.computes = make([]*computeEvents, siteSlots)
	}
	slot := &t.computes[site{t.place.ReturnAddress, t.function}.slot(t.context.async)]
	if *slot == nil {
		*slot = t.newComputeEvents()
	}
	e := *slot
	if e.inUse(t) {
		e = t.anotherCompute()
	}
	e.busy, e.usual, t.context.compute = true, false, e
	for _, of := range []*callbacks.EventInfo{&e.explicit, &e.implicit, &e.launch} {
		of.ParentConstruct = t.context.parent
	}
	for i := range e.pairs {
		e.pairs[i].Release()
	}
	return e
}

func (e *computeEvents) inUse(t *Thread) bool { return e.busy || t.left == &e.eventBatch }

// anotherCompute is for a construct inside a callback or kernel of another one.
func (t *Thread) anotherCompute() *computeEvents {
	for _, e := range t.computes[siteSlots:] {
		if !e.inUse(t) {
			return e
		}
	}
	e := t.newComputeEvents()
	t.computes = append(t.computes, e)
	return e
}

// holdCompute holds event i of the compute construct in progress, computeEnd at most
// or one of the wait.
func (t *Thread) holdCompute(i int) {
	if e := t.context.compute; e != nil && e.usual && t.held == &e.eventBatch && int(e.batch.Count) == t.step(i) {
		e.batch.Count++
		return
	}
	if t.concerns(computeEvent[i]) {
		t.holdUnusual(i)
	}
}

func (t *Thread) holdUnusual(i int) {
	e, i := t.compute(), t.step(i)
	if t.held == &e.eventBatch && int(e.batch.Count) == i {
		e.batch.Count++
		e.batch.Step[i].Ticks = 0
		return
	}
	t.flush()
	t.generalOf(&e.eventBatch)
	e.batch.Done, e.batch.Count = uint32(i), uint32(i)+1
	e.batch.Step[i].Ticks = 0
	t.held = &e.eventBatch
}

// startAsBefore begins a construct whose events are to say what those of the one before,
// from the same place, have said, and can wait for its launch: then it gives the
// construct's queue, else nil, and nothing has happened.
func (t *Thread) startAsBefore(d *Device, c *Construct) *Queue {
	if len(c.Waits) > 0 || t.computes == nil || !validAsync(c.Async) {
		return nil
	}
	at := site{t.place.ReturnAddress, t.function}
	if t.events.Depth == 0 {
		t.taken()
	}
	async := t.mapAsync(c.Async)
	e := t.computes[at.slot(async)]
	if e == nil || e.inUse(t) {
		return nil
	}
	q := t.knownQueue(d, async)
	if q == nil {
		return nil
	}
	if !t.versioned {
		t.checkVersion()
	}
	if like := &e.like; like.at != at || like.device != d || like.async != async || like.queue != q ||
		like.generation != d.generation.Load() || like.open != d.isOpen() {
		return nil
	}
	if t.naming() && !t.knownNames(at, len(c.Arguments.Kinds)) {
		return nil
	}
	t.flush()
	for i := range e.pairs {
		e.pairs[i].Release()
	}
	e.busy, e.usual = true, true
	e.announce.Thread, e.announce.After = uintptr(unsafe.Pointer(t.events)), 0
	e.batch.Done, e.batch.Count = computeStart, enterStart+1
	e.batch.Step[computeStart].Ticks, e.batch.Step[enterStart].Ticks = t.events.Ticks, t.events.Ticks
	t.held = &e.eventBatch
	k := &t.context
	k.compute, k.async, k.queue, k.implicit = e, async, q, 1
	return q
}

// launchAsBefore is launch for such a construct, if it is the same kernel; false if
// that cannot be, and nothing has happened.
func (t *Thread) launchAsBefore(q *Queue, k *kernelCode, g device.Geometry, b device.ArgumentBlock) bool {
	e := t.context.compute
	if e == nil || !e.usual || t.held != &e.eventBatch || e.batch.Done != computeStart || e.batch.Count != enterEnd+1 ||
		e.launched.name != k.text || e.launched.geometry != g || q.announcer == nil || !t.delays() {
		return false
	}
	number := t.correlate(q, e.kernel)
	end := t.step(launchEnd)
	e.batch.Step[launchStart].Correlation, e.batch.Step[end].Correlation = number, number
	e.batch.Count = launchStart + 1
	announced, err := q.announcer.LaunchAnnounced(number, k.code, g, b, &e.announce)
	if !announced {
		t.flush()
		err = t.launchOn(q, number, k, g, b)
	}
	q.put(hostRange{}, nil)
	e.batch.Done, e.batch.Count = uint32(end), uint32(end)+1
	e.batch.Step[end].Ticks = e.announce.After // it may be raised at once, for an error
	t.held, t.context.correlation = &e.eventBatch, 0
	if err != nil {
		t.fail(t.fromDevice(err))
	}
	return true
}

// soleSteps are the bits of Registry.SoleEvents that the events of a compute construct
// have.
var soleSteps = func() (bits uint32) {
	for _, event := range computeEvent {
		bits |= 1 << event
	}
	return bits
}()

// delays says whether events of a compute construct may wait for later ones although
// something lies between them: their only callback takes note of them, with the times
// that they are given, and does not call the runtime.
func (t *Thread) delays() bool {
	return atomic.LoadUint32(t.soleEvents)&soleSteps == soleSteps && t.events.Disabled == 0
}

// launchHappened lets those held behind a launch as before wait, if they can, with the
// time when it returned; or raises them.
func (t *Thread) launchHappened() {
	e := t.context.compute
	if e == nil || !e.usual || t.held != &e.eventBatch || !t.delays() {
		t.flush()
		return
	}
	i := t.step(launchEnd)
	e.batch.Step[i].Ticks, e.batch.Step[i+1].Ticks = e.announce.After, e.announce.After
}

// holdLaunch holds the event i of a launch.
func (t *Thread) holdLaunch(i int, k *kernelCode, g device.Geometry) {
	if !t.concerns(computeEvent[i]) {
		return
	}
	e := t.compute()
	if like := (launched{k.text, g}); e.launched != like {
		if e.launched.name != like.name {
			t.flush() // the name may have to be read from debug information
		}
		e.launched = like
		launch := e.launch.Launch()
		launch.KernelName = 0
		if e.kernel = t.kernelName(k); e.kernel != "" {
			launch.KernelName = cString(e.kernel)
		}
		launch.NumGangs, launch.NumWorkers, launch.VectorLength = uint64(g.Gangs), uint64(g.Workers), uint64(g.Vector)
		e.dims = [2]uint64{1, uint64(g.Gangs)}
		launch.NumGangsPerDim = addressOf(&e.dims)
		for _, i := range []int{launchStart, launchEnd, waitedLaunchEnd} {
			e.batch.Step[i].Changed()
		}
	}
	t.holdCompute(i)
	e.batch.Step[t.step(i)].Correlation = t.context.correlation
}

// kernelName is what events call the kernel of the construct in progress.
func (t *Thread) kernelName(k *kernelCode) string {
	if n := t.rt.options.Namer; n != nil {
		if name := n.NameKernel(t.place, t.function); name != "" {
			return name
		}
	}
	return t.context.device.name(k)
}

// endCompute ends the events of the compute construct in progress.
func (t *Thread) endCompute() {
	t.finishEvents()
	if e := t.context.compute; e != nil {
		e.busy, t.context.compute = false, nil
	}
}
