package rewrite

import (
	"strings"
	"testing"
)

// Whether a name is an array is known by its last declaration.
func TestDeclaresArray(t *testing.T) {
	for _, test := range []struct {
		text  string
		array bool
	}{
		{"int s;", false},
		{"int s[4];", true},
		{"static const double x, s[N][M] = {", true},
		{"int a[3], *s;", false},
		{"void f (int n, float s[restrict 4])", true},
		{"void f (int n, T *s)", false},
		{"int s[4]; { int s = 0; g (n, s);", false},
		{"int s; { int s[4]; g (n, s); return s;", true},
		{"struct pair s[2];\n  x = s[1];\n  else s[0] = 1;", true},
		{"int other_s[4], s_other[2]; int s = 1;", false},
		{"void f (int n,\n        float s[restrict 4])\n{\n  if (n * s[1] > 0) { for (int i = 0; i < n * s[1]; i++)", true},
		{"void f (int s[4]) { } int s; void g (int t[4]) {", false},
		{"void f (int s[4]); int *s; void g (int t[4]) {", false},
		{"typedef int quad[4]; quad s;", true},
		{"typedef int quad[4]; quad *s;", false},
		{"typedef int quad[4]; typedef quad four; static four x = { 1, 2 }, s;", true},
		{"using quad = int[4]; quad s;", true},
		{"typedef int quad[4];\nvoid f (quad s)\n{", true},
		{"struct pair { int s[4]; }; int s;", false},
		{"struct pair { int x; } s[2];", true},
		{"extern \"C\" {\nextern int s[4];\n}\nint f (void) { char *t = \"{ int s;\"; // int s;\n", true},
		{"std::vector<int> s;", false},
		{"std::map<int, long> s[2];", true},
		{"int s[4] __attribute__ ((aligned (8)));", true},
		{"__attribute__ ((aligned (8))) int s[4];", true},
		{"if (n) { } else { } int s[4];", true},
		{"int s[4]; void f (int s) { } void g (int t) {", true},
		{"int s[4]; if (n * s) {", true},
		{"int c::f () const { } int s[4];", true},
		{"unsigned s[2]; int f (int t) { return t, s[1]; } int g (int t) {", true},
	} {
		names := scope{text: test.text}
		got, parameter := names.at(len(test.text)).declares("s")
		if got != test.array || got && parameter != (strings.HasPrefix(test.text, "void") || strings.Contains(test.text, "\nvoid")) {
			t.Errorf("%q: array %v, parameter %v", test.text, got, parameter)
		}
	}
	for _, test := range []struct {
		text  string
		array bool
	}{
		{"integer :: s", false},
		{"integer :: n, S(4)", true},
		{"real, dimension(4) :: a, s", true},
		{"      integer s(4), n", true},
		{"subroutine a\n real :: s(3)\nend subroutine\nsubroutine b\n real :: s\n", false},
		{"module m\n real :: s(3)\ncontains\nsubroutine b\n real :: x\n", true},
	} {
		if got := declaresFortranArray(test.text, "s"); got != test.array {
			t.Errorf("%q: %v", test.text, got)
		}
	}
}

// A section's begin and size are expressions of C.
func TestSection(t *testing.T) {
	for _, test := range []struct{ item, address, bytes string }{
		{"a", "(void *) &(a)", "sizeof (a)"},
		{"p[2:n]", "(void *) &(p[2])", "sizeof (p[2]) * (__SIZE_TYPE__) (n)"},
		{"m[i][:f(1, 2)]", "(void *) &(m[i][0])", "sizeof (m[i][0]) * (__SIZE_TYPE__) (f(1, 2))"},
	} {
		address, bytes, ok := section(test.item)
		if !ok || address != test.address || bytes != test.bytes {
			t.Errorf("%s: %s, %s, %v", test.item, address, bytes, ok)
		}
	}
	if _, _, ok := section("p[2:]"); ok {
		t.Error("the length of p[2:] is not known")
	}
}

// Lines that are not rewritten stay as they are, and keep their numbers.
func TestLinesStay(t *testing.T) {
	source := "int main (void)\n{\n  int n = 0;\n#pragma acc set device_num(0) \\\n  if(n)\n#pragma acc data default(none) async(1)\n  n++; n--;\n#line 40\n#pragma acc parallel \\\n  self\n  n++;\n  return __LINE__;\n}\n"
	preprocessed := ReadPreprocessed("# 1 \"a.c\"\n\n\n\n#pragma acc set device_num(0) if(n)\n# 6 \"a.c\"\n#pragma acc data default(none) async(1)\n# 40 \"a.c\"\n#pragma acc parallel self\n")
	result := C(source, "a.c", preprocessed, nil, nil, Options{Device: "nvidia"})
	want := `int main (void)
{
  int n = 0;
{
#line 4
if (n) {
#line 4
{ extern void accscope_acc_set_device_num (int, int) __asm__ ("acc_set_device_num"); accscope_acc_set_device_num (0, -1); }
#line 4
}
}
#line 6
{
#line 6
#pragma acc wait(1)
{
#line 7
  n++;
#line 7
#pragma acc wait(1)
}
#line 7
} n--;
#line 40
#pragma acc parallel if(0)

  n++;
  return __LINE__;
}
`
	if result.Text != want {
		t.Errorf("got\n%s", result.Text)
	}
	if unchanged := C("int n;\n", "a.c", ReadPreprocessed("# 1 \"a.c\"\nint n;\n"), nil, nil, Options{}); unchanged.Changed || unchanged.Text != "int n;\n" {
		t.Errorf("a source without directives becomes %+v", unchanged)
	}
}

// Lines of Fortran keep to what their form allows.
func TestFortranLines(t *testing.T) {
	long := strings.Repeat("averylongname", 3)
	source := "      program p\n!$acc parallel self(" + long + " .or.\n!$acc& " + long + ")\n      n = 1\n!$acc end parallel\n      end\n"
	result := Fortran(source, "p.f", true, nil, nothingIncluded, Options{Device: "nvidia"})
	if !result.Changed {
		t.Fatal("nothing was rewritten")
	}
	for line := range strings.Lines(result.Text) {
		if len(strings.TrimSuffix(line, "\n")) > 72 {
			t.Errorf("too long: %s", line)
		}
	}
}

// OpenMP's conditional compilation sentinels count where GCC is given OpenMP's flag, and are
// comments else.
func TestConditionalSentinels(t *testing.T) {
	for _, test := range []struct {
		source string
		fixed  bool
	}{
		{"!$acc parallel loop async(1) zero\n!$ do i = 1, 2\n!$ do j = 1, 2\n  n = n + 1\n!$ end do\n!$ end do\nn = 2\n", false},
		{"c$acc parallel loop async(1) zero\n!$    do i = 1, 2\nc$    do 10 j = 1, 2\n      n = n + 1\n*$ 10 continue\n!$    end do\n      n = 2\n", true},
	} {
		for openMP, want := range map[bool]int{true: 6, false: 0} {
			text := &fortranText{lines: strings.Split(test.source, "\n"), fixed: test.fixed}
			text.compiled(nil, Options{OpenMP: openMP})
			if end := text.statementEnd(1); end != want {
				t.Errorf("OpenMP %v: the loop ends in line %d, want %d:\n%s", openMP, end, want, test.source)
			}
		}
	}
}

// nothingIncluded is of a source that includes no file.
func nothingIncluded(string, bool) (path, text string, ok bool) { return "", "", false }

// What PGI's model has and GCC cannot do is an error by its name, where it stands.
func TestRefusedOfPGI(t *testing.T) {
	for _, test := range []struct {
		directive, named string
		column           int // of the word, from 1, behind a sentinel of 11 characters
	}{
		{"  device  present (a), copyin(b)", "device present", 14},
		{" function(f) copyin(a)", "function", 13},
		{" copyin(b), function(f)", "function", 24},
	} {
		preprocessed := ReadPreprocessed("# 1 \"a.c\"\n\n#pragma acc" + test.directive + "\n")
		inC := C("\n#pragma acc"+test.directive+"\n", "a.c", preprocessed, nil, nil, Options{Device: "nvidia"})
		inFortran := Fortran("\n     !$acc"+test.directive+"\n", "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"})
		for file, result := range map[string]*Result{"a.c": inC, "a.f90": inFortran} {
			var refused []Note
			for _, n := range result.Notes {
				if n.Severity == Error {
					refused = append(refused, n)
				}
			}
			column := test.column
			if file == "a.f90" {
				column-- // of a sentinel of 10 characters
			}
			if len(refused) != 1 || refused[0].File != file || refused[0].Line != 2 || refused[0].Column != column || !strings.HasPrefix(refused[0].Text, test.named+" of PGI's model cannot be had") {
				t.Errorf("%s in %s: %+v, want %s at column %d", test.directive, file, result.Notes, test.named, column)
			}
		}
	}
}

// What a clause becomes ahead of its directive or behind it keeps the directive's condition and
// queues, and a private section is no private pointer.
func TestMovedClausesKeepQueues(t *testing.T) {
	for _, test := range []struct{ directive, want string }{
		{" exit data copyout(dd[0:n][0:m]) async(q)", "#pragma acc wait(q)\n#line 2\nfor (long"},
		{" exit data copyout(dd[0:n][0:m]) wait(q)", "#pragma acc wait(q)\n#line 2\nfor (long"},
		{" enter data copyin(dd[0:n][0:m]) wait(q)", "#pragma acc wait(q)\n#line 2\n#pragma acc enter data copyin("},
		{" exit data delete(p[0:n]) detach(p) if(c) async(q) wait(r)", "#pragma acc exit data detach(p) if(c) async(q) wait(r)\n"},
		{" region if(c) updatein(p[0:n]) update host(dd)", "#pragma acc update device(p[0:(n) + 1]) if(c)\n"},
		{" region updateout(dd) if(c)", "#pragma acc update self(dd) if(c)\n"},
		{" enter data copyin(p[0:n]) attach(p) if(c) async(q)", "#pragma acc enter data attach(p) if(c) async(q)\n"},
	} {
		source := "int **dd, *p;\n#pragma acc" + test.directive + "\n{ }\n"
		preprocessed := ReadPreprocessed("# 1 \"a.c\"\n\n#pragma acc" + test.directive + "\n")
		result := C(source, "a.c", preprocessed, map[int]bool{2: true}, nil, Options{Device: "nvidia"})
		if !strings.Contains(result.Text, test.want) {
			t.Errorf("%s becomes\n%s\nwithout\n%s", test.directive, result.Text, test.want)
		}
	}
}

// Components are mapped in a region inside of their variable's; what makes nothing present stays
// with the construct.
func TestComponents(t *testing.T) {
	source := "!$acc parallel copyin(c) copy(c%x) no_create(y) deviceptr(z)\nc%x = 1\n!$acc end parallel\n"
	got := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
	rest := got
	for _, want := range []string{"!$acc data copyin(c)\n", "!$acc data copy(c%x)\n", "!$acc parallel present(c) no_create(y) deviceptr(z)\n"} {
		_, behind, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("no %q at its place in\n%s", want, got)
		}
		rest = behind
	}
}

// inOrder fails where a text does not have all of these, one behind the other.
func inOrder(t *testing.T, text string, wanted ...string) {
	t.Helper()
	rest := text
	for _, want := range wanted {
		_, behind, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("no %q at its place in\n%s", want, text)
			return
		}
		rest = behind
	}
}

// What a clause copies back of a variable comes back where the region around, that has the whole
// variable, does not copy that.
func TestPartsCopiedBack(t *testing.T) {
	const types = "module m\ntype p\ninteger :: x, v(4)\ninteger, allocatable :: al(:)\nend type\ncontains\nsubroutine s(t)\ntype(p) :: t\n"
	for _, test := range []struct{ directive, region, updated string }{
		{"parallel copyin(t%v) copy(t%x)", "copyin(t)", "t%x"},
		{"parallel copy(t%x) copyin(t%v)", "copyin(t)", "t%x"},
		{"parallel copyin(t%al, t%v) copyout(t%x)", "copyin(t)", "t%x"},
		{"parallel copyin(t%al) copy(t%x)", "copy(t)", ""},
		{"parallel copyin(t%v)", "copyin(t)", ""},
		{"data copyin(t%v) copy(t%x, t%al)", "copyin(t)", "t%x"},
		{"data copyin(t%v, t%al)", "copyin(t)", ""},
		{"parallel copyin(t) copy(t%x)", "copyin(t)", "t%x"},
		{"parallel copy(t) copy(t%x)", "copy(t)", ""},
	} {
		name, _, _ := strings.Cut(test.directive, " ")
		source := types + "!$acc " + test.directive + "\nt%x = 1\n!$acc end " + name + "\nend subroutine\nend module\n"
		got := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
		if test.updated == "" {
			inOrder(t, got, "!$acc data "+test.region+"\n", "t%x = 1", "!$acc end data\n")
			if strings.Contains(got, "update") {
				t.Errorf("%s updates in\n%s", test.directive, got)
			}
			continue
		}
		inOrder(t, got, "block\n", " = .not. accscope_is_present("+test.updated+")\n", "!$acc data "+test.region+"\n", "t%x = 1", "!$acc update self("+test.updated+") if_present\n", "!$acc end data\n", "end block\n")
	}
	for directive, updated := range map[string]bool{
		"parallel copyin(s) copy(s.x) if(c)": true, "data copyin(s) copy(s.x) if(c)": true, "parallel copy(s) copy(s.x) if(c)": false, "data present(s) copy(s.x) if(c)": false,
	} {
		source := "struct p { int x; } s;\n#pragma acc " + directive + "\n{ s.x = 1; }\n"
		got := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
		if !updated {
			if strings.Contains(got, "update") {
				t.Errorf("%s updates in\n%s", directive, got)
			}
			continue
		}
		inOrder(t, got, "accscope_part_", "(char *) &s) < sizeof (s);", "#pragma acc", "s.x = 1", "#pragma acc update self(s.x)\n")
	}
}

// Ahead of a region that is put around a construct the host waits for what the construct would.
func TestRegionsWait(t *testing.T) {
	source := "!$acc parallel copyin(c) copy(c%x) async(3) wait(1, 2)\nc%x = 1\n!$acc end parallel\n"
	got := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
	inOrder(t, got, "!$acc wait(1, 2)\n", "!$acc wait(3)\n", "!$acc data copyin(c)\n", "!$acc data copy(c%x)\n", "!$acc end parallel\n", "!$acc wait(3)\n", "!$acc end data\n")
	for _, clause := range []string{"copyin(s) copy(s.p[0:8])", "copy(s->p[0:8])", "copyin(d[1][0:4])", "copy(always: n)", "copyin(p[0:8]) attach(p)"} {
		source = "struct p { int *p; } s; double **d; int n, *p;\n#pragma acc data " + clause + " async(3)\n{ n = 1; }\n"
		got = C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
		if _, behind, ok := strings.Cut(got, "n = 1; }\n#line 3\n"); !ok || !strings.HasPrefix(behind, "#pragma acc wait(3)\n") {
			t.Errorf("%s does not wait first where it ends:\n%s", clause, got)
		}
	}
	source = "double **d;\n#pragma acc enter data copyin(d[1][0:4]) async(3)\n"
	got = C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
	inOrder(t, got, "#pragma acc enter data", "accscope_acc_attach_async ((void **) &(d[1]), 3)")
}

// However many rows and elements are mapped one by one, what they wait for is waited for once.
func TestRowsWaitOnce(t *testing.T) {
	for clauses, waits := range map[string]int{
		"enter data copyin(d[0:2][0:4], e[0:2][0:4]) async(3) wait(1)": 2, "exit data delete(d[0:2][0:4], e[0:2][0:4]) async(3)": 1, "exit data delete(d[1][0:4], e[1][0:4]) wait(3)": 1,
		"parallel copy(d[0:2][0:4], e[0:2][0:4]) async(3) wait(1)": 3, "data copy(d[0:2][0:4], e[0:2][0:4]) async(3)": 2,
	} {
		source := "double **d, **e;\n#pragma acc " + clauses + "\n{ }\n"
		refused := map[int]bool{2: !strings.Contains(clauses, "[1]")}
		got := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), refused, nil, Options{Device: "nvidia"}).Text
		if n := strings.Count(got, "#pragma acc wait("); n != waits {
			t.Errorf("%s waits %d times, want %d:\n%s", clauses, n, waits, got)
		}
	}
}

// Where a procedure ends, its allocatable variables of a declare directive are deleted, which GCC frees there.
func TestLeavesProcedure(t *testing.T) {
	source := "subroutine s\ninteger, allocatable :: w(:)\n!$acc declare create(w)\nallocate (w(3))\nif (a) return\nif (b) &\n deallocate (w)\n   10 return\nend subroutine\n"
	got := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
	freed := "if (allocated(w)) then\n# 5 \"a.f90\"\n!$acc exit data delete(w)\n"
	inOrder(t, got, "if (a) then\n", freed, "return\n", "end if\n", "if (b) then\n", "exit data delete(w)\n", "deallocate (w)\n", "end if\n", "\n10    continue\n", "exit data delete(w)\n", "return\n", "exit data delete(w)\n", "end subroutine")
	for _, change := range [][2]string{{"allocatable ::", "allocatable, save ::"}, {"s\ninteger", "s\nsave\ninteger"}, {"s\n", "s(w)\n"}} {
		kept := Fortran(strings.Replace(source, change[0], change[1], 1), "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
		if strings.Count(kept, "exit data") != 1 {
			t.Errorf("a variable that is there longer is deleted:\n%s", kept)
		}
	}
}

// Of nested loops over gangs of several dimensions the outermost is divided; updates are carried out as
// often as by the gangs along the others.
func TestGangDimensions(t *testing.T) {
	source := "int n;\n#pragma acc parallel num_gangs(2, m)\n{\n#pragma acc loop gang(dim:2)\nfor (;;) {\n#pragma acc atomic\nn++;\n#pragma acc loop gang\nfor (;;)\n#pragma acc atomic update\nn++;\n}\n#pragma acc loop gang(static: 1)\nfor (;;)\n#pragma acc atomic\nn++;\n#pragma acc atomic\nn++;\n}\n"
	got := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
	const times = "for (long accscope_gang = 0; accscope_gang < (%); accscope_gang++)\n#line "
	inOrder(t, got, "#pragma acc parallel num_gangs((2) * (m))\n", "#pragma acc loop gang\n", strings.Replace(times, "%", "2", 1), "6\n#pragma acc atomic\n", "#pragma acc loop\n", "for (;;)\n#pragma acc atomic update\n",
		"#pragma acc loop gang(static: 1)\n", strings.Replace(times, "%", "m", 1), "15\n#pragma acc atomic\n", "n++;\n#pragma acc atomic\nn++;\n}\n")
	source = "!$acc parallel loop gang num_gangs(2, m)\ndo i = 1, 2\n!$acc atomic update\n\nn = n &\n + 1\n!$acc end atomic\nend do\n"
	got = Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
	inOrder(t, got, "block\n", "do accscope_gang = 1, (m)\n", "!$acc atomic update\n", " + 1\n!$acc end atomic\n", "end do\n", "end block\n", "end do\n")
}

// An update is carried out once where no loop around it is divided among gangs: all of them do.
func TestUpdatesOfAllGangs(t *testing.T) {
	for loops, repeated := range map[string]bool{
		"parallel loop": true, "parallel loop auto": true, "parallel loop gang worker": true, "parallel loop worker": false, "parallel loop vector": false, "parallel loop seq": false,
		"parallel|loop": true, "parallel|loop worker": false, "parallel|loop seq|loop": true, "parallel|loop|loop vector": true, "parallel loop worker|loop": false, "parallel loop vector|loop gang": true,
	} {
		source := "int n;\n"
		for i, directive := range strings.Split(loops, "|") {
			if source += "#pragma acc " + directive; i == 0 {
				source += " num_gangs(2, 3)"
			}
			if source += "\n"; strings.Contains(directive, "loop") {
				source += "for (;;)\n"
			}
		}
		source += "#pragma acc atomic\nn++;\n"
		got := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
		if strings.Contains(got, "accscope_gang < (3)") != repeated {
			t.Errorf("%s: repeated %v, want %v:\n%s", loops, !repeated, repeated, got)
		}
	}
}

// Members of what a pointer points to are named where the structure is on the device.
func TestPointedMembers(t *testing.T) {
	for _, test := range []struct {
		clauses string
		want    []string
		without string
	}{
		{"copy(q->v[0:4])", []string{"#pragma acc data copyin(q[0:1])\n", "#pragma acc parallel present(q[0:1])\n", "#pragma acc update self(q->v[0:4])\n"}, ""},
		{"copyin(q->x) copy(n)", []string{"#pragma acc data copyin(q[0:1])\n", "#pragma acc parallel copy(n) present(q[0:1])\n"}, "update"},
		{"copy(q->x) if(c)", []string{"#pragma acc data copyin(q[0:1]) if(accscope_if_1)\n", "#pragma acc parallel if(accscope_if_1) present(q[0:1])\n", "update self(q->x)"}, ""},
		{"copyin(q[0:1]) copy(q->x)", []string{"#pragma acc data copyin(q[0:1])\n", "#pragma acc data copy(q->x)\n", "#pragma acc parallel present(q[0:1])\n", "update self(q->x)"}, ""},
		{"present(q->x, q->p)", []string{"#pragma acc parallel present(q[0:1])\n"}, "data"},
		{"present(q, q->p)", []string{"#pragma acc parallel present(q[0:1])\n"}, "data"},
		{"present(q->v[0:4])", []string{"#pragma acc data present(q[0:1])\n", "#pragma acc parallel present(q[0:1])\n"}, "copy"},
		{"present(q->p[0:4])", []string{"#pragma acc parallel present(q->p[0:4])\n"}, "data"},
		{"present(q->w[0:4])", []string{"#pragma acc parallel present(q->w[0:4])\n"}, "data"},
		{"copyin(q) copy(q->p[0:4])", []string{"#pragma acc parallel copyin(q) copy(q->p[0:4])\n"}, "data"},
		{"deviceptr(q) copy(n)", []string{"#pragma acc parallel deviceptr(q) copy(n)\n"}, "data"},
		{"copy(r.x)", []string{"#pragma acc data copyin(r)\n", "#pragma acc parallel present(r)\n", "update self(r.x)"}, ""},
	} {
		source := "struct o { int w[4]; }; struct p { int x, v[4], *p, *w; } *q, &r = *q; int n;\n#pragma acc parallel " + test.clauses + "\n{ n = 1; }\n"
		result := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia", CXX: true})
		inOrder(t, result.Text, test.want...)
		if test.without != "" && strings.Contains(result.Text, test.without) {
			t.Errorf("%s has %s in\n%s", test.clauses, test.without, result.Text)
		}
	}
}

// Whether a member is an array in the structure itself is told by the type of what leads to it.
func TestArrayInStructure(t *testing.T) {
	for _, test := range []struct {
		text, item string // an @ where the directive is, else at the end
		within     bool
	}{
		{"struct other { int v[4]; }; struct p { int *v; } *q;", "q->v[0:4]", false},
		{"struct other { int *v; }; struct p { int v[4]; } *q;", "q->v[0:4]", true},
		{"struct other { int v[4]; }; struct p { int *v; }; void f (const struct p *restrict q) {", "q->v[0:4]", false},
		{"struct p { int *v; }; struct other { int v[4]; }; typedef struct other o; void f (o *q) {", "q->v[0:4]", true},
		{"typedef struct { int v[4]; } o; typedef struct { int *v; } p; o *r; p *q;", "q->v[0:4]", false},
		{"typedef struct { int v[4]; } o; typedef struct { int *v; } p; o *q; p *r;", "q->v[0:4]", true},
		{"struct o { int v[4]; }; using p = struct o; p *q;", "q->v[0:4]", true},
		{"struct { int v[4]; } *r; struct { int *v; } *q;", "q->v[0:4]", false},
		{"struct base { int v[4]; }; struct other { int *v; }; struct p final : other, public base { void f (int v) { } int x; }; p &q = r;", "q.v[0:4]", true},
		{"struct p { void f (int v[4]) { int v[2]; } int *v; } *q;", "q->v[0:4]", false},
		{"struct p { union { int x; struct { int v[4]; }; }; int (*w)[2]; } *q;", "q->v[0:4]", true},
		{"struct p { union { int x; struct { int v[4]; }; }; int (*w)[2]; } *q;", "q->w[0:4]", false},
		{"struct s { int *v; }; struct o { int v[4]; }; struct p { struct s v[2], s; struct o o[3]; } *q;", "q->s.v[0:4]", false},
		{"struct s { int *v; }; struct o { int v[4]; }; struct p { struct s t[3]; struct o o; } *q;", "q->t[i->j].v[0:4]", false},
		{"struct s { int *v; }; struct o { int v[4]; }; struct p { struct s v; struct o *o; } *q;", "q -> o -> v[0:4]", true},
		{"typedef int quad[4]; struct p { quad v; quad *w; } *q;", "q->v[0:4]", true},
		{"typedef int quad[4]; struct p { quad v; quad *w; } *q;", "q->w[0:4]", false},
		{"struct o { int v[4]; }; struct __attribute__ ((packed)) alignas (8) p { void f () {@} int *v; };", "this->v[0:4]", false},
		{"struct o { int v[4]; }; struct p { void f (); int *v; }; void p::f () {", "this->v[0:4]", false},
		{"struct o { int v[4]; }; struct p *f (struct o *r) { } struct p { int v[4]; }; void g (struct p *q) {", "q->v[0:4]", true},
		{"struct o { int v[4]; }; template <class T> void f (T *q) {", "q->v[0:4]", true},
		{"struct o { int v[4]; }; auto *q = f ();", "q->v[0:4]", true},
		{"struct o { int *v; }; auto *q = f ();", "q->v[0:4]", false},
	} {
		ahead, behind, _ := strings.Cut(test.text, "@")
		names := scope{text: ahead + behind}
		c := construct{member: func(owner string, path []string) bool { return names.at(len(ahead)).member(owner, path) }}
		if got := c.within(test.item[:strings.IndexAny(test.item, "-.")], test.item); got != test.within {
			t.Errorf("%s: %s: %v", test.text, test.item, got)
		}
	}
}

// What need not be present is not said to be where a region attaches it.
func TestAttachedNoCreate(t *testing.T) {
	got := Fortran("!$acc parallel no_create(p) attach(p)\nn = 1\n!$acc end parallel\n", "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}).Text
	if !strings.Contains(got, "!$acc data attach(p)\n") || !strings.Contains(got, "!$acc parallel no_create(p)\n") {
		t.Errorf("got\n%s", got)
	}
}

// Conditions of the preprocessor among the lines of a directive stay, ahead of them.
func TestConditionsInDirective(t *testing.T) {
	source := "!$acc parallel copy(n) &\n#ifdef A\n!$acc async(1)\n#else\n!$acc self(a)\n#endif\nn = 1\n!$acc end parallel\n"
	made := ReadPreprocessed("# 1 \"a.F90\"\n!$acc parallel copy(n) &\n\n\n\n!$acc self(a)\n\nn = 1\n!$acc end parallel\n")
	result := Fortran(source, "a.F90", false, made, nothingIncluded, Options{Device: "nvidia"})
	if text := result.Text; !result.Changed || !strings.HasPrefix(text, "#ifdef A\n#else\n# 1 \"a.F90\"\n") || strings.Count(text, "#endif") != 1 {
		t.Errorf("got\n%s", text)
	}
}

// Lines that a directive goes on in begin no directive of PGI's model, and words go on in them.
func TestContinuedLines(t *testing.T) {
	for source, want := range map[string]string{
		"!$acc parallel loop & ! of copies\n!$acc copyout(a) &\n!$acc\n!$acc& self(c)\ndo i = 1, 2\nend do\n":     "!$acc parallel loop copyout(a) if(.not. (c))\n",
		"!$acc parallel self num_ga&\n\n!$acc&ngs(2) copy(a)\n!$acc end parallel\n":                               "!$acc parallel num_gangs(2) copy(a) if(.false.)\n",
		"!$acc parallel if(a" + strings.Repeat(" + a", 40) + " > 0)\n!$acc end parallel\n":                        "&\n!$acc& ",
		"end subroutine\nsubroutine f\n!$acc routine bind(g)\nend\n!$acc serial\ncall f\n!$acc end serial\nend\n": "\ncall g\n",
	} {
		if result := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}); result.Failed() || !strings.Contains(result.Text, want) {
			t.Errorf("%s becomes\n%s\nwithout %q: %+v", source, result.Text, want, result.Notes)
		}
	}
}

// Reductions of more than one clause are those of structures and arrays, whatever clauses are
// around them.
func TestReductionsBesideLevels(t *testing.T) {
	source := "struct s { int x; } v; int n;\n#pragma acc parallel loop gang worker vector reduction(+:v) reduction(+:n) reduction(max:v.x)\nfor (;;) ;\n"
	got := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"}).Text
	if want := "#pragma acc parallel loop reduction(+: n) seq num_gangs(1)\n"; !strings.Contains(got, want) && !strings.Contains(got, strings.Replace(want, "+: n", "+:n", 1)) {
		t.Errorf("got\n%s\nwithout\n%s", got, want)
	}
}

// An allocatable variable of a declare directive follows its allocations; one that a routine uses
// stays as it is, with a warning, and so does the declared one where a procedure has its own.
func TestDeclaredAllocatables(t *testing.T) {
	source := "module m\nreal, allocatable :: v(:)\n!$acc declare create(v)\ncontains\nsubroutine s\nif (c) allocate (v(3))\n!$acc serial\nv = 1\n!$acc end serial\ndeallocate (v)\nend subroutine\nend module\n"
	result := Fortran(source, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"})
	rest := result.Text
	for _, want := range []string{"if (c) then\n", "allocate (v(3))\n", "!$acc enter data create(v)\n", "end if\n", "!$acc serial present(v)\n", "!$acc exit data delete(v)\n", "deallocate (v)\n"} {
		_, behind, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("no %q at its place in\n%s", want, result.Text)
		}
		rest = behind
	}
	if strings.Contains(result.Text, "declare") {
		t.Errorf("it is declared in\n%s", result.Text)
	}
	used := strings.Replace(source, "subroutine s\n", "subroutine s\n!$acc routine\n", 1)
	if result := Fortran(used, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}); result.Changed || len(result.Notes) != 1 || result.Notes[0].Severity != Warning {
		t.Errorf("used by a routine: %+v\n%s", result.Notes, result.Text)
	}
	hidden := strings.Replace(source, "subroutine s\n", "subroutine s\nreal, allocatable :: v(:)\n", 1)
	if result := Fortran(hidden, "a.f90", false, nil, nothingIncluded, Options{Device: "nvidia"}); result.Changed {
		t.Errorf("declared anew:\n%s", result.Text)
	}
}

// What would lose its condition, or mean another thing, is an error.
func TestRefusedRatherThanChanged(t *testing.T) {
	for _, test := range []struct {
		declared, directive string
		errors              int
	}{
		{"int s[4];", " parallel private(s[0:2])", 0},
		{"int *s;", " parallel private(s[0:2])", 0},
		{"void f (int s[4])", " parallel firstprivate(s[0:2])", 1},
		{"int **s;", " parallel private(s[0:2][0:3])", 1},
		{"typedef int quad[4]; quad s;", " parallel private(s[0:2])", 0},
		{"int *p;", " data copyin(p[0:2]) attach(p) if(c)", 0},
		{"int *p;", " data copyin(s->p[0:2]) if(c)", 0},
		{"int *p;", " data copyin(s->p[0:2])", 0},
	} {
		source := test.declared + "\n#pragma acc" + test.directive + "\n{ }\n"
		result := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"})
		refused := 0
		for _, n := range result.Notes {
			if n.Severity == Error {
				refused++
			}
		}
		if refused != test.errors {
			t.Errorf("%s: %s: %+v, want %d errors", test.declared, test.directive, result.Notes, test.errors)
		}
	}
}

// A section of rows is named by the rows where it does not begin with the first of what a pointer to
// arrays points to; of arrays, and of pointers to pointers, it stays.
func TestSectionsOfRows(t *testing.T) {
	for _, test := range []struct{ declared, clause, want string }{
		{"typedef float row[20]; row *b;", "copy(b[2:n][0:m])", "copy(b[2:n])"},
		{"typedef float row[20]; row *b;", "copy(b[0:n][0:m])", "copy(b[0:n][0:m])"},
		{"typedef float row[20]; row *b;", "copy(b[2:1][3:4])", "copy(b[2:1][3:4])"},
		{"float b[9][20];", "copy(b[2:n][0:m])", "copy(b[2:n][0:m])"},
		{"float **b;", "copy(b[2:n][0:m])", "copy(b[2:n][0:m])"},
	} {
		source := test.declared + "\n#pragma acc parallel self " + test.clause + "\n{ }\n"
		result := C(source, "a.c", ReadPreprocessed("# 1 \"a.c\"\n"+source), nil, nil, Options{Device: "nvidia"})
		if !strings.Contains(result.Text, "#pragma acc parallel "+test.want+" if(0)\n") {
			t.Errorf("%s %s becomes\n%s", test.declared, test.clause, result.Text)
		}
	}
}

func FuzzC(f *testing.F) {
	f.Add("int a[4];\n#pragma acc data copy(a[0:2][1:3]) async(1) default(none)\n{ }\n", "data copy(a[0:2][1:3]) async(1) default(none)", 2)
	f.Add("#pragma acc region for parallel\nfor (;;) ;\n", "region for parallel", 1)
	f.Fuzz(func(t *testing.T, source, text string, line int) {
		p := &Preprocessed{directives: map[place][]pragma{{"a.c", line}: {{text: " " + text}}}, chunks: map[place]string{}, included: map[place]string{}, times: map[string]int{}}
		C(source, "a.c", p, map[int]bool{line: true}, nil, Options{Device: "nvidia"})
	})
}

func FuzzFortran(f *testing.F) {
	f.Add("!$acc data async(1) copy(a(1:2, 3))\nblock\nend block\n!$acc update self(a(1:2:3, :))\n", false)
	f.Add("c$acc parallel loop reduction(+: s%x)\n      do 10 i = 1, 2\n   10 continue\n", true)
	f.Fuzz(func(t *testing.T, source string, fixed bool) {
		Fortran(source, "a.f", fixed, nil, nothingIncluded, Options{Device: "nvidia"})
	})
}

func FuzzReadPreprocessed(f *testing.F) {
	f.Add("# 1 \"a.c\" 1\n#pragma acc wait\n# 3 \"b.c\" 2\n")
	f.Fuzz(func(t *testing.T, output string) { ReadPreprocessed(output) })
}
