package openacc

import (
	"math"
	"slices"
	"unsafe"

	"github.com/accscope/accscope/runtime/activity"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// copyRoutines are those that copy memory (OpenACC 3.3 §3.2.26 to §3.2.28, §3.2.30).
type copyRoutines struct{ dataRoutines }

// A copySide is where a copy goes, or comes from.
type copySide struct {
	argument string // the routine's
	address  unsafe.Pointer
	memory   string // "host" or "device"
}

func (s *copySide) onHost() bool { return s.memory == "host" }

// copyArguments checks the arguments that the acc_memcpy routines share. It reports
// false where there is nothing to copy.
func (t *copyRoutines) copyArguments(to, from *copySide, bytes uintptr) bool {
	switch {
	case bytes == 0:
	case bytes > math.MaxInt: // as negative ones arrive
		t.fail(t.errorf(device.InvalidArgument, "bytes is %d; give a length of 0 or more", int(bytes)))
	case to.address == nil && from.address == nil:
		t.fail(t.errorf(errorInvalidNullPointer, "%s and %s are null pointers: invalid host or device address; "+
			"pass two addresses, or zero bytes for no action", to.argument, from.argument))
	case to.address == nil:
		t.fail(t.nullPointer(to.argument, to.memory))
	case from.address == nil:
		t.fail(t.nullPointer(from.argument, from.memory))
	default:
		return true
	}
	return false
}

// MemcpyToDevice is acc_memcpy_to_device and its _async form (OpenACC 3.3
// §3.2.26).
func (t *copyRoutines) MemcpyToDevice(data, host unsafe.Pointer, bytes uintptr, async int) {
	t.memcpy("acc_memcpy_to_device", copySide{"data_dev_dest", data, "device"}, copySide{"data_host_src", host, "host"}, bytes, async)
}

// MemcpyFromDevice is acc_memcpy_from_device and its _async form (OpenACC 3.3
// §3.2.27).
func (t *copyRoutines) MemcpyFromDevice(host, data unsafe.Pointer, bytes uintptr, async int) {
	t.memcpy("acc_memcpy_from_device", copySide{"data_host_dest", host, "host"}, copySide{"data_dev_src", data, "device"}, bytes, async)
}

// MemcpyDevice is acc_memcpy_device and its _async form (OpenACC 3.3 §3.2.28).
func (t *copyRoutines) MemcpyDevice(to, from unsafe.Pointer, bytes uintptr, async int) {
	t.memcpy("acc_memcpy_device", copySide{"data_dev_dest", to, "device"}, copySide{"data_dev_src", from, "device"}, bytes, async)
}

func (t *copyRoutines) memcpy(routine string, to, from copySide, bytes uintptr, async int) {
	d, ok := t.data(asyncForm(routine, async), async)
	if !ok || !t.isLocal(d, &to, bytes) || !t.isLocal(d, &from, bytes) || !t.copyArguments(&to, &from, bytes) || to.address == from.address {
		return
	}
	if d.Shared {
		copy(bytesAt(uintptr(to.address), bytes), bytesAt(uintptr(from.address), bytes))
		return
	}
	t.passed = t.strange(d, &to, &from, bytes)
	if !t.inBlock(d, &to, bytes) || !t.inBlock(d, &from, bytes) {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	target, source := uintptr(to.address), uintptr(from.address)
	switch {
	case from.onHost():
		t.nameData(source, bytes)
		t.upload(q, &transfer{host: source, device: device.Address(target), size: bytes})
	case to.onHost():
		t.nameData(target, bytes)
		t.download(q, &transfer{host: target, device: device.Address(source), size: bytes})
	default:
		t.copyBetween(q, d, device.Address(target), device.Address(source), bytes, activity.Enqueued{})
		return
	}
	t.finish(q, waitTold)
}

// copyBetween copies from a queue's device to d, mostly the same one; with is what its record
// tells beside.
func (t *copyRoutines) copyBetween(q *Queue, d *Device, to, from device.Address, bytes uintptr, with activity.Enqueued) {
	ticket := t.correlate(q, with)
	if t.enqueue(t.putWith(q, nil, d.driver, device.Operands{Kind: device.ActivityCopy, Correlation: ticket, Destination: uintptr(to), Source: uintptr(from), Bytes: uint64(bytes)})) {
		t.finish(q, waitTold)
	}
}

// strange is the device's side of a copy, of two that which is no memory of the device's,
// as far as the runtime knows.
func (t *copyRoutines) strange(d *Device, to, from *copySide, bytes uintptr) passed {
	side := from
	if !to.onHost() {
		d.mu.Lock()
		if from.onHost() || !d.holds(device.Address(uintptr(to.address))) {
			side = to
		}
		d.mu.Unlock()
	}
	return passed{uintptr(side.address), bytes}
}

// inBlock raises an error for a device range that begins in memory the runtime
// knows and runs past its end. Addresses from elsewhere are believed.
func (t *copyRoutines) inBlock(d *Device, s *copySide, bytes uintptr) bool {
	if s.onHost() {
		return true
	}
	address := device.Address(uintptr(s.address))
	d.mu.Lock()
	over := false
	if size, ok := d.allocations[address]; ok {
		over = bytes > size
	} else if m := d.table.FindDevice(address, 0); m != nil {
		b := blockOf(m)
		over = b.memory != nil && uintptr(address-b.address)+bytes > b.size
	}
	d.mu.Unlock()
	if over {
		t.passed = passed{uintptr(address), bytes}
		t.fail(t.invalidSize(s.argument, uintptr(address), bytes))
	}
	return !over
}

// isLocal raises an error where the host's side of a copy is known to be memory
// of device d: the specification leaves that undefined.
func (t *copyRoutines) isLocal(d *Device, s *copySide, bytes uintptr) bool {
	if d.Shared || !s.onHost() || s.address == nil || bytes == 0 {
		return true
	}
	address := device.Address(uintptr(s.address))
	d.mu.Lock()
	_, allocated := d.allocations[address]
	m := d.table.FindDevice(address, 0)
	local := !allocated && (m == nil || blockOf(m).memory == nil)
	d.mu.Unlock()
	if !local {
		t.passed = passed{uintptr(address), bytes}
		t.fail(t.errorf(device.InvalidArgument, "%s %p is memory of device %s: invalid host or device address; pass an address of the host's memory",
			s.argument, s.address, d))
	}
	return local
}

// MemcpyD2D is acc_memcpy_d2d and its _async form (OpenACC 3.3 §3.2.30): copies
// the device data of one host range to that of another, on one device or
// between two of the current type.
func (t *copyRoutines) MemcpyD2D(to, from unsafe.Pointer, bytes uintptr, toNumber, fromNumber, async int) {
	d, ok := t.data(asyncForm("acc_memcpy_d2d", async), async)
	if !ok {
		return
	}
	count, _ := t.rt.count(d.Type) // d exists, so there are devices of its type
	for _, n := range []struct {
		name   string
		number int
	}{{"dev_num_dest", toNumber}, {"dev_num_src", fromNumber}} {
		if n.number < 0 || n.number >= count {
			t.fail(t.numberUnavailable(n.name, n.number, d.Type, count))
			return
		}
	}
	if !t.copyArguments(&copySide{"data_arg_dest", to, "host"}, &copySide{"data_arg_src", from, "host"}, bytes) {
		return
	}
	if to == from && (toNumber == fromNumber || d.Shared) {
		return
	}
	if d.Shared {
		copy(bytesAt(uintptr(to), bytes), bytesAt(uintptr(from), bytes))
		return
	}
	target, source := t.rt.device(d.Type, toNumber), t.rt.device(d.Type, fromNumber)
	into := t.located(target, "data_arg_dest", to, bytes)
	if into == nil {
		return
	}
	outOf := t.located(source, "data_arg_src", from, bytes)
	if outOf == nil {
		return
	}
	t.context.device = source
	q := t.onQueue(source, async)
	if q == nil {
		return
	}
	var with activity.Enqueued
	if target != source {
		if !q.synchronous() {
			target.receives(into, q)
		}
		with = t.toPeer(target, outOf, uintptr(from), bytes)
	}
	t.copyBetween(q, target, into.DeviceOf(uintptr(to)), outOf.DeviceOf(uintptr(from)), bytes, with)
}

// toPeer is what a copy of a mapping's data to another device tells to those who subscribed:
// no event tells of it.
func (t *copyRoutines) toPeer(target *Device, m *dataenv.Mapping, host, bytes uintptr) activity.Enqueued {
	if !t.rt.activity.Wanted() {
		return activity.Enqueued{}
	}
	t.nameData(host, bytes)
	place := t.attributed()
	return activity.Enqueued{Name: t.nameOf(host, bytes, m), ToPeer: true, Peer: int32(target.Number), SrcFile: place.SrcFile, LineNo: place.LineNo}
}

// receives notes that q, of another device, copies into m.
func (d *Device) receives(m *dataenv.Mapping, q *Queue) {
	d.mu.Lock()
	defer d.mu.Unlock()
	blockOf(m).usedBy(q)
	if !slices.Contains(d.senders, q) {
		d.senders = append(d.senders, q)
	}
}

// located finds the mapping of a host range that must be present, nil after the error that
// it is not.
func (t *copyRoutines) located(d *Device, argument string, host unsafe.Pointer, bytes uintptr) *dataenv.Mapping {
	t.context.device = d
	var m *dataenv.Mapping
	presence := dataenv.Absent
	d.mu.Lock()
	if d.isOpen() {
		if m, presence = d.table.Find(uintptr(host), bytes); m != nil {
			m.Used = true
		}
	}
	var failure *device.Error
	if presence != dataenv.Present {
		failure = t.lacks(d, lack{role: argument, host: uintptr(host), bytes: bytes}, outside(uintptr(host), bytes))
	}
	d.mu.Unlock()
	if failure != nil {
		t.fail(failure)
		return nil
	}
	return m
}
