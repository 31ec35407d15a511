package report

import (
	"reflect"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// A window before the origin has what lies there, though 0 is otherwise no bound: a trace
// may have begun before its origin.
func TestWindowBeforeTheOrigin(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	trace := tracetest.Open(t, path)
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	all := rowsOf(t, trace, Filter{})
	if all == 0 {
		t.Fatal("the trace has no constructs")
	}
	for _, c := range []struct {
		filter  Filter
		rows    int
		warning string
	}{
		{Filter{From: first - 2000, To: first - 1000, Exactly: true}, 0, "after the window ends"},
		{Filter{From: first - 2000, To: 0, Exactly: true}, 0, "after the window ends"},
		{Filter{From: last + 1, To: last + 2, Exactly: true}, 0, "before the window begins"},
		{Filter{From: first, To: last + 1, Exactly: true}, all, ""},
	} {
		if rows := rowsOf(t, trace, c.filter); rows != c.rows {
			t.Errorf("%+v: %d rows of constructs, want %d", c.filter, rows, c.rows)
		}
		document, err := Build(trace, Options{Filter: c.filter})
		if err != nil {
			t.Fatal(err)
		}
		if said := strings.Join(document.Warnings, "\n"); !strings.Contains(said, c.warning) || c.warning == "" && strings.Contains(said, "window") {
			t.Errorf("%+v: warned of %q, want %q", c.filter, said, c.warning)
		}
	}
}

// rowsOf is how many rows the constructs' table has.
func rowsOf(t *testing.T, trace *store.Trace, filter Filter) int {
	t.Helper()
	f, err := load(trace, filter)
	if err != nil {
		t.Fatal(err)
	}
	return len(f.constructs().Rows)
}

// Tables that are asked for are those that the whole report has.
func TestChosenTables(t *testing.T) {
	trace := tracetest.Generated(t, 2000)
	whole, err := Build(trace, Options{})
	if err != nil || len(whole.Tables) < 8 {
		t.Fatalf("%d tables, %v", len(whole.Tables), err)
	}
	for _, table := range whole.Tables {
		chosen, err := Build(trace, Options{Tables: []string{table.Key}})
		if err != nil || len(chosen.Tables) != 1 || !reflect.DeepEqual(chosen.Tables[0], table) {
			t.Errorf("%s: %+v, %v", table.Key, chosen, err)
		}
	}
}
