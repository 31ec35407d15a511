package host

/*
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uintptr_t
allocate (uint64_t bytes)
{
  void *p = NULL;
  return bytes <= PTRDIFF_MAX && posix_memalign (&p, 256, bytes) == 0
	   ? (uintptr_t) p : 0;
}

static void
release (uintptr_t address)
{
  free ((void *) address);
}

static void
call (void *through, uintptr_t function, uintptr_t block)
{
  if (through)
    ((void (*) (uintptr_t, uintptr_t)) through) (function, block);
  else
    ((void (*) (uintptr_t)) function) (block);
}

static int64_t
monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#cgo nocallback allocate
#cgo nocallback release
#cgo nocallback monotonic
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

func allocate(bytes uint64) device.Address { return device.Address(C.allocate(C.uint64_t(bytes))) }
func release(address device.Address)       { C.release(C.uintptr_t(address)) }

// monotonic reads CLOCK_MONOTONIC, in nanoseconds.
func monotonic() int64 { return int64(C.monotonic()) }

// at is the memory at a device address: not a Go pointer.
func at(address device.Address) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

type queue struct {
	device *hostDevice
	closed atomic.Bool

	mutex   sync.Mutex
	calls   []func() // Then's, in order
	calling bool     // a goroutine runs them
	rest    *sync.Cond
}

func (d *hostDevice) NewQueue() (device.Queue, error) {
	if d.closed.Load() {
		return nil, shutDown("make a queue")
	}
	q := &queue{device: d}
	q.rest = sync.NewCond(&q.mutex)
	return q, nil
}

// do runs one operation and reports it.
func (q *queue) do(kind device.ActivityKind, correlation, bytes uint64, operation func() error) error {
	if q.closed.Load() || q.device.closed.Load() {
		return shutDown("use a queue")
	}
	if !q.device.observing.Load() {
		return operation()
	}
	start := monotonic()
	if err := operation(); err != nil {
		return err
	}
	q.device.observe(device.Activity{Correlation: correlation, Kind: kind, Bytes: bytes, Start: start, End: monotonic()})
	return nil
}

func (q *queue) move(kind device.ActivityKind, correlation uint64, dst, src unsafe.Pointer, n uint64) error {
	return q.do(kind, correlation, n, func() error {
		if dst != src && n > 0 {
			copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
		}
		return nil
	})
}

func (q *queue) Upload(correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, _ bool) error {
	return q.move(device.ActivityUpload, correlation, at(dst), src, n)
}

func (q *queue) Store(dst device.Address, contents []byte, _ bool) error {
	if q.closed.Load() || q.device.closed.Load() {
		return shutDown("use a queue")
	}
	copy(unsafe.Slice((*byte)(at(dst)), len(contents)), contents)
	return nil
}

func (q *queue) Download(correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, _ bool) error {
	return q.move(device.ActivityDownload, correlation, dst, at(src), n)
}

func (q *queue) Copy(correlation uint64, dst, src device.Address, n uint64, _ bool) error {
	return q.move(device.ActivityCopy, correlation, at(dst), at(src), n)
}

func (q *queue) Fill(correlation uint64, dst device.Address, value byte, n uint64, _ bool) error {
	return q.do(device.ActivityFill, correlation, n, func() error {
		if n > 0 {
			memory := unsafe.Slice((*byte)(at(dst)), n)
			for i := range memory {
				memory[i] = value
			}
		}
		return nil
	})
}

// kernel is a host-compiled function.
type kernel uintptr

func (d *hostDevice) Kernel(hostFunction uintptr) (device.Kernel, error) {
	if hostFunction == 0 {
		return nil, device.Errorf(device.InvalidArgument, 0, "there is no kernel at address 0")
	}
	return kernel(hostFunction), nil
}

// Name is empty: the runtime knows symbols, the device does not.
func (kernel) Name() string { return "" }

// Resolve keeps what the program asked for at run time; the rest is one of each,
// which is how host-compiled code runs: all gangs, workers and lanes in one call.
func (kernel) Resolve(g device.Geometry) device.Geometry {
	return device.Geometry{Gangs: max(g.Gangs, 1), Workers: max(g.Workers, 1), Vector: max(g.Vector, 1)}
}

// MayWrite is true: the block is the program's own array, and its variables are what
// the addresses in it refer to.
func (kernel) MayWrite(int) bool { return true }

func (q *queue) Launch(correlation uint64, k device.Kernel, _ device.Geometry, b device.ArgumentBlock, _ bool) error {
	function, ok := k.(kernel)
	if !ok {
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	return q.do(device.ActivityKernel, correlation, 0, func() error {
		C.call(q.device.call, C.uintptr_t(function), C.uintptr_t(b.Address))
		return nil
	})
}

// Then runs f on another goroutine, after what earlier calls of Then passed.
func (q *queue) Then(f func()) error {
	if q.closed.Load() || q.device.closed.Load() {
		return shutDown("call back")
	}
	q.mutex.Lock()
	defer q.mutex.Unlock()
	q.calls = append(q.calls, f)
	if !q.calling {
		q.calling = true
		go q.call()
	}
	return nil
}

func (q *queue) call() {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for len(q.calls) > 0 {
		f := q.calls[0]
		q.calls = q.calls[1:]
		q.mutex.Unlock()
		f()
		q.mutex.Lock()
	}
	q.calls, q.calling = nil, false
	q.rest.Broadcast()
}

type mark struct{}

func (mark) Done() bool { return true }

func (mark) Release() {}

func (q *queue) Record() (device.Mark, error) { return mark{}, nil }

func (q *queue) Wait(m device.Mark) error {
	if _, ok := m.(mark); !ok {
		return device.Errorf(device.InvalidArgument, 0, "wait: the mark belongs to another device")
	}
	return nil
}

func (q *queue) Idle() (bool, error) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	return !q.calling, nil
}

func (q *queue) Synchronize() error {
	q.mutex.Lock()
	for q.calling {
		q.rest.Wait()
	}
	q.mutex.Unlock()
	return nil
}

func (q *queue) Handle() unsafe.Pointer { return nil }

func (q *queue) Close() error {
	err := q.Synchronize()
	q.closed.Store(true)
	return err
}
