package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is given twice, by itself or in a trace that was made of it, is taken once, and a line says
// so; where that cannot be, nothing is made.
func TestImportTakesEachOnce(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	invoke := func(args ...string) result { return execute(t, folder, environment, accscope, args...) }
	for _, name := range []string{"a.db", "b.db", "c.db"} {
		invoke("run", "-q", "--device", "sim", "-o", name, "--", program, "32", "5").must(t)
	}
	library := filepath.Join(project, "lib")
	execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"},
		program, "32", "5").must(t)
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	captured := captures[0]
	content, err := os.ReadFile(filepath.Join(folder, "a.db"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "copy.db"), content, 0o600)
	}
	if err == nil {
		err = os.Symlink("a.db", filepath.Join(folder, "link.db"))
	}
	if err != nil {
		t.Fatal(err)
	}
	invoke("import", "-o", "ab.db", "a.db", "b.db").must(t)
	invoke("import", "-o", "bc.db", "b.db", "c.db").must(t)
	invoke("import", "-o", "d.db", captured).must(t)
	for n, test := range []struct {
		parts     []string
		processes int // 0: nothing is made
		said      []string
	}{
		{[]string{"a.db", "b.db", "c.db"}, 3, nil},
		{[]string{"a.db", "ab.db", "c.db"}, 3, []string{"a.db is in ab.db already, and is taken once"}},
		{[]string{"a.db", "copy.db", "b.db"}, 2, []string{"copy.db is in a.db already, and is taken once"}},
		{[]string{"a.db", "link.db", "b.db"}, 2, []string{"link.db was given twice, and is taken once"}},
		{[]string{captured, captured, "b.db"}, 2, []string{"was given twice, and is taken once"}},
		{[]string{captured, folder, "b.db"}, 2, nil},
		{[]string{captured, "d.db", "b.db"}, 2, []string{"is in d.db already, and is taken once"}},
		{[]string{"ab.db", "bc.db"}, 0, []string{"ab.db and bc.db have a process in common, and each has others"}},
	} {
		output := fmt.Sprintf("made%d.db", n)
		r := invoke(append([]string{"import", "-o", output}, test.parts...)...)
		_, err := os.Stat(filepath.Join(folder, output))
		if (r.status == 0) != (test.processes > 0) || (err == nil) != (test.processes > 0) {
			t.Errorf("%v: status %d, %v: %s", test.parts, r.status, err, r.stderr)
			continue
		}
		if lines := strings.Count(r.stderr, " once\n") + strings.Count(r.stderr, " in common"); lines != len(test.said) {
			t.Errorf("%v: said %q", test.parts, r.stderr)
		}
		for _, want := range test.said {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%v: said %q, want %q", test.parts, r.stderr, want)
			}
		}
		if test.processes > 0 {
			if got := invoke("query", "--format", "csv", output, "SELECT count(*) FROM processes").must(t).stdout; got != fmt.Sprintf("count(*)\n%d\n", test.processes) {
				t.Errorf("%v: %s", test.parts, got)
			}
		}
	}
	if left := list(); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// A trace of a part that was not whole then is not taken for the whole part.
func TestImportOfAPartThatWasUnfinished(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	invoke := func(args ...string) result { return execute(t, folder, environment, accscope, args...) }
	invoke("run", "-q", "--device", "sim", "-o", "other.db", "--", program, "32", "5").must(t)
	execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "part.db", "--", "sh", "-c", // the collector stops before the program's end
		program+" 600 100000 & until "+accscope+" query --format csv part.db 'SELECT start > 0 FROM processes' 2>&1 | grep -qx 1; do sleep 0.05; done; kill -STOP $PPID; sleep 0.2; kill $!; wait; kill -9 $PPID")
	left := list()
	if len(left) != 1 {
		t.Fatalf("sessions %v", left)
	}
	hidden := filepath.Join(t.TempDir(), "hidden")
	if err := os.Rename(left[0], hidden); err != nil {
		t.Fatal(err)
	}
	invoke("import", "-o", "early.db", "part.db", "other.db").must(t)
	if err := os.Rename(hidden, left[0]); err != nil {
		t.Fatal(err)
	}
	invoke("import", left[0]).must(t)
	if r := invoke("import", "-o", "late.db", "early.db", "part.db"); r.status != exitFailure || !strings.Contains(r.stderr, "early.db has part.db as it was before it was complete") {
		t.Errorf("status %d: %s", r.status, r.stderr)
	}
}

// A trace that has no event of a process yet does not know its start, and has it all the same.
func TestProcessesInCommon(t *testing.T) {
	of, another := identity{program: "jacobi", pid: 1}, identity{program: "jacobi", pid: 2}
	early := holding{starts: map[identity][]int64{of: {unknown}}}
	for _, test := range []struct {
		name  string
		other map[identity][]int64
		want  int
	}{
		{"the same", map[identity][]int64{of: {5e9}}, 1},
		{"unknown too", map[identity][]int64{of: {unknown}}, 1},
		{"another number", map[identity][]int64{another: {5e9}}, 0},
	} {
		if got := early.common(&holding{starts: test.other}); got != test.want {
			t.Errorf("%s: %d in common, want %d", test.name, got, test.want)
		}
	}
}
