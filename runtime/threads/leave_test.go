package threads

import (
	"bytes"
	"os"
	"os/exec"
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
