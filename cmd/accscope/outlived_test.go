package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// complete says whether a trace says that it is.
func complete(t *testing.T, folder, trace string) bool {
	t.Helper()
	rows := invoke(t, folder, "query", "--format", "csv", trace, "SELECT value FROM meta WHERE key = 'complete'").must(t).stdout
	return strings.HasSuffix(rows, "\n1\n")
}

// What the program leaves behind is followed to its end, also where it begins to
// use OpenACC long after, in a process group and a session of its own; the status
// is the program's.
func TestFollowsWhatOutlivesTheProgram(t *testing.T) {
	program := build(t, "jacobi")
	for name, script := range map[string]string{
		"a job in the background":         program + " 32 5 & exit 3",
		"before its first call":           "(sleep 0.5; exec " + program + " 32 5) & exit 3",
		"a daemon":                        "setsid sh -c '(sleep 0.5; " + program + " 32 5) &' & exit 3",
		"one that has forked all the way": "(((sleep 0.2; " + program + " 32 5) &) &) & exit 3",
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			environment, list := sessions(t)
			execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "5").must(t)
			// Their output is nobody's: nothing but accscope waits for them.
			r := execute(t, folder, environment, accscope, "run", "-q", "--linger", "10m", "--device", "sim", "-o", "t.db", "--", "sh", "-c",
				"exec >/dev/null 2>&1; "+script)
			if r.status != 3 {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
			if got, want := countEvents(t, folder, "t.db"), countEvents(t, folder, "whole.db"); got != want || !complete(t, folder, "t.db") {
				t.Errorf("%q events, want %q", got, want)
			}
			if left := list(); len(left) != 0 {
				t.Errorf("sessions %v are left", left)
			}
		})
	}
}

// What runs on after --linger keeps its session: the trace is not called complete
// until import has taken in the rest.
func TestWhatIsLetGoIsImported(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "5").must(t)
	gate := filepath.Join(folder, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "exec >/dev/null 2>&1; " + program + " 32 5; (read line < gate; " + program + " 32 5; echo > done) & exit 4"
	r := execute(t, folder, environment, accscope, "run", "--no-summary", "--linger", "300ms", "--device", "sim", "-o", "t.db", "--", "sh", "-c", script)
	left := list()
	if r.status != 4 || !strings.Contains(r.stderr, "t.db is NOT complete: ") || len(left) != 1 || complete(t, folder, "t.db") {
		t.Fatalf("status %d, sessions %v, %s", r.status, left, r.stderr)
	}
	if r := execute(t, folder, environment, accscope, "ls").must(t); !strings.Contains(r.stdout, filepath.Base(left[0])) {
		t.Errorf("ls: %s", r.stdout)
	}
	r = execute(t, folder, environment, accscope, "import", left[0]).must(t)
	if !strings.Contains(r.stderr, "NOT complete") || len(list()) != 1 || complete(t, folder, "t.db") {
		t.Errorf("import under the running program: %s", r.stderr)
	}
	if got, want := countEvents(t, folder, "t.db"), countEvents(t, folder, "whole.db"); got != want {
		t.Errorf("%q events by now, want %q", got, want)
	}
	if r := execute(t, folder, environment, accscope, "import", "-o", "all.db", left[0], "whole.db"); r.status != exitFailure || !strings.Contains(r.stderr, "still run") {
		t.Errorf("import of several: status %d, %s", r.status, r.stderr)
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	for r.stderr = "NOT complete"; strings.Contains(r.stderr, "NOT complete"); {
		r = execute(t, folder, environment, accscope, "import", left[0]).must(t)
	}
	if left := list(); len(left) != 0 || !complete(t, folder, "t.db") {
		t.Errorf("sessions %v are left", left)
	}
	var once, all int
	if _, err := fmt.Sscanf(countEvents(t, folder, "whole.db")+countEvents(t, folder, "t.db"), "count(*)\n%d\ncount(*)\n%d", &once, &all); err != nil || all != 2*once {
		t.Errorf("%d events of twice %d (%v)", all, once, err)
	}
}

// At a terminal accscope waits as long as it takes, says so, and Ctrl+C lets go.
func TestWaitsAtATerminal(t *testing.T) {
	folder := t.TempDir()
	environment, list := sessions(t)
	// The process that stays behind ignores Ctrl+C, as a job in the background does.
	command := exec.Command(accscope, "run", "--linger", "1ms", "-o", "t.db", "--", "sh", "-c", "sleep 600 & echo left $! behind; exit 5")
	command.Dir, command.Env = folder, append(os.Environ(), environment...)
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var output bytes.Buffer
	until := func(word string) {
		t.Helper()
		buffer := make([]byte, 4096)
		for !strings.Contains(output.String(), word) {
			n, err := terminal.Read(buffer)
			output.Write(buffer[:n])
			if err != nil {
				t.Fatalf("no %q: %v\n%s", word, err, &output)
			}
		}
	}
	until("Ctrl+C lets them go")
	_, rest, _ := strings.Cut(output.String(), "left ")
	number, _, _ := strings.Cut(rest, " ")
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	// The shell's child ignores Ctrl+C, and is called sleep, only once it has begun it.
	for name := []byte(nil); string(name) != "sleep\n"; {
		if name, err = os.ReadFile("/proc/" + number + "/comm"); err != nil {
			t.Fatalf("%v\n%s", err, &output)
		}
	}
	if _, err := terminal.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	until("NOT complete: " + number + " (sleep)")
	if err := command.Wait(); command.ProcessState.ExitCode() != 5 {
		t.Errorf("%v: %s", err, &output)
	}
	if left := list(); len(left) != 1 {
		t.Errorf("sessions %v", left)
	}
}

// Signals that accscope was started to ignore are ignored by it and the program.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	folder := t.TempDir()
	ignored := func(t *testing.T, r result) uint64 {
		t.Helper()
		mask, err := strconv.ParseUint(strings.TrimSpace(strings.TrimPrefix(r.must(t).stdout, "SigIgn:")), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return mask & (1<<31 - 1) // those above are the C library's own
	}
	before := ignored(t, execute(t, folder, nil, "grep", "SigIgn", "/proc/self/status")) // of nohup, for one
	for _, name := range []string{"HUP", "INT", "QUIT", "TERM", "USR1", "PIPE"} {
		t.Run(name, func(t *testing.T) {
			script := "trap '' " + name + "; exec " + accscope + " run -q -- sh -c 'kill -" + name + " $PPID $$; exec grep SigIgn /proc/self/status'"
			mask := ignored(t, execute(t, folder, nil, "sh", "-c", script))
			number := map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT, "TERM": syscall.SIGTERM,
				"USR1": syscall.SIGUSR1, "PIPE": syscall.SIGPIPE}[name]
			if want := before | 1<<(number-1); mask != want {
				t.Errorf("the program ignores %#x, want %#x", mask, want)
			}
		})
	}
}

// A run whose trace is gone says so, and ends as the program did; where it had to be recorded
// it fails if the program has not.
func TestTraceGoneUnderTheRun(t *testing.T) {
	program := build(t, "jacobi")
	for _, c := range []struct {
		flag         string
		status, want int
	}{{"--quiet=false", 0, 0}, {"--must-record", 0, exitRunFailed}, {"--must-record", 6, 6}} {
		folder, status, want := t.TempDir(), c.status, c.want
		r := invoke(t, folder, "run", c.flag, "--device", "sim", "-o", "t.db", "--", "sh", "-c", fmt.Sprintf("%s 32 5; until [ -s t.db-wal ]; do sleep 0.01; done; rm -f t.db*; exit %d", program, status))
		if r.status != want || !strings.Contains(r.stderr, "t.db") || !strings.Contains(r.stderr, "t.db: the trace is gone: it was removed or moved while it was written") {
			t.Errorf("after %d: status %d, want %d: %s", status, r.status, want, r.stderr)
		}
	}
}

// Nothing is promised of a session that is gone under the run.
func TestSessionGoneUnderTheRun(t *testing.T) {
	folder := t.TempDir()
	environment, _ := sessions(t)
	r := execute(t, folder, environment, accscope, "run", "--must-record", "--device", "sim", "-o", "t.db", "--", "sh", "-c", build(t, "jacobi")+` 32 5; rm -rf "$ACCSCOPE_SESSION"`)
	if r.status != exitRunFailed || !strings.Contains(r.stderr, "the session is gone too") || strings.Contains(r.stderr, "is kept") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}
