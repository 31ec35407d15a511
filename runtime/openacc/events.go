package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

type construct = callbacks.Construct

// An Attributor fills in the source position of an event: where the program
// called, and for a compute construct the function outlined from it (else 0).
type Attributor interface {
	Attribute(place attribution.Place, function uintptr, info *callbacks.Info)
	// Written is what a call with the events of a construct was written as (as.Written), as
	// far as that is known.
	Written(place attribution.Place, function uintptr, as construct) construct
	// Version changes when the others, or a Namer, may answer differently than before.
	Version() uint64
}

// A Locator says where in the source a place in the program is: behind what it is asked for.
type Locator interface {
	// LineOf gives "" and 0 for what is not known.
	LineOf(returned uintptr) (function, file string, line int)
}

// A context is what the events of one call have in common.
type context struct {
	parent      construct
	async       int // the async-value, of acc_async_noval and acc_async_default the queue's
	implicit    int32
	device      *Device
	queue       *Queue
	correlation uint64 // of the operation whose enqueue events come next

	ends callbacks.Event // of the construct's span (begin), 0 while none is open
	pair eventPair       // of the span
	wait openWait        // the wait that is being planned

	events   *siteEvents // what its events have in common, nil before the first one
	offloads bool        // a compute construct whose events are computeEvents
	planned  int         // of these: the next one
}

// An openWait is a wait that has begun, and whose end is not in the plan yet.
type openWait struct {
	queue    *Queue // nil for none
	implicit bool
	pair     eventPair
}

// An eventPair is a _start event and its _end event. The zero value is ready.
type eventPair struct {
	pair   *callbacks.Pair
	thread *raiser
}

// release ends the pair; without a _start event it does nothing, nor after an
// _end event, which has the pair from then on.
func (e *eventPair) release() {
	if e.pair != nil {
		e.pair.Release()
		e.thread.pairs = append(e.thread.pairs, e.pair)
		e.pair = nil
	}
}

// take gives the pair memory that C may see, if it has none yet.
func (e *eventPair) take(t *raiser) *callbacks.Pair {
	if e.pair == nil {
		e.thread = t
		if len(t.pairs) == 0 {
			made := (*[16]callbacks.Pair)(t.memory.allocate(unsafe.Sizeof([16]callbacks.Pair{})))
			for i := range made {
				t.pairs = append(t.pairs, &made[i])
			}
		}
		n := len(t.pairs) - 1
		e.pair, t.pairs = t.pairs[n], t.pairs[:n]
	}
	return e.pair
}

// compose adds an event of the call in progress to the plan. What it has in common with
// the call's other events is filled in.
func (t *raiser) compose(event callbacks.Event, pair *eventPair) (*callbacks.Step, *callbacks.EventInfo) {
	p := t.plan
	g := t.ownGeneral()
	s, n := t.step()
	e := &p.events[n]
	*s = callbacks.Step{}
	s.Event, s.Correlation = event, t.context.correlation
	s.Info, s.API, s.EventInfo = addressOf(&g.info), addressOf(&g.api), addressOf(e)
	e.ParentConstruct, e.Implicit = t.context.parent, t.context.implicit
	if pair != nil {
		s.Pair, s.Flags = addressOf(pair.take(t)), pooledPair
		p.pools = true
		if event.Half() == callbacks.End {
			pair.pair = nil
		}
	}
	p.raises = true
	return s, e
}

// composeOwn is compose for an event with general fields of its own, which begin
// as those of the call.
func (t *raiser) composeOwn(event callbacks.Event, pair *eventPair) (*general, *callbacks.EventInfo) {
	if t.plan.special && t.plan.pending() {
		t.carryOut()
	}
	s, e := t.compose(event, pair)
	p := t.plan
	p.own, p.special = *t.context.events.general, true
	s.Info, s.API = addressOf(&p.own.info), addressOf(&p.own.api)
	return &p.own, e
}

// planEvent adds an event that has no fields of its own.
func (t *raiser) planEvent(event callbacks.Event, pair *eventPair) {
	if t.concerns(event) {
		t.compose(event, pair)
	}
}

// begin raises the event that begins the span of the construct or routine in progress;
// end plans its _end event.
func (t *raiser) begin(start callbacks.Event) {
	t.planBegin(start)
	t.carryOut()
}

// planBegin is begin where the next event follows at once.
func (t *raiser) planBegin(start callbacks.Event) {
	t.context.ends = start + 1
	t.planEvent(start, &t.context.pair)
}

func (t *raiser) end() {
	c := &t.context
	t.planEvent(c.ends, &c.pair)
	c.pair.release()
	c.ends = 0
}

// raiseInit raises the events around a device's initialisation, both of which say that
// it has no interface yet.
func (t *raiser) raiseInit(event callbacks.Event, pair *eventPair, d *Device, explicit bool) {
	if !t.concerns(event) {
		return
	}
	g, e := t.composeOwn(event, pair)
	g.onDevice(d, false)
	g.info.Async, g.info.AsyncQueue = AsyncSync, AsyncSync
	g.api.AsyncHandle = 0
	e.Implicit = 1
	if explicit {
		e.Implicit = 0
	} else if t.context.parent == callbacks.RuntimeAPI && t.function == 0 {
		e.ParentConstruct = callbacks.RuntimeAPI
	}
	t.initialising++
	t.carryOut()
	t.initialising--
}

// raiseShutdown raises the events around a device's shutdown, both of which say that it has
// no interface any more.
func (t *raiser) raiseShutdown(event callbacks.Event, pair *eventPair, d *Device, parent construct) {
	if !t.concerns(event) {
		return
	}
	g, e := t.composeOwn(event, pair)
	g.onDevice(d, false)
	g.info.Async, g.info.AsyncQueue = AsyncSync, AsyncSync
	e.ParentConstruct = parent
	t.carryOut()
}

// planWait adds a wait event.
func (t *raiser) planWait(event callbacks.Event, pair *eventPair, q *Queue, implicit bool) {
	c := &t.context
	// What the call's other events say is right for a wait for its own queue, too.
	own := q == c.queue && q.device == c.device && q.synchronous()
	if own && implicit && c.offloads {
		if event == callbacks.WaitStart {
			t.planCompute(waitStart)
		} else {
			t.planCompute(waitEnd)
		}
		return
	}
	if !t.concerns(event) {
		return
	}
	var e *callbacks.EventInfo
	if own {
		_, e = t.compose(event, pair)
	} else {
		var g *general
		g, e = t.composeOwn(event, pair)
		g.onDevice(q.device, q.device.isOpen())
		if !q.synchronous() {
			g.info.Async, g.info.AsyncQueue = int64(q.async), int64(q.async)
		}
		g.api.AsyncHandle = q.handle()
	}
	e.Implicit = 0
	if implicit {
		e.Implicit = 1
	}
}

// raiseData raises an event about size bytes; pair is nil for create, delete,
// alloc and free.
func (t *raiser) raiseData(event callbacks.Event, pair *eventPair, size, host uintptr, address device.Address, name string) {
	t.planData(event, pair, size, host, address, name)
	t.carryOut()
}

// planData adds such an event.
func (t *raiser) planData(event callbacks.Event, pair *eventPair, size, host uintptr, address device.Address, name string) {
	if t.concerns(event) {
		_, e := t.compose(event, pair)
		if e.Implicit != 0 && host != 0 {
			e.Implicit = t.impliedData(host, size, name)
		}
		t.composeData(e, size, host, address, name)
	}
}

// nameIn is what two events call a host range (nameOf), "" if neither will be raised.
func (t *raiser) nameIn(first, last callbacks.Event, host, size uintptr, m *dataenv.Mapping) string {
	if !t.concerns(first) && !t.concerns(last) {
		return ""
	}
	return t.nameOf(host, size, m)
}

// raiseDataOn is raiseData outside a construct, for a given device.
func (t *raiser) raiseDataOn(d *Device, event callbacks.Event, parent construct, size, host uintptr, address device.Address, name string) {
	if !t.concerns(event) {
		return
	}
	g, e := t.composeOwn(event, nil)
	g.onDevice(d, d.isOpen())
	e.ParentConstruct = parent
	t.composeData(e, size, host, address, name)
	t.carryOut()
}

func (t *raiser) composeData(e *callbacks.EventInfo, size, host uintptr, address device.Address, name string) {
	data := e.Data()
	data.Bytes, data.HostPtr, data.DevicePtr, data.VarName = uint64(size), host, uintptr(address), 0
	if name != "" {
		data.VarName = t.nameInC(name)
	}
}
