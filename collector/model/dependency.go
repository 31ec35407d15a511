package model

import "github.com/accscope/accscope/collector/capture"

// Dependency is a queue that was made to wait for another one, in its place in
// the trace: Time and Recorded are nanoseconds on the trace's clock, SourceFile
// is one of its Names.
type Dependency struct {
	capture.Dependency
	Process ProcessID
}

// dependency is a queue's wait for another one. It held its queue back from when
// that had done what came before until the other one had done what it held then.
type dependency struct {
	queue    *queue
	number   int64 // on its queue, from 1
	awaited  QueueID
	time     int64
	file     Name
	line     int32
	own      int64 // sequence of the last operation on its queue before it
	other    int64 // sequence of the last operation that it waits for
	from, to int64 // to 0: not known to be over
	measured bool
	end      int64 // sequence of the operation whose measured end to is
}

// The dependencies remembered per queue: the newest ones.
const maxDependencies = 32

// ApplyDependency folds a wait between queues in and gives the two.
func (m *Model) ApplyDependency(d *Dependency) (queue, awaited QueueID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = max(m.now, d.Recorded, d.Time)
	device := m.directory.Device(d.Process, d.DeviceType, d.DeviceNumber)
	queue, awaited = m.directory.Queue(device, d.Queue), m.directory.Queue(device, d.Awaited)
	q, other := m.queue(queue), m.queue(awaited)
	q.dependencySum++
	x := &dependency{queue: q, number: q.dependencySum, awaited: awaited, time: d.Time, file: d.SourceFile, line: d.Line,
		own: q.enqueuedAt(d.Time), other: other.enqueuedAt(d.Time), from: d.Time}
	if q.last.id != 0 && q.last.sequence <= x.own {
		x.from = max(x.from, q.lastEnd)
	}
	switch {
	case other.last.id != 0 && other.last.sequence >= x.other:
		x.to, x.measured, x.end = max(other.lastEnd, x.from), true, other.last.sequence
		if other.last.sequence > x.other {
			x.to = x.from // it was over before it was heard of
		}
	case other.drained >= x.other:
		x.to = x.from
	default:
		other.followers = append(other.followers, x)
	}
	if len(q.dependencies) == maxDependencies {
		q.dependencies = append(q.dependencies[:0], q.dependencies[1:]...)
	}
	q.dependencies = append(q.dependencies, x)
	if x.to != 0 {
		q.heldBack += x.to - x.from
	}
	return queue, awaited
}

// enqueuedAt is the sequence of the last operation enqueued until time.
func (q *queue) enqueuedAt(time int64) int64 {
	sequence := q.enqueues
	for k := range q.operations {
		o := &q.operations[k]
		for i := o.count - 1; i >= 0 && o.at(i).time > time; i-- {
			sequence = min(sequence, o.at(i).sequence-1)
		}
	}
	return sequence
}

// ranUntil tells the dependencies that an operation of this queue has ended: its
// own ones began to hold it back no earlier, those on it may be over. Records of
// two queues come in any order.
func (q *queue) ranUntil(sequence, end int64) {
	for _, x := range q.dependencies {
		if x.own >= sequence && end > x.from {
			if x.to != 0 {
				q.heldBack -= min(end, x.to) - x.from
				x.to = max(x.to, end)
			}
			x.from = end
		}
	}
	q.release(sequence, end, true)
}

// release ends the dependencies on what this queue had done at a time. Those that
// a wait of the host bounds, or an operation behind the last one that they wait
// for, are kept: records that come later tell more exactly.
func (q *queue) release(sequence, time int64, measured bool) {
	kept := q.followers[:0]
	for _, x := range q.followers {
		if x.other > sequence || x.to != 0 && !measured || x.measured && x.end <= sequence {
			kept = append(kept, x)
			continue
		}
		if x.to != 0 {
			x.queue.heldBack -= x.to - x.from
		}
		x.to, x.measured, x.end = max(time, x.from), measured, sequence
		x.queue.heldBack += x.to - x.from
		if !measured || x.end > x.other {
			kept = append(kept, x)
		}
	}
	for len(kept) > maxDependencies && kept[0].to != 0 {
		kept = append(kept[:0], kept[1:]...)
	}
	clear(q.followers[len(kept):])
	q.followers = kept
}

func (m *Model) dependencyView(x *dependency) DependencyView {
	return DependencyView{Sequence: x.number, Queue: m.directory.Queues[x.awaited-1].Number, Time: x.time, From: x.from, To: x.to,
		Measured: x.measured, Source: m.at(x.file, x.line, 0)}
}
