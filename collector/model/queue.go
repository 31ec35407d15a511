package model

// operation is something put onto a queue.
type operation struct {
	id       int64 // the enqueue span
	sequence int64 // on its queue, from 1
	name     Name
	bytes    uint64
	number   uint64 // correlation, 0 if the runtime gives none
	matched  bool
}

// operations is a queue of operations in a ring; the oldest make room.
type operations struct {
	ring        []operation
	head, count int
	hint        int // behind the one matched last by its number
}

// The most operations remembered per queue: enough for activity records that
// come late, little enough for a queue that is never waited for.
const maxOperations = 1 << 15

func (o *operations) at(i int) *operation { return &o.ring[(o.head+i)&(len(o.ring)-1)] }

func (o *operations) push(op operation) {
	if o.count == len(o.ring) {
		if len(o.ring) == maxOperations {
			o.pop()
		} else {
			ring := make([]operation, max(16, 2*len(o.ring)))
			for i := range o.count {
				ring[i] = *o.at(i)
			}
			o.ring, o.head = ring, 0
		}
	}
	o.count++
	*o.at(o.count - 1) = op
}

func (o *operations) pop() {
	o.head = (o.head + 1) & (len(o.ring) - 1)
	o.count--
	o.hint = max(o.hint-1, 0)
}

// queue is the state of an async queue.
type queue struct {
	id         QueueID
	operations [ActivityDownload + 1]operations // by the kind of activity they lead to
	enqueues   int64                            // operations ever enqueued
	depth      int64                            // operations not known done
	drained    int64                            // operations up to this one were done after the last wait
	pendingAt  int64                            // time of the first enqueue since the queue was empty
	pendingSum int64                            // bytes since then
	isMeasured bool                             // device activity was seen
	isNumbered bool                             // operations carry correlation numbers
	emptyAt    int64                            // where the trace is gone on with: known empty by then
}

func (m *Model) enqueue(e *Event, step *Step) {
	q := m.queue(step.Queue)
	if q.depth == 0 {
		q.pendingAt, q.pendingSum = e.Time, 0
	}
	q.enqueues++
	q.depth++
	q.isNumbered = q.isNumbered || e.Correlation != 0
	if e.Kind != EnqueueLaunchStart {
		q.pendingSum += Size(e.Bytes)
	}
	q.operations[activityOf(e.Kind)].push(operation{id: step.ID, sequence: q.enqueues, name: e.Name, bytes: e.Bytes, number: e.Correlation})
}

// drain takes a queue as empty. What it held was busy no longer than since its
// first enqueue.
func (m *Model) drain(q *queue, time int64, step *Step) {
	if q.depth > 0 && !q.isMeasured {
		step.Occupied = append(step.Occupied, Occupancy{Queue: q.id, From: q.pendingAt, To: time,
			Operations: q.depth, Bytes: q.pendingSum})
	}
	q.drained, q.depth = q.enqueues, 0
}

// measured finds the enqueue of a device activity, 0 if it was not seen.
func (q *queue) measured(a *Activity) int64 {
	q.isMeasured = true
	op, ok := q.match(a)
	if ok && a.Name == 0 {
		a.Name = op.name
	}
	return op.id
}

// Operations that never got an activity are given up when so many newer ones of
// their kind did: they would be looked at each time. Numbers tell operations
// apart, so those that have one are given more time: the runtime may measure some
// of a kind at once, and read the times of others a page of 512 at a time, from each
// of the threads whose synchronous constructs are one queue here.
const (
	maxUnmatched = 128
	maxNumbered  = 16 * 512
)

// match finds the enqueue of an activity: by the correlation number where the
// runtime gives both. Else: operations of a queue finish in the order of their
// enqueueing, so it is the first one of the same kind that has no activity yet,
// with the same byte count if there is one. Activities of different kinds come in
// any order.
func (q *queue) match(a *Activity) (op operation, ok bool) {
	if a.Kind != ActivityKernel && a.Kind != ActivityUpload && a.Kind != ActivityDownload {
		return op, false // nothing is enqueued for it
	}
	o := &q.operations[a.Kind]
	at, limit := o.numbered(a), maxNumbered
	if at < 0 && !(q.isNumbered && a.Correlation != 0) {
		at, limit = o.oldest(a), maxUnmatched
	}
	if at < 0 {
		return op, false
	}
	o.at(at).matched = true
	op = *o.at(at)
	if op.sequence > q.drained {
		q.depth--
	}
	for o.count > 0 && (o.at(0).matched || at > limit) {
		if first := o.at(0); !first.matched && first.sequence > q.drained {
			q.depth-- // those behind it are done
		}
		o.pop()
		at--
	}
	return op, true
}

// numbered finds the operation that has the activity's number; that of the next
// activity is often close behind it.
func (o *operations) numbered(a *Activity) int {
	if a.Correlation == 0 {
		return -1
	}
	at := o.find(a.Correlation, o.hint, o.count)
	if at < 0 {
		at = o.find(a.Correlation, 0, min(o.hint, o.count))
	}
	if at >= 0 {
		o.hint = at + 1
	}
	return at
}

func (o *operations) find(number uint64, from, to int) int {
	for i := from; i < to; i++ {
		if op := o.at(i); op.number == number && !op.matched {
			return i
		}
	}
	return -1
}

func (o *operations) oldest(a *Activity) int {
	found := -1
	for i := range min(o.count, 2*maxUnmatched) {
		op := o.at(i)
		if op.matched || op.number != 0 {
			continue
		}
		if a.Kind == ActivityKernel || op.bytes == a.Bytes {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}
