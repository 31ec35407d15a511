package advice

import (
	"strings"
	"testing"
)

func TestDirectiveRewritten(t *testing.T) {
	for _, test := range []struct{ text, variable, to, from, want string }{
		{"#pragma acc data copy(a, b)", "a", "copyin", "copy", "#pragma acc data copy(b) copyin(a)"},
		{"#pragma acc parallel loop copy(a[0:n]) async(1) collapse(2)", "a", "copyin", "copy", "#pragma acc parallel loop async(1) collapse(2) copyin(a[0:n])"},
		{"#pragma acc  kernels copyin(x[0:f(1, 2)], ab), copy (a)", "a", "create", "copy", "#pragma acc kernels copyin(x[0:f(1, 2)], ab) create(a)"},
		{"!$ACC enter data copyin(A(1:n,1:m)) if(.true.)", "a", "create", "copyin", "!$ACC enter data if(.true.) create(A(1:n,1:m))"},
		{"!$ACC UPDATE SELF(A) ASYNC", "a", "device", "self", "!$ACC update ASYNC device(A)"},
		{"#pragma acc parallel copy(a)", "b", "copyin", "copy", "what names b without this transfer: copy becomes copyin"},
		{"#pragma acc data copy(w[0:n])", "g->u", "copyin", "copy", "what names g->u without this transfer: copy becomes copyin"},
	} {
		if got := takeApart(test.text).exchange(&Finding{Variable: test.variable}, map[string]string{test.from: test.to}); got != test.want {
			t.Errorf("%s:\n%s, want\n%s", test.text, got, test.want)
		}
	}
	for _, text := range []string{"", "acc_copyin (a, n);", "#pragma omp parallel", "#pragma acc", "#pragma acc nothing"} {
		if takeApart(text).known() {
			t.Errorf("%q is a directive", text)
		}
	}
}

// What is never deleted is to be deleted by the section that it was mapped by.
func TestDeletion(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"#pragma acc enter data copyin(p[0:n])", "#pragma acc exit data delete(p[0:n])"},
		{"!$acc enter data create(q) pcopyin(p)", "!$acc exit data delete(p)"},
		{"#pragma acc enter data copyin(q[0:n])", "exit data delete(p)"},
		{"", "exit data delete(p)"},
	} {
		if got := takeApart(test.text).deletion("p"); got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

// A component is found in a directive by the pointer that it has been assigned to, or that has
// its name; another pointer is not it.
func TestDirectiveNamesComponent(t *testing.T) {
	for _, test := range []struct{ text, before, variable, want string }{
		{"#pragma acc data copyin(u[0:n])", "double *u = g->u;", "g->u", "u[0:n]"},
		{"#pragma acc data copy(a[0:n], u[0:n])", "  double *restrict a = (double *) g -> u, *u = g->v;", "g->u", "a[0:n]"},
		{"#pragma acc data copyin(next[0:n])", "", "grid.next", "next[0:n]"},
		{"#pragma acc data copyin(first[0:n])", "first = &grid[2].cells[0];", "grid[2].cells", "first[0:n]"},
		{"!$acc parallel loop copy(P)", "p => tile%field%density", "tile%field%density", "P"},
		{"#pragma acc data pcopyin(g->u[0:n])", "u = g->u;", "g->u", "g->u[0:n]"},
		{"#pragma acc data copy(w[0:n])", "w = g->w; u = h->u;", "g->u", ""},
		{"#pragma acc data copy(up[0:n])", "up = g->upper;", "g->up2", ""},
		{"#pragma acc data copy(u[0:n])", "", "v", ""},
	} {
		d := takeApart(test.text)
		d.before = strings.Split(test.before, "\n")
		got := ""
		for _, clause := range copying {
			if item, found := d.clone().take(test.variable, clause); found {
				got = item
			}
		}
		if got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.variable, test.text, got, test.want)
		}
	}
}

// Copies by turns have a queue each in place of the one that the directive names.
func TestQueueOfCopies(t *testing.T) {
	for _, text := range []string{"#pragma acc update device(x[0:n])", "#pragma acc update device(x[0:n]) async(1)", "#pragma acc update async device(x[0:n])"} {
		f, d := &Finding{Variable: "x"}, takeApart(text)
		idleQueue.explain(f, &group{}, d)
		if want := ": #pragma acc update device(x[0:n]) async(queue)\n"; !strings.Contains(f.Instead, want) || d.String() != text {
			t.Errorf("%s: %q, want %q", text, f.Instead, want)
		}
	}
}

// Mappings are counted in a process, and so they are told where several have them.
func TestMappingsOfProcesses(t *testing.T) {
	for processes, want := range map[int64]string{
		1: "x: mapped and deleted again and again, 10 mappings; it took 18 spans of the host besides the first",
		3: "x: mapped and deleted again and again, in one of 3 processes 10 mappings; it took 54 spans of the host besides the first",
	} {
		found := newEvidence()
		for i := range 18 * processes {
			found.about(groupKey{}).add(occurrence{process: i / 18}, 8, "10")
		}
		found.order()
		f := &Finding{Variable: "x"}
		if mappedInLoop.explain(f, found.list[0], &written{}); f.What != want {
			t.Errorf("%d processes: %s, want %s", processes, f.What, want)
		}
	}
}

// Whatever a source has, a directive is taken apart without a panic, and what comes
// out parses as the same.
func FuzzDirective(f *testing.F) {
	f.Add("#pragma acc parallel loop copy(a[0:n], b) async(1)")
	f.Add("!$acc data copy(a) (")
	f.Add("#pragma acc wait((1) a(b")
	f.Fuzz(func(t *testing.T, text string) {
		d := takeApart(text)
		again := takeApart(d.String())
		if d.known() && again.String() != d.String() {
			t.Errorf("%q becomes %q, and that %q", text, d, again)
		}
		d.exchange(&Finding{Variable: "a"}, notBrought)
	})
}

func TestEnclosingLoop(t *testing.T) {
	for _, test := range []struct {
		text string // the line with @ is the directive's
		want int
	}{
		{"void f ()\n{\n  for (;;)\n    {\n#pragma acc @\n    }\n}", 3},
		{"void f ()\n{\n  for (;;) {\n#pragma acc @\n    }\n}", 3},
		{"void f ()\n{\n  while (1)\n#pragma acc @\n    ;\n}", 3},
		{"void f ()\n{\n  for (;;)\n    {\n      if (x)\n        {\n        }\n#pragma acc @\n", 3},
		{"void f ()\n{\n  for (;;)\n    {\n    }\n#pragma acc @\n", 0},
		{"void g () { for (;;) { } }\nvoid f ()\n{\n#pragma acc @\n", 0},
		{"void f ()\n{\n  for (;;)\n    {\n#pragma acc data\n      {\n#pragma acc @\n", 3},
		{"subroutine s\ndo i = 1, n\n do j = 1, m\n end do\n!$acc @\nend do\n", 2},
		{"subroutine s\ndo i = 1, n\nenddo\n!$acc @\n", 0},
		{"do i = 1, n\nsubroutine s\n!$acc @\n", 0},
		{"      subroutine s\n      do 10 i = 1, n\n   10 continue\nc$acc @\n", 0},
		{"      subroutine s\n      do 20 k = 1, n\n      do 10 i = 1, n\n   10 continue\n!$acc @\n   20 continue\n", 2},
		{"      subroutine s\n      do 20 k = 1, n\nC$ACC @\n      do 10 i = 1, n\n   10 continue\n   20 continue\n", 2},
		{"do 10 k = 1, n\n do j = 1, m\n end do\n!$acc @\n10 end do\n", 1},
		{"@", 0},
	} {
		lines := strings.Split(test.text, "\n")
		line := 0
		for i, text := range lines {
			if strings.Contains(text, "@") {
				line = i + 1
			}
		}
		if got := enclosingLoop(lines, line); got != test.want {
			t.Errorf("%q: line %d, want %d", test.text, got, test.want)
		}
	}
	if enclosingLoop(nil, 3) != 0 || enclosingLoop([]string{"for (;;)"}, 0) != 0 {
		t.Error("a loop where there are no lines")
	}
}
