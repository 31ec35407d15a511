package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/generate"
)

// Archives are put together as traces are, and one becomes a trace again.
func TestImportOfArchives(t *testing.T) {
	folder := t.TempDir()
	for n, name := range []string{"one", "two"} {
		if _, err := generate.Trace(filepath.Join(folder, name+".db"), generate.Options{Spans: 400, Ranks: 2, Threads: 2, Activity: true, Own: true, Seed: uint64(n)}); err != nil {
			t.Fatal(err)
		}
		invoke(t, folder, "archive", "--file-rows", "300", name+".db").must(t)
	}
	for made, from := range map[string][]string{"of-one.db": {"one.db"}, "of-one-archive.db": {"one-archive"}, "of-two.db": {"one.db", "two.db"}, "of-two-archives.db": {"one-archive", "two-archive"}} {
		invoke(t, folder, append([]string{"import", "-o", made}, from...)...).must(t)
		invoke(t, folder, "info", "--check", made).must(t)
	}
	for traces, archives := range map[string]string{"of-one.db": "of-one-archive.db", "of-two.db": "of-two-archives.db"} {
		for _, view := range []string{"processes", "events", "device_activity", "memory", "communication"} {
			question := "SELECT * FROM " + view
			want, got := invoke(t, folder, "query", "--format", "csv", traces, question), invoke(t, folder, "query", "--format", "csv", archives, question)
			if want.status != 0 || got.stdout != want.stdout {
				t.Errorf("%s: of archives there are\n%.500s%s\nof traces\n%.500s%s", view, got.stdout, got.stderr, want.stdout, want.stderr)
			}
		}
	}
}

// Every command that reads a trace says of its archive the same, byte for byte: of runs of
// examples, and of made-up jobs of several ranks.
func TestArchivesReadAsTraces(t *testing.T) {
	traces, archives := t.TempDir(), t.TempDir()
	runs := []string{"jacobi", "job"}
	examples := []string{"jacobi"}
	if os.Getenv("ACCSCOPE_LONG") != "" {
		examples = append(examples, "pipeline", "stencil", "particles")
		runs = append(runs, "pipeline", "stencil", "particles")
	}
	for _, example := range examples {
		invoke(t, traces, "run", "-q", "--device", "sim", "-o", example+".db", "--", build(t, example)).must(t)
		if err := os.Rename(filepath.Join(traces, example+".db"), filepath.Join(traces, example)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := generate.Trace(filepath.Join(traces, "job"), generate.Options{Spans: 600, Ranks: 3, Threads: 2, Activity: true, Own: true, Seed: 2}); err != nil {
		t.Fatal(err)
	}
	for _, run := range runs {
		said := invoke(t, traces, "archive", "--file-rows", "500", "-o", filepath.Join(archives, run), run).must(t).stderr
		if !strings.Contains(said, "wrote ") {
			t.Errorf("%q", said)
		}
	}
	for _, run := range runs {
		toldAlike(t, traces, archives, run, []string{"compare", "--format", "json", run, "job"})
	}
}

// toldAlike says whether every command that reads a trace says the same of a run in a folder of
// traces and in one of archives, byte for byte.
func toldAlike(t *testing.T, traces, archives, run string, commands ...[]string) {
	t.Helper()
	commands = append(commands, []string{"report", "--format", "json", run}, []string{"report", "--format", "json", "--since", "200us", "--until", "3ms", run}, []string{"report", run},
		[]string{"advise", "--format", "json", "--min-gain", "1ns", run}, []string{"info", "--format", "json", run}, []string{"info", "--check", "--format", "json", run},
		[]string{"top", "--picture", "program", run},
		[]string{"query", "--format", "csv", run, "SELECT p.kind AS parent, s.kind, count(*) FROM spans s LEFT JOIN spans p ON p.record = s.parent GROUP BY 1, 2"})
	for _, view := range strings.Fields(invoke(t, traces, "query", "--format", "csv", run, ".tables").must(t).stdout)[1:] {
		commands = append(commands, []string{"query", "--format", "csv", run, "SELECT * FROM " + view})
	}
	for _, format := range []string{"perfetto", "speedscope", "csv"} {
		commands = append(commands, []string{"export", "--to", format, "-o", "-", run})
	}
	for _, command := range commands {
		want, got := invoke(t, traces, command...), invoke(t, archives, command...)
		if want.status != 0 {
			t.Errorf("accscope %q: status %d\n%s", command, want.status, want.stderr)
		}
		if got != want {
			t.Errorf("accscope %q of the archive: status %d\n%s\n%.500s\nof the trace: status %d\n%s\n%.500s", command, got.status, got.stderr, got.stdout, want.status, want.stderr, want.stdout)
		}
	}
}

// An archive that import makes of captures says what the trace of them says, and is written
// over by nothing but --force; what it cannot be made of is said.
func TestImportIntoAnArchive(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(project, "lib")
	for range 2 {
		execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"},
			build(t, "jacobi"), "32", "5").must(t)
	}
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != 2 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	into := func(output string, more ...string) result {
		return invoke(t, folder, append(append([]string{"import", "-o", output}, captures...), more...)...)
	}
	into("trace.db").must(t)
	if said := into("whole", "--archive").must(t).stderr; !strings.Contains(said, "events in whole") {
		t.Errorf("%q", said)
	}
	commands := [][]string{{"report", "--format", "json"}, {"advise", "--format", "json", "--min-gain", "1ns"}, {"info", "--check", "--format", "json"}, {"export", "--to", "csv", "-o", "-"}}
	for _, view := range []string{"events", "device_activity", "memory", "processes"} {
		commands = append(commands, []string{"query", "--format", "csv", "SELECT * FROM " + view})
	}
	for _, command := range commands {
		of := func(trace string) result {
			if at := len(command) - 1; command[0] == "query" {
				return invoke(t, folder, "query", "--format", "csv", trace, command[at])
			}
			return invoke(t, folder, append(command[:len(command):len(command)], trace)...)
		}
		if want, got := of("trace.db").must(t), of("whole"); got != want {
			t.Errorf("accscope %q of the archive: status %d\n%s\n%.500s\nof the trace:\n%.500s", command, got.status, got.stderr, got.stdout, want.stdout)
		}
	}
	into("whole", "--archive", "--force").must(t)
	for says, r := range map[string]result{
		"--force":          into("whole", "--archive"),
		"want the archive": invoke(t, folder, append([]string{"import", "--archive"}, captures...)...),
		"captures alone":   into("other", "--archive", "trace.db"),
		"--to":             into("other", "--archive", "--to", "127.0.0.1:1"),
	} {
		if r.status == 0 || !strings.Contains(r.stderr, says) {
			t.Errorf("status %d, want one that says %q: %s", r.status, says, r.stderr)
		}
	}
	if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Captures that are interrupted on their way into an archive leave nothing of it.
func TestInterruptedImportLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(project, "lib")
	execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim"}, build(t, "jacobi"), "32", "5").must(t)
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != 1 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	command := newImportCommand()
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetArgs([]string{"--archive", "-o", filepath.Join(folder, "whole"), captures[0]})
	if err := command.ExecuteContext(ctx); !errors.Is(err, errInterrupted) {
		t.Errorf("%v", err)
	}
	if left := names(t, folder); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}

// However far apart ranks are, and though none of them says how many there are, their rows go
// into few files.
func TestImportedRanksAreInFewFiles(t *testing.T) {
	folder := t.TempDir()
	library := filepath.Join(project, "lib")
	for index := range archive.MostRanges + 4 {
		execute(t, folder, []string{"ACC_PROFLIB=" + library + "/libaccprof.so", "LD_PRELOAD=" + library + "/libopenacc.so", "ACC_DEVICE_TYPE=sim",
			fmt.Sprint("JOB_COMPLETION_INDEX=", index*100)}, build(t, "jacobi"), "32", "1").must(t)
	}
	captures, err := filepath.Glob(filepath.Join(folder, "accscope-jacobi-*"))
	if err != nil || len(captures) != archive.MostRanges+4 {
		t.Fatalf("captures %v, %v", captures, err)
	}
	invoke(t, folder, append([]string{"import", "--archive", "-o", "whole"}, captures...)...).must(t)
	ranges, err := filepath.Glob(filepath.Join(folder, "whole", "record", "ranks=*"))
	if err != nil || len(ranges) < 2 || len(ranges) > archive.MostRanges {
		t.Errorf("ranges %v, %v", ranges, err)
	}
}

// An archive takes the place of an archive with --force, and of nothing else.
func TestArchiveOverwritesOnlyArchives(t *testing.T) {
	folder := t.TempDir()
	if _, err := generate.Trace(filepath.Join(folder, "trace.db"), generate.Options{Spans: 100}); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mine", "notes"), []byte("of the user"), 0o666); err != nil {
		t.Fatal(err)
	}
	invoke(t, folder, "archive", "trace.db").must(t)
	invoke(t, folder, "archive", "-o", "beside", "trace.db").must(t)
	for _, name := range []string{"mine/archive.json", "beside/notes"} { // an archive.json of other things
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`{"format": "zip"}`), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"trace.db"}, exitFailure, "trace-archive exists; overwrite it with --force"},
		{[]string{"--force", "trace.db"}, 0, "wrote trace-archive"},
		{[]string{"--force", "-o", "mine", "trace.db"}, exitFailure, "mine holds archive.json"},
		{[]string{"--force", "-o", "beside", "trace.db"}, exitFailure, "beside holds notes"},
		{[]string{"--force", "-o", "trace.db", "trace.db"}, exitFailure, "trace.db is no folder"},
		{[]string{"--force", "-o", "trace-archive", "trace-archive"}, exitFailure, "is the trace itself"},
		{[]string{"--file-rows", "0", "trace.db"}, exitUsage, "--file-rows 0"},
		{[]string{"mine"}, exitFailure, "mine"},
	} {
		r := invoke(t, folder, append([]string{"archive"}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) {
			t.Errorf("archive %q: status %d\n%s", c.args, r.status, r.stderr)
		}
	}
	invoke(t, folder, "info", "--check", "trace-archive").must(t)
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 4 {
		t.Errorf("there are %v", fmt.Sprint(left, err))
	}
}
