package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/cuda/standin/build"
)

// program is a program linked without device code, on the stand-in driver.
type program struct {
	binary      string
	environment []string
}

// compile makes a program of the repository's folder that runs on the built
// runtime and the stand-in driver. What GCC's library does not have, the runtime
// has: it is linked to that, too.
func compile(t *testing.T, sources ...string) program {
	t.Helper()
	runtime, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(runtime); err != nil {
		t.Skipf("%v: run make first", err)
	}
	folder := t.TempDir()
	registrar, err := build.Registrar(folder)
	if err != nil {
		t.Fatal(err)
	}
	p := program{binary: filepath.Join(folder, "program")}
	compiler, flags := compilers.C(), []string{"-fopenacc", "-foffload=disable", "-O2", "-g", "-I../include", "-o", p.binary}
	if filepath.Ext(sources[0]) == ".f90" {
		compiler, flags = compilers.Fortran(), append(flags, "-J"+folder)
	}
	output, err := exec.Command(compiler, slices.Concat(flags, sources, []string{runtime, "-lm"})...).CombinedOutput()
	if err != nil {
		t.Fatalf("compile %s: %v\n%s", sources, err, output)
	}
	p.environment = append(os.Environ(), "LD_PRELOAD="+registrar+" "+runtime, "LD_LIBRARY_PATH="+filepath.Dir(standin), "CUDA_CACHE_DISABLE=1")
	return p
}

func (p program) run(t *testing.T, environment ...string) (string, error) {
	t.Helper()
	command := exec.Command(p.binary)
	command.Env = append(p.environment, environment...)
	output, err := command.CombinedOutput()
	return string(output), err
}

// What measures and tries the backend on a machine with a GPU compiles on every machine.
func TestProgramsForGPUCompile(t *testing.T) {
	sources, err := filepath.Glob("gputest/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, source := range sources {
		// GCC does not see that a directive's async clause uses its value.
		arguments := []string{"-std=gnu11", "-fopenacc", "-foffload=disable", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
			"-Wno-unused-but-set-parameter", "-I../include", source}
		if output, err := exec.Command(compilers.C(), arguments...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", source, err, output)
		}
	}
}

// A program with an image runs on the GPU of its own accord, and comes to the
// same results as on the host.
func TestProgram(t *testing.T) {
	p := compile(t, "../../examples/jacobi/jacobi.c")
	want, err := p.run(t, "ACC_DEVICE_TYPE=host")
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	for name, environment := range map[string][]string{
		"asked for by backend": {"ACC_DEVICE_TYPE=cuda"},
		"asked for by type":    {"ACC_DEVICE_TYPE=nvidia"},
		"chosen":               nil,
	} {
		if got, err := p.run(t, environment...); err != nil || got != want {
			t.Errorf("%s: %v\n%s\nwant:\n%s", name, err, got, want)
		}
	}
}

// What a kernel may write to its values and to the pointers that travel with its arguments no
// other launch sees.
func TestProgramWritesValues(t *testing.T) {
	p := compile(t, "../validation/testdata/values.c")
	if got, err := p.run(t, "ACC_DEVICE_TYPE=nvidia", "ACCSCOPE_STANDIN_WRITES=yes"); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
	// To a descriptor by way of the pointer to it, which its code does not tell.
	p = compile(t, "../validation/testdata/checking.f90", "../validation/testdata/dummies.f90")
	if got, err := p.run(t, "ACC_DEVICE_TYPE=nvidia"); err != nil {
		t.Errorf("%v\n%s", err, got)
	}
}

// Images are read as each compiler registers them. Those of OpenMP's target regions
// are not ours: the program is as one without code for the GPU.
func TestProgramOfLaterCompilers(t *testing.T) {
	p := compile(t, "testdata/interface.c")
	for _, version := range []string{"1", "2", "3"} {
		image := "ACCSCOPE_STANDIN_IMAGE=" + version
		if got, err := p.run(t, image, "ACCSCOPE_STANDIN_DEVICES=2"); err != nil || got != "all is so\n" {
			t.Errorf("image of version %s: %v\n%s", version, err, got)
		}
	}
	p = compile(t, "../../examples/jacobi/jacobi.c")
	want, err := p.run(t, "ACC_DEVICE_TYPE=host")
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	for _, version := range []string{"2", "3"} {
		variables := []string{"ACCSCOPE_STANDIN_IMAGE=" + version, "ACCSCOPE_STANDIN_OPENMP=yes"}
		if got, err := p.run(t, variables...); err != nil || got != want {
			t.Errorf("an OpenMP image of version %s: %v\n%s", version, err, got)
		}
		got, err := p.run(t, append(variables, "ACC_DEVICE_TYPE=nvidia")...)
		if err == nil || !strings.Contains(got, "there is no code for cuda device 0") {
			t.Errorf("an OpenMP image of version %s alone, and the GPU asked for: %v\n%s", version, err, got)
		}
	}
	if got, err := p.run(t, "ACCSCOPE_STANDIN_IMAGE=4"); err != nil || !strings.HasPrefix(got, "accscope: offload image of version 4.1: this library reads versions up to 3.1") {
		t.Errorf("an image of a version that nobody knows: %v\n%s", err, got)
	}
}

// What a program can see of two GPUs.
func TestProgramInterface(t *testing.T) {
	p := compile(t, "testdata/interface.c")
	for name, environment := range map[string][]string{
		"plain":              nil,
		"profiled":           {"ACC_PROFLIB=" + profiler(t), "ACCSCOPE_SESSION=" + t.TempDir(), "ACCSCOPE_ACTIVITY=runtime"},
		"profiled by CUPTI":  {"ACC_PROFLIB=" + profiler(t), "ACCSCOPE_SESSION=" + t.TempDir(), "ACCSCOPE_CUPTI=" + cupti},
		"another tool's":     {"ACC_PROFLIB=" + profiler(t), "ACCSCOPE_SESSION=" + t.TempDir(), "ACCSCOPE_CUPTI=" + cupti, "ACCSCOPE_STANDIN_CUPTI_FAIL=cuptiSubscribe"},
		"few events":         {"ACCSCOPE_STANDIN_FAIL=cuEventCreate:150:2"},
		"little memory each": {fmt.Sprintf("ACCSCOPE_STANDIN_MEMORY=%d", 16<<20)},
	} {
		if got, err := p.run(t, append(environment, "ACCSCOPE_STANDIN_DEVICES=2")...); err != nil || got != "all is so\n" {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// acc_wait_any waits for whichever queue is empty first, and for none that never
// will be because the device failed.
func TestProgramWaitsForAny(t *testing.T) {
	p := compile(t, "gputest/waitany.c")
	if got, err := p.run(t, "ACC_DEVICE_TYPE=cuda"); err != nil || got != "all is so\n" {
		t.Errorf("%v\n%s", err, got)
	}
	// The kernel behind the second gate fails, when both queues are waited for; that
	// is the fifth which runs.
	got, err := p.run(t, "ACC_DEVICE_TYPE=cuda", "ACCSCOPE_STANDIN_FAIL=kernel:5:719")
	if err == nil || !strings.Contains(got, "acc_wait_any: ") || !strings.Contains(got, "CUDA_ERROR_LAUNCH_FAILED (719") || strings.Count(got, "accscope:") != 1 {
		t.Errorf("a kernel fails: %v\n%s", err, got)
	}
}

// profiler is the built profiler library.
func profiler(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../lib/libaccprof.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%v: run make first", err)
	}
	return path
}

// Where the driver or the GPU cannot run the program's code, the next device does,
// and one line says why, unless there is no GPU at all.
func TestProgramPassesOver(t *testing.T) {
	p := compile(t, "../../examples/jacobi/jacobi.c")
	want, err := p.run(t, "ACC_DEVICE_TYPE=host")
	if err != nil {
		t.Fatalf("%v\n%s", err, want)
	}
	for name, c := range map[string]struct{ variable, says string }{
		"no GPU":         {"ACCSCOPE_STANDIN_FAIL=cuInit:1:100", ""},
		"old driver":     {"ACCSCOPE_STANDIN_VERSION=9020", ""},
		"no driver":      {"LD_LIBRARY_PATH=/nowhere", ""},
		"another target": {"ACCSCOPE_STANDIN_CAPABILITY=70", "accscope: no cuda device is chosen: the program's device code is for sm_80 and newer, cuda device 0 is sm_70; compile with -foffload-options=nvptx-none=-misa=sm_70 or lower\n"},
	} {
		if got, err := p.run(t, c.variable); err != nil || got != c.says+want {
			t.Errorf("%s: %v\n%s\nwant:\n%s%s", name, err, got, c.says, want)
		}
	}
}

// A construct that was not compiled for the device which the program asks for is an
// error of its own (OpenACC 3.3 §2.5.5).
func TestProgramWithoutCode(t *testing.T) {
	p := compile(t, "testdata/without_code.c")
	runtime, err := filepath.Abs("../../lib/libopenacc.so")
	check(t, err)
	got, err := p.run(t, "ACC_DEVICE_TYPE=cuda", "LD_PRELOAD="+runtime)
	want := fmt.Sprintf("code %d, parent construct %d\n", callbacks.ErrorWrongDeviceType, callbacks.Parallel)
	if err == nil || !strings.HasPrefix(got, want) || !strings.Contains(got, "-foffload=nvptx-none") || strings.Count(got, "accscope:") != 1 {
		t.Errorf("%v\n%s\nwant %sand one line with the remedy", err, got, want)
	}
}

// A failing kernel ends the program with one error that names the cause.
func TestProgramFails(t *testing.T) {
	p := compile(t, "../../examples/jacobi/jacobi.c")
	for fault, says := range map[string]string{
		"kernel:3:719": "CUDA_ERROR_LAUNCH_FAILED (719",
		"cuMemAlloc_v2:1:2,cuMemAlloc_v2:2:2,cuMemAlloc_v2:3:2,cuMemAlloc_v2:4:2": "CUDA_ERROR_OUT_OF_MEMORY (2",
		"cuModuleLoadDataEx:1:218":                      "", // what is not compiled whole is linked
		"cuModuleLoadDataEx:1:218,cuLinkComplete:1:218": "CUDA_ERROR_INVALID_PTX (218",
		"cuStreamCreate:2:999":                          "cuStreamCreate failed: CUDA error 999",
		"cuModuleLoadDataEx:1:218,cuModuleLoadData:1:2": "cannot initialise device nvidia 0: load the program's device code",
		"cuMemHostAlloc:1:2":                            "", // pageable memory will do
		"cuMemAlloc_v2:1:2":                             "", // less memory will do
		"cuMemAlloc_v2:1:2,cuMemAlloc_v2:2:2":           "", // a piece for each variable will do
	} {
		output, err := p.run(t, "ACC_DEVICE_TYPE=cuda", "ACCSCOPE_STANDIN_FAIL="+fault)
		if says == "" {
			if err != nil {
				t.Errorf("%s: %v\n%s", fault, err, output)
			}
			continue
		}
		if err == nil || !strings.Contains(output, says) || strings.Count(output, "accscope:") != 1 {
			t.Errorf("%s: %v, want one line with %q:\n%s", fault, err, says, output)
		}
	}
}

// TestTells: the end of the runtime names the device that was used, and the look-up of a
// kernel's name gives the driver's, which on the stand-in is none that follows from it.
func TestTells(t *testing.T) {
	p := compile(t, "testdata/tells.c")
	for device, want := range map[string]string{
		"nvidia": strings.Repeat("main._omp_fn.0: 0, f1\n", 2) + "device 0 of type 5, interface 0 of type 5\n",
		"sim":    strings.Repeat("main._omp_fn.0: 0, main._omp_fn.0\n", 2) + "device 0 of type 100, interface 0 of type 100\n",
		"host":   "device 0 of type 2, interface 0 of type 2\n",
	} {
		if got, err := p.run(t, "ACC_DEVICE_TYPE="+device); err != nil || got != want {
			t.Errorf("%s: %v, printed\n%s", device, err, got)
		}
	}
}
