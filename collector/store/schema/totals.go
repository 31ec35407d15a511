package schema

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// RebuildTotals makes the sums anew from the rows of a trace that was not written in one
// go. Until a trace is finished they leave out what goes on.
func RebuildTotals(conn *sqlite.Conn, finished bool) error {
	rows := ""
	if !finished {
		rows = "WHERE r.end_sequence >= 0 OR r.duration IS NOT NULL"
	}
	return sqlitex.ExecuteScript(conn, `DELETE FROM total; DELETE FROM work_total;
INSERT INTO total SELECT s.thread, r.site, count(*), count(r.duration), coalesce(sum(r.duration), 0),
  coalesce(sum(CASE WHEN r.duration IS NOT NULL THEN r.inner_time END), 0), coalesce(min(r.duration), 0), coalesce(max(r.duration), 0),
  `+SumOfBytes("x.bytes")+` FROM record r JOIN site s ON s.id = r.site JOIN datum x ON x.id = r.datum `+rows+` GROUP BY r.site;
INSERT INTO work_total SELECT a.work, coalesce(s.thread, 0), coalesce(r.site, 0), count(*), sum(a.duration), min(a.duration), max(a.duration),
  `+SumOfBytes("a.bytes")+`
  FROM activity a LEFT JOIN record r ON r.id = a.record LEFT JOIN site s ON s.id = r.site GROUP BY 1, 2, 3;`, nil)
}

// SumOfBytes is the SQL that sums a column of byte counts as model.Size takes them.
func SumOfBytes(column string) string {
	return fmt.Sprintf("sum(CASE WHEN %[1]s >= 0 AND %[1]s < %[2]d THEN %[1]s ELSE 0 END)", column, model.UnknownSize)
}

// AddUnended adds to the sums what goes on as the trace is finished. It begins with the table of what has no end, which is
// mostly empty: of an empty table SQLite's statistics say nothing, and it would take it for
// a large one and read all records instead.
var AddUnended = `INSERT INTO total SELECT s.thread, r.site, count(*), 0, 0, 0, 0, 0, ` + SumOfBytes("x.bytes") + `
		FROM unended u CROSS JOIN record r ON r.id = u.record JOIN site s ON s.id = r.site JOIN datum x ON x.id = r.datum
		WHERE r.duration IS NULL GROUP BY r.site
		ON CONFLICT DO UPDATE SET count = count + excluded.count, bytes = bytes + excluded.bytes`
