package store

import (
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestUnendedReadsNoOtherRecords: in a trace whose spans have all ended, and whose
// statistics are made, nothing goes through its records to find those that have not.
func TestUnendedReadsNoOtherRecords(t *testing.T) {
	conn, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := schema.Create(conn); err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(conn, `INSERT INTO record (id, site, sequence, time, duration, end_sequence)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i, 1, i, i, 1, 1 FROM n; ANALYZE`, nil); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{selectUnsettled, schema.AddUnended, countEvents} {
		var plan []string
		if err := sqlitex.ExecuteTransient(conn, "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			plan = append(plan, s.ColumnText(3))
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		if all := strings.Join(plan, "\n"); strings.Contains(all, "SCAN r") || !strings.Contains(all, "SEARCH r ") {
			t.Errorf("%s\nreads every record:\n%s", query, all)
		}
	}
}
