package ingest

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/write"
	"github.com/accscope/accscope/runtime/source"
)

// modules gives what a process had loaded, by its capture's folder; nil where there is none. Of
// a damaged list those before the damage are given with the error.
func modules(folder string) ([]capture.Module, error) {
	if folder == "" {
		return nil, nil
	}
	c, err := capture.Open(folder)
	if err != nil {
		return nil, err
	}
	modules, err := c.Modules()
	return modules, errors.Join(err, c.Close())
}

// frames finds out what the return addresses in the call stacks mean, by the
// debug information of the files that the processes had loaded. A file that is
// not the one any more that ran says nothing.
func (in *Ingester) frames() error {
	returns, err := in.writer.Returns()
	if err != nil || len(returns) == 0 {
		return err
	}
	folders := map[model.ProcessID]string{}
	for _, p := range in.processes {
		folders[p.info.ID] = p.dir
	}
	loaded := map[model.ProcessID][]capture.Module{}
	modulesOf := func(process model.ProcessID) []capture.Module {
		return lookup.Make(loaded, process, func() []capture.Module {
			list, err := modules(folders[process])
			if err != nil {
				in.warn("%v; functions and lines of this process may be missing", err)
			}
			return list
		})
	}
	alike := alike(returns, modulesOf)
	returns = slices.Collect(maps.Keys(alike))
	// One process after the other: each may have many files.
	slices.SortFunc(returns, func(a, b write.Return) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Address, b.Address))
	})
	var resolver *source.Process
	of := model.ProcessID(0)
	leave := func() {
		if resolver != nil {
			resolver.Close()
			resolver = nil
		}
	}
	defer func() { leave() }()
	warned := map[string]bool{}
	inlined := map[write.Return]int{}
	for _, r := range returns {
		if r.Process != of {
			leave()
			of = r.Process
			resolver = capture.Resolver(modulesOf(of), func(err error) {
				in.warn("%v; its functions and lines are left out", err)
			})
		}
		found, err := resolver.LookupReturn(r.Address)
		switch {
		case err == nil || errors.Is(err, source.ErrNoModule):
		case warned[found.Module]:
		case errors.Is(err, source.ErrBinaryChanged):
			warned[found.Module] = true
			in.warn("%s was changed after the program ran: its functions and lines are left out", found.Module)
		default:
			warned[found.Module] = true
			in.warn("%s: %v; some of its functions and lines may be missing", found.Module, err)
		}
		if found.Module == "" {
			continue
		}
		frame := store.Frame{Process: r.Process, Address: r.Address, Module: found.Module, Offset: found.Offset,
			Function: found.Function, File: found.File, Line: found.Line,
			FunctionLine: found.FunctionFirstLine, LastLine: found.FunctionLastLine}
		// What cannot be told of a construct is what the call's line tells.
		k, compute, err := resolver.Construct(r.Address)
		if compute = compute && err == nil && k.FirstLine > 0; compute {
			frame.File, frame.Line, frame.EndLine = k.File, k.FirstLine, k.LastLine
		}
		at := source.Position{File: frame.File, Line: frame.Line, FunctionLine: frame.FunctionLine, FunctionEnd: frame.LastLine}
		d := resolver.Directive(found.Module, at, compute)
		frame.Line, frame.EndLine = d.Lines(frame.Line, frame.EndLine)
		if d.Compute() {
			if err := in.writer.SetConstruct(frame.File, int32(frame.Line), d.Name); err != nil {
				return err
			}
		}
		for _, same := range alike[r] {
			frame.Process, frame.Address = same.Process, same.Address
			if err := in.writer.SaveFrame(frame); err != nil {
				return err
			}
		}
		if err := in.saveInlined(alike[r], found, inlined); err != nil {
			return err
		}
	}
	return in.writer.InlineCPUStacks(inlined)
}

// saveInlined saves the functions that a sampled place was inlined into, as frames of their own,
// and notes how many.
func (in *Ingester) saveInlined(all []write.Return, at source.Location, inlined map[write.Return]int) error {
	for _, r := range all {
		if !in.writer.SampledAt(r) {
			continue
		}
		inlined[r] = min(len(at.Inlined), write.MostInlined)
		for depth, call := range at.Inlined[:inlined[r]] {
			if err := in.writer.SaveFrame(store.Frame{Process: r.Process, Address: write.InlinedAt(r.Address, depth+1), Module: at.Module, Offset: at.Offset,
				Function: call.Function, File: call.File, Line: call.Line, FunctionLine: call.FunctionFirstLine, LastLine: call.FunctionLastLine}); err != nil {
				return err
			}
		}
	}
	return nil
}

// alike gives for addresses that are to be found the ones that mean the same: of a file that
// several processes had loaded, each from where it was, those of its first process stand for
// all. So ten thousand short processes of a program take no longer than one.
func alike(returns []write.Return, modulesOf func(model.ProcessID) []capture.Module) map[write.Return][]write.Return {
	type file struct{ path, build string }
	type loaded struct {
		process model.ProcessID
		module  capture.Module
	}
	first, seen := map[file][]loaded{}, map[model.ProcessID]bool{}
	all := make(map[write.Return][]write.Return, len(returns))
	for _, r := range returns {
		modules := modulesOf(r.Process)
		if !seen[r.Process] {
			seen[r.Process] = true
			for _, m := range modules {
				of := file{m.Path, m.BuildID}
				if list := first[of]; m.BuildID != "" && (len(list) == 0 || list[0].process == r.Process) {
					first[of] = append(list, loaded{r.Process, m})
				}
			}
		}
		stands := r
		for _, m := range modules {
			if r.Address-1 < m.Start || r.Address-1 >= m.End {
				continue
			}
			offset := r.Address - 1 - m.Start + m.Offset
			for _, l := range first[file{m.Path, m.BuildID}] {
				if offset >= l.module.Offset && offset-l.module.Offset < l.module.End-l.module.Start {
					stands = write.Return{Process: l.process, Address: l.module.Start + offset - l.module.Offset + 1}
				}
			}
		}
		all[stands] = append(all[stands], r)
	}
	return all
}
