package threads

import (
	"bytes"
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
