package report

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Summary and report say to compile with -g where there are compute constructs and no
// event has a file, and only there.
func TestProgramWithoutPlaces(t *testing.T) {
	for _, test := range []struct {
		name, change string
		said         bool
	}{
		{"with places", "", false},
		{"without", "UPDATE site_detail SET source_file = NULL", true},
		{"one event has a place", "UPDATE site_detail SET source_file = NULL WHERE site <> (SELECT min(site) FROM total WHERE site IN (SELECT site FROM site_detail WHERE source_file <> ''))", false},
		{"without constructs", "UPDATE site_detail SET source_file = NULL, kind_code = iif(kind_code = 16, 14, kind_code)", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tracetest.File(t, 3000, 1)
			if test.change != "" {
				tracetest.Change(t, path, test.change)
			}
			trace := tracetest.Open(t, path)
			summary, err := Summarize(trace, Filter{})
			if err != nil {
				t.Fatal(err)
			}
			if said := slices.Contains(summary.Findings, WithoutPlaces); said != test.said {
				t.Errorf("the summary says it: %v, want %v: %q", said, test.said, summary.Findings)
			}
			document, err := Build(trace, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if said := slices.Contains(document.Facts, Fact{"places", WithoutPlaces}); said != test.said {
				t.Errorf("the report says it: %v, want %v: %q", said, test.said, document.Facts)
			}
		})
	}
}
