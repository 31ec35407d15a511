package sim

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#cgo LDFLAGS: -pthread
#include <stdlib.h>
#include "queue.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/simt"
)

type simDevice struct {
	backend *backend
	number  int
	arena   *arena
	c       *C.struct_accscope_sim_device
	records *records
	next    atomic.Uint32 // hardware queue of the next activity queue
	remains *remains
	faults  func(number uint64) simt.Fault // of kernels' device code
	checks  *checks                        // of its memory; nil: there are none

	mutex  sync.Mutex
	closed atomic.Bool
	queues map[*queue]struct{}
}

func open(b *backend, number int, observe func(device.Activity, bool)) (*simDevice, error) {
	o := &b.options
	memory, err := newArena(o.Memory, o.fault(FaultMemory, number).N, o.Poison, o.Check)
	if err != nil {
		return nil, device.Errorf(device.DeviceInit, 0, "sim device %d: %v; set ACCSCOPE_SIM_MEMORY lower (%s now)", number, err, formatBytes(o.Memory))
	}
	c := C.struct_accscope_sim_configuration{number: C.uint(number), queues: C.uint(o.Queues), call: (*C.accscope_sim_call)(o.Call)}
	if o.Model {
		c.model = 1
	}
	if o.Card != nil {
		c.card = 1
		c.latency[C.ACCSCOPE_FILL], c.bandwidth[C.ACCSCOPE_FILL] = C.int64_t(seconds(o.Card.Start)), C.double(o.Card.MemoryBandwidth)
		c.latency[C.ACCSCOPE_COPY], c.bandwidth[C.ACCSCOPE_COPY] = C.int64_t(seconds(o.Card.Start)), C.double(o.Card.MemoryBandwidth/2)
	}
	if o.Code == CodeGPU {
		c.run = (*[0]byte)(simt.Runner())
	}
	c.latency[C.ACCSCOPE_UPLOAD] = C.int64_t(o.H2DLatency)
	c.latency[C.ACCSCOPE_DOWNLOAD] = C.int64_t(o.D2HLatency)
	c.latency[C.ACCSCOPE_KERNEL] = C.int64_t(o.LaunchLatency)
	c.bandwidth[C.ACCSCOPE_UPLOAD] = C.double(o.H2DBandwidth)
	c.bandwidth[C.ACCSCOPE_DOWNLOAD] = C.double(o.D2HBandwidth)
	for kind, fault := range map[int]FaultKind{C.ACCSCOPE_UPLOAD: FaultUpload, C.ACCSCOPE_DOWNLOAD: FaultDownload, C.ACCSCOPE_KERNEL: FaultKernel} {
		if n := o.fault(fault, number).N; n != 0 {
			c.failing[kind], c.faults = C.uint64_t(n), 1
		}
	}
	if n := o.fault(FaultLost, number).N; n != 0 {
		c.lost_after, c.faults = C.uint64_t(n), 1
	}
	d := &simDevice{backend: b, number: number, arena: memory, c: C.accscope_sim_open(&c), queues: map[*queue]struct{}{}}
	if d.c == nil {
		return nil, device.Errorf(device.DeviceInit, 0, "sim device %d: no memory for its queues; set ACCSCOPE_SIM_QUEUES lower (%d now)", number, o.Queues)
	}
	d.remains = &remains{c: d.c}
	runtime.AddCleanup(d, (*remains).free, d.remains)
	d.records = newRecords(d.c, observe)
	return d, nil
}

func (d *simDevice) Properties() device.Properties { return d.backend.properties(d.arena.freeMemory()) }

func (d *simDevice) Alloc(bytes uint64) (device.Address, error) {
	if atomicLoad(&d.c.lost) != 0 {
		return 0, d.failure(C.ACCSCOPE_SIM_LOST<<56, "allocate device memory")
	}
	return d.arena.alloc(bytes)
}

func (d *simDevice) Free(address device.Address) error { return d.arena.free(address) }

// Handles names the driver interface that programs expect of the device type
// the simulation answers to. There is no driver object behind it: in place of a
// CUDA device and context stand two distinct addresses.
func (d *simDevice) Handles() device.Handles {
	if d.backend.options.As == TypeNVIDIA {
		return device.Handles{API: device.APICUDA, Device: unsafe.Pointer(d.c), Context: unsafe.Pointer(&d.c.epoch), StandIns: true}
	}
	return device.Handles{API: device.APIOther}
}

// hostCoded is a device whose kernels are the program's host code.
type hostCoded struct{ *simDevice }

// Inside says whether the calling thread runs one of the device's kernels.
func (d hostCoded) Inside() bool { return C.accscope_sim_inside(d.c) != 0 }

// Strict says whether kernels that are given pointers into host memory are refused.
func (d hostCoded) Strict() bool { return d.backend.options.Strict }

func (d *simDevice) Observe(on bool) { d.records.switchTo(on) }

// Flush reports every operation that has finished by now.
func (d *simDevice) Flush() { d.records.flush() }

// Clock is in nanoseconds since the device was opened.
func (d *simDevice) Clock() device.ClockPoint {
	var host C.int64_t
	now := C.accscope_sim_clock(d.c, &host)
	return device.ClockPoint{Device: int64(now), Host: int64(host)}
}

// Close waits for all queues. It is harmless to close twice.
func (d *simDevice) Close() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed.Swap(true) {
		return nil
	}
	C.accscope_sim_close(d.c)
	for q := range d.queues {
		if stream := q.stream.Swap(nil); stream != nil {
			d.remains.streams = append(d.remains.streams, stream)
		}
	}
	clear(d.queues)
	d.records.close()
	err := d.arena.close()
	d.backend.closed(d.number)
	runtime.KeepAlive(d)
	if err != nil {
		return device.Errorf(device.DeviceShutdown, 0, "sim device %d: give back its memory: %v", d.number, err)
	}
	return nil
}

// remains is the C memory that outlives the closing of a queue and of the device: marks
// refer to the queues, and another thread may have a step of a stream.
type remains struct {
	c       *C.struct_accscope_sim_device
	streams []*C.struct_accscope_sim_stream
}

func (r *remains) free() {
	for _, stream := range r.streams {
		C.free(unsafe.Pointer(stream))
	}
	C.accscope_sim_free(r.c)
}

// kernel is a host-compiled function.
type kernel struct {
	function uintptr
	backend  *backend
	fails    bool // a fault is injected by name (Options.failing)
}

func (d hostCoded) Kernel(hostFunction uintptr) (device.Kernel, error) {
	if hostFunction == 0 {
		return nil, device.Errorf(device.InvalidArgument, 0, "there is no kernel at address 0")
	}
	k := &kernel{function: hostFunction, backend: d.backend}
	k.fails = d.backend.options.failing(d.number, "", k.Name)
	return k, nil
}

// Name looks the name up when it is asked for: it may need debug information.
func (k *kernel) Name() string {
	if name := k.backend.options.KernelName; name != nil {
		return name(k.function)
	}
	return ""
}

// Resolve keeps what the program asked for at run time; the rest is one of each,
// which is how host-compiled code runs: all gangs, workers and lanes in one call.
func (k *kernel) Resolve(g device.Geometry) device.Geometry {
	return device.Geometry{Gangs: max(g.Gangs, 1), Workers: max(g.Workers, 1), Vector: max(g.Vector, 1)}
}

// MayWrite is false: every launch gets its block as it was stored (operation.c).
func (k *kernel) MayWrite(int, bool) bool { return false }

// failure turns the C side's error into one that says what to do.
func (d *simDevice) failure(code C.uint64_t, doing string) error {
	if code == 0 {
		return nil
	}
	kind, n := uint64(code)>>56, uint64(code)&(1<<56-1)
	switch kind {
	case C.ACCSCOPE_SIM_LOST:
		return device.Errorf(device.Unavailable, kind, "%s: sim device %d is lost: ACCSCOPE_SIM_FAULT asks for it (%v)", doing, d.number, d.backend.options.fault(FaultLost, d.number))
	case C.ACCSCOPE_SIM_NO_MEMORY:
		return device.Errorf(device.System, kind, "%s: no host memory left", doing)
	case C.ACCSCOPE_SIM_NO_THREAD:
		return device.Errorf(device.System, kind, "%s: the system gives no more threads; set ACCSCOPE_SIM_QUEUES lower (%d now)", doing, d.backend.options.Queues)
	case C.ACCSCOPE_SIM_FAULT:
		f := d.faults(n)
		failure := device.Errorf(device.Execution, kind, "%s: %s", doing, f.Words())
		failure.Address, failure.Bytes = device.Address(f.Address), f.Bytes
		return failure
	case C.ACCSCOPE_SIM_CLOSED:
		return d.shutDown(doing)
	}
	what := map[uint64]string{C.ACCSCOPE_UPLOAD: "upload", C.ACCSCOPE_DOWNLOAD: "download", C.ACCSCOPE_KERNEL: "kernel"}[kind]
	return device.Errorf(device.Execution, kind, "%s %d on sim device %d failed: ACCSCOPE_SIM_FAULT asks for it (%s)", what, n, d.number, d.why(FaultKind(what)))
}

// why gives the fault that made an operation of this kind fail.
func (d *simDevice) why(kind FaultKind) string {
	for _, f := range d.backend.options.Faults {
		if f.Kind == kind && (f.Device < 0 || f.Device == d.number) {
			return f.String()
		}
	}
	return string(kind)
}

func (d *simDevice) shutDown(doing string) error {
	return device.Errorf(device.DeviceShutdown, 0, "%s: sim device %d is shut down", doing, d.number)
}

// checkRange says what is wrong with a range of device memory.
func (d *simDevice) checkRange(doing string, address device.Address, n uint64) error {
	if !d.closed.Load() && d.arena.contains(address, n) {
		return nil
	}
	return d.badRange(doing, address, n)
}

func (d *simDevice) badRange(doing string, address device.Address, n uint64) error {
	if d.closed.Load() {
		return d.shutDown(doing)
	}
	return device.Errorf(device.InvalidArgument, 0, "%s: %s are not memory of sim device %d; pass an address that it handed out",
		doing, fmt.Sprintf("the %d bytes at %#x", n, address), d.number)
}
