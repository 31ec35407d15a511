package report

import (
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// What the devices of many ranks did, which is read of all at once, is the sum of what each did.
func TestSummaryOfManyDevices(t *testing.T) {
	for _, queues := range []int{1, 2} {
		path := filepath.Join(t.TempDir(), "trace.db")
		if _, err := generate.Trace(path, generate.Options{Spans: 900, Ranks: 7, Queues: queues, Activity: true, Seed: 6}); err != nil {
			t.Fatal(err)
		}
		trace := tracetest.Open(t, path)
		var want [3]int64 // busy, kernels, transfers
		for process := range int64(7) {
			var of [3][]Interval
			err := sqlitex.Execute(trace.Conn(), "SELECT kind = 'kernel', kind <> 'kernel' AND kind <> 'fill', start, end FROM device_activity WHERE process = ?", &sqlitex.ExecOptions{
				Args: []any{process + 1}, ResultFunc: func(s *sqlite.Stmt) error {
					at := Interval{s.ColumnInt64(2), s.ColumnInt64(3)}
					of[0] = append(of[0], at)
					for i := range 2 {
						if s.ColumnInt64(i) == 1 {
							of[i+1] = append(of[i+1], at)
						}
					}
					return nil
				}})
			if err != nil || len(of[1]) == 0 || len(of[2]) == 0 {
				t.Fatalf("%d kernels, %d transfers, %v", len(of[1]), len(of[2]), err)
			}
			for i, list := range of {
				want[i] += Covered(list)
			}
		}
		s, err := Summarize(trace, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]int64{s.Device.Busy, s.Device.Kernels, s.Device.Transfer}; got != want || s.Device.Devices != 7 {
			t.Errorf("%d queues: %d devices, %d ns, want %d", queues, s.Device.Devices, got, want)
		}
	}
}
