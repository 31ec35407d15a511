// Package activity delivers what devices report about finished operations to those who
// subscribed (runtime/include/accscope_activity.h says what they may expect). What an
// operation's record needs from its enqueueing goes to its device and back as a ticket.
// OpenACC 3.3 has no such records: its events tell of enqueueing (§5.1).
package activity

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/callbacks"
)

// A Delivery gives records to subscribers: by one goroutine, or a thread that flushes,
// outside all locks. Init makes it ready.
type Delivery struct {
	on       atomic.Bool // somebody subscribes
	inRecord func() bool // Init

	tickets tickets

	mu          sync.Mutex
	some        *sync.Cond // there is something for the goroutine
	changed     *sync.Cond // records were delivered
	subscribers []*subscriber
	last        uint64 // subscription given out last
	waiting     []callbacks.ActivityRecord
	spare       []callbacks.ActivityRecord // empty, to wait in next
	added       uint64                     // records in all
	delivered   uint64                     // of these
	running     bool
	idle        bool                      // the goroutine waits for something to deliver
	flushing    int                       // threads that will deliver what waits
	delivering  bool                      // somebody does
	calling     uint64                    // subscription whose function runs, 0 if none
	record      *callbacks.ActivityRecord // a subscriber's own copy; C gets it, so it lies alone
}

type subscriber struct {
	number uint64
	kinds  uint32 // sum of 1 << kind, 0 for all
	from   uint64 // correlations up to here were enqueued before
	record func(*callbacks.ActivityRecord)
}

// Init readies a. inRecord says whether the calling thread is inside a subscriber's
// function; nil where none ever calls the runtime.
func (a *Delivery) Init(inRecord func() bool) {
	a.inRecord = inRecord
	a.some, a.changed = sync.NewCond(&a.mu), sync.NewCond(&a.mu)
	a.record = new(callbacks.ActivityRecord)
}

// Wanted says whether somebody subscribes: one atomic load.
func (a *Delivery) Wanted() bool { return a.on.Load() }

// Ticket is what a device is to report an operation by, where somebody is to be told of it:
// numbers below 1 << 43 give tickets below 1 << 63, which ascend as they do.
func (a *Delivery) Ticket(number uint64, o Enqueued) uint64 { return a.tickets.issue(number, o) }

// Redeem is the operation that a device reports, by its ticket.
func (a *Delivery) Redeem(ticket uint64) (number uint64, o Enqueued) { return a.tickets.redeem(ticket) }

// Subscribe starts the delivery of records with a higher correlation than from; kinds
// is a sum of 1 << kind, 0 for all. record runs on a goroutine of the Delivery's or a
// thread that flushes, one call at a time.
func (a *Delivery) Subscribe(kinds uint32, from func() uint64, record func(*callbacks.ActivityRecord)) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	a.subscribers = append(slices.Clone(a.subscribers), &subscriber{number: a.last, kinds: kinds, from: from(), record: record})
	a.on.Store(true)
	if !a.running {
		a.running = true
		go a.deliver()
	}
	return a.last
}

// Unsubscribe ends a subscription: no record arrives after it has returned. It
// reports whether there was one. inside tells that the calling thread is in the
// subscription's own record function, which is not waited for. unobserve is called
// when nobody subscribes any more: devices need not report.
func (a *Delivery) Unsubscribe(number uint64, inside bool, unobserve func()) bool {
	a.mu.Lock()
	at := slices.IndexFunc(a.subscribers, func(s *subscriber) bool { return s.number == number })
	if at >= 0 {
		a.subscribers = slices.Delete(slices.Clone(a.subscribers), at, at+1)
	}
	for !inside && a.calling == number {
		a.changed.Wait()
	}
	none := len(a.subscribers) == 0
	if none {
		a.on.Store(false)
	}
	a.mu.Unlock()
	if none {
		unobserve()
	}
	return at >= 0
}

// Knows says whether there is a subscription.
func (a *Delivery) Knows(number uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.subscribers, func(s *subscriber) bool { return s.number == number })
}

// Add puts a record behind those that wait for their delivery.
func (a *Delivery) Add(record callbacks.ActivityRecord) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.waiting = append(a.waiting, record)
	a.added++
}

// Hasten has what waits delivered, if it is not on its way.
func (a *Delivery) Hasten() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wake()
}

// wake has the goroutine deliver what waits, if nobody else will. The lock is held.
func (a *Delivery) wake() {
	if a.idle && a.flushing == 0 && !a.delivering && len(a.waiting) > 0 {
		a.idle = false
		a.some.Signal()
	}
}

// deliver is the goroutine that calls the subscribers.
func (a *Delivery) deliver() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for {
		for len(a.waiting) == 0 || a.delivering {
			a.idle = true
			a.some.Wait()
		}
		a.idle = false
		a.deliverWaiting()
	}
}

// deliverWaiting calls the subscribers for what waits. The lock is held, but for the
// calls.
func (a *Delivery) deliverWaiting() {
	a.delivering = true
	batch := a.waiting
	a.waiting, a.spare = a.spare, nil
	for i := range batch {
		for _, s := range a.subscribers {
			*a.record = batch[i]
			if a.record.Correlation <= s.from || s.kinds != 0 && s.kinds>>uint(a.record.Kind)&1 == 0 ||
				!slices.Contains(a.subscribers, s) {
				continue
			}
			a.calling = s.number
			if len(a.subscribers) > 1 {
				a.changed.Broadcast() // to those who must not wait for this one
			}
			a.mu.Unlock()
			s.record(a.record)
			a.mu.Lock()
			a.calling = 0
			a.changed.Broadcast()
		}
		a.delivered++
	}
	a.spare = batch[:0]
	a.delivering = false
	a.changed.Broadcast()
	a.wake()
}

// Flush has reports made, and returns when they are delivered: by the calling thread, if
// there is one subscription and nobody is at it, since to have another thread do it takes
// many times as long. Of one subscription, number, it waits for no other's function. It
// says whether all is delivered.
func (a *Delivery) Flush(number uint64, report func()) (all bool) {
	if !a.Wanted() {
		return true
	}
	if a.isDelivering() {
		report()
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flushing++
	a.mu.Unlock()
	report()
	a.mu.Lock()
	defer func() {
		a.flushing--
		a.wake()
	}()
	for added := a.added; a.delivered < added && len(a.subscribers) > 0; {
		if number != 0 && a.calling != 0 && a.calling != number {
			return false
		}
		if !a.delivering && len(a.subscribers) == 1 && (number == 0 || a.subscribers[0].number == number) {
			a.deliverWaiting()
			continue
		}
		if a.idle && !a.delivering {
			a.idle = false
			a.some.Signal()
		}
		a.changed.Wait()
	}
	return true
}

// Drain has reports made inside a call of the runtime, and returns when the goroutine has
// delivered them.
func (a *Delivery) Drain(report func()) {
	if !a.Wanted() {
		return
	}
	report()
	if a.isDelivering() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for added := a.added; a.delivered < added && len(a.subscribers) > 0; {
		a.wake()
		a.changed.Wait()
	}
}

// isDelivering says whether the calling thread is inside a record function, which must
// not wait for its own end.
func (a *Delivery) isDelivering() bool {
	return a.inRecord != nil && a.inRecord()
}
