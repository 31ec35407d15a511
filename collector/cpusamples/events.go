// Package cpusamples samples what the processors do in the processes of a program, from
// outside of them: perf_event_open(2) of Linux, on the software clock of each thread's
// processor time, in user space only. The program gets no signals and needs no privileges
// at kernel.perf_event_paranoid 2. What is sampled goes into a file of the session, which
// the collector reads (Read).
package cpusamples

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// DefaultRate is how often a second of processor time is sampled where nobody says: no
// divisor of what programs and clocks do in round numbers.
const DefaultRate = 199

// MostRate bounds the samples of a second of processor time.
const MostRate = 10_000

// ErrRefused is wrapped by errors of a system that gives no samples.
var ErrRefused = errors.New("the system gives no samples of processors")

// mostRings bounds the memory of all rings together, bytes; a ring is bounded by what the
// kernel lets a user lock for each processor (kernel.perf_event_mlock_kb).
const (
	mostRings = 32 << 20
	mostRing  = 512 << 10
)

// mostStack is how much of a thread's stack is copied, bytes, where rings have room for
// some of these.
const mostStack = 8 << 10

// attributes are those of the events: they come disabled, and to life by the exec of a
// process that the thread which opened them starts. Beside samples they tell of what is
// mapped where, for stacks to be unwound. size is that of a ring, bytes.
func attributes(rate, size int) *unix.PerfEventAttr {
	attr := &unix.PerfEventAttr{
		Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})), Config: unix.PERF_COUNT_SW_CPU_CLOCK,
		Sample:      uint64(1e9) / uint64(rate), // ns between two samples
		Sample_type: unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME,
		Bits: unix.PerfBitDisabled | unix.PerfBitInherit | unix.PerfBitEnableOnExec | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv |
			unix.PerfBitSampleIDAll | unix.PerfBitUseClockID | unix.PerfBitWatermark |
			unix.PerfBitMmap | unix.PerfBitMmap2 | unix.PerfBitComm | unix.PerfBitCommExec | unix.PerfBitTask,
		Clockid: unix.CLOCK_MONOTONIC,
		Wakeup:  uint32(size / 4),
	}
	if stack := min(size/8, mostStack); own != nil && stack >= mostStack/4 {
		attr.Sample_type |= unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER
		attr.Sample_regs_user, attr.Sample_stack_user = own.mask(), uint32(stack)
	}
	return attr
}

// ring is the event of one processor with its buffer.
type ring struct {
	descriptor int
	mapped     []byte
	page       *unix.PerfEventMmapPage
	data       []byte
	record     []byte // one that the buffer's end parts
}

// open opens an event for each processor that this process may use. An inherited event
// with a buffer is bound to one processor: the kernel maps none of all. Other ranks of the
// user's may have locked memory, too: rings are smaller then.
func open(rate int) (rings []*ring, err error) {
	var usable unix.CPUSet
	if err := unix.SchedGetaffinity(0, &usable); err != nil {
		return nil, fmt.Errorf("%w: the processors are not known: %w", ErrRefused, err)
	}
	size := mostRing
	for size > os.Getpagesize() && size*usable.Count() > mostRings {
		size /= 2
	}
	for {
		rings, err = openAll(&usable, rate, size)
		if !errors.Is(err, errLocked) || size <= os.Getpagesize() {
			return rings, err
		}
		size /= 2
	}
}

var errLocked = errors.New("no memory for them may be locked; raise kernel.perf_event_mlock_kb or ulimit -l")

// openAll opens the events with rings of a size, or none.
func openAll(usable *unix.CPUSet, rate, size int) (rings []*ring, err error) {
	for processor := range len(usable) * 64 {
		if !usable.IsSet(processor) {
			continue
		}
		descriptor, err := unix.PerfEventOpen(attributes(rate, size), 0, processor, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ENODEV) {
			continue // it was switched off
		}
		if err != nil {
			closeAll(rings)
			return nil, refused(err)
		}
		r := &ring{descriptor: descriptor}
		rings = append(rings, r)
		if r.mapped, err = unix.Mmap(descriptor, 0, os.Getpagesize()+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
			closeAll(rings)
			return nil, fmt.Errorf("%w: %w", ErrRefused, errLocked)
		}
		r.page = (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mapped[0]))
		r.data = r.mapped[os.Getpagesize():]
	}
	return rings, nil
}

func closeAll(rings []*ring) {
	for _, r := range rings {
		if r.mapped != nil {
			unix.Munmap(r.mapped) //nolint:errcheck // it was mapped
		}
		unix.Close(r.descriptor) //nolint:errcheck // nothing is written through it
	}
}

// refused says why the kernel gives no event and what to do.
func refused(err error) error {
	paranoid, unknown := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	level := strings.TrimSpace(string(paranoid))
	switch {
	case errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE):
		return fmt.Errorf("%w: an event for each processor takes a descriptor; raise ulimit -n", ErrRefused)
	case unknown != nil:
		return fmt.Errorf("%w: this kernel has no perf events; it has to be built with CONFIG_PERF_EVENTS", ErrRefused)
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		if level != "" && level[0] != '-' && level > "2" {
			return fmt.Errorf("%w: kernel.perf_event_paranoid is %s; sysctl kernel.perf_event_paranoid=2 allows them", ErrRefused, level)
		}
		return fmt.Errorf("%w: perf_event_open is forbidden here; a container needs docker run --cap-add PERFMON, or a seccomp profile that allows it", ErrRefused)
	}
	return fmt.Errorf("%w: perf_event_open: %w", ErrRefused, err)
}

// Available says whether samples can be had here; else why not, and what to do.
func Available() error {
	rings, err := open(DefaultRate)
	closeAll(rings)
	return err
}

// each calls f for each record in the buffer: its type, misc field, and what is behind its
// header, which is valid until f returns. What was read is given back.
func (r *ring) each(f func(kind uint32, misc uint16, body []byte)) {
	const header = 8 // type, misc, size
	head, tail := atomic.LoadUint64(&r.page.Data_head), r.page.Data_tail
	size := uint64(len(r.data))
	for tail+header <= head {
		at := tail % size
		length := uint64(binary.NativeEndian.Uint16(r.data[at+6:])) // records are multiples of 8 bytes
		if length < header || tail+length > head {
			break // the kernel writes no such
		}
		record := r.data[at:min(at+length, size)]
		if at+length > size {
			r.record = append(append(r.record[:0], record...), r.data[:at+length-size]...)
			record = r.record
		}
		f(binary.NativeEndian.Uint32(record), binary.NativeEndian.Uint16(record[4:]), record[header:])
		tail += length
	}
	atomic.StoreUint64(&r.page.Data_tail, head)
}
