package advice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIgnore(t *testing.T) {
	f := &Finding{Rule: "round-trip", File: "/src/app/heat.c", Function: "a::step", Line: 3}
	if got, want := f.Name(), "round-trip@heat.c:a::step"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	unknown := &Finding{Rule: "swallowed-error", Function: "main"}
	for _, test := range []struct {
		text    string
		finding *Finding
		want    bool
	}{
		{f.Name(), f, true}, {"round-trip", f, true}, {"round-trip@heat.c", f, true}, {"round-trip@app/heat.c", f, true}, {"*@heat.c", f, true}, {"round-*@*.c:*step", f, true},
		{"round-trip@heat.c:step", f, false}, {"round-trip@eat.c", f, false}, {"idle-queue", f, false}, {"round-trip@other/heat.c", f, false},
		{unknown.Name(), unknown, true}, {"swallowed-error@heat.c", unknown, false}, {"swallowed-error@:other", unknown, false},
	} {
		p, err := ParsePattern(test.text)
		if err != nil || p.Covers(test.finding) != test.want {
			t.Errorf("%s of %s: %v (%v)", test.text, test.finding.Name(), !test.want, err)
		}
	}
	if _, err := ParsePattern("rond-trip@heat.c"); err == nil || !strings.Contains(err.Error(), `there is no rule "rond-trip"`) {
		t.Error(err)
	}
	file := filepath.Join(t.TempDir(), IgnoreFile)
	if patterns, err := ReadIgnored(file); err != nil || patterns != nil {
		t.Error(patterns, err)
	}
	if err := os.WriteFile(file, []byte("# known\n\nround-trip@heat.c:a::step # the input\n  idle-queue\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	patterns, err := ReadIgnored(file)
	if err != nil {
		t.Fatal(err)
	}
	if left, ignored := Ignore([]*Finding{f, unknown}, patterns); ignored != 1 || len(left) != 1 || left[0] != unknown {
		t.Error(left, ignored)
	}
	if err := os.WriteFile(file, []byte("\nnothing@heat.c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadIgnored(file); err == nil || !strings.Contains(err.Error(), IgnoreFile+":2: ") {
		t.Error(err)
	}
}
