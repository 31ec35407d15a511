package main

import (
	"fmt"
	"strings"
)

// generatedProgram is one of the corpus that is made of a correct program, by a change of its
// directives, and of what the host does beside its kernels.
type generatedProgram struct {
	name, text string
	plants     string // the rule that is to find the change; "": none
	needs      needs
	hash       bool   // it is recorded with hashes
	missed     bool   // that rule is known not to find it
	silent     string // the rule that is to find nothing
	fails      bool   // it ends with an error
	right      string // the text whose results a patch is to give, where the program's own are by chance; "": its own
}

// storage is how a program of C or C++ has its arrays: what stands before main and in it, and a
// clause's items of a, b, c and d.
type storage struct{ name, outside, inside, a, b, c, d string }

var storages = []storage{
	{"static", "static double a[N], b[N], c[N], d[N];", "", "a", "b", "c", "d"},
	{"heap", "", "double *a = (double *) malloc (N * sizeof (double)), *b = (double *) malloc (N * sizeof (double)), *c = (double *) malloc (N * sizeof (double)), *d = (double *) malloc (N * sizeof (double));", "a[0:N]", "b[0:N]", "c[0:N]", "d[0:N]"},
}

// change is a change of the directives: of the region around the loop of steps, the one in it, and
// of the clauses of both kernels.
type change struct {
	name, plants, around, within, first, second, behind string
	hash                                                bool // only hashes tell
	static                                              bool // arrays of a known size alone
}

var changes = []change{
	{name: "kept", around: "data copy(@a) create(@b) copyin(@c)", first: "present(@a, @b, @c) async(1)", second: "present(@a, @b) async(1)", behind: "wait(1)"},
	{name: "synchronous", plants: "synchronous-construct", around: "data copy(@a) create(@b) copyin(@c)", first: "present(@a, @b, @c)", second: "present(@a, @b)"},
	{name: "half", around: "data copy(@a) create(@b) copyin(@c)", first: "present(@a, @b, @c)", second: "present(@a, @b) async(1)", behind: "wait(1)"},
	{name: "hoisted", plants: "mapped-in-loop", first: "copyin(@a, @c) copyout(@b)", second: "copyin(@b) copy(@a)"},
	{name: "moved", plants: "mapped-in-loop", within: "data copy(@a) create(@b) copyin(@c)", first: "present(@a, @b, @c)", second: "present(@a, @b)"},
	{name: "weakened", plants: "mapped-in-loop", around: "data copyin(@c)", first: "copy(@a) copy(@b) present(@c)", second: "copy(@b) copy(@a)"},
	{name: "implicit", plants: "implicit-transfer", static: true},
	{name: "unused", plants: "unused-transfer", around: "data copy(@a) create(@b) copyin(@c, @d)", first: "present(@a, @b, @c) async(1)", second: "present(@a, @b) async(1)", behind: "wait(1)"},
	{name: "brought", plants: "unused-transfer", hash: true, around: "data copy(@a, @c) create(@b)", first: "present(@a, @b, @c) async(1)", second: "present(@a, @b) async(1)", behind: "wait(1)"},
	{name: "updated", plants: "repeated-transfer", hash: true, around: "data copy(@a) create(@b) copyin(@c)", within: "update device(@c)", first: "present(@a, @b, @c) async(1)", second: "present(@a, @b) async(1)", behind: "wait(1)"},
}

// companion is what else a program does: for host code in each step, with what it needs before main
// and before the loop, and what a kernel writes in place of an element of a.
type companion struct {
	name, outside, before, host, element string
	alike                                bool // the data are used, so that no rule has to find anything
	cpp                                  bool // it is C++
}

var companions = []companion{
	{name: "nothing"},
	{name: "own", before: "double own[3] = { 1, 2, 3 };", host: "own[s % 3] += s; sum += own[0];"},
	{name: "reads", host: "sum += a[7];", alike: true},
	{name: "writes", host: "a[s] += 1;", alike: true},
	{name: "pointer", before: "double *p = a;", host: "p[s] += 1;", alike: true},
	{name: "member", outside: "struct grid { double *u; };", before: "struct grid g; g.u = a;", host: "g.u[3] += 1;", alike: true},
	{name: "given", outside: "static void touch (double *x, int s) { x[s] += 1; }", host: "touch (a, s);", alike: true},
	{name: "kept-address", outside: "static double *kept; static void keep (double *x) { kept = x; } static void touch (int s) { kept[s] += 1; }", before: "keep (a);", host: "touch (s);", alike: true},
	{name: "macro", outside: "#define FIRST a[0]", host: "FIRST += 1;", alike: true},
	{name: "branch", host: "if (s == steps - 1) sum += a[5];", alike: true},
	{name: "never", host: "if (s == 1000) a[5] = 1;", alike: true},
	{name: "ends", host: "if (s == 15) break;"},
	{name: "copied", outside: "#include <string.h>\nstatic double image[N];", host: "memcpy (image, a, sizeof image); sum += image[4];", alike: true},
	{name: "kernel-macro", outside: "#define SET(x) a[i] = (x)", element: "SET (b[i] * 0.5 + a[i] * 0.25);"},
	{name: "kernel-access", outside: "#define A(i) a[i]", element: "A (i) = b[i] * 0.5 + A (i) * 0.25;"},
	{name: "routine", outside: "#pragma acc routine seq\nstatic void set (double *x, int i, double v) { x[i] = v; }", element: "set (a, i, b[i] * 0.5 + a[i] * 0.25);"},
	{name: "reference", before: "double &first = a[0];", host: "first += 1;", alike: true, cpp: true},
	{name: "lambda", before: "auto touch = [&] { a[0] += 1; };", host: "touch ();", alike: true, cpp: true},
	{name: "kernel-reference", element: "double &x = a[i]; x = b[i] * 0.5 + x * 0.25;", cpp: true},
}

// generated are the programs of each change with each of what is beside it, each with one kind of
// storage and in one language, by turns; and those of Fortran.
func generated() (list []generatedProgram) {
	for i, c := range changes {
		for k, b := range companions {
			s := storages[(i+k)%len(storages)]
			if c.static {
				s = storages[0]
			}
			language := ".c"
			if b.cpp || (i+k)%3 == 0 {
				language = ".cpp"
			}
			plants := c.plants
			if b.alike {
				plants = ""
			}
			list = append(list, generatedProgram{name: fmt.Sprintf("%s-%s-%s%s", c.name, b.name, s.name, language), text: programC(c, b, s), plants: plants, hash: c.hash})
		}
	}
	for _, c := range changes {
		for _, b := range fortranCompanions {
			plants := c.plants
			if b.alike {
				plants = ""
			}
			list = append(list, generatedProgram{name: fmt.Sprintf("%s-%s.f90", c.name, b.name), text: programFortran(c, b), plants: plants, hash: c.hash, missed: c.name == "unused"}) // of allocatables the runtime does not tell it
		}
	}
	return list
}

func programC(c change, b companion, s storage) string {
	directive := func(text string) string {
		if text == "" {
			return ""
		}
		return "#pragma acc " + strings.NewReplacer("@a", s.a, "@b", s.b, "@c", s.c, "@d", s.d).Replace(text)
	}
	element := b.element
	if element == "" {
		element = "a[i] = b[i] * 0.5 + a[i] * 0.25;"
	}
	return strings.Join([]string{"#include <stdio.h>", "#include <stdlib.h>", "#define N 20000", s.outside, b.outside, "int main (void)", "{", "  int steps = 20;", "  double sum = 0;", s.inside,
		"  for (int i = 0; i < N; i++)", "    {", "      a[i] = i % 17;", "      b[i] = 0;", "      c[i] = i % 5;", "      d[i] = i % 3;", "    }", b.before,
		directive(c.around), "  for (int s = 0; s < steps; s++)", "    {", directive(c.within), "      {",
		directive("parallel loop " + c.first), "        for (int i = 0; i < N; i++)", "          b[i] = a[N - 1 - i] * 0.5 + c[i];",
		directive("parallel loop " + c.second), "        for (int i = 0; i < N; i++)", "          {", "            " + element, "          }", directive(c.behind), "      }",
		"      " + b.host, "    }", `  printf ("%.17g %.17g %.17g\n", a[3], a[N - 2], sum);`, "}", ""}, "\n")
}

var fortranCompanions = []companion{
	{name: "nothing"},
	{name: "reads", host: "total = total + a(7)", alike: true},
	{name: "writes", host: "a(s) = a(s) + 1", alike: true},
	{name: "called", host: "call touch", outside: "contains\nsubroutine touch\n a(3) = a(3) + 1\nend subroutine", alike: true},
	{name: "pointed", before: "p => a", host: "p(2) = 1", alike: true},
	{name: "never", host: "if (s == 1000) a(5) = 1", alike: true},
	{name: "ends", host: "if (s == 15) exit"},
}

func programFortran(c change, b companion) string {
	directive := func(text string) string {
		if text == "" {
			return ""
		}
		return "!$acc " + strings.NewReplacer("@a", "a", "@b", "b", "@c", "c", "@d", "d").Replace(text)
	}
	end := func(text string) string {
		if !strings.HasPrefix(text, "data") {
			return ""
		}
		return "!$acc end data"
	}
	attribute := ""
	if strings.Contains(b.before, "=>") {
		attribute = ", target"
	}
	return strings.Join([]string{"program steps", "  implicit none", "  integer, parameter :: n = 20000", "  real(8), allocatable" + attribute + " :: a(:), b(:), c(:), d(:)", "  real(8), pointer :: p(:)", "  integer :: s, i", "  real(8) :: total",
		"  allocate (a(n), b(n), c(n), d(n))", "  total = 0", "  b = 0", "  do i = 1, n", "     a(i) = mod(i, 17)", "     c(i) = mod(i, 5)", "     d(i) = mod(i, 3)", "  end do", "  " + b.before,
		directive(c.around), "  do s = 1, 20", directive(c.within),
		directive("parallel loop " + c.first), "     do i = 1, n", "        b(i) = a(n + 1 - i) * 0.5d0 + c(i)", "     end do",
		directive("parallel loop " + c.second), "     do i = 1, n", "        a(i) = b(i) * 0.5d0 + a(i) * 0.25d0", "     end do", directive(c.behind), end(c.within),
		"     " + b.host, "  end do", end(c.around), "  print '(3es25.17)', a(3), a(n - 1), total", b.outside, "end program steps", ""}, "\n")
}
