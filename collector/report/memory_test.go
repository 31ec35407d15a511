package report

import (
	"path/filepath"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The memory of a window is what was in use in it, also where it did not change there.
func TestMemoryOfAWindow(t *testing.T) {
	trace := tracetest.Open(t, tracetest.File(t, 2000, 1))
	type change struct{ time, used int64 }
	changes := map[int64][]change{} // by device
	if err := sqlitex.Execute(trace.Conn(), "SELECT device, time, used FROM memory ORDER BY time", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		changes[s.ColumnInt64(0)] = append(changes[s.ColumnInt64(0)], change{s.ColumnInt64(1), s.ColumnInt64(2)})
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil || len(changes) == 0 {
		t.Fatalf("%d devices, %v", len(changes), err)
	}
	step := (last - first) / 50
	for device, list := range changes {
		for from := first; from < last; from += step {
			times := []Interval{{from, from + step/3}, {from + step/2, from + step}}
			var peak, end int64
			for _, at := range times {
				var before int64
				for _, c := range list {
					if c.time <= at.Start {
						before = c.used
					} else if c.time < at.End {
						peak = max(peak, before, c.used)
						before = c.used
					}
				}
				peak, end = max(peak, before), before
			}
			got, err := memoryIn(trace, from+step, func(model.ProcessID) []Interval { return times })
			if err != nil {
				t.Fatal(err)
			}
			use := memoryUse{}
			if got[device] != nil {
				use = *got[device]
			}
			if use.peak != peak || use.end != end {
				t.Errorf("device %d in %v: %d and %d bytes, want %d and %d", device, times, use.peak, use.end, peak, end)
			}
		}
	}
	if got := (Filter{From: 5}).limitsTime(); !got {
		t.Error("a window is none")
	}
	if got := (Filter{Kernel: "k"}).limitsTime(); got {
		t.Error("a kernel is a window")
	}
}

// The most memory in use is that of the device with most of it, also where others had none in the
// chosen time.
func TestPeakOfAWindow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Ranks: 6, Pauses: true, Activity: true, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	some := false // a window in which one had some, and another none
	for from := first; from < last; from += (last - first) / 200 {
		filter := Filter{From: from, To: from + (last-first)/400, Exactly: true}
		summary, err := Summarize(trace, filter)
		if err != nil {
			t.Fatal(err)
		}
		f, err := load(trace, filter)
		if err != nil {
			t.Fatal(err)
		}
		table, err := f.memoryTable(filter, 0)
		if err != nil {
			t.Fatal(err)
		}
		var most int64
		for _, row := range table.Rows {
			most = max(most, row[1].(int64))
		}
		some = some || most > 0 && slices.ContainsFunc(table.Rows, func(row []any) bool { return row[1] == int64(0) })
		if summary.Peak.Bytes != most {
			t.Errorf("%d B at most from %d, of %v", summary.Peak.Bytes, from, table.Rows)
		}
	}
	if !some {
		t.Error("all devices have memory in use whenever any has")
	}
}
