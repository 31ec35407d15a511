package report

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/source"
)

// WithoutPlaces is what to know of programs that no debug information was found of.
const WithoutPlaces = "no construct has a file and line" + compileAnew

const compileAnew = ", and few data a name: compile with -g, and do not strip" + sayingMore

const sayingMore = " (accscope doctor PROGRAM says more)"

// nameless says of which programs there are compute constructs without a place in a source, and
// of which data have no name since their debug information lacks something, and what.
func (f *facts) nameless() (list []string, err error) {
	placed, unplaced, unnamed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, t := range f.totals {
		switch {
		case t.site.File != "":
			placed[t.site.program] = true
			if isTransfer(t.site.KindCode) && t.site.variable == store.Unknown {
				unnamed[t.site.program] = true
			}
		case t.site.KindCode == model.ComputeConstructStart:
			unplaced[t.site.program] = true
		}
	}
	maps.DeleteFunc(unplaced, func(program string, _ bool) bool { return placed[program] })
	switch {
	case len(unplaced) > 0 && len(placed) == 0:
		return []string{WithoutPlaces}, nil
	case len(unplaced) > 0:
		var names []string
		for _, program := range slices.Sorted(maps.Keys(unplaced)) {
			names = append(names, store.Apart(program, unplaced))
		}
		list = append(list, "no construct of "+some(names, namedAtMost)+" has a file and line"+compileAnew)
	}
	processes, err := f.trace.Processes()
	if err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, p := range processes {
		program, err := f.trace.ProgramOf(p.ID)
		if err != nil {
			return nil, err
		}
		paths[program] = p.Program
	}
	for _, program := range slices.Sorted(maps.Keys(unnamed)) {
		if lack := lackOf(paths[program]); lack != "" {
			list = append(list, "data of "+store.Apart(program, unnamed)+" have no names: "+lack+sayingMore)
		}
	}
	return list, nil
}

// lackOf says what a program's debug information lacks to name data, "" where it is whole or
// the program is not at hand.
func lackOf(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	image, err := source.Open(path)
	if err != nil {
		return ""
	}
	defer image.Close()
	info := image.DebugInfo()
	return info.Lack()
}

// variable is what data of a site count under, with the program where several have data of that
// name.
func (f *facts) variable(s *site) string {
	if f.having == nil {
		f.having = map[string]map[string]bool{}
		for _, t := range f.totals {
			if t.site.isData() {
				lookup.Make(f.having, t.site.variable, func() map[string]bool { return map[string]bool{} })[t.site.program] = true
			}
		}
	}
	if of := f.having[s.variable]; len(of) > 1 {
		return s.variable + " (" + store.Apart(s.program, of) + ")"
	}
	return s.variable
}
