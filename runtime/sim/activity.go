package sim

/*
#include "queue.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// batching is how long records gather before they are reported. Waking a thread
// costs the program more than hundreds of records do.
const batching = 10 * time.Millisecond

// readers finds the records of a device for the threads of its queues.
var readers sync.Map // *C.struct_accscope_sim_device → *records

// records reports finished operations from a goroutine, which sleeps while there
// are none and ends with the device, and from Flush.
type records struct {
	c       *C.struct_accscope_sim_device
	observe func(device.Activity, bool)
	some    chan struct{} // there are records

	// delivery is held while records are reported, so that those of one queue
	// come in order.
	delivery  sync.Mutex
	delivered atomic.Uint64 // records reported so far
	batch     [256]C.struct_accscope_sim_record

	mutex   sync.Mutex    // guards what follows
	stop    chan struct{} // nil before the goroutine starts
	stopped chan struct{}
	closed  bool
}

func newRecords(c *C.struct_accscope_sim_device, observe func(device.Activity, bool)) *records {
	r := &records{c: c, observe: observe, some: make(chan struct{}, 1)}
	readers.Store(c, r)
	return r
}

func (r *records) switchTo(on bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if on && r.observe == nil || r.closed {
		return
	}
	var value uint32
	if on {
		value = 1
		if r.stop == nil {
			r.stop, r.stopped = make(chan struct{}), make(chan struct{})
			go r.run()
		}
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.c.observing)), value)
}

// wake tells the goroutine that there are records.
func (r *records) wake() {
	select {
	case r.some <- struct{}{}:
	default:
	}
}

//export accscope_sim_wake
func accscope_sim_wake(c *C.struct_accscope_sim_device) {
	if r, ok := readers.Load(c); ok {
		r.(*records).wake()
	}
}

func (r *records) run() {
	defer close(r.stopped)
	asleep := (*uint32)(unsafe.Pointer(&r.c.asleep))
	ticker := time.NewTicker(batching)
	defer ticker.Stop()
	for {
		// Whoever appends a record after this wakes us; before it, we see it.
		atomic.StoreUint32(asleep, 1)
		if atomicLoad(&r.c.appended) == r.delivered.Load() {
			select {
			case <-r.some:
			case <-r.stop:
				return
			}
		}
		atomic.StoreUint32(asleep, 0)
		ticker.Reset(batching)
		for some := true; some; some = r.flush() {
			select {
			case <-ticker.C:
			case <-r.stop:
				return
			}
		}
		ticker.Stop()
	}
}

// flush reports all records that there are, and whether there were any; other
// calls wait for it.
func (r *records) flush() bool {
	all := atomicLoad(&r.c.appended)
	if r.delivered.Load() >= all {
		return false
	}
	r.delivery.Lock()
	defer r.delivery.Unlock()
	for r.delivered.Load() < all {
		n := int(C.accscope_sim_drain(r.c, &r.batch[0], C.size_t(len(r.batch))))
		for i := range r.batch[:n] {
			b := &r.batch[i]
			r.observe(device.Activity{Correlation: uint64(b.correlation), Kind: device.ActivityKind(b.kind), Bytes: uint64(b.bytes),
				Start: int64(b.start), End: int64(b.end)}, i+1 < n)
		}
		r.delivered.Add(uint64(n))
	}
	return true
}

// close ends the goroutine and reports what is left.
func (r *records) close() {
	r.mutex.Lock()
	running := r.stop != nil && !r.closed
	r.closed = true
	r.mutex.Unlock()
	if running {
		close(r.stop)
		<-r.stopped
	}
	r.flush()
	readers.Delete(r.c)
}
