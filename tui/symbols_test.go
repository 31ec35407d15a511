package tui

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
)

// TestFilterBySymbol finds C++ kernels by the name that is shown and by the
// linker's, in every view that tells of them; of overloads, which are shown under
// one name, by the linker's name the one.
func TestFilterBySymbol(t *testing.T) {
	const double, float = "_ZN4Grid4stepEd._omp_fn.0", "_ZN4Grid4stepEf._omp_fn.0" // both Grid::step._omp_fn.0
	s := newScript(t)
	s.operation(model.EnqueueLaunchStart, 100*ms, 1, double, 30, 0)
	s.operation(model.EnqueueLaunchStart, 110*ms, 2, float, 40, 0)
	s.operation(model.EnqueueLaunchStart, 120*ms, 3, "sum", 50, 0)
	s.ran(model.ActivityKernel, 130*ms, 1, 100*ms, 130*ms, 0)
	s.pair++
	s.event(model.EnqueueLaunchStart, 140*ms, 1, double, 30, func(e *capture.Event) { e.Pair = s.pair }) // the thread is in it
	s.frame(150 * ms)
	a, _ := stage(t, s, 120, 40, Options{})

	for _, c := range []struct {
		filter string
		left   []int // of lanes, kernels, events and threads
	}{
		{"grid::step", []int{2, 2, 5, 1}},
		{"_ZN4Grid4step", []int{2, 2, 5, 1}},
		{"zn4grid4stepEd", []int{1, 1, 3, 1}},
		{"_ZN4Grid4stepEf._omp_fn.0", []int{1, 1, 2, 0}},
		{"sum", []int{1, 1, 2, 0}},
		{"_Z3sum", []int{0, 0, 0, 0}},
	} {
		var left []int
		for _, view := range []string{"2", "4", "5", "6"} {
			press(a, view, "/"+c.filter, "enter")
			left = append(left, len(a.views[a.current].table().visible))
			press(a, "esc")
		}
		if !slices.Equal(left, c.left) {
			t.Errorf("filter %s leaves %v rows, want %v", c.filter, left, c.left)
		}
	}
}
