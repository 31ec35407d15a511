package openacc

import (
	"slices"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
)

// siteEvents are what all events of a site have in common, on one queue, and those of its
// compute construct. They stay from call to call where they are the same.
type siteEvents struct {
	*general
	like likeness // what general was filled for; zero: nothing
	computeEvents
}

// changed has a tool look again at all that the events which stay say.
func (e *siteEvents) changed() {
	if e.computeMemory != nil {
		for i := range e.steps {
			e.steps[i].Changed()
		}
	}
}

// ownEvents are those of the call in progress: of its site and queue or, where a call around
// the callback in which it is has these, spare ones.
func (t *raiser) ownEvents() *siteEvents {
	if e := t.context.events; e != nil {
		return e
	}
	return t.findEvents()
}

func (t *raiser) findEvents() *siteEvents {
	known := t.here().events.of(uint64(t.context.async), mostCalls)
	if *known == nil {
		*known = t.spareEvents()
	}
	e := *known
	if t.level > 0 && t.inUse(e) {
		e = t.spareEvents()
		t.spares = append(t.spares, e)
	}
	e.begun, e.filled, t.context.events = false, false, e
	return e
}

// spareEvents are of no site, and say nothing yet.
func (t *raiser) spareEvents() *siteEvents {
	for i, e := range slices.Backward(t.spares) {
		if !t.inUse(e) {
			t.spares = slices.Delete(t.spares, i, i+1)
			e.like, e.launched, e.told = likeness{}, launched{}, toldValues{}
			return e
		}
	}
	return &siteEvents{general: (*general)(t.memory.allocate(unsafe.Sizeof(general{})))}
}

// inUse says whether a call around the one in progress raises e.
func (t *raiser) inUse(e *siteEvents) bool {
	return slices.ContainsFunc(t.levels[1:t.level+1], func(l *level) bool { return l.aside && l.outer.context.events == e })
}

type general struct {
	info callbacks.Info
	api  callbacks.APIInfo
}

// A likeness is what a general is made of.
type likeness struct {
	at         attribution.CallSite
	async      int
	device     *Device // nil: the general fits nothing else
	queue      *Queue
	generation uint64 // of the device
	open       bool
	version    uint64 // of the Attributor's answers
}

// ownGeneral is what the events of the call in progress have in common.
func (t *raiser) ownGeneral() *general {
	e := t.ownEvents()
	if !t.versioned {
		t.checkVersion()
	}
	like, c := &e.like, &t.context
	if d := c.device; d != nil && like.device == d && like.async == c.async && like.queue == c.queue &&
		like.at.ReturnAddress == t.place.ReturnAddress && like.at.Function == t.function &&
		like.generation == d.generation.Load() && like.open == d.isOpen() && like.version == t.version {
		return e.general
	}
	if t.plan.says(e.general) {
		t.carryOut()
	}
	*like = likeness{at: t.site(), async: c.async, device: c.device, version: t.version}
	if d := c.device; d != nil {
		like.queue, like.generation, like.open = c.queue, d.generation.Load(), d.isOpen()
	}
	t.fill(e)
	return e.general
}

// says whether an event that is to be raised says what g does.
func (p *plan) says(g *general) bool {
	if !p.pending() {
		return false
	}
	for _, s := range p.Step[p.Done:p.Count] {
		if s.Info == addressOf(&g.info) {
			return true
		}
	}
	return false
}

// checkVersion looks whether source positions may be others by now; once for a call.
func (t *namer) checkVersion() {
	t.versioned = true
	if a := t.rt.options.Attributor; a != nil {
		t.version = a.Version()
	}
}

func (t *raiser) fill(e *siteEvents) {
	g, like := e.general, &e.like
	e.changed()
	g.info = callbacks.Info{LineNo: -1, EndLineNo: -1, FuncLineNo: -1, FuncEndLineNo: -1,
		Async: int64(like.async), AsyncQueue: int64(like.async)}
	g.api = callbacks.APIInfo{Vendor: callbacks.Vendor}
	if d := like.device; d != nil {
		g.onDevice(d, like.open)
		if q := like.queue; q != nil && like.open {
			g.api.AsyncHandle = q.handle()
		}
	} else {
		g.info.DeviceType = callbacks.DeviceType(t.requested())
		g.info.DeviceNumber = int32(t.deviceNumber)
		g.api.DeviceType = g.info.DeviceType
	}
	if a := t.rt.options.Attributor; a != nil {
		a.Attribute(attribution.Place{ReturnAddress: like.at.ReturnAddress}, like.at.Function, &g.info)
	}
}

func (g *general) onDevice(d *Device, open bool) {
	g.info.DeviceType, g.info.DeviceNumber = callbacks.DeviceType(d.Type), int32(d.Number)
	g.api.DeviceAPI, g.api.DeviceType = callbacks.APINone, g.info.DeviceType
	g.api.DeviceHandle, g.api.ContextHandle = 0, 0
	if open {
		g.api.DeviceAPI = callbacks.API(d.handles.API)
		if !d.handles.StandIns {
			g.api.DeviceHandle = uintptr(d.handles.Device)
			g.api.ContextHandle = uintptr(d.handles.Context)
		}
	}
}

// refresh fills in again what the events of the plan have in common, after a callback
// of one of them has called the runtime.
func (t *raiser) refresh() {
	if e := t.context.events; e != nil && e.like.device != nil {
		like := &e.like
		like.generation, like.open, like.version = like.device.generation.Load(), like.device.isOpen(), t.version
		t.fill(e)
	}
}
