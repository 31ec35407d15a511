package threads

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestHandler has handlers of signals, which come at any moment of the main thread's
// OpenACC calls, call OpenACC, end the program or jump out. Calls that cannot be made
// are refused with one line; a jump out of the Go part ends the program with one; the
// rest works. The handler is installed before the first use, or after it on an
// alternate signal stack.
func TestHandler(t *testing.T) {
	const refused, left = "libopenacc: a call (", "libopenacc: an OpenACC call was left by longjmp"
	program := compile(t, "handlers")
	for _, device := range devices {
		for _, c := range []struct {
			what   string
			status int
			said   string // what may be said; the host's kernels and copies enter no Go
		}{
			{"inquire", 0, refused},
			{"copy", 0, refused},
			{"construct", 0, refused},
			{"exit", 7, ""},
			{"jump", 0, left},
			{"jump from kernel", 0, left},
		} {
			for _, stack := range []string{"", "alternate"} {
				t.Run(fmt.Sprint(device, "/", c.what, "/", stack), func(t *testing.T) {
					command := exec.Command(program, append([]string{c.what}, strings.Fields(stack)...)...)
					command.Env = append(os.Environ(), "LD_PRELOAD="+library(t), "ACC_DEVICE_TYPE="+device)
					var errors strings.Builder
					command.Stderr = &errors
					output, _ := command.Output()
					said, status, want := errors.String(), c.status, "went on\n"
					if warning, rest, _ := strings.Cut(said, "\n"); strings.Contains(warning, "is given the host's pointer in,") {
						said = rest // the kernel waits for what the host writes
					}
					if c.what == "exit" {
						want = ""
					}
					if c.said == left && said != "" {
						status, want = 1, ""
					}
					if command.ProcessState.ExitCode() != status || string(output) != want {
						t.Errorf("%v, standard output %q", command.ProcessState, output)
					}
					if said != "" && (c.said == "" || !strings.HasPrefix(said, c.said) || strings.Count(said, "\n") != 1) {
						t.Errorf("standard error %q", said)
					}
					if device == "sim" && c.what == "jump from kernel" && said == "" ||
						device == "host" && c.what == "jump from kernel" && said != "" {
						t.Errorf("a jump out of a kernel on %s: standard error %q", device, said)
					}
				})
			}
		}
	}
}
