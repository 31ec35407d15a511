package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/cpusamples"
	"github.com/accscope/accscope/runtime/compilers"
)

// requireSamples skips a test where the system gives no samples of processors.
func requireSamples(t *testing.T) {
	t.Helper()
	if err := cpusamples.Available(); err != nil {
		t.Skip(err)
	}
}

// queried are the rows that a query gives, as CSV without the head.
func queried(t *testing.T, folder, trace, query string) []string {
	t.Helper()
	out := invoke(t, folder, "query", "--format", "csv", trace, query).must(t).stdout
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[1:]
}

// shares runs testdata/shares.c under --sample and gives the folder of its trace, shares.db.
func shares(t *testing.T, flag string, args ...string) string {
	t.Helper()
	folder := t.TempDir()
	program := buildSource(t, "shares.c")
	invoke(t, folder, append([]string{"run", "-q", flag, "--device", "sim", "-o", "shares.db", "--", program}, args...)...).must(t)
	return folder
}

// buildSource compiles a program of testdata with optimisation and debug information.
func buildSource(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(source, filepath.Ext(source)))
	execute(t, project, nil, compilers.C(), "-fopenacc", "-O2", "-fomit-frame-pointer", "-g", "-pthread", "-o", program, filepath.Join("cmd", "accscope", "testdata", source), "-lm").must(t)
	return program
}

// Of two functions of which one takes three times the processor time of the other, the
// samples say so, within 2 points; and that they are not in OpenACC.
func TestSampleShares(t *testing.T) {
	requireSamples(t)
	folder := shares(t, "--sample=1000", "100")
	var of [2]float64
	for i, function := range []string{"triple", "single"} {
		got := queried(t, folder, "shares.db", fmt.Sprintf("SELECT sum(samples) FROM cpu_functions WHERE function = '%s' AND doing = 'else' AND source_file LIKE '%%shares.c'", function))
		of[i], _ = strconv.ParseFloat(got[0], 64)
	}
	all := of[0] + of[1]
	if share := 100 * of[0] / all; all < 500 || math.Abs(share-75) > 2 {
		t.Errorf("%.0f samples of the one, %.0f of the other: %.1f %%, want 75", of[0], of[1], share)
	}
	if got := queried(t, folder, "shares.db", "SELECT count(*), count(DISTINCT weight), min(weight) FROM cpu_samples WHERE thread IS NOT NULL"); !strings.HasSuffix(got[0], ",1,1000000") {
		t.Errorf("samples, weights: %q", got)
	}
}

// Stacks lead to main through functions that were compiled without frame pointers and through
// the C library, which calls what it was given.
func TestSampleStacks(t *testing.T) {
	requireSamples(t)
	folder, program := t.TempDir(), buildSource(t, "called.c")
	invoke(t, folder, "run", "-q", "--sample=1000", "--device", "sim", "-o", "called.db", "--", program).must(t)
	got := queried(t, folder, "called.db", `SELECT (SELECT group_concat(function, ' ') FROM (SELECT function FROM cpu_stacks k WHERE k.process = c.process AND k.stack = c.stack
		AND source_file LIKE '%called.c' ORDER BY depth)) AS path, count(*), (SELECT count(*) FROM cpu_samples WHERE function = 'compare') FROM cpu_samples c WHERE function = 'compare' GROUP BY 1 ORDER BY 2 DESC LIMIT 1`)
	path, counts, _ := strings.Cut(got[0], ",")
	var most, all int
	if _, err := fmt.Sscanf(counts, "%d,%d", &most, &all); err != nil || path != "compare sort outer main" || all < 20 || most < all*9/10 {
		t.Errorf("%q", got)
	}
}

// Functions that were inlined into others are in the stacks with their callers, by the names that
// their language has for them.
func TestSampleInlined(t *testing.T) {
	requireSamples(t)
	for _, test := range []struct{ source, function, want, compiler string }{
		{"inlined.cc", "Grid<double>::relax", "Grid<double>::relax:17 Grid<double>::sweep:26 main:36", compilers.CXX()},
		{"inlined.f90", "grid::relax", "grid::relax:14 grid::sweep:24 inlined:37", compilers.Fortran()},
	} {
		t.Run(test.source, func(t *testing.T) {
			folder := t.TempDir()
			execute(t, folder, nil, test.compiler, "-fopenacc", "-O2", "-g", "-o", "inlined", filepath.Join(project, "cmd", "accscope", "testdata", test.source)).must(t)
			invoke(t, folder, "run", "-q", "--sample=1000", "--device", "sim", "-o", "inlined.db", "--", "./inlined").must(t)
			got := queried(t, folder, "inlined.db", fmt.Sprintf(`SELECT (SELECT group_concat(function || ':' || line, ' ') FROM (SELECT function, line FROM cpu_stacks k WHERE k.process = c.process AND k.stack = c.stack
				AND source_file LIKE '%%%s' ORDER BY depth)) AS path, count(*) FROM cpu_samples c WHERE function = '%s'
				AND EXISTS (SELECT 1 FROM cpu_stacks k WHERE k.process = c.process AND k.stack = c.stack AND depth = 1 AND address >> 57 = 1) GROUP BY 1 ORDER BY 2 DESC LIMIT 1`, test.source, test.function))
			path, count, _ := strings.Cut(got[0], ",")
			if n, err := strconv.Atoi(count); err != nil || n < 20 || path != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A sample lies in the innermost span of its thread, and is what that does; those of a
// thread without events are the program's own.
func TestSampleLiesInSpans(t *testing.T) {
	requireSamples(t)
	folder := shares(t, "--sample=1000", "20")
	for what, query := range map[string]string{
		"outside of their span": "SELECT count(*) FROM cpu_samples c JOIN spans s ON s.record = c.record WHERE c.time < s.start OR c.time >= s.end OR c.thread <> s.thread",
		"not in the innermost": `SELECT count(*) FROM cpu_samples c JOIN spans s ON s.thread = c.thread AND s.start <= c.time AND c.time < s.end
			JOIN spans of ON of.record = c.record WHERE s.depth > of.depth`,
		"doing as their span": "SELECT count(*) FROM cpu_samples c JOIN spans s ON s.record = c.record WHERE (s.kind = 'wait') <> (c.doing = 'waiting')",
		"without a span":      "SELECT count(*) FROM cpu_samples WHERE record IS NULL AND doing <> 'else'",
	} {
		if got := queried(t, folder, "shares.db", query); got[0] != "0" {
			t.Errorf("%s: %s samples", what, got[0])
		}
	}
}

// Short processes of one program each have their functions, wherever the loader put them.
func TestSampleManyProcesses(t *testing.T) {
	requireSamples(t)
	folder, program := t.TempDir(), buildSource(t, "shares.c")
	invoke(t, folder, "run", "-q", "--sample=1000", "--device", "sim", "-o", "many.db", "--", "sh", "-c", "for i in 1 2 3 4 5; do "+program+" 1; done").must(t)
	if got := queried(t, folder, "many.db", "SELECT count(DISTINCT process) FROM cpu_samples WHERE function = 'triple' AND source_file LIKE '%shares.c' AND line > 0"); got[0] != "5" {
		t.Errorf("%s of 5 processes have the function", got[0])
	}
	// An address in no file that is loaded may be met where a stack is read while it is made.
	if got := queried(t, folder, "many.db", `WITH met AS (SELECT DISTINCT process, address FROM cpu_stacks)
		SELECT 20 * (SELECT count(*) FROM (SELECT * FROM met EXCEPT SELECT process, address FROM frame)) < (SELECT count(*) FROM met), (SELECT count(*) FROM met)`); !strings.HasPrefix(got[0], "1,") {
		t.Errorf("more than one address in 20 is not known: %s", got[0])
	}
}

// A value that is none is refused, and so is what cannot be had together.
func TestSampleFlag(t *testing.T) {
	for flag, want := range map[string]string{"--sample=100000": "10000", "--sample=-1": "want 1 to", "--sample=often": "invalid argument"} {
		r := invoke(t, t.TempDir(), "run", flag, "--", "/bin/true")
		if r.status != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %s", flag, r.status, r.stderr)
		}
	}
	if r := invoke(t, t.TempDir(), "run", "--sample", "1000", "--", "/bin/true"); r.status != exitUsage || !strings.Contains(r.stderr, "--sample=1000") {
		t.Errorf("with its number apart: status %d, %s", r.status, r.stderr)
	}
	if r := invoke(t, t.TempDir(), "run", "--sample", "--to", "nats://127.0.0.1:1", "--", "/bin/true"); r.status != exitUsage || !strings.Contains(r.stderr, "--sample") {
		t.Errorf("with --to: status %d, %s", r.status, r.stderr)
	}
}

// Where perf events are forbidden the program runs all the same, without samples, and a line
// says so; --must-record does not run it; doctor says it, too.
func TestSampleRefused(t *testing.T) {
	folder, program, forbidden := t.TempDir(), buildSource(t, "shares.c"), buildSource(t, "noperf.c")
	r := execute(t, folder, nil, forbidden, accscope, "run", "--sample", "--device", "sim", "--no-summary", "-o", "shares.db", "--", program, "1").must(t)
	if strings.Count(r.stderr, "--sample:") != 1 || !strings.Contains(r.stderr, "perf") || !strings.Contains(r.stderr, "is recorded without it") {
		t.Errorf("%s", r.stderr)
	}
	if got := queried(t, folder, "shares.db", "SELECT count(*) > 0, (SELECT count(*) FROM cpu_samples) FROM events"); got[0] != "1,0" {
		t.Errorf("events, samples: %q", got)
	}
	r = execute(t, folder, nil, forbidden, accscope, "run", "--must-record", "--sample", "--device", "sim", "--", program, "1")
	if r.status != exitRunFailed || r.stdout != "" {
		t.Errorf("with --must-record: status %d, %s", r.status, r.stdout)
	}
	r = execute(t, folder, nil, forbidden, accscope, "doctor")
	if at := strings.Index(r.stdout, "samples of processors"); at < 0 || !strings.HasSuffix(strings.TrimSpace(r.stdout[:at]), "missing") {
		t.Errorf("doctor: %s", r.stdout)
	}
}
