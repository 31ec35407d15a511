package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Traces, captures and sessions that were left become one trace.
func TestImportMerges(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	run := func(args ...string) result {
		return execute(t, folder, environment, accscope, append([]string{"run", "-q", "--device", "sim"}, args...)...)
	}
	// A trace, a session without a trace, one whose trace was begun, a capture.
	run("-o", "whole.db", "--", program, "32", "5").must(t)
	want := countEvents(t, folder, "whole.db")
	for _, name := range []string{"first.db", "second.db"} {
		if r := run("-o", name, "--", "sh", "-c", program+" 32 5; kill -9 $PPID"); r.status != 128+9 {
			t.Fatalf("status %d: %s", r.status, r.stderr)
		}
	}
	left := list()
	if len(left) != 2 {
		t.Fatalf("sessions %v", left)
	}
	if err := os.Remove(filepath.Join(left[0], "trace")); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(project, "lib")
	execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"},
		program, "32", "5").must(t)
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	r := execute(t, folder, environment, accscope, "import", "-o", "all.db", "whole.db", left[0], left[1], captures[0]).must(t)
	var one, all int
	if _, err := fmt.Sscanf(want+countEvents(t, folder, "all.db"), "count(*)\n%d\ncount(*)\n%d\n", &one, &all); err != nil || all != 4*one {
		t.Errorf("%d events of four times %d (%v)", all, one, err)
	}
	if !strings.Contains(r.stderr, "events in all.db") || strings.Contains(r.stderr, "clock of") {
		t.Errorf("one machine has one clock: %s", r.stderr)
	}
	rows := invoke(t, folder, "query", "--format", "csv", "all.db", "SELECT count(*) FROM processes WHERE ended IS NOT NULL").must(t).stdout
	if rows != "count(*)\n4\n" {
		t.Errorf("processes: %s", rows)
	}
	if left := list(); len(left) != 0 {
		t.Errorf("import left %v", left)
	}
}

// What is imported is never overwritten first, also with --force: a session goes
// on with its own trace, another one is refused.
func TestImportOverwritesNoSource(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	run := func(args ...string) result { return execute(t, folder, environment, accscope, args...) }
	run("run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "5").must(t)
	want := countEvents(t, folder, "whole.db")
	if r := run("run", "-q", "--device", "sim", "-o", "begun.db", "--", "sh", "-c", program+" 32 5; kill -9 $PPID"); r.status != 128+9 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	left := list()
	if len(left) != 1 {
		t.Fatalf("sessions %v", left)
	}
	for _, name := range []string{"whole.db", filepath.Join(folder, "whole.db"), "begun.db"} {
		if r := run("import", "--force", "-o", name, "whole.db", left[0]); r.status != exitFailure || !strings.Contains(r.stderr, "one of the traces to import") {
			t.Errorf("-o %s: status %d, %q", name, r.status, r.stderr)
		}
	}
	run("import", "--force", "-o", "begun.db", left[0]).must(t)
	for _, name := range []string{"whole.db", "begun.db"} {
		if got := countEvents(t, folder, name); got != want {
			t.Errorf("%s has %s events, want %s", name, got, want)
		}
	}
}

// A folder that is no session is not taken for one, whatever is in it: nothing of
// it is changed. What captures it holds are imported.
func TestImportLeavesOtherFoldersAlone(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	inside := filepath.Join(folder, "sources")
	if err := os.Mkdir(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notes", "sources/lock"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("of the user\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := func() (names []string) {
		if err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			names = append(names, path)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return names
	}
	before := files()
	for _, argument := range []string{".", folder, "sources"} {
		if r := invoke(t, folder, "import", argument); r.status != exitFailure || !strings.Contains(r.stderr, "has no captures in it") {
			t.Errorf("import %s: status %d, %q", argument, r.status, r.stderr)
		}
	}
	if after := files(); !slices.Equal(after, before) {
		t.Errorf("of %v import left %v", before, after)
	}
	library := filepath.Join(project, "lib")
	for range 2 {
		execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"},
			program, "32", "5").must(t)
	}
	before = files()
	trace := filepath.Join(t.TempDir(), "trace.db")
	invoke(t, folder, "import", "-o", trace, ".").must(t)
	if rows := invoke(t, folder, "query", "--format", "csv", trace, "SELECT count(*) FROM processes WHERE ended = 'exited'").must(t).stdout; rows != "count(*)\n2\n" {
		t.Errorf("processes: %s", rows)
	}
	if after := files(); !slices.Equal(after, before) {
		t.Errorf("of %v import left %v", before, after)
	}
}

// A capture that its process never began, or that lost its head, is not left out
// in silence.
func TestImportOfEmptyCaptures(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{"accscope-empty-1": "", "accscope-zeros-2": strings.Repeat("\x00", 49152)} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name, "process"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := invoke(t, folder, "import", name); !strings.Contains(r.stderr, name) || !strings.Contains(r.stderr, "left out") {
			t.Errorf("%s: status %d, %q", name, r.status, r.stderr)
		}
	}
}

// Runs started at once in one folder get a name each.
func TestTraceNamesOfConcurrentRuns(t *testing.T) {
	const runs = 20
	folder := t.TempDir()
	var group sync.WaitGroup
	results := make([]result, runs)
	for i := range runs {
		group.Go(func() { results[i] = invoke(t, folder, "run", "-q", "--paused", "--", "true") })
	}
	group.Wait()
	for i, r := range results {
		if r.status != 0 || r.stderr != "" {
			t.Errorf("run %d: status %d, %s", i, r.status, r.stderr)
		}
	}
	for i := range runs {
		name := "true.accscope.db"
		if i > 0 {
			name = fmt.Sprintf("true-%d.accscope.db", i+1)
		}
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if all, err := os.ReadDir(folder); err != nil || len(all) != runs {
		t.Errorf("%d files, %v", len(all), err)
	}
}
