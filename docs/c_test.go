package docs

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestCHasReasons: each file in C has one row of architecture.md that says why it is not
// in Go, and each pattern of a row has files.
func TestCHasReasons(t *testing.T) {
	page, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## What is in C, and why\n")
	if !found {
		t.Fatal("architecture.md has no section about C")
	}
	files := map[string]int{} // pattern: files that it fits
	for line := range strings.Lines(section) {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		for _, pattern := range names(strings.Split(line, "|")[1]) {
			files[pattern] = 0
		}
	}
	extensions := []string{".c", ".h", ".S"}
	walk(t, func(name string) {
		if !slices.Contains(extensions, path.Ext(name)) || within(name, "examples") || strings.Contains(name, "/testdata/") {
			return
		}
		var rows []string
		for pattern := range files {
			if fits, err := path.Match(pattern, name); err != nil {
				t.Fatalf("%s: %v", pattern, err)
			} else if fits {
				rows = append(rows, pattern)
				files[pattern]++
			}
		}
		if len(rows) != 1 {
			t.Errorf("%s has %d rows in architecture.md's table of C: %q", name, len(rows), rows)
		}
	})
	for pattern, count := range files {
		if count == 0 {
			t.Errorf("architecture.md: no C file is %s", pattern)
		}
	}
}
