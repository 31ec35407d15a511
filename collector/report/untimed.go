package report

import (
	"fmt"

	"github.com/accscope/accscope/collector/store"
)

// Untimed says of each process that ended without the runtime's last events how
// many of its operations have no device times: those are told after an operation
// has finished, as a rule at the latest when something waits for it.
func Untimed(trace *store.Trace) ([]string, error) {
	var lines []string
	const short = "ended IN ('killed', 'unknown', '_exit', 'quick_exit')"
	const what = "counting device times"
	some, err := trace.Number(what, "SELECT 1 FROM processes WHERE "+short+" LIMIT 1")
	if err != nil || some == 0 { // nobody waits for the pass over all records
		return nil, err
	}
	for s, err := range trace.Rows(what, `SELECT p.pid, sum(r.missing), sum(r.operations) FROM
				(SELECT site, count(*) AS operations, sum(link = 0) AS missing FROM record WHERE correlation != 0 GROUP BY site) r
				JOIN site_detail s USING (site) JOIN processes p USING (process)
			WHERE p.`+short+` GROUP BY p.process HAVING sum(r.missing) > 0 ORDER BY p.process`) {
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("device times are missing of %d of the %d operations that process %d enqueued",
			s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(0)))
	}
	return lines, nil
}
