package openacc

import (
	"syscall"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/loaded"
	"github.com/accscope/accscope/runtime/source/snapshot"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/goacc"
)

// at is the program's memory at an address.
func at(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// word reads one pointer of the program's memory.
func word(address uintptr) uintptr { return *(*uintptr)(at(address)) }

// bytesAt is the program's memory as a slice.
func bytesAt(address, size uintptr) []byte { return unsafe.Slice((*byte)(at(address)), size) }

// monotonic reads CLOCK_MONOTONIC, in nanoseconds, without a system call.
func monotonic() int64 { return clockBase.system + int64(time.Since(clockBase.start)) }

// clockBase is one point of time on the system's monotonic clock and on Go's
// copy of it, which shows only differences.
var clockBase = func() (point struct {
	system int64
	start  time.Time
}) {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // cannot fail for this clock
	point.system, point.start = now.Nano(), time.Now()
	return point
}()

// load reads one pointer of memory that may not exist.
func load(address uintptr) (uintptr, bool) {
	if address == 0 {
		return 0, false
	}
	var value uintptr
	ok := readMemory(unsafe.Slice((*byte)(unsafe.Pointer(&value)), unsafe.Sizeof(value)), address)
	return value, ok
}

// readMemory copies memory that may not exist.
func readMemory(into []byte, from uintptr) bool {
	local := unix.Iovec{Base: unsafe.SliceData(into), Len: uint64(len(into))}
	remote := unix.RemoteIovec{Base: from, Len: len(into)}
	n, err := snapshot.ReadMemory(processID, []unix.Iovec{local}, []unix.RemoteIovec{remote})
	return err == nil && n == len(into)
}

var processID = syscall.Getpid()

// probeLimit keeps a probe below the kernel's limit of 1,024 vectors.
const probeLimit = 1000

// A prober finds out whether memory exists, in space that one host thread keeps
// for it.
type prober struct {
	remote   []unix.RemoteIovec
	sink     [probeLimit]byte
	stackEnd uintptr // end of the thread's stack, 0 before it was asked for
}

// readable says whether the memory of a construct's variables exists. GCC
// optimises away the stores into a construct's address array when the outlined
// function reads none of them, so all addresses of a call may be garbage; that
// happens to whole calls only. One system call probes the first and the last
// byte of every variable that would be read; what lies in the live part of the
// calling thread's own stack, from sp up, or among the program's variables, needs none.
func (p *prober) readable(items []goacc.Item, sp uintptr) bool {
	if p.stackEnd == 0 && sp != 0 {
		p.stackEnd = loaded.StackEnd()
	}
	program := loaded.ProgramData()
	p.remote = p.remote[:0]
	for i := range items {
		item := &items[i]
		reads := item.Copyin || item.Copyout
		switch item.Action {
		case goacc.ActionMap, goacc.ActionDescriptor:
		case goacc.ActionPointer, goacc.ActionDevicePointer, goacc.ActionAttach:
			reads = true
		case goacc.ActionPresent:
			reads = item.Value
		default:
			reads = false
		}
		last := item.Host + item.Size - 1
		if !reads || last >= item.Host && (sp != 0 && item.Host >= sp && last < p.stackEnd ||
			item.Host >= program.Low && last < program.High) || len(p.remote)+2 > probeLimit {
			continue
		}
		for _, address := range [2]uintptr{item.Host, last} {
			p.remote = append(p.remote, unix.RemoteIovec{Base: address, Len: 1})
		}
	}
	if len(p.remote) == 0 {
		return true
	}
	local := unix.Iovec{Base: &p.sink[0], Len: uint64(len(p.remote))}
	got, err := snapshot.ReadMemory(processID, []unix.Iovec{local}, p.remote)
	if err != nil && err != unix.EFAULT {
		return true // nobody may ask: believe the program
	}
	return err == nil && got == len(p.remote)
}
