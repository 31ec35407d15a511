package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Data without a name are the compiler's temporaries in every table, in the summary and
// for the filter, where the program names its other data and no clause lists these; and
// of unknown name where one does.
func TestDataWithoutName(t *testing.T) {
	for name, c := range map[string]struct{ implicit, want, sentence string }{
		"temporaries": {"1", "(compiler's temporaries)", "(compiler's temporaries)"},
		"unknown":     {"0", "(unknown)", "data"},
	} {
		t.Run(name, func(t *testing.T) {
			path := tracetest.File(t, 3000, 1)
			// Creation is kind 6, allocation 8, upload 20, deletion 7.
			tracetest.Change(t, path, "UPDATE site_detail SET name = NULL, variable = NULL, implicit = "+c.implicit+" WHERE kind_code IN (6, 8, 20)",
				"UPDATE site_detail SET (parent_construct, construct) = (SELECT code, name FROM construct WHERE name = 'enter_data') WHERE kind_code IN (6, 8)",
				"UPDATE process SET ended = 'exited'", "INSERT INTO meta SELECT 'process_exit_' || id, 'status 0' FROM process",
				"UPDATE record SET link = 0 WHERE id % 3 = 0 AND site IN (SELECT site FROM site_detail WHERE kind_code IN (7, 9))")
			trace := tracetest.Open(t, path)
			document, err := Build(trace, Options{})
			if err != nil {
				t.Fatal(err)
			}
			begin, end, err := trace.Extent()
			if err != nil {
				t.Fatal(err)
			}
			present, err := Present(trace, (begin+end)/2, Filter{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			tables := map[string]bool{}
			for _, table := range append(document.Tables, present.Tables...) {
				if table.Columns[0].Key != "variable" {
					continue
				}
				for _, row := range table.Rows {
					if row[0] == nil || row[0] == "" {
						t.Errorf("%s has a row without a variable: %v", table.Key, row)
					}
					tables[table.Key] = tables[table.Key] || row[0] == c.want
				}
			}
			for _, key := range []string{"transfers_by_variable", "leaks", "present"} {
				if !tables[key] {
					t.Errorf("no row of %s is %s", key, c.want)
				}
			}
			summary, err := Summarize(trace, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := summary.Write(&text, Screen{Width: 200, Lines: 100}); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "  "+c.want) || !strings.Contains(text.String(), "never deleted: "+c.sentence) {
				t.Errorf("the summary does not say %s:\n%s", c.want, &text)
			}
			filtered, err := Build(trace, Options{Filter: Filter{Variable: c.want}})
			if err != nil {
				t.Fatal(err)
			}
			if len(filtered.Warnings) != 0 {
				t.Errorf("filter %s: %v", c.want, filtered.Warnings)
			}
		})
	}
}
