package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/runtime/compilers"
)

// adviceFolder has a file of programs for each rule: a bad one, the same mended, and
// one that looks alike and is well as it is.
const adviceFolder = "../../collector/advice/testdata"

// modelled makes transfers take long enough to be found whatever the machine does.
var modelled = []string{"ACCSCOPE_SIM_MODEL=on", "ACCSCOPE_SIM_H2D_BANDWIDTH=2GB/s", "ACCSCOPE_SIM_D2H_BANDWIDTH=2GB/s",
	"ACCSCOPE_SIM_POISON=off", "ACCSCOPE_SIM_MEMORY=64MiB"}

// TestAdvice: each rule finds what it is about in its bad program, nothing in the
// others, and its evidence gives the rows that it counts.
func TestAdvice(t *testing.T) {
	for _, test := range []struct{ rule, subject, instead string }{
		{"round-trip", "field", "leave the directive out"},
		{"unused-transfer", "field", "leave the directive out"},
		{"mapped-in-loop", "x", "around the loop at line 18 in bad: #pragma acc data copy(field[0:N])"},
		{"small-transfers", "field", "behind the loop at line 12 in bad: one update device of all parts of field together; where they lie apart, one of an array with them, and a kernel that puts them in their places"},
		{"implicit-transfer", "field", "around the loop at line 10 in bad: #pragma acc data copy(field)"},
		{"scratch-transfer", "work", "#pragma acc data copy(field) create(work[0:N])"},
		{"whole-update", "field", "#pragma acc update device(field[0:1])"},
		{"ping-pong", "field", "do on the device what the host does with it at line 18, in a parallel loop or serial construct: then neither transfer is needed; or move the part of it alone that the host uses"},
		{"brought-to-read", "field", "compute on the device what the host reads of it at line 19 (reduction), or bring that part alone: update self(field[...])"},
		{"needless-wait", "queue 1", "leave the wait out; wait once, before the host needs a result"},
		{"synchronous-construct", "bad._omp_fn.0", "#pragma acc parallel loop async(1)\nand before the end of the data region at line 10: #pragma acc wait(1)"},
		{"host-loop", "smooth", "before the loop, if its iterations do not depend on one another, and with its data on the device: #pragma acc parallel loop\n" +
			"or beside the kernel at line 27, from which nothing comes back before the one at line 27: async(1) on its construct, and where the next one begins: #pragma acc wait(1)"},
		{"never-deleted", "block", "#pragma acc exit data delete(block[0:N]) where the host frees the data"},
		{"deleted-while-busy", "field", "wait for the queue before the data are deleted, or delete them on the same queue (exit data … async)"},
		{"queue-race", "field", "#pragma acc update self(field) async(3) wait(1)\nor the same queue for both"},
		{"never-returned", "field", "#pragma acc parallel loop copy(field)"},
		{"imbalance", "work._omp_fn.0", "divide the work by what it costs, not by its number of elements"},
		{"ended-by-error", "", "name the same section in both places, or end the first one's data lifetime before"},
		{"swallowed-error", "", "ask before (acc_is_present, what acc_malloc returns), or let the program end with a status other than 0"},
		{"memory-nearly-full", "accscope sim", "delete what is not needed any longer (exit data delete), or divide the problem: accscope report shows what was present at the peak"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			folder := t.TempDir()
			source, err := filepath.Abs(filepath.Join(adviceFolder, test.rule+".c"))
			if err != nil {
				t.Fatal(err)
			}
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", source).must(t)
			for _, variant := range []string{"bad", "mended", "alike"} {
				command := []string{"run", "-q", "--device", "sim", "-o", variant + ".db", "--", "./program", variant}
				environment := modelled
				switch test.rule {
				case "host-loop":
					requireSamples(t)
					command = slices.Insert(command, 1, "--sample=1000")
				case "deleted-while-busy": // what the queue waits for is real
					environment = nil
				case "imbalance": // two ranks, without MPI; what takes time is the launches
					environment = append(modelled[:len(modelled):len(modelled)], "ACCSCOPE_SIM_LAUNCH_LATENCY=100ms")
					command = append(command[:6:6], "sh", "-c", "for rank in 0 1; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 ./program "+variant+"; done")
				}
				if run := execute(t, folder, environment, accscope, command...); test.rule != "ended-by-error" {
					run.must(t)
				}
				var findings []advice.Finding
				said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", variant+".db").must(t).stdout
				if err := json.Unmarshal([]byte(said), &findings); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				found := slices.IndexFunc(findings, func(f advice.Finding) bool {
					return f.Rule == test.rule && (variant != "bad" || f.Subject == test.subject)
				})
				if variant != "bad" {
					if found >= 0 {
						t.Errorf("%s: found %+v", variant, findings[found])
					}
					continue
				}
				if found < 0 {
					t.Fatalf("nothing found about %s:\n%s", test.subject, said)
				}
				f := findings[found]
				if f.Instead != test.instead {
					t.Errorf("instead %q", f.Instead)
				}
				rows := invoke(t, folder, "query", "--format", "csv", "bad.db", f.SQL).must(t).stdout
				if list, err := csv.NewReader(strings.NewReader(rows)).ReadAll(); err != nil || int64(len(list)) != f.Count+1 {
					t.Errorf("%d rows were counted, SQL gives, with a line of names (%v),\n%s", f.Count, err, rows)
				}
				headline := regexp.MustCompile(`(?m)^\d+ ` + test.rule + ` [\d.]+ \w+ .*|^\d+ ` + test.rule + ` - - ` + test.rule + `\.c:\d+$`)
				if text := invoke(t, folder, "advise", "--min-gain", "1ns", "bad.db").must(t).stdout; !headline.MatchString(text) {
					t.Errorf("no line of its number, rule, gain, subject and place in\n%s", text)
				}
			}
		})
	}
}

// TestAdviceWithoutSource: where the program's source is not at hand, what a construct maps
// again and again is told once, whether a clause names it or none does.
func TestAdviceWithoutSource(t *testing.T) {
	for _, test := range []struct{ program, variable string }{{"mapped-in-loop", "x"}, {"implicit-transfer", "result, field"}} {
		t.Run(test.program, func(t *testing.T) {
			folder := t.TempDir()
			for _, name := range []string{"program.h", test.program + ".c"} {
				text, err := os.ReadFile(filepath.Join(adviceFolder, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", "-g", "-o", "program", test.program+".c").must(t)
			if err := os.Remove(filepath.Join(folder, test.program+".c")); err != nil {
				t.Fatal(err)
			}
			execute(t, folder, modelled, accscope, "run", "-q", "--device", "sim", "-o", "bad.db", "--", "./program", "bad").must(t)
			var findings []advice.Finding
			said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", "bad.db").must(t).stdout
			if err := json.Unmarshal([]byte(said), &findings); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			if len(findings) != 1 || findings[0].Rule != "mapped-in-loop" || findings[0].Variable != test.variable || !strings.Contains(findings[0].Why, "cannot be told") {
				t.Errorf("found\n%s", said)
			}
			for _, f := range findings {
				rows := invoke(t, folder, "query", "--format", "csv", "bad.db", f.SQL).must(t).stdout
				if list, err := csv.NewReader(strings.NewReader(rows)).ReadAll(); err != nil || int64(len(list)) != f.Count+1 {
					t.Errorf("%d rows were counted, SQL gives, with a line of names (%v),\n%s", f.Count, err, rows)
				}
			}
		})
	}
}

// mapsInTwoFunctions maps 12 times in one function, 4 times in another, and brings what no kernel
// has changed at every third of its turns.
const mapsInTwoFunctions = `
static void __attribute__ ((noinline)) often (double *x, int n)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
static void __attribute__ ((noinline)) seldom (double *x, int n)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] += 1;
}
static void __attribute__ ((noinline)) fetch (double *x, int n)
{
#pragma acc update self(x[0:n])
}
int main (void)
{
  static double a[100000], b[100000], c[100000];
  for (int i = 0; i < 12; i++)
    often (a, 100000);
  for (int i = 0; i < 4; i++)
    seldom (b, 100000);
#pragma acc data copyin(c)
  for (int i = 0; i < 6; i++)
    {
#pragma acc parallel loop
      for (int j = 0; j < 100000; j++)
        c[j] += j;
      fetch (c, 100000);
      if (i % 2)
        fetch (c, 100000);
    }
}`

// TestAdviceWithoutLines: functions without lines are told apart, no directive's text is taken
// for known, and what is not so at each turn is told as that.
func TestAdviceWithoutLines(t *testing.T) {
	for _, debug := range []string{"-g0", "-g"} {
		t.Run(debug, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "maps.c"), []byte(mapsInTwoFunctions), 0o600); err != nil {
				t.Fatal(err)
			}
			execute(t, folder, nil, compilers.C(), "-fopenacc", "-foffload=disable", "-O1", debug, "-o", "program", "maps.c").must(t)
			execute(t, folder, modelled, accscope, "run", "-q", "--device", "sim", "-o", "bad.db", "--", "./program").must(t)
			var findings []advice.Finding
			said := invoke(t, folder, "advise", "--min-gain", "1ns", "--format", "json", "bad.db").must(t).stdout
			if err := json.Unmarshal([]byte(said), &findings); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			mapped, partly := 0, false
			for _, f := range findings {
				partly = partly || f.Rule == "round-trip" && f.Function == "fetch" && f.Count == 3 && strings.HasSuffix(f.Instead, "where that is so: 3 of the 9 transfers here")
				unknown := strings.Contains(f.Why, "cannot be told") || strings.Contains(f.Why, "or one with copy does")
				switch {
				case f.Rule != "mapped-in-loop" && f.Rule != "implicit-transfer":
				case unknown != (debug == "-g0"):
					t.Errorf("%s in %s: %s", f.Rule, f.Function, f.Why)
				case f.Rule == "mapped-in-loop":
					mapped++
					if f.Function != "often" || !strings.Contains(f.What, ": mapped and deleted again and again, 12 mappings;") || strings.HasPrefix(f.What, ":") {
						t.Errorf("in %s: %q", f.Function, f.What)
					}
				}
			}
			if mapped != 1 || !partly {
				t.Errorf("found\n%s", said)
			}
		})
	}
}

// TestAdviceHasPages: each rule's page says what its programs are.
func TestAdviceHasPages(t *testing.T) {
	for _, rule := range advice.Rules() {
		for _, name := range []string{filepath.Join(adviceFolder, rule+".c"), filepath.Join("../../docs/advice", rule+".md")} {
			if _, err := os.Stat(name); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestAdviceToFile: -o writes the findings to a file and does not overwrite one.
func TestAdviceToFile(t *testing.T) {
	folder := record(t, twoKernels)
	invoke(t, folder, "advise", "--format", "sarif", "-o", "findings.sarif", "trace.db").must(t)
	written, err := os.ReadFile(filepath.Join(folder, "findings.sarif"))
	if err != nil || !bytes.Contains(written, []byte(`"version": "2.1.0"`)) {
		t.Errorf("%v: %s", err, written)
	}
	for _, test := range []struct {
		arguments []string
		status    int
		want      string
	}{
		{[]string{"-o", "findings.sarif", "trace.db"}, 1, "findings.sarif exists; overwrite it with --force"},
		{[]string{"-o", "trace.db", "--force", "trace.db"}, 1, "is the trace itself"},
		{[]string{"--min-gain", "-1s", "trace.db"}, 2, "--min-gain -1s: want a time such as 10ms"},
		{[]string{"--format", "xml", "trace.db"}, 2, "allowed are text, json and sarif"},
		{[]string{"missing.db"}, 1, "missing.db"},
		{nil, 2, "want one trace"},
	} {
		r := invoke(t, folder, append([]string{"advise"}, test.arguments...)...)
		if r.status != test.status || !strings.Contains(r.stderr, test.want) {
			t.Errorf("%q: status %d, %s", test.arguments, r.status, r.stderr)
		}
	}
}
