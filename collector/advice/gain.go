package advice

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// gain is the wall time that the program is shorter by without what rows of evidence
// show, in nanoseconds. What a thread does itself, and what it waits
// for on the synchronous queue, it is spared, but up to a wait for an async queue no
// more than this queue leaves: a thread that gets there sooner waits longer. What an
// async queue does costs wall time only while a thread waits for this queue and no other
// one works. Threads and processes run side by side: the one that gains most counts.
func (w *waiting) gain(rows []occurrence, elsewhere bool) int64 {
	host := map[owner][]report.Interval{}
	async := map[owner][]occurrence{}
	for _, o := range rows {
		by := owner{o.process, o.thread}
		host[by] = append(host[by], report.Interval{Start: o.start, End: o.end})
		switch {
		case o.deviceEnd <= o.deviceStart:
		case o.queue == callbacks.AsyncSync:
			host[by] = append(host[by], w.blockedBy(by, report.Interval{Start: o.deviceStart, End: o.deviceEnd})...)
		default:
			async[by] = append(async[by], o)
		}
	}
	most := int64(0)
	for by, intervals := range host {
		shorter := w.shorter(async[by])
		gain := report.Covered(intervals)
		if elsewhere {
			for _, duration := range shorter {
				gain += duration
			}
		} else {
			gain = w.bounded(by, report.Merge(intervals), async[by], shorter)
		}
		most = max(most, gain)
	}
	return most
}

// waiting is when threads were blocked for async queues, and for which.
type waiting struct {
	waits map[int64][]blocked // by process, in order of their ends
	tasks map[task][]operated // of async queues, in order of their starts
	busy  []occurrence        // what queues did, until all is read
	// synchronous are a thread's waits for the synchronous queue, in order; within, the
	// downloads and launches on it that the thread was back from when they were done.
	synchronous, within map[owner][]report.Interval
}

func newWaiting() *waiting {
	return &waiting{waits: map[int64][]blocked{}, tasks: map[task][]operated{}, synchronous: map[owner][]report.Interval{}, within: map[owner][]report.Interval{}}
}

type (
	owner struct{ process, thread int64 }
	// task is what a thread has put onto a queue.
	task struct {
		owner
		queue int64
	}
	operated struct{ enqueued, start, end int64 }
)

// blocked is a wait of a thread, and for how long of it a queue alone was busy.
type blocked struct {
	report.Interval
	thread, queue int64
	alone         map[int64]int64 // by queue, async_queue
}

// blockedBy is the part of what the synchronous queue does in which the thread waits for it,
// or for a download behind it: all of it, where no such waits are told. Behind a transfer that
// a construct has enqueued the thread goes on with its launch, and what it does next takes
// time of its own.
func (w *waiting) blockedBy(by owner, at report.Interval) (list []report.Interval) {
	waits := w.synchronous[by]
	if len(waits) == 0 {
		return []report.Interval{at}
	}
	for i := sort.Search(len(waits), func(i int) bool { return waits[i].End > at.Start }); i < len(waits) && waits[i].Start < at.End; i++ {
		list = append(list, report.Interval{Start: max(at.Start, waits[i].Start), End: min(at.End, waits[i].End)})
	}
	return list
}

// shorter is how much shorter the waits are without the device's work of rows, by their
// place among those of the process: for each wait at most the time in which their queue
// alone kept the thread.
func (w *waiting) shorter(rows []occurrence) map[int]int64 {
	by := map[int]int64{}
	if len(rows) == 0 {
		return by
	}
	type awaited struct {
		wait  int
		queue int64
	}
	busy := map[awaited]int64{}
	waits := w.waits[rows[0].process]
	for _, o := range rows {
		// The first wait that ends after the operation does.
		i := sort.Search(len(waits), func(i int) bool { return waits[i].End >= o.deviceEnd })
		if i < len(waits) {
			busy[awaited{i, o.queue}] += o.deviceEnd - o.deviceStart
		}
	}
	for at, duration := range busy {
		by[at.wait] += min(duration, waits[at.wait].alone[at.queue])
	}
	return by
}

// bounded is what a thread is spared, of host's intervals, which are merged, and of its
// waits. From the end of one wait for an async queue to that of the next it takes at
// least as long as what the queue has to do in any case: what the thread does not
// enqueue in its intervals, and is not among rows.
func (w *waiting) bounded(by owner, host []report.Interval, rows []occurrence, shorter map[int]int64) (gain int64) {
	spared := map[[2]int64]bool{}
	for _, o := range rows {
		spared[[2]int64{o.queue, o.deviceStart}] = true
	}
	from, next := int64(math.MinInt64), 0 // of the stretch; the first interval that may lie in it
	for i, wait := range w.waits[by.process] {
		if wait.thread != by.thread || wait.queue == callbacks.AsyncSync {
			gain += shorter[i]
			continue
		}
		inside := int64(0)
		for ; next < len(host) && host[next].Start < wait.End; next++ {
			inside += min(host[next].End, wait.End) - max(host[next].Start, from)
			if host[next].End > wait.End {
				break
			}
		}
		if inside > 0 {
			inside = min(inside+shorter[i], w.remaining(task{by, wait.queue}, from, wait.End, host, spared))
		} else {
			inside = shorter[i]
		}
		gain += inside
		from = wait.End
	}
	for ; next < len(host); next++ {
		gain += max(host[next].End-max(host[next].Start, from), 0)
	}
	return gain
}

// remaining is how much of a stretch of time remains beside what a thread's queue has to do in
// any case. A stretch that begins with the trace does so with the queue's first operation.
func (w *waiting) remaining(t task, from, to int64, host []report.Interval, spared map[[2]int64]bool) int64 {
	operations := w.tasks[t]
	if from == math.MinInt64 {
		from = host[0].Start
		if len(operations) > 0 {
			from = min(from, operations[0].enqueued)
		}
	}
	rest := to - from
	for i := sort.Search(len(operations), func(i int) bool { return operations[i].end > from }); i < len(operations) && operations[i].start < to; i++ {
		o := operations[i]
		at := sort.Search(len(host), func(i int) bool { return host[i].End >= o.enqueued })
		if at < len(host) && host[at].Start <= o.enqueued || spared[[2]int64{t.queue, o.start}] {
			continue
		}
		rest -= min(o.end, to) - max(o.start, from)
	}
	return max(rest, 0)
}

// take notes waits, and what threads put onto async queues.
func (w *waiting) take(h *happening) {
	s := h.Site
	switch {
	case h.wait() && h.ended && h.Duration > 0:
		process := int64(s.Process)
		w.waits[process] = append(w.waits[process], blocked{report.Interval{Start: h.Start, End: h.End()}, int64(s.Thread), s.AsyncQueue, nil})
	case (h.download() || h.kernel()) && s.AsyncQueue == callbacks.AsyncSync: // a kernel whose GPU code is executed runs in its launch
		if h.measured && h.ended && h.device.end > h.Start && h.End() >= h.device.end {
			by := owner{int64(s.Process), int64(s.Thread)}
			w.within[by] = append(w.within[by], report.Interval{Start: h.Start, End: h.device.end})
		}
	case h.measured && h.device.end > h.device.start && s.AsyncQueue != callbacks.AsyncSync:
		t := task{owner{int64(s.Process), int64(s.Thread)}, s.AsyncQueue}
		w.tasks[t] = append(w.tasks[t], operated{h.Start, h.device.start, h.device.end})
	}
}

// activity notes what a queue did.
func (w *waiting) activity(a *store.Activity) {
	if a.Duration > 0 {
		w.busy = append(w.busy, occurrence{process: int64(a.Work.Process), queue: a.Work.AsyncQueue, deviceStart: a.Start, deviceEnd: a.End()})
	}
}

// complete is called when all has been read.
func (w *waiting) complete() {
	for _, list := range w.waits {
		slices.SortStableFunc(list, func(a, b blocked) int { return cmp.Compare(a.End, b.End) })
	}
	for process, list := range w.waits {
		for _, wait := range list {
			if by := (owner{process, wait.thread}); wait.queue == callbacks.AsyncSync {
				w.synchronous[by] = append(w.synchronous[by], wait.Interval)
			}
		}
	}
	for by, list := range w.synchronous {
		w.synchronous[by] = report.Merge(slices.Concat(list, w.within[by]))
	}
	for _, list := range w.tasks {
		slices.SortStableFunc(list, func(a, b operated) int { return cmp.Compare(a.start, b.start) })
	}
	slices.SortStableFunc(w.busy, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.deviceStart, b.deviceStart))
	})
	add := w.activities()
	for _, o := range w.busy {
		add(o)
	}
	w.busy = nil
}

// activities takes what the queues of a process did, in the order in which it began, and
// notes for each wait the time in which one queue alone was busy: a queue is alone
// from the end of what the others did before to the begin of what comes next, and so
// much is added as its operation begins and taken away as another one overlaps it.
func (w *waiting) activities() (add func(occurrence)) {
	last := occurrence{}
	return func(o occurrence) {
		if o.process != last.process {
			last = occurrence{process: o.process}
		}
		from := o.deviceStart
		if last.deviceEnd > from && last.queue != o.queue {
			w.addAlone(o.process, last.queue, from, min(last.deviceEnd, o.deviceEnd), -1)
			from = min(last.deviceEnd, o.deviceEnd)
		}
		w.addAlone(o.process, o.queue, from, o.deviceEnd, 1)
		if o.deviceEnd > last.deviceEnd {
			last = o
		}
	}
}

// addAlone adds the time of a queue to the waits that it lies in.
func (w *waiting) addAlone(process, queue, from, to, sign int64) {
	waits := w.waits[process]
	for i := sort.Search(len(waits), func(i int) bool { return waits[i].End > from }); i < len(waits) && waits[i].Start < to; i++ {
		if overlap := min(to, waits[i].End) - max(from, waits[i].Start); overlap > 0 {
			if waits[i].alone == nil {
				waits[i].alone = map[int64]int64{}
			}
			waits[i].alone[queue] += sign * overlap
		}
	}
}
