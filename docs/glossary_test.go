package docs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// glossary gives the names in backquotes of a table of glossary.md, by the column.
func glossary(t *testing.T, section string, column int) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n## "+section+"\n")
	if !found {
		t.Fatalf("glossary.md has no section %q", section)
	}
	rest, _, _ = strings.Cut(rest, "\n## ")
	all := map[string]bool{}
	for line := range strings.Lines(rest) {
		cells := strings.Split(line, "|")
		if len(cells) < column+3 {
			continue
		}
		for _, name := range names(cells[column+1]) {
			if all[name] {
				t.Errorf("glossary.md, %s, has %s twice", section, name)
			}
			all[name] = true
		}
	}
	return all
}

// compareNames says what either has and the other has not.
func compareNames(t *testing.T, section string, have, want map[string]bool) {
	t.Helper()
	if len(want) < 20 {
		t.Errorf("%s: only %d names were found in the source", section, len(want))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !have[name] {
			t.Errorf("glossary.md, %s, does not explain %q", section, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !want[name] {
			t.Errorf("glossary.md, %s, explains %q, which is no column", section, name)
		}
	}
}

// TestGlossaryOfTraces: the glossary has the columns of all views of a trace, and the
// page of the schema has the views.
func TestGlossaryOfTraces(t *testing.T) {
	schema, err := os.ReadFile("trace-schema.md")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]bool{}
	trace := tracetest.Open(t, tracetest.File(t, 10, 1))
	err = sqlitex.Execute(trace.Conn(), `SELECT v.name, c.name FROM pragma_table_list v, pragma_table_info(v.name) c WHERE v.type = 'view'`,
		&sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
			view := row.ColumnText(0)
			if view == "site_detail" {
				return nil // serves the others
			}
			columns[row.ColumnText(1)] = true
			if !strings.Contains(string(schema), "`"+view+"`") {
				t.Errorf("trace-schema.md does not have the view %s", view)
			}
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	compareNames(t, "Columns of a trace", glossary(t, "Columns of a trace", 0), columns)
}

// How sources write a table's columns: in reports, in comparisons, in the terminal's
// views and in the page's.
var (
	reportColumn   = regexp.MustCompile(`\{"([^"]*)", "([a-z_0-9]*)", (?:Text|Count|Nanoseconds|Bytes|BytesPerSecond|Fraction|Address|Variables)\}`)
	compareColumn  = regexp.MustCompile(`\{Title: "([^"]*)", Key: "([a-z_0-9]*)"`)
	terminalColumn = regexp.MustCompile(`\{title: "([^"]*)"(?:, (?:width|right|wide): [^}]*)?\}`)
	pageColumn     = regexp.MustCompile(`\btitle: "([^"]*)", unit\b`)
	pageHeads      = regexp.MustCompile(`const heads = \[(.*)\];`)
)

// TestGlossaryOfTables: the glossary has the columns of reports, comparisons, the
// terminal and the page, and their names in JSON.
func TestGlossaryOfTables(t *testing.T) {
	titles, keys := map[string]bool{"timed": true}, map[string]bool{}
	each := func(folder, extension string, f func(text string)) {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !entry.Type().IsRegular() || filepath.Ext(name) != extension || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(name)
			if err == nil {
				f(string(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	keyed := func(pattern *regexp.Regexp) func(string) {
		return func(text string) {
			for _, m := range pattern.FindAllStringSubmatch(text, -1) {
				titles[m[1]], keys[m[2]] = true, true
			}
		}
	}
	titled := func(pattern *regexp.Regexp) func(string) {
		return func(text string) {
			for _, m := range pattern.FindAllStringSubmatch(text, -1) {
				titles[m[1]] = true
			}
		}
	}
	each("collector/report", ".go", keyed(reportColumn))
	each("collector/compare", ".go", keyed(compareColumn))
	each("tui", ".go", titled(terminalColumn))
	each("web/ui/src", ".ts", titled(pageColumn))
	each("web/ui/src", ".ts", func(text string) {
		for _, m := range pageHeads.FindAllStringSubmatch(text, -1) {
			for title := range strings.SplitSeq(m[1], ", ") {
				titles[strings.Trim(title, `"`)] = true
			}
		}
	})
	delete(titles, "") // of columns for programs
	delete(keys, "")   // of columns for people
	const section = "Columns of reports, the terminal and the page"
	compareNames(t, section, glossary(t, section, 0), titles)
	compareNames(t, section+", in JSON and CSV", glossary(t, section, 1), keys)
}
