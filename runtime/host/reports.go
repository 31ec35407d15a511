package host

import (
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
)

// reports hands finished operations to the observer from a goroutine of its
// own, which the first of them starts and which ends with the device.
type reports struct {
	observe func(device.Activity)
	on      atomic.Bool

	mutex     sync.Mutex
	change    *sync.Cond // of anything below
	waiting   []device.Activity
	added     uint64 // in all
	delivered uint64 // of these
	running   bool
	closed    bool
}

func newReports(observe func(device.Activity)) *reports {
	r := &reports{observe: observe}
	r.change = sync.NewCond(&r.mutex)
	return r
}

func (r *reports) switchTo(on bool) { r.on.Store(on && r.observe != nil) }

func (r *reports) add(a device.Activity) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.closed {
		return
	}
	r.waiting = append(r.waiting, a)
	r.added++
	if !r.running {
		r.running = true
		go r.run()
	}
	if len(r.waiting) == 1 {
		r.change.Broadcast()
	}
}

func (r *reports) run() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for {
		for len(r.waiting) == 0 && !r.closed {
			r.change.Wait()
		}
		if len(r.waiting) == 0 {
			r.running = false
			r.change.Broadcast()
			return
		}
		batch := r.waiting
		r.waiting = nil
		r.mutex.Unlock()
		for _, a := range batch {
			r.observe(a)
		}
		r.mutex.Lock()
		r.delivered += uint64(len(batch))
		r.change.Broadcast()
	}
}

// flush returns when all operations finished by now have been reported.
func (r *reports) flush() {
	if !r.on.Load() {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for all := r.added; r.delivered < all; {
		r.change.Wait()
	}
}

// close reports what is left and ends the goroutine.
func (r *reports) close() {
	r.on.Store(false)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.closed = true
	r.change.Broadcast()
	for r.running {
		r.change.Wait()
	}
}
