package report

import "testing"

// What has no name is the compiler's where the program names its data, and no clause
// lists it; else nobody knows.
func TestNameless(t *testing.T) {
	named := &site{kind: kindUpload, file: "a.f90", name: "field"}
	for _, c := range []struct {
		site  site
		named bool // whether other data have names
		want  string
	}{
		{site{kind: kindUpload, file: "a.f90", implicit: true}, true, "(compiler's temporaries)"},
		{site{kind: kindUpload, file: "a.f90", implicit: true, name: "?, ?"}, true, "(compiler's temporaries)"},
		{site{kind: kindUpload, file: "a.f90"}, true, "(unknown)"},
		{site{kind: kindUpload, implicit: true}, true, "(unknown)"},
		{site{kind: kindUpload, file: "a.f90", implicit: true}, false, "(unknown)"},
		{site{kind: kindUpload, file: "a.f90", implicit: true, name: "n, ?"}, true, "n, ?"},
	} {
		f := &facts{totals: []*total{{site: &c.site, count: 1}}}
		if c.named {
			f.totals = append(f.totals, &total{site: named, count: 1})
		}
		key, _ := f.dimension("variable")
		if got, counts := key(f.totals[0]); got != c.want || !counts {
			t.Errorf("%+v, others named %v: %v, want %s", c.site, c.named, got, c.want)
		}
	}
}
