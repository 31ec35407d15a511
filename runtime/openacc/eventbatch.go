package openacc

import (
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
)

// memory is what a Thread has allocated outside Go's heap.
type memory struct{ blocks []unsafe.Pointer }

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

// An eventBatch is events that C raises in one go: those from Batch.Done to
// Batch.Count.
type eventBatch struct {
	*callbacks.Batch
	// general is what the events of a call have in common. It stays from call to
	// call where it is the same.
	general *general
	like    likeness // what general was filled for; zero: nothing
	pooled  bool     // pairs are those of Thread.pairs
}

type general struct {
	info callbacks.Info
	api  callbacks.APIInfo
}

// A likeness is what a general is made of.
type likeness struct {
	at         site
	async      int
	device     *Device // nil: the general fits nothing else
	queue      *Queue
	generation uint64 // of the device
	open       bool
}

// wanted says whether an event other than Error has a callback: one atomic load.
func (t *Thread) wanted(event callbacks.Event) bool {
	return atomic.LoadUint32(t.wantedEvents)>>(event&31)&1 != 0
}

// concerns says whether an event has to be composed: it is wanted, or comes after
// others whose callbacks may make it so.
func (t *Thread) concerns(event callbacks.Event) bool { return t.wanted(event) || t.held != nil }

// generalOf is what the events of the call in progress have in common, in b.
func (t *Thread) generalOf(b *eventBatch) *general {
	if !t.versioned {
		t.checkVersion()
	}
	like, c := &b.like, &t.context
	if d := c.device; d != nil && like.device == d && like.async == c.async && like.queue == c.queue &&
		like.at.returnAddress == t.place.ReturnAddress && like.at.function == t.function &&
		like.generation == d.generation.Load() && like.open == d.isOpen() {
		return b.general
	}
	if t.held == b {
		t.flush() // those held say what this one does not
	}
	*like = likeness{at: site{t.place.ReturnAddress, t.function}, async: c.async, device: c.device}
	if d := c.device; d != nil {
		like.queue, like.generation, like.open = c.queue, d.generation.Load(), d.isOpen()
	}
	t.fill(b)
	return b.general
}

// checkVersion forgets source positions that may be others by now; once for a call.
func (t *Thread) checkVersion() {
	t.versioned = true
	a := t.rt.options.Attributor
	if a == nil {
		return
	}
	if now := a.Version(); now != t.version {
		t.version = now
		clear(t.named)
		clear(t.constructs)
		for _, f := range t.frames {
			f.like = likeness{}
		}
		for _, e := range t.computes {
			if e != nil {
				e.like, e.launched = likeness{}, launched{}
			}
		}
	}
}

// changed has a tool look at all that the events of b say.
func (b *eventBatch) changed() {
	if b.Kept != 0 {
		for i := range b.Step {
			b.Step[i].Changed()
		}
	}
}

func (t *Thread) fill(b *eventBatch) {
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
		a.Attribute(Place{ReturnAddress: like.at.returnAddress}, like.at.function, &g.info)
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

// flush raises the events held.
func (t *Thread) flush() {
	if b := t.held; b != nil {
		for !t.dispatch(b) {
			t.refresh(b)
		}
	}
}

// flushAll is flush where a callback that calls the runtime may decide on what the
// events after it say: it drops those and reports false.
func (t *Thread) flushAll() bool { return t.held == nil || t.dispatch(t.held) }

// dispatch raises the events of b and takes back the pairs of _end events. It
// reports whether all of them are done.
func (t *Thread) dispatch(b *eventBatch) bool {
	t.held = nil
	if !b.pooled {
		return t.cross(b)
	}
	first := b.Done
	all := t.cross(b)
	t.pairs = endedPairs(t.pairs, b.Step[first:b.Done])
	return all
}

// cross has C raise the events of b.
func (t *Thread) cross(b *eventBatch) bool {
	if t.events.Disabled != 0 {
		for i := b.Done; i < b.Count; i++ {
			if s := &b.Step[i]; s.Pair != 0 && s.Event.Half() == callbacks.End {
				pairOf(s).Release()
			}
		}
		b.Done = b.Count
		return true
	}
	t.nest()
	t.rt.registry.DispatchBatch(t.events, b.Batch)
	t.unnest()
	return b.Done == b.Count
}

// refresh fills in again what the events of b have in common, after a callback of
// one of them has called the runtime.
func (t *Thread) refresh(b *eventBatch) {
	if like := &b.like; like.device != nil {
		like.generation, like.open = like.device.generation.Load(), like.device.isOpen()
		t.fill(b)
	}
}

// endedPairs appends the pairs of _end events.
func endedPairs(pairs []*callbacks.Pair, steps []callbacks.Step) []*callbacks.Pair {
	for i := range steps {
		if s := &steps[i]; s.Pair != 0 && s.Event.Half() == callbacks.End {
			pairs = append(pairs, pairOf(s))
		}
	}
	return pairs
}

func pairOf(s *callbacks.Step) *callbacks.Pair { return *(**callbacks.Pair)(unsafe.Pointer(&s.Pair)) }

// finishEvents raises the events held at the end of a call, unless the call's
// caller does, which saves the crossing.
func (t *Thread) finishEvents() {
	if t.held != nil {
		t.finishHeld()
	}
}

func (t *Thread) finishHeld() {
	b := t.held
	if t.rt.options.Leave == nil || t.level > 0 || t.events.Depth > 0 || !t.rt.options.Leave(t, b.Batch) {
		t.flush()
		return
	}
	t.taken()
	t.held, t.left = nil, b
	if b.pooled {
		t.lent = endedPairs(t.lent, b.Step[b.Done:b.Count])
	}
}

// taken notes that the events left at the end of the call before have been raised:
// their pairs are not in use any more.
func (t *Thread) taken() {
	t.left = nil
	if len(t.lent) > 0 {
		t.pairs, t.lent = append(t.pairs, t.lent...), t.lent[:0]
	}
}

// RaiseRest raises the events of the batch that Options.Leave took which are not
// done: one of those before had a callback that called the runtime.
func (t *Thread) RaiseRest() {
	for more := true; more; more = !t.cross(t.left) {
		t.refresh(t.left)
	}
	t.taken()
}
