package simt

/*
#include <stdlib.h>
#include "caches.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// A Memory is what kernels of a device may use: its allocations, and a heap for malloc of
// device code.
type Memory struct {
	c       *C.struct_accscope_simt_memory
	closing runtime.Cleanup
}

// NewMemory begins with nothing but a heap, whose memory is the caller's. It lasts as long as it is
// referred to.
func NewMemory(heap unsafe.Pointer, bytes uint64) (*Memory, error) {
	c := C.accscope_simt_memory_open(C.uintptr_t(uintptr(heap)), C.size_t(bytes))
	if c == nil {
		return nil, fmt.Errorf("no host memory left")
	}
	m := &Memory{c: c}
	m.closing = runtime.AddCleanup(m, func(c *C.struct_accscope_simt_memory) { C.accscope_simt_memory_close(c) }, c)
	return m, nil
}

// Add makes an allocation known; false where the host has no memory left.
func (m *Memory) Add(begin uintptr, bytes uint64) bool {
	return C.accscope_simt_memory_add(m.c, C.uintptr_t(begin), C.size_t(bytes)) != 0
}

// Remove forgets one by its begin.
func (m *Memory) Remove(begin uintptr) { C.accscope_simt_memory_remove(m.c, C.uintptr_t(begin)) }

// Settings are those of all launches of a device.
type Settings struct {
	Threads int           // of the host that run gangs
	Seed    uint64        // not 0: on one thread, in an order of it
	Stack   uint64        // bytes of each lane
	Timeout time.Duration // 0: none
	Count   bool          // what is run (Program.Counts)
	Caches  *Caches       // of the GPU that is modelled, which Count needs; nil: none
}

// Launch makes C's struct accscope_simt_launch of a kernel without geometry and arguments:
// a pattern for launches, which lasts as long as the program.
func (p *Program) Launch(kernel string, m *Memory, s Settings) unsafe.Pointer {
	l := (*C.struct_accscope_simt_launch)(p.zeroed(C.sizeof_struct_accscope_simt_launch))
	*l = p.pattern(kernel, m, s)
	return unsafe.Pointer(l)
}

// reductionLock is the variable by which GCC's reductions of types that no atomic operation
// takes keep each other out: 1 while a lane has it.
const reductionLock = "__reduction_lock"

func (p *Program) pattern(kernel string, m *Memory, s Settings) C.struct_accscope_simt_launch {
	var lock C.uintptr_t
	if v := p.globals[reductionLock]; v != nil {
		lock = C.uintptr_t(uintptr(v.memory))
	}
	return C.struct_accscope_simt_launch{
		kernel: (*C.struct_accscope_simt_function)(p.Kernel(kernel)), memory: m.c,
		functions: unsafe.SliceData(p.functions), function_count: C.uint32_t(len(p.all)),
		lock: lock, counters: p.count(kernel, s), caches: (*C.struct_accscope_simt_caches)(s.Caches.C()),
		shared: C.uint32_t(p.Shared), stack: C.uint32_t((s.Stack + 63) &^ 63), // as aligned as any value

		threads: C.uint32_t(max(1, s.Threads)), seed: C.uint64_t(s.Seed), timeout: C.int64_t(s.Timeout),
	}
}

// Run runs a kernel with parameters of 8 bytes each; the fault is nil where it came to its
// end.
func (p *Program) Run(kernel string, m *Memory, s Settings, g device.Geometry, parameters ...uint64) *Fault {
	l := p.pattern(kernel, m, s)
	l.gangs, l.workers, l.vector = C.uint32_t(g.Gangs), C.uint32_t(g.Workers), C.uint32_t(g.Vector)
	passed := C.calloc(C.size_t(len(parameters)+1), 8)
	defer C.free(passed)
	copy(unsafe.Slice((*uint64)(passed), len(parameters)), parameters)
	l.parameters = passed
	l.block_bytes = 8 * C.uint64_t(len(parameters))
	C.accscope_simt_run(&l)
	if l.fault.reason == C.SIMT_NONE {
		return nil
	}
	f := p.Fault(unsafe.Pointer(&l.fault))
	return &f
}

// Runner is accscope_simt_run, for C.
func Runner() unsafe.Pointer { return C.accscope_simt_run }

// A Fault is why a kernel ended before its end.
type Fault struct {
	Kernel, File       string
	Line               int
	Gang, Worker, Lane uint32
	What               string // "reads 8 bytes at 0x1000: a null pointer, or one not far from it"
	Address, Bytes     uint64 // what the lane used, where it was in no memory of the device
}

// Fault reads C's struct accscope_simt_fault.
func (p *Program) Fault(of unsafe.Pointer) Fault {
	c := (*C.struct_accscope_simt_fault)(of)
	f := Fault{Gang: uint32(c.gang), Worker: uint32(c.worker), Lane: uint32(c.lane), What: p.told(c)}
	if c.reason == C.SIMT_ADDRESS {
		f.Address, f.Bytes = uint64(c.address), uint64(c.size)
	}
	if c.function != nil {
		at := p.functionAt(uintptr(unsafe.Pointer(c.function)))
		f.Kernel = at.name
		if l := at.lineOf(int(c.instruction)); l.Line != 0 {
			f.File, f.Line = at.unit.module.Files[l.File], l.Line
		}
	}
	return f
}

// told puts a fault into words.
func (p *Program) told(c *C.struct_accscope_simt_fault) string {
	verb := "reads"
	if c.store != 0 {
		verb = "writes"
	}
	access := fmt.Sprintf("%s %d bytes at %#x", verb, c.size, c.address)
	switch c.reason {
	case C.SIMT_ADDRESS:
		return access + ": " + near(uint64(c.address), uint64(c.size), uint64(c.nearest.begin), uint64(c.nearest.end))
	case C.SIMT_MISALIGNED:
		return access + ", which is not a multiple of its size"
	case C.SIMT_BARRIER:
		return "waits at a barrier that not all threads of the gang reach"
	case C.SIMT_TRAP:
		return "ends itself (trap, as abort does)"
	case C.SIMT_STACK:
		return fmt.Sprintf("has no stack left for %d bytes more: set ACCSCOPE_SIM_STACK higher", c.size)
	case C.SIMT_CALLED:
		return fmt.Sprintf("calls a function at %#x, where there is none", c.address)
	case C.SIMT_CALLED_WITH:
		return fmt.Sprintf("calls the function %s with other arguments than it has", p.functionAt(uintptr(c.address)).name)
	case C.SIMT_FREE_OF:
		return fmt.Sprintf("frees %#x, which malloc has not given, or which is free already", c.address)
	case C.SIMT_TIMEOUT:
		return "runs longer than ACCSCOPE_SIM_KERNEL_TIMEOUT allows"
	}
	return "has no host memory left"
}

const (
	nullPointer = "a null pointer, or one not far from it"
	noMemory    = "no memory of the device; an address of the host's, for example of data that no clause names"
)

// near says where an address that is in no allocation lies.
func near(address, size, begin, end uint64) string {
	switch {
	case address < 1<<16:
		return nullPointer
	case end == 0 || address-end > 1<<30:
		return noMemory
	case address < end:
		return fmt.Sprintf("across the end of the %d bytes at %#x", end-begin, begin)
	}
	return fmt.Sprintf("%d bytes behind the end of the %d bytes at %#x", address-end, end-begin, begin)
}

// Words are a fault as a message has it.
func (f Fault) Words() string {
	place := ""
	if f.File != "" {
		place = fmt.Sprintf(" at %s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s%s: lane %d of worker %d of gang %d %s", f.Kernel, place, f.Lane, f.Worker, f.Gang, f.What)
}
