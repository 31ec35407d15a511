package openacc

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// A poolWatch keeps what a device's pool took and gave back until a host thread
// is where it may raise alloc and free events; mappings have create and delete.
// The nil watch is that of a device without pool.
type poolWatch struct {
	some    atomic.Bool
	mu      sync.Mutex
	changes []poolChange
	held    map[device.Address]uintptr // what it took and has not given back, with its size
}

type poolChange struct {
	event   callbacks.Event
	address device.Address
	bytes   uintptr
}

func watchPool(driver device.Device) *poolWatch {
	pool, ok := driver.(device.Pooled)
	if !ok {
		return nil
	}
	w := &poolWatch{held: map[device.Address]uintptr{}}
	pool.ObservePool(func(taken bool, address device.Address, bytes uint64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if taken {
			w.held[address] = uintptr(bytes)
			w.note(callbacks.Alloc, address, uintptr(bytes))
		} else if _, known := w.held[address]; known {
			delete(w.held, address)
			w.note(callbacks.Free, address, uintptr(bytes))
		}
	})
	return w
}

// note adds a change. w.mu is held.
func (w *poolWatch) note(event callbacks.Event, address device.Address, bytes uintptr) {
	w.changes = append(w.changes, poolChange{event, address, bytes})
	w.some.Store(true)
}

// release is each where the device is about to close: all that the pool holds counts as
// given back, and when that happens it is no change any more.
func (w *poolWatch) release(raise func(event callbacks.Event, address device.Address, bytes uintptr)) {
	if w == nil {
		return
	}
	w.mu.Lock()
	for _, address := range slices.Sorted(maps.Keys(w.held)) {
		w.note(callbacks.Free, address, w.held[address])
	}
	clear(w.held)
	w.mu.Unlock()
	w.each(raise)
}

// each hands over the changes not handed over yet.
func (w *poolWatch) each(raise func(event callbacks.Event, address device.Address, bytes uintptr)) {
	if w == nil || !w.some.Load() {
		return
	}
	w.mu.Lock()
	changes := w.changes
	w.changes = nil
	w.some.Store(false)
	w.mu.Unlock()
	for _, c := range changes {
		raise(c.event, c.address, c.bytes)
	}
}

// planAllocation adds an alloc or free event for memory of d, or on a device with
// a pool those of what the pool did since. m, if any, is the mapping it is for.
func (t *raiser) planAllocation(d *Device, event callbacks.Event, size uintptr, address device.Address, m *dataenv.Mapping) {
	if d.pool != nil {
		d.pool.each(func(event callbacks.Event, address device.Address, bytes uintptr) {
			t.planData(event, nil, bytes, 0, address, "")
		})
		return
	}
	if m == nil {
		t.planData(event, nil, size, 0, address, "")
		return
	}
	name := t.nameOf(m.Host, m.Size, m)
	if !t.concerns(event) {
		return
	}
	_, e := t.compose(event, nil)
	if e.Implicit != 0 {
		e.Implicit = t.impliedData(m.Host, m.Size, name)
	}
	t.composeData(e, size, 0, address, name)
}
