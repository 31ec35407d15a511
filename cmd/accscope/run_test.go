package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// goldenQueries are what is compared exactly of an example's trace: no times,
// no addresses, no process and thread ids.
var goldenQueries = []struct{ title, sql string }{
	{"constructs", `SELECT construct, kind, implicit, count(*) AS count, sum(bytes) AS bytes FROM spans GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`},
	{"kernels", `SELECT kernel, source_file, line, function, gangs, workers, vector, count(*) AS launches, count(device_time) AS measured FROM kernels GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3`},
	{"transfers", `SELECT direction, variable, implicit, source_file, line, count(*) AS count, sum(bytes) AS bytes FROM transfers GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`},
	{"allocations", `SELECT kind, variable, bytes, count(*) AS count, count(ended) AS ended FROM allocations GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`},
	{"waits", `SELECT async_queue, implicit, source_file, line, count(*) AS count FROM waits GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`},
	{"order per queue", `SELECT rank, async_queue, group_concat(what, ' ') AS operations FROM
		(SELECT p.rank, s.async_queue, CASE s.kind WHEN 'enqueue_launch' THEN 'K' WHEN 'enqueue_upload' THEN 'U' ELSE 'D' END AS what
		 FROM spans s JOIN processes p ON p.process = s.process
		 WHERE s.kind IN ('enqueue_launch', 'enqueue_upload', 'enqueue_download') ORDER BY s.record)
		GROUP BY rank, async_queue ORDER BY rank, async_queue`},
	{"errors", `SELECT error_code, message FROM errors`},
}

// TestExamples profiles each example and compares what the trace says with a
// golden report.
func TestExamples(t *testing.T) {
	for _, test := range []struct {
		example, runtime, device string
		command                  []string
		arguments                []string
	}{
		{example: "jacobi", device: "sim", arguments: []string{"64", "20"}},
		{example: "pipeline", device: "sim", arguments: []string{"8", "4096"}},
		{example: "stencil", device: "sim"},
		{example: "particles", device: "sim", arguments: []string{"1000"}},
		{example: "heat-mpi", device: "sim", command: []string{"mpirun", "-n", "4"}, arguments: []string{"1000", "10"}},
		{example: "jacobi", runtime: "native", arguments: []string{"64", "20"}},
	} {
		name := test.example
		if test.runtime != "" {
			name += "-" + test.runtime
		}
		t.Run(name, func(t *testing.T) {
			program := build(t, test.example)
			folder := t.TempDir()
			args := []string{"run", "-o", "trace.db", "--no-summary"}
			if test.runtime != "" {
				args = append(args, "--runtime", test.runtime)
			}
			if test.device != "" {
				args = append(args, "--device", test.device)
			}
			if len(test.command) > 0 { // taken only where MPI's headers were found
				args = append(args, "--events", "-mpi")
			}
			args = append(append(append(args, "--"), test.command...), program)
			r := invoke(t, folder, append(args, test.arguments...)...).must(t)
			if !strings.Contains(r.stderr, "program ended; ") {
				t.Errorf("standard error: %s", r.stderr)
			}
			if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
				t.Errorf("run left %v, %v; want the trace alone", entries, err)
			}
			var text strings.Builder
			for _, query := range goldenQueries {
				text.WriteString("# " + query.title + "\n")
				text.WriteString(mask(invoke(t, folder, "query", "--format", "csv", "trace.db", query.sql).must(t).stdout))
			}
			compareGolden(t, filepath.Join("testdata", name+".golden"), text.String())
		})
	}
}

// mask takes the checkout's path out of source files.
func mask(text string) string {
	return strings.ReplaceAll(text, project+"/", "")
}

func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (rewrite it with -update after checking):\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// Launched by mpirun, four accscopes share one session and leave one trace.
func TestRanksMakeOneTrace(t *testing.T) {
	program := build(t, "heat-mpi")
	folder := t.TempDir()
	r := execute(t, folder, nil, "mpirun", "-n", "4", accscope, "run", "-o", "trace.db", "--no-summary", "--", program, "1000", "10").must(t)
	if n := strings.Count(r.stderr, "events in trace.db"); n != 1 {
		t.Errorf("%d ranks finished the trace, not 1:\n%s", n, r.stderr)
	}
	rows := invoke(t, folder, "query", "--format", "csv", "trace.db",
		"SELECT rank, ranks, ended FROM processes ORDER BY rank").must(t).stdout
	if want := "rank,ranks,ended\n0,4,exited\n1,4,exited\n2,4,exited\n3,4,exited\n"; rows != want {
		t.Errorf("processes:\n%s\nwant:\n%s", rows, want)
	}
	report := invoke(t, folder, "report", "--rank", "1", "trace.db").must(t).stdout
	if !strings.Contains(report, "rank 1, sim 0") && !strings.Contains(report, "rank 1, host 0") || strings.Contains(report, "rank 2,") {
		t.Errorf("of rank 1:\n%s", report)
	}
}

func TestRunEndsAsTheProgram(t *testing.T) {
	for _, test := range []struct {
		script string
		want   int
	}{
		{"exit 0", 0}, {"exit 42", 42}, {"kill -TERM $$", 128 + 15}, {"kill -KILL $$", 128 + 9},
		{"kill -SEGV $$", 128 + 11}, {"kill -BUS $$", 128 + 7}, {"kill -FPE $$", 128 + 8}, {"kill -ILL $$", 128 + 4},
		{"kill -ABRT $$", 128 + 6}, {"kill -TRAP $$", 128 + 5}, {"kill -QUIT $$", 128 + 3}, {"kill -PIPE $$", 128 + 13},
		{"kill -INT $$", 128 + 2}, {"kill -USR1 $$", 128 + 10},
	} {
		if r := invoke(t, t.TempDir(), "run", "-q", "--", "sh", "-c", test.script); r.status != test.want || r.stderr != "" {
			t.Errorf("%s: status %d, standard error %q; want %d and nothing", test.script, r.status, r.stderr, test.want)
		}
	}
}

func TestStreamsAreTheProgramsOwn(t *testing.T) {
	r := invoke(t, t.TempDir(), "run", "-q", "--", "sh", "-c", "echo out; echo err >&2").must(t)
	if r.stdout != "out\n" || r.stderr != "err\n" {
		t.Errorf("standard output %q, standard error %q", r.stdout, r.stderr)
	}
}

func TestTraceNames(t *testing.T) {
	folder := t.TempDir()
	for range 3 {
		invoke(t, folder, "run", "-q", "--paused", "--", "true").must(t)
	}
	for _, name := range []string{"true.accscope.db", "true-2.accscope.db", "true-3.accscope.db"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			t.Error(err)
		}
	}
	r := invoke(t, folder, "run", "-q", "--must-record", "-o", "true.accscope.db", "--", "true")
	if r.status != exitRunFailed || !strings.Contains(r.stderr, "--force") {
		t.Errorf("an existing -o: status %d, %q", r.status, r.stderr)
	}
	invoke(t, folder, "run", "-q", "--force", "-o", "true.accscope.db", "--", "true").must(t)
}

// TestMistakes holds every error of the command line: its status and what it
// tells the user to do.
func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "notes.txt"), []byte("not a trace"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string // regular expression
	}{
		{[]string{"run"}, exitUsage, `want a program after --.*run --help`},
		{[]string{"run", "--", "no-such-program"}, exitNotFound, `not found in PATH`},
		{[]string{"run", "--", "./notes.txt"}, exitCannotStart, `permission denied`},
		{[]string{"run", "--runtime", "mine", "--", "true"}, exitUsage, `allowed are auto, native and accscope`},
		{[]string{"run", "--no-such-flag", "--", "true"}, exitUsage, `unknown flag.*run --help`},
		{[]string{"run", "--events", "enqueue_lunch", "--", "true"}, exitUsage, `no event "enqueue_lunch".*enqueue_launch`},
		{[]string{"run", "--min-bytes", "many", "--", "true"}, exitUsage, `want a size like`},
		{[]string{"run", "--queue", "first", "--", "true"}, exitUsage, `want numbers or sync`},
		{[]string{"run", "--last", "30s", "--limit", "-1", "--", "true"}, exitUsage, `--limit "-1": want a size`},
		{[]string{"run", "--last", "30", "--", "true"}, exitUsage, `want a time like 30s or a size`},
		{[]string{"run", "--last", "0s", "--", "true"}, exitUsage, `want a time like 30s or a size`},
		{[]string{"run", "--last", "a while", "--", "true"}, exitUsage, `want a time like 30s or a size`},
		{[]string{"run", "--code", "cpu", "--", "true"}, exitUsage, `--code "cpu" is no code of the program; there are host and gpu`},
		{[]string{"run", "--device", "host", "--code", "gpu", "--", "true"}, exitUsage, `leave --device host out, or write --device sim`},
		{[]string{"run", "--callstack", "deep", "--", "true"}, exitUsage, `caller, full and off`},
		{[]string{"run", "--activity", "events", "--", "true"}, exitUsage, `auto, cupti, runtime and off`},
		{[]string{"run", "--must-record", "-o", "no/such/folder/t.db", "--", "true"}, exitRunFailed, `no/such/folder`},
		{[]string{"run", "-o", "no/such/folder/t.db", "--", "false"}, exitFailure, `no/such/folder.*: false runs unprofiled`},
		{[]string{"report", "missing.db"}, exitFailure, `missing\.db`},
		{[]string{"report", "notes.txt"}, exitFailure, `notes\.txt.*not an accscope trace`},
		{[]string{"report", "--format", "pdf", "x.db"}, exitUsage, `allowed are text, json, csv and markdown`},
		{[]string{"report", "--since", "yesterday", "x.db"}, exitUsage, `--since "yesterday": want a time`},
		{[]string{"report", "--since", "2s", "--until", "1s", "x.db"}, exitUsage, `--until 1s is not after --since 2s`},
		{[]string{"query", "x.db"}, exitUsage, `want a trace and one SQL statement`},
		{[]string{"query", "x.db", ""}, exitFailure, `x\.db`},
		{[]string{"import", "notes.txt"}, exitFailure, `notes\.txt: not an accscope trace.*import takes`},
		{[]string{"attach", "many"}, exitUsage, `no process id`},
		{[]string{"attach", strconv.Itoa(os.Getpid())}, exitFailure, `--paused`},
		{[]string{"frobnicate"}, exitUsage, `unknown command "frobnicate"`},
	} {
		r := invoke(t, folder, test.args...)
		if r.status != test.status || !regexp.MustCompile(test.want).MatchString(r.stderr) || r.stdout != "" {
			t.Errorf("accscope %s: status %d, %q; want %d and %q", strings.Join(test.args, " "), r.status, r.stderr, test.status, test.want)
		}
	}
}

func TestReportFormats(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program, "32", "5").must(t)
	for _, args := range [][]string{
		{"report", "t.db"}, {"report", "--format", "json", "t.db"}, {"report", "--format", "csv", "t.db"},
		{"report", "--format", "markdown", "t.db"}, {"report", "--present-at", "1ms", "t.db"},
		{"report", "--by", "source", "t.db"}, {"report", "--by", "kernel", "t.db"}, {"report", "--by", "variable", "t.db"},
		{"report", "--by", "queue", "t.db"}, {"report", "--by", "device", "t.db"}, {"report", "--by", "thread", "t.db"},
		{"report", "--by", "rank", "t.db"}, {"info", "t.db"}, {"info", "--json", "t.db"},
	} {
		if r := invoke(t, folder, args...).must(t); len(r.stdout) < 80 {
			t.Errorf("accscope %s prints only %q", strings.Join(args, " "), r.stdout)
		}
	}
	if r := invoke(t, folder, "report", "--since", "5h", "t.db").must(t); !strings.Contains(r.stdout, "before the window begins") {
		t.Errorf("--since 5h: %s", r.stdout)
	}
	if r := invoke(t, folder, "report", "--by", "colour", "t.db"); r.status == 0 || !strings.Contains(r.stderr, "source, kernel") {
		t.Errorf("--by colour: %d %q", r.status, r.stderr)
	}
}

// Wrong command lines end with 2, whatever is wrong with them.
func TestWrongCommandLines(t *testing.T) {
	for _, args := range [][]string{
		{"repotr"}, {"report"}, {"report", "--bogus", "t.db"}, {"report", "--by", "colour", "t.db"}, {"report", "--top", "-1", "t.db"},
		{"report", "--format", "pdf", "t.db"}, {"report", "--since", "noon", "t.db"}, {"docs", "--format", "pdf", "d"}, {"run"}, {"attach", "x"},
	} {
		if r := invoke(t, t.TempDir(), args...); r.status != exitUsage || r.stdout != "" || !strings.HasPrefix(r.stderr, "accscope: ") {
			t.Errorf("%v: status %d, %q, %q", args, r.status, r.stdout, r.stderr)
		}
	}
}

// Shells complete the values of flags, and man pages keep examples as they are.
func TestCompletionsAndPages(t *testing.T) {
	folder := t.TempDir()
	for flag, want := range map[string]string{"--by": "source\nkernel\n", "--format": "text\njson\n"} {
		if r := invoke(t, folder, "__complete", "report", flag, "").must(t); !strings.HasPrefix(r.stdout, want) {
			t.Errorf("report %s completes to %q", flag, r.stdout)
		}
	}
	invoke(t, folder, "docs", "man").must(t)
	page, err := os.ReadFile(filepath.Join(folder, "man", "accscope-run.1"))
	if example := "\n.EX\naccscope run -- ./program arguments...\naccscope run -o"; err != nil || !strings.Contains(string(page), example) {
		t.Errorf("the page of run has no %q: %v\n%.600s", example, err, page)
	}
}
