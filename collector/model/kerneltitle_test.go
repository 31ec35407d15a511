package model

import (
	"testing"

	"github.com/accscope/accscope/collector/capture"
)

// A kernel is called by its place, with what its directive says or else the event; by
// the linker's name where its place is not known, or not the only one.
func TestKernelTitles(t *testing.T) {
	m := New(nil, nil)
	launch := func(kernel, file string, line int32, function string) {
		e := &Event{Event: capture.Event{Kind: EnqueueLaunchStart, Line: line, Parent: 16,
			Name: m.Intern(kernel), SourceFile: m.Intern(file), Function: m.Intern(function)}}
		m.Names().setKernel(e)
	}
	m.SetConstruct(m.Intern("/src/live.c"), 8, "kernels loop")
	launch("main._omp_fn.1", "/src/live.c", 8, "main")
	launch("main._omp_fn.1", "/src/live.c", 8, "main")
	launch("main._omp_fn.2", "/src/live.c", 9, "main")
	launch("step._omp_fn.0", "a.c", 3, "")
	launch("unknown._omp_fn.0", "", -1, "")
	launch("_ZN4Grid4stepEd._omp_fn.0", "a.cc", 3, "Grid::step")
	launch("_ZN4Grid4stepEd._omp_fn.0", "b.cc", 3, "Grid::step")
	launch("_ZN4Grid4stepEd._omp_fn.0", "b.cc", 3, "Grid::step")
	for kernel, want := range map[string]string{
		"main._omp_fn.1":            "live.c:8 kernels loop in main",
		"main._omp_fn.2":            "live.c:9 serial in main",
		"step._omp_fn.0":            "a.c:3 serial",
		"unknown._omp_fn.0":         "unknown._omp_fn.0",
		"_ZN4Grid4stepEd._omp_fn.0": "Grid::step._omp_fn.0",
	} {
		if got := m.Names().Readable(m.Intern(kernel)); got != want {
			t.Errorf("%s is called %q, want %q", kernel, got, want)
		}
	}
}
