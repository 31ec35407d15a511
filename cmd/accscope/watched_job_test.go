package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/session"
)

// A rank of an MPI job that collects ends before the others, and accscope top goes
// on in its place: the last rank gets the session from it, and does not wait until
// top is quit.
func TestWatchedJobEnds(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("ACCSCOPE_DIR", filepath.Join(folder, "sessions"))
	job := append(os.Environ(), "PMIX_NAMESPACE=watched")
	type process struct {
		*exec.Cmd
		output bytes.Buffer
		done   chan error
	}
	start := func(name string, environment []string, args ...string) *process {
		p := &process{Cmd: exec.Command(name, args...), done: make(chan error, 1)}
		p.Dir, p.Env = folder, environment
		p.Stderr = &p.output
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { p.done <- p.Wait() }()
		t.Cleanup(func() { p.Process.Kill() }) //nolint:errcheck // mostly it has ended
		return p
	}
	ends := func(p *process, what string) {
		t.Helper()
		select {
		case err := <-p.done:
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, p.output.String())
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s does not end\n%s", what, p.output.String())
		}
	}
	// A rank runs until its pipe is closed; that it can be opened says that the
	// rank has joined.
	rank := func(name string) (*process, *os.File) {
		pipe := filepath.Join(folder, name)
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		p := start(accscope, job, "run", "--no-summary", "--paused", "-o", "trace.db", "--", "cat", pipe)
		file, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return p, file
	}
	first, firstPipe := rank("first")
	last, lastPipe := rank("last")
	list, err := session.List()
	if err != nil || len(list) != 1 || list[0].Owner != first.Process.Pid {
		t.Fatalf("sessions %+v, %v; want one that the first rank, %d, owns", list, err, first.Process.Pid)
	}
	s := list[0].Session

	top := exec.Command(accscope, "top", "--json", "--interval", "20ms", s.Name())
	if err := top.Start(); err != nil {
		t.Fatal(err)
	}
	defer top.Wait()         //nolint:errcheck // killed
	defer top.Process.Kill() //nolint:errcheck // Wait says if not
	firstPipe.Close()
	ends(first, "the first rank")
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		owner, err := s.Owner()
		if err != nil {
			t.Fatal(err)
		}
		if owner == top.Process.Pid {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("process %d owns the session, not top (%d)", owner, top.Process.Pid)
		}
	}
	lastPipe.Close()
	ends(last, "the last rank")
	if text := last.output.String(); !strings.Contains(text, "trace.db") {
		t.Errorf("the last rank says %q", text)
	}
	if complete := invoke(t, folder, "query", "--format", "csv", "trace.db", "SELECT value FROM meta WHERE key = 'complete'").must(t).stdout; !strings.Contains(complete, "1") {
		t.Errorf("the trace is not complete: %q", complete)
	}
	if list, err := session.List(); err != nil || len(list) != 0 {
		t.Errorf("sessions %+v, %v are left", list, err)
	}
}
