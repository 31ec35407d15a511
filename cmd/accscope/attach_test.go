package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/session"
	"github.com/accscope/accscope/runtime/compilers"
)

// Capture is switched on and off in a running program, in a session and where
// the library works alone.
func TestAttachAndDetach(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	scene := filepath.Join(folder, "scene")
	compile := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", scene, filepath.Join(project, "tui/testdata/scene.c"))
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for name, command := range map[string][]string{
		"session": {accscope, "run", "-q", "--no-summary", "--device", "sim", "--paused", "-o", "trace.db", "--", scene},
		"alone": {"env", "LD_PRELOAD=" + filepath.Join(project, "lib/libopenacc.so"), "ACC_DEVICE_TYPE=sim", "ACCSCOPE_CAPTURE=off",
			"ACC_PROFLIB=" + filepath.Join(project, "lib/libaccprof.so"), scene},
	} {
		t.Run(name, func(t *testing.T) {
			program := exec.Command(command[0], command[1:]...)
			program.Dir = folder
			input, err := program.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			defer program.Wait() //nolint:errcheck // its end is not what is tested
			defer input.Close()
			var p session.ProcessInfo
			state := func() bool {
				if list, err := session.List(); err == nil && len(list) == 1 && len(list[0].Processes) == 1 {
					p = list[0].Processes[0]
					return true
				}
				list, err := session.ListAlone()
				for _, a := range list {
					if err == nil && a.In(folder) {
						p = a.Processes[0]
						return true
					}
				}
				return false
			}
			for end := time.Now().Add(time.Minute); !state(); time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the program did not come")
				}
			}
			if p.On {
				t.Error("capture is on from the start")
			}
			line := regexp.MustCompile(fmt.Sprintf(`(?m)^\S+ +%d +off +- +\S*scene +%s`, p.PID, map[string]string{
				"session": `\d+ `, "alone": fmt.Sprintf("none: accscope top %d ", p.PID)}[name]))
			if r := invoke(t, folder, "ls").must(t); !line.MatchString(r.stdout) {
				t.Errorf("no line %s in\n%s", line, r.stdout)
			}
			for verb, others := range map[string]bool{"attach": true, "detach": false} {
				words := invoke(t, folder, "__complete", verb, "").must(t).stdout
				if strings.Contains(words, fmt.Sprintf("%d\t", p.PID)) != others {
					t.Errorf("shells are offered for %s: %s", verb, words)
				}
			}
			for _, verb := range []string{"attach", "detach", "attach"} {
				said := invoke(t, folder, verb, fmt.Sprint(p.PID)).must(t).stdout
				if want := fmt.Sprintf("capture is %s in process %d\n", map[bool]string{true: "on", false: "off"}[verb == "attach"], p.PID); said != want {
					t.Errorf("%s said %q, not %q", verb, said, want)
				}
				if !state() || p.On != (verb == "attach") {
					t.Errorf("after %s capture is on: %v", verb, p.On)
				}
			}
			if said := invoke(t, folder, "attach", fmt.Sprint(p.PID)).must(t).stdout; !strings.HasPrefix(said, "capture was on already") {
				t.Errorf("a second attach said %q", said)
			}
		})
	}
	if r := invoke(t, folder, "attach", "999999999"); r.status != 1 || !strings.Contains(r.stderr, "there is no process 999999999") {
		t.Errorf("no such process: %d, %s", r.status, r.stderr)
	}
}

// Another user's process is told from one without the library.
func TestAttachToAnotherUsers(t *testing.T) {
	output := asNobody(t, "attach", strconv.Itoa(os.Getpid()))
	if !strings.Contains(output, "permission denied; do it as its owner") {
		t.Errorf("%s", output)
	}
}

// asNobody runs the binary as another user, expects it to fail, and gives what it
// said.
func asNobody(t *testing.T, args ...string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("becoming another user takes root")
	}
	binary := "/proc/self/fd/3" // in a folder that only root may enter
	program, err := os.Open(accscope)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	command := exec.Command(binary, args...)
	command.Dir, command.Env = "/", []string{"ACCSCOPE_DIR=/nonexistent"}
	command.ExtraFiles = []*os.File{program}
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	output, err := command.CombinedOutput()
	if err == nil {
		t.Errorf("%s did not fail", args)
	}
	return string(output)
}
