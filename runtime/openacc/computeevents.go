package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// The events of a compute construct on a device with a memory of its own, in the
// order in which they are raised. Those of the wait are a synchronous construct's.
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

var computeEvent = [computeSteps]callbacks.Event{
	callbacks.ComputeConstructStart, callbacks.EnterDataStart,
	callbacks.EnterDataEnd, callbacks.EnqueueLaunchStart,
	callbacks.EnqueueLaunchEnd, callbacks.ExitDataStart,
	callbacks.WaitStart,
	callbacks.WaitEnd, callbacks.ExitDataEnd, callbacks.ComputeConstructEnd,
}

// computeEvents are the events of one compute construct, composed once for all
// that the program's call will launch: hold only says which ones are next.
type computeEvents struct {
	eventBatch
	*computeMemory
	launched launched // what launch was filled for
	busy     bool     // the construct has not ended
}

// computeMemory is the part of computeEvents that C sees.
type computeMemory struct {
	batch    callbacks.Batch
	shared   [2]general
	explicit callbacks.EventInfo // of the construct itself
	implicit callbacks.EventInfo
	launch   callbacks.EventInfo
	dims     [2]uint64 // acc_launch_event_info.num_gangs_per_dim
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
	for _, of := range []*callbacks.EventInfo{&e.explicit, &e.implicit, &e.launch} {
		of.ParentConstruct, of.Implicit = callbacks.Parallel, 1
	}
	e.explicit.Implicit = 0
	for i := range computeEvent {
		g, of, pair := &e.shared[1], &e.implicit, 0
		switch i {
		case computeStart:
			g, of = &e.shared[0], &e.explicit
		case computeEnd:
			of = &e.explicit
		case enterStart, enterEnd:
			pair = 1
		case launchStart, launchEnd:
			of, pair = &e.launch, 2
		case exitStart, exitEnd:
			pair = 3
		case waitStart, waitEnd:
			pair = 4
		}
		e.batch.Step[i] = callbacks.Step{Event: computeEvent[i], Pair: addressOf(&e.pairs[pair]),
			Info: addressOf(&g.info), API: addressOf(&g.api), EventInfo: addressOf(of)}
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
	slot := &t.computes[site{t.place.ReturnAddress, t.function}.slot()]
	if *slot == nil {
		*slot = t.newComputeEvents()
	}
	e := *slot
	if e.inUse(t) {
		e = t.anotherCompute()
	}
	e.busy, t.context.compute = true, e
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

// holdCompute holds event i of the compute construct in progress.
func (t *Thread) holdCompute(i int) {
	if !t.concerns(computeEvent[i]) {
		return
	}
	e := t.compute()
	if t.held == &e.eventBatch && int(e.batch.Count) == i {
		if i == enterStart {
			t.generalOf(&e.eventBatch, 1)
		}
		e.batch.Count++
		return
	}
	t.flush()
	g := 1
	if i == computeStart {
		g = 0
	}
	t.generalOf(&e.eventBatch, g)
	e.batch.Done, e.batch.Count = uint32(i), uint32(i)+1
	t.held = &e.eventBatch
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
		if name := t.context.device.name(k); name != "" {
			launch.KernelName = cString(name)
		}
		launch.NumGangs, launch.NumWorkers, launch.VectorLength = uint64(g.Gangs), uint64(g.Workers), uint64(g.Vector)
		e.dims = [2]uint64{1, uint64(g.Gangs)}
		launch.NumGangsPerDim = addressOf(&e.dims)
	}
	t.holdCompute(i)
	e.batch.Step[i].Correlation = t.context.correlation
}

// endCompute ends the events of the compute construct in progress.
func (t *Thread) endCompute() {
	t.finishEvents()
	if e := t.context.compute; e != nil {
		e.busy, t.context.compute = false, nil
	}
}
