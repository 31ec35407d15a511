package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var skipped = regexp.MustCompile(`compilers\.SkipEmulated\(t, "([^"]*)"\)`)

// TestEmulatedSkipsAreListed holds docs/compilers.md to the reasons for which tests are
// skipped under an emulator.
func TestEmulatedSkipsAreListed(t *testing.T) {
	page := strings.Join(strings.Fields(prose(t, "docs/compilers.md")), " ")
	count := 0
	walk(t, func(name string) {
		if !strings.HasSuffix(name, "_test.go") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range skipped.FindAllStringSubmatch(string(text), -1) {
			count++
			if !strings.Contains(page, m[1]) {
				t.Errorf("%s: docs/compilers.md does not list %q", name, m[1])
			}
		}
	})
	if count == 0 {
		t.Error("no test is skipped under an emulator")
	}
}
