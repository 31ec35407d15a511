package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A session whose trace's name another run has got leaves that run's trace alone,
// and what it has captured becomes a trace of its own.
func TestImportKnowsItsTrace(t *testing.T) {
	program := build(t, "jacobi")
	for _, test := range []struct {
		name string
		take func(t *testing.T, folder string) // of the name t.db
	}{
		{"another run's trace", func(t *testing.T, folder string) {
			invoke(t, folder, "run", "-q", "--device", "sim", "-o", "t.db", "--", program, "32", "7").must(t)
		}},
		{"a text", func(t *testing.T, folder string) {
			if err := os.WriteFile(filepath.Join(folder, "t.db"), []byte("of the user\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			environment, list := sessions(t)
			r := execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", program+" 32 5; kill -9 $PPID")
			left := list()
			if r.status != 128+9 || len(left) != 1 {
				t.Fatalf("status %d, sessions %v: %s", r.status, left, r.stderr)
			}
			files, err := filepath.Glob(filepath.Join(folder, "t.db*"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range files {
				if err := os.Rename(name, strings.Replace(name, "t.db", "elsewhere.db", 1)); err != nil {
					t.Fatal(err)
				}
			}
			test.take(t, folder)
			before := contents(t, folder)
			if r := execute(t, folder, environment, accscope, "import", left[0]); r.status != exitFailure || strings.Contains(r.stderr, "remove") ||
				!strings.Contains(r.stderr, "t.db") {
				t.Errorf("status %d, %s", r.status, r.stderr)
			}
			if after := contents(t, folder); strings.Join(after, "\n") != strings.Join(before, "\n") {
				t.Errorf("import changed the folder:\n%.200q\n%.200q", before, after)
			}
			r = execute(t, folder, environment, accscope, "import", "-o", "new.db", left[0]).must(t)
			if !strings.Contains(r.stderr, "t.db is not this session's trace any more") {
				t.Errorf("import said %s", r.stderr)
			}
			after := contents(t, folder)
			if len(after) != len(before)+1 {
				t.Errorf("import made of\n%.200q\n%.200q", before, after)
			}
			kept := 0
			for _, line := range before {
				for _, other := range after {
					if line == other {
						kept++
					}
				}
			}
			if kept != len(before) {
				t.Errorf("import changed what was there: %.200q", after)
			}
			invoke(t, folder, "info", "--check", "new.db").must(t)
		})
	}
}

// A trace that was begun is moved to the name that import is given.
func TestImportMovesItsTrace(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	environment, list := sessions(t)
	execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "whole.db", "--", program, "32", "5").must(t)
	if r := execute(t, folder, environment, accscope, "run", "-q", "--device", "sim", "-o", "t.db", "--", "sh", "-c", program+" 32 5; kill -9 $PPID"); r.status != 128+9 {
		t.Fatalf("status %d: %s", r.status, r.stderr)
	}
	execute(t, folder, environment, accscope, "import", "-o", "new.db", list()[0]).must(t)
	if got, want := countEvents(t, folder, "new.db"), countEvents(t, folder, "whole.db"); got != want {
		t.Errorf("%q events, want %q", got, want)
	}
	if left := contents(t, folder); len(left) != 2 {
		t.Errorf("left are %.100q", left)
	}
}
