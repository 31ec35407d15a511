package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// The records of finished operations are read by whoever waits for a queue and
// finds many, which does not get into the way of threads that enqueue; and every
// period by a goroutine, if nothing was enqueued since, or very many.
const (
	period   = 10 * time.Millisecond
	many     = 64
	veryMany = 4096
)

// The variables that say how operations are measured.
const (
	activityVariable = "ACCSCOPE_ACTIVITY" // runtime: never by CUPTI; cupti: by nothing else
	cuptiVariable    = "ACCSCOPE_CUPTI"    // CUPTI's library
)

// records reports finished operations, from a goroutine that runs while somebody
// observes, and from Flush.
type records struct {
	device  *cudaDevice
	observe func(device.Activity, bool)

	// delivery is held while records are reported, so that those of one queue and
	// kind come in order.
	delivery sync.Mutex
	batch    [256]C.struct_accscope_cuda_record

	// stamps: kernels of images that are loaded now take their own times.
	stamps atomic.Bool

	mutex    sync.Mutex    // guards what follows
	attempts int           // to have CUPTI measure
	stop     chan struct{} // nil while nobody observes
	running  sync.WaitGroup
	closed   bool
}

func newRecords(d *cudaDevice, observe func(device.Activity, bool)) *records {
	return &records{device: d, observe: observe}
}

// pending counts the operations measured by events and not reported.
func (r *records) pending() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.device.c.pending)))
}

// waited is called when a queue was waited for.
func (r *records) waited(q *queue) {
	if r.pending() < many {
		return
	}
	if c := q.c.Load(); c != nil && atomic.LoadUint64((*uint64)(unsafe.Pointer(&c.behind_number))) != 0 {
		C.accscope_cuda_turn(c, C.ACCSCOPE_CUDA_IF_IDLE) // the kernels' ends are needed
	}
	r.drain(q)
}

// tracing says whether CUPTI measures, rather than events of the driver.
func (r *records) tracing() bool {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.device.c.tracing))) != 0
}

// cuptiCost is what it takes CUPTI to begin, on an H200's host.
var cuptiCost = 60 * time.Millisecond

// measure chooses how, before the program's first operation that somebody observes:
// kernels take their own times if they can, and events of the driver measure the
// transfers, which makes a small one many times longer. CUPTI, where it is installed,
// measures all if kernels cannot, and else the transfers when there have been so many
// that it would have paid (prefer).
func (r *records) measure() {
	lookup := r.device.backend.options.Environment
	how, _ := lookup(activityVariable)
	r.device.images.clock()
	C.accscope_cuda_clocks_keep(r.device.c)
	if how != "cupti" {
		r.stamps.Store(C.accscope_cuda_stamps_open(r.device.c) != 0)
	}
	switch {
	case how == "runtime":
	case !r.stamps.Load() || cuptiCost == 0:
		r.trace()
	default:
		r.setBreakEven(cuptiCost)
	}
}

func (r *records) setBreakEven(gain time.Duration) {
	atomic.StoreInt64((*int64)(unsafe.Pointer(&r.device.c.break_even)), int64(gain))
}

// trace has CUPTI measure, if it can. r.mutex is held.
func (r *records) trace() {
	path, _ := r.device.backend.options.Environment(cuptiVariable)
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	C.accscope_cuda_trace(r.device.c, 1, C.bool(!r.stamps.Load()), name)
	r.device.backend.started() // CUPTI has exit handlers too
}

// pays says whether CUPTI would have paid by now. The caller keeps the device from being
// released.
func (r *records) pays() bool {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&r.device.c.pays))) != 0
}

func (r *records) setPays(value uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.device.c.pays)), value)
}

// mostAttempts is how often CUPTI is asked: it cannot begin while the GPU is busy with
// long kernels.
const mostAttempts = 3

// traceFromNow has CUPTI measure what is enqueued from now on, if it pays and nobody else
// uses a queue of the device just now; else the next one will ask. It is called by
// threads that are about to enqueue, not by one of the runtime's: the process might be
// ending meanwhile, and CUPTI with it.
func (r *records) traceFromNow() {
	d := r.device
	if !d.use() {
		return
	}
	defer d.done()
	if !r.mutex.TryLock() {
		return
	}
	defer r.mutex.Unlock()
	if !r.pays() || r.stop == nil || r.closed || r.tracing() || !d.tryLockQueues() {
		return
	}
	defer d.unlockQueues()
	r.setPays(0)
	r.setBreakEven(0)
	r.trace()
	if r.attempts++; !r.tracing() && r.attempts < mostAttempts {
		r.setBreakEven(cuptiCost << (2 * r.attempts))
	}
}

func (r *records) switchTo(on bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.observe == nil || r.closed {
		return
	}
	var value uint32
	switch {
	case on:
		value = 1
		if r.stop == nil {
			r.measure()
			r.stop = make(chan struct{})
			stop := r.stop
			r.running.Go(func() { r.run(stop) })
		}
	case r.stop != nil:
		close(r.stop)
		r.stop = nil
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.device.c.observing)), value)
	if !on {
		r.running.Wait()
		r.flush()
		r.stamps.Store(false)
		r.setBreakEven(0)
		r.setPays(0)
		C.accscope_cuda_trace(r.device.c, 0, false, nil)
	}
}

func (r *records) run(stop chan struct{}) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	var before uint64
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		if C.accscope_cuda_clocks_keep(r.device.c) != 0 && r.tracing() {
			C.accscope_cuda_trace_relate(r.device.c)
		}
		if r.stamps.Load() {
			C.accscope_cuda_stamps_keep(r.device.c)
			r.eachQueue(func(q *queue) {
				C.accscope_cuda_turn(q.c.Load(), C.ACCSCOPE_CUDA_IF_UNUSED)
				r.drain(q)
			})
		}
		if r.tracing() {
			r.report(func(room C.size_t) C.size_t { return C.accscope_cuda_traced(r.device.c, &r.batch[0], room) })
		}
		now := r.pending()
		if now != 0 && now == before || now > veryMany {
			r.eachQueue(r.drain)
		}
		before = now
	}
}

// flush reports what has finished on all queues.
func (r *records) flush() {
	if r.tracing() {
		C.accscope_cuda_trace_flush(r.device.c)
	}
	r.report(func(room C.size_t) C.size_t { return C.accscope_cuda_traced(r.device.c, &r.batch[0], room) })
	r.eachQueue(r.finish)
}

// eachQueue calls f for every queue, which is kept from being released.
func (r *records) eachQueue(f func(*queue)) {
	d := r.device
	d.mutex.Lock()
	queues := make([]*queue, 0, len(d.queues))
	for q := range d.queues {
		queues = append(queues, q)
	}
	d.mutex.Unlock()
	for _, q := range queues {
		if _, err := q.use("report"); err == nil {
			f(q)
			q.done()
		}
	}
}

// finish reports what has finished on one queue, all of it if the queue is idle.
// The caller keeps it from being released.
func (r *records) finish(q *queue) {
	if c := q.c.Load(); c != nil && r.observe != nil {
		C.accscope_cuda_turn(c, C.ACCSCOPE_CUDA_NOW)
		r.drain(q)
	}
}

// drain reports what has finished on one queue. The caller keeps it from being
// released.
func (r *records) drain(q *queue) {
	if c := q.c.Load(); c != nil && (r.pending() != 0 || r.stamps.Load()) {
		r.report(func(room C.size_t) C.size_t { return C.accscope_cuda_drain(c, &r.batch[0], room) })
	}
}

// report passes on what take puts into the batch until there is no more.
func (r *records) report(take func(room C.size_t) C.size_t) {
	r.delivery.Lock()
	defer r.delivery.Unlock()
	for {
		n := int(take(C.size_t(len(r.batch))))
		for i := range r.batch[:n] {
			b := &r.batch[i]
			r.observe(device.Activity{Correlation: uint64(b.correlation), Kind: device.ActivityKind(b.kind), Bytes: uint64(b.bytes),
				Start: int64(b.start), End: int64(b.end), Pageable: b.pageable != 0}, i+1 < n)
		}
		if n < len(r.batch) {
			return
		}
	}
}

// close reports the rest and ends the goroutine. All queues were waited for; the
// device refuses new work.
func (r *records) close(queues map[*queue]struct{}) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.closed = true
	if r.stop != nil {
		close(r.stop)
		r.stop = nil
	}
	r.running.Wait()
	if r.observe == nil {
		return
	}
	if r.tracing() {
		C.accscope_cuda_trace_flush(r.device.c)
	}
	r.report(func(room C.size_t) C.size_t { return C.accscope_cuda_traced(r.device.c, &r.batch[0], room) })
	for q := range queues {
		r.finish(q)
	}
}
