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
  int (*run) (struct work *);
  uintptr_t to;			// a kernel's argument block
  uintptr_t from;		// a kernel's function, or a fill's value
  uint64_t bytes, kind, observed, correlation;
  int64_t start, end;
  uint64_t awaits;		// nothing is done: Go waits
  uint64_t parts;		// the host's side is so many struct accscope_part; 0: one piece
};

enum { KERNEL = 1, UPLOAD = 2, FILL = 5 };	// of device.ActivityKind

static int
run (struct work *w)
{
  if (w->awaits)
    return 0;
  if (w->observed)
    w->start = monotonic ();
  if (w->kind == FILL)
    memset ((void *) w->to, (int) w->from, w->bytes);
  else if (w->parts && w->kind == UPLOAD)
    accscope_gather ((const struct accscope_part *) w->from, w->parts, (char *) w->to);
  else if (w->parts)
    accscope_scatter ((const struct accscope_part *) w->to, w->parts, (const char *) w->from);
  else if (w->kind != KERNEL)
    memmove ((void *) w->to, (const void *) w->from, w->bytes);
  else
    ((void (*) (uintptr_t)) w->from) (w->to);
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

var runWork = uintptr(C.run_work())

// prepare readies an operation; kind 0 is one without Activity.
func (q *queue) prepare(o *device.Operation, kind device.ActivityKind, correlation uint64, to, from uintptr, n uint64) error {
	if q.closed.Load() || q.device.closed.Load() {
		return shutDown("use a queue")
	}
	w := (*C.struct_work)(unsafe.Pointer(o.Operands))
	*w = C.struct_work{to: C.uintptr_t(to), from: C.uintptr_t(from), bytes: C.uint64_t(n), kind: C.uint64_t(kind), correlation: C.uint64_t(correlation)}
	o.Run = runWork
	if kind != 0 && q.device.observing.Load() {
		w.observed = 1
	}
	return nil
}

func (q *queue) Upload(o *device.Operation, correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, _ bool) error {
	return q.prepare(o, device.ActivityUpload, correlation, uintptr(dst), uintptr(src), n)
}

func (q *queue) Store(o *device.Operation, dst device.Address, contents []byte, _ bool) error {
	return q.prepare(o, 0, 0, uintptr(dst), uintptr(unsafe.Pointer(unsafe.SliceData(contents))), uint64(len(contents)))
}

func (q *queue) Download(o *device.Operation, correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, _ bool) error {
	return q.prepare(o, device.ActivityDownload, correlation, uintptr(dst), uintptr(src), n)
}

func (q *queue) Gather(o *device.Operation, correlation uint64, dst device.Address, parts []device.Part, n uint64, now bool) error {
	return inParts(o, parts, q.Upload(o, correlation, dst, unsafe.Pointer(unsafe.SliceData(parts)), n, now))
}

func (q *queue) Scatter(o *device.Operation, correlation uint64, parts []device.Part, src device.Address, n uint64, now bool) error {
	return inParts(o, parts, q.Download(o, correlation, unsafe.Pointer(unsafe.SliceData(parts)), src, n, now))
}

// inParts has a transfer, which was prepared with or without an error, take the host's memory
// for a list of parts.
func inParts(o *device.Operation, parts []device.Part, err error) error {
	if err == nil {
		(*C.struct_work)(unsafe.Pointer(o.Operands)).parts = C.uint64_t(len(parts))
	}
	return err
}

func (q *queue) Copy(o *device.Operation, correlation uint64, _ device.Device, dst, src device.Address, n uint64, _ bool) error {
	return q.prepare(o, device.ActivityCopy, correlation, uintptr(dst), uintptr(src), n)
}

func (q *queue) Fill(o *device.Operation, correlation uint64, dst device.Address, value byte, n uint64, _ bool) error {
	return q.prepare(o, device.ActivityFill, correlation, uintptr(dst), uintptr(value), n)
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

// Launch is for those who use the device without the runtime. A construct's function may end
// its thread or jump out of the call, so the runtime has the construct's caller run it
// (runtime/entry/host.c).
func (q *queue) Launch(o *device.Operation, correlation uint64, k device.Kernel, _ device.Geometry, b device.ArgumentBlock, _ bool) error {
	function, ok := k.(kernel)
	if !ok {
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	return q.prepare(o, device.ActivityKernel, correlation, uintptr(b.Address), uintptr(function), 0)
}

// Await waits for what Then has passed in Outcome, since Go runs that; all else is done
// when it is put onto the queue.
func (q *queue) Await(o *device.Operation) {
	*(*C.struct_work)(unsafe.Pointer(o.Operands)) = C.struct_work{awaits: 1}
	o.Run = runWork
}

// Outcome reports an operation that was observed.
func (q *queue) Outcome(o *device.Operation) error {
	w := (*C.struct_work)(unsafe.Pointer(o.Operands))
	if w.awaits != 0 {
		return q.Synchronize()
	}
	if w.observed == 0 {
		return nil
	}
	report := device.Activity{Correlation: uint64(w.correlation), Kind: device.ActivityKind(w.kind), Bytes: uint64(w.bytes), Start: int64(w.start), End: int64(w.end)}
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
