package capture

import (
	"os/exec"
	"testing"
)

// A runtime reports device times at waits, as far as that takes a small share of the time.
func TestReportsAtWaits(t *testing.T) {
	for _, quick := range []string{"0", "15"} {
		program := compile(t, "reports", "-O1", "testdata/reports.c", "-ldl")
		command := exec.Command(program, library(t), quick)
		command.Env = append(command.Environ(), "ACCSCOPE_SESSION="+t.TempDir())
		if differs := run(t, command); differs != "" {
			t.Errorf("after %s quick reports: %s", quick, differs)
		}
	}
}
