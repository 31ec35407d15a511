package web

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The page calls kernels by their place, or where that is several by the linker's name
// demangled, and finds them by any of these. Overloads, whose demangled names are the
// same, are counted apart.
func TestKernelNames(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	// The kernels of every other queue are those of one overload.
	tracetest.Change(t, path,
		"INSERT INTO string VALUES (1001, '_ZN4Grid4stepEd._omp_fn.0'), (1002, '_ZN4Grid4stepEf._omp_fn.0')",
		"UPDATE site SET name = 1001 + queue % 2 WHERE kind = 18", "UPDATE work SET name = 1001 + queue % 2 WHERE kind = 1", tracetest.Spell)
	s := serve(t, Options{Traces: []string{path, path}})
	const shown = "Grid::step._omp_fn.0"
	found := func(text string) (events int64) {
		a := answer[searchAnswer](t, s, "/api/search?text="+text)
		for _, m := range a.Matches {
			if m.Name != shown {
				t.Errorf("%s finds %q, want only %q", text, m.Name, shown)
			}
		}
		return a.Events
	}
	both, double, float := found("Grid::step._omp"), found("_ZN4Grid4stepEd"), found("_ZN4Grid4stepEf")
	if double == 0 || float == 0 || both != double+float {
		t.Errorf("by the shown name %d launches are found, by the overloads' own %d and %d", both, double, float)
	}
	seen := map[string]int{}
	for _, m := range answer[statisticsAnswer](t, s, "/api/statistics?from=0&to=9000000000000").Rows {
		seen["statistics "+m.Group+" "+m.Name]++
	}
	for _, m := range answer[statisticsAnswer](t, s, "/api/statistics?from=0&to=3000000").Rows {
		seen["part "+m.Group+" "+m.Name]++
	}
	for _, d := range answer[compareAnswer](t, s, "/api/compare?by=kernel").Rows {
		seen["compare "+d.Name]++
	}
	for _, report := range []string{"/api/report", "/api/report?by=kernel"} {
		for _, table := range answer[reportAnswer](t, s, report).Tables {
			if table.Columns[0].Key == "kernel" {
				for _, row := range table.Rows {
					seen[fmt.Sprintf("%s %v", report, row[0])]++
				}
			}
		}
	}
	for _, place := range []string{"statistics host", "statistics device", "part host", "part device", "compare", "/api/report", "/api/report?by=kernel"} {
		if n := seen[place+" "+shown]; n < 2 {
			t.Errorf("%s shows %d lines of the overloads, not one for each; it has %q", place, n, slices.Sorted(maps.Keys(seen)))
		}
	}
	launch := answer[nextAnswer](t, s, "/api/next?text=_ZN4Grid4stepEd").Record
	d := answer[detail](t, s, fmt.Sprint("/api/record?id=", launch))
	if d.Name != shown || !slices.ContainsFunc(d.Fields, func(f field) bool { return f.Name == "linker's name" && f.Value == "_ZN4Grid4stepEd._omp_fn.0" }) {
		t.Errorf("details of a launch: %+v", d)
	}
	if a := answer[detail](t, s, fmt.Sprint("/api/activity?id=", d.Activity)); a.Name != shown {
		t.Errorf("details of its activity: %+v", a)
	}
}

// Data without a name are the compiler's temporaries on all of the page, where the program
// names its other data and no clause lists these.
func TestTemporaries(t *testing.T) {
	path := tracetest.File(t, 3000, 1)
	tracetest.Change(t, path, "UPDATE site_detail SET name = NULL, variable = NULL, implicit = 1 WHERE kind_code IN (6, 8) OR kind_code = 20 AND queue % 2 = 0")
	s := serve(t, Options{Traces: []string{path, path}})
	const want = "(compiler's temporaries)"
	found := map[string]bool{}
	memory := answer[variablesAnswer](t, s, "/api/variables?device=1&from=0&to=9000000000&pixels=10")
	for _, v := range memory.Variables {
		found["memory "+v.Name] = true
	}
	for _, m := range answer[mappingsAnswer](t, s, fmt.Sprint("/api/mappings?at=", (memory.PeakTime+memory.PeakEnd)/2)).Mappings {
		found["present "+m.Name] = true
	}
	for _, d := range answer[compareAnswer](t, s, "/api/compare?by=variable").Rows {
		found["compare "+d.Name] = true
	}
	for _, place := range []string{"memory", "present", "compare"} {
		if !found[place+" "+want] || found[place+" "] || found[place+" (no name)"] {
			t.Errorf("%s has no %s, but %q", place, want, slices.Sorted(maps.Keys(found)))
		}
	}
}

// Variables of several programs that have one name are counted apart, in the sums of the whole
// trace and of a part.
func TestVariablesOfPrograms(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 2, Activity: true, Seed: 2}); err != nil {
		t.Fatal(err)
	}
	tracetest.Change(t, path, "UPDATE process SET program = '/a/' || CASE rank WHEN 0 THEN 'first' ELSE 'second' END",
		"INSERT OR IGNORE INTO string VALUES (1001, 'shared')", "UPDATE site SET name = 1001 WHERE kind IN (20, 22)", "UPDATE work SET name = 1001 WHERE kind IN (2, 3)", tracetest.Spell)
	s := serve(t, Options{Traces: []string{path}})
	for _, to := range []string{"9000000000000", "3000000"} {
		seen := map[string]bool{}
		for _, m := range answer[statisticsAnswer](t, s, "/api/statistics?from=0&to="+to).Rows {
			seen[m.Group+" "+m.Name] = true
		}
		for _, group := range []string{"host", "device"} {
			for _, program := range []string{"first", "second"} {
				if !seen[group+" shared ("+program+")"] || seen[group+" shared"] {
					t.Errorf("to %s: no shared of %s, on the %s; %q", to, program, group, slices.Sorted(maps.Keys(seen)))
				}
			}
		}
	}
}
