package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mappedInLoop = `#include <stdlib.h>
int main (void)
{
  float *a = calloc (1 << 18, sizeof *a);
  for (int step = 0; step < 40; step++)
    {
#pragma acc parallel loop copy(a[0:1 << 18])
      for (int i = 0; i < 1 << 18; i++)
        a[i] += step;
    }
  return 0;
}`

// What is printed for users to run next can be pasted into a shell, whatever the trace is
// called.
func TestCommandsCanBePasted(t *testing.T) {
	folder := record(t, mappedInLoop)
	t.Setenv("PATH", filepath.Dir(accscope)+":"+os.Getenv("PATH"))
	for _, name := range []string{"with space.db", "it's 5$.db", "-o.db", strings.Repeat("long", 20) + ".db"} {
		printed := invoke(t, folder, "run", "-o", "./"+name, "--device", "sim", "--", "./program").must(t).stderr
		_, next, found := strings.Cut(printed, "\n  next  ")
		if !found {
			t.Fatalf("no commands:\n%s", printed)
		}
		commands := strings.Split(strings.ReplaceAll(next, "\\\n", ""), "\n")[:2] // serve does not end
		for _, finding := range strings.Split(invoke(t, folder, "advise", "./"+name).must(t).stdout, "\n") {
			if _, command, evidence := strings.Cut(finding, " rows: "); evidence {
				commands = append(commands, command)
			}
		}
		if len(commands) < 3 {
			t.Fatalf("%s: too few commands: %q", name, commands)
		}
		for _, command := range commands {
			command, _, _ = strings.Cut(command, "  all tables")
			command, _, _ = strings.Cut(command, "  what to change")
			if r := execute(t, folder, nil, "sh", "-c", command); r.status != 0 {
				t.Errorf("%s: status %d\n%s", command, r.status, r.stderr)
			}
		}
	}
}

// The lines of a run keep to the columns that there are.
func TestRunKeepsToTheColumns(t *testing.T) {
	folder := record(t, twoKernels)
	for text, columns := range map[string]int{"60": 60, "80": 80, "100": 100} {
		printed := execute(t, folder, []string{"COLUMNS=" + text}, accscope,
			"run", "--force", "-o", "t.db", "--device", "sim", "--", "./program").must(t).stderr
		for line := range strings.Lines(printed) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns {
				t.Errorf("%d columns of %d: %s", n, columns, line)
			}
		}
	}
}
