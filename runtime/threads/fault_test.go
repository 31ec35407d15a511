package threads

import (
	"bytes"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestFault has a kernel, or host code after one, write to address 0: the process
// ends as it would without us, by the signal and with nothing printed, or in the
// program's own handler.
func TestFault(t *testing.T) {
	program := compile(t, "faults")
	for _, device := range devices {
		for _, where := range []string{"kernel", "asynchronous", "host"} {
			for _, handles := range []string{"", "before", "after"} {
				t.Run(device+"/"+where+"/"+handles, func(t *testing.T) {
					command := exec.Command(program, where, handles)
					command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
					var printed bytes.Buffer
					command.Stdout, command.Stderr = &printed, &printed
					if err := command.Run(); command.ProcessState == nil {
						t.Fatal(err)
					}
					status := command.ProcessState.Sys().(syscall.WaitStatus)
					if handles == "" && status.Signal() != syscall.SIGSEGV || handles != "" && status.ExitStatus() != 42 {
						t.Errorf("ended with %v", command.ProcessState)
					}
					if printed.Len() > 0 {
						t.Errorf("printed:\n%s", &printed)
					}
				})
			}
		}
	}
}
