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
	if err := trace.CounterValues(counter, from, to, func(v store.CounterValue) error {
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
	counters, err := trace.Counters()
	want := []store.Counter{{ID: 1, Host: 1, On: "host", Process: 1, GPU: -1, Name: "cpu", Unit: "%"}, {ID: 2, Host: 1, On: "host", GPU: 0, GPUName: "H", Name: "power", Unit: "mW"}}
	if err != nil || !reflect.DeepEqual(counters, want) {
		t.Fatalf("%+v, %v", counters, err)
	}
	if got := values(t, trace, 2, 1010, 1040); !reflect.DeepEqual(got, []store.CounterValue{{1010, 2001}, {1020, 2002}, {1030, 2003}}) {
		t.Errorf("%v", got)
	}
	points, err := trace.CounterCurve(1, 1045, 1145, 2)
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
	if counters, err = both.Counters(); err != nil || len(counters) != 4 {
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

// asBefore makes a trace what the statements leave, as an earlier version wrote it.
func asBefore(t *testing.T, statements string) string {
	t.Helper()
	path := generated(t, generate.Options{Spans: 100}).Path()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, statements, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// continues holds a trace that was opened to its path, closes it, and writes to it.
func continues(t *testing.T, trace *store.Trace, path string) {
	t.Helper()
	if trace.Path() != path {
		t.Errorf("%s is read through %s", path, trace.Path())
	}
	if err := trace.Close(); err != nil {
		t.Fatal(err)
	}
	if counters, err := addCounters(t, path).Counters(); err != nil || len(counters) != 2 {
		t.Errorf("%v, %v", counters, err)
	}
}

// A trace of the version before counters is read as one without any, and gets the
// tables where it is continued.
func TestTraceWithoutCounters(t *testing.T) {
	path := asBefore(t, "DROP VIEW counters; DROP TABLE counter; DROP TABLE counter_value; ALTER TABLE site DROP COLUMN own; PRAGMA user_version = 2;")
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	counters, err := trace.Counters()
	if err != nil || len(counters) != 0 {
		t.Errorf("%v, %v", counters, err)
	}
	if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT * FROM counters", nil); err != nil {
		t.Error(err)
	}
	continues(t, trace, path)
}

// A trace of the version before annotations, which has counters, is read in place and
// continued as well.
func TestTraceWithoutAnnotations(t *testing.T) {
	path := asBefore(t, "ALTER TABLE site DROP COLUMN own; PRAGMA user_version = 3;")
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	sites, err := trace.Sites()
	if err != nil || len(sites) == 0 {
		t.Errorf("%d sites, %v", len(sites), err)
	}
	continues(t, trace, path)
}
