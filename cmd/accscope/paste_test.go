package main

import (
	"os"
	"path/filepath"
	"regexp"
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

// So can what opens an export, whatever that is called.
func TestExportsCanBeOpened(t *testing.T) {
	folder := record(t, mappedInLoop)
	invoke(t, folder, "run", "-o", "t.db", "--device", "sim", "--", "./program").must(t)
	bin := t.TempDir() // commands that look whether there is what they are to open
	for _, name := range []string{"go", "otf2-print"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nfor last; do :; done\ntest -f \"$last\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"with space", "it's 5$", "-o"} {
		for format, before := range map[string]string{"pprof": "open it by ", "otf2": ", or by "} {
			printed := invoke(t, folder, "export", "--to", format, "-o", "./"+name+"."+format, "t.db").must(t).stderr
			_, command, found := strings.Cut(printed, before)
			if r := execute(t, folder, []string{"PATH=" + bin + ":" + os.Getenv("PATH")}, "sh", "-c", command); !found || r.status != 0 {
				t.Errorf("status %d of the command in %s", r.status, printed)
			}
		}
	}
	if printed := invoke(t, folder, "export", "--to", "parquet", "-o", "it's", "t.db").must(t).stderr; !strings.Contains(printed, "SELECT * FROM 'it''s'\n") {
		t.Errorf("no text of SQL: %s", printed)
	}
}

// Prose of reports, advice, comparisons and of doctor keeps to the columns that there are; tables,
// directives and commands stay whole, and where nothing limits lines so does all.
func TestProseKeepsToTheColumns(t *testing.T) {
	folder := record(t, mappedInLoop)
	invoke(t, folder, "run", "-o", "t.db", "--device", "sim", "--", "./program").must(t)
	prose := regexp.MustCompile(`^(WARNING|  devices: |  exclusive |  what |  why |  not judged |  (ok|no|missing) )`)
	for _, command := range []string{"report t.db", "advise t.db", "compare t.db t.db", "doctor"} {
		whole := execute(t, folder, []string{"COLUMNS="}, accscope, strings.Fields(command)...).stdout
		folded := execute(t, folder, []string{"COLUMNS=60"}, accscope, strings.Fields(command)...).stdout
		// What doctor says of a machine changes with it.
		if command != "doctor" && strings.Join(strings.Fields(whole), " ") != strings.Join(strings.Fields(folded), " ") || command != "compare t.db t.db" && whole == folded {
			t.Errorf("%s: on 60 columns\n%s\nelse\n%s", command, folded, whole)
		}
		for line := range strings.Lines(folded) {
			line = strings.TrimSuffix(line, "\n")
			if len([]rune(line)) <= 60 {
				continue
			}
			if prose.MatchString(line) && strings.LastIndex(line, " ") > 40 || command != "doctor" && !strings.Contains(whole, line+"\n") {
				t.Errorf("%s: more than 60 columns: %s", command, line)
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
