package host

/*
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../device/operation.h"

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

static int64_t
monotonic (void)
{
  struct timespec t;
  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000000) + t.tv_nsec;
}

// device.Operands: what is done between start and end.
struct work
{
  struct accscope_operation o;
  int64_t start, end;
  bool observed;
};

static int
run (void *operands)
{
  struct work *w = operands;
  const struct accscope_operation *o = &w->o;
  void *to = (void *) o->destination;
  const void *from = (const void *) o->source;

  if (o->kind == ACCSCOPE_AWAIT)	// Go waits
    return 0;
  if (w->observed)
    w->start = monotonic ();
  if (o->kind == ACCSCOPE_FILL)
    memset (to, (int) o->source, o->bytes);
  else if (o->parts && o->kind == ACCSCOPE_UPLOAD)
    accscope_gather (from, o->parts, to);
  else if (o->parts)
    accscope_scatter (to, o->parts, from);
  else if (o->kind != ACCSCOPE_KERNEL)
    memmove (to, from, o->bytes);
  else
    ((void (*) (void *)) o->source) (to);
  if (w->observed)
    w->end = monotonic ();
  return 0;
}

static uintptr_t run_work (void) { return (uintptr_t) run; }
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

// The work fits into the operands.
var _ [unsafe.Sizeof(device.Operands{}) - C.sizeof_struct_work]byte

var runWork = uintptr(C.run_work())

// Prepare readies a launch only for those who use the device without the runtime: a construct's
// function may end its thread or jump out of the call, so the runtime has the construct's caller
// run it (runtime/entry/host.c).
func (q *queue) Prepare(o *device.Operation) error {
	o.Run = runWork
	if o.Kind == device.Await {
		return nil
	}
	if q.closed.Load() || q.device.closed.Load() {
		return shutDown("use a queue")
	}
	if o.Kind == device.ActivityKernel {
		function, ok := o.Kernel.(kernel)
		if !ok {
			return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
		}
		o.Source = uintptr(function)
	}
	w := (*C.struct_work)(unsafe.Pointer(o.Operands))
	w.observed = C.bool(o.Kind != device.Store && q.device.observing.Load())
	return nil
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

// MayWrite is true: nothing is known of host-compiled code.
func (kernel) MayWrite(int, bool) bool { return true }

// Outcome reports an operation that was observed. An Await waits in it for what Then has
// passed, since Go runs that; all else is done when it is put onto the queue.
func (q *queue) Outcome(o *device.Operation) error {
	if o.Kind == device.Await {
		return q.Synchronize()
	}
	w := (*C.struct_work)(unsafe.Pointer(o.Operands))
	if !w.observed {
		return nil
	}
	report := device.Activity{Correlation: o.Correlation, Kind: o.Kind, Bytes: o.Bytes, Start: int64(w.start), End: int64(w.end)}
	if o.Kind == device.ActivityKernel {
		report.Bytes = 0
	}
	q.device.observe(report, false)
	return nil
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

func (mark) Done() (bool, error) { return true, nil }

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
