package advice

import (
	"strings"
	"testing"
)

func TestAccesses(t *testing.T) {
	for _, test := range []struct {
		line    string
		fortran bool
		want    access
	}{
		{"a[i] = b[i];", false, access{true, true}},
		{"b[i] = a[i];", false, access{true, false}},
		{"b[i] = a[i] == 1;", false, access{true, false}},
		{"a[c[i]][j + (k)] += 1;", false, access{true, true}},
		{"a [i]++;", false, access{true, true}},
		{"--a[i];", false, access{true, true}},
		{"a[i] <<= 1;", false, access{true, true}},
		{"b = a[i] <= c;", false, access{true, false}},
		{"ab[i] = 1; // a[i] = 2", false, access{}},
		{"w.a[i] = w->a[j];", false, access{}},
		{"w%a(i) = 1", true, access{}},
		{"b = 7 % a[i];", false, access{true, false}},
		{"#pragma acc parallel loop present(a)", false, access{}},
		{"a[i +", false, access{true, false}},
		{"A(i, j) = a(i - 1, j)", true, access{true, true}},
		{"b(i) = A(i) ! a(i) = 1", true, access{true, false}},
		{"if (A(i) == 1) b = 2", true, access{true, false}},
		{"!$acc parallel loop copy(a)", true, access{}},
		{"c$acc parallel loop copy(a)\nc a(i) = 2\n*$acc& present(a)\n      b(i) = 1", true, access{}},
		{"C$ACC parallel loop copy(a)\n      a(i) = 1", true, access{true, true}},
		{"", false, access{}},
	} {
		if got := accesses(strings.Split(test.line, "\n"), map[string]bool{"a": true}, test.fortran)["a"]; got != test.want {
			t.Errorf("%q: %+v, want %+v", test.line, got, test.want)
		}
	}
}

func TestDeclares(t *testing.T) {
	for _, test := range []struct {
		line    string
		fortran bool
		want    bool
	}{
		{"void f (const double *a, int n)", false, true},
		{"void f (std::vector<double> &a)", false, true},
		{"  double a[100];", false, true},
		{"  for (int i = 0; i < n; i++) b[i] = (a[i] + 1);", false, false},
		{"#pragma acc parallel loop present(double a)", false, false},
		{"subroutine f(b, a)", true, true},
		{"  real(8), intent(in) :: b(:), a(:)", true, true},
		{"  b(i) = a(i)", true, false},
		{"!$acc data copy(a)", true, false},
		{"  use fields, only: a", true, false},
	} {
		if got := declares([]string{test.line}, "a", test.fortran); got != test.want {
			t.Errorf("%q: %v", test.line, got)
		}
	}
}
