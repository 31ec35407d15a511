package openacc

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// asyncForm names a routine or its _async form.
func asyncForm(routine string, async int) string {
	if async == AsyncSync {
		return routine
	}
	return routine + "_async"
}

// dataRoutines are those about device memory and the data in it (OpenACC 3.3 §3.2.16 to
// §3.2.25, §3.2.29).
type dataRoutines struct{ asyncRoutines }

// data begins a routine that works on host data of the current device.
func (t *dataRoutines) data(routine string, async int) (*Device, bool) {
	t.enter(routine, callbacks.RuntimeAPI, async)
	if !t.valid("async_arg", async) {
		return nil, false
	}
	d := t.use()
	return d, d != nil
}

// section is data for a routine whose data section is given by its address and its
// length. One of no bytes is valid, also at a null pointer: the routines take no
// action for it.
func (t *dataRoutines) section(routine string, host unsafe.Pointer, bytes uintptr, async int) (*Device, bool) {
	d, ok := t.data(routine, async)
	switch {
	case !ok:
	case bytes > math.MaxInt: // as negative ones arrive
		t.fail(t.negativeSection("data_arg", uintptr(host), bytes))
		return nil, false
	case host == nil && bytes > 0:
		t.fail(t.errorf(errorInvalidNullPointer, "data_arg is a null pointer: %s is a bad range; pass the address of the data",
			span(0, bytes)))
		return nil, false
	}
	return d, ok
}

// onQueue gives the queue of a routine's async argument and readies the scratch
// space.
func (t *dataRoutines) onQueue(d *Device, async int) *Queue {
	q := t.queue(d, async)
	t.context.queue = q
	t.clearScratch()
	return q
}

// Malloc is acc_malloc (OpenACC 3.3 §3.2.16): nil for no bytes or no memory.
func (t *dataRoutines) Malloc(bytes uintptr) unsafe.Pointer {
	t.enter("acc_malloc", callbacks.RuntimeAPI, AsyncSync)
	d := t.use()
	if d == nil || bytes == 0 {
		return nil
	}
	d.mu.Lock()
	address, err := d.driver.Alloc(uint64(bytes))
	if err == nil {
		d.allocations[address] = bytes
	}
	d.mu.Unlock()
	if err != nil {
		if failure, ok := err.(*device.Error); !ok || failure.Code != device.OutOfMemory {
			d.keep(err) // the routine's answer is null all the same (OpenACC 3.3 §3.2.16)
		}
		return nil
	}
	t.planAllocation(d, callbacks.Alloc, bytes, address, nil)
	t.carryOut()
	return at(uintptr(address))
}

// Free is acc_free (OpenACC 3.3 §3.2.17).
func (t *dataRoutines) Free(data unsafe.Pointer) {
	t.enter("acc_free", callbacks.RuntimeAPI, AsyncSync)
	d := t.use()
	if d == nil || data == nil {
		return
	}
	t.passed.address = uintptr(data)
	address := device.Address(uintptr(data))
	d.mu.Lock()
	size, known := d.allocations[address]
	m := d.table.FindDevice(address, 0)
	if m == nil {
		delete(d.allocations, address)
	}
	d.mu.Unlock()
	if m != nil && !blockOf(m).identity {
		t.passed = passed{}
		t.fail(t.about(routineData, m.Host, m.Size, t.stillMapped(uintptr(data), m.Host, m.Size)))
		return
	}
	if !known {
		t.fail(t.freeFailed(uintptr(data), device.Errorf(device.InvalidArgument, 0, "not allocated by acc_malloc on %s", d)))
		return
	}
	t.planAllocation(d, callbacks.Free, size, address, nil)
	t.carryOut()
	if err := d.driver.Free(address); err != nil {
		t.fail(t.freeFailed(uintptr(data), err))
	}
}

// Copyin is acc_copyin and acc_copyin_async (OpenACC 3.3 §3.2.18). No bytes are no
// error, and no action: neither the present table nor a counter changes, and no
// event follows. The result is then what acc_deviceptr gives.
func (t *dataRoutines) Copyin(host unsafe.Pointer, bytes uintptr, async int) unsafe.Pointer {
	return t.beginLifetime("acc_copyin", host, bytes, async, true)
}

// Create is acc_create and acc_create_async (OpenACC 3.3 §3.2.18).
func (t *dataRoutines) Create(host unsafe.Pointer, bytes uintptr, async int) unsafe.Pointer {
	return t.beginLifetime("acc_create", host, bytes, async, false)
}

func (t *dataRoutines) beginLifetime(routine string, host unsafe.Pointer, bytes uintptr, async int, copyin bool) unsafe.Pointer {
	d, ok := t.section(asyncForm(routine, async), host, bytes, async)
	if !ok {
		return nil
	}
	if d.Shared {
		return host
	}
	if bytes == 0 {
		return d.deviceAddress(host)
	}
	q := t.onQueue(d, async)
	if q == nil {
		return nil
	}
	t.nameData(uintptr(host), bytes)
	s := t.scratch
	s.items = append(s.items[:0], goacc.Item{Action: goacc.ActionMap, Host: uintptr(host), Size: bytes,
		Copyin: copyin, Leader: -1})
	p := mapper{t: &t.lifetimes, d: d}
	d.mu.Lock()
	if _, presence := d.table.Find(uintptr(host), bytes); presence == dataenv.Partly && !p.evict(&s.items[0]) {
		failure := t.lacks(d, lack{host: uintptr(host), bytes: bytes}, outside(uintptr(host), bytes))
		d.mu.Unlock()
		t.fail(failure)
		return nil
	}
	_, failure := p.mapVariables(s.items)
	if m, presence := d.table.Find(uintptr(host), bytes); presence == dataenv.Present {
		m.Used = true // whoever gets the address may use it
	}
	d.mu.Unlock()
	if failure != nil {
		t.fail(failure)
		return nil
	}
	t.enqueueUploads(d, q)
	t.settle(d, q, true)
	t.giveUp(d, q)
	t.carryOut() // no event of the routine's own follows
	return at(uintptr(p.last))
}

// Copyout is acc_copyout with its _async and _finalize forms (OpenACC 3.3
// §3.2.19). Data that is not present is reported to error callbacks, and no action
// is taken: reportAbsent.
func (t *dataRoutines) Copyout(host unsafe.Pointer, bytes uintptr, async int, finalize bool) {
	t.endLifetime("acc_copyout", host, bytes, async, finalize, true)
}

// Delete is acc_delete with its _async and _finalize forms (OpenACC 3.3 §3.2.19),
// for data that is not present as Copyout.
func (t *dataRoutines) Delete(host unsafe.Pointer, bytes uintptr, async int, finalize bool) {
	t.endLifetime("acc_delete", host, bytes, async, finalize, false)
}

func (t *dataRoutines) endLifetime(routine string, host unsafe.Pointer, bytes uintptr, async int, finalize, copyout bool) {
	if finalize {
		routine += "_finalize"
	}
	d, ok := t.section(asyncForm(routine, async), host, bytes, async)
	if !ok || d.Shared || bytes == 0 {
		return
	}
	d.mu.Lock()
	_, presence := d.table.Find(uintptr(host), bytes)
	var failure *device.Error
	if presence == dataenv.Partly {
		failure = t.lacks(d, lack{host: uintptr(host), bytes: bytes}, outside(uintptr(host), bytes))
	}
	d.mu.Unlock()
	switch presence {
	case dataenv.Absent:
		t.reportAbsent(d, uintptr(host), bytes)
		return
	case dataenv.Partly:
		t.fail(failure)
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	t.nameData(uintptr(host), bytes)
	t.scratch.items = append(t.scratch.items[:0], goacc.Item{Action: goacc.ActionRelease, Host: uintptr(host),
		Size: bytes, Copyout: copyout, Finalize: finalize, Leader: -1})
	t.endLifetimes(d, q)
	t.carryOut() // no event of the routine's own follows the last wait
}

// UpdateDevice is acc_update_device and its _async form (OpenACC 3.3 §3.2.20).
func (t *dataRoutines) UpdateDevice(host unsafe.Pointer, bytes uintptr, async int) {
	t.updates("acc_update_device", goacc.ActionUpdateDevice, host, bytes, async)
}

// UpdateSelf is acc_update_self and its _async form (OpenACC 3.3 §3.2.20).
func (t *dataRoutines) UpdateSelf(host unsafe.Pointer, bytes uintptr, async int) {
	t.updates("acc_update_self", goacc.ActionUpdateSelf, host, bytes, async)
}

func (t *dataRoutines) updates(routine string, action goacc.Action, host unsafe.Pointer, bytes uintptr, async int) {
	d, ok := t.section(asyncForm(routine, async), host, bytes, async)
	if !ok || d.Shared || bytes == 0 {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	t.nameData(uintptr(host), bytes)
	t.scratch.items = append(t.scratch.items[:0], goacc.Item{Action: action, Host: uintptr(host), Size: bytes, Leader: -1})
	t.begin(callbacks.UpdateStart)
	t.updateItems(d, q, t.scratch.items, true)
	t.end()
	t.carryOut()
	if len(t.scratch.suspects) > 0 {
		t.warnOfUpdates(d, goacc.Arguments{Hosts: []uintptr{uintptr(host)}, Sizes: []uintptr{bytes}, Kinds: []uint16{uint16(goacc.ForceTo)}})
	}
}

// MapData is acc_map_data (OpenACC 3.3 §3.2.21).
func (t *dataRoutines) MapData(host, data unsafe.Pointer, bytes uintptr) {
	d, ok := t.data("acc_map_data", AsyncSync)
	if !ok {
		return
	}
	h, address := uintptr(host), device.Address(uintptr(data))
	var failure *device.Error
	switch {
	case host == nil:
		failure = t.badMap(d, "data_arg", h, uintptr(data), bytes)
	case data == nil:
		failure = t.badMap(d, "data_dev", h, uintptr(data), bytes)
	case bytes > math.MaxInt:
		failure = t.negativeSection("data_arg", h, bytes)
	case d.Shared && host == data:
		return
	case d.Shared:
		failure = t.sharedMap()
	case bytes == 0:
		failure = t.badMap(d, "bytes", h, uintptr(data), bytes)
	}
	if failure != nil {
		t.fail(failure)
		return
	}
	t.clearScratch()
	t.nameData(h, bytes)
	d.mu.Lock()
	if _, presence := d.table.Find(h, bytes); presence != dataenv.Absent {
		failure = t.alreadyMapped("host", h, h, bytes)
	} else if d.deviceMapped(address, bytes) {
		failure = t.alreadyMapped("device", h, uintptr(data), bytes)
	} else {
		b := &block{address: address, size: bytes, host: h, creator: t.identity, origin: t.origin()}
		var m *dataenv.Mapping
		if m, failure = t.insert(d, b, h, bytes); failure == nil {
			m.Dynamic, m.Infinite = 1, true
		}
	}
	d.mu.Unlock()
	if failure != nil {
		t.fail(failure)
		return
	}
	t.raiseData(callbacks.Create, nil, bytes, h, address, t.nameOf(h, bytes, nil))
	t.scratch.markReady(d, nil)
}

// deviceMapped says whether a mapping's device memory shares a byte with the
// range. d.mu is held.
func (d *Device) deviceMapped(address device.Address, bytes uintptr) bool {
	for m := range d.table.All() {
		if !blockOf(m).identity && address < m.Device+device.Address(m.Size) && m.Device < address+device.Address(bytes) {
			return true
		}
	}
	return false
}

// UnmapData is acc_unmap_data (OpenACC 3.3 §3.2.22).
func (t *dataRoutines) UnmapData(host unsafe.Pointer) {
	d, ok := t.data("acc_unmap_data", AsyncSync)
	if !ok {
		return
	}
	h := uintptr(host)
	if host == nil {
		t.fail(t.errorf(errorInvalidNullPointer, "data_arg is a null pointer, which is not a mapped block; "+
			"pass the address given to acc_map_data"))
		return
	}
	if d.Shared {
		return
	}
	t.clearScratch()
	d.mu.Lock()
	m, presence := d.table.Find(h, 0)
	var failure *device.Error
	switch {
	case presence != dataenv.Present:
		failure = t.about(routineData, h, 0, t.notMappedBlock(h))
	case m.Structured > 0:
		failure = t.about(routineData, m.Host, m.Size, t.structuredStill(m.Host, m.Size, m.Infinite && !m.Declared))
	case !m.Infinite || m.Declared:
		failure = t.about(routineData, m.Host, m.Size, t.notByMapData(m.Host, m.Size))
	case m.Host != h:
		failure = t.about(routineData, m.Host, m.Size, t.insideMappedBlock(h, m.Host, m.Size))
	default:
		d.table.Remove(m)
		d.checkMapping(m, false)
		d.depart(m, t.origin())
	}
	d.mu.Unlock()
	if failure != nil {
		t.fail(failure)
		return
	}
	t.planDelete(m)
	t.carryOut()
}

// DevicePtr is acc_deviceptr (OpenACC 3.3 §3.2.23): nil where host is absent.
func (t *dataRoutines) DevicePtr(host unsafe.Pointer) unsafe.Pointer {
	t.enter("acc_deviceptr", callbacks.RuntimeAPI, AsyncSync)
	d := t.use()
	if d == nil || host == nil || d.Shared {
		return host
	}
	address := d.deviceAddress(host)
	if address != nil && t.rt.activity.Wanted() {
		t.expose(d, uintptr(host))
	}
	return address
}

// mostExposed bounds the ranges of which a device notes that they were exposed.
const mostExposed = 1024

// expose tells subscribers, once for each range, that the device address of the mapped data
// at host was given: what gets it may use them without an event.
func (t *dataRoutines) expose(d *Device, host uintptr) {
	d.mu.Lock()
	m, presence := d.table.Find(host, 0)
	if presence == dataenv.Present {
		d.table.Expose(m)
	}
	known := presence != dataenv.Present || len(d.exposed) >= mostExposed
	var data [2]uintptr
	if !known {
		data = [2]uintptr{m.Host, m.Size}
		if known = d.exposed[data]; !known {
			if d.exposed == nil {
				d.exposed = map[[2]uintptr]bool{}
			}
			d.exposed[data] = true
		}
	}
	if len(d.exposed) >= mostExposed {
		d.table.ExposeAll()
	}
	d.mu.Unlock()
	if !known {
		t.note(d, callbacks.ActivityRecord{Kind: callbacks.ActivityExposed, Async: AsyncSync, AsyncQueue: AsyncSync, Bytes: uint64(data[1]),
			Name: callbacks.Intern(fmt.Sprintf("%d %d", int64(data[0]), data[1]))})
	}
}

// deviceAddress is where d, which does not share the host's memory, has what is at
// host: nil where it is absent.
func (d *Device) deviceAddress(host unsafe.Pointer) unsafe.Pointer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m, presence := d.table.Find(uintptr(host), 0); presence == dataenv.Present {
		m.Used = true
		d.giveOut(m)
		return at(uintptr(m.DeviceOf(uintptr(host))))
	}
	return nil
}

// HostPtr is acc_hostptr (OpenACC 3.3 §3.2.24): nil where data is not mapped.
func (t *dataRoutines) HostPtr(data unsafe.Pointer) unsafe.Pointer {
	t.enter("acc_hostptr", callbacks.RuntimeAPI, AsyncSync)
	d := t.use()
	if d == nil || data == nil || d.Shared {
		return data
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.table.FindDevice(device.Address(uintptr(data)), 0); m != nil {
		return at(m.HostOf(device.Address(uintptr(data))))
	}
	return nil
}

// IsPresent is acc_is_present (OpenACC 3.3 §3.2.25). No bytes count as one; a
// null pointer is not present.
func (t *dataRoutines) IsPresent(host unsafe.Pointer, bytes uintptr) bool {
	t.enter("acc_is_present", callbacks.RuntimeAPI, AsyncSync)
	d := t.use()
	if d == nil || host == nil {
		return false
	}
	if d.Shared {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	_, presence := d.table.Find(uintptr(host), max(bytes, 1))
	return presence == dataenv.Present
}
