package docs

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	// What an anchor leaves out of a heading's text.
	unanchored = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// pages are the Markdown files of the repository, by their path from the root.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	walk(t, func(name string) {
		if path.Ext(name) == ".md" && !strings.Contains(name, "/testdata/") {
			found = append(found, name)
		}
	})
	return found
}

// prose is a page without what stands in fences.
func prose(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}

// anchors are those of a page's headings, as code hosts name them.
func anchors(text string) []string {
	var all []string
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(unanchored.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return all
}

// TestLinks: what the pages link to within the repository is there, headings too.
func TestLinks(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			checked++
			target, anchor, _ := strings.Cut(m[1], "#")
			name := page
			if target != "" {
				name = path.Join(path.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(root, name)); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if anchor != "" && !slices.Contains(anchors(prose(t, name)), anchor) {
				t.Errorf("%s links to %s: %s has the headings %q", page, m[1], name, anchors(prose(t, name)))
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d links", checked)
	}
}

// TestIndex: docs/README.md leads to every page in docs, those of the advice by its
// own index.
func TestIndex(t *testing.T) {
	for folder, index := range map[string]string{"docs": "docs/README.md", "docs/advice": "docs/advice/README.md"} {
		var linked []string
		for _, m := range link.FindAllStringSubmatch(prose(t, index), -1) {
			linked = append(linked, path.Join(path.Dir(index), m[1]))
		}
		for _, page := range pages(t) {
			if path.Dir(page) == folder && page != index && !slices.Contains(linked, page) {
				t.Errorf("%s does not lead to %s", index, page)
			}
		}
	}
}

// TestScreens: every picture in docs/screens is on a page.
func TestScreens(t *testing.T) {
	shown := map[string]bool{}
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			shown[path.Join(path.Dir(page), m[1])] = true
		}
	}
	walk(t, func(name string) {
		if path.Dir(name) == "docs/screens" && !shown[name] {
			t.Errorf("%s is on no page", name)
		}
	})
}

// TestPathsInPages: files and folders of the repository that any page names in code
// are there.
func TestPathsInPages(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range ownPath.FindAllString(string(text), -1) {
			name = strings.TrimRight(name, ".")
			checked++
			found, err := filepath.Glob(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			if len(found) == 0 {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d paths", checked)
	}
}

// ownPath is a path that begins with a folder of the repository's root.
var ownPath = regexp.MustCompile(`(?:\b(?:callbacks|runtime|collector|tui|export|web|cmd|docs|examples)|\.ci)/[\w./*-]*[\w*]`)

// TestNotForUs: what accscope doctor says that accscope does not do, README.md's limits
// say, too, by the same names.
func TestNotForUs(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "cmd/accscope/doctor.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(string(source), "\nfunc notForUs() []finding {\n")
	body, _, _ = strings.Cut(body, "\n}\n")
	subjects := regexp.MustCompile(`(?m)^\t\t\{"([^"]+)", false, `).FindAllStringSubmatch(body, -1)
	if len(subjects) < 3 {
		t.Fatalf("doctor.go's notForUs has %d lines", len(subjects))
	}
	_, limits, _ := strings.Cut(prose(t, "README.md"), "\n## Limits\n")
	for _, m := range subjects {
		if !strings.Contains(limits, m[1]) {
			t.Errorf("README.md's limits do not name %s, as accscope doctor does", m[1])
		}
	}
}
