package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/patch"
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

// TestTryFollowsNoLinkOut: where links lead to the sources, those of the copy are changed, and
// what is outside of the folder is not.
func TestTryFollowsNoLinkOut(t *testing.T) {
	outside, build := tryFolder(t)
	folder := t.TempDir()
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"texts", "sources"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(outside, "swap.c"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "texts", "swap.c"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(folder, "sources"), "linked")
	link(filepath.Join(folder, "texts", "swap.c"), "sources/swap.c")
	link(outside, "away")
	for _, test := range []struct {
		source, says string
		status       int
	}{
		{"linked/swap.c", "  same result\n", 0},
		{"away/swap.c", "  away/swap.c is a link to a file outside of the folder, which is left as it is\n", 1},
	} {
		build := strings.Replace(build, "swap.c", test.source, 1)
		r := execute(t, folder, slowLink, accscope, "try", "--build", build, "--device", "sim", "--", filepath.Join(folder, "program"))
		if r.status != test.status || !strings.Contains(r.stdout, test.says) {
			t.Errorf("%s: status %d\n%s\n%s", test.source, r.status, r.stdout, r.stderr)
		}
		for _, file := range []string{filepath.Join(folder, "texts", "swap.c"), filepath.Join(outside, "swap.c")} {
			if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, text) {
				t.Errorf("%s: %s is another file now (%v)", test.source, file, err)
			}
		}
	}
}

// TestCopiedLinks: links lead to the same places, but into the copy where they lead into what
// is copied.
func TestCopiedLinks(t *testing.T) {
	top := t.TempDir()
	from, to := filepath.Join(top, "from"), filepath.Join(top, "to")
	for _, name := range []string{"from/sub/deep", "away"} {
		if err := os.MkdirAll(filepath.Join(top, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	links := []struct{ name, points, want string }{
		{"plain", "sub/deep", "sub/deep"},
		{"sub/up", "../plain/file", "../plain/file"},
		{"sub/whole", "..", ".."},
		{"absolute", from + "/sub", "sub"},
		{"sub/deep/missing", from + "/out.dat", "../../out.dat"},
		{"around", "../from/sub/deep", "sub/deep"},
		{"through", "absolute/deep", "sub/deep"},
		{"away", "../away", top + "/away"},
		{"elsewhere", top + "/away/back/sub", "sub"},
		{"loop", "loop", "loop"},
	}
	if err := os.Symlink(from, filepath.Join(top, "away", "back")); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if err := os.Symlink(l.points, filepath.Join(from, l.name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyTree(t.Context(), from, to, ""); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if got, err := os.Readlink(filepath.Join(to, l.name)); err != nil || got != l.want {
			t.Errorf("%s -> %s: %s (%v), want %s", l.name, l.points, got, err, l.want)
		}
	}
}

// TestProgramInCopy: a program's path is one of the copy, whatever links it is named by.
func TestProgramInCopy(t *testing.T) {
	top := t.TempDir()
	source := filepath.Join(top, "source")
	if err := os.Mkdir(source, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(source, filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/bin/sh", filepath.Join(source, "shell")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string // "": an error
	}{
		{[]string{"./heat", "1000"}, "./heat 1000"},
		{[]string{filepath.Join(source, "bin/heat")}, "./bin/heat"},
		{[]string{filepath.Join(top, "link/heat")}, "./heat"},
		{[]string{"../source/heat"}, "./heat"},
		{[]string{"mpirun", filepath.Join(source, "heat"), "/etc/passwd"}, "mpirun ./heat /etc/passwd"},
		{[]string{"/bin/sh"}, ""}, {[]string{"../heat"}, ""}, {[]string{"./shell"}, ""},
	} {
		got, err := inCopy(source, test.args)
		if strings.Join(got, " ") != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%q: %q (%v)", test.args, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "is not below "+source) {
			t.Error(err)
		}
	}
}

// TestTryAllOf: what cannot be tried together with the others is named.
func TestTryAllOf(t *testing.T) {
	at := func(first, last int) *advice.Finding {
		return &advice.Finding{Rule: "unused-transfer", File: "heat.c", Line: int64(first), Edits: []patch.Edit{{File: "heat.c", First: first, Last: last, Text: []string{"x"}}}}
	}
	findings := []*advice.Finding{at(3, 5), at(4, 4), at(9, 9)}
	var said []string
	name, together := allOf(findings, []int{0, 1, 2}, func(format string, values ...any) { said = append(said, fmt.Sprintf(format, values...)) })
	if name != "all of them but 2" || !slices.Equal(together, []int{0, 2}) || len(said) != 1 || !strings.Contains(said[0], "without finding 2, unused-transfer at heat.c:4: finding 1 changes the same lines") {
		t.Errorf("%s: %v, said %q", name, together, said)
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
	command := exec.Command(accscope, "try", "--build", "sleep 1000 & echo $! >'"+begun+"'; wait", "--", "./program")
	command.Dir, command.Env = folder, append(os.Environ(), "TMPDIR="+temporary)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := os.ReadFile(begun) // until the build has begun
	if err != nil {
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
	gone(t, strings.TrimSpace(string(child)))
}

// gone fails unless a process ends, which may be a moment after it was killed.
func gone(t *testing.T, process string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(time.Millisecond) {
		status, err := os.ReadFile(filepath.Join("/proc", process, "stat"))
		if _, state, found := strings.Cut(string(status), ") "); err != nil || found && strings.HasPrefix(state, "Z") {
			return
		}
	}
	t.Errorf("process %s is still there", process)
}

// TestTryLeavesNothingRunning: what a command leaves behind ends with it, and is not waited for.
func TestTryLeavesNothingRunning(t *testing.T) {
	begin := time.Now()
	output, err := run(t.Context(), t.TempDir(), os.Environ(), "sh", "-c", "sleep 1000 & echo $!")
	if err != nil || time.Since(begin) > 100*time.Second {
		t.Fatalf("%v, after %v", err, time.Since(begin))
	}
	gone(t, strings.TrimSpace(output))
	o, err := outcomeOf(t.Context(), t.TempDir(), os.Environ(), "sh", []string{"-c", "sleep 1000 & echo $!; exit 3"}, nil)
	if err != nil || o.status != 3 {
		t.Fatalf("%+v, %v", o, err)
	}
	gone(t, strings.TrimSpace(string(o.output)))
}

// TestTryIgnores: names that stand for no rule are told before anything is copied.
func TestTryIgnores(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, advice.IgnoreFile), []byte("nothing@a.c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{{"--ignore", "nothing@b.c"}, nil} {
		r := execute(t, folder, nil, accscope, append(append([]string{"try", "--build", "touch built"}, flags...), "--", "./program")...)
		if r.status == 0 || !strings.Contains(r.stderr, `there is no rule "nothing"`) || strings.Contains(r.stderr, "copying") {
			t.Errorf("%q: status %d, %s", flags, r.status, r.stderr)
		}
	}
}

// TestOutcomesCompared: what differs is named, the exit status first.
func TestOutcomesCompared(t *testing.T) {
	of := func(status int, output string, files ...comparedFile) *outcome {
		return &outcome{status: status, output: []byte(output), files: files}
	}
	file := func(content string) comparedFile { return comparedFile{name: "a.dat", content: []byte(content)} }
	missing := comparedFile{name: "a.dat", missing: true}
	for _, test := range []struct {
		a, b      *outcome
		tolerance float64
		want      string
	}{
		{of(0, "x 1"), of(0, "x 1"), 0, ""},
		{of(0, "x 1"), of(2, "y"), 0, "exit status 2 in place of 0"},
		{of(0, "x 1"), of(0, "x 1.01"), 0, "standard output"},
		{of(0, "x 1"), of(0, "x 1.01"), 0.1, ""},
		{of(0, "", file("1")), of(0, "", file("2")), 0, "a.dat"},
		{of(0, "", file("1")), of(0, "", missing), 0, "a.dat"},
		{of(0, "", missing), of(0, "", missing), 0, ""},
		{of(0, "", file("1\x00")), of(0, "", file("1\x00")), 0.1, ""},
	} {
		if got := test.a.compare(test.b, test.tolerance); got != test.want {
			t.Errorf("%+v and %+v: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}

// TestTrialsWritten: each change has its result and its gain; what does not hold decides the exit
// status, unless the program's own results differ.
func TestTrialsWritten(t *testing.T) {
	base := func(differs string) *trial {
		return &trial{name: "as it is", seconds: []float64{5, 5, 5, 5, 5}, differs: differs}
	}
	faster := &trial{name: "1 a", gain: 2e9, seconds: []float64{3, 3, 2, 4, 3}}
	wrong := &trial{name: "2 b", seconds: []float64{6, 6, 6, 6, 6}, differs: "standard output"}
	broken := &trial{name: "3 c", failed: "does not build"}
	const gained = "1 a\n  same result\n  gain foretold 2 s, measured 2 s (1 s to 3 s)\n"
	for _, test := range []struct {
		trials     []*trial
		want, fail string
	}{
		{[]*trial{base(""), faster}, "as it is: 5 s\n" + gained, ""},
		{[]*trial{base(""), faster, wrong}, "as it is: 5 s\n" + gained + "2 b\n  OTHER RESULT: standard output\n  gain foretold 0 ns, measured -1 s (-1 s to -1 s)\n", "1 of 2 changes did not hold"},
		{[]*trial{base(""), broken}, "as it is: 5 s\n3 c\n  does not build\n", "1 of 1 changes did not hold"},
		{[]*trial{base("a.dat"), wrong}, "as it is: 5 s\nits own results differ from run to run (a.dat): what follows cannot be told from that\n2 b\n  OTHER RESULT: standard output\n  gain foretold 0 ns, measured -1 s (-1 s to -1 s)\n", ""},
	} {
		var out strings.Builder
		err := writeTrials(&out, test.trials)
		if out.String() != test.want || (err == nil) != (test.fail == "") || err != nil && err.Error() != test.fail {
			t.Errorf("%v:\n%s\nwant\n%s", err, out.String(), test.want)
		}
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
