package rewrite

import (
	"strings"
	"testing"
)

// Calls of a bound routine are tokens: what literals and comments say stays.
func TestBoundCalls(t *testing.T) {
	const body = "{ t = \"f (1)\"; /* f (2) */ x = f (s.f (3)) + p->f (f\n(4)) + 'f'; // f (5)\n}\nx = f (6);\n"
	source := "#pragma acc routine(f) bind(g)\n#pragma acc parallel\n" + body
	result := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"})
	called := "(" + onHost + " ? f : g)"
	want := "{ t = \"f (1)\"; /* f (2) */ x = " + called + " (s.f (3)) + p->f (" + called + "\n(4)) + 'f'; // f (5)\n}\nx = f (6);\n"
	if !strings.HasSuffix(result.Text, want) {
		t.Errorf("got\n%s", result.Text)
	}
	without := "#pragma acc routine(g) nohost\n" + source
	if got := C(without, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+without), nil, nil, Options{Device: "nvidia"}).Text; !strings.Contains(got, "x = (__builtin_acc_on_device (2) ? f : g) (s.f (3))") {
		t.Errorf("the host's code calls what it has not:\n%s", got)
	}
	made := "# 1 \"a.c\"\n" + strings.Replace(source, "s.f (3)", "f (3)", 1)
	if result := C(source, "a.c", ReadPreprocessed(made), nil, nil, Options{Device: "nvidia"}); !result.Failed() {
		t.Errorf("a macro's call is not refused: %+v", result.Notes)
	}
	inFortran := Fortran("!$acc routine(f) bind(g)\n!$acc parallel\nt = 'don''t f(1)'//\"f(2)\"; x = f(s%f(3)) ! f(4)\n!$acc end parallel\n", "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"})
	if want := "\nt = 'don''t f(1)'//\"f(2)\"; x = g(s%f(3)) ! f(4)\n"; !strings.Contains(inFortran.Text, want) {
		t.Errorf("got\n%s", inFortran.Text)
	}
}

// A call in a comment of fixed form is none.
func TestCommentedCalls(t *testing.T) {
	source := "      subroutine s\n!$acc routine(f) bind(g)\n!$acc routine\nc     y = f(1)\n*     y = f(2)\n      y = 3\n      end subroutine\n"
	for text, refused := range map[string]bool{source: false, strings.Replace(source, "c  ", "   ", 1): true} {
		if result := Fortran(text, "a.f", true, nil, nothingIncluded, Options{Device: "nvidia"}); result.Failed() != refused {
			t.Errorf("refused %v, want %v: %+v\n%s", result.Failed(), refused, result.Notes, text)
		}
	}
}

// In C++ the name of several functions does not say which of them a call is of: all of them are bound to
// the same one, or the call stays, and is told of.
func TestBoundOverloads(t *testing.T) {
	const decided, undecided = "x = g (3)", "x = f (3)"
	both := "x = (" + onHost + " ? f : g) (3)"
	for _, test := range []struct {
		declared, body, want string
		c                    bool
	}{
		{"#pragma acc routine bind(g)\nint f (int);\n", "x = f (3)", both, false},
		{"#pragma acc routine bind(g)\nint f (int n, const double *p);\n#pragma acc routine bind(g)\nint f (int, double *__restrict__ q) { return 1; }\n", "x = f (3)", both, false},
		{"#pragma acc routine bind(g)\nint f (int n[3], int = 2);\nint h (double f (double)) { return f (1); }\nstruct s { int f (long); };\nint f (int m[3], int);\n", "x = f (3)", both, false},
		{"int f (double);\n#pragma acc routine bind(g)\nint f (int);\n", "x = f (3)", undecided, false},
		{"int f (double);\n#pragma acc routine bind(g)\nint f (int);\n", "x = f (3)", both, true},
		{"#pragma acc routine bind(g)\nint f (double);\n#pragma acc routine bind(g)\nint f (int);\n", "x = f (3)", decided, false},
		{"#pragma acc routine bind(h)\nint f (double);\n#pragma acc routine bind(g)\nint f (int);\n", "x = f (3)", undecided, false},
		{"namespace m {\n#pragma acc routine bind(g)\ntemplate <class T> T f (T x) { return x; }\n}\n", "x = f (3)", decided, false},
		{"#pragma acc routine bind(g)\ntemplate <class T> T f (T x) { return x; }\n", "x = f<int> (3)", "x = f<int> (3)", false},
		{"#pragma acc routine bind(g)\ntemplate <class T> T f (T x) { return x; }\nint f (int);\n", "x = f (3)", undecided, false},
	} {
		source := test.declared + "#pragma acc parallel\n{ " + test.body + "; }\n"
		result := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia", CXX: !test.c})
		warned := false
		for _, n := range result.Notes {
			warned = warned || n.Severity == Warning
		}
		if !strings.HasSuffix(result.Text, "{ "+test.want+"; }\n") || warned != (test.want != both) || result.Failed() {
			t.Errorf("%s%s: warned %v:\n%s\n%+v", test.declared, test.body, warned, result.Text, result.Notes)
		}
	}
}
