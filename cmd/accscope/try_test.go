package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/runtime/compilers"
)

// tryFolder is a folder with a program whose buffers change places, and how it is built.
func tryFolder(t *testing.T) (folder, build string) {
	t.Helper()
	folder = t.TempDir()
	text, err := os.ReadFile(filepath.Join(adviceFolder, "applied", "swap.c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "swap.c"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	return folder, compilers.C() + " -fopenacc -foffload=disable -O1 -g -o program swap.c"
}

func listed(t *testing.T, folder string) string {
	t.Helper()
	var names []string
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			names = append(names, path+" "+info.ModTime().String())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}

// TestTry: the change is built and run beside the program as it is, in copies of which nothing
// is left, and the folder is as it was.
func TestTry(t *testing.T) {
	folder, build := tryFolder(t)
	before := listed(t, folder)
	temporary := t.TempDir()
	r := execute(t, folder, append(slices.Clone(slowLink), "TMPDIR="+temporary), accscope, "try", "--build", build, "--device", "sim", "--", "./program").must(t)
	if want := regexp.MustCompile(`^as it is: .*\n1 mapped-in-loop swap\.c:17\n  same result\n  gain foretold [\d.]+ ms, measured [\d.]+ ms \(.* to .*\)\n`); !want.MatchString(r.stdout) {
		t.Errorf("%s\n%s", r.stdout, r.stderr)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 || listed(t, folder) != before {
		t.Errorf("left: %v (%v)\n%s\nbefore:\n%s", left, err, listed(t, folder), before)
	}
	for _, test := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"--", "./program"}, 2, "want --build COMMAND"},
		{[]string{"--build", "echo last; exit 3", "--", "./program"}, 1, "does not build (exit status 3):\nlast"},
		{[]string{"--build", build, "--runs", "2", "--", "./program"}, 2, "--runs 2: want 5 or more"},
		{[]string{"--build", build, "--device", "sim", "--finding", "9", "--", "./program"}, 2, "--finding 9: there are"},
	} {
		r := execute(t, folder, []string{"TMPDIR=" + temporary}, accscope, append([]string{"try"}, test.arguments...)...)
		if r.status != test.status || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%q: status %d, %s", test.arguments, r.status, r.stderr)
		}
	}
}

// TestTryInterrupted: Ctrl+C ends the build with all that it has started, and leaves nothing.
func TestTryInterrupted(t *testing.T) {
	folder, _ := tryFolder(t)
	temporary := t.TempDir()
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(accscope, "try", "--build", "echo >'"+begun+"'; sleep 1000 & wait", "--", "./program")
	command.Dir, command.Env = folder, append(os.Environ(), "TMPDIR="+temporary)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(begun); err != nil { // until the build has begun
		t.Fatal(err)
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	if err := command.Wait(); err == nil || command.ProcessState.ExitCode() != 1 {
		t.Errorf("ended with %v", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v), after %v", left, err, time.Since(begin))
	}
}

func TestAlike(t *testing.T) {
	for _, test := range []struct {
		a, b      string
		tolerance float64
		want      bool
	}{
		{"sum 1.0\n", "sum 1.0\n", 0, true}, {"sum 1.0\n", "sum 1.00\n", 0, false}, {"sum 1.0\n", "sum 1.00\n", 1e-9, true}, {"x = 1.000,", "x = 1.001,", 1e-2, true},
		{"1", "2", 0.1, false}, {"a 1", "b 1", 0.1, false}, {"1 2", "1", 0.1, false}, {"nan", "1", 0.1, false},
	} {
		if got := alike([]byte(test.a), []byte(test.b), test.tolerance); got != test.want {
			t.Errorf("%q and %q with %g: %v", test.a, test.b, test.tolerance, got)
		}
	}
}

func TestInterval(t *testing.T) {
	for n, want := range map[int][2]float64{5: {1, 5}, 7: {1, 7}, 8: {2, 7}, 11: {3, 9}} {
		var list []float64
		for i := range n {
			list = append(list, float64(n-i))
		}
		if low, high := interval(list); low != want[0] || high != want[1] || median(list) != float64(n+1)/2 {
			t.Errorf("of %d: %v to %v", n, low, high)
		}
	}
}
