package openacc

import (
	"maps"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// shutdownRounds is how often a device, and all devices at the end of the program, are
// looked at for what callbacks of the shutdown's events have left on them.
const shutdownRounds = 3

// shutDown ends every data lifetime of d, closes it, and gives the mappings that
// there were. The device stays open until its driver closes: callbacks may use it in the
// events before (OpenACC 3.3 §5.1.2), and what they leave on it goes like all else. What
// is there after the last round goes without events. A shutdown within does nothing.
func (t *devices) shutDown(d *Device, parent construct) (gone []*dataenv.Mapping) {
	if !d.closing.CompareAndSwap(false, true) {
		return nil
	}
	if !d.isOpen() {
		d.closing.Store(false)
		return nil
	}
	t.tellUnused(d)
	t.rt.activity.Drain(d.flush)
	var pair eventPair
	t.raiseShutdown(callbacks.DeviceShutdownStart, &pair, d, parent)
	var failure error
	note := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	for range shutdownRounds {
		note(d.synchronize())
		mappings := t.endMappings(d, parent)
		gone = append(gone, mappings...)
		others := t.endAllocations(d, parent)
		t.raisePool(d, parent)
		if len(mappings) == 0 && !others {
			break
		}
	}
	note(d.synchronize())
	t.rt.activity.Drain(d.flush)
	note(t.close(d))
	d.closing.Store(false)
	t.raiseShutdown(callbacks.DeviceShutdownEnd, &pair, d, parent)
	pair.release()
	if failure != nil {
		t.fail(device.Errorf(device.DeviceShutdown, driverCode(failure),
			"%s: error while shutting down device %s: %v", t.routine, d, failure))
	}
	return gone
}

// synchronize waits for all queues of async-values, and for what others copy here, and
// gives the first error of its own.
func (d *Device) synchronize() (failure error) {
	for _, q := range d.all() {
		if err := d.kept(q.driver.Synchronize()); failure == nil {
			failure = err
		}
	}
	d.mu.Lock()
	senders := slices.Clone(d.senders)
	d.mu.Unlock()
	for _, q := range senders {
		q.device.keep(q.driver.Synchronize())
	}
	return failure
}

// endMappings removes the mappings of d, each after its delete event, and gives them.
func (t *devices) endMappings(d *Device, parent construct) (gone []*dataenv.Mapping) {
	d.mu.Lock()
	all := slices.Collect(d.table.All())
	d.mu.Unlock()
	for _, m := range all {
		b := blockOf(m)
		d.mu.Lock()
		tell := d.table.Holds(m) && !b.identity // the callback for another one may have ended it
		m.Told = tell
		d.mu.Unlock()
		if tell {
			t.raiseDataOn(d, callbacks.Delete, parent, m.Size, m.Host, m.Device, t.joined("", m.Name()))
		}
		d.mu.Lock()
		there := d.table.Holds(m)
		if there {
			d.table.Remove(m)
			d.depart(m, t.origin())
		}
		d.mu.Unlock()
		if !there {
			continue
		}
		gone = append(gone, m)
		if b.identity {
			continue
		}
		if memory := b.drop(); memory != nil && d.pool == nil {
			t.raiseDataOn(d, callbacks.Free, parent, memory.size, 0, memory.address, "")
		}
	}
	return gone
}

// endAllocations forgets what acc_malloc returned, and says whether that was anything.
// Shared memory outlives the closing.
func (t *devices) endAllocations(d *Device, parent construct) (some bool) {
	if d.Shared {
		return false
	}
	d.mu.Lock()
	addresses := slices.Sorted(maps.Keys(d.allocations))
	d.mu.Unlock()
	for _, address := range addresses {
		d.mu.Lock()
		size, there := d.allocations[address] // the callback for another one may have freed it
		delete(d.allocations, address)
		d.mu.Unlock()
		if there && d.pool == nil {
			t.raiseDataOn(d, callbacks.Free, parent, size, 0, address, "")
		}
	}
	return len(addresses) > 0
}

// raisePool raises the free events of all that the pool of d holds, which its driver
// gives back when it closes.
func (t *devices) raisePool(d *Device, parent construct) {
	d.pool.release(func(event callbacks.Event, address device.Address, bytes uintptr) {
		t.raiseDataOn(d, event, parent, bytes, 0, address, "")
	})
}

// close closes d, and forgets what is on it.
func (t *devices) close(d *Device) error {
	d.opening.Lock()
	defer d.opening.Unlock()
	d.open.Store(false)
	d.changed()
	d.mu.Lock()
	for _, m := range slices.Collect(d.table.All()) {
		d.table.Remove(m)
		d.depart(m, t.origin())
	}
	if !d.Shared {
		d.allocations = nil
	}
	d.queues = map[int]*Queue{}
	d.byAsync.Clear()
	d.idle, d.copyBacks, d.senders = nil, nil, nil
	d.mu.Unlock()
	err := d.driver.Close()
	d.generation.Add(1)
	d.rt.active.Add(-1)
	return err
}
