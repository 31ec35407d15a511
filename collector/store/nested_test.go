package store_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
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
			_, err := trace.Memory().AtEnd(model.DeviceID(s.ColumnInt64(0)))
			return err
		}}); err != nil || rows != 1 {
		t.Errorf("%d rows of one device: %v", rows, err)
	}
}

// Of two scans at once, whichever ends first, the connection has its page cache back.
func TestScansAtOnceGiveTheCacheBack(t *testing.T) {
	trace := tracetest.Open(t, tracetest.File(t, 300, 1))
	size := func() int64 {
		bytes, err := trace.Number("asking", "PRAGMA cache_size")
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	want := size()
	for _, firstEndsFirst := range []bool{true, false} {
		closeFirst := begun(t, trace)
		closeSecond := begun(t, trace.Unlimited())
		if size() == want {
			t.Fatal("scans do not lower it")
		}
		if firstEndsFirst {
			closeFirst()
			closeSecond()
		} else {
			closeSecond()
			closeFirst()
		}
		if got := size(); got != want {
			t.Errorf("the first ends first: %t: %d, want %d", firstEndsFirst, got, want)
		}
	}
}

// begun begins a scan, up to its first record.
func begun(t *testing.T, trace *store.Trace) (end func()) {
	t.Helper()
	next, end := iter.Pull2(trace.Records(store.Filter{}))
	t.Cleanup(end)
	if _, err, more := next(); err != nil || !more {
		t.Fatal(err, more)
	}
	return end
}
