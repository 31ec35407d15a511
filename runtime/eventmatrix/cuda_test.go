package eventmatrix

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/cuda/standin/build"
)

// TestCUDA holds the events on the cuda backend, on the stand-in driver, against
// those on sim.
func TestCUDA(t *testing.T) {
	folder := t.TempDir()
	recorder, driver := buildRecorder(t, folder), standInDriver(t, folder)
	if driver == nil {
		t.Skip(compilers.CXX() + " knows no device to offload to")
	}
	for _, p := range programs {
		want := record(t, folder, recorder, p, "ACC_DEVICE_TYPE=sim")
		got := record(t, folder, recorder, p, driver...)
		checkRows(t, p, got, cuda)
		compare(t, p, want, got)
	}
}

// standInDriver is the environment of programs on the stand-in of the CUDA driver, nil
// where the compiler knows no device to offload to.
func standInDriver(t *testing.T, folder string) []string {
	t.Helper()
	if !compilers.Offloads() {
		return nil
	}
	registrar, err := build.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := build.Library(folder); err != nil {
		t.Fatal(err)
	}
	return []string{"ACC_DEVICE_TYPE=nvidia", "LD_PRELOAD=" + registrar, "LD_LIBRARY_PATH=" + folder, "CUDA_CACHE_DISABLE=1"}
}

// TestGPU does the same for what runtime/cuda/gputest recorded on a real GPU and, of the
// same program, on sim there, for each compiler. The source was not at hand: what only a
// directive's text tells is left out.
func TestGPU(t *testing.T) {
	results := os.Getenv("ACCSCOPE_GPU_RESULTS")
	if results == "" {
		t.Skip("set ACCSCOPE_GPU_RESULTS to the folder of results of runtime/cuda/gputest/run.sh")
	}
	others, err := filepath.Glob(filepath.Join(results, "gcc-*"))
	if err != nil {
		t.Fatal(err)
	}
	if own, err := filepath.Glob(filepath.Join(results, "*.events")); err != nil || len(own) > 0 || len(others) == 0 {
		others = append(others, results)
	}
	for _, folder := range others {
		for _, p := range programs {
			want := readRows(t, filepath.Join(folder, p.source+".sim.events"))
			got := readRows(t, filepath.Join(folder, p.source+".nvidia.events"))
			if len(got) == 0 {
				t.Errorf("%s: %s recorded nothing", folder, p.source)
			}
			t.Logf("%s: %s: %d events", folder, p.source, len(got))
			if folder == results { // what other compilers change of the rows is checked with them
				checkRows(t, p, got, cuda)
			}
			compare(t, p, withoutText(want), withoutText(got))
		}
	}
}

// compare holds the events of a device with a pool against those of sim. What the
// pool takes from the driver and gives back is its own affair, and so are the
// dimensions of launches.
func compare(t *testing.T, p program, want, got []row) {
	t.Helper()
	want, got = withoutPool(want), withoutPool(got)
	for i := range min(len(want), len(got)) {
		w, g := want[i], got[i]
		for _, r := range []*row{&w, &g} {
			r.gangs, r.workers, r.vector = "", "", ""
			if r.deviceType == sim {
				r.deviceType = cuda
			}
			if r.apiType == sim {
				r.apiType = cuda
			}
			r.api = 0
			r.kernel = strings.ReplaceAll(r.kernel, "$", ".") // as assemblers for GPUs have it
		}
		if w != g {
			t.Errorf("%s: %q: event %d is %v\n got %+v\nwant %+v", p.source, g.section, i+1, g.event, g, w)
			return
		}
	}
	if len(want) != len(got) {
		t.Errorf("%s: %d events, want %d", p.source, len(got), len(want))
	}
}

// withoutText leaves out of events which of the compute constructs they are of and
// whether a clause names the data, and that Fortran's declare directives are no data
// construct.
func withoutText(rows []row) []row {
	rows = slices.Clone(rows)
	for i := range rows {
		switch rows[i].parent {
		case callbacks.Parallel, callbacks.Kernels, callbacks.Serial:
			rows[i].parent, rows[i].implicit = callbacks.Parallel, 0
		case callbacks.Declare:
			rows[i].parent = callbacks.Data
		}
	}
	return rows
}

func withoutPool(rows []row) []row {
	var rest []row
	for _, r := range rows {
		if r.event != callbacks.Alloc && r.event != callbacks.Free {
			rest = append(rest, r)
		}
	}
	return rest
}
