package threads

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestSmallStack uses OpenACC on threads with the least stack that the C library
// allows, the process's first call among them, with and without the profiler.
func TestSmallStack(t *testing.T) {
	program := compile(t, "small_stack")
	// KiB: PTHREAD_STACK_MIN
	least := map[string]string{"amd64": "16", "arm64": "128"}[runtime.GOARCH]
	profiler := filepath.Join(filepath.Dir(library(t)), "libaccprof.so")
	for _, device := range devices {
		for _, c := range []struct{ arguments, profiler, want string }{
			{least, "", "2\n"},
			{least + " second", "", "4\n"},
			{least, profiler, "2\n"},
			{least + " second", profiler, "4\n"},
		} {
			t.Run(fmt.Sprint(device, "/", c.arguments, "/", filepath.Base(c.profiler)), func(t *testing.T) {
				command := exec.Command(program, strings.Fields(c.arguments)...)
				command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device,
					"ACC_PROFLIB="+c.profiler, "ACCSCOPE_SESSION="+t.TempDir())
				if output, err := command.CombinedOutput(); err != nil || string(output) != c.want {
					t.Errorf("%v\n%s", err, output)
				}
			})
		}
	}
}

// TestTooSmallStack leaves a call less stack than it may take: the program ends with
// one line that says so.
func TestTooSmallStack(t *testing.T) {
	program := compile(t, "little_left")
	command := exec.Command(program)
	command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE=sim")
	output, _ := command.CombinedOutput()
	if said := string(output); command.ProcessState.ExitCode() != 1 || strings.Count(said, "\n") != 1 ||
		!strings.HasPrefix(said, "libopenacc: the calling thread has ") {
		t.Errorf("%v, printed %q", command.ProcessState, said)
	}
}
