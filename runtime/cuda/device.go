package cuda

// #include "cuda.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

type cudaDevice struct {
	backend    *backend
	library    *library
	number     int
	properties device.Properties
	c          *C.struct_accscope_cuda_device
	handles    device.Handles
	pool       *pool
	images     images
	records    *records
	defaults   device.Geometry // GOMP_OPENACC_DIM
	capability int             // compute capability, times ten
	processors uint32          // multiprocessors
	stack      stack

	closed atomic.Bool
	// lost is the first error after which every call fails, nil before it.
	lost atomic.Pointer[device.Error]

	mutex   sync.Mutex
	queues  map[*queue]struct{}
	locked  []*queue                    // by tryLockQueues
	reached map[*cudaDevice]C.CUcontext // of devices whose memory this one may use

	// using is held for reading while c is in use by whoever holds none of what
	// Close waits for: queues, images, calls of the pool.
	using    sync.RWMutex
	released bool
}

// use keeps the C side from being released until done is called; false: it has
// been.
func (d *cudaDevice) use() bool {
	d.using.RLock()
	if d.released {
		d.using.RUnlock()
		return false
	}
	return true
}

func (d *cudaDevice) done() { d.using.RUnlock() }

func openDevice(b *backend, number int, properties device.Properties, defaults device.Geometry, stack int, observe func(device.Activity, bool)) (*cudaDevice, error) {
	d := &cudaDevice{backend: b, library: b.library, number: number, properties: properties, defaults: defaults, queues: map[*queue]struct{}{}, reached: map[*cudaDevice]C.CUcontext{}}
	if answer := C.accscope_cuda_open(d.library.table, C.int(number), &d.c); answer.result != 0 {
		failure := d.library.failure(answer, "initialise", number, "")
		failure.Code = device.DeviceInit
		return nil, failure
	}
	attribute := func(which C.int) int { return int(C.accscope_cuda_attribute(d.library.table, d.c.device, which)) }
	d.capability = 10*attribute(C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + attribute(C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
	d.processors = uint32(max(1, attribute(C.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)))
	if answer := d.stack.open(d, stack); answer.result != 0 {
		failure := d.library.failure(answer, "initialise", number, d.stack.why(answer.result))
		failure.Code = device.DeviceInit
		C.accscope_cuda_close(d.c)
		return nil, failure
	}
	// acc_get_current_cuda_device gives the address of a CUdevice.
	d.handles = device.Handles{API: device.APICUDA, Device: unsafe.Pointer(&d.c.device), Context: unsafe.Pointer(d.c.context)}
	d.pool = newPool(d, properties.Memory/8)
	d.records = newRecords(d, observe)
	d.images.init(d)
	return d, nil
}

// answer turns what C returned into an error, nil for success. An error that the device
// does not recover from is given in full by whatever follows, too: who met it first may
// not have been one to tell of it.
func (d *cudaDevice) answer(a C.struct_accscope_cuda_answer, doing string) error {
	if a.result == 0 {
		return nil
	}
	if lost := d.lost.Load(); lost != nil {
		return d.again(doing, lost)
	}
	failure := d.library.failure(a, doing, d.number, d.stack.why(a.result))
	if faults[a.result].sticky && !d.lost.CompareAndSwap(nil, failure) {
		return d.again(doing, d.lost.Load())
	}
	return failure
}

// deinitialized is what the driver answers once the process's exit handlers have
// shut it down: it has given everything back itself.
const deinitialized = 4

// ending is answer for calls that wait or give back, for which a driver that has
// been shut down is a success.
func (d *cudaDevice) ending(a C.struct_accscope_cuda_answer, doing string) error {
	if a.result == deinitialized {
		return nil
	}
	return d.answer(a, doing)
}

func (d *cudaDevice) again(doing string, lost *device.Error) error {
	return device.Errorf(lost.Code, lost.Driver, "%s: cuda device %d is out of use: %s", doing, d.number, lost.Message)
}

func (d *cudaDevice) shutDown(doing string) error {
	return device.Errorf(device.DeviceShutdown, 0, "%s: cuda device %d is shut down", doing, d.number)
}

func (d *cudaDevice) Properties() device.Properties {
	p := d.properties
	if !d.use() {
		return p
	}
	defer d.done()
	var free, total C.size_t
	// A device that fails is noted to; what it has is not known then.
	if d.answer(C.accscope_cuda_memory_info(d.c, &free, &total), "ask for free memory") == nil {
		p.FreeMemory = uint64(free) + d.pool.freeBytes()
		p.Memory = max(uint64(total), p.FreeMemory)
	}
	return p
}

func (d *cudaDevice) Alloc(bytes uint64) (device.Address, error) {
	if d.closed.Load() {
		return 0, d.shutDown("allocate device memory")
	}
	return d.pool.alloc(bytes)
}

func (d *cudaDevice) Free(address device.Address) error {
	if d.closed.Load() {
		return d.shutDown("free device memory")
	}
	if !d.pool.release(address) {
		return device.Errorf(device.InvalidArgument, 0, "free: %#x is no memory that cuda device %d handed out", address, d.number)
	}
	return nil
}

// take and giveBack are the pool's source: the driver.
func (d *cudaDevice) take(bytes uint64) (device.Address, error) {
	if d.closed.Load() {
		return 0, d.shutDown("allocate device memory")
	}
	var address C.CUdeviceptr
	err := d.answer(C.accscope_cuda_alloc(d.c, C.size_t(bytes), &address), "allocate device memory")
	return device.Address(address), err
}

func (d *cudaDevice) giveBack(address device.Address) error {
	return d.ending(C.accscope_cuda_free(d.c, C.CUdeviceptr(address)), "free device memory")
}

// reach has copies to other's memory go there straight, where the two can, else by way of
// the host, as the driver does it, and gives other's context.
func (d *cudaDevice) reach(other *cudaDevice) (C.CUcontext, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if context, known := d.reached[other]; known {
		return context, nil
	}
	if d.closed.Load() {
		return nil, d.shutDown("reach another device")
	}
	if !other.use() {
		return nil, other.shutDown("be reached by another device")
	}
	defer other.done()
	if err := d.answer(C.accscope_cuda_reach(d.c, other.c), "reach another device"); err != nil {
		return nil, err
	}
	d.reached[other] = other.c.context
	return other.c.context, nil
}

// ObservePool reports what the pool takes from the driver and gives back to it.
// The function must not call the device.
func (d *cudaDevice) ObservePool(observe func(taken bool, address device.Address, bytes uint64)) {
	d.pool.observe.Store(&observe)
}

func (d *cudaDevice) Handles() device.Handles { return d.handles }

func (d *cudaDevice) Observe(on bool) { d.records.switchTo(on) }

// Flush reports every operation that has finished by now.
func (d *cudaDevice) Flush() {
	if d.use() {
		d.records.flush()
		d.done()
	}
}

// drift is how far the device's clock may run from the host's, in parts in 10^9:
// it is the host's, and what the GPU tells is related to it every second.
const drift = 5_000

// Clock is in nanoseconds since the device was opened.
func (d *cudaDevice) Clock() device.ClockPoint {
	if !d.use() {
		return device.ClockPoint{Drift: drift}
	}
	defer d.done()
	now := int64(C.accscope_cuda_now())
	return device.ClockPoint{Device: now - int64(d.c.origin), Host: now, Drift: drift}
}

// Close waits for all queues. It is harmless to close twice. What cannot be
// given back after an error that was reported is not reported again.
func (d *cudaDevice) Close() error {
	d.mutex.Lock()
	if d.closed.Swap(true) {
		d.mutex.Unlock()
		return nil
	}
	queues := d.queues
	d.queues = map[*queue]struct{}{}
	d.mutex.Unlock()
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	lost := d.lost.Load() != nil
	for q := range queues {
		note(q.synchronize())
	}
	d.records.close(queues)
	for q := range queues {
		note(q.release())
	}
	note(d.images.close())
	note(d.pool.close())
	d.using.Lock()
	d.released = true
	d.using.Unlock()
	note(d.ending(C.accscope_cuda_close(d.c), "shut down"))
	d.backend.closed(d.number)
	runtime.KeepAlive(d)
	if lost {
		return nil
	}
	return first
}
