package advice

import (
	"sort"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// gain is the wall time that the program is shorter by without what the group
// shows, in nanoseconds, at most wall. What a thread does itself, and what it waits
// for on the synchronous queue, it is spared. What an async queue does costs wall
// time only while a thread waits for this queue and no other one works. Threads and
// processes run side by side: the one that gains most counts.
func (g *group) gain(w *waiting, wall int64) (int64, error) {
	type owner struct{ process, thread int64 }
	host := map[owner][]report.Interval{}
	async := map[owner][]occurrence{}
	for _, o := range g.rows {
		by := owner{o.process, o.thread}
		host[by] = append(host[by], report.Interval{Start: o.start, End: o.end})
		switch {
		case o.deviceEnd <= o.deviceStart:
		case o.queue == callbacks.AsyncSync:
			host[by] = append(host[by], report.Interval{Start: o.deviceStart, End: o.deviceEnd})
		default:
			async[by] = append(async[by], o)
		}
	}
	most := int64(0)
	for by, intervals := range host {
		gain := report.Covered(intervals)
		if len(async[by]) > 0 {
			shorter, err := w.shorter(async[by])
			if err != nil {
				return 0, err
			}
			gain += shorter
		}
		most = max(most, gain)
	}
	return min(most, wall), nil
}

// waiting is when threads were blocked for async queues, and for which.
type waiting struct {
	trace *store.Trace
	read  bool
	waits map[int64][]blocked // by process, in order of their ends
}

// blocked is a wait of a thread, and for how long of it a queue alone was busy.
type blocked struct {
	report.Interval
	alone map[int64]int64 // by queue, async_queue
}

// shorter is how much shorter the waits are without the device's work of rows: for
// each wait at most the time in which their queue alone kept the thread.
func (w *waiting) shorter(rows []occurrence) (int64, error) {
	if err := w.load(); err != nil {
		return 0, err
	}
	type hold struct {
		wait  int
		queue int64
	}
	held := map[hold]int64{}
	waits := w.waits[rows[0].process]
	for _, o := range rows {
		// The first wait that ends after the operation does.
		i := sort.Search(len(waits), func(i int) bool { return waits[i].End >= o.deviceEnd })
		if i < len(waits) {
			held[hold{i, o.queue}] += o.deviceEnd - o.deviceStart
		}
	}
	sum := int64(0)
	for at, duration := range held {
		sum += min(duration, waits[at.wait].alone[at.queue])
	}
	return sum, nil
}

// load reads the waits and what the queues did in them.
func (w *waiting) load() error {
	if w.read {
		return nil
	}
	w.read = true
	w.waits = map[int64][]blocked{}
	err := sqlitex.Execute(w.trace.Conn(), `SELECT process, start, end FROM waits WHERE end > start ORDER BY end`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			process := s.ColumnInt64(0)
			w.waits[process] = append(w.waits[process], blocked{report.Interval{Start: s.ColumnInt64(1), End: s.ColumnInt64(2)}, map[int64]int64{}})
			return nil
		}})
	if err != nil {
		return err
	}
	add := w.activities()
	return sqlitex.Execute(w.trace.Conn(), `SELECT process, async_queue, start, end FROM device_activity WHERE end > start ORDER BY process, start`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			add(occurrence{process: s.ColumnInt64(0), queue: s.ColumnInt64(1), deviceStart: s.ColumnInt64(2), deviceEnd: s.ColumnInt64(3)})
			return nil
		}})
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
			waits[i].alone[queue] += sign * overlap
		}
	}
}
