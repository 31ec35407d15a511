package store

import (
	"github.com/accscope/accscope/collector/lookup"
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

// CPUSample is a sample of a processor.
type CPUSample struct {
	Process model.ProcessID
	Thread  model.ThreadID // 0: one that raised no event
	TID     int64          // the kernel's number
	Time    int64
	Stack   int64    // equal ones of a process have the same frames
	Frames  []*Frame // outermost first, without what starts programs and threads
}

// chooses says whether a filter chooses among events by more than time, process and thread: samples
// are of no event.
func (f *Filter) chooses() bool {
	return f.Device != 0 || f.Queue != 0 || len(f.Kinds) > 0 || f.Match != nil || f.Spans || f.Within != nil
}

// FirstCPUSample is the time of the first sample of processors, which may be before the first
// event; 0 where that is later, or none is.
func (t Sampled) FirstCPUSample() (int64, error) {
	return t.trace.Number("reading samples", "SELECT min(coalesce(min(time), 0), 0) FROM cpu_sample WHERE "+t.trace.ChosenSQL("process"))
}

// CPUSamples gives the samples of processors in the order of their times; of a filter that chooses
// among events by more than time, process and thread none. One is valid until the next.
func (t Sampled) CPUSamples(f Filter, each func(*CPUSample) error) error {
	if f.chooses() {
		return nil
	}
	frames, err := t.cpuFrames()
	if err != nil {
		return err
	}
	from, to := f.Bounds()
	type key struct {
		process model.ProcessID
		stack   int64
	}
	known := map[key][]*Frame{}
	return t.trace.each(`SELECT process, coalesce(thread, 0), tid, time, stack FROM cpu_sample
		WHERE weight + 0 > 0 AND time >= ?1 AND time < ?2 AND ?3 IN (0, process) AND ?4 IN (0, thread) AND `+t.trace.ChosenSQL("process")+` ORDER BY time, id`,
		[]any{from, to, int64(f.Process), int64(f.Thread)}, func(s *sqlite.Stmt) error {
			x := CPUSample{Process: model.ProcessID(s.ColumnInt64(0)), Thread: model.ThreadID(s.ColumnInt64(1)), TID: s.ColumnInt64(2), Time: s.ColumnInt64(3), Stack: s.ColumnInt64(4)}
			x.Frames = lookup.Make(known, key{x.Process, x.Stack}, func() []*Frame { return frames.of(x.Process, x.Stack) })
			return each(&x)
		})
}

// cpuFrames are the frames that processors were sampled in.
type cpuFrames struct {
	callers Stacks
	known   map[returnAddress]*Frame
}

func (t Sampled) cpuFrames() (*cpuFrames, error) {
	k := &cpuFrames{callers: make(Stacks)}
	if err := t.trace.each("SELECT id, parent, address FROM cpu_stack WHERE id > 0", nil, func(s *sqlite.Stmt) error {
		k.callers[s.ColumnInt64(0)] = StackFrame{s.ColumnInt64(1), uint64(s.ColumnInt64(2))}
		return nil
	}); err != nil {
		return nil, err
	}
	list, err := t.trace.Frames()
	k.known = make(map[returnAddress]*Frame, len(list))
	for i := range list {
		k.known[returnAddress{list[i].Process, list[i].Address}] = &list[i]
	}
	return k, err
}

// of are the frames of a process's stack, outermost first, without what starts programs and threads.
func (k *cpuFrames) of(process model.ProcessID, stack int64) (frames []*Frame) {
	addresses := k.callers.Frames(stack)
	for at := len(addresses) - 1; at >= 0; at-- {
		f := lookup.Make(k.known, returnAddress{process, addresses[at]}, func() *Frame { return &Frame{Process: process, Address: addresses[at]} })
		if len(frames) > 0 || at == 0 || !f.starts() {
			frames = append(frames, f)
		}
	}
	return frames
}

// CPUStacks sums the samples of processors by their call stacks, those of most time first.
// They are of no event: a filter that chooses among events by more than time, process and
// thread has none.
func (t Sampled) CPUStacks(f Filter) ([]CPUStack, error) {
	if f.chooses() {
		return nil, nil
	}
	from, to := f.Bounds()
	var out []CPUStack
	var stacks []int64
	err := t.trace.each(`SELECT c.process, coalesce(c.thread, 0), c.doing, c.stack, sum(c.weight), count(*) FROM cpu_samples c
		WHERE c.weight + 0 > 0 AND c.time >= ?1 AND c.time < ?2 AND ?3 IN (0, c.process) AND ?4 IN (0, c.thread) AND `+t.trace.ChosenSQL("c.process")+`
		GROUP BY c.process, c.thread, c.doing, c.stack ORDER BY 5 DESC, 1, 2, 4, c.doing`, []any{from, to, int64(f.Process), int64(f.Thread)}, func(s *sqlite.Stmt) error {
		out = append(out, CPUStack{Process: model.ProcessID(s.ColumnInt64(0)), Thread: model.ThreadID(s.ColumnInt64(1)), Doing: s.ColumnText(2), Time: s.ColumnInt64(4), Count: s.ColumnInt64(5)})
		stacks = append(stacks, s.ColumnInt64(3))
		return nil
	})
	if err != nil || len(out) == 0 {
		return nil, err
	}
	frames, err := t.cpuFrames()
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].Frames = frames.of(out[i].Process, stacks[i])
	}
	return out, nil
}
