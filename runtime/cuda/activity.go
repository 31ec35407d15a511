package cuda

// #include "cuda.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// period is how often the records of queues that nobody waits for are read.
const period = 2 * time.Millisecond

// records reports finished operations: those of a queue before a wait for it
// returns, others from a goroutine, which runs while somebody observes.
type records struct {
	device  *cudaDevice
	observe func(device.Activity)

	// delivery is held while records are reported, so that those of one queue
	// come in order.
	delivery sync.Mutex
	batch    [256]C.struct_accscope_cuda_record

	mutex   sync.Mutex    // guards what follows
	stop    chan struct{} // nil while nobody observes
	running sync.WaitGroup
	closed  bool
}

func newRecords(d *cudaDevice, observe func(device.Activity)) *records {
	return &records{device: d, observe: observe}
}

func (r *records) pending() bool {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&r.device.c.pending))) != 0
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
			r.stop = make(chan struct{})
			stop := r.stop
			r.running.Go(func() { r.run(stop) })
		}
	case r.stop != nil:
		close(r.stop)
		r.stop = nil
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.device.c.observing)), value)
}

func (r *records) run(stop chan struct{}) {
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		if r.pending() {
			r.flush()
		}
		C.accscope_cuda_rebase(r.device.c)
	}
}

// flush reports what has finished on all queues.
func (r *records) flush() {
	d := r.device
	d.mutex.Lock()
	queues := make([]*queue, 0, len(d.queues))
	for q := range d.queues {
		queues = append(queues, q)
	}
	d.mutex.Unlock()
	for _, q := range queues {
		if _, err := q.use("report"); err == nil {
			r.drain(q)
			q.done()
		}
	}
}

// drain reports what has finished on one queue. The caller keeps it from being
// released.
func (r *records) drain(q *queue) {
	// Another thread may be about to report what it has taken: wait for it.
	r.delivery.Lock()
	defer r.delivery.Unlock()
	c := q.c.Load()
	if c == nil || !r.pending() {
		return
	}
	for {
		n := int(C.accscope_cuda_drain(c, &r.batch[0], C.size_t(len(r.batch))))
		for i := range r.batch[:n] {
			b := &r.batch[i]
			r.observe(device.Activity{Correlation: uint64(b.correlation), Kind: device.ActivityKind(b.kind), Bytes: uint64(b.bytes),
				Start: int64(b.start), End: int64(b.end)})
		}
		if n < len(r.batch) {
			return
		}
	}
}

// close ends the goroutine. All queues were waited for, which reported what they
// did.
func (r *records) close() {
	r.mutex.Lock()
	r.closed = true
	if r.stop != nil {
		close(r.stop)
		r.stop = nil
	}
	r.mutex.Unlock()
	r.running.Wait()
}
