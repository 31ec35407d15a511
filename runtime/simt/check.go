package simt

/*
#include "check.h"
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// A Checker finds out what is wrong with the accesses to a device's memory (check.h).
type Checker struct {
	c    *C.struct_accscope_simt_checker
	told C.uint32_t
}

// Check has the memory's allocations checked, those to come.
func (m *Memory) Check() (*Checker, error) {
	c := C.accscope_simt_checker_open()
	if c == nil {
		return nil, fmt.Errorf("no host memory left")
	}
	C.accscope_simt_memory_check(m.c, c)
	m.closing.Stop()
	runtime.AddCleanup(m, func(of [2]unsafe.Pointer) {
		C.accscope_simt_memory_close((*C.struct_accscope_simt_memory)(of[0]))
		C.accscope_simt_checker_close((*C.struct_accscope_simt_checker)(of[1]))
	}, [2]unsafe.Pointer{unsafe.Pointer(m.c), unsafe.Pointer(c)})
	return &Checker{c: c}, nil
}

// Handle is C's struct accscope_simt_checker, and Checks what whoever runs operations calls.
func (c *Checker) Handle() unsafe.Pointer { return unsafe.Pointer(c.c) }

// Checks is C's struct accscope_simt_checks.
func Checks() unsafe.Pointer { return unsafe.Pointer(&C.accscope_simt_checks) }

// Handle is C's struct accscope_simt_memory.
func (m *Memory) Handle() unsafe.Pointer { return unsafe.Pointer(m.c) }

// Written says that the host has written memory of the device's, before any operation.
func (m *Memory) Written(begin uintptr, bytes uint64) {
	C.accscope_simt_written(m.c, C.uintptr_t(begin), C.size_t(bytes))
}

// Map says that memory of the device is what the program has at an address, Unmap that it is not
// any more.
func (m *Memory) Map(begin, host uintptr, bytes uint64) {
	C.accscope_simt_map(m.c, C.uintptr_t(begin), C.uintptr_t(host), C.size_t(bytes))
}

// Unmap ends what Map began. Where the memory is freed it needs not be called.
func (m *Memory) Unmap(begin, host uintptr, bytes uint64) {
	C.accscope_simt_unmap(m.c, C.uintptr_t(begin), C.uintptr_t(host), C.size_t(bytes))
}

// End says that the device's memory goes.
func (c *Checker) End() { C.accscope_simt_checker_end(c.c) }

// GiveOut says that others may read and write memory unseen from now on: nothing is concluded from
// what was not seen of it.
func (m *Memory) GiveOut(begin uintptr, bytes uint64) {
	C.accscope_simt_give_out(m.c, C.uintptr_t(begin), C.size_t(bytes))
}

// New are the findings since it was called last. programs find the names of what they run.
func (c *Checker) New(program func(function unsafe.Pointer) *Program) []device.Finding {
	count := C.accscope_simt_found_count(c.c)
	first := c.told
	c.told = count
	return c.findings(first, count, program)
}

// All are all findings, with how often each was met by now, and what was checked
// (device.FindingChecked).
func (c *Checker) All(program func(function unsafe.Pointer) *Program) []device.Finding {
	C.accscope_simt_left(c.c)
	at := C.accscope_simt_looked_at(c.c)
	checked := device.Finding{Number: -1, Kind: device.FindingChecked, Count: uint64(at.accesses), Bytes: uint64(at.bytes)}
	checked.HostSeen, checked.HostAccesses = at.watched != 0, uint64(at.host)
	var not []string
	switch {
	case at.unreadable != 0:
		not = append(not, fmt.Sprintf("%s: the system does not let the program's memory be read (process_vm_readv)", device.FindingStaleOnDevice))
	case at.compared < at.launches:
		not = append(not, fmt.Sprintf("%s at %d of %d launches: to compare the host's memory took longer than the kernels", device.FindingStaleOnDevice, at.launches-at.compared, at.launches))
	}
	for why, n := range at.uncompared {
		if n > 0 {
			not = append(not, fmt.Sprintf("%s at %d of %d launches: they %s", device.FindingDiffers, n, at.launches, uncompared[why]))
		}
	}
	checked.Where = strings.Join(not, "\n")
	return append(c.findings(0, C.accscope_simt_found_count(c.c), program), checked)
}

func (c *Checker) findings(from, to C.uint32_t, program func(function unsafe.Pointer) *Program) []device.Finding {
	var all []device.Finding
	for n := from; n < to; n++ {
		f := C.accscope_simt_found(c.c, n)
		if f.side.operation == C.SIMT_STORE || f.other.operation == C.SIMT_STORE {
			continue // the runtime's own, of what launches need
		}
		found := device.Finding{
			Number: int(n), Kind: kinds[f.kind], Address: device.Address(f.address), Bytes: uint64(f.bytes),
			Side: sideOf(&f.side, f, program), Later: f.later != 0, Mixed: f.mixed != 0, Gone: f.gone != 0, Count: uint64(f.count),
		}
		if f.other.operation != 0 {
			other := sideOf(&f.other, f, program)
			found.Other = &other
		}
		switch f.kind {
		case C.FOUND_RACE, C.FOUND_QUEUE_RACE:
			found.Equal = f.unequal == 0
		case C.FOUND_DIFFERS:
			found.Where = fmt.Sprintf("is %s by the device's code, and %s by the host's", number(uint64(f.value), uint64(f.bytes), f.real != 0), number(uint64(f.by_host), uint64(f.bytes), f.real != 0))
		case C.FOUND_BARRIER, C.FOUND_TRAP:
			if p := program(unsafe.Pointer(f.side.kernel)); p != nil {
				if at := p.functionAt(uintptr(unsafe.Pointer(f.side.function))); at.name == "abort" && f.other.function != nil {
					called := f.side // the program's own place
					called.function, called.instruction = f.other.function, f.other.instruction
					found.Side = sideOf(&called, f, program)
				}
				found.Where = p.told(&C.struct_accscope_simt_fault{reason: f.reason, size: C.uint32_t(f.bytes), address: C.uintptr_t(f.value)})
			}
		case C.FOUND_BOUNDS:
			nearest := f.nearest
			found.Where = near(uint64(f.address), uint64(f.bytes), uint64(nearest.begin), uint64(nearest.end))
			if before := uint64(f.next.begin - f.address); f.next.begin != 0 && before < nearby && (nearest.end == 0 || before < uint64(f.address-nearest.end)) {
				nearest = f.next
				found.Where = fmt.Sprintf("%d bytes before the begin of the %d bytes at %#x", before, nearest.end-nearest.begin, nearest.begin)
			}
			found.Near, found.NearBytes = device.Address(nearest.begin), uint64(nearest.end-nearest.begin)
			if found.Where == nullPointer || found.Where == noMemory {
				found.Kind = device.FindingNotMapped
			}
		}
		all = append(all, found)
	}
	return all
}

// number is a value in memory.
func number(bits, bytes uint64, real bool) string {
	switch {
	case real && bytes == 8:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	case real && bytes == 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	}
	return strconv.FormatInt(int64(bits<<(64-8*bytes))>>(64-8*bytes), 10)
}

// nearby is how far before an allocation an address may lie, in bytes, to be told of as before it.
const nearby = 1 << 20

var kinds = map[uint32]device.FindingKind{
	C.FOUND_BOUNDS: device.FindingOutOfBounds, C.FOUND_MISALIGNED: device.FindingMisaligned, C.FOUND_UNINITIALISED: device.FindingUninitialised,
	C.FOUND_STALE_ON_DEVICE: device.FindingStaleOnDevice, C.FOUND_STALE_ON_HOST: device.FindingStaleOnHost, C.FOUND_LOST_WRITE: device.FindingLostWrite,
	C.FOUND_BARRIER: device.FindingBarrier, C.FOUND_TRAP: device.FindingTrap, C.FOUND_DIFFERS: device.FindingDiffers,
	C.FOUND_RACE: device.FindingRace, C.FOUND_QUEUE_RACE: device.FindingQueueRace,
}

func sideOf(c *C.struct_accscope_simt_side, f *C.struct_accscope_simt_finding, program func(function unsafe.Pointer) *Program) device.Side {
	s := device.Side{Operation: device.ActivityKind(c.operation), Store: c.store != 0, Atomic: c.atomic != 0, Correlation: uint64(c.correlation), Gang: uint32(c.gang), Worker: -1, Lane: -1}
	if c.operation == C.SIMT_HOST {
		s.Operation, s.Returned = 0, uintptr(c.returned)
	}
	if c.thread != C.UINT32_MAX && f.vector > 0 {
		s.Worker, s.Lane = int(c.thread/f.vector), int(c.thread%f.vector)
	}
	if c.kernel != nil {
		if p := program(unsafe.Pointer(c.kernel)); p != nil {
			s.Kernel = p.functionAt(uintptr(unsafe.Pointer(c.kernel))).name
		}
	}
	if c.function != nil {
		if p := program(unsafe.Pointer(c.function)); p != nil {
			at := p.functionAt(uintptr(unsafe.Pointer(c.function)))
			if l := at.lineOf(int(c.instruction)); l.Line != 0 {
				s.File, s.Line = at.unit.module.Files[l.File], l.Line
			}
		}
	}
	return s
}
