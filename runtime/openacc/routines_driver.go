package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// driverRoutines are those of Appendix A.2: they answer with the driver's own objects,
// nil where the current device is of another kind.
type driverRoutines struct{ copyRoutines }

// handles begins a routine about the driver's queues: the current device, if its
// API is api.
func (t *driverRoutines) handles(routine string, api device.API, async int) *Device {
	d, ok := t.data(routine, async)
	if !ok || d.handles.API != api {
		return nil
	}
	return d
}

// queueNames are what an API's queues are called, in the names of routines and in
// those of their arguments.
func queueNames(api device.API) (noun, argument string) {
	if api == device.APIOpenCL {
		return "opencl_queue", "cmdqueue"
	}
	return "cuda_stream", "stream"
}

// inUse gives the driver's objects of the device that this thread uses: none
// before its first use of one.
func (t *driverRoutines) inUse(routine string, api device.API) device.Handles {
	t.enter(routine, callbacks.RuntimeAPI, AsyncSync)
	if d := t.current; d != nil && d.isOpen() && d.handles.API == api {
		return d.handles
	}
	return device.Handles{}
}

// DriverDevice is acc_get_current_cuda_device (A.2.1.1) or
// acc_get_current_opencl_device (A.2.2.1).
func (t *driverRoutines) DriverDevice(api device.API) unsafe.Pointer {
	return t.inUse("acc_get_current_device", api).Device
}

// DriverContext is acc_get_current_cuda_context (A.2.1.2) or
// acc_get_current_opencl_context (A.2.2.2).
func (t *driverRoutines) DriverContext(api device.API) unsafe.Pointer {
	return t.inUse("acc_get_current_context", api).Context
}

// DriverQueue is acc_get_cuda_stream (A.2.1.3) or acc_get_opencl_queue (A.2.2.3):
// nil for a queue that was not used yet, which has no stream, and on a device of
// another API.
func (t *driverRoutines) DriverQueue(api device.API, async int) unsafe.Pointer {
	noun, _ := queueNames(api)
	d := t.handles("acc_get_"+noun, api, async)
	if d == nil {
		return nil
	}
	if q := d.existing(t.mapAsync(async)); q != nil {
		t.rt.learned.Store(always)
		return q.driver.Handle()
	}
	return nil
}

// SetDriverQueue is acc_set_cuda_stream (A.2.1.4) or acc_set_opencl_queue
// (A.2.2.4). It reports whether the device took the queue: a device of another API
// does not, nor do the synchronous queues of host threads, which are many.
func (t *driverRoutines) SetDriverQueue(api device.API, async int, handle unsafe.Pointer) bool {
	noun, argument := queueNames(api)
	d := t.handles("acc_set_"+noun, api, async)
	if d == nil {
		return false
	}
	if handle == nil {
		t.fail(t.errorf(errorInvalidNullPointer, "%s is a null pointer; pass one that the program made", argument))
		return false
	}
	if async = t.mapAsync(async); async == AsyncSync {
		return false
	}
	adopter, ok := d.driver.(device.QueueAdopter)
	if !ok {
		return false
	}
	t.rt.learned.Store(always)
	driver, err := adopter.AdoptQueue(handle)
	if err != nil {
		t.fail(t.fromDevice(err))
		return false
	}
	if old := d.existing(async); old != nil {
		t.await(old, true, waitTold)
	}
	q := newQueue(d, driver, async)
	d.mu.Lock()
	d.queues[async] = q
	d.mu.Unlock()
	d.byAsync.Store(async, q)
	return true
}
