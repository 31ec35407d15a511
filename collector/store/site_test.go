package store

import "testing"

// What has no name is the compiler's where the program names its data, and no clause
// lists it; else nobody knows.
func TestVariable(t *testing.T) {
	for _, c := range []struct {
		site  Description
		named bool // whether other data have names
		want  string
	}{
		{Description{File: "a.f90", Implicit: 1}, true, "(compiler's temporaries)"},
		{Description{File: "a.f90", Implicit: 1, Name: "?, ?"}, true, "(compiler's temporaries)"},
		{Description{File: "a.f90"}, true, "(unknown)"},
		{Description{Implicit: 1}, true, "(unknown)"},
		{Description{File: "a.f90", Implicit: 1}, false, "(unknown)"},
		{Description{File: "a.f90", Implicit: 1, Name: "n, ?"}, true, "n, ?"},
	} {
		if got := (&Trace{names: &names{namesData: c.named}}).Variable(&Site{Description: &c.site}); got != c.want {
			t.Errorf("%+v, others named %v: %s, want %s", c.site, c.named, got, c.want)
		}
	}
}
