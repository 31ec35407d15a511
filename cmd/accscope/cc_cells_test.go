package main

import (
	"fmt"
	"strings"
)

// cellClause is a clause, or a form of one, as a program has it that tells whether it is there.
type cellClause struct {
	name       string
	c, fortran string // "" where the language has none
	present    bool   // its data are on the device before, and after
}

// The clauses of OpenACC 3.3 chapter 2 in their forms. Of the programs' variables a and b are
// arrays of 16 integers, p points to 16 integers, s is a structure with a member x and an
// array v, n is 16 and yes is true.
var (
	queueClauses = []cellClause{
		{name: "async", c: "async", fortran: "async"},
		{name: "async(n)", c: "async(1)", fortran: "async(1)"},
		{name: "wait", c: "wait", fortran: "wait"},
		{name: "wait(n)", c: "wait(1, 2)", fortran: "wait(1, 2)"},
		{name: "wait(queues:)", c: "wait(queues: 1)", fortran: "wait(queues: 1)"},
		{name: "wait(devnum:)", c: "wait(devnum: 0: 1)", fortran: "wait(devnum: 0: 1)"},
		{name: "wait(devnum:queues:)", c: "wait(devnum: 0: queues: 1, 2)", fortran: "wait(devnum: 0: queues: 1, 2)"},
	}
	ifClause    = cellClause{name: "if", c: "if(yes)", fortran: "if (yes)"}
	dataClauses = []cellClause{
		{name: "copy", c: "copy(b)", fortran: "copy(b)"},
		{name: "copy of a section", c: "copy(p[0:n])", fortran: "copy(b(1:n))"},
		{name: "copy of a member", c: "copy(s.v[0:4])", fortran: "copy(s%v)"},
		{name: "copy, twice", c: "copy(b, b)", fortran: "copy(b, b)"},
		{name: "copyin", c: "copyin(b)", fortran: "copyin(b)"},
		{name: "copyin(readonly:)", c: "copyin(readonly: b)", fortran: "copyin(readonly: b)"},
		{name: "copyin and copyout", c: "copyin(b) copyout(b)", fortran: "copyin(b) copyout(b)"},
		{name: "copyout", c: "copyout(b)", fortran: "copyout(b)"},
		{name: "copyout(zero:)", c: "copyout(zero: b)", fortran: "copyout(zero: b)"},
		{name: "create", c: "create(b)", fortran: "create(b)"},
		{name: "create(zero:)", c: "create(zero: b)", fortran: "create(zero: b)"},
		{name: "no_create", c: "no_create(b)", fortran: "no_create(b)"},
		{name: "present", c: "present(b)", fortran: "present(b)", present: true},
		{name: "deviceptr", c: "deviceptr(d)"},
		{name: "attach", c: "attach(p)", fortran: "attach(f)"},
		{name: "attach beside copyin", c: "copyin(p[0:n]) attach(p)", fortran: "copyin(f) attach(f)"},
	}
	defaultClauses = []cellClause{
		{name: "default(none)", c: "default(none) copy(a)", fortran: "default(none) copy(a)"},
		{name: "default(present)", c: "default(present)", fortran: "default(present)", present: true},
	}
	typeClause    = cellClause{name: "device_type", c: "device_type(nvidia) async(1) device_type(*) async(2)", fortran: "device_type(nvidia) async(1) dtype(*) async(2)"}
	selfClauses   = []cellClause{{name: "self", c: "self", fortran: "self"}, {name: "self(c)", c: "self(!yes)", fortran: "self(.not. yes)"}}
	sizeClauses   = []cellClause{{name: "num_gangs", c: "num_gangs(1)", fortran: "num_gangs(1)"}, {name: "num_workers", c: "num_workers(1)", fortran: "num_workers(1)"}, {name: "vector_length", c: "vector_length(32)", fortran: "vector_length(32)"}}
	gangsClause   = cellClause{name: "num_gangs(a, b)", c: "num_gangs(1, 1)", fortran: "num_gangs(1, 1)"}
	privateClause = []cellClause{{name: "private", c: "private(b)", fortran: "private(b)"}, {name: "private, twice", c: "private(n, n)", fortran: "private(n, n)"}}
	firstClause   = cellClause{name: "firstprivate", c: "firstprivate(n)", fortran: "firstprivate(n)"}
	reductions    = []cellClause{
		{name: "reduction", c: "reduction(+: total)", fortran: "reduction(+: total)"},
		{name: "reduction of an array", c: "reduction(+: b)", fortran: "reduction(+: b)"},
		{name: "reduction of a section", c: "reduction(+: p[0:4])", fortran: "reduction(+: b(1:4))"},
		{name: "reduction of a member", c: "reduction(+: s.x)", fortran: "reduction(+: s%x)"},
	}
	loopClauses = []cellClause{
		{name: "gang", c: "gang", fortran: "gang"},
		{name: "gang(num:)", c: "gang(num: 2)", fortran: "gang(num: 2)"},
		{name: "gang(static:)", c: "gang(static: 2)", fortran: "gang(static: 2)"},
		{name: "worker", c: "worker", fortran: "worker"},
		{name: "worker(n)", c: "worker(2)", fortran: "worker(2)"},
		{name: "vector", c: "vector", fortran: "vector"},
		{name: "vector(n)", c: "vector(32)", fortran: "vector(32)"},
		{name: "vector(length:)", c: "vector(length: 32)", fortran: "vector(length: 32)"},
		{name: "seq", c: "seq", fortran: "seq"},
		{name: "auto", c: "auto", fortran: "auto"},
		{name: "independent", c: "independent", fortran: "independent"},
		{name: "collapse", c: "collapse(1)", fortran: "collapse(1)"},
		{name: "collapse(force:)", c: "collapse(force: 1)", fortran: "collapse(force: 1)"},
		{name: "tile", c: "tile(4)", fortran: "tile(4)"},
		{name: "device_type", c: "device_type(nvidia) vector", fortran: "device_type(nvidia) vector"},
		{name: "private of a section", c: "private(b[0:2])", fortran: "private(b)"},
	}
	gangDim = cellClause{name: "gang(dim:)", c: "gang(dim: 1)", fortran: "gang(dim: 1)"}
)

// cellDirective is a directive with the clauses that it may have, and the form of its programs.
type cellDirective struct {
	name    string
	form    string // "block", "loop", "loop in parallel", ..., "alone", "procedure"
	clauses []cellClause
}

func joined(lists ...any) (all []cellClause) {
	for _, list := range lists {
		switch list := list.(type) {
		case cellClause:
			all = append(all, list)
		case []cellClause:
			all = append(all, list...)
		}
	}
	return all
}

var none = cellClause{name: "", c: " ", fortran: " "}

var cells = []cellDirective{
	{"parallel", "block", joined(none, queueClauses, sizeClauses, gangsClause, typeClause, ifClause, selfClauses, reductions, dataClauses, privateClause, firstClause, defaultClauses)},
	{"serial", "block", joined(none, queueClauses, typeClause, ifClause, selfClauses, reductions, dataClauses, privateClause, firstClause, defaultClauses)},
	{"kernels", "block", joined(none, queueClauses, sizeClauses, typeClause, ifClause, selfClauses, dataClauses, defaultClauses)},
	{"parallel loop", "loop", joined(none, queueClauses, sizeClauses, gangsClause, typeClause, ifClause, selfClauses, reductions, dataClauses, privateClause, firstClause, defaultClauses, loopClauses, gangDim)},
	{"serial loop", "loop", joined(none, queueClauses, typeClause, ifClause, selfClauses, reductions, dataClauses, privateClause, firstClause, defaultClauses, loopClauses)},
	{"kernels loop", "loop", joined(none, queueClauses, sizeClauses, typeClause, ifClause, selfClauses, reductions, dataClauses, privateClause, defaultClauses, loopClauses)},
	{"loop", "loop in parallel", joined(none, loopClauses, gangDim, privateClause, reductions)},
	{"data", "region", joined(queueClauses, typeClause, ifClause, dataClauses, defaultClauses)},
	{"enter data", "alone", []cellClause{
		{name: "copyin", c: "copyin(b)", fortran: "copyin(b)"}, {name: "create", c: "create(b)", fortran: "create(b)"},
		{name: "create(zero:)", c: "create(zero: b)", fortran: "create(zero: b)"}, {name: "copyin(readonly:)", c: "copyin(readonly: b)", fortran: "copyin(readonly: b)"},
		{name: "attach", c: "attach(p)", fortran: "attach(f)"}, {name: "if", c: "copyin(b) if(yes)", fortran: "copyin(b) if (yes)"},
		{name: "async", c: "copyin(b) async(1)", fortran: "copyin(b) async(1)"}, {name: "wait", c: "copyin(b) wait", fortran: "copyin(b) wait"},
		{name: "wait(queues:)", c: "copyin(b) wait(queues: 1)", fortran: "copyin(b) wait(queues: 1)"}, {name: "wait(devnum:)", c: "copyin(b) wait(devnum: 0: 1)", fortran: "copyin(b) wait(devnum: 0: 1)"},
	}},
	{"exit data", "alone", []cellClause{
		{name: "copyout", c: "copyout(b)", fortran: "copyout(b)", present: true}, {name: "delete", c: "delete(b)", fortran: "delete(b)", present: true},
		{name: "finalize", c: "delete(b) finalize", fortran: "delete(b) finalize", present: true}, {name: "detach", c: "detach(p)", fortran: "detach(f)"},
		{name: "if", c: "delete(b) if(yes)", fortran: "delete(b) if (yes)", present: true}, {name: "async", c: "delete(b) async(1)", fortran: "delete(b) async(1)", present: true},
		{name: "wait", c: "delete(b) wait(1)", fortran: "delete(b) wait(1)", present: true}, {name: "wait(queues:)", c: "delete(b) wait(queues: 1)", fortran: "delete(b) wait(queues: 1)", present: true},
		{name: "wait(devnum:)", c: "delete(b) wait(devnum: 0: 1)", fortran: "delete(b) wait(devnum: 0: 1)", present: true},
	}},
	{"host_data", "region", []cellClause{
		{name: "use_device", c: "use_device(b)", fortran: "use_device(b)", present: true}, {name: "if", c: "use_device(b) if(yes)", fortran: "use_device(b) if (yes)", present: true},
		{name: "if_present", c: "use_device(b) if_present", fortran: "use_device(b) if_present"},
	}},
	{"cache", "in loop", []cellClause{{name: "(list)", c: "(b[0:2])", fortran: "(b(1:2))"}, {name: "(readonly:)", c: "(readonly: b[0:2])", fortran: "(readonly: b(1:2))"}}},
	{"atomic", "atomic", []cellClause{
		none, {name: "update", c: "update", fortran: "update"}, {name: "if", c: "update if(yes)", fortran: "update if (yes)"},
	}},
	{"declare", "declaration", []cellClause{
		{name: "create", c: "create(g)", fortran: "create(g)"}, {name: "copyin", c: "copyin(g)", fortran: "copyin(g)"},
		{name: "device_resident", c: "device_resident(g)", fortran: "device_resident(g)"}, {name: "link", c: "link(g)", fortran: "link(g)"},
	}},
	{"declare", "in a function", []cellClause{
		{name: "create", c: "create(v)", fortran: "create(v)"}, {name: "copy", c: "copy(v)", fortran: "copy(v)"}, {name: "copyin", c: "copyin(v)", fortran: "copyin(v)"},
		{name: "copyin(readonly:)", c: "copyin(readonly: v)", fortran: "copyin(readonly: v)"},
		{name: "create(zero:)", c: "create(zero: v)", fortran: "create(zero: v)"}, {name: "copyout", c: "copyout(v)", fortran: "copyout(v)"},
		{name: "device_resident", c: "device_resident(v)", fortran: "device_resident(v)"},
	}},
	{"init", "alone", []cellClause{none, {name: "device_type", c: "device_type(default)", fortran: "device_type(default)"}, {name: "device_num", c: "device_num(0)", fortran: "device_num(0)"}, ifClause}},
	{"shutdown", "alone", []cellClause{none, {name: "device_type", c: "device_type(default)", fortran: "device_type(default)"}, {name: "device_num", c: "device_num(0)", fortran: "device_num(0)"}, ifClause}},
	{"set", "alone", []cellClause{{name: "device_type", c: "device_type(default)", fortran: "device_type(default)"}, {name: "device_num", c: "device_num(0)", fortran: "device_num(0)"},
		{name: "default_async", c: "default_async(1)", fortran: "default_async(1)"}, {name: "if", c: "device_num(0) if(yes)", fortran: "device_num(0) if (yes)"}}},
	{"update", "alone", []cellClause{
		{name: "self", c: "self(b)", fortran: "self(b)", present: true}, {name: "host", c: "host(b)", fortran: "host(b)", present: true}, {name: "device", c: "device(b)", fortran: "device(b)", present: true},
		{name: "self of rows", c: "self(m[1:2][1:2])", fortran: "self(m(2:3, 2:3))", present: true}, {name: "device of a stride", fortran: "device(b(1:9:2))", present: true},
		{name: "if_present", c: "self(b) if_present", fortran: "self(b) if_present"}, {name: "if", c: "self(b) if(yes)", fortran: "self(b) if (yes)", present: true},
		{name: "async", c: "self(b) async(1)", fortran: "self(b) async(1)", present: true}, {name: "wait", c: "self(b) wait", fortran: "self(b) wait", present: true},
		{name: "wait(queues:)", c: "self(b) wait(queues: 1)", fortran: "self(b) wait(queues: 1)", present: true}, {name: "wait(devnum:)", c: "self(b) wait(devnum: 0: 1)", fortran: "self(b) wait(devnum: 0: 1)", present: true},
		{name: "device_type", c: "self(b) device_type(nvidia) async(1)", fortran: "self(b) device_type(nvidia) async(1)", present: true},
	}},
	{"wait", "alone", []cellClause{
		none, {name: "(n)", c: "(1, 2)", fortran: "(1, 2)"}, {name: "(queues:)", c: "(queues: 1)", fortran: "(queues: 1)"}, {name: "(devnum:)", c: "(devnum: 0: 1)", fortran: "(devnum: 0: 1)"},
		{name: "(devnum:queues:)", c: "(devnum: 0: queues: 1, 2)", fortran: "(devnum: 0: queues: 1, 2)"},
		{name: "async", c: "(1) async(2)", fortran: "(1) async(2)"}, {name: "(devnum:) async", c: "(devnum: 0: 1) async(2)", fortran: "(devnum: 0: 1) async(2)"}, ifClause,
	}},
	{"routine", "procedure", []cellClause{
		{name: "gang", c: "gang", fortran: "gang"}, {name: "gang(dim:)", c: "gang(dim: 1)", fortran: "gang(dim: 1)"}, {name: "worker", c: "worker", fortran: "worker"}, {name: "vector", c: "vector", fortran: "vector"},
		{name: "seq", c: "seq", fortran: "seq"}, {name: "nohost", c: "seq nohost", fortran: "seq nohost"}, {name: "device_type", c: "device_type(nvidia) seq device_type(*) seq", fortran: "device_type(nvidia) seq dtype(*) seq"},
		{name: "bind", c: "seq bind(other)", fortran: "seq bind(other)"},
	}},
}

// cellProgram is a program in C and C++ that has a clause on a directive. It ends with 0 where
// the directive's statement was carried out.
func cellProgram(d *cellDirective, clause *cellClause) string {
	pragma := "#pragma acc " + d.name + " " + clause.c
	if strings.HasPrefix(clause.c, "(") {
		pragma = "#pragma acc " + d.name + clause.c
	}
	var b strings.Builder
	b.WriteString("#include <stdlib.h>\n#include <openacc.h>\nint g[16];\nstruct pair { int x, v[4]; };\n")
	if d.form == "declaration" {
		b.WriteString(pragma + "\n")
	}
	if d.form == "procedure" {
		fmt.Fprintf(&b, "#pragma acc routine seq\nstatic int other (int x) { return x + 1; }\n%s\nstatic int next (int x) { return x + 1; }\n", pragma)
		if !strings.Contains(clause.c, "nohost") {
			b.WriteString("int use (void) { return other (0) + next (0); }\n")
		}
	}
	if d.form == "in a function" {
		fmt.Fprintf(&b, "static int within (void) { int v[4] = { 0, 0, 0, 0 };\n%s\nv[1] = 1; return v[1]; }\n", pragma)
	}
	b.WriteString("int main (void)\n{\n  int a[16], b[16], m[4][4], n = 16, yes = 1, total = 0, i; int *p = (int *) malloc (64), *d; struct pair s = { 0, { 0, 0, 0, 0 } };\n")
	b.WriteString("  for (i = 0; i < 16; i++) a[i] = b[i] = p[i] = i, m[i / 4][i % 4] = i;\n  d = (int *) acc_copyin (g, sizeof g);\n")
	if clause.present {
		b.WriteString("#pragma acc enter data copyin(a, b, m)\n")
	}
	switch d.form {
	case "block":
		b.WriteString(pragma + "\n  { a[1] = 20; }\n")
	case "loop":
		b.WriteString(pragma + "\n  for (i = 0; i < 16; i++) a[i] = 20;\n")
	case "loop in parallel":
		b.WriteString("#pragma acc parallel copy(a)\n{\n" + pragma + "\n  for (i = 0; i < 16; i++) a[i] = 20;\n}\n")
	case "region":
		b.WriteString(pragma + "\n{\n#pragma acc parallel loop copy(a)\n  for (i = 0; i < 16; i++) a[i] = 20;\n}\n")
	case "in loop":
		b.WriteString("#pragma acc parallel loop copyin(b)\n  for (i = 0; i < 16; i++) {\n" + pragma + "\n a[i] = 20 + 0 * b[0]; }\n")
	case "atomic":
		b.WriteString("  a[1] = 4;\n#pragma acc parallel loop copy(a)\n  for (i = 0; i < 16; i++) {\n" + pragma + "\n a[1]++; }\n")
	case "declaration":
		b.WriteString("  a[1] = 20;\n")
	case "in a function":
		b.WriteString("  a[1] = 19 + within ();\n")
	case "procedure":
		b.WriteString("#pragma acc serial copy(a)\n  a[1] = 20;\n")
		if !strings.Contains(clause.c, "nohost") {
			b.WriteString("  a[1] = 19 + next (0);\n")
		}
	default:
		b.WriteString(pragma + "\n  a[1] = 20;\n")
	}
	b.WriteString("#pragma acc wait\n")
	if clause.present && d.form != "alone" && d.form != "region" {
		b.WriteString("#pragma acc update self(a)\n")
	}
	b.WriteString("  (void) n; (void) yes; (void) total; (void) d; (void) s; (void) p; (void) m; (void) b;\n")
	if d.form == "region" && clause.present {
		b.WriteString("#pragma acc update self(a)\n")
	}
	b.WriteString("  return a[1] == 20 ? 0 : 1;\n}\n")
	return b.String()
}

// cellFortran is such a program in Fortran.
func cellFortran(d *cellDirective, clause *cellClause) string {
	directive := "!$acc " + d.name + " " + clause.fortran
	if strings.HasPrefix(clause.fortran, "(") {
		directive = "!$acc " + d.name + clause.fortran
	}
	var b strings.Builder
	b.WriteString("module m1\n  implicit none\n  integer :: g(16)\n  type pair\n    integer :: x = 0, v(4) = 0\n  end type\n")
	if d.form == "declaration" {
		b.WriteString(directive + "\n")
	}
	b.WriteString("contains\n")
	if d.form == "procedure" {
		fmt.Fprintf(&b, "  integer function other(x)\n!$acc routine seq\n    integer, value :: x\n    other = x + 1\n  end function\n  integer function next(x)\n%s\n    integer, value :: x\n    next = x + 1\n  end function\n", directive)
	}
	if d.form == "in a function" {
		fmt.Fprintf(&b, "  integer function within()\n    integer :: v(4)\n%s\n    v = 0\n    v(2) = 1\n    within = v(2)\n  end function\n", directive)
	}
	b.WriteString("end module\nprogram x\n  use m1\n  implicit none\n  integer :: a(16), b(16), m(4, 4), n = 16, total = 0, i\n  logical :: yes = .true.\n  integer, pointer :: f(:)\n  type(pair) :: s\n  allocate (f(16))\n")
	b.WriteString("  do i = 1, 16\n    a(i) = i\n  end do\n  b = a\n  f = a\n  m = 1\n")
	if clause.present {
		b.WriteString("!$acc enter data copyin(a, b, m)\n")
	}
	loop := "  do i = 1, 16\n    a(i) = 20\n  end do\n"
	switch d.form {
	case "block":
		b.WriteString(directive + "\n  a(2) = 20\n!$acc end " + d.name + "\n")
	case "loop":
		b.WriteString(directive + "\n" + loop)
	case "loop in parallel":
		b.WriteString("!$acc parallel copy(a)\n" + directive + "\n" + loop + "!$acc end parallel\n")
	case "region":
		b.WriteString(directive + "\n!$acc parallel loop copy(a)\n" + loop + "!$acc end " + d.name + "\n")
	case "in loop":
		b.WriteString("!$acc parallel loop copyin(b)\n  do i = 1, 16\n" + directive + "\n    a(i) = 20 + 0 * b(1)\n  end do\n")
	case "atomic":
		b.WriteString("  a(2) = 4\n!$acc parallel loop copy(a)\n  do i = 1, 16\n" + directive + "\n    a(2) = a(2) + 1\n  end do\n")
	case "in a function":
		b.WriteString("  a(2) = 19 + within()\n")
	case "procedure":
		b.WriteString("!$acc serial copy(a)\n  a(2) = 20\n")
		if !strings.Contains(clause.fortran, "nohost") {
			b.WriteString("  a(2) = 19 + next(0)\n")
		}
		b.WriteString("!$acc end serial\n")
	case "declaration":
		b.WriteString("  a(2) = 20\n")
	default:
		b.WriteString(directive + "\n  a(2) = 20\n")
	}
	b.WriteString("!$acc wait\n")
	if clause.present && d.form != "alone" {
		b.WriteString("!$acc update self(a)\n")
	}
	b.WriteString("  if (a(2) /= 20) stop 1\nend program\n")
	return b.String()
}
