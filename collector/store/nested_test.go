package store_test

import (
	"errors"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/tracetest"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A scan within the rows of another query leaves that query where it is.
func TestScanWithinAQuery(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	tracetest.Change(t, path, "DELETE FROM meta WHERE key = 'complete'") // only then are changes of memory scanned
	trace := tracetest.Open(t, path)
	rows := 0
	if err := sqlitex.Execute(trace.Conn(), "SELECT device FROM devices WHERE peak_bytes IS NOT NULL", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			if rows++; rows > 1 {
				return errors.New("the query has begun anew")
			}
			_, err := trace.MemoryLeft(model.DeviceID(s.ColumnInt64(0)))
			return err
		}}); err != nil || rows != 1 {
		t.Errorf("%d rows of one device: %v", rows, err)
	}
}
