package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// With too few descriptors, or too little address space, accscope says what it needs in
// one line, and fails, but the program of run runs; with a little more it works.
func TestFewResources(t *testing.T) {
	for _, test := range []struct {
		limit, says string
	}{
		{"ulimit -n 5", "(ulimit -n)"}, {"ulimit -n 8", "(ulimit -n)"}, {"ulimit -n 40", ""},
		{"ulimit -v 100000", "(ulimit -v)"}, {"ulimit -v 400000", "(ulimit -v)"}, {"ulimit -v 800000", "(ulimit -v)"}, {"ulimit -v 4000000", ""},
	} {
		for command, status := range map[string]int{
			"version": exitFailure, "run -q --must-record -- true": exitRunFailed,
			"run -q -- sh -c 'exit 7' 3": 7, "run --last 30s -qo x.db sh -c 'exit 7'": 7, "run --limit=1GiB no-such-program": exitNotFound,
		} {
			t.Run(test.limit+" "+command, func(t *testing.T) {
				r := execute(t, t.TempDir(), nil, "sh", "-c", test.limit+`; exec "$0" `+command, accscope)
				switch unprofiled := strings.Contains(r.stderr, " runs unprofiled"); {
				case test.says == "" && status >= exitFailure && (status == 7 || status == exitNotFound) && r.status == status && !unprofiled:
				case test.says == "":
					r.must(t)
				case r.status != status || !strings.HasPrefix(r.stderr, "accscope: this process ") || !strings.Contains(r.stderr, test.says):
					t.Errorf("status %d, want %d: %s", r.status, status, r.stderr)
				case unprofiled != (status == 7 || status == exitNotFound) || status != exitNotFound && strings.Count(r.stderr, "\n") != 1:
					t.Errorf("%s", r.stderr)
				}
			})
		}
	}
}

// With fewer descriptors than a recording takes the program runs all the same, to its end, and
// nothing of a trace that could not be begun lies about; what was captured makes a trace.
func TestFewDescriptors(t *testing.T) {
	program := build(t, "jacobi")
	folder := t.TempDir()
	for limit := 9; limit <= 20; limit++ {
		r := execute(t, folder, []string{"ACCSCOPE_DIR=" + filepath.Join(folder, "sessions")}, "bash", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" run --device sim --no-summary -qo x.db -- "$1"`, limit), accscope, program)
		if r.status != 0 || !strings.Contains(r.stdout, "iterations ") {
			t.Errorf("with %d: status %d, %s%s", limit, r.status, r.stdout, r.stderr)
		}
		if refused := strings.Contains(r.stderr, "unable to open") || strings.Contains(r.stderr, "too many open"); refused && !strings.Contains(r.stderr, "by ulimit -n: let it") || limit < 19 && !strings.Contains(r.stderr, "(ulimit -n)") {
			t.Errorf("with %d the cause and what helps are not told: %s", limit, r.stderr)
		}
		if _, kept, is := strings.Cut(r.stderr, "is kept: accscope import "); is {
			session, _, _ := strings.Cut(kept, " ")
			invoke(t, folder, "import", "-o", "x.db", session).must(t)
		}
		traces, _ := filepath.Glob(filepath.Join(folder, "x*"))
		if recorded := slices.Equal(traces, []string{filepath.Join(folder, "x.db")}); !recorded && (len(traces) > 0 || strings.Count(r.stderr, " runs unprofiled") != 1) {
			t.Errorf("with %d: %q, %s", limit, traces, r.stderr)
		}
		for _, trace := range traces {
			os.Remove(trace)
		}
	}
}

// Where files may not be as large as a trace, run says so and the program runs; a session in
// which nothing was captured does not stay.
func TestSmallFiles(t *testing.T) {
	program := build(t, "jacobi")
	for _, test := range []struct {
		limit, says string
		kept        int
	}{
		{"0", "runs unprofiled", 0}, {"40", "files may have 40 KiB by ulimit -f", 0}, {"100", "what was captured is kept", 1},
	} {
		t.Run(test.limit, func(t *testing.T) {
			folder := t.TempDir()
			sessions := filepath.Join(folder, "sessions")
			r := execute(t, folder, []string{"ACCSCOPE_DIR=" + sessions}, "bash", "-c", "ulimit -f "+test.limit+`; exec "$0" run -qo x.db -- "$1"`, accscope, program)
			left, _ := filepath.Glob(sessions + "/*")
			if r.status != 0 || !strings.Contains(r.stderr, test.says) || len(left) != test.kept {
				t.Errorf("status %d, sessions %q: %s; want 0, %d of them, and %q", r.status, left, r.stderr, test.kept, test.says)
			}
		})
	}
}

// What finds the program of run before Go starts knows which flags have no value.
func TestFlagsWithoutValue(t *testing.T) {
	source, err := os.ReadFile("resources.c")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(source), "alone[] = {")
	list, _, _ = strings.Cut(list, "}")
	var have []string
	for word := range strings.SplitSeq(list, ",") {
		have = append(have, strings.Trim(word, " \n\""))
	}
	want := []string{"--help"}
	newRunCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal != "" {
			want = append(want, "--"+f.Name)
		} else if f.Shorthand != "" && f.Shorthand != "o" {
			t.Errorf("-%s has a value, which resources.c does not know", f.Shorthand)
		}
	})
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("resources.c has %q, run %q", have, want)
	}
}
