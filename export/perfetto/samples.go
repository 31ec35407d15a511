package perfetto

import (
	"cmp"
	"fmt"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// samples writes what processors were sampled at, as Perfetto has samples of perf events: its
// page shows them beside their threads, and as a flame graph where some are marked. All are of
// one sequence.
func (e *exporter) samples() error {
	type key struct {
		process model.ProcessID
		stack   int64
	}
	s, stacks, others := e.w.newSequence(0), map[key]*prepared{}, map[int64]int64{}
	for id, tid := range e.numbers.TID {
		others[tid] = -int64(id)
	}
	err := e.trace.Sampled().CPUSamples(e.options.Filter, func(x *store.CPUSample) error {
		tid, known := e.numbers.TID[x.Thread]
		if !known {
			tid = e.unknownThread(others, x)
		}
		stack := lookup.Make(stacks, key{x.Process, x.Stack}, func() *prepared { return e.w.callstack(x.Frames) })
		s.use(stack)
		var sample message
		sample.int(samplePID, e.numbers.PID[x.Process])
		sample.int(sampleTID, tid)
		sample = append(sample, stack.event...)
		sample.uint(sampleMode, modeUser)
		s.packet(x.Time, packetPerfSample, sample)
		return e.w.err
	})
	return cmp.Or(err, e.w.err)
}

// unknownThread is the number of a thread that raised no event: its own where no thread of
// another process has that. owners are the numbers that are given, with a thread that is known,
// less than 0, or the process of one that is not.
func (e *exporter) unknownThread(owners map[int64]int64, x *store.CPUSample) int64 {
	tid := x.TID
	for owner := owners[tid]; tid <= 0 || owner != 0 && owner != int64(x.Process); owner = owners[tid] {
		tid = max(tid, export.FirstSynthetic) + export.FirstSynthetic
	}
	owners[tid] = int64(x.Process)
	return tid
}

// callstack is the part of a sample that all of a stack share.
func (w *writer) callstack(frames []*store.Frame) *prepared {
	p := &prepared{}
	if len(frames) == 0 {
		return p
	}
	t := &term{}
	w.last[internedCallstacks]++
	t.id = w.last[internedCallstacks]
	var entry message
	entry.uint(entryIID, t.id)
	for _, f := range frames {
		entry.uint(callstackFrame, p.number(w.frame(p, f)))
	}
	t.said.bytes(internedCallstacks, entry)
	p.event.uint(sampleCallstack, p.number(t))
	return p
}

// frame numbers a function where it was sampled, or calls, with what it refers to.
func (w *writer) frame(p *prepared, f *store.Frame) *term {
	function := p.number(w.intern(internedFunctions, cmp.Or(f.Label(), fmt.Sprintf("%#x", f.Address))))
	mapping := p.number(w.mapping(p, cmp.Or(f.Module, "[unknown]")))
	file := uint64(0)
	if f.File != "" {
		file = p.number(w.intern(internedSourcePaths, f.File))
	}
	return lookup.Make(w.frames, f, func() *term {
		w.last[internedFrames]++
		t := &term{id: w.last[internedFrames]}
		var entry message
		entry.uint(entryIID, t.id)
		entry.uint(frameFunction, function)
		entry.uint(frameMapping, mapping)
		entry.uint(framePC, cmp.Or(f.Offset, f.Address))
		if file != 0 {
			entry.uint(frameSource, file)
			entry.int(frameLine, int64(max(f.Line, 0)))
		}
		t.said.bytes(internedFrames, entry)
		return t
	})
}

// mapping numbers a file that was loaded.
func (w *writer) mapping(p *prepared, file string) *term {
	path := p.number(w.intern(internedMappingPaths, file))
	return lookup.Make(w.terms, text{internedMappings, file}, func() *term {
		w.last[internedMappings]++
		t := &term{id: w.last[internedMappings]}
		var entry message
		entry.uint(entryIID, t.id)
		entry.uint(mappingPath, path)
		t.said.bytes(internedMappings, entry)
		return t
	})
}
