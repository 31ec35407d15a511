package ingest_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestKernelsOfOthers has kernels called by their place where a runtime names none, and
// calls every compute construct parallel, as GCC's does.
func TestKernelsOfOthers(t *testing.T) {
	folder := t.TempDir()
	object, program, runtime := filepath.Join(folder, "launched.o"), filepath.Join(folder, "launched"), filepath.Join(folder, "libacclaunching.so")
	for _, arguments := range [][]string{
		{"-fPIC", "-shared", "-O1", "-I", "../../runtime/include", "-o", runtime, "testdata/launching.c", "-ldl"},
		{"-g", "-O2", "-fopenacc", "-foffload=disable", "-c", "-o", object, "testdata/launched.c"},
		{"-foffload=disable", "-o", program, object, runtime, "-Wl,-rpath," + folder}, // else what is offloaded wants the runtime of -fopenacc
	} {
		if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", arguments, err, output)
		}
	}
	session, _ := capture(t, program, nil, "ACCSCOPE_CALLSTACK=caller")
	trace := finish(t, session, filepath.Join(folder, "trace.db"))
	var titles []string
	totals, err := trace.Sums().Totals(store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, total := range totals {
		if total.Site.Kind == "enqueue_launch" {
			titles = append(titles, total.Site.Symbol+": "+total.Site.Name)
		}
	}
	slices.Sort(titles)
	want := []string{"work$_omp_fn$0: launched.c:7 parallel loop in scale", "work$_omp_fn$1: launched.c:18 kernels in main", "work$_omp_fn$2: launched.c:22 serial in main"}
	if !slices.Equal(titles, want) {
		t.Errorf("kernels are called\n%q, want\n%q", titles, want)
	}
}
