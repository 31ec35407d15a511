package openacc

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
)

// said is what the events of a call have in common. It stays from call to call where
// it is the same.
type said struct {
	general *general
	like    likeness         // what general was filled for; zero: nothing
	lasting []callbacks.Step // events that say it each time, if there are any
}

// changed has a tool look again at all that they say.
func (b *said) changed() {
	for i := range b.lasting {
		b.lasting[i].Changed()
	}
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

// generalOf is what the events of the call in progress have in common, in b.
func (t *raiser) generalOf(b *said) *general {
	if !t.versioned {
		t.checkVersion()
	}
	like, c := &b.like, &t.context
	if d := c.device; d != nil && like.device == d && like.async == c.async && like.queue == c.queue &&
		like.at.ReturnAddress == t.place.ReturnAddress && like.at.Function == t.function &&
		like.generation == d.generation.Load() && like.open == d.isOpen() && like.version == t.version {
		return b.general
	}
	if t.plan.says(b.general) {
		t.carryOut()
	}
	*like = likeness{at: t.site(), async: c.async, device: c.device, version: t.version}
	if d := c.device; d != nil {
		like.queue, like.generation, like.open = c.queue, d.generation.Load(), d.isOpen()
	}
	t.fill(b)
	return b.general
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

func (t *raiser) fill(b *said) {
	g, like := b.general, &b.like
	b.changed()
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
	t.refill(&t.plan.said)
	if e := t.context.compute; e != nil {
		t.refill(&e.said)
	}
}

func (t *raiser) refill(b *said) {
	if like := &b.like; like.device != nil {
		like.generation, like.open, like.version = like.device.generation.Load(), like.device.isOpen(), t.version
		t.fill(b)
	}
}
