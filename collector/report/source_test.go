package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/store"
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
	s := *SourcesAt(time.Now().Add(time.Hour))
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
	changed := *SourcesAt(time.Now().Add(-time.Hour))
	if got := changed.directive(c, 2); got != nil {
		t.Errorf("a file that was changed after the run gives %q", got)
	}
}

// TestChangedSource: a file is the one that ran by its content, whatever its age; of another one
// the trace has the directives.
func TestChangedSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.c")
	const text = "for (;;)\n#pragma acc wait(1)\n;\n"
	for _, now := range []string{text, text + "\n", ""} {
		if err := os.WriteFile(path, []byte(now), 0o600); err != nil {
			t.Fatal(err)
		}
		s := SourcesAt(time.Now().Add(-time.Hour))
		s.noted = &store.Meta{Sources: map[string]string{path: store.SourceHash([]byte(text))}, Directives: map[string]string{path + ":2": "#pragma acc wait(1)"}, Loops: map[string]string{path + ":2": "1 for (;;)"}}
		changed := now != text
		if got := s.Directive(path, 2); got != "#pragma acc wait(1)" || s.IsChanged(path) != changed || len(s.Changed()) > 0 != changed || (s.Content(path) == "") != changed || s.LoopAround(path, 2) != 1 || s.LoopAround(path, 3) != 0 {
			t.Errorf("%q: %q, changed %v", now, got, s.IsChanged(path))
		}
	}
}

func TestPlaceNames(t *testing.T) {
	names := placeNames{}
	places := []placeKey{{file: "/a/x.c", line: 1}, {file: "/b/x.c", line: 1}, {file: "/a/y.c", line: 2}, {line: -1, function: "main"}, {line: -1}}
	for _, p := range places {
		names.add(p)
	}
	for i, want := range []string{"/a/x.c:1", "/b/x.c:1", "y.c:2", "main", "(unknown)"} {
		if got := names.of(places[i]); got != want {
			t.Errorf("%v is called %q, expected %q", places[i], got, want)
		}
	}
}
