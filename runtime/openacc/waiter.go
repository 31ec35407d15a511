package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// A waiter finds the queues that a host thread uses, and waits for them: the thread
// itself, between wait events, or one queue for another (OpenACC 3.3 §2.16).
type waiter struct {
	devices
	synchronous []ownQueue
}

// queue finds or makes the queue that operations with an async value (as given)
// go to.
func (t *waiter) queue(d *Device, async int) *Queue {
	mapped := t.mapAsync(async)
	if mapped == AsyncSync {
		return t.synchronousQueue(d)
	}
	if q := d.existing(mapped); q != nil {
		return q
	}
	d.mu.Lock()
	q := d.queues[mapped]
	var err error
	if q == nil {
		var driver device.Queue
		if driver, err = d.driver.NewQueue(); err == nil {
			q = newQueue(d, driver, mapped)
			d.queues[mapped] = q
			d.byAsync.Store(mapped, q)
		}
	}
	d.mu.Unlock()
	if err != nil {
		t.fail(t.fromDevice(err))
	}
	return q
}

// synchronousQueue is t's own queue on d.
func (t *waiter) synchronousQueue(d *Device) *Queue {
	generation := d.generation.Load()
	for i := range t.synchronous {
		own := &t.synchronous[i]
		if own.queue.device == d {
			if own.generation == generation {
				return own.queue
			}
			t.synchronous = append(t.synchronous[:i], t.synchronous[i+1:]...)
			break
		}
	}
	d.mu.Lock()
	var q *Queue
	var err error
	if n := len(d.idle); n > 0 {
		q, d.idle = d.idle[n-1], d.idle[:n-1]
		// What a thread's launches upload depends on what it has launched itself.
		q.arguments.Forget()
	}
	d.mu.Unlock()
	if q == nil {
		var driver device.Queue
		if driver, err = d.driver.NewQueue(); err != nil {
			t.fail(t.fromDevice(err))
			return nil
		}
		q = newQueue(d, driver, AsyncSync)
	}
	t.synchronous = append(t.synchronous, ownQueue{q, generation})
	return q
}

type ownQueue struct {
	queue      *Queue
	generation uint64
}

// A waitUntil is what has happened when await returns.
type waitUntil int

const (
	waitTold    waitUntil = iota // all of it
	waitOver                     // the wait; the next event follows wait_end at once
	waitPlanned                  // nothing, nor does anything before the next event depend on it, which follows at once
)

// await blocks until q is empty, between wait events.
func (t *waiter) await(q *Queue, implicit bool, until waitUntil) {
	if !t.plan.pending() && !t.wanted(callbacks.WaitStart) && !t.wanted(callbacks.WaitEnd) {
		// Nothing else is to be carried out: an empty queue may tell so without a crossing into C.
		if err := q.await(); err != nil {
			t.fail(t.fromDevice(err))
		}
		return
	}
	var pair eventPair
	t.makeRoom(3)
	t.planWait(callbacks.WaitStart, &pair, q, implicit)
	t.context.wait = openWait{q, implicit, pair}
	t.planAwait(q)
	behind := t.plan.mark()
	t.planWait(callbacks.WaitEnd, &pair, q, implicit)
	t.context.wait.queue = nil
	pair.release()
	switch {
	case until == waitTold:
		t.carryOut()
	case until == waitOver && t.plan.begun == behind.begun:
		t.carryOutBefore(behind.count)
	}
}

// finish is await where q belongs to the thread and something is left on it.
func (t *waiter) finish(q *Queue, until waitUntil) {
	if q.synchronous() && q.busy() {
		t.await(q, true, until)
	}
}

// follow makes q wait for what is on other now, without blocking.
func (t *waiter) follow(q, other *Queue) {
	if q == other {
		return
	}
	t.carryOut()
	mark, err := other.driver.Record()
	if err = other.device.kept(err); err == nil {
		err = q.driver.Wait(mark)
		mark.Release()
	}
	if err != nil {
		t.fail(t.fromDevice(err))
		return
	}
	q.enqueued.Add(1)
	q.inherit(other)
	t.rt.learns() // by a wait for q
	t.reportWait(q, other)
}

// waitClause performs the wait clause of a construct on queue q. GCC passes -1, which
// is acc_async_noval, for a clause without an argument: all queues.
func (t *waiter) waitClause(d *Device, q *Queue, list []int32) {
	switch {
	case !t.checkWaits(list):
	case slices.Contains(list, AsyncNoval):
		t.waitForAll(d, q)
	default:
		t.waitForEach(d, q, list)
	}
}

func (t *waiter) checkWaits(list []int32) bool {
	for _, value := range list {
		if !validAsync(int(value)) {
			t.fail(t.invalidAsync("wait argument", int(value)))
			return false
		}
	}
	return true
}

func (t *waiter) waitForAll(d *Device, q *Queue) {
	for _, other := range d.all() {
		t.waitOne(q, other)
	}
}

// waitForEach waits for the queues that the values of list are mapped to.
func (t *waiter) waitForEach(d *Device, q *Queue, list []int32) {
	for _, value := range list {
		if other := d.existing(t.mapAsync(int(value))); other != nil {
			t.waitOne(q, other)
		}
	}
}

func (t *waiter) waitOne(q, other *Queue) {
	if q != nil && !q.synchronous() {
		t.follow(q, other)
	} else {
		t.await(other, false, waitTold)
	}
}

func (t *waiter) checkAsync(async int) bool {
	if !validAsync(async) {
		t.fail(t.invalidAsync("async argument", async))
		return false
	}
	return true
}

func (t *waiter) idle(q *Queue) bool {
	number := q.enqueued.Load()
	idle, err := q.driver.Idle()
	if err = q.device.kept(err); err != nil {
		t.fail(t.fromDevice(err))
		return true
	}
	if idle {
		q.drained(number)
		t.rt.learns()
	}
	return idle
}

// outlive makes q, or with a synchronous queue the host thread, wait for kernels of other
// queues that may still use the mappings removed, whose memory is about to be freed. For
// another device's queue, which copies into them, the host thread waits.
func (t *waiter) outlive(q *Queue) {
	for _, m := range t.scratch.removed {
		for _, user := range blockOf(m).users {
			switch {
			case user == q || !user.busy():
			case !q.synchronous() && user.device == q.device:
				t.follow(q, user)
			default:
				t.planAwait(user)
				t.carryOut()
				t.rt.learns()
			}
		}
	}
}
