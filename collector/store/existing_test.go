package store_test

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Data that existed before capture is ended by its delete, and once: the free of
// the memory under it names it too.
func TestExistingDataEndsOnce(t *testing.T) {
	path := tracetest.File(t, 500, 1)
	last := func(kind string) string {
		return "(SELECT max(r.id) FROM record r JOIN site s ON s.id = r.site WHERE s.kind = " + kind + ")"
	}
	tracetest.Change(t, path, "INSERT INTO existing SELECT 1, max(id), 0, 4096, 8192, 77, 0, 0, 0, 1 FROM device",
		"UPDATE record SET opener = -1, time = 1000 WHERE id = "+last("7"), "UPDATE record SET opener = -1, time = 2000 WHERE id = "+last("9"))
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for time, want := range map[int64]int{999: 1, 1000: 0, 2500: 0} {
		present, err := trace.PresentAt(time)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, m := range present {
			if m.Record == -1 {
				got++
			}
		}
		if got != want {
			t.Errorf("at %d ns it is present %d times, want %d", time, got, want)
		}
	}
	var ends []int64
	if err := sqlitex.Execute(trace.Conn(), "SELECT ended FROM existing_data", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		ends = append(ends, s.ColumnInt64(0))
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if len(ends) != 1 || ends[0] != 1000 {
		t.Errorf("the view has it end at %v, want 1000 once", ends)
	}
}
