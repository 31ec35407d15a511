package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// TestPrograms: of programs in one trace it is said whose constructs and data have no names, and
// why; and functions, data and kernels of one name are told apart, in little space too.
func TestPrograms(t *testing.T) {
	const source = `#include <stdlib.h>
int main (void) { double *values = calloc (100, 8);
#pragma acc parallel loop copy(values[0:100])
  for (int i = 0; i < 100; i++) values[i]++;
  return 0; }
`
	for _, test := range []struct {
		name, build, run, says string
		by                     string
		table                  []string
	}{
		{name: "one without -g", build: "$CC main.c -o first; $CC -g main.c -o second", run: "./first; ./second",
			says: "no construct of first has a file and line, and few data a name: compile with -g"},
		{name: "lines alone", build: "$CC -g1 main.c -o first", run: "./first",
			says: "data of first have no names: its debug information has lines alone: compile with -g, not -g1"},
		{name: "shared file missing", build: "$CC -g main.c -o first; cp first second; dwz -m common.debug first second; rm common.debug", run: "./first",
			says: "data of first have no names: its shared debug file common.debug was not found"},
		{name: "all is there", build: "$CC -g main.c -o first", run: "./first"},
		{name: "functions", build: "mkdir A B; $CC main.c -o A/first; cp A/first B", run: "A/first; B/first", by: "source",
			says: "no construct has a file", table: []string{"main (A/first)", "main (B/first)"}},
		{name: "data", build: "$CC -g main.c -o first; cp first second", run: "./first; ./second", by: "variable",
			table: []string{"values (first)", "values (second)"}},
		{name: "kernels", build: "mkdir A B; $CC -g main.c -o A/first; cp A/first B", run: "A/first; B/first", by: "kernel",
			table: []string{"main.c:3 parallel loop in main (A/first)", "main.c:3 parallel loop in main (B/first)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := exec.LookPath("dwz"); err != nil && strings.Contains(test.build, "dwz") {
				t.Skip("no dwz, which makes shared debug information: apt-get install dwz")
			}
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, "main.c"), []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			build := exec.Command("sh", "-ec", test.build)
			build.Dir, build.Env = folder, append(os.Environ(), "CC="+compilers.C()+" -Wl,--build-id -O2 -fopenacc -foffload=disable")
			if output, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			r := invoke(t, folder, "run", "--device", "sim", "-o", "trace.db", "--", "sh", "-c", test.run)
			r.must(t)
			facts := invoke(t, folder, "report", "trace.db")
			facts.must(t)
			summary := strings.Join(strings.Fields(r.stderr), " ")
			if said := strings.Contains(summary, "accscope doctor PROGRAM"); said != (test.says != "") || !strings.Contains(summary, test.says) || !strings.Contains(facts.stdout, test.says) {
				t.Errorf("want %q in the summary and the report:\n%s%s", test.says, r.stderr, facts.stdout)
			}
			if test.by == "" {
				return
			}
			table := invoke(t, folder, "report", "--by", test.by, "trace.db")
			table.must(t)
			for _, name := range test.table {
				if !strings.Contains(table.stdout, name+"  ") || test.by != "source" && !strings.Contains(r.stderr, name+"  ") {
					t.Errorf("want %q in the summary and by %s:\n%s%s", name, test.by, r.stderr, table.stdout)
				}
			}
		})
	}
}
