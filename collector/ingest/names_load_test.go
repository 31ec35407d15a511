package ingest_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/runtime/compilers"
)

// TestNamesUnderLoad: two ranks of one program, on a machine with more to do than it can,
// say the same of places and names, in every run; whether their collector finds them or
// the program waits for them.
func TestNamesUnderLoad(t *testing.T) {
	rounds := 3
	if os.Getenv("ACCSCOPE_LONG") != "" {
		rounds = 20
	}
	program := compileSource(t, compilers.Fortran(), "runtime/source/testdata/tiles.f90", "-O2")
	var over sync.WaitGroup
	stop := make(chan struct{})
	for range 2 * runtime.NumCPU() {
		over.Go(func() {
			for n := 0; ; n++ {
				if n%(1<<20) == 0 {
					select {
					case <-stop:
						return
					default:
					}
				}
			}
		})
	}
	defer over.Wait()
	defer close(stop)
	ranks := func(folder string, environment ...string) {
		var both sync.WaitGroup
		for rank := range 2 {
			command := exec.Command(program)
			command.Dir = folder
			command.Env = append(append(os.Environ(), "OMPI_COMM_WORLD_RANK="+strconv.Itoa(rank), "ACC_DEVICE_TYPE=sim",
				"LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_PROFLIB="+library(t, "libaccprof.so")), environment...)
			both.Go(func() {
				if text, err := command.CombinedOutput(); err != nil {
					t.Errorf("rank %d: %v\n%s", rank, err, text)
				}
			})
		}
		both.Wait()
	}
	var first, firstAtOnce map[string]int
	same := func(round int, way string, want *map[string]int, got map[string]int) {
		t.Helper()
		if *want == nil && len(got) > 0 {
			*want = got
		}
		if maps.Equal(got, *want) {
			return
		}
		for _, row := range slices.Sorted(maps.Keys(*want)) {
			if got[row] != (*want)[row] {
				t.Errorf("round %d, %s: %d times %s, at first %d times", round, way, got[row], row, (*want)[row])
			}
		}
		for _, row := range slices.Sorted(maps.Keys(got)) {
			if (*want)[row] == 0 {
				t.Errorf("round %d, %s: %s, not so at first", round, way, row)
			}
		}
	}
	for round := range rounds {
		session, alone := t.TempDir(), t.TempDir()
		ranks(t.TempDir(), "ACCSCOPE_SESSION="+session)
		ranks(alone)
		later := finish(t, session, filepath.Join(t.TempDir(), "trace.db"))
		captures, err := filepath.Glob(filepath.Join(alone, "accscope-*"))
		if err != nil {
			t.Fatal(err)
		}
		once := ingested(t, ingest.Options{Captures: captures, Trace: filepath.Join(t.TempDir(), "trace.db")})
		for process := 1; process <= 2; process++ {
			same(round, "found later", &first, told(t, later, process))
			same(round, "waited for", &firstAtOnce, told(t, once, process))
		}
		if t.Failed() {
			return
		}
	}
	const buffer = "left_snd_buffer"
	for way, rows := range map[string]map[string]int{"found later": first, "waited for": firstAtOnce} {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(rows)), func(row string) bool { return strings.HasSuffix(row, ": "+buffer) }) {
			t.Errorf("%s: nothing of %s in\n%s", way, buffer, strings.Join(slices.Sorted(maps.Keys(rows)), "\n"))
		}
	}
}
