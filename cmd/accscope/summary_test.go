package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
)

// A program without OpenACC events leaves no trace, but the remedy.
func TestRunOfAProgramWithoutOpenACC(t *testing.T) {
	for _, test := range []struct {
		name, source string
		flags        []string
		run          []string
		want         string // on standard error
		status       int
		kept         bool
		fortran      bool
	}{
		{name: "compiled without", source: "int main (void) { return 3; }", status: 3,
			want: "it raised no OpenACC event, and no trace is kept: program has no OpenACC compiled in, nor had what it started; compile with gcc -fopenacc"},
		{name: "quietly", source: "int main (void) { return 0; }", flags: []string{"-q"}},
		{name: "of a given name", source: "int main (void) { return 0; }", flags: []string{"-o", "trace.db"}, want: "no trace is kept"},
		{name: "not reached", source: `int main (int count, char **arguments) {
			if (count > 1) {
#pragma acc parallel
				{ }
			}
			return 0; }`, want: "program has OpenACC in it, but ran none of it"},
		{name: "a stack that is too small", fortran: true, status: 139, source: "program large\n  implicit none\n  real :: a(8000000)\n  integer :: i\n  a = 1\n!$acc parallel loop copy(a)\n  do i = 1, 8000000\n    a(i) = i\n  end do\nend program\n",
			want: "ran none of it (gfortran -fopenacc has the arrays of the main program on the stack"},
		{name: "a script", source: "int main (void) { return 0; }", run: []string{"./script"}, want: "no process that the script script started"},
		{name: "paused", source: "int main (void) { return 0; }", flags: []string{"--paused"}, want: "with --paused none is until accscope attach PID switches capture on", kept: true},
		{name: "filtered", source: "int main (void) { return 0; }", flags: []string{"--min-bytes", "1G"}, want: "the flags of this run let none through", kept: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			program, source, compiler := filepath.Join(folder, "program"), filepath.Join(folder, "program.c"), compilers.C()
			if test.fortran {
				source, compiler = filepath.Join(folder, "program.f90"), compilers.Fortran()
			}
			if err := os.WriteFile(source, []byte(test.source), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "script"), []byte("#!/bin/sh\n./program\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			compile := exec.Command(compiler, "-fopenacc", "-foffload=disable", "-o", program, source)
			if output, err := compile.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, output)
			}
			if test.run == nil {
				test.run = []string{"./program"}
			}
			r := invoke(t, folder, append(append(append([]string{"run"}, test.flags...), "--"), test.run...)...)
			if r.status != test.status || !strings.Contains(r.stderr, test.want) || test.want == "" && r.stderr != "" {
				t.Errorf("status %d, want %d and %q:\n%s", r.status, test.status, test.want, r.stderr)
			}
			traces, err := filepath.Glob(filepath.Join(folder, "*.db"))
			if err != nil || len(traces) > 0 != test.kept {
				t.Errorf("left are %v, %v", traces, err)
			}
		})
	}
}

// TestSummaryOfAnError: an error is told once, to its cause and remedy, and what the device did
// before is not that there was none.
func TestSummaryOfAnError(t *testing.T) {
	folder := t.TempDir()
	source := "int main (void) { static float data[1000];\n#pragma acc parallel loop present(data)\n for (int i = 0; i < 1000; i++) data[i] = i;\n return 0; }\n"
	if err := os.WriteFile(filepath.Join(folder, "absent.c"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	compile := exec.Command(compilers.C(), "-g", "-fopenacc", "-foffload=disable", "-o", "program", "absent.c")
	compile.Dir = folder
	if output, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	r := invoke(t, folder, "run", "--device", "sim", "-o", "trace.db", "--", "./program")
	_, summary, _ := strings.Cut(r.stderr, "events in trace.db")
	summary = strings.Join(strings.Fields(summary), " ")
	for _, want := range []string{"! an error at absent.c:2: parallel loop: present clause: ", "no directive or routine has put it there; name it before in enter data",
		"device sim 0: no kernel and no transfer was recorded"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in %q", want, summary)
		}
	}
	if strings.Count(summary, "present clause: `data") != 1 || strings.Contains(summary, "ended the program") {
		t.Errorf("the error is told twice: %q", summary)
	}
}
