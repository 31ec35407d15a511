package store

import (
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// CPUStack is a call stack that processors were sampled at, in a thread.
type CPUStack struct {
	Process model.ProcessID
	Thread  model.ThreadID // 0: one that raised no event
	Doing   string         // OpenACC, waiting, MPI or else: what the thread was in
	Frames  []*Frame       // outermost first, without what starts programs and threads
	Time    int64          // of a processor, ns
	Count   int64          // samples
}

// CPUStacks sums the samples of processors by their call stacks, those of most time first.
// They are of no event: a filter that chooses among events by more than time, process and
// thread has none.
func (t *Trace) CPUStacks(f Filter) ([]CPUStack, error) {
	if f.Device != 0 || f.Queue != 0 || len(f.Kinds) > 0 || f.Match != nil || f.Spans || f.Within != nil {
		return nil, nil
	}
	from, to := f.Bounds()
	var out []CPUStack
	var stacks []int64
	err := t.each(`SELECT c.process, coalesce(c.thread, 0), c.doing, c.stack, sum(c.weight), count(*) FROM cpu_samples c
		WHERE c.weight + 0 > 0 AND c.time >= ?1 AND c.time < ?2 AND ?3 IN (0, c.process) AND ?4 IN (0, c.thread) AND `+t.ChosenSQL("c.process")+`
		GROUP BY c.process, c.thread, c.doing, c.stack ORDER BY 5 DESC, 1, 2, 4, c.doing`, []any{from, to, int64(f.Process), int64(f.Thread)}, func(s *sqlite.Stmt) error {
		out = append(out, CPUStack{Process: model.ProcessID(s.ColumnInt64(0)), Thread: model.ThreadID(s.ColumnInt64(1)), Doing: s.ColumnText(2), Time: s.ColumnInt64(4), Count: s.ColumnInt64(5)})
		stacks = append(stacks, s.ColumnInt64(3))
		return nil
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	callers := make(Stacks)
	if err := t.each("SELECT id, parent, address FROM cpu_stack WHERE id > 0", nil, func(s *sqlite.Stmt) error {
		callers[s.ColumnInt64(0)] = StackFrame{s.ColumnInt64(1), uint64(s.ColumnInt64(2))}
		return nil
	}); err != nil {
		return nil, err
	}
	list, err := t.Frames()
	if err != nil {
		return nil, err
	}
	known := make(map[returnAddress]*Frame, len(list))
	for i := range list {
		known[returnAddress{list[i].Process, list[i].Address}] = &list[i]
	}
	for i := range out {
		x := &out[i]
		addresses := callers.Frames(stacks[i])
		for at := len(addresses) - 1; at >= 0; at-- {
			f := known[returnAddress{x.Process, addresses[at]}]
			if f == nil {
				f = &Frame{Process: x.Process, Address: addresses[at]}
				known[returnAddress{x.Process, addresses[at]}] = f
			}
			if len(x.Frames) > 0 || at == 0 || !f.starts() {
				x.Frames = append(x.Frames, f)
			}
		}
	}
	return out, nil
}
