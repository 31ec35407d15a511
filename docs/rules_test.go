// Package docs holds the repository to the rules that architecture.md states: who
// imports whom, where unsafe and cgo may be; and to those that need no table:
// packages explain themselves, files stay readable, goroutines end, and what the
// pages for maintainers name is there.
package docs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = ".."
	module = "github.com/accscope/accscope/"
	// maxLines is the length that a file of source text may have.
	maxLines = 600
)

// open are the modules that every package may import.
var open = []string{"golang.org/x/sys", "golang.org/x/term"}

// room is a row of architecture.md's tables.
type room struct {
	tests           bool // of the second table
	imports, others []string
	unsafe, cgo     bool
}

var quoted = regexp.MustCompile("`([^`]+)`")

// names are the texts in backquotes.
func names(cell string) []string {
	var found []string
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		found = append(found, m[1])
	}
	return found
}

// rooms reads architecture.md's tables: rooms by their folder.
func rooms(t *testing.T) map[string]*room {
	t.Helper()
	page, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*room{}
	columns := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") {
			columns = 0
			continue
		}
		if strings.TrimSpace(cells[0]) == "room" {
			columns = len(cells)
			continue
		}
		if columns != 2 && columns != 5 || strings.HasPrefix(line, "| ---") {
			continue
		}
		if len(cells) != columns {
			t.Fatalf("architecture.md: %d cells of %d in %s", len(cells), columns, line)
		}
		r := &room{tests: columns == 2}
		if !r.tests {
			r.imports, r.others = names(cells[2]), names(cells[3])
			r.cgo = strings.TrimSpace(cells[4]) == "cgo"
			r.unsafe = r.cgo || strings.TrimSpace(cells[4]) == "unsafe"
		}
		for _, folder := range names(cells[0]) {
			if all[folder] != nil {
				t.Fatalf("architecture.md has %s twice", folder)
			}
			all[folder] = r
		}
	}
	if len(all) < 10 {
		t.Fatalf("architecture.md has %d rooms", len(all))
	}
	return all
}

// within says whether a path is a folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// find gives the room of a package, nil if it has none.
func find(all map[string]*room, folder string) *room {
	if folder == "." { // the module's own package
		return all["."]
	}
	for ; folder != "."; folder = path.Dir(folder) {
		if r := all[folder]; r != nil {
			return r
		}
	}
	return nil
}

// built are folders of the checkout that hold what is built or fetched.
var built = []string{".git", ".build", ".carry", ".gl", "bin", "lib", "include", "web/dist"}

// walk calls f with each file of the repository, by its path from the root.
func walk(t *testing.T, f func(name string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err = filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(built, name) || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			f(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// goFile is a parsed file of this module.
type goFile struct {
	name   string // its path from the root
	folder string
	test   bool
	syntax *ast.File
}

func (g *goFile) imports() []string {
	var paths []string
	for _, i := range g.syntax.Imports {
		paths = append(paths, strings.Trim(i.Path.Value, `"`))
	}
	return paths
}

func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	set := token.NewFileSet()
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.Contains(name, "/testdata/") ||
			within(name, "export/consumers") || within(name, ".ci") { // modules of their own
			return
		}
		syntax, err := parser.ParseFile(set, filepath.Join(root, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, goFile{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax})
	})
	return files
}

// TestImports: each package imports what its row of architecture.md allows, and
// each row allows no more than is imported.
func TestImports(t *testing.T) {
	all := rooms(t)
	used := map[*room]map[string]bool{}
	for _, g := range goFiles(t) {
		r := find(all, g.folder)
		if r == nil {
			t.Errorf("%s lies in no room of architecture.md", g.name)
			continue
		}
		if used[r] == nil {
			used[r] = map[string]bool{}
		}
		if g.test || r.tests {
			continue
		}
		for _, imported := range g.imports() {
			allowed := slices.Concat(r.others, open)
			ours, is := strings.CutPrefix(imported, module)
			if imported+"/" == module {
				ours, is = ".", true
			}
			switch {
			case is:
				if find(all, ours) == r {
					continue
				}
				if of := find(all, ours); of == nil || of.tests {
					t.Errorf("%s imports %s, which serves tests", g.name, ours)
					continue
				}
				imported, allowed = ours, r.imports
			case !strings.Contains(strings.Split(imported, "/")[0], "."):
				continue // the standard library
			}
			i := slices.IndexFunc(allowed, func(a string) bool { return within(imported, a) })
			if i < 0 {
				t.Errorf("%s imports %s: its room may import %q", g.name, imported, allowed)
				continue
			}
			used[r][allowed[i]] = true
		}
	}
	for folder, r := range all {
		for _, allowed := range slices.Concat(r.imports, r.others) {
			if !used[r][allowed] {
				t.Errorf("architecture.md: %s may import %s and does not", folder, allowed)
			}
		}
		if used[r] == nil {
			t.Errorf("architecture.md: no Go package lies in %s", folder)
		}
	}
}

// TestUnsafeAndCgo: both are where architecture.md says, and nowhere else.
func TestUnsafeAndCgo(t *testing.T) {
	all := rooms(t)
	unsafe, cgo := map[*room]bool{}, map[*room]bool{}
	for _, g := range goFiles(t) {
		r := find(all, g.folder)
		if r == nil || r.tests || g.test {
			continue
		}
		if slices.Contains(g.imports(), "unsafe") {
			unsafe[r] = true
			if !r.unsafe {
				t.Errorf("%s imports unsafe", g.name)
			}
		}
		if slices.Contains(g.imports(), "C") {
			cgo[r] = true
			if !r.cgo {
				t.Errorf("%s uses cgo", g.name)
			}
		}
	}
	for folder, r := range all {
		if r.unsafe && !r.cgo && !unsafe[r] || r.cgo && !cgo[r] {
			t.Errorf("architecture.md: %s needs no unsafe or no cgo", folder)
		}
	}
}

// TestPackageComments: each package says once what it is for.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	for _, g := range goFiles(t) {
		if comments[g.folder] == nil {
			comments[g.folder] = []string{}
		}
		if g.syntax.Doc != nil {
			comments[g.folder] = append(comments[g.folder], g.name)
		}
	}
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("%s has %d package comments: %q", folder, len(files), files)
		}
	}
}

// TestTopLevel holds the repository's root to what belongs there, and what make puts
// beside it: a binary that `go build` left is neither.
func TestTopLevel(t *testing.T) {
	belongs := []string{"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md", "callbacks", "changelog.go", "changelog_test.go", "cmd", "collector", "docs", "examples",
		"export", "findings", "go.mod", "go.sum", "runtime", "tui", "web", "bin", "dist", "include", "lib"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".accscope.db") && !slices.Contains(belongs, name) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
}

var sourceExtensions = []string{".go", ".c", ".h", ".S", ".cpp", ".cu", ".f90", ".F90", ".py", ".sh", ".ts", ".tsx", ".js", ".mjs", ".css", ".html", ".sql", ".mk"}

// TestFileLengths: no file of source text is longer than one can hold in mind.
func TestFileLengths(t *testing.T) {
	counted := 0
	walk(t, func(name string) {
		if !slices.Contains(sourceExtensions, path.Ext(name)) {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		counted++
		if lines := bytes.Count(text, []byte("\n")); lines > maxLines {
			t.Errorf("%s has %d lines, at most %d", name, lines, maxLines)
		}
	})
	if counted < 100 {
		t.Errorf("%d files counted", counted)
	}
}

var shared = regexp.MustCompile(`(?m)^#\s*define\s+((?:ACC|ACCSCOPE|CAPTURE|GOACC)_\w+)\b`)

// TestMacrosHaveOneHome: what C files share is defined in one header.
func TestMacrosHaveOneHome(t *testing.T) {
	home := map[string]string{}
	walk(t, func(name string) {
		if path.Ext(name) != ".c" && path.Ext(name) != ".h" || strings.Contains(name, "/testdata/") {
			return
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shared.FindAllStringSubmatch(string(text), -1) {
			if first := home[m[1]]; first != "" && first != name {
				t.Errorf("%s is defined in %s and in %s", m[1], first, name)
			}
			home[m[1]] = name
		}
	})
	if len(home) < 50 {
		t.Errorf("%d macros found", len(home))
	}
}

// starts says whether a file starts goroutines.
func starts(syntax *ast.File) bool {
	found := false
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr: // of a sync.WaitGroup
			method, is := n.Fun.(*ast.SelectorExpr)
			found = found || is && method.Sel.Name == "Go" && len(n.Args) == 1
		}
		return !found
	})
	return found
}

// TestLeaksAreLookedFor: the tests of a package that starts goroutines end with a
// look for those left behind.
func TestLeaksAreLookedFor(t *testing.T) {
	all := rooms(t)
	starting, tested, looking := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, g := range goFiles(t) {
		if g.test {
			tested[g.folder] = true
			looking[g.folder] = looking[g.folder] || slices.Contains(g.imports(), module+"runtime/leftover")
		} else if r := find(all, g.folder); r != nil && !r.tests && starts(g.syntax) {
			starting[g.folder] = g.name
		}
	}
	for folder, file := range starting {
		if tested[folder] && !looking[folder] {
			t.Errorf("%s starts goroutines: let TestMain call leftover.Main", file)
		}
	}
}

var (
	maintainers = []string{"docs/architecture.md", "docs/rationale.md", "CONTRIBUTING.md"}
	fenced      = regexp.MustCompile("(?s)```.*?```")
	pathLike    = regexp.MustCompile(`^[\w.-]+(/[\w.*-]+)+/?$|^[\w-]+\.(go|c|h|md|mk)$`)
)

// TestPagesNameWhatIsThere: the paths in the pages for maintainers exist.
func TestPagesNameWhatIsThere(t *testing.T) {
	for _, page := range maintainers {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		// A path, and none of another module.
		for _, name := range names(fenced.ReplaceAllString(string(text), "")) {
			if !pathLike.MatchString(name) || strings.Contains(strings.Split(name, "/")[0], ".") && strings.Contains(name, "/") {
				continue
			}
			found++
			here, _ := filepath.Glob(filepath.Join(root, path.Dir(page), name))
			there, err := filepath.Glob(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			if len(here)+len(there) == 0 {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
		if found < 5 {
			t.Errorf("%s names %d paths", page, found)
		}
	}
}
