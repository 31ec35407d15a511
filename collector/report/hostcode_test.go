package report

import (
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
)

// Host code is what samples stand for, by function and line, divided by what threads were in;
// a window has its own, and a choice of events none.
func TestHostCode(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO cpu_stack VALUES (1, 0, 1001), (2, 1, 1002), (3, 2, 1003), (4, 2, 1004)",
		`INSERT INTO frame (process, address, module, function, file, line) VALUES (1, 1003, '/a/solve', 'step', '/a/solve.c', 30), (1, 1002, '/a/solve', 'main', '/a/solve.c', 3), (1, 1004, '/lib/libm.so', NULL, NULL, NULL)`,
		`INSERT INTO cpu_sample (process, thread, tid, time, weight, stack, record, doing) VALUES (1, 1, 5, 1000, 10, 3, 0, 0), (1, 1, 5, 1010, 10, 3, 0, 1),
			(1, 1, 5, 1020, 10, 3, 0, 2), (1, 1, 5, 1030, 10, 4, 0, 3), (1, NULL, 6, 2000, 10, 0, 0, 0),
			(1, 1, 5, 1000, 0, 2, 0, 0), (1, 1, 5, 1000, -10, 2, 0, 0), (1, 1, 5, 1000, 'much', 2, 0, 0)`,
		"INSERT INTO meta VALUES ('lost_samples_1', 7)")
	trace := tracetest.Open(t, path)
	for _, c := range []struct {
		filter Filter
		rows   [][]any
	}{
		{Filter{}, [][]any{
			{"step", "solve.c:30", int64(30), 0.6, int64(10), int64(10), int64(0), int64(10), int64(3)},
			{nil, nil, int64(10), 0.2, int64(0), int64(0), int64(0), int64(10), int64(1)},
			{nil, "libm.so", int64(10), 0.2, int64(0), int64(0), int64(10), int64(0), int64(1)}}},
		{Filter{From: 1015, To: 1025}, [][]any{{"step", "solve.c:30", int64(10), 1.0, int64(0), int64(10), int64(0), int64(0), int64(1)}}},
		{Filter{Kernel: "x"}, nil},
		{Filter{Rank: new(int64(7))}, nil},
	} {
		table, err := hostCodeTable(trace, c.filter)
		if err != nil || !reflect.DeepEqual(table.Rows, c.rows) {
			t.Errorf("%+v: %v, %v", c.filter, table.Rows, err)
		}
	}
	code, err := costlyCode(trace, Filter{})
	if want := []Cost{{Name: "step", Place: "solve.c:30", Time: 10, Timed: true, Share: 0.2, Count: 1}}; err != nil || !reflect.DeepEqual(code, want) {
		t.Errorf("%+v, %v, want %+v", code, err, want)
	}
	warnings, err := Warnings(trace)
	if err != nil || len(warnings) == 0 || warnings[0] != "7 samples of process 4711's host code were lost; their times below are too small" {
		t.Errorf("%q, %v", warnings, err)
	}
}
