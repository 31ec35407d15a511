package structure

import (
	"fmt"
	"strings"
	"testing"
)

// tree is a procedure's statements for comparison: kinds with their lines, simple ones left
// out.
func tree(list []*Statement) string {
	var parts []string
	for _, s := range list {
		if s.Kind == Simple {
			continue
		}
		text := fmt.Sprintf("%s%d-%d", []string{"", "block", "loop", "if", "acc", "directive"}[s.Kind], s.First, s.Last)
		if !s.Alone {
			text += "!"
		}
		if inner := tree(s.Body); inner != "" {
			text += "(" + inner + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestStructure(t *testing.T) {
	for _, test := range []struct{ path, text, want string }{
		{"a.c", "void f ()\n{\n  for (;;)\n    {\n#pragma acc parallel loop\n for (;;)\n  x;\n    }\n}", "f 1-9: loop3-8(block4-8(acc5-7(loop6-7)))"},
		{"a.c", "int g (void) { return 1; } // {\n/* { */ static void f () {\n  while (x)\n#pragma acc wait \\\n  (1)\n  y;\n}", "g 1-1:  ; f 2-7: loop3-6(directive4-5)"},
		{"a.c", "void f () {\n do { x[\"}\"] = '}'; } while (1);\n if (a) b; else { for (;;); }\n}", "f 1-4: loop2-2(block2-2!) if3-3(block3-3!(loop3-3!))"},
		{"a.c", "void f () {\n#ifdef A\n for (;;) {\n#else\n for (;1;) {\n#endif\n }\n}", ""},
		{"a.c", "void f () {\n#ifdef A\n for (;;) { }\n#else\n for (;1;);\n#endif\n}", "f 1-7: loop3-3(block3-3!) loop5-5"},
		{"a.c", "#include <stdio.h>\nvoid f () {\n for (;;) {\n#include \"body.h\"\n }\n}", "f 2-6: another file is included in it"},
		{"a.f90", "subroutine s\n#include \"b.h\"\n do i = 1, n\n#include \"body.h\"\n end do\nend", "s 1-6: loop3-5"},
		{"a.c", "void f () {\n FOR (i, n) { }\n}", "f 1-3: a block that may be a macro's or a function's in it"},
		{"a.cpp", "namespace a { template <typename T> class B : C {\n int n_ = 0;\n B () : n_ {1}, m (2) {\n#pragma acc data copy(x)\n {\n }\n }\n};\n}", "B 3-7: acc4-6(block5-6)"},
		{"a.cpp", "enum class E { a };\nint x[] = { 1, 2 };\nauto f () -> int {\n auto g = [&] (int i) { return i; };\n for (auto v : w) use (R\"(})\");\n}", "f 3-6: loop5-5"},
		{"a.cpp", "void f () {\n run ([&] {\n#pragma acc wait\n });\n}", "f 1-5: a directive in an expression"},
		{"a.f90", "program p\n do i = 1, n ! do\n!$acc parallel loop &\n!$acc copy(a)\n  do j = 1, &\n   m\n   a(j) = 'do' ; if (a(j) > 0) b = 1\n  end do\n end do\nend program", "p 1-10: loop2-9(acc3-8(loop5-8(if7-7!)))"},
		{"a.f90", "subroutine s\n!$acc parallel loop\n do i = 1, n\n end do\n!$acc parallel loop\n do i = 1, n\n end do\n!$acc end parallel loop\nend", "s 1-9: acc2-4(loop3-4) acc5-8(loop6-7)"},
		{"a.f90", "module m\n type :: t\n  integer :: do\n end type t\ncontains\n subroutine s (a)\n  outer: do while (x)\n!$acc data copy(a)\n   if (b) then\n    call c\n   else if (d) then\n    e = 1\n   end if\n!$acc end data\n  enddo outer\n end subroutine s\n integer function f ()\n  f = 1\n end function\nend module", "s 6-16: loop7-15(acc8-14(if9-13)) ; f 17-19: "},
		{"a.f90", "do i = 1, n\n call x\nend do\nend", "main 1-4: loop1-3"},
		{"a.f", "      subroutine s\nc     do\n      do 10 k = 1, n\n      do 10 j = 1,\n     &   m\nc$acc parallel loop\nc$acc& copy(a)\n      do 20 i = 1, n\n   20 a(i) = 1\n   10 continue\n      end", "s 1-11: loop3-10(loop4-10(acc6-9(loop8-9)))"},
		{"a.f90", "subroutine s\n do i = 1, n\nend subroutine", "s 1-3: something in it that is not ended"},
		{"a.f90", "subroutine s\n block\n end block\nend subroutine\nsubroutine u\n select case (x)\n case (1)\n  do\n  end do\n end select\nend", "s 1-4: block in it ; u 5-11: if6-10(loop8-9)"},
	} {
		var parts []string
		for _, p := range Of([]byte(test.text), test.path) {
			parts = append(parts, fmt.Sprintf("%s %d-%d: %s", p.Name, p.First, p.Last, p.Unread+tree(p.Body)))
		}
		if got := strings.Join(parts, " ; "); got != test.want {
			t.Errorf("%s\n%s\ngives %q,\nwant  %q", test.path, test.text, got, test.want)
		}
	}
}

func FuzzStructure(f *testing.F) {
	f.Add("void f () { for (;;) { x } }", "a.c")
	f.Add("      do 10 i = 1\n   10 a ; b & \n", "a.f")
	f.Add("if (a) then ; do\n!$acc end data\n", "a.f90")
	f.Fuzz(func(t *testing.T, text, path string) {
		for _, p := range Of([]byte(text), path) {
			p.Loop(2)
			All(p.Body, func(s *Statement) bool { return s.First <= s.Last })
		}
	})
}

// TestWritesAndCalls: members of elements are written with them, and Fortran's call needs no
// parentheses.
func TestWritesAndCalls(t *testing.T) {
	for _, test := range []struct {
		text  string
		write bool
		calls string
	}{
		{"a[i].x = f(1);", true, "f"}, {"a->x[2]++;", true, ""}, {"b = a[i].x == 1;", false, ""}, {"a%x(3) = 1", true, "x"},
		{"++a[0];", true, ""}, {"b[a[i]] = 1;", false, ""}, {"call f", false, "f"}, {"call f (a)", false, "f"}, {"call f ; call g", false, "f g"},
		{"(*f) (x);", false, "f"}, {"f[i] (x);", false, "f"}, {"f[i][2] (x);", false, "f"}, {"b = (double) (x);", false, ""}, {"b = (double *) (x);", false, ""}, {"return [&] (int i) { };", false, ""},
		{"write (*, *) (x, i = 1, n)", false, "write"}, {"if (*f) (x);", false, ""}, {"return (*f) (x);", false, "f"},
	} {
		tokens := Tokens(test.text)
		write := false
		for _, at := range Indexes(tokens, "a") {
			write = write || Writes(tokens, at)
		}
		var calls []string
		for _, c := range Calls(tokens) {
			calls = append(calls, c.Name)
		}
		if got := strings.Join(calls, " "); write != test.write || got != test.calls {
			t.Errorf("%s: writes %v, calls %q", test.text, write, got)
		}
	}
}
