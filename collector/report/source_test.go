package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDirective(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := write("a.c", "int x;\n#pragma acc parallel loop \\\n    copy(a[0:n]) \\\n    async\nfor (;;)\n"+
		"  acc_copyin (a,\tn);\n#pragma acc wait \x1b[31m\n#pragma acc data "+strings.Repeat("copy(abc) ", 20)+"\n#pragma acc wait \\")
	fortran := write("b.f90", "!$acc parallel loop &\n  !$acc& copy(a) &\n!$ACC async(1)\ndo i = 1, n\n")
	secret := write("secret", "root:x:0:0\n")
	s := Sources{recorded: time.Now().Add(time.Hour), files: map[string]*sourceFile{}}
	for _, test := range []struct {
		path string
		line int64
		want any
	}{
		{c, 2, "#pragma acc parallel loop copy(a[0:n]) async"},
		{c, 3, "#pragma acc parallel loop copy(a[0:n]) async"},
		{c, 6, "acc_copyin (a, n);"},
		{c, 7, "#pragma acc wait ?[31m"},
		{c, 8, "#pragma acc data " + strings.Repeat("copy(abc) ", 5) + "co..."},
		{c, 9, "#pragma acc wait \\"},
		{c, 1, nil}, {c, 0, nil}, {c, -1, nil}, {c, 10, nil}, {c, 1 << 40, nil},
		{fortran, 1, "!$acc parallel loop copy(a) async(1)"},
		{secret, 1, nil},
		{filepath.Join(folder, "missing.c"), 1, nil},
		{folder, 1, nil},
		{"", 1, nil},
	} {
		if got := s.directive(test.path, test.line); got != test.want {
			t.Errorf("%s:%d: %q, expected %q", filepath.Base(test.path), test.line, got, test.want)
		}
	}
	changed := Sources{recorded: time.Now().Add(-time.Hour), files: map[string]*sourceFile{}}
	if got := changed.directive(c, 2); got != nil {
		t.Errorf("a file that was changed after the run gives %q", got)
	}
}

func TestPlaceNames(t *testing.T) {
	names := placeNames{}
	places := []placeKey{{"/a/x.c", 1, ""}, {"/b/x.c", 1, ""}, {"/a/y.c", 2, ""}, {"", -1, "main"}, {"", -1, ""}}
	for _, p := range places {
		names.add(p)
	}
	for i, want := range []string{"/a/x.c:1", "/b/x.c:1", "y.c:2", "main", "(unknown)"} {
		if got := names.of(places[i]); got != want {
			t.Errorf("%v is called %q, expected %q", places[i], got, want)
		}
	}
}
