package accscope

import (
	"os/exec"
	"strings"
	"testing"
)

// The newest heading is the version, one without a number what will be the next one.
func TestVersion(t *testing.T) {
	for text, want := range map[string]string{
		"# Changelog\n\n## 1.2.3\n\n- x\n\n## 1.2.2\n":              "1.2.3",
		"## 1.2.3 (2026-12-01)\n":                                   "1.2.3",
		"## Unreleased\n\n## 1.2.3\n":                               "1.2.3 and later",
		"# Changelog\n\n## Unreleased\n\n### 1.0.0 is no heading\n": "0.0.0 and later",
		"": "0.0.0 and later",
	} {
		version, released := newest(text)
		if !released {
			version += " and later"
		}
		if version != want {
			t.Errorf("%q: %s, want %s", text, version, want)
		}
	}
}

// The packages have the version of the same heading, whatever is built from a commit that is no
// release has its number behind a plus sign, and a tag is that of the heading.
func TestPackagesVersion(t *testing.T) {
	output, err := exec.Command(".ci/dist/version").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	version, released := Version()
	if got, _, later := strings.Cut(strings.TrimSpace(string(output)), "+"); got != version || !released && !later {
		t.Errorf("packages are of %s, the changelog's newest heading is %s (released: %v)", output, version, released)
	}
}
