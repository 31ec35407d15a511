package threads

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"syscall"
	"testing"

	"github.com/accscope/accscope/callbacks"
)

// TestFault has a kernel, or host code after one, write to address 0: the process
// ends as it would without us, by the signal, or in the program's own handler. Before
// that the error of a kernel on sim is raised and printed, unless the handler was
// installed after the first use. A callback of the error may end the program instead.
func TestFault(t *testing.T) {
	program := compile(t, "faults")
	kernels := map[string]struct {
		line   int
		name   string
		thread int
	}{"kernel": {55, "main._omp_fn.1", 0}, "asynchronous": {60, "main._omp_fn.2", -1}}
	for _, device := range devices {
		for _, where := range []string{"kernel", "asynchronous", "host"} {
			for _, handles := range []string{"", "before", "after", "exit"} {
				t.Run(device+"/"+where+"/"+handles, func(t *testing.T) {
					command := exec.Command(program, where, handles)
					command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
					var printed bytes.Buffer
					command.Stdout, command.Stderr = &printed, &printed
					if err := command.Run(); command.ProcessState == nil {
						t.Fatal(err)
					}
					kernel, ours := kernels[where]
					ours = ours && device == "sim"
					status := command.ProcessState.Sys().(syscall.WaitStatus)
					bySignal := handles == "" || handles == "exit" && !ours
					if bySignal && status.Signal() != syscall.SIGSEGV || !bySignal && status.ExitStatus() != 42 {
						t.Errorf("ended with %v", command.ProcessState)
					}
					want := ""
					if ours && handles != "after" {
						message := fmt.Sprintf("faults.c:%d: serial: kernel %s failed on device sim 0: segmentation fault (SIGSEGV) at address 0x0\n", kernel.line, kernel.name)
						want = fmt.Sprintf("faults.c:%d in main, construct %d: device 100, thread %d, error %d: %s",
							kernel.line, callbacks.Serial, kernel.thread, callbacks.ErrorExecution, message)
						if handles != "exit" {
							want += "accscope: " + message
						}
					}
					// The emulator tells of it too.
					said := regexp.MustCompile(`(?m)^qemu: uncaught target signal .*\n`).ReplaceAllString(printed.String(), "")
					if said != want {
						t.Errorf("printed %q, want %q", said, want)
					}
				})
			}
		}
	}
}
