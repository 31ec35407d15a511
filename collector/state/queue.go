package state

import (
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// operation is one on a queue that is not known to be done.
type operation struct {
	record int64
	time   int64 // of its enqueueing
	thread model.ThreadID
}

// queue is the state of an async queue.
type queue struct {
	sync         bool // the synchronous queue: threads share it
	enqueued     int64
	pending      []operation // in the order of their enqueueing
	forgotten    int64       // more of these, older ones
	newest       int64       // record of the last one enqueued
	last         store.Activity
	measured     bool
	busy         int64 // ns of device time
	covered      coverage
	bound        int64 // ns, where not measured
	waits        int64
	ran          recent[Stretch]
	occupied     recent[Stretch]
	blocked      recent[Stretch]
	dependencies []*dependency // the newest
	followers    []*dependency // of other queues on this one, that are not over or not exactly known
	sum          int64         // of dependencies
	heldBack     int64         // ns, by those that are not remembered
}

// The most operations and dependencies that are remembered of a queue.
const (
	mostPending      = 1 << 16
	mostDependencies = 256
)

// dependency is a queue's wait for another one. It holds its queue back from when
// that has done what came before until the other one has done what it had to do then.
type dependency struct {
	Dependency
	own, other int64 // records of the last operations before it, on its queue and on the other one
	exact      bool  // To is known for good
}

func (r *Reader) queue(id model.QueueID) *queue { return lookup.New(r.queues, id) }

// enqueue takes in that something was put onto a queue.
func (r *Reader) enqueue(t *thread, x *store.Record) {
	q := r.queue(x.Site.Queue)
	q.sync = x.Site.AsyncQueue == model.AsyncSync
	q.enqueued++
	q.newest = x.ID
	if q.sync && len(t.stack) > 0 && t.stack[0].counted && !r.cutOff(&t.stack[0].Record) {
		return // the construct has returned by then
	}
	if len(q.pending) == mostPending {
		q.pending = q.pending[1:]
		q.forgotten++
	}
	q.pending = append(q.pending, operation{x.ID, x.Start, x.Site.Thread})
}

// did takes in that an operation of a thread is done: operations of a queue run in
// the order of their enqueueing, on the synchronous queue those of each thread.
func (q *queue) did(record int64, thread model.ThreadID) {
	if q.sync {
		q.drain(func(o *operation) bool { return o.record <= record && o.thread == thread })
		return
	}
	n := 0
	for n < len(q.pending) && q.pending[n].record <= record {
		n++
	}
	if n > 0 {
		q.pending, q.forgotten = q.pending[n:], 0
	}
}

// drain takes operations as done.
func (q *queue) drain(done func(*operation) bool) {
	q.pending = slices.DeleteFunc(q.pending, func(o operation) bool { return done(&o) })
	q.forgotten = 0
}

// waited takes in a wait of the host that is over: what was enqueued before it is
// done, unless the wait was cut off.
func (q *queue) waited(x *store.Record, counts, done bool) {
	if counts {
		q.waits++
		q.blocked.add(Stretch{From: x.Start, To: x.End(), Busy: x.Duration, Record: x.ID, Site: x.Site}, bothStretches)
	}
	if !done {
		return
	}
	q.drain(func(o *operation) bool { return o.record < x.ID })
	if !q.measured {
		q.release(x.ID-1, x.End(), false)
	}
}

// takePending takes in the waits between queues, and the changes of memory by other
// than allocs and frees, up to a time: before what happened later.
func (r *Reader) takePending(time int64) {
	for len(r.pending) > 0 && r.pending[0].Time <= time {
		d := &r.pending[0]
		q, other := r.queue(d.Queue), r.queue(d.Awaited)
		q.sum++
		x := &dependency{Dependency: Dependency{Sequence: q.sum, Queue: int64(d.Awaited), Time: d.Time, From: d.Time, Source: Source{File: d.File, Line: d.Line}},
			own: q.newest, other: other.newest}
		if q.last.Record != 0 && q.last.Record <= x.own {
			x.From = max(x.From, q.last.End())
		}
		switch {
		case other.last.Record != 0 && other.last.Record == x.other:
			x.To, x.Measured, x.exact = max(other.last.End(), x.From), true, true
		case !slices.ContainsFunc(other.pending, func(o operation) bool { return o.record <= x.other }):
			x.To, x.exact = x.From, true
		}
		if !x.exact {
			other.followers = append(other.followers, x)
		}
		if len(q.dependencies) == mostDependencies {
			q.heldBack += q.dependencies[0].duration()
			q.dependencies = q.dependencies[1:]
		}
		q.dependencies = append(q.dependencies, x)
		r.pending = r.pending[1:]
	}
	for len(r.samples) > 0 && r.samples[0].Time <= time {
		s := r.samples[0]
		r.device(s.Device).now(s.Time, s.Used)
		r.samples = r.samples[1:]
	}
}

// duration is how long a dependency that is over held its queue back, ns.
func (x *dependency) duration() int64 { return max(x.To-x.From, 0) }

// ranUntil tells the dependencies that an operation of this queue has ended: its own
// ones began to hold it back no earlier, those on it may be over. The times of two
// queues come in any order.
func (q *queue) ranUntil(record, end int64) {
	for i := len(q.dependencies) - 1; i >= 0 && q.dependencies[i].own >= record; i-- {
		if x := q.dependencies[i]; end > x.From {
			x.From = end
			if x.To != 0 {
				x.To = max(x.To, end)
			}
		}
	}
	q.release(record, end, true)
}

// release ends the dependencies on what this queue had done at a time. Until the end
// of the very operation that they wait for is known, what comes later may tell more
// exactly.
func (q *queue) release(record, time int64, measured bool) {
	q.followers = slices.DeleteFunc(q.followers, func(x *dependency) bool {
		if x.other > record || x.To != 0 && (!measured || x.Measured && time >= x.To) {
			return false
		}
		x.To, x.Measured, x.exact = max(time, x.From), measured, measured && record == x.other
		return x.exact
	})
	if n := len(q.followers); n > mostDependencies && q.followers[0].To != 0 {
		q.followers = slices.Delete(q.followers, 0, 1)
	}
}
