package openacc

import (
	"math"
	"unsafe"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// copyRoutines are those that copy memory (OpenACC 3.3 §3.2.26 to §3.2.28, §3.2.30).
type copyRoutines struct{ dataRoutines }

// copyArguments checks the arguments that the acc_memcpy routines share. It reports
// false where there is nothing to copy.
func (t *copyRoutines) copyArguments(to, from unsafe.Pointer, bytes uintptr, toName, toWhat, fromName, fromWhat string) bool {
	switch {
	case bytes == 0:
		return false
	case bytes > math.MaxInt: // as negative ones arrive
		t.fail(t.errorf(device.InvalidArgument, "bytes is %d; give a length of 0 or more", int(bytes)))
		return false
	case to == nil && from == nil:
		t.fail(t.errorf(errorInvalidNullPointer, "%s and %s are null pointers: invalid host or device address; "+
			"pass two addresses, or zero bytes for no action", toName, fromName))
		return false
	case to == nil:
		t.fail(t.nullPointer(toName, toWhat))
		return false
	case from == nil:
		t.fail(t.nullPointer(fromName, fromWhat))
		return false
	}
	return true
}

// MemcpyToDevice is acc_memcpy_to_device and its _async form (OpenACC 3.3
// §3.2.26).
func (t *copyRoutines) MemcpyToDevice(data, host unsafe.Pointer, bytes uintptr, async int) {
	d, ok := t.data(asyncForm("acc_memcpy_to_device", async), async)
	if !ok || !t.isLocal(d, "data_host_src", host, bytes) ||
		!t.copyArguments(data, host, bytes, "data_dev_dest", "device", "data_host_src", "host") || data == host {
		return
	}
	if d.Shared {
		copy(bytesAt(uintptr(data), bytes), bytesAt(uintptr(host), bytes))
		return
	}
	if !t.inBlock(d, "data_dev_dest", data, bytes) {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	t.nameData(uintptr(host), bytes)
	t.upload(q, &transfer{host: uintptr(host), device: device.Address(uintptr(data)), size: bytes})
	t.finish(q)
}

// MemcpyFromDevice is acc_memcpy_from_device and its _async form (OpenACC 3.3
// §3.2.27).
func (t *copyRoutines) MemcpyFromDevice(host, data unsafe.Pointer, bytes uintptr, async int) {
	d, ok := t.data(asyncForm("acc_memcpy_from_device", async), async)
	if !ok || !t.isLocal(d, "data_host_dest", host, bytes) ||
		!t.copyArguments(host, data, bytes, "data_host_dest", "host", "data_dev_src", "device") || data == host {
		return
	}
	if d.Shared {
		copy(bytesAt(uintptr(host), bytes), bytesAt(uintptr(data), bytes))
		return
	}
	if !t.inBlock(d, "data_dev_src", data, bytes) {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	t.nameData(uintptr(host), bytes)
	t.download(q, &transfer{host: uintptr(host), device: device.Address(uintptr(data)), size: bytes})
	t.finish(q)
}

// MemcpyDevice is acc_memcpy_device and its _async form (OpenACC 3.3 §3.2.28).
func (t *copyRoutines) MemcpyDevice(to, from unsafe.Pointer, bytes uintptr, async int) {
	d, ok := t.data(asyncForm("acc_memcpy_device", async), async)
	if !ok || !t.copyArguments(to, from, bytes, "data_dev_dest", "device", "data_dev_src", "device") || to == from {
		return
	}
	if d.Shared {
		copy(bytesAt(uintptr(to), bytes), bytesAt(uintptr(from), bytes))
		return
	}
	if !t.inBlock(d, "data_dev_dest", to, bytes) || !t.inBlock(d, "data_dev_src", from, bytes) {
		return
	}
	q := t.onQueue(d, async)
	if q == nil {
		return
	}
	number := t.correlate(q, "")
	if t.enqueue(q.driver.Copy(t.operation(q, number), number, device.Address(uintptr(to)), device.Address(uintptr(from)), uint64(bytes), q.synchronous())) {
		t.finish(q)
	}
}

// inBlock raises an error for a device range that begins in memory the runtime
// knows and runs past its end. Addresses from elsewhere are believed.
func (t *copyRoutines) inBlock(d *Device, argument string, data unsafe.Pointer, bytes uintptr) bool {
	address := device.Address(uintptr(data))
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
		t.fail(t.invalidSize(argument, uintptr(data), bytes))
	}
	return !over
}

// isLocal raises an error where the host's side of a copy is known to be memory
// of device d: the specification leaves that undefined.
func (t *copyRoutines) isLocal(d *Device, argument string, host unsafe.Pointer, bytes uintptr) bool {
	if d.Shared || host == nil || bytes == 0 {
		return true
	}
	address := device.Address(uintptr(host))
	d.mu.Lock()
	_, allocated := d.allocations[address]
	m := d.table.FindDevice(address, 0)
	local := !allocated && (m == nil || blockOf(m).memory == nil)
	d.mu.Unlock()
	if !local {
		t.fail(t.errorf(device.InvalidArgument, "%s %p is memory of device %s: invalid host or device address; pass an address of the host's memory",
			argument, host, d))
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
	if !t.copyArguments(to, from, bytes, "data_arg_dest", "host", "data_arg_src", "host") {
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
	toAddress, ok := t.located(target, "data_arg_dest", to, bytes)
	if !ok {
		return
	}
	fromAddress, ok := t.located(source, "data_arg_src", from, bytes)
	if !ok {
		return
	}
	t.context.device = source
	q := t.onQueue(source, async)
	if q == nil {
		return
	}
	if target == source {
		number := t.correlate(q, "")
		if t.enqueue(q.driver.Copy(t.operation(q, number), number, toAddress, fromAddress, uint64(bytes), q.synchronous())) {
			t.finish(q)
		}
		return
	}
	// Devices do not reach each other's memory: by way of the host, which waits.
	buffer := make([]byte, bytes)
	through := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	t.download(q, &transfer{host: through, device: fromAddress, size: bytes})
	t.awaitQueue(q, true)
	t.context.device = target
	into := t.onQueue(target, AsyncSync)
	if into == nil {
		return
	}
	t.upload(into, &transfer{host: through, device: toAddress, size: bytes, staged: buffer})
	t.finish(into)
}

// located finds the device address of a host range that must be present.
func (t *copyRoutines) located(d *Device, argument string, host unsafe.Pointer, bytes uintptr) (device.Address, bool) {
	t.context.device = d
	var m *dataenv.Mapping
	presence := dataenv.Absent
	d.mu.Lock()
	if d.isOpen() {
		if m, presence = d.table.Find(uintptr(host), bytes); m != nil {
			m.Used = true
		}
	}
	d.mu.Unlock()
	switch presence {
	case dataenv.Absent:
		t.fail(t.notPresent(argument, uintptr(host), bytes))
		return 0, false
	case dataenv.Partly:
		t.fail(t.partlyPresent(argument, uintptr(host), bytes, m.Host, m.Size))
		return 0, false
	}
	return m.DeviceOf(uintptr(host)), true
}
