package source

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/snapshot"
)

// A family of programs is generated whose names are known by construction: each variable
// that a directive lists has a size in bytes that no other has. Programs differ in
// language, in how many variables there are and of what sort, in the directives, and in
// where these stand: in main, in a function that main calls, in one that is inlined; and in
// whether branches of the program differ in one directive.

// member is one program of the family.
type member struct {
	language  string // "c", "cc", "f90"
	place     string // of the directives: "main", "callee", "inlined"
	variables int
	seed      uint64
	branches  bool // that differ in what they are about alone, and may share a call: the first element tells what it is
	routines  bool // that are given data, beside directives

	random *rand.Rand
	text   strings.Builder
	list   []datum
	truth  map[uint64]string // by bytes, of branches by the first element
}

// datum is one variable of a member, as directives write it.
type datum struct {
	sort    string // "pointer", "array", "global array", "global pointer", "component", "pointed component", ...
	name    string
	count   int    // elements of 8 bytes, of no other variable
	section string // what a clause lists
}

func (m *member) file() string { return "member." + m.language }

func (m *member) String() string {
	name := fmt.Sprintf("%s-%s-%d-%d", m.language, m.place, m.variables, m.seed)
	if m.branches {
		name += "-branches"
	}
	if m.routines {
		name += "-routines"
	}
	return name
}

// write gives the program's text and fills in the truth.
func (m *member) write() string {
	m.random = rand.New(rand.NewPCG(m.seed, 12))
	m.truth = map[uint64]string{}
	if m.language == "f90" {
		return m.fortran()
	}
	return m.cxx()
}

func (m *member) add(d datum) {
	if m.branches {
		m.truth[uint64(len(m.list)+1)] = d.name
	} else {
		m.truth[uint64(8*d.count)] = d.name
	}
	m.list = append(m.list, d)
}

// count is how many elements variable i has.
func (m *member) count(i int) int {
	if m.branches {
		return 100
	}
	return 100 + 3*i
}

// name is what an entry of a call is called, "" where it is not known.
func (m *member) name(e snapshot.Entry, memory snapshot.Memory) string {
	if !m.branches {
		return m.truth[e.Size]
	}
	if e.Size != 8*uint64(m.count(0)) {
		return ""
	}
	return m.truth[uint64(first(e, memory))]
}

// first is the number that an entry's data begin with.
func first(e snapshot.Entry, memory snapshot.Memory) float64 {
	var b [8]byte
	if memory(e.Address, b[:]) != nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b[:]))
}

// mark has the first element of each variable tell which it is.
func (m *member) mark(format string) {
	for i, d := range m.list {
		if m.branches {
			m.line(format, d.name, i+1)
		}
	}
}

func (m *member) line(format string, arguments ...any) {
	fmt.Fprintf(&m.text, format+"\n", arguments...)
}

// some gives a part of the variables in some order, at least one.
func (m *member) some() []datum {
	list := append([]datum(nil), m.list...)
	m.random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	if m.random.IntN(3) > 0 {
		list = list[:1+m.random.IntN(len(list))]
	}
	return list
}

// without gives the variables of a list that are not of some sorts.
func without(list []datum, sorts ...string) []datum {
	return slices.DeleteFunc(list, func(d datum) bool { return slices.Contains(sorts, d.sort) })
}

// clauses puts variables into clauses, whose names are drawn from kinds.
func (m *member) clauses(list []datum, kinds ...string) string {
	var b strings.Builder
	if m.random.IntN(4) == 0 {
		kinds = kinds[:1] // nothing but the order tells entries apart
	}
	for len(list) > 0 {
		n := 1
		if m.random.IntN(2) == 0 {
			n += m.random.IntN(len(list))
		}
		var items []string
		for _, d := range list[:n] {
			items = append(items, d.section)
		}
		fmt.Fprintf(&b, " %s(%s)", kinds[m.random.IntN(len(kinds))], strings.Join(items, ", "))
		list = list[n:]
	}
	return b.String()
}

// cxx writes a program in C or C++.
func (m *member) cxx() string {
	sorts := []string{"pointer", "pointer", "pointer", "pointer", "array", "global pointer", "global array", "component", "pointed component"}
	if m.random.IntN(2) == 0 {
		sorts = sorts[:1+m.random.IntN(len(sorts))]
	}
	if m.language == "cc" {
		sorts = append(sorts, "own component", "own component")
	}
	for i := range m.variables {
		d := datum{sort: sorts[m.random.IntN(len(sorts))], count: m.count(i)}
		if m.place == "main" && d.sort == "own component" {
			d.sort = "pointer"
		}
		switch d.sort {
		case "pointer", "global pointer":
			d.name = fmt.Sprintf("p%d", i)
		case "array", "global array":
			d.name = fmt.Sprintf("a%d", i)
		case "component":
			d.name = fmt.Sprintf("st.c%d", i)
		case "pointed component":
			d.name = fmt.Sprintf("sp->d%d", i)
		case "own component":
			d.name = fmt.Sprintf("own%d", i)
		}
		switch length := fmt.Sprint(d.count); {
		case strings.Contains(d.sort, "array"):
			d.section = d.name
		case m.random.IntN(3) == 0:
			d.section = fmt.Sprintf("%s[0:%s]", d.name, length)
		default:
			d.section = fmt.Sprintf("%s[0:n+%s]", d.name, length)
		}
		m.add(d)
	}
	m.line("#include <stdlib.h>\n#include <openacc.h>")
	for _, d := range m.list {
		switch d.sort {
		case "global pointer":
			m.line("static double *%s;", d.name)
		case "global array":
			m.line("double %s[%d];", d.name, d.count)
		}
	}
	m.line("struct st {\n  int before;\n  double one[3];")
	for _, d := range m.list {
		if d.sort == "component" {
			m.line("  double *%s;", strings.TrimPrefix(d.name, "st."))
		}
	}
	m.line("};\nstruct sp {\n  int before;\n  double one[3];")
	for _, d := range m.list {
		if d.sort == "pointed component" {
			m.line("  double *%s;", strings.TrimPrefix(d.name, "sp->"))
		}
	}
	m.line("};\n")
	m.line("__attribute__((noinline)) void use (double *b, double *a, int count)\n{\n#pragma acc parallel loop present(a[0:count], b[0:count])\n  for (int i = 1; i < count; i++)\n    b[i] += a[i];\n}\n")
	var parameters, arguments []string
	for _, d := range m.list {
		if d.sort == "pointer" && m.place != "main" {
			by := "double *"
			if m.language == "cc" && m.random.IntN(4) == 0 {
				by = "double *&"
			}
			parameters, arguments = append(parameters, by+d.name), append(arguments, d.name)
		}
	}
	if m.random.IntN(2) == 0 { // the caller has other variables by these names
		m.random.Shuffle(len(arguments), func(i, j int) { arguments[i], arguments[j] = arguments[j], arguments[i] })
	}
	parameters, arguments = append(parameters, "struct sp *sp", "int n", "int steps"), append(arguments, "sp", "n", "steps")
	if m.place != "main" {
		if m.language == "cc" {
			m.line("struct solver\n{\n  int before;")
			for _, d := range m.list {
				if d.sort == "own component" {
					m.line("  double *%s;", d.name)
				}
			}
			m.line("  void run (%s);\n};\n", strings.Join(parameters, ", "))
		}
		if m.place == "callee" {
			m.line("__attribute__((noinline))")
		} else if m.language == "c" {
			m.line("static inline __attribute__((always_inline))")
		} else {
			m.line("inline __attribute__((always_inline))")
		}
		name := "run"
		if m.language == "cc" {
			name = "solver::run"
		}
		m.line("void %s (%s)\n{", name, strings.Join(parameters, ", "))
		m.locals()
		m.directives()
		m.line("}\n")
	}
	m.line("int main (int argc, char **argv)\n{\n  int n = argc > 1 ? atoi (argv[1]) : 0, steps = argc > 2 ? 5 : 2;")
	m.line("  struct sp storage, *sp = argc > 3 ? malloc (sizeof *sp) : &storage;")
	if m.language == "cc" {
		text := m.text.String()
		m.text.Reset()
		m.text.WriteString(strings.Replace(text, "malloc (sizeof *sp)", "(struct sp *) malloc (sizeof *sp)", 1))
	}
	for _, d := range m.list {
		allocate := "(double *) calloc (n + 300, 8)"
		switch d.sort {
		case "pointer":
			m.line("  double *%s = %s;", d.name, allocate)
		case "global pointer", "pointed component":
			m.line("  %s = %s;", d.name, allocate)
		}
	}
	switch {
	case m.place == "main":
		m.locals()
		m.directives()
	case m.language == "cc":
		m.line("  struct solver solver;")
		for _, d := range m.list {
			if d.sort == "own component" {
				m.line("  solver.%s = (double *) calloc (n + 300, 8);", d.name)
			}
		}
		m.line("  solver.run (%s);", strings.Join(arguments, ", "))
	default:
		m.line("  run (%s);", strings.Join(arguments, ", "))
	}
	m.line("  return 0;\n}")
	return m.text.String()
}

// locals declares what is local to the function with the directives.
func (m *member) locals() {
	structure := false
	for _, d := range m.list {
		switch d.sort {
		case "array":
			m.line("  double %s[%d];\n  for (int i = 1; i < %d; i++)\n    %s[i] = i;", d.name, d.count, d.count, d.name)
		case "component":
			if !structure {
				structure = true
				m.line("  struct st st;")
			}
			m.line("  %s = (double *) calloc (n + 300, 8);", d.name)
		}
	}
}

func (m *member) directives() {
	structured := func() {
		list := m.some()
		if m.language == "cc" { // GCC 12 ends over components of what a pointer points to
			list = without(list, "pointed component", "own component")
		}
		if len(list) == 0 {
			return
		}
		m.line("#pragma acc data%s", m.clauses(list, "copyin", "copy", "create", "copyout"))
		m.line("  {")
		m.uses()
		m.line("  }")
	}
	var pointers []datum
	for _, d := range m.list {
		if strings.HasSuffix(d.sort, "pointer") {
			pointers = append(pointers, d)
			if m.random.IntN(2) == 0 {
				m.line("  for (int i = 1; i < n + %d; i++)\n    %s[i] = i;", d.count, d.name)
			}
		}
	}
	m.mark("  %s[0] = %d;")
	any := func() string { return pointers[m.random.IntN(len(pointers))].name }
	if len(pointers) > 1 && m.random.IntN(3) == 0 && !m.branches {
		m.line("  %s = %s;", any(), any()) // two names for the same data
	}
	m.line("  for (int step = 0; step < steps; step++)\n  {")
	if m.random.IntN(2) == 0 {
		structured()
	}
	if len(pointers) > 1 && m.random.IntN(3) == 0 && !m.branches {
		one, other := any(), any()
		m.line("    double *kept = %s;\n    %s = %s;\n    %s = kept;", one, one, other, other)
	}
	all := m.some()
	m.line("#pragma acc enter data%s", m.clauses(all, "copyin", "create"))
	m.uses()
	m.line("#pragma acc update%s", m.clauses(m.some(), "self", "device"))
	if m.routines {
		m.calls()
	} else if m.branches {
		for range 1 + m.random.IntN(3) {
			m.choose()
		}
	}
	m.line("#pragma acc exit data%s", m.clauses(all, "copyout", "delete"))
	m.line("  }")
	for range m.random.IntN(3) {
		structured()
	}
	list := m.some()
	m.line("#pragma acc parallel loop%s", m.clauses(list, "copy", "copyin"))
	m.line("  for (int i = 0; i < 3; i++)\n  {")
	for _, d := range list {
		if m.random.IntN(3) > 0 {
			m.line("    %s[i] += i;", d.name)
		}
	}
	m.line("  }")
}

// uses has two variables used by a function that calls them by other names.
func (m *member) uses() {
	a, b := m.list[m.random.IntN(len(m.list))], m.list[m.random.IntN(len(m.list))]
	m.line("    use (%s, %s, 3);", a.name, b.name)
}

// fortran writes a program in Fortran.
func (m *member) fortran() string {
	sorts := []string{"allocatable", "allocatable", "array", "module allocatable", "module array", "pointer", "component", "component", "module component"}
	if m.place != "main" {
		sorts = append(sorts, "dummy", "dummy", "assumed", "assumed", "size")
	}
	if m.random.IntN(2) == 0 {
		sorts = sorts[m.random.IntN(len(sorts)):]
	}
	for i := range m.variables {
		d := datum{sort: sorts[m.random.IntN(len(sorts))], count: m.count(i)}
		switch d.sort {
		case "component":
			d.name = fmt.Sprintf("st%%c%d", i)
		case "module component":
			d.name = fmt.Sprintf("box%%d%d", i)
		default:
			d.name = fmt.Sprintf("v%d", i)
		}
		d.section = d.name
		if d.sort == "size" || m.random.IntN(4) == 0 {
			d.section = fmt.Sprintf("%s(1:n+%d)", d.name, d.count)
		}
		m.add(d)
	}
	m.line("module things\n  use openacc\n  implicit none\n  integer :: zero = 0")
	for _, d := range m.list {
		switch d.sort {
		case "module allocatable":
			m.line("  real(8), allocatable :: %s(:)", d.name)
		case "module array":
			m.line("  real(8) :: %s(%d)", d.name, d.count)
		}
	}
	for _, name := range []string{"st", "box"} {
		m.line("  type t%s\n    integer :: before", name)
		for _, d := range m.list {
			if strings.HasPrefix(d.name, name+"%") {
				sorts := []string{"allocatable", "pointer"}
				if m.routines { // which get a copy of what a pointer points to
					sorts[1] = sorts[0]
				}
				m.line("    real(8), %s :: %s(:)", sorts[m.random.IntN(2)], strings.TrimPrefix(d.name, name+"%"))
			}
		}
		m.line("  end type")
	}
	m.line("  type(tbox) :: box\ncontains")
	if m.place != "main" {
		m.fortranRun()
	}
	m.line("  subroutine use(b, a, count)\n    integer :: count, i\n    real(8) :: b(count), a(count)\n!$acc parallel loop present(a, b)\n    do i = 2, count\n      b(i) = b(i) + a(i)\n    end do\n  end subroutine\nend module\n")
	m.line("program member\n  use things\n  implicit none\n  integer :: n, steps, step, i\n  type(tst) :: st")
	for _, d := range m.list {
		switch d.sort {
		case "allocatable", "dummy", "assumed", "size":
			m.line("  real(8), allocatable :: %s(:)", d.name)
		case "pointer":
			m.line("  real(8), pointer :: %s(:)", d.name)
		case "array":
			m.line("  real(8) :: %s(%d)", d.name, d.count)
		}
	}
	m.line("  n = zero\n  steps = 2 + zero")
	for _, d := range m.list {
		if !strings.HasSuffix(d.sort, "array") {
			m.line("  allocate(%s(n+%d))", d.name, d.count)
		}
		m.line("  %s = 1", d.name)
	}
	if m.place == "main" {
		m.fortranDirectives()
	} else {
		var arguments []string
		for _, d := range m.list {
			if !strings.HasPrefix(d.sort, "module") && d.sort != "component" {
				arguments = append(arguments, d.name)
			}
		}
		call := "  call run(" + strings.Join(append(arguments, "st", "n", "steps)"), ", &\n    ")
		m.line("%s", call)
	}
	m.line("end program")
	return m.text.String()
}

func (m *member) fortranRun() {
	var arguments []string
	for _, d := range m.list {
		if !strings.HasPrefix(d.sort, "module") && d.sort != "component" {
			arguments = append(arguments, d.name)
		}
	}
	m.line("  subroutine run(%s", strings.Join(append(arguments, "st", "n", "steps)"), ", &\n    "))
	m.line("    integer :: n, steps, step, i\n    type(tst) :: st")
	for _, d := range m.list {
		switch d.sort {
		case "allocatable":
			m.line("    real(8), allocatable :: %s(:)", d.name)
		case "pointer":
			m.line("    real(8), pointer :: %s(:)", d.name)
		case "array":
			m.line("    real(8) :: %s(%d)", d.name, d.count)
		case "dummy":
			m.line("    real(8) :: %s(n+%d)", d.name, d.count)
		case "assumed":
			m.line("    real(8) :: %s(:)", d.name)
		case "size":
			m.line("    real(8) :: %s(*)", d.name)
		}
	}
	m.fortranDirectives()
	m.line("  end subroutine")
}

func (m *member) fortranDirectives() {
	directive := func(name, clauses string) {
		// Lines of Fortran are short.
		short := strings.NewReplacer(", ", ", &\n!$acc ", ") ", ") &\n!$acc ")
		m.line("!$acc %s%s", name, short.Replace(clauses))
	}
	structured := func() {
		directive("data", m.clauses(m.some(), "copyin", "copy", "create", "copyout"))
		m.fortranUses()
		m.line("!$acc end data")
	}
	m.mark("  %s(1) = %d")
	m.line("  do step = 1, steps")
	if m.random.IntN(2) == 0 {
		structured()
	}
	all := m.some()
	directive("enter data", m.clauses(all, "copyin", "create"))
	m.fortranUses()
	directive("update", m.clauses(m.some(), "self", "device"))
	if m.routines {
		m.fortranCalls()
	} else if m.branches {
		conditions, text := m.alternatives()
		at := strings.LastIndex(text, " ")
		for i, list := range m.chosen(len(conditions)) {
			if word := "else if"; i == len(conditions)-1 {
				m.line("  else")
			} else {
				if i == 0 {
					word = "if"
				}
				m.line("  %s (%s) then", word, conditions[i])
			}
			directive(text[:at], m.clauses(list, text[at+1:]))
		}
		m.line("  end if")
	}
	directive("exit data", m.clauses(all, "copyout", "delete"))
	m.line("  end do")
	for range m.random.IntN(3) {
		structured()
	}
	list := without(m.some(), "component", "module component") // GCC 12 ends over them
	if len(list) == 0 {
		return
	}
	directive("parallel loop", m.clauses(list, "copy", "copyin"))
	m.line("  do i = 1, 3")
	for _, d := range list {
		if m.random.IntN(3) > 0 {
			m.line("    %s(i) = %s(i) + i - 1", d.name, d.name)
		}
	}
	m.line("  end do")
}

func (m *member) fortranUses() {
	a, b := m.list[m.random.IntN(len(m.list))], m.list[m.random.IntN(len(m.list))]
	if a.name != b.name {
		m.line("    call use(%s, %s, 3)", a.name, b.name)
	}
}
