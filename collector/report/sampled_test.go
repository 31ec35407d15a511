package report

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The mean is over time: each value counts as long as it held. A range has what held in it.
func TestSampledTable(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 1000, 100), (1, 4000, 20), (2, 1000, 300000), (2, 2000, 500000)")
	trace := tracetest.Open(t, path)
	for _, c := range []struct {
		filter Filter
		rows   [][]any // without whose they are
	}{
		{Filter{From: 1000, To: 5000}, [][]any{{"cpu", "80%", "100%", "%", 80.0, int64(100)}, {"power", "450 W", "500 W", "mW", 450000.0, int64(500000)}}},
		{Filter{From: 3000, To: 4000}, [][]any{{"cpu", "100%", "100%", "%", 100.0, int64(100)}, {"power", "500 W", "500 W", "mW", 500000.0, int64(500000)}}},
		{Filter{Kernel: "x"}, nil},
		{Filter{Within: new(store.Within)}, nil},
		{Filter{From: 1000, To: 5000, Rank: new(int64(7))}, [][]any{{"power", "450 W", "500 W", "mW", 450000.0, int64(500000)}}},
	} {
		table, err := sampledTable(trace, c.filter)
		if err != nil || len(table.Rows) != len(c.rows) {
			t.Fatalf("%+v: %v, %v", c.filter, table, err)
		}
		for i, want := range c.rows {
			for j, cell := range want {
				if got := table.Rows[i][j+1]; got != cell {
					t.Errorf("%+v: row %d has %v (%T), want %v", c.filter, i, got, got, cell)
				}
			}
		}
		if n := len(table.Rows); n > 0 && table.Rows[n-1][0] != "GPU 3 Big GPU" {
			t.Errorf("%v", table.Rows[n-1][0])
		}
	}
}

// What a process had counts to its end: the time that follows is nobody's.
func TestSampledToTheEndOfAProcess(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "UPDATE process SET end = 3000 WHERE id = 1",
		"INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'resident_memory', 'B')", "INSERT INTO counter_value VALUES (1, 1000, 100), (1, 2000, 300), (1, 3500, 0)")
	table, err := sampledTable(tracetest.Open(t, path), Filter{From: 1000, To: 9000})
	if err != nil || len(table.Rows) != 1 || table.Rows[0][5] != 200.0 {
		t.Errorf("%v, %v; want a mean of 200 B", table, err)
	}
}

// Two hosts have processes and GPUs of equal numbers.
func TestSampledOnSeveralHosts(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO host VALUES (9, 'far', 0, 0, 0)",
		"INSERT INTO counter VALUES (1, 1, NULL, 0, 'Big', 'power', 'mW'), (2, 9, NULL, 0, 'Big', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 1000, 300000), (2, 1000, 500000)")
	table, err := sampledTable(tracetest.Open(t, path), Filter{From: 1000, To: 5000})
	if err != nil || len(table.Rows) != 2 {
		t.Fatalf("%v, %v", table, err)
	}
	for i, host := range []string{"", "far"} {
		if of := table.Rows[i][0].(string); !strings.HasPrefix(of, "GPU 0 Big on ") || !strings.HasSuffix(of, host) {
			t.Errorf("row %d is of %s", i, of)
		}
	}
}
