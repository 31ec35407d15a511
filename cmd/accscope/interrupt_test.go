package main

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Ctrl-C reaches the program and accscope alike: the program decides how it
// ends, accscope still finishes the trace, and ends the same way.
func TestInterruptedRun(t *testing.T) {
	program := build(t, "jacobi")
	for _, test := range []struct {
		name, script string
		status       int
	}{
		{"the program ends by it", program + " 32 5; kill -INT 0; sleep 60", 128 + int(syscall.SIGINT)},
		{"the program handles it", "trap 'exit 3' INT; " + program + " 32 5; kill -INT 0; sleep 60", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			environment, list := sessions(t)
			// A process group of its own stands for the terminal's.
			command := exec.Command(accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", test.script)
			command.Dir, command.Env = folder, append(command.Environ(), environment...)
			command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			output, err := command.CombinedOutput()
			status := command.ProcessState.ExitCode()
			if exit := (*exec.ExitError)(nil); asExit(err, &exit) && signalOf(exit) != 0 {
				status = 128 + signalOf(exit)
			}
			if status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, output)
			}
			rows := invoke(t, folder, "query", "--format", "csv", "t.db", "SELECT value FROM meta WHERE key = 'complete'").must(t).stdout
			if !strings.Contains(rows, "1") || len(list()) != 0 {
				t.Errorf("the trace is not complete: %q, sessions %v", rows, list())
			}
		})
	}
}
