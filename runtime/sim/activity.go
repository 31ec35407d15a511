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

// batching is how long records gather before they are reported, unless somebody
// synchronises.
const batching = time.Millisecond

// readers finds the records of a device for the threads of its queues.
var readers sync.Map // *C.struct_accscope_sim_device → *records

// records reports finished operations from a goroutine of its own, which sleeps
// while there are none and ends with the device.
type records struct {
	c       *C.struct_accscope_sim_device
	observe func(device.Activity)

	some    chan struct{} // there are records
	urgent  chan struct{} // somebody waits for them
	stop    chan struct{}
	stopped chan struct{}

	delivered atomic.Uint64 // records reported so far
	mutex     sync.Mutex    // guards what follows
	progress  *sync.Cond    // delivered has grown
	running   bool          // the goroutine was started
	closed    bool
}

func newRecords(c *C.struct_accscope_sim_device, observe func(device.Activity)) *records {
	r := &records{c: c, observe: observe, some: make(chan struct{}, 1), urgent: make(chan struct{}, 1),
		stop: make(chan struct{}), stopped: make(chan struct{})}
	r.progress = sync.NewCond(&r.mutex)
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
		if !r.running {
			r.running = true
			go r.run()
		}
	}
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&r.c.observing)), value)
}

// wake tells the goroutine that there are records.
func (r *records) wake() { signal(r.some) }

//export accscope_sim_wake
func accscope_sim_wake(c *C.struct_accscope_sim_device) {
	if r, ok := readers.Load(c); ok {
		r.(*records).wake()
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (r *records) run() {
	defer close(r.stopped)
	asleep := (*uint32)(unsafe.Pointer(&r.c.asleep))
	wait := time.NewTimer(0)
	<-wait.C
	for {
		// Whoever appends a record after this wakes us; before it, we see it.
		atomic.StoreUint32(asleep, 1)
		gather := true
		if atomicLoad(&r.c.appended) == r.delivered.Load() {
			select {
			case <-r.some:
			case <-r.urgent:
				gather = false
			case <-r.stop:
				r.deliver()
				return
			}
		}
		atomic.StoreUint32(asleep, 0)
		if gather {
			wait.Reset(batching)
			select {
			case <-wait.C:
			case <-r.urgent:
				wait.Stop()
			case <-r.stop:
				r.deliver()
				return
			}
		}
		r.deliver()
	}
}

// deliver reports all records that there are.
func (r *records) deliver() {
	var batch [256]C.struct_accscope_sim_record
	for {
		n := int(C.accscope_sim_drain(r.c, &batch[0], C.size_t(len(batch))))
		if n == 0 {
			return
		}
		for _, b := range batch[:n] {
			r.observe(device.Activity{Correlation: uint64(b.correlation), Kind: device.ActivityKind(b.kind), Bytes: uint64(b.bytes),
				Start: int64(b.start), End: int64(b.end)})
		}
		r.mutex.Lock()
		r.delivered.Add(uint64(n))
		r.mutex.Unlock()
		r.progress.Broadcast()
	}
}

// flush returns when all records that there are now have been reported.
func (r *records) flush() {
	all := atomicLoad(&r.c.appended)
	if r.delivered.Load() >= all {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for r.delivered.Load() < all && !r.closed {
		signal(r.urgent)
		r.progress.Wait()
	}
}

// close reports what is left and ends the goroutine.
func (r *records) close() {
	r.mutex.Lock()
	running := r.running && !r.closed
	r.closed = true
	r.mutex.Unlock()
	if running {
		close(r.stop)
		<-r.stopped
	}
	r.progress.Broadcast()
	readers.Delete(r.c)
}
