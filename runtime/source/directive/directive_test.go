package directive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDirectivesInC(t *testing.T) {
	const text = `int main (void)
{
#pragma acc data copy(a[0:n], \
                      s->cells[0:n][1:2]) create (b) // copyin(no)
  {
#  pragma acc kernels copyin(readonly: c) present(this->d) async(f(1, 2))
    for (int i = 0; i < n; i++) /* { */
      a[i] = ")"[0] + ')';
    _Pragma ("acc serial loop firstprivate(e)") for (;;) { if (1) { } else ; }
#pragma acc parallel loop \
    reduction(+:sum) private(x)
    FOR (i, n)
      {
	s += 1'000;
      }
#pragma acc update self(a)
#pragma acc parallel wait(1)
    do x++; while (x);
  }
#pragma omp parallel
#pragma accelerate
#pragma acc host_data use_device(a)
`
	for line, want := range map[int]string{
		3:  "data 3-19 a s.cells b", // and its continuation:
		4:  "data 3-19 a s.cells b",
		5:  "",
		6:  "kernels 6-8 c d",
		9:  "serial loop 9-9 e",
		11: "parallel loop 10-15",
		16: "update 16-16",
		17: "parallel 17-18",
		20: "", 21: "",
		22: "host_data 22-0",
	} {
		checkDirective(t, cDirectives([]byte(text))[line], line, want)
	}
}

// TestDirectiveAround has calls at lines without a directive: of the first statement of a
// compute construct, and of the declare directives of a procedure in Fortran, but not in
// C, where these have calls of their own.
func TestDirectiveAround(t *testing.T) {
	const text = `module m
  !$acc declare create(everywhere)
contains
subroutine first (a)
  !$acc declare copyin(a) &
  !$acc create(b)
  !$acc declare create(c)
  !$acc data copy(d)
  !$acc end data
end subroutine
subroutine second
  !$acc kernels copy(e)
  e = 1
  !$acc update self(e)
  !$acc end kernels
`
	for _, c := range []struct {
		file                         string
		line, function, functionLast int
		compute                      bool
		want                         string
	}{
		{"m.f90", 1, 4, 10, false, "declare 5-6 a b"},
		{"m.f90", 4, 4, 10, false, "declare 5-6 a b"},
		{"m.f90", 8, 4, 10, false, "data 8-9 d"},
		{"m.f90", 4, 4, 10, true, ""},
		{"m.f90", 10, 11, 12, false, ""},
		{"m.f90", 12, 11, 15, true, "kernels 12-15 e"},
		{"m.f90", 13, 11, 15, true, "kernels 12-15 e"},
		{"m.f90", 13, 11, 15, false, ""},
		{"m.f90", 14, 11, 15, true, ""},
		{"m.f90", 16, 11, 15, true, ""},
		{"m.f90", 1, 0, 0, false, ""},
		{"m.c", 4, 4, 10, false, ""},
	} {
		d := At(Of([]byte(text), c.file), c.file, c.line, c.function, c.functionLast, c.compute)
		checkDirective(t, d, c.line, c.want)
	}
}

func TestDirectivesInFortran(t *testing.T) {
	const free = `program p
  !$acc data copy(Chunk%tiles(t)%field%density0(:, 1:n)) & ! a comment
  ! another one

  !$acc&  create(b) pcopyin (/blk/, c)
  !$ACC KERNELS LOOP COPYOUT(D) &
  !$acc default(none)
  do i = 1, n
  end do
  !$acc parallel loop
  !$acc enter data copyin(e)
  !$acc end kernels loop
  !$acc enddata
  !$accelerate
  !$acc wait
`
	for line, want := range map[int]string{
		2: "data 2-13 chunk.tiles.field.density0 b /blk/ c", 3: "data 2-13 chunk.tiles.field.density0 b /blk/ c",
		5: "data 2-13 chunk.tiles.field.density0 b /blk/ c",
		7: "kernels loop 6-12 d", 10: "parallel loop 10-0", 11: "enter data 11-11 e", 14: "", 15: "wait 15-15",
	} {
		checkDirective(t, fortranDirectives([]byte(free), false)[line], line, want)
	}
	const fixed = "c$acc parallel copy(a,\nc a comment\n!$acc& b)\n      x = 1\n*$acc end parallel\n!$acc update self(a)\n!$acc update self(b)\n"
	for line, want := range map[int]string{1: "parallel 1-5 a b", 3: "parallel 1-5 a b", 6: "update 6-6", 7: "update 7-7"} {
		checkDirective(t, fortranDirectives([]byte(fixed), true)[line], line, want)
	}
}

// TestLinesOfADirective has what debug information gives of a call, and what the text makes
// of it: directives that stand alone end where they do, in further lines, too.
func TestLinesOfADirective(t *testing.T) {
	const (
		c = "#pragma acc update self(a[0:n]) \\\n    device(b) \\\n    async\n" +
			"#pragma acc wait(1)\nx (); _Pragma(\"acc exit data delete(a)\")\r\n#pragma acc declare \\\n create(c)\n" +
			"#pragma acc enter data /* all */ \\\r\n  copyin(a)\r\n#pragma acc routine seq\n#pragma acc data copy(a)\n{\n}\n"
		macro = "#define K _Pragma(\"acc kernels copy(a[0:10])\")\n#define DO(x) \\\n _Pragma(#x)\n#define SELF(x) _Pragma(\"acc update self(x)\")\n" +
			"K\nfor (;;)\n ;\n DO(acc update \\\n  device(a[0:10]))\nSELF(a);\nif (x) DO(acc\n wait)\n%:pragma acc exit data \\\n delete(a)\n" +
			"#pragma acc update device(a) /* a\n\n comment */ if(1) \\\n  async\nDO(omp barrier)\n"
		free  = "!$acc update self(a) &\n! of it\n\n!$acc& async\n!$acc exit data delete(b)\n!$acc declare create(c) &\n!$acc copyin(d)\n!$acc wait &\n"
		fixed = "!$acc enter data\nc a comment\n!$acc&copyin(a)\nc\nc$acc wait\n"
	)
	for _, of := range []struct {
		file, text             string
		line, end, first, last int
	}{
		{"a.c", c, 1, 0, 1, 3}, {"a.c", c, 3, 0, 1, 3}, {"a.cc", c, 4, 0, 4, 4}, {"a.c", c, 5, 0, 5, 5},
		{"a.c", c, 6, 0, 6, 7}, {"a.cpp", c, 8, 0, 8, 9}, {"a.c", c, 10, 0, 10, 0}, {"a.c", c, 11, 0, 11, 13},
		{"a.c", macro, 8, 0, 8, 9}, {"a.c", macro, 10, 0, 10, 10}, {"a.c", macro, 11, 0, 11, 12}, {"a.c", macro, 13, 0, 13, 14}, {"a.c", macro, 15, 0, 15, 18},
		{"a.c", macro, 19, 0, 19, 0},
		{"a.f90", free, 4, 0, 1, 4}, {"a.f90", free, 5, 0, 5, 5}, {"a.f90", free, 7, 0, 6, 7}, {"a.f90", free, 8, 0, 8, 8},
		{"a.f90", free, 9, 0, 9, 0}, // of another call in the procedure
		{"a.f", fixed, 3, 0, 1, 3}, {"a.F", fixed, 5, 0, 5, 5},
	} {
		d := At(Of([]byte(of.text), of.file), of.file, of.line, 1, 20, false)
		if first, last := d.Lines(of.line, of.end); first != of.first || last != of.last {
			t.Errorf("%s:%d: lines %d to %d, want %d to %d", of.file, of.line, first, last, of.first, of.last)
		}
	}
	checkDirective(t, At(Of([]byte(macro), "a.c"), "a.c", 5, 1, 20, true), 5, "kernels 5-7 a")
}

func checkDirective(t *testing.T, d *Directive, line int, want string) {
	t.Helper()
	got := ""
	if d != nil {
		got = strings.TrimSpace(d.Name + " " + fmt.Sprintf("%d-%d", d.Line, d.End) + " " + strings.Join(d.data, " "))
	}
	if got != want {
		t.Errorf("line %d: %q, want %q", line, got, want)
	}
}

func TestDirectiveLists(t *testing.T) {
	d := cDirectives([]byte("#pragma acc parallel copy(s->cells[0:n], grid[i].a, b) reduction(+:sum)\n;\n"))[1]
	for variable, want := range map[string]bool{
		"s->cells": true, "grid[2].a": true, "b": true, "sum": false, "s": false, "": false, "B": false,
	} {
		if d.Lists(variable) != want {
			t.Errorf("%q: listed %v, want %v", variable, !want, want)
		}
	}
	if (*Directive)(nil).Lists("b") {
		t.Error("a directive whose text is not known lists a variable")
	}
}

// TestParse takes directives apart, and puts them together again.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"  #  pragma acc  parallel loop copy( a[0:f(1, 2)],b) async": "#pragma acc|parallel loop|copy a[0:f(1, 2)];b|async",
		"#pragma acc kernels copyin(readonly: x),if (n > 1)":         "#pragma acc|kernels|copyin readonly: x|if n > 1",
		"#pragma acc wait(1, 2) async()":                             "#pragma acc|wait(1, 2)|async ",
		"!$ACC ENTER DATA COPYIN(A(1:n,:), b%C)":                     "!$ACC|enter data|COPYIN A(1:n,:);b%C",
		"c$acc loop gang":                                            "c$acc|loop|gang",
		"!$acc enddata":                                              "!$acc|end data",
		"!$acc end parallel loop":                                    "!$acc|end parallel loop",
		"#pragma acc data copy(a) create(b":                          "#pragma acc|data|copy a",
		"#pragma acc enter copyin(a)":                                "",
		"#pragma acc nothing":                                        "",
		"#pragma acc":                                                "",
		"#pragma omp parallel":                                       "",
		"!$accelerate":                                               "",
		"acc_copyin (a, n);":                                         "",
		"":                                                           "",
	} {
		got := ""
		if d := Parse(text); d != nil {
			parts := []string{d.Sentinel, d.Name + d.Arguments}
			for _, c := range d.Clauses {
				if c.Has {
					c.Name += " " + strings.Join(c.Items(), ";")
				}
				parts = append(parts, c.Name)
			}
			got = strings.Join(parts, "|")
			if again := Parse(d.Text()); again == nil || again.Text() != d.Text() {
				t.Errorf("%q: %q is not read as it was written", text, d.Text())
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDirectivesOfAChangedSource: a source that is newer than the program says nothing
// of it, nor does what is no file.
func TestDirectivesOfAChangedSource(t *testing.T) {
	folder := t.TempDir()
	source := filepath.Join(folder, "a.c")
	if err := os.WriteFile(source, []byte("#pragma acc kernels\n;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := os.Chtimes(source, now, now); err != nil {
		t.Fatal(err)
	}
	if d := Read(source, now.Add(time.Second))[1]; d.Construct() != "kernels" {
		t.Errorf("a source older than the program: %+v", d)
	}
	for path, made := range map[string]time.Time{source: now.Add(-time.Second), folder: now.Add(time.Hour), filepath.Join(folder, "no"): now} {
		if known := Read(path, made); known != nil {
			t.Errorf("%s: %v", path, known)
		}
	}
}

// FuzzDirectives reads any text as a source file.
func FuzzDirectives(f *testing.F) {
	for _, name := range []string{"a.c", "a.f90", "a.f"} {
		f.Add([]byte("#pragma acc data copy(a[0:(n)]) \\\n create(b)\n{ if (x) ; else { } }\n"), name)
		f.Add([]byte("!$acc data copy(a%b(i)) &\n!$acc& create(b)\nc$acc end data\n_Pragma(\"acc kernels\") do ; while(0);"), name)
	}
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		last := strings.Count(string(content), "\n") + 1
		for line, d := range Of(content, name) {
			if d.Name == "" || d.Line < 1 || d.Line > line || line > last || d.End != 0 && d.End < d.Line || d.End > last || Parse(d.Text()) == nil {
				t.Errorf("line %d of %d: %+v", line, last, *d)
			}
		}
	})
}

// TestMacrosOfHeaders: a directive may be written by a macro of a header, or of one that this
// includes; of two definitions that differ neither counts, nor does a header that was changed.
func TestMacrosOfHeaders(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("part/own.h", "#pragma once\n#include \"../more.h\"\n#define UPDATE _Pragma(\"acc update self(a)\")\n#define EITHER _Pragma(\"acc wait(1)\")\n")
	write("more.h", "#include \"part/own.h\"\n#define LOOP(x) _Pragma(\"acc parallel loop copy(b)\")\n#define EITHER _Pragma(\"acc wait(2)\")\n")
	newer := write("newer.h", "#define NEWER _Pragma(\"acc wait\")\n")
	write("calls.h", "#define UP(x) acc_update_device (x, 8)\n#define a b\n")
	calls := ReadRoutines(write("b.c", "#include \"calls.h\"\nvoid f (void)\n{\n  UP (c); acc_copyin (a, 8);\n}\n"), time.Now().Add(time.Minute))
	if len(calls) != 2 || calls[0].Name != "acc_update_device" {
		t.Errorf("calls %+v", calls)
	} else if _, ok := calls[1].Variable("a"); ok {
		t.Error("a variable by the name of a header's macro is believed")
	}
	path := write("a.c", "#include \"part/own.h\"\n#include \"newer.h\"\n#include \"missing.h\"\nUPDATE\nLOOP(1)\nfor (;;)\n  ;\nEITHER\nNEWER\n")
	made := time.Now().Add(time.Minute)
	if err := os.Chtimes(newer, made.Add(time.Minute), made.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	found := Read(path, made)
	for line, want := range map[int]string{4: "update 4-4", 5: "parallel loop 5-7 b", 8: "", 9: ""} {
		checkDirective(t, found[line], line, want)
	}
}
