package openacc

import (
	"maps"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// devices are those of a host thread: the one that its control variables stand for,
// opened at its first use, and closed (OpenACC 3.3 §2.3, §3.2.7, §3.2.8).
type devices struct {
	enqueuer
	current *Device // nil before first use
}

// Current is the thread's current device, nil before its first use.
func (t *devices) Current() *Device { return t.current }

// use gives the current device, initialised. Nil means that an error was raised
// (and the process, outside tests, has ended).
func (t *devices) use() *Device {
	if d := t.current; d != nil && d.isOpen() {
		t.context.device = d
		return d
	}
	d := t.choose()
	if d == nil {
		return nil
	}
	t.initialise(d, false)
	if !d.isOpen() && d.opener != t {
		return nil
	}
	t.selectDevice(d)
	t.context.device = d
	return d
}

// choose finds the device that the control variables stand for and checks that
// it exists; it does not initialise it.
func (t *devices) choose() *Device {
	if bad := t.rt.environment.bad; bad != "" {
		t.fail(device.Errorf(device.InvalidArgument, 0, "%s", bad))
		return nil
	}
	kind := t.rt.resolve(t.deviceType)
	count, err := t.rt.count(kind)
	argument := "the current device type"
	if by := t.rt.environment.chosenBy; by != "" && !t.selected {
		argument = by
	}
	if err != nil || count == 0 {
		t.fail(t.typeUnavailable(argument, kind, err))
		return nil
	}
	if t.deviceNumber >= count {
		argument = "the current device number"
		if by := t.rt.environment.numberBy; by != "" && t.deviceNumber == t.rt.environment.number {
			argument = by
		}
		t.fail(t.numberUnavailable(argument, t.deviceNumber, kind, count))
		return nil
	}
	return t.rt.device(kind, t.deviceNumber)
}

func (t *devices) selectDevice(d *Device) {
	t.current = d
	if t.rt.options.Selected != nil {
		t.rt.options.Selected(t.Owner, d)
	}
}

// initialise opens d if it is not open: for the lazy initialisation of a
// construct (implicit), or because a routine asks for it.
func (t *devices) initialise(d *Device, explicit bool) {
	if d.isOpen() {
		return
	}
	d.openers.Lock()
	for d.opener != nil && d.opener != t {
		d.opened.Wait()
	}
	if d.isOpen() {
		d.openers.Unlock()
		return
	}
	nested := d.opener == t // a callback of device_init_start uses the device
	d.opener = t
	d.openers.Unlock()
	var pair eventPair
	if !nested {
		t.raiseInit(callbacks.DeviceInitStart, &pair, d, explicit)
	}
	err := d.openDriver()
	if !nested {
		t.raiseInit(callbacks.DeviceInitEnd, &pair, d, explicit)
		pair.release()
		d.openers.Lock()
		d.opener = nil
		d.opened.Broadcast()
		d.openers.Unlock()
	}
	if err != nil {
		t.fail(device.Errorf(device.DeviceInit, driverCode(err),
			"%s: cannot initialise device %s: %v", t.routine, d, err))
	}
}

// shutDown ends every data lifetime of d, closes it, and gives the mappings that
// there were.
func (t *devices) shutDown(d *Device, parent construct) []*dataenv.Mapping {
	d.opening.Lock()
	if !d.isOpen() {
		d.opening.Unlock()
		return nil
	}
	d.open.Store(false)
	d.changed()
	d.opening.Unlock()

	t.tellUnused(d)
	t.rt.activity.Drain(d.flush)
	var pair eventPair
	t.raiseShutdown(callbacks.DeviceShutdownStart, &pair, d, parent)
	d.mu.Lock()
	queues := slices.Collect(maps.Values(d.queues))
	d.mu.Unlock()
	var failure error
	note := func(err error) {
		if err != nil && failure == nil {
			failure = err
		}
	}
	// Queues drain first: operations may still use the memory given back below.
	for _, q := range queues {
		note(d.kept(q.driver.Synchronize()))
	}
	d.mu.Lock()
	gone := slices.Collect(d.table.All())
	for _, m := range gone {
		d.table.Remove(m)
		d.depart(m, t.origin())
	}
	d.queues = map[int]*Queue{}
	d.byAsync.Clear()
	d.idle, d.copyBacks = nil, nil
	var allocations map[device.Address]uintptr
	if !d.Shared { // shared memory outlives the closing
		allocations, d.allocations = d.allocations, nil
	}
	d.mu.Unlock()
	for _, m := range gone {
		b := m.Block.(*block)
		if b.identity {
			continue
		}
		t.raiseDataOn(d, callbacks.Delete, parent, m.Size, m.Host, m.Device, t.joined("", m.Name()))
		if memory := b.drop(); memory != nil && d.pool == nil {
			t.raiseDataOn(d, callbacks.Free, parent, memory.size, 0, memory.address, "")
		}
	}
	if d.pool == nil {
		for _, address := range slices.Sorted(maps.Keys(allocations)) {
			t.raiseDataOn(d, callbacks.Free, parent, allocations[address], 0, address, "")
		}
	}
	d.opening.Lock()
	note(d.driver.Close())
	d.pool.each(func(event callbacks.Event, address device.Address, bytes uintptr) {
		t.raiseDataOn(d, event, parent, bytes, 0, address, "")
	})
	d.generation.Add(1)
	d.rt.active.Add(-1)
	d.opening.Unlock()
	t.raiseShutdown(callbacks.DeviceShutdownEnd, &pair, d, parent)
	pair.release()
	if failure != nil {
		t.fail(device.Errorf(device.DeviceShutdown, driverCode(failure),
			"%s: error while shutting down device %s: %v", t.routine, d, failure))
	}
	return gone
}
