package model_test

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
)

// A transfer that carried several variables has a list of them for a name.
func TestCarried(t *testing.T) {
	for _, c := range []struct {
		text, few string
		want      []string
	}{
		{"dx", "dx", []string{"dx"}},
		{"", "", []string{""}},
		{"dx, dy", "dx, dy", []string{"dx", "dy"}},
		{"dx, dy, nx, ?, ?", "dx, dy, nx (+2)", []string{"dx", "dy", "nx", "?", "?"}},
		{"a(1,2)%b, Grid<int, 2>::count, m[std::pair(1, 2)]", "a(1,2)%b, Grid<int, 2>::count, m[std::pair(1, 2)]",
			[]string{"a(1,2)%b", "Grid<int, 2>::count", "m[std::pair(1, 2)]"}},
		{"list->values, grid->nx, n, m, k", "list->values, grid->nx, n (+2)", []string{"list->values", "grid->nx", "n", "m", "k"}},
	} {
		if got := model.Carried(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if got := model.Few(c.text); got != c.few {
			t.Errorf("%q on a line: %q, want %q", c.text, got, c.few)
		}
	}
}
