package threads

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestFork has a child of a process that uses OpenACC call it, which ends the
// child with one clear line and status 1, whatever it calls; or do what a child
// may do. Nobody hangs, and the parent goes on. A child forked before the first
// use is a process like any other, also where another thread was at its first one.
func TestFork(t *testing.T) {
	const line = "libopenacc: OpenACC was used in a process that was forked from one already using it; " +
		"fork before the first use, or exec\n"
	program := compile(t, "forks")
	for _, device := range devices {
		for _, does := range []string{"exec", "system", "_exit", "exit", "first", "binding"} {
			fork(t, device, program, does, "0\n", "")
		}
		for _, calls := range []string{"acc_get_num_devices", "acc_is_present", "acc_deviceptr", "acc_hostptr", "acc_wait",
			"parallel", "data", "update"} {
			fork(t, device, program, calls, "1\n", line)
		}
	}
}

func fork(t *testing.T, device, program, child, output, errors string) {
	t.Run(device+"/"+child, func(t *testing.T) {
		t.Parallel()
		if child == "system" {
			compilers.SkipEmulated(t, "a program of the machine itself loads no library of another architecture")
		}
		// Only a hang takes so long.
		limited, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		command := exec.CommandContext(limited, program, child)
		command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		if err := command.Run(); err != nil {
			t.Error(err)
		}
		if stdout.String() != output || stderr.String() != errors {
			t.Errorf("output %q, want %q; standard error %q, want %q", &stdout, output, &stderr, errors)
		}
	})
}
