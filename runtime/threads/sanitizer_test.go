package threads

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/cuda/standin/build"
)

// sanitized builds both libraries of a program's process, with the Go part and its C,
// by a sanitizer, and returns their folder.
func sanitized(t *testing.T, sanitizer string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	flag := "-fsanitize=" + sanitizer
	c := []string{compilers.C(), "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-fvisibility=hidden", "-fno-omit-frame-pointer", "-fPIC", "-shared",
		"-pthread", flag, "-fno-sanitize-recover=all", "-Iruntime/include"}
	compile := func(name, patterns string, arguments ...string) {
		command := append(append([]string{}, c...), "-o", filepath.Join(folder, name))
		for pattern := range strings.FieldsSeq(patterns) {
			sources, err := filepath.Glob(filepath.Join(root, pattern))
			if err != nil || len(sources) == 0 {
				t.Fatalf("%s: %v", pattern, err)
			}
			command = append(command, sources...)
		}
		make := exec.Command(command[0], append(command[1:], arguments...)...)
		make.Dir = root
		if output, err := make.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", make, err, output)
		}
	}
	compile("libopenacc.so", "runtime/entry/*.c callbacks/dispatch.c", "-ftls-model=initial-exec", "-Icallbacks", "-Iruntime/dataenv",
		"-Iruntime/goacc", "-Wl,-soname,libopenacc.so", "-Wl,-z,nodelete", "-ldl")
	compile("libaccprof.so", "collector/proflib/*.c runtime/cuda/cupti.c", "-Icollector/capture", "-Wl,-soname,libaccprof.so", "-Wl,-z,now", "-Wl,-z,nodelete")
	engine := exec.Command("go", "build", "-trimpath", "-buildmode=pie", "-ldflags=-buildmode=c-shared", "-o", filepath.Join(folder, "libopenacc-engine.so"), "./cmd/libopenacc/engine")
	engine.Dir = root
	engine.Env = append(os.Environ(), "CGO_CFLAGS="+os.Getenv("CGO_CFLAGS")+" -O1 -g "+flag+" -fno-sanitize-recover=all", "CGO_LDFLAGS="+flag)
	if output, err := engine.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", engine, err, output)
	}
	return folder
}

// TestSanitizers runs programs on the whole runtime, on every kind of device and with
// the profiler, where all C of the process is watched: the programs, the library that
// they are linked with, the C of the backends (CUDA's on the driver's stand-in) and the
// profiler library.
func TestSanitizers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds everything twice")
	}
	// ThreadSanitizer does not see what Go's part orders: copies and kernels on the
	// program's own data, which Go's part has waited for, look unordered to it. What
	// is between threads in the queues, the dispatch and the recording is watched.
	suppressions := filepath.Join(t.TempDir(), "suppressions")
	if err := os.WriteFile(suppressions, []byte("race:^accscope_sim_perform$\nrace:_omp_fn\nrace:libcuda.so.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	options := []string{"ASAN_OPTIONS=detect_leaks=0", // Go's memory, which refers to C's, is not looked through
		"TSAN_OPTIONS=halt_on_error=1 suppressions=" + suppressions, "UBSAN_OPTIONS=halt_on_error=1"}
	for _, sanitizer := range []string{"address,undefined", "thread"} {
		t.Run(strings.ReplaceAll(sanitizer, ",", "-"), func(t *testing.T) {
			folder := sanitized(t, sanitizer)
			driver := t.TempDir()
			if _, err := build.Library(driver); err != nil {
				t.Fatal(err)
			}
			registrar, err := build.Registrar(driver)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct{ source, arguments, devices, says string }{
				{"testdata/hammer.c", "20", "host sim cuda", ""},
				{"testdata/leaves.c", "", "host sim", ""},
				{"testdata/forks.c", "exit", "host sim", "0\n"},
				{"testdata/forks.c", "first", "host sim", "0\n"},
				{"testdata/cancels.c", "first 20", "host sim", ""},
				{"testdata/waiting_kernel.c", "", "sim", "the kernel ended\n"},
				{"testdata/waiting_record.c", "", "sim", "the record came\n"},
				{"testdata/shutdown_record.c", "", "sim cuda", "answered\nshut down\nanswered\n"},
				{"testdata/waited_record.c", "", "sim cuda", "20 of 20\n"},
				{"testdata/late_copies.c", "before", "host sim", "joined, x is 2\n"},
				{"../../examples/jacobi/jacobi.c", "64 20", "host sim cuda", "0"},
				{"../../examples/pipeline/pipeline.c", "4 1024", "host sim cuda", "0"},
			} {
				program := filepath.Join(folder, strings.TrimSuffix(filepath.Base(c.source), ".c"))
				make := exec.Command(compilers.C(), "-O1", "-g", "-fopenacc", "-foffload=disable", "-fsanitize="+sanitizer, "-fno-sanitize-recover=all",
					"-I../include", "-o", program, c.source, "-L"+folder, "-lopenacc", "-Wl,-rpath,"+folder, "-pthread", "-lm")
				if output, err := make.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", make, err, output)
				}
				for device := range strings.FieldsSeq(c.devices) {
					for _, profiled := range []bool{false, true} {
						t.Run(fmt.Sprintf("%s %s/%s/profiled=%t", filepath.Base(c.source), c.arguments, device, profiled), func(t *testing.T) {
							// Only a hang takes so long.
							limited, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
							defer cancel()
							command := exec.CommandContext(limited, program, strings.Fields(c.arguments)...)
							command.Env = append(append(os.Environ(), options...), "ACC_DEVICE_TYPE="+device)
							if device == "cuda" {
								command.Env = append(command.Env, "LD_PRELOAD="+registrar, "LD_LIBRARY_PATH="+driver, "CUDA_CACHE_DISABLE=1",
									"ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0")
							}
							if profiled {
								command.Env = append(command.Env, "ACC_PROFLIB="+folder+"/libaccprof.so", "ACCSCOPE_SESSION="+t.TempDir())
							}
							output, err := command.CombinedOutput()
							if err != nil || !strings.Contains(string(output), c.says) || c.says == "" && len(output) != 0 {
								t.Errorf("%v, printed\n%.8000s", err, output)
							}
						})
					}
				}
			}
		})
	}
}
