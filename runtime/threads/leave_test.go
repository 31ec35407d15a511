package threads

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeave has main return while other threads work: none of them finds a result
// missing that it has waited for, nothing is printed, and the process ends.
func TestLeave(t *testing.T) {
	program := compile(t, "leaves")
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			for range 12 {
				command := exec.Command(program)
				command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
				var printed bytes.Buffer
				command.Stdout, command.Stderr = &printed, &printed
				if err := command.Run(); err != nil || printed.Len() > 0 {
					t.Fatalf("%v\n%s", err, &printed)
				}
			}
		})
	}
}

// TestLeaveBesideKernel has main return while a kernel runs that calls a routine
// which waits: it goes on, although the end of the program waits for it.
func TestLeaveBesideKernel(t *testing.T) {
	if output := run(t, "sim", compile(t, "waiting_kernel")); output != "the kernel ended\n" {
		t.Errorf("printed %q", output)
	}
}

// TestLeaveBesideRecord is the same with a tool's record function.
func TestLeaveBesideRecord(t *testing.T) {
	if output := run(t, "sim", compile(t, "waiting_record")); output != "the record came\n" {
		t.Errorf("printed %q", output)
	}
}

// TestRecordsAtShutdown has a tool's record function call the API while a device is shut
// down.
func TestRecordsAtShutdown(t *testing.T) {
	if output := run(t, "sim", compile(t, "shutdown_record")); output != "answered\nshut down\nanswered\n" {
		t.Errorf("printed %q", output)
	}
}

// TestRecordWantsWhatAWaiterHolds has a tool's record function want a lock of the
// thread that waits, where the profiler has waits deliver the records.
func TestRecordWantsWhatAWaiterHolds(t *testing.T) {
	t.Setenv("ACC_PROFLIB", filepath.Join(filepath.Dir(library(t)), "libaccprof.so"))
	t.Setenv("ACCSCOPE_SESSION", t.TempDir())
	if output := run(t, "sim", compile(t, "waited_record")); output != "20 of 20\n" {
		t.Errorf("printed %q", output)
	}
}

// TestLateCopies: a thread that an exit handler waits for copies to the host when
// the end of the program has shut the device down. It is told, once, and goes on.
func TestLateCopies(t *testing.T) {
	program := compile(t, "late_copies")
	for _, c := range []struct {
		device, what, names string
		x                   string
	}{
		{"sim", "acc_copyout", "acc_copyout", "1"},
		{"sim", "acc_copyout_async", "acc_copyout_async", "1"},
		{"sim", "acc_update_self", "acc_update_self", "1"},
		{"sim", "exit data", "an exit data directive", "1"},
		{"sim", "update", "an update directive", "1"},
		{"sim", "data", "the end of a data construct", "1"},
		{"sim", "outer data", "the end of a data construct", "1"},
		{"sim", "delete", "", "1"},
		{"sim", "before", "", "2"},
		{"host", "acc_copyout", "", "2"},
		{"host", "data", "", "2"},
	} {
		t.Run(c.device+"/"+c.what, func(t *testing.T) {
			command := exec.Command(program, c.what)
			command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+c.device)
			var errors strings.Builder
			command.Stderr = &errors
			output, err := command.Output()
			if want := "joined, x is " + c.x + "\n"; err != nil || string(output) != want {
				t.Errorf("%v, %q; want %q", err, output, want)
			}
			told := "libopenacc: " + c.names + " came after the end of the program had shut the device down: "
			if got := errors.String(); c.names == "" && got != "" ||
				c.names != "" && (!strings.HasPrefix(got, told) || strings.Count(got, "\n") != 1) {
				t.Errorf("standard error %q", got)
			}
		})
	}
}

// TestLeavePool has main return while threads work that an exit handler waits for:
// those whose device is shut down under them end, and so does the process. All that
// may be printed is that a copy came too late.
func TestLeavePool(t *testing.T) {
	program := compile(t, "pool")
	for _, device := range devices {
		for _, what := range []string{"constructs", "routines", "both"} {
			t.Run(device+"/"+what, func(t *testing.T) {
				for range 6 {
					command := exec.Command(program, what)
					command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
					output, err := command.CombinedOutput()
					late := strings.HasPrefix(string(output), "libopenacc: acc_copyout came after the end") &&
						strings.Count(string(output), "\n") == 1 && device != "host"
					if err != nil || len(output) > 0 && !late {
						t.Fatalf("%v\n%s", err, output)
					}
				}
			})
		}
	}
}

// TestLeaveKernels has kernels that the host runs end their thread or the program, or jump
// out of their construct: the first one too, whatever it is first after, whatever has it run
// on the host, and whoever looks on. The program goes on as it does without OpenACC.
func TestLeaveKernels(t *testing.T) {
	program := compile(t, "left")
	profiled := func(t *testing.T) []string {
		return []string{"ACC_PROFLIB=" + filepath.Join(filepath.Dir(library(t)), "libaccprof.so"), "ACCSCOPE_SESSION=" + t.TempDir()}
	}
	for _, c := range []struct {
		name, device string
		befores      []string
		environment  func(*testing.T) []string
		limit, says  string
	}{
		{"host", "host", []string{"nothing", "shutdown", "type", "thread"}, nil, "", ""},
		{"false condition", "sim", []string{"nothing", "thread"}, nil, "", ""},
		{"profiled", "host", []string{"nothing"}, profiled, "", ""},
		{"profiled, false condition", "sim", []string{"thread"}, profiled, "", ""},
		{"notified", "host", []string{"nothing"}, func(*testing.T) []string { return []string{"ACC_NOTIFY=1"} }, "", "launch kernel"},
		{"no room for the Go part", "host", []string{"nothing"}, nil, "ulimit -n 5; ", "libopenacc: the process can open"},
	} {
		for _, before := range c.befores {
			for _, how := range []string{"jump", "signal", "end", "exit"} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, before, how), func(t *testing.T) {
					command := exec.Command("sh", "-c", c.limit+`LD_PRELOAD="$1" exec "$0" "$2" "$3"`, program, library(t), before, how)
					command.Env = append(os.Environ(), "ACC_DEVICE_TYPE="+c.device)
					if c.device != "host" {
						command.Env = append(command.Env, "ON_HOST=1")
					}
					if c.environment != nil {
						command.Env = append(command.Env, c.environment(t)...)
					}
					output, err := command.CombinedOutput()
					var printed strings.Builder
					for line := range strings.Lines(string(output)) {
						if c.says == "" || !strings.HasPrefix(line, c.says) {
							printed.WriteString(line)
						}
					}
					want, status := "left 18 times\nx is 2\n", 0
					if how == "exit" {
						want, status = "x is 2\n", 3
					}
					if printed.String() != want || command.ProcessState.ExitCode() != status {
						t.Errorf("%v, printed %s", err, output)
					}
				})
			}
		}
	}
}
