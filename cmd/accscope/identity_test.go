package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/capture"
)

// A session whose trace's name another run has got leaves that run's trace alone,
// and what it has captured becomes a trace of its own.
func TestImportKnowsItsTrace(t *testing.T) {
	program := build(t, "jacobi")
	for _, test := range []struct {
		name string
		take func(t *testing.T, folder string) // of the name t.db
	}{
		{"another run's trace", func(t *testing.T, folder string) {
			invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program, "32", "7").must(t)
		}},
		{"a text", func(t *testing.T, folder string) {
			if err := os.WriteFile(filepath.Join(folder, "t.db"), []byte("of the user\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			environment, list := sessions(t)
			r := execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", program+" 32 5; kill -9 $PPID")
			left := list()
			if r.status != 128+9 || len(left) != 1 {
				t.Fatalf("status %d, sessions %v: %s", r.status, left, r.stderr)
			}
			files, err := filepath.Glob(filepath.Join(folder, "t.db*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range files {
				if err := os.Rename(name, strings.Replace(name, "t.db", "elsewhere.db", 1)); err != nil {
					t.Fatal(err)
				}
			}
			test.take(t, folder)
			before := contents(t, folder)
			if r := execute(t, folder, environment, accscope, "import", left[0]); r.status != exitFailure || strings.Contains(r.stderr, "remove") ||
				!strings.Contains(r.stderr, "t.db") {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
			if after := contents(t, folder); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("import changed the folder:\n%.200q\n%.200q", before, after)
			}
			r = execute(t, folder, environment, accscope, "import", "-o", "new.db", left[0]).must(t)
			if !strings.Contains(r.stderr, "t.db is not this session's trace any more") {
				t.Errorf("import said %s", r.stderr)
			}
			after := contents(t, folder)
			if len(after) != len(before)+1 {
				t.Errorf("import made of\n%.200q\n%.200q", before, after)
			}
			kept := 0
			for _, line := range before {
				for _, other := range after {
					if line == other {
						kept++
					}
				}
			}
			if kept != len(before) {
				t.Errorf("import changed what was there: %.200q", after)
			}
			invoke(t, folder, "info", "--check", "new.db").must(t)
		})
	}
}

// A trace that was begun is gone on with under the name that import is given, and stays as
// it was: nothing is removed that was not named.
func TestImportElsewhereKeepsTheTrace(t *testing.T) {
	folder := t.TempDir()
	environment, list := sessions(t)
	session := killedWithATrace(t, folder, environment, list)
	imported(t, folder, environment, "-o", "new.db", session).must(t)
	if left := list(); len(left) != 0 || !complete(t, folder, "new.db") {
		t.Errorf("sessions %v", left)
	}
	for _, name := range []string{"t.db", "new.db"} {
		invoke(t, folder, "info", "--check", name).must(t)
		if events := countEvents(t, folder, name); strings.HasSuffix(events, "\n0\n") {
			t.Errorf("%s has %q events", name, events)
		}
	}
}

// killedWithATrace runs a program whose collector is killed when a part of the capture
// is in the trace t.db alone, and gives the session.
func killedWithATrace(t *testing.T, folder string, environment []string, list func() []string) string {
	t.Helper()
	program, gate := build(t, "jacobi"), filepath.Join(folder, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", program+" 32 30000 >/dev/null; read line < gate")
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for released := false; !released; time.Sleep(time.Millisecond) {
		for _, session := range list() {
			captures, err := capturesIn(session)
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range captures {
				if c, err := capture.Open(each); err == nil {
					counters, err := c.Counters()
					released = err == nil && counters.ReleasedBytes > 0
					if err := c.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	command.Wait() //nolint:errcheck // it was killed
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
	left := list()
	if len(left) != 1 {
		t.Fatalf("sessions %v", left)
	}
	return left[0]
}

// imported imports a session, again while its processes end.
func imported(t *testing.T, folder string, environment []string, args ...string) (r result) {
	t.Helper()
	for r.stderr = "NOT complete"; strings.Contains(r.stderr, "NOT complete"); {
		r = execute(t, folder, environment, accscope, append([]string{"import"}, args...)...)
	}
	return r
}

// A trace that was moved while its session waits for import is gone on with where its
// new name is given; without it nothing is made of the rest, unless that is asked for,
// and then the trace says what it lacks.
func TestImportWithoutItsTrace(t *testing.T) {
	for _, found := range []bool{true, false} {
		t.Run(map[bool]string{true: "found", false: "lost"}[found], func(t *testing.T) {
			folder := t.TempDir()
			environment, list := sessions(t)
			session := killedWithATrace(t, folder, environment, list)
			files, err := filepath.Glob(filepath.Join(folder, "t.db*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%v, %v", files, err)
			}
			for _, name := range files {
				if err := os.Rename(name, strings.Replace(name, "t.db", "moved.db", 1)); err != nil {
					t.Fatal(err)
				}
			}
			before := contents(t, folder)
			if r := execute(t, folder, environment, accscope, "import", session); r.status != exitFailure || !strings.Contains(r.stderr, "t.db, the session's trace, is not there") {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
			if after := contents(t, folder); len(after) != len(before) || len(list()) != 1 {
				t.Errorf("import made of\n%.200q\n%.200q; sessions %v", before, after, list())
			}
			name := map[bool]string{true: "moved.db", false: "rest.db"}[found]
			r := imported(t, folder, environment, "-o", name, session).must(t)
			if lacks := strings.Contains(r.stderr, "went to a trace that is gone"); lacks == found {
				t.Errorf("import says %s", r.stderr)
			}
			if left := list(); len(left) != 0 || !complete(t, folder, name) {
				t.Errorf("sessions %v", left)
			}
			for _, command := range []string{"report", "info"} {
				if said := invoke(t, folder, command, name).must(t).stdout; strings.Contains(said, "went to a trace that is gone") == found {
					t.Errorf("%s says\n%s", command, said)
				}
			}
			invoke(t, folder, "info", "--check", name).must(t)
			if events := countEvents(t, folder, name); found {
				environment, _ := sessions(t)
				execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "whole.db", "--", build(t, "jacobi"), "32", "30000").must(t)
				if want := countEvents(t, folder, "whole.db"); events != want {
					t.Errorf("%q events, want %q", events, want)
				}
			}
		})
	}
}
