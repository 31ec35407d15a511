package write

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// CPUSample is what a thread was doing at a moment.
type CPUSample struct {
	Process model.ProcessID
	TID     int
	Time    int64    // on the trace's clock
	Weight  int64    // ns of processor time that it stands for
	Stack   []uint64 // as return addresses, innermost first
}

// CPUSamples fills the trace with what processors were sampled at, once all events are in it.
type CPUSamples struct {
	w       *Writer
	stacks  dictionary[store.StackFrame]
	threads map[cpuThread][]threadOf
	of      map[model.ThreadID][]cpuMoment
}

type cpuThread struct {
	process model.ProcessID
	tid     int
}

// threadOf is a thread, and when the first event of it is.
type threadOf struct {
	thread model.ThreadID
	first  int64
}

// cpuMoment is a sample of a thread, and what it lies in.
type cpuMoment struct {
	id, time, record int64
	doing            int8
}

// BeginCPUSamples begins to fill the trace; what an earlier collector did of that is undone.
func (w *Writer) BeginCPUSamples() (*CPUSamples, error) {
	if err := w.Commit(); err != nil {
		return nil, err
	}
	c := &CPUSamples{w: w, threads: map[cpuThread][]threadOf{}, of: map[model.ThreadID][]cpuMoment{}}
	err := w.change(func() error {
		return sqlitex.ExecuteScript(w.conn, "DELETE FROM cpu_sample; DELETE FROM cpu_stack;", nil)
	})
	if err != nil {
		return nil, err
	}
	// The kernel gives a number again when its thread has ended.
	err = sqlitex.Execute(w.conn, `SELECT t.process, t.tid, t.id, min(r.time) FROM thread t JOIN site s ON s.thread = t.id JOIN record r ON r.site = s.id GROUP BY t.id ORDER BY 4`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			k := cpuThread{model.ProcessID(s.ColumnInt64(0)), s.ColumnInt(1)}
			c.threads[k] = append(c.threads[k], threadOf{model.ThreadID(s.ColumnInt64(2)), s.ColumnInt64(3)})
			return nil
		}})
	return c, schema.Explain(w.path, err)
}

// Add takes a sample in. Its stack may be used again.
func (c *CPUSamples) Add(x CPUSample) error {
	stack := int64(0)
	for _, address := range slices.Backward(x.Stack) {
		key := store.StackFrame{Parent: stack, Address: address}
		id, fresh := c.stacks.id(key)
		if fresh {
			if err := c.w.execute("INSERT INTO cpu_stack VALUES (?, ?, ?)", id, key.Parent, int64(key.Address)); err != nil {
				return err
			}
		}
		stack = id
	}
	thread := model.ThreadID(0)
	for i, t := range c.threads[cpuThread{x.Process, x.TID}] {
		if i == 0 || t.first <= x.Time {
			thread = t.thread
		}
	}
	if err := c.w.execute("INSERT INTO cpu_sample VALUES (NULL, ?, ?, ?, ?, ?, ?, 0, 0)", int64(x.Process), orNull(int64(thread), thread != 0), x.TID, x.Time, x.Weight, stack); err != nil {
		return err
	}
	if thread != 0 {
		c.of[thread] = append(c.of[thread], cpuMoment{id: c.w.conn.LastInsertRowID(), time: x.Time})
	}
	return nil
}

// What a sample lies in, as cpu_sample.doing has it.
const (
	doingOpenACC = iota + 1
	doingWait
	doingMPI
)

// Finish finds out which spans samples lie in. An inner one has the greater number, and comes
// later.
func (c *CPUSamples) Finish() error {
	for _, list := range c.of {
		slices.SortFunc(list, func(a, b cpuMoment) int { return cmp.Compare(a.time, b.time) })
	}
	if err := c.w.Commit(); err != nil {
		return err
	}
	err := sqlitex.Execute(c.w.conn, `SELECT r.id, s.thread, s.kind, r.time, r.duration FROM record r JOIN site s ON s.id = r.site
		WHERE r.end_sequence <> 0 ORDER BY r.id`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		list := c.of[model.ThreadID(s.ColumnInt64(1))]
		start, end := s.ColumnInt64(3), int64(math.MaxInt64)
		if s.ColumnType(4) != sqlite.TypeNull {
			end = start + s.ColumnInt64(4)
		}
		at := sort.Search(len(list), func(i int) bool { return list[i].time >= start })
		for ; at < len(list) && list[at].time < end; at++ {
			list[at].record = s.ColumnInt64(0)
			switch kind := s.ColumnInt32(2); kind {
			case model.RangeStart, model.FrameStart:
			case model.WaitStart:
				list[at].doing = doingWait
			case model.MPIStart:
				list[at].doing = doingMPI
			default:
				list[at].doing = doingOpenACC
			}
		}
		return nil
	}})
	if err != nil {
		return schema.Explain(c.w.path, err)
	}
	for _, list := range c.of {
		for _, m := range list {
			if m.record == 0 {
				continue
			}
			if err := c.w.execute("UPDATE cpu_sample SET record = ?, doing = ? WHERE id = ?", m.record, int64(m.doing), m.id); err != nil {
				return err
			}
		}
	}
	return c.w.Commit()
}

// eachCPUAddress calls visit for the addresses in the stacks of samples, by process.
func (w *Writer) eachCPUAddress(visit func(Return)) error {
	return sqlitex.Execute(w.conn, `WITH RECURSIVE walk (process, stack) AS (SELECT DISTINCT process, stack FROM cpu_sample
			UNION SELECT w.process, k.parent FROM walk w CROSS JOIN cpu_stack k ON k.id = w.stack WHERE k.parent <> 0)
		SELECT DISTINCT w.process, k.address FROM walk w CROSS JOIN cpu_stack k ON k.id = w.stack`, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		visit(Return{model.ProcessID(s.ColumnInt64(0)), uint64(s.ColumnInt64(1))})
		return nil
	}})
}
