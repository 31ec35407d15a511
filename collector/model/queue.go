package model

import "sort"

// operation is something put onto a queue.
type operation struct {
	id       int64 // the enqueue span
	sequence int64 // on its queue, from 1
	activity int32 // the activity it leads to
	name     Name
	file     Name
	line     int32
	time     int64
	bytes    uint64
	number   uint64 // correlation, 0 if the runtime gives none
	thread   ThreadID
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
	info       QueueInfo
	operations [ActivityDownload + 1]operations // by the kind of activity they lead to
	enqueues   int64                            // operations ever enqueued
	depth      int64                            // operations not known done
	drained    int64                            // operations up to this one were done after the last wait
	pendingAt  int64                            // time of the first enqueue since the queue was empty
	pendingSum int64                            // bytes since then
	isMeasured bool                             // device activity was seen
	isNumbered bool                             // operations carry correlation numbers
	busy       int64                            // ns of device time measured
	covered    coverage
	bound      int64 // ns between first enqueue and wait, where not measured
	waits      int64
	waitTime   int64     // ns that threads were blocked
	waiting    int64     // threads in a wait now
	last       operation // the latest one known done
	lastStart  int64
	lastEnd    int64
	activities int64

	dependencies  []*dependency // on other queues, the newest ones
	dependencySum int64
	heldBack      int64         // ns by dependencies that are over
	followers     []*dependency // of other queues on this one, not over or not measured
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
	q.operations[activityOf(e.Kind)].push(operation{id: step.ID, sequence: q.enqueues, activity: activityOf(e.Kind), name: e.Name, file: e.SourceFile,
		line: e.Line, time: e.Time, bytes: e.Bytes, number: e.Correlation, thread: e.Thread})
}

// enqueued takes the host time of an enqueue.
func (m *Model) enqueued(e *Event, step *Step) {
	if step.Phase != Ended {
		return
	}
	s := step.Span
	duration := max(e.Time-s.Start.Time, 0)
	d := m.device(step.Device)
	if e.Kind == EnqueueLaunchEnd {
		d.kernels++
		m.kernel(&s.Start, s.Device).launched(&s.Start, duration)
		return
	}
	way := &d.up
	if e.Kind == EnqueueDownloadEnd {
		way = &d.down
	}
	way.count++
	way.bytes += Size(s.Start.Bytes)
	way.host += duration
	way.recent.add(e.Time, Size(s.Start.Bytes))
}

func (m *Model) waited(e *Event, step *Step) {
	q := m.queue(step.Queue)
	q.waiting = max(q.waiting-1, 0)
	if step.Phase == Ended {
		q.waits++
		q.waitTime += max(e.Time-step.Span.Start.Time, 0)
	}
	m.drain(q, e.Time, step)
}

// drain takes a queue as empty. What it held was busy no longer than since its
// first enqueue.
func (m *Model) drain(q *queue, time int64, step *Step) {
	if q.depth > 0 && !q.isMeasured {
		q.bound += max(time-q.pendingAt, 0)
		step.Occupied = append(step.Occupied, Occupancy{Queue: q.info.ID, From: q.pendingAt, To: time,
			Operations: q.depth, Bytes: q.pendingSum})
	}
	q.drained, q.depth = q.enqueues, 0
	if !q.isMeasured {
		q.release(q.drained, time, false)
	}
}

// measured adds a device activity to its queue, kernel or direction.
func (m *Model) measured(a *Activity, id DeviceID, queueID QueueID) int64 {
	q := m.queue(queueID)
	d := m.device(id)
	q.isMeasured = true
	duration := max(a.End-a.Start, 0)
	// Operations on one queue run one after the other: what overlaps is counted
	// once.
	q.busy += q.covered.add(a.Start, a.End)
	q.activities++
	op, ok := q.match(a)
	if ok && a.Name == 0 {
		a.Name = op.name
	}
	switch a.Kind {
	case ActivityKernel:
		d.kernelTime += duration
		if ok {
			m.kernelOf(op.name, op.file, op.line, id).ran(duration)
		} else {
			m.kernelOf(a.Name, 0, 0, id).ran(duration)
		}
	case ActivityUpload:
		d.up.ran(duration)
	case ActivityDownload:
		d.down.ran(duration)
	}
	return op.id // 0 if there is none
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
	if op.sequence > q.last.sequence {
		q.last, q.lastStart, q.lastEnd = op, a.Start, a.End
	}
	q.ranUntil(op.sequence, a.End)
	return op, true
}

// next is the first operation since the queue was waited for that is not known
// done; nil if there is none, or it is forgotten.
func (q *queue) next() *operation {
	var next *operation
	for k := range q.operations {
		o := &q.operations[k]
		first := sort.Search(o.count, func(i int) bool { return o.at(i).sequence > q.drained })
		for ; first < o.count && o.at(first).matched; first++ {
		}
		if first < o.count && (next == nil || o.at(first).sequence < next.sequence) {
			next = o.at(first)
		}
	}
	return next
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

func (w *direction) ran(duration int64) {
	if w.measured == 0 || duration < w.minimum {
		w.minimum = duration
	}
	w.measured++
	w.device += duration
	w.maximum = max(w.maximum, duration)
}

// kernelKey is a kernel at its place in the source.
type kernelKey struct {
	name, file Name
	line       int32
	device     DeviceID
}

type kernel struct {
	function               Name
	count                  int64
	host                   int64 // ns in the enqueue calls
	measured               int64
	time, minimum, maximum int64 // ns on the device
	gangs, workers, vector uint64
	last                   int64
}

func (m *Model) kernel(e *Event, device DeviceID) *kernel {
	return m.kernelOf(e.Name, e.SourceFile, e.Line, device)
}

func (m *Model) kernelOf(name, file Name, line int32, device DeviceID) *kernel {
	key := kernelKey{name, file, line, device}
	k := m.kernels[key]
	if k == nil {
		k = new(kernel)
		m.kernels[key] = k
	}
	return k
}

func (k *kernel) launched(e *Event, host int64) {
	k.count++
	k.host += host
	k.function = e.Function
	k.gangs, k.workers, k.vector = e.Gangs, e.Workers, e.Vector
	k.last = e.Time
}

func (k *kernel) ran(duration int64) {
	if k.measured == 0 || duration < k.minimum {
		k.minimum = duration
	}
	k.measured++
	k.time += duration
	k.maximum = max(k.maximum, duration)
}
