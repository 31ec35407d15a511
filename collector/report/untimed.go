package report

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
)

// Untimed says of each process that ended without the runtime's last events how
// many of its operations have no device times: those are told after an operation
// has finished, as a rule at the latest when something waits for it.
func Untimed(trace *store.Trace) ([]string, error) {
	var lines []string
	const short = "ended IN ('killed', 'unknown', '_exit', 'quick_exit')"
	some := false
	err := sqlitex.Execute(trace.Conn(), "SELECT 1 FROM processes WHERE "+short+" LIMIT 1",
		&sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error { some = true; return nil }})
	if err == nil && some { // else nobody waits for the pass over all records
		err = sqlitex.Execute(trace.Conn(), `SELECT p.pid, sum(r.missing), sum(r.operations) FROM
				(SELECT site, count(*) AS operations, sum(link = 0) AS missing FROM record WHERE correlation != 0 GROUP BY site) r
				JOIN site_detail s USING (site) JOIN processes p USING (process)
			WHERE p.`+short+` GROUP BY p.process HAVING sum(r.missing) > 0 ORDER BY p.process`,
			&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				lines = append(lines, fmt.Sprintf("device times are missing of %d of the %d operations that process %d enqueued",
					s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(0)))
				return nil
			}})
	}
	if err != nil {
		return nil, fmt.Errorf("counting device times: %w", err)
	}
	return lines, nil
}
