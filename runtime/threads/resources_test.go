package threads

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// limited runs few_resources under limits of its shell.
func limited(t *testing.T, program, limits, device, argument string) (output, errors string, status int) {
	t.Helper()
	command := exec.Command("sh", "-c", limits+`; LD_PRELOAD="$1" exec "$0" "$2"`, program, library(t), argument)
	command.Env = append(os.Environ(), "ACC_DEVICE_TYPE="+device)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); command.ProcessState == nil {
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), command.ProcessState.ExitCode()
}

// TestClosedDescriptors has a program close all descriptors from 3 to 1023, before its
// first use of OpenACC and after it: none of them is one that the runtime needs. The
// program's limit of open files stays as it was.
func TestClosedDescriptors(t *testing.T) {
	program := compile(t, "few_resources")
	for _, device := range devices {
		for _, argument := range []string{"close", "keep"} {
			t.Run(device+"/"+argument, func(t *testing.T) {
				output, errors, status := limited(t, program, "ulimit -Sn 1024", device, argument)
				if output != "6, 1 of the host, files 1024\n" || errors != "" || status != 0 {
					t.Errorf("status %d, printed %q, %q", status, output, errors)
				}
			})
		}
	}
}

// TestNobodyComesInBeforeThePoller lets the process's first thread come into Go as early
// as it can: had Go's poller not been open by then, it could get the number of the file
// that the C library opens for such a thread, and programs close that.
func TestNobodyComesInBeforeThePoller(t *testing.T) {
	watch := filepath.Join(t.TempDir(), "watch.so")
	if out, err := exec.Command(compilers.C(), "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", watch, "testdata/entered.c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.Command(compile(t, "few_resources"), "keep")
	command.Env = append(os.Environ(), "ACC_DEVICE_TYPE=sim", "LD_PRELOAD="+watch+":"+library(t))
	out, err := command.CombinedOutput()
	var at int
	if _, form := fmt.Sscanf(string(out), "Go waited\nGo's poller is at %d\n6, 1 of the host", &at); err != nil || form != nil || at < 1024 {
		t.Errorf("%v, printed %q", err, out)
	}
}

// TestFewResources leaves the process too few descriptors, or too little address
// space, for the Go part: one line says so and what helps, and the program takes its
// course on the host. Where the user has asked for another device there is none,
// which is an error.
func TestFewResources(t *testing.T) {
	const files, space = "(ulimit -n)", "(ulimit -v)"
	program := compile(t, "few_resources")
	for _, c := range []struct{ limits, device, says string }{
		{"ulimit -n 5", "", files},
		{"ulimit -n 5", "host", files},
		{"ulimit -n 5", "sim", files},
		{"ulimit -n 20", "host", ""},
		{"ulimit -v 50000", "host", space},
		{"ulimit -v 400000", "", space},
		{"ulimit -v 400000", "nvidia", space},
		{"ulimit -v 1500000", " HOST ", space},
	} {
		t.Run(c.limits+"/"+c.device, func(t *testing.T) {
			if c.limits == "ulimit -v 50000" {
				compilers.SkipEmulated(t, "the emulator itself needs more address space")
			}
			output, errors, status := limited(t, program, c.limits, c.device, "keep")
			lines := strings.SplitAfter(errors, "\n")
			if c.says != "" && !strings.HasPrefix(lines[0], "libopenacc: the process ") || !strings.Contains(lines[0], c.says) {
				t.Errorf("printed %q", errors)
			}
			if c.device == "sim" || c.device == "nvidia" {
				if status != 1 || output != "" || len(lines) != 3 || !strings.HasPrefix(lines[1], "libopenacc: ACC_DEVICE_TYPE="+c.device+": there is no such device") {
					t.Errorf("status %d, printed %q, %q", status, output, errors)
				}
				return
			}
			want := 1
			if c.says != "" {
				want = 2
			}
			if status != 0 || !strings.HasPrefix(output, "6, 1 of the host, ") || len(lines) != want {
				t.Errorf("status %d, printed %q, %q", status, output, errors)
			}
		})
	}
}
