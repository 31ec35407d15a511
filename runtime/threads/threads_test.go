// Package threads runs compiled programs with many host threads and with child
// processes on the built libraries: 64 threads at once, thousands one after the
// other, forks, faults, signal handlers, cancellation, small stacks, few descriptors, ends (OpenACC 3.3 §2.3, §2.16: host threads are
// independent).
package threads

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

var devices = []string{"host", "sim"}

// compile builds a program of testdata with GCC's own header, as users do.
func compile(t *testing.T, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	build := exec.Command(compilers.C(), "-O2", "-g", "-fopenacc", "-foffload=disable",
		"-o", program, filepath.Join("testdata", name+".c"), "-pthread")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", build, err, output)
	}
	return program
}

func library(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../lib/libopenacc.so")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	return path
}

// run runs a program on our runtime and returns its standard output.
func run(t *testing.T, device, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
	output, err := command.Output()
	if failure, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s on %s: %v\n%s%s", program, device, err, output, failure.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	return string(output)
}

// TestSixtyFour checks the results of 64 threads that use one device, its shared
// data, queues, look-ups and the registry at the same time.
func TestSixtyFour(t *testing.T) {
	rounds := "500"
	if testing.Short() {
		rounds = "100"
	}
	program := compile(t, "hammer")
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			if output := run(t, device, program, rounds); output != "" {
				t.Error(output)
			}
		})
	}
}

// usage is what a process holds after so many threads of its own have ended.
type usage struct{ ended, threads, descriptors, mappings, resident int }

// TestShortLived runs 10,000 threads and finds the process with as many threads,
// descriptors and mappings and as much resident memory as after 1,000. Beside the
// 5 % there is room for what a process gets at any time: a few workers of the Go
// runtime, each with its stack and its arena of the C library. A leak of a
// hundred bytes a thread exceeds it.
func TestShortLived(t *testing.T) {
	// A thread that left 200 bytes behind would be found: Go's heap may be a MiB larger
	// at one moment than at another.
	const workers, mappingsEach, kilobytesEach, heap = 4, 4, 64, 1024
	program := compile(t, "short_lived")
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			var all []usage
			for line := range strings.Lines(run(t, device, program)) {
				var u usage
				if _, err := fmt.Sscan(line, &u.ended, &u.threads, &u.descriptors, &u.mappings, &u.resident); err != nil {
					t.Fatalf("the program printed %q", line)
				}
				all = append(all, u)
			}
			early, late := all[0], all[1]
			if early.ended != 1000 || late.ended != 10000 {
				t.Fatalf("figures after %d and %d threads", early.ended, late.ended)
			}
			// Of the moments from then on the best: a thread may be ending, the
			// garbage collector at work.
			for _, u := range all[1:] {
				late.threads = min(late.threads, u.threads)
				late.descriptors = min(late.descriptors, u.descriptors)
				late.mappings = min(late.mappings, u.mappings)
				late.resident = min(late.resident, u.resident)
			}
			for _, c := range []struct {
				what              string
				early, late, room int
			}{
				{"threads", early.threads, late.threads, workers},
				{"descriptors", early.descriptors, late.descriptors, 0},
				{"mappings", early.mappings, late.mappings, workers * mappingsEach},
				{"resident kilobytes", early.resident, late.resident, workers*kilobytesEach + heap},
			} {
				if c.what == "resident kilobytes" && compilers.Emulator() != "" {
					continue // it keeps memory for each thread that there was
				}
				t.Logf("%s: %d after 1,000 threads, %d after 10,000", c.what, c.early, c.late)
				if c.late*100 > c.early*105+c.room*100 {
					t.Errorf("%s: %d after 1,000 threads, %d after 10,000", c.what, c.early, c.late)
				}
			}
		})
	}
}
