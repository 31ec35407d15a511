package advice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/report"
)

// sourceOf writes a source file, and gives its path and the numbers of the lines that hold words.
func sourceOf(t *testing.T, name, text string) (path string, line func(words string) int64) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func(words string) int64 {
		for i, l := range strings.Split(text, "\n") {
			if strings.Contains(l, words) {
				return int64(i + 1)
			}
		}
		t.Fatalf("no line has %q", words)
		return 0
	}
}

// TestSurroundOf: data stay on the device around a loop only where nothing in it may use them on
// the host, by whatever name.
func TestSurroundOf(t *testing.T) {
	const kernel = "#pragma acc parallel loop copy(a[0:n])\n for (int i = 0; i < n; i++) a[i] += 1;\n"
	loop := func(host string) string {
		return "for (int s = 0; s < 20; s++) {\n" + kernel + host + "\n}\n}\n"
	}
	const region = "data copy(a[0:n])"
	for _, test := range []struct{ name, text, want string }{
		{"plain", "void f(double *a, int n) {\n" + loop(""), region},
		{"scalar", "void f(double *a, int n, double *sum) {\ndouble s2 = 0, own[3];\n" + loop("s2 += 1; own[1] = s2;"), region},
		{"member", "struct g { double *u; };\nvoid f(struct g *g, int n) {\ndouble *a = malloc(n * 8);\ng->u = a;\n" + loop("g->u[0] = 1;"), "a has another name, too: line 4"},
		{"kept", "void keep(double *);\nvoid f(int n) {\ndouble *a = malloc(n * 8);\ndouble *b = kept();\nkeep(a);\n" + loop("b[0] = 1;"), "b may be the same data"},
		{"fresh", "void keep(double *);\nvoid f(int n) {\ndouble *a = malloc(n * 8), *b = malloc(n * 8);\nkeep(a);\n" + loop("b[0] = 1;"), region},
		{"parameter", "void f(double *a, double *b, int n) {\n" + loop("*b = 1;"), "b may be the same data"},
		{"parameter's member", "void f(double *a, struct g *g, int n) {\n" + loop("x += g->u[3];"), "g may be the same data"},
		{"global", "double a[100], *p = a;\nint n = 100;\nvoid f(void) {\n" + loop("p[0] = 1;"), "the host uses p"},
		{"global elsewhere", "double a[100], *p;\nint n = 100;\nvoid set(void) {\n p = a;\n}\nvoid f(void) {\n" + loop("p[0] = 1;"), "the host uses p"},
		{"macro", "#define FIRST a[0]\nvoid f(double *a, int n) {\n" + loop("FIRST = 1;"), "the host uses a"},
		{"nested macro", "#define F(i) a[i]\n#define SET(v) \\\n F(0) = v\nvoid f(double *a, int n) {\n" + loop("SET(1);"), "the host uses a"},
		{"macro's parameter", "#define MAX(a, b) ((a) > (b) ? (a) : (b))\nvoid f(double *a, int n) {\nint k = 0;\n" + loop("k = MAX(k, s);"), region},
		{"row", "double a[100][3];\nint n = 100;\nvoid f(void) {\ndouble *row = a[3];\n" + loop("row[0] = 1;"), "the host uses row"},
		{"value", "double a[100];\nint n = 100;\nvoid f(void) {\ndouble first = a[3];\n" + loop("first += 1;"), region},
		{"another's row", "double a[100];\nint n = 100;\nvoid g(double *first) {\n first[1] = 2;\n}\nvoid f(void) {\ndouble first = a[3];\n" + loop("first += 1;"), region},
		{"given", "double a[100];\nint n = 100;\ndouble *get(void) {\n return a;\n}\nvoid f(void) {\ndouble *p = get();\n" + loop("p[0] = 1;"), "the host uses p"},
		{"given of another", "double a[100], b[9];\nint n = 100;\ndouble *get(void) {\n return b;\n}\nvoid f(void) {\ndouble *p = get();\n" + loop("p[0] = 1;"), region},
		{"by a pointer to a function", "double a[100];\nvoid (*hook)(int);\nvoid f(int n) {\n" + loop("(*hook)(s);"), "hook at line 7 may use the data"},
		{"by a table of functions", "double a[100];\nvoid (*hooks[3])(int);\nvoid f(int n) {\n" + loop("hooks[1](s);"), "hooks at line 7 may use the data"},
		{"included", "void f(double *a, int n) {\n" + loop("#include \"host.h\""), "another file is included in it"},
		{"a function with a library's name", "static double a[100];\nint n = 100;\nvoid print(int s) {\n printf(\"%g\", a[s]);\n}\nvoid f(void) {\n" + loop("print(s);"), "print at line 10 uses a"},
		{"a function with an intrinsic's name", "extern double a[100];\ndouble sum(void);\nvoid f(int n) {\ndouble t = 0;\n" + loop("t += sum();"), "sum at line 8 may use the data"},
		{"a function that swaps contents", "void swap(double *, double *);\nvoid f(double *a, double *b, int n) {\n" + loop("swap(a, b);"), "the host uses"},
		{"a macro that swaps", "#define swap(x, y) { double *t = x; x = y; y = t; }\nvoid f(double *a, double *b, int n) {\n" + loop("swap(a, b);"), "b takes turns with the data, and how large it is"},
		{"an array with an intrinsic's name", "static double a[100], sum[9];\nint n = 100;\nvoid f(void) {\n" + loop("sum[s % 9] += 1;"), region},
		{"another part", "void f(double *a, int n) {\n" + loop("#pragma acc parallel loop copyin(a[0:2 * n])\nfor (int i = 0; i < n; i++) x += a[n + i];"), "the directive at line 5 has another part of a"},
		{"the same part", "void f(double *a, int n) {\n" + loop("#pragma acc parallel loop copyin(a[0 : n])\nfor (int i = 0; i < n; i++) b[i] = a[i];"), region},
		{"macro that counts", "#define MORE n++\nvoid f(double *a, int n) {\n" + loop("MORE;"), "n may be changed"},
	} {
		path, line := sourceOf(t, "f.c", test.text)
		f := &Finding{}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).surround(f, "a")
		if why := f.NoPatch; test.want == region && (why != "" || !strings.HasSuffix(got, region)) || test.want != region && !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, %s; want %s", test.name, why, got, test.want)
		}
	}
}

// TestSurroundOfCPP: what C++ does where no call is written, and by objects that stand for the data.
func TestSurroundOfCPP(t *testing.T) {
	const kernel = "#pragma acc parallel loop copy(a[0:n])\n for (int i = 0; i < n; i++) a[i] += 1;\n"
	loop := func(host string) string {
		return "for (int s = 0; s < 20; s++) {\n" + kernel + host + "\n}\n}\n"
	}
	const region, own = "data copy(a[0:n])", "double *a = new double[n];\n"
	const global = "static double a[100];\nstatic const int n = 100;\n"
	for _, test := range []struct{ name, text, want string }{
		{"view", "void f(int n) {\n" + own + "View v(a, n);\n" + loop("v[s] = 1;"), "the host uses v"},
		{"view in braces", "void f(int n) {\n" + own + "View v{a, n};\n" + loop("v(s) = 1;"), "the host uses v"},
		{"list", "void f(int n) {\n" + own + "std::vector<double *> v;\nv.push_back(a);\n" + loop("v[0][s] = 1;"), "the host uses v"},
		{"another's view", "void f(int n) {\n" + own + "double *b = new double[n];\nView v(b, n);\n" + loop("v[s] = 1;"), region},
		{"constructor", global + "struct T { T() { a[3] += 1; } };\nvoid f() {\n" + loop("T t;"), "T at line 8 uses a"},
		{"destructor", global + "struct T { ~T() { a[3] += 1; } };\nvoid f() {\n" + loop("T t;"), "T at line 8 uses a"},
		{"other constructor", global + "struct T { int k; T() { k = 1; } };\nvoid f() {\n" + loop("T t;"), region},
		{"operator", global + "struct L {};\nL &operator<<(L &l, int s) { a[s] += 1; return l; }\nvoid f() {\nL l;\n" + loop("l << s;"), "an operator of the file uses a"},
		{"throws", global + "void check(int s) { if (s > 9) throw s; }\nvoid f() {\n" + loop("check(s);"), "check at line 8 may throw"},
		{"the same object", "struct G { double *a; int n; void f(G *g) {\n" + loop("g->a[s] += 1;") + "};\n", "the host uses a"},
		{"its member's pointer", "struct G { double *a; int n; void f(G *g) {\ndouble *p = g->a;\n" + loop("p[s] += 1;") + "};\n", "the host uses p"},
		{"the same object, in lines", "struct G {\n double *a;\n int n;\n void f(G *g) {\n" + loop("g->a[s] += 1;") + "};\n", "the host uses a"},
		{"a name of another's member", global + "struct G {\n double *a;\n};\nvoid f(G *g) {\n" + loop("g->a[s] += 1;"), region},
		{"another member", "struct G { double *a; int n, k; void f(G *g) {\n" + loop("g->k += 1;") + "};\n", region},
	} {
		path, line := sourceOf(t, "f.cpp", test.text)
		f := &Finding{}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).surround(f, "a")
		if why := f.NoPatch; test.want == region && (why != "" || !strings.HasSuffix(got, region)) || test.want != region && !strings.Contains(why, test.want) {
			t.Errorf("%s: %q, %s; want %s", test.name, why, got, test.want)
		}
	}
}

// TestSurroundOfCalls: a region where a procedure is called holds what it is called with, if that is
// what its directive maps.
func TestSurroundOfCalls(t *testing.T) {
	const kernel = "integer :: n, i\nreal(8) :: x(n)\n!$acc parallel loop copy(x)\ndo i = 1, n\nx(i) = x(i) + 1\nend do\nend subroutine\n"
	const inner = "contains\nsubroutine inner(a)\nreal(8) :: a(:)\na(1) = 1\nend subroutine\n"
	for _, test := range []struct{ name, file, text, want string }{
		{"sized", "f.f90", "integer :: n, s\nreal(8) :: a(n)", ""},
		{"allocatable", "f.f90", "integer :: n, s\nreal(8), allocatable :: a(:)", ""},
		{"contiguous", "f.f90", "integer :: n, s\nreal(8), contiguous :: a(:)", ""},
		{"in pieces", "f.f90", "integer :: n, s\nreal(8) :: a(:)", "a may not lie in one piece in run"},
		{"in pieces, by dimension", "f.f90", "integer :: n, s\nreal(8), dimension(:) :: a", "a may not lie in one piece in run"},
		{"unsized", "f.f90", "integer :: n, s\nreal(8) :: a(2, *)", "a has no known size in run"},
		{"another", "f.f90", "integer :: n, s\nreal(8) :: a(n), b(*)", ""},
		{"with another in it", "f.f90", "integer :: n, s\nreal(8) :: a(n)", ""},
		{"shadowed", "f.c", "int n = 20;", "n is something else in run"},
		{"global", "f.c", "int k = 20;", ""},
	} {
		text := "subroutine step(x, n)\n" + kernel + "subroutine run(a, n)\n" + test.text + "\ndo s = 1, 20\ncall step(a, n)\nend do\nend subroutine\n"
		if test.name == "with another in it" {
			text = strings.TrimSuffix(text, "end subroutine\n") + inner + "end subroutine\n"
		}
		if test.file == "f.c" {
			text = "int n = 100;\nvoid step(double *x) {\n#pragma acc parallel loop copy(x[0:n])\nfor (int i = 0; i < n; i++) x[i] += 1;\n}\nvoid run(double *a) {\n" + test.text + "\nfor (int s = 0; s < 20; s++)\nstep(a);\n}\n"
		}
		path, line := sourceOf(t, test.file, text)
		f := &Finding{}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("parallel loop")).surround(f, "x")
		if test.want == "" && f.NoPatch != "" || !strings.Contains(f.NoPatch, test.want) {
			t.Errorf("%s: %q, %s", test.name, f.NoPatch, got)
		}
	}
}

// TestSurroundsCopyin: what a kernel may write, directly or not, does not stay in copyin.
func TestSurroundsCopyin(t *testing.T) {
	for _, test := range []struct{ name, before, body, want string }{
		{"read", "", "b[i] = a[i];", "copyin(a[0:n])"},
		{"member", "", "a[i].x = 1;", ""},
		{"macro", "#define SET(i) a[i] = 1", "SET(i);", ""},
		{"by a macro", "#define A(i) a[i]", "A(i) = 1;", ""},
		{"macro's argument", "#define SET(x, y) x = (y)", "SET(b[i], a[i]);", "copyin(a[0:n])"},
		{"macro's result", "#define SET(x, y) x = (y)\n#define BOTH(x, y) SET(y, x)", "BOTH(b[i], a[i]);", ""},
		{"macro that reads", "#define A(i) a[i]", "b[i] = A(i);", "copyin(a[0:n])"},
		{"routine", "", "change(a, i);", ""},
		{"routine's reading", "#define SQUARE(x) ((x) * (x))", "b[i] = SQUARE(a[i]);", "copyin(a[0:n])"},
		{"reference", "", "auto &x = a[i]; x = 1;", ""},
		{"pointer", "", "double *p = &a[i]; *p = 1;", ""},
	} {
		path, line := sourceOf(t, "f.cpp", test.before+"\nvoid f(int n) {\ndouble *a = new double[n], *b = new double[n];\nfor (int s = 0; s < 20; s++) {\n"+
			"#pragma acc parallel loop copyin(a[0:n]) copy(b[0:n])\nfor (int i = 0; i < n; i++) { "+test.body+" }\n}\n}\n")
		f := &Finding{}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).surround(f, "a")
		if test.want == "" && !strings.Contains(f.NoPatch, "writes a under copyin") || test.want != "" && !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: %q, %s", test.name, f.NoPatch, got)
		}
	}
}

// TestSurroundOfFortran: a call without parentheses, and a name that a module's variable has
// here, may use the data.
func TestSurroundOfFortran(t *testing.T) {
	for _, test := range []struct{ name, use, host, want string }{
		{"plain", "", "", "data copy(a)"},
		{"call", "", "call change", "at line 11"},
		{"renamed", "use fields, only: b => a", "b(1) = 1", "a may have another name"},
		{"clock", "", "call system_clock(n)", "n may be changed"},
		{"namelist", "namelist /state/ a", "write (*, nml=state)", "a may have another name"},
		{"included", "", "include 'host.inc'", "include is at line 11"},
		{"included by the preprocessor", "", "#include \"host.inc\"", "include is at line 11"},
	} {
		path, line := sourceOf(t, "f.f90", "subroutine f(n)\n"+test.use+"\nuse fields\ninteger :: n, i, s\n\n\ndo s = 1, 20\n!$acc parallel loop copy(a(1:n))\n"+
			"do i = 1, n; a(i) = a(i) + 1; end do\n\n"+test.host+"\nend do\nend subroutine\n")
		f := &Finding{}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("!$acc")).surround(f, "a")
		if test.name == "plain" && f.NoPatch != "" || test.name != "plain" && !strings.Contains(f.NoPatch, test.want) {
			t.Errorf("%s: %q, %s", test.name, f.NoPatch, got)
		}
	}
}

// TestRowsOtherWays: a row of kernels gets no queue where another way through the program may
// use the device behind it.
func TestRowsOtherWays(t *testing.T) {
	const kernels = "#pragma acc parallel loop present(a) // 1\nfor (int i = 0; i < n; i++) a[i] += 1;\n#pragma acc parallel loop present(a) // 2\nfor (int i = 0; i < n; i++) a[i] *= 2;\n"
	const head, update = "double a[9];\nint n = 9;\n", "#pragma acc update self(a) // end\n"
	for _, test := range []struct{ name, text, want string }{
		{"straight", "int main(void) {\n" + kernels + update + "#pragma acc update self(a)\n}\n", ""},
		{"loop", "int main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "}\n" + update + "}\n", ""},
		{"branch", "int main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "if (s == 100) {\n#pragma acc update self(a)\nprintf(\"%g\", a[0]);\n}\n}\n" + update + "}\n", "the update at line 10 may follow"},
		{"before in the loop", "int main(void) {\nfor (int s = 0; s < 9; s++) {\nif (s == 100) {\n#pragma acc update device(a)\n}\n" + kernels + "}\n" + update + "}\n", "the update at line 6 may follow"},
		{"after a way out", "int main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "if (s == 100) break;\n" + update + "}\n#pragma acc update device(a)\n}\n", "the update at line 12 may follow"},
		{"in a case", "int main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "switch (s) {\ncase 1:\n" + update + "break;\ncase 20:\n#pragma acc update device(a)\n}\n}\n}\n", "the update at line 14 may follow"},
		{"call", "void show(void) {\n#pragma acc update self(a)\n}\nint main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "if (s == 100) show();\n}\n" + update + "}\n", "the update at line 4 may follow"},
		{"call that waits", "void show(void) {\n" + update + "}\nint main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "show();\n}\n#pragma acc update device(a)\n}\n", ""},
		{"stranger", "int main(void) {\nfor (int s = 0; s < 9; s++) {\n" + kernels + "if (s == 100) show();\n}\n" + update + "}\n", "what show, called at line 9, does"},
		{"caller", "void step(void) {\n" + kernels + "}\nint main(void) {\nfor (int s = 0; s < 9; s++) {\nstep();\nif (s == 100) {\n#pragma acc exit data copyout(a)\n}\n}\n" + update + "}\n", "the exit data at line 13 may follow"},
		{"caller's update", "void step(void) {\n" + kernels + "}\nint main(void) {\nfor (int s = 0; s < 9; s++) {\nstep();\n}\n" + update + "}\n", ""},
		{"region", "int main(void) {\n#pragma acc data copy(a)\n{\n" + kernels + update + "}\n}\n", ""},
		{"region's end", "int main(void) {\n#pragma acc data copy(a)\n{\n" + kernels + "if (n > 8) {\n" + update + "}\n}\n}\n", "the data region at line 4 may end next"},
		{"program elsewhere", "void step(void) {\n" + kernels + "}\nvoid all(void) {\nstep();\n" + update + "}\n", "what calls step is not known"},
		{"program elsewhere, static", "static void step(void) {\n" + kernels + "}\nvoid all(void) {\nstep();\n" + update + "}\n", ""},
		{"no caller", "void step(void) {\n" + kernels + "}\n", "what calls step is not known"},
		{"on the host", "int main(void) {\n" + strings.Replace(kernels, "present(a) // 2", "present(a) if(n > 2)", 1) + update + "}\n", "the construct at line 6 may run on the host"},
	} {
		path, line := sourceOf(t, "f.c", head+test.text)
		row := &kernelRow{sources: report.SourcesAt(time.Time{}), files: []string{path}}
		first := line("parallel loop present(a) // 1")
		for _, at := range []int64{first, first + 2} {
			c := &rowConstruct{constructPlace: constructPlace{file: path, line: at}, ends: map[rowEnd]bool{}}
			if strings.Contains(test.text, "// end") {
				c.ends[rowEnd{what: "the update", at: constructPlace{file: path, line: line("// end")}}] = true
			}
			row.constructs = append(row.constructs, &queuedConstruct{rowConstruct: c})
		}
		if got := row.missed(); test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestUnlessUsed: a transfer that the run did not need stays where a construct that it did not
// reach may need it.
func TestUnlessUsed(t *testing.T) {
	for _, test := range []struct{ name, other, want string }{
		{"none", "", ""},
		{"by name", "if (n > 100) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) a[i] = 1;\n}\n", "the construct at line 6 of f.c, which the run did not reach, may use it"},
		{"in a clause", "if (n > 100) {\n#pragma acc serial present(a)\n{\n}\n}\n", "the construct at line 6"},
		{"something else", "if (n > 100) {\n#pragma acc parallel loop\nfor (int i = 0; i < n; i++) b[i] = 1;\n}\n", ""},
		{"elsewhere", "}\n}\nvoid g(double *c) {\n{\n#pragma acc parallel loop\nfor (int i = 0; i < 9; i++) c[i] = 1;\n", "the construct at line 9"},
	} {
		path, line := sourceOf(t, "f.c", "double a[9], b[9];\nvoid f(int n) {\n#pragma acc data copyin(a)\n{\n"+test.other+"}\n}\n")
		d := directiveAt(report.SourcesAt(time.Time{}), path, line("acc data"))
		d.run = &shown{files: []string{path}, places: map[constructPlace]bool{{file: path, line: line("acc data")}: true}}
		f := &Finding{Variable: "a"}
		d.exchange(f, notSent)
		d.unlessUsed(f)
		if test.want == "" && (len(f.Edits) != 1 || f.NoPatch != "") || !strings.HasPrefix(f.NoPatch, test.want) {
			t.Errorf("%s: %q, edits %v", test.name, f.NoPatch, f.Edits)
		}
		if test.other == "" {
			continue
		}
		for _, words := range []string{"parallel loop", "serial"} {
			if strings.Contains(test.other, words) {
				d.run.places[constructPlace{file: path, line: line(words)}] = true
			}
		}
		f = &Finding{Variable: "a"}
		d.exchange(f, notSent)
		if d.unlessUsed(f); f.NoPatch != "" {
			t.Errorf("%s: %q, though it was reached", test.name, f.NoPatch)
		}
	}
}

// TestUpdateOnce: an update of what nothing changes comes before its loop, also where kernels of a
// queue read it, unless something in the loop comes before it.
func TestUpdateOnce(t *testing.T) {
	const update = "#pragma acc update device(c)\n"
	kernel := func(body string) string {
		return "#pragma acc parallel loop present(a, c) async(1)\nfor (int i = 0; i < 9; i++) " + body + "\n"
	}
	for _, test := range []struct{ name, loop, want string }{
		{"first", update + kernel("a[i] += c[i];"), ""},
		{"behind a wait", "#pragma acc wait(1)\n" + update + kernel("a[i] += c[i];"), "may use c on the host, or later than it ends"},
		{"written", update + kernel("c[i] += a[i];"), "a construct in the loop writes c"},
		{"changed", update + kernel("a[i] += c[i];") + "if (s > 100) c[0] = s;\n", "the host uses c"},
	} {
		path, line := sourceOf(t, "f.c", "double a[9], c[9];\nint main(void) {\nfor (int s = 0; s < 9; s++) {\n"+test.loop+"}\n}\n")
		f := &Finding{Variable: "c"}
		got := directiveAt(report.SourcesAt(time.Time{}), path, line("acc update")).updateOnce(f)
		if test.want == "" && (len(f.Edits) != 2 || got != "before the loop at line 3, not in it: #pragma acc update device(c)") || !strings.Contains(f.NoPatch, test.want) {
			t.Errorf("%s: %q, %s", test.name, f.NoPatch, got)
		}
	}
}

// TestRestores: what a construct copies both ways and nothing in it writes comes back as it was.
func TestRestores(t *testing.T) {
	for _, test := range []struct {
		directive, body string
		want            bool
	}{
		{"data copy(a)", "b[0] = a[1];", true}, {"data copy(a)", "a[0] = 1;", false}, {"data copy(a)", "work();", false},
		{"data create(b) copyout(a)", "", false}, {"enter data copyin(a)", "", false},
	} {
		path, line := sourceOf(t, "f.c", "double a[9], b[9];\nvoid work(void);\nint main(void) {\n#pragma acc "+test.directive+"\n{\n"+test.body+"\n}\n}\n")
		if got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).restores("a"); got != test.want {
			t.Errorf("%s with %s: %v", test.directive, test.body, got)
		}
	}
}

// TestHostChanges: the host's writes in the loops around an update count, by other names, too; its
// reading does not.
func TestHostChanges(t *testing.T) {
	for _, test := range []struct{ before, host, want string }{
		{"", "printf(\"%g\", a[0]);", ""}, {"", "if (s > 100) a[0] = 1;", "the host may change a at line 5"}, {"", "set(a);", "the host may change a at line 5"}, {"", "set();", "the host may change a at line 5"},
		{"double *p = a;", "if (s > 100) p[0] = 1;", "the host may change p at line 5"}, {"double *p = a;", "x = p[0];", ""},
		{"keep(a);", "q[0] = 1;", "q may be the same data at line 5"}, {"double own[3];", "own[0] = 1;", ""},
	} {
		path, line := sourceOf(t, "f.c", "double a[9], *q;\nint main(void) {\n"+test.before+"\nfor (int s = 0; s < 9; s++) {\n"+test.host+"\n#pragma acc update device(a)\n}\n}\n")
		if got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).hostChanges("a"); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.before, test.host, got, test.want)
		}
	}
}

// TestKernelWrites: what kernels write counts by whatever name, also where it is written in what they call.
func TestKernelWrites(t *testing.T) {
	const loop = "#pragma acc parallel loop\nfor (int i = 0; i < 9; i++) "
	for _, test := range []struct {
		name, outside, kernel string
		want                  int
	}{
		{"reads", "", loop + "b[i] = c[i];", 0},
		{"writes", "", loop + "c[i] = b[i];", 5},
		{"macro", "#define SET(x) if (x > 9) c[i] = x", loop + "SET(b[i]);", 5},
		{"routine", "void maybe(double *x, int i);", loop + "maybe(c, i);", 5},
		{"routine's other", "void maybe(double x, int i);", loop + "maybe(b[i], i);", 0},
		{"passed", "void step(double *x, double *y) {\n" + loop + "x[i] = y[i];\n}\n", "step(c, b);", 3},
		{"passed to read", "void step(double *x, double *y) {\n" + loop + "x[i] = y[i];\n}\n", "step(b, c);", 0},
		{"passed on", "void step(double *x) {\n" + loop + "x[i] = 1;\n}\nvoid more(double *y) {\n step(y);\n}\n", "more(c);", 3},
		{"elsewhere", "static double c[9];\nvoid step(void) {\n" + loop + "c[i] = 1;\n}\n", "step();", 4},
	} {
		declared := "double b[9], c[9];\n"
		if strings.Contains(test.outside, "double c[9]") {
			declared = "double b[9];\n"
		}
		path, line := sourceOf(t, "f.c", test.outside+"\nint main(void) {\n"+declared+test.kernel+"\n#pragma acc update self(c)\n}\n")
		d := directiveAt(report.SourcesAt(time.Time{}), path, line("acc update"))
		d.run = &shown{files: []string{path}}
		if got := d.kernelWrites("c"); got != test.want {
			t.Errorf("%s: line %d, want %d", test.name, got, test.want)
		}
	}
}

// TestAskedFor: what is on the device is not left out where the program asks whether it is.
func TestAskedFor(t *testing.T) {
	for asked, want := range map[string]int{"": 0, "if (acc_is_present(d, 8)) a[0] = 1;": 5, "if (acc_is_present(a, 8)) a[0] = 1;": 0} {
		path, line := sourceOf(t, "f.c", "double a[9], d[9];\nint main(void) {\n#pragma acc data copyin(d)\n{\n"+asked+"\n}\n}\n")
		if got := directiveAt(report.SourcesAt(time.Time{}), path, line("#pragma")).namedElsewhere("d"); got != want {
			t.Errorf("%s: line %d, want %d", asked, got, want)
		}
	}
}
