package directive

import "testing"

// TestExcludes: which directives run in the place of which others, by their lines.
func TestExcludes(t *testing.T) {
	for _, of := range []struct {
		file, text string
		excludes   [][2]int // each other pair is of directives that may both run
	}{
		{"a.c", `void f (void) {
#pragma acc update self(a)
  if (x) {
#pragma acc update self(b)
  } else {
#pragma acc update self(c)
  }
#pragma acc update self(d)
}
`, [][2]int{{4, 6}}},
		{"a.c", `void f (void) {
#pragma acc update self(a)
  for (;;) switch (x) {
  case 1:;
#pragma acc update self(b)
    break;
  default: {
#pragma acc update self(c)
    }
  }
  if (y) {
#pragma acc update self(d)
    if (z) { return; } // leaves out
  }
#pragma acc update self(e)
}
`, [][2]int{{5, 8}, {5, 12}, {8, 12}, {12, 15}}},
		{"a.f90", `subroutine f
!$acc update self(a)
if (x .and. & ! then
    y) then
!$acc update self(b)
else if (y) then
!$acc update self(c)
end if
loop: do i = 1, n
  if (z) then
!$acc update self(d)
    cycle
  end if
!$acc update self(e)
end do loop
!$acc update self(f)
end subroutine
`, [][2]int{{5, 7}, {5, 11}, {5, 14}, {7, 11}, {7, 14}, {11, 14}}},
	} {
		want := map[[2]int]bool{}
		for _, pair := range of.excludes {
			want[pair] = true
		}
		all := Of([]byte(of.text), of.file)
		for a, d := range all {
			for b, other := range all {
				if pair := [2]int{a, b}; a < b && (d.Excludes(other) != want[pair] || other.Excludes(d) != want[pair]) {
					t.Errorf("%s, lines %d and %d: excludes %v, want %v", of.file, a, b, !want[pair], want[pair])
				}
			}
		}
	}
}

// TestConditional: what a comment holds is no directive, and what the preprocessor may leave out
// is known.
func TestConditional(t *testing.T) {
	const text = `/* "
#pragma acc update self(no)
*/ char c = '"'; // /*
#ifdef A
#pragma acc update self(a)
#if B
#pragma acc update self(b) /* of
  two lines */
#endif
#else
#pragma acc update self(c)
#endif
void f (void) {
}
#pragma acc update self(d)
`
	all := Of([]byte(text), "a.c")
	for line, want := range map[int][3]int{5: {5, 9, 0}, 7: {7, 8, 0}, 11: {11, 11, 0}, 15: {0, 0, 1}} {
		if d := all[line]; d == nil || [3]int{d.Conditional[0], d.Conditional[1], d.Part} != want {
			t.Errorf("line %d: %+v, want the part %v", line, d, want)
		}
	}
	if all[2] != nil {
		t.Errorf("a comment has the directive %s", all[2].Text())
	}
}

// TestRemaining: the one item whose data have no name is called as a variable is in its language.
func TestRemaining(t *testing.T) {
	for _, of := range []struct {
		text  string
		names []string
		want  string
	}{
		{"!$acc update self(a, S%Fix(1:5))", []string{"a", ""}, "s%fix"},
		{"#pragma acc update self(sp->m[0:10], a)", []string{"", "a"}, "sp->m"},
		{"#pragma acc update self(t[i].m[0:10])", []string{""}, "t[i].m"},
		{"#pragma acc update self(a, b)", []string{"", ""}, ""},
	} {
		d := Parse(of.text)
		var entries []int
		at := 0
		for i, name := range of.names {
			if entries = append(entries, i); name == "" {
				at = i
			}
		}
		if got := d.Remaining(of.names, entries, at); got != of.want {
			t.Errorf("%s of %q: %q, want %q", of.text, of.names, got, of.want)
		}
	}
	d := Parse("#pragma acc enter data copyin(s.m[0:5], a) create(b.x, b.y)")
	for variable, want := range map[string]int{"s": 1, "a": 0, "b": 2, "": 0, "s.m": 0} {
		if got := d.Components(variable); len(got) != want || want == 1 && got[0] != "s.m[0:5]" {
			t.Errorf("the components of %q are %q, want %d", variable, got, want)
		}
	}
}
