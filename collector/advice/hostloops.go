package advice

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
)

// mostLoops is how many loops of the host are told: those of most time.
const mostLoops = 3

// hostLoops are the loops that the host's samples lie in.
type hostLoops struct {
	sources *report.Sources
	stacks  []store.CPUStack
	all     int64           // processor time of all samples, ns
	files   func() []string // that records are of, once all are read
	acting  map[string]bool
	list    []*sampledLoop
	// alone are the times from one kernel of a thread to the next in which the thread asks
	// nothing of the device, in order.
	alone map[owner][]betweenKernels
	last  map[model.ThreadID]*lastKernel
}

// sampledLoop is a loop, or a function of which no loop is known.
type sampledLoop struct {
	file, function    string
	line, first, last int64
	loop              bool
	time              int64 // of a processor, in it and what it calls, ns
}

// betweenKernels is from when to when a thread has launched one kernel and not yet the next.
type betweenKernels struct {
	first, next constructPlace
	start, end  int64
}

type lastKernel struct {
	place constructPlace
	start int64
}

// newHostLoops reads the stacks that the host was sampled at; without any it follows nothing.
func newHostLoops(trace *store.Trace, sources *report.Sources, files func() []string) (*hostLoops, error) {
	hs := &hostLoops{sources: sources, files: files, alone: map[owner][]betweenKernels{}, last: map[model.ThreadID]*lastKernel{}}
	stacks, err := trace.Sampled().CPUStacks(store.Filter{})
	for _, s := range stacks {
		hs.all += s.Time
		if s.Doing == "else" {
			hs.stacks = append(hs.stacks, s)
		}
	}
	return hs, err
}

// choose finds the loops of most time.
func (hs *hostLoops) choose() {
	hs.list, hs.acting = nil, map[string]bool{}
	if len(hs.stacks) == 0 {
		return
	}
	files := map[string]bool{}
	for _, file := range hs.files() {
		files[file] = true
	}
	for _, s := range hs.stacks {
		for _, f := range s.Frames {
			if own(f) {
				files[f.File] = true
			}
		}
	}
	hs.findActing(files)
	loops, names := map[sampledLoop]int64{}, map[sampledLoop]string{}
	for i := range hs.stacks {
		l, found := hs.loopOf(&hs.stacks[i])
		if !found {
			continue
		}
		if function := l.function; l.loop { // a template's instances have one loop
			l.function = ""
			names[l] = min(function, cmp.Or(names[l], function))
		}
		loops[l] += hs.stacks[i].Time
	}
	list := slices.SortedFunc(maps.Keys(loops), func(a, b sampledLoop) int {
		return cmp.Or(cmp.Compare(loops[b], loops[a]), cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.function, b.function))
	})
	for _, l := range list {
		if len(hs.list) < mostLoops && 20*loops[l] >= hs.all {
			l.function = cmp.Or(names[l], l.function)
			hs.list = append(hs.list, &l)
		}
	}
	for i := range hs.stacks {
		if l := hs.chosen(&hs.stacks[i]); l != nil {
			l.time += hs.stacks[i].Time
		}
	}
}

// chosen is the innermost of the chosen loops that a stack is in; nil: none.
func (hs *hostLoops) chosen(s *store.CPUStack) *sampledLoop {
	for _, f := range slices.Backward(s.Frames) {
		for _, l := range hs.list {
			if f.File == l.file && l.first <= int64(f.Line) && int64(f.Line) <= l.last && (l.loop || f.Function == l.function) {
				return l
			}
		}
	}
	return nil
}

// at is the loop of a group.
func (hs *hostLoops) at(g *group) *sampledLoop {
	return hs.list[slices.IndexFunc(hs.list, func(l *sampledLoop) bool { return l.file == g.file && l.line == g.line && l.function == g.function })]
}

// own says whether a frame is of the program's own code.
func own(f *store.Frame) bool {
	name := filepath.Base(f.Module)
	return f.File != "" && f.Line > 0 && !strings.HasPrefix(f.Module, "/lib/") && !strings.HasPrefix(f.Module, "/lib64/") && !strings.HasPrefix(f.Module, "/usr/lib") &&
		!strings.HasPrefix(name, "libopenacc") && !strings.HasPrefix(name, "libacc")
}

// loopOf is the loop that a stack is in, as that of its innermost function that has one: the
// outermost in which no directive is, nor a call that leads to one. What is in a construct, as
// the simulated device's threads are, is no host code.
func (hs *hostLoops) loopOf(s *store.CPUStack) (sampledLoop, bool) {
	var function *sampledLoop
	for _, f := range slices.Backward(s.Frames) {
		if !own(f) {
			continue
		}
		text := hs.sources.Content(f.File) != ""
		p := structure.At(hs.sources.Procedures(f.File), f.Line)
		if text && (p == nil || p.Unread != "") || !text && s.Thread == 0 {
			return sampledLoop{}, false
		}
		if text {
			loop, device := hs.outermost(p, f.Line)
			if device {
				return sampledLoop{}, false
			}
			if loop != nil {
				return sampledLoop{file: f.File, function: f.Function, line: int64(loop.First), first: int64(loop.First), last: int64(loop.Last), loop: true}, true
			}
		}
		if function == nil && (!text || !hs.acts(p.Body)) {
			function = &sampledLoop{file: f.File, function: f.Function, line: int64(f.FunctionLine), first: int64(f.FunctionLine), last: int64(f.LastLine)}
		}
	}
	if function == nil || function.line <= 0 || s.Thread == 0 {
		return sampledLoop{}, false
	}
	return *function, true
}

// outermost is the outermost loop around a line in which nothing is asked of the device; device:
// the line is in a compute construct.
func (hs *hostLoops) outermost(p *structure.Procedure, line int) (loop *structure.Statement, device bool) {
	for _, s := range p.Path(line) {
		switch {
		case s.Kind == structure.Construct && s.ACC.Compute():
			return nil, true
		case s.Kind == structure.Loop && loop == nil && !hs.acts([]*structure.Statement{s}):
			loop = s
		}
	}
	return loop, false
}

// acts says whether statements ask something of the device or of other ranks: by a directive or
// a call, also of what does.
func (hs *hostLoops) acts(list []*structure.Statement) (acts bool) {
	structure.All(list, func(s *structure.Statement) bool {
		acts = acts || s.ACC != nil
		for _, call := range structure.Calls(s.Tokens) {
			name := strings.ToLower(call.Name)
			acts = acts || hs.acting[call.Name] || strings.HasPrefix(name, "acc_") || strings.HasPrefix(name, "mpi_")
		}
		return !acts
	})
	return acts
}

// findActing finds the procedures of files that ask something of the device. One that cannot be
// read may.
func (hs *hostLoops) findActing(files map[string]bool) {
	var list []*structure.Procedure
	for _, file := range slices.Sorted(maps.Keys(files)) {
		list = append(list, hs.sources.Procedures(file)...)
	}
	for more := true; more; {
		more = false
		for _, p := range list {
			if !hs.acting[p.Name] && (p.Unread != "" || hs.acts(p.Body)) {
				hs.acting[p.Name], more = true, true
			}
		}
	}
}

// between are the kernels that a group's samples lie between, where that is one pair for nine
// tenths of them, and nothing is asked of the device there.
func (hs *hostLoops) between(g *group) (most betweenKernels, all bool) {
	count := map[betweenKernels]int{}
	for _, o := range g.rows {
		list := hs.alone[owner{o.process, o.thread}]
		at, _ := slices.BinarySearchFunc(list, o.end, func(b betweenKernels, time int64) int { return cmp.Compare(b.end, time) })
		if at < len(list) && list[at].start < o.end {
			count[betweenKernels{first: list[at].first, next: list[at].next}]++
		}
	}
	for b, n := range count {
		if 10*n >= 9*len(g.rows) {
			return b, true
		}
	}
	return most, false
}

// take follows what threads ask of devices: a wait, a transfer, what changes mappings and calls
// of MPI may bring the host something.
func (hs *hostLoops) take(h *happening) {
	switch {
	case h.kernel():
		if last := hs.last[h.Thread]; last != nil && h.Start-last.start >= preparation {
			by := owner{int64(h.Site.Process), int64(h.Thread)}
			hs.alone[by] = append(hs.alone[by], betweenKernels{last.place, placeOf(h.Site), last.start, h.Start})
		}
		hs.last[h.Thread] = &lastKernel{placeOf(h.Site), h.Start}
	case h.upload() && h.byValue():
	case h.upload(), h.download(), h.wait() && h.Site.Implicit == 0, h.ordered():
		delete(hs.last, h.Thread)
	}
}

func (hs *hostLoops) end() {}

func (hs *hostLoops) interrupted(process model.ProcessID) { clear(hs.last) }
