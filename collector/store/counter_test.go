package store_test

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// add writes two counters to an unfinished trace, finishes it and gives it.
func addCounters(t *testing.T, path string) *store.Trace {
	t.Helper()
	w, err := write.Resume(path, model.New(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []store.Counter{{Host: 1, Process: 1, GPU: -1, Name: "cpu", Unit: "%"}, {Host: 1, GPU: 0, GPUName: "H", Name: "power", Unit: "mW"}} {
		for range 2 { // the second time it is there
			if err := w.SaveCounter(&c); err != nil {
				t.Fatal(err)
			}
		}
		for i := range int64(100) {
			if err := w.WriteCounter(c.ID, store.CounterValue{Time: 1000 + 10*i, Value: c.ID*1000 + i%10}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

func values(t *testing.T, trace *store.Trace, counter, from, to int64) (list []store.CounterValue) {
	t.Helper()
	if err := trace.Sampled().CounterValues(counter, from, to, func(v store.CounterValue) error {
		list = append(list, v)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// What is written comes out again, whole and at a width, and out of a merged trace.
func TestCounters(t *testing.T) {
	trace := addCounters(t, generated(t, generate.Options{Spans: 100}).Path())
	counters, err := trace.Sampled().Counters()
	want := []store.Counter{{ID: 1, Host: 1, On: "host", Process: 1, GPU: -1, Name: "cpu", Unit: "%"}, {ID: 2, Host: 1, On: "host", GPU: 0, GPUName: "H", Name: "power", Unit: "mW"}}
	if err != nil || !reflect.DeepEqual(counters, want) {
		t.Fatalf("%+v, %v", counters, err)
	}
	if got := values(t, trace, 2, 1010, 1040); !reflect.DeepEqual(got, []store.CounterValue{{1010, 2001}, {1020, 2002}, {1030, 2003}}) {
		t.Errorf("%v", got)
	}
	points, err := trace.Sampled().CounterCurve(1, 1045, 1145, 2)
	if err != nil || !reflect.DeepEqual(points, []store.MemoryPoint{{1045, 1045, 1004, 1004, 1004}, {1050, 1090, 1005, 1009, 1009}, {1100, 1140, 1000, 1004, 1004}}) {
		t.Errorf("%v, %v", points, err)
	}
	merged := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(merged, []write.Input{{Path: trace.Path()}, {Path: trace.Path(), Offset: 5}}); err != nil {
		t.Fatal(err)
	}
	both, err := store.Open(merged)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	if counters, err = both.Sampled().Counters(); err != nil || len(counters) != 4 {
		t.Fatalf("%+v, %v", counters, err)
	}
	shifted := map[int64]bool{}
	for _, c := range counters {
		list := values(t, both, c.ID, math.MinInt64, math.MaxInt64)
		if len(list) != 100 || list[7].Value%1000 != 7 || c.Process != 0 && list[0].Value != 1000 {
			t.Errorf("%+v: %d values", c, len(list))
		}
		shifted[list[0].Time] = true
	}
	if !shifted[1000] || !shifted[1005] {
		t.Errorf("times are not those of the merged trace: %v", shifted)
	}
}

// rows are what a query gives, a line each.
func rows(t *testing.T, path, query string) (list []string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		line := ""
		for i := range s.ColumnCount() {
			line += s.ColumnText(i) + "|"
		}
		list = append(list, line)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	return list
}

// A trace of the version before counters and annotations is read as one without any,
// in its place, and gets what it lacks where it is continued.
func TestTraceWithoutCounters(t *testing.T) {
	path := generated(t, generate.Options{Spans: 100}).Path()
	contents := map[string][]string{
		"SELECT type, name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY name": nil,
		"SELECT * FROM kind ORDER BY code":                                            nil,
		"SELECT name FROM pragma_table_info('site')":                                  nil,
		"PRAGMA user_version":                                                         nil,
	}
	for query := range contents {
		contents[query] = rows(t, path, query)
	}
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, `DROP VIEW transfers; DROP VIEW counters; DROP VIEW annotations; DROP VIEW communication; DROP TABLE counter; DROP TABLE counter_value; DROP TABLE content; DROP VIEW clocks; DROP TABLE clock;
		DROP VIEW cpu_functions; DROP VIEW cpu_samples; DROP VIEW cpu_stacks; DROP TABLE cpu_sample; DROP TABLE cpu_stack; DROP VIEW kernel_counters; DROP VIEW kernel_lines; DROP TABLE kernel_count; DROP TABLE line_count; DROP VIEW cards; DROP TABLE card; DROP TABLE kernel_estimate; DROP VIEW host_transfers; DROP VIEW kernels; DROP VIEW device_activity; DROP TABLE work_detail;
		ALTER TABLE site DROP COLUMN own; DELETE FROM kind WHERE name IN ('range_start', 'range_end', 'frame_start', 'frame_end', 'mark', 'mpi_start', 'mpi_end');
		PRAGMA user_version = 2;`, nil); err != nil {
		t.Fatal(err)
	}
	lost := conn.Changes()
	if err := conn.Close(); err != nil || lost == 0 {
		t.Fatalf("%d kinds taken away, %v", lost, err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	counters, err := trace.Sampled().Counters()
	if err != nil || len(counters) != 0 || trace.Path() != path {
		t.Errorf("%v, %v, read through %s", counters, err, trace.Path())
	}
	if sites, err := trace.Sites(); err != nil || len(sites) == 0 {
		t.Errorf("%d sites, %v", len(sites), err)
	}
	if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT * FROM counters", nil); err != nil {
		t.Error(err)
	}
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	if counters, err := addCounters(t, path).Sampled().Counters(); err != nil || len(counters) != 2 {
		t.Errorf("%v, %v", counters, err)
	}
	for query, want := range contents {
		if got := rows(t, path, query); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%q\nof a new trace:\n%q", query, got, want)
		}
	}
}
