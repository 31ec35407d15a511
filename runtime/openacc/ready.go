package openacc

import (
	"sync"
	"sync/atomic"
)

// readiness lets threads wait until a flag of another thread's work is cleared.
// Clearing a flag nobody waits for costs one atomic load.
type readiness struct {
	mu      sync.Mutex
	changed sync.Cond
	waiters atomic.Int32
}

func (r *readiness) init() { r.changed.L = &r.mu }

func (r *readiness) await(pending *atomic.Bool) {
	if !pending.Load() {
		return
	}
	r.waiters.Add(1)
	r.mu.Lock()
	for pending.Load() {
		r.changed.Wait()
	}
	r.mu.Unlock()
	r.waiters.Add(-1)
}

// announce wakes the waiters after flags were cleared.
func (r *readiness) announce() {
	if r.waiters.Load() == 0 {
		return
	}
	r.mu.Lock()
	r.changed.Broadcast()
	r.mu.Unlock()
}
