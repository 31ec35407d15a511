package report

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

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
			gotPeak, gotEnd, err := memoryIn(trace, device, times)
			if err != nil || gotPeak != peak || gotEnd != end {
				t.Errorf("device %d in %v: %d and %d bytes, want %d and %d; %v", device, times, gotPeak, gotEnd, peak, end, err)
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
