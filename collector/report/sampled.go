package report

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
)

// sampledTable are the figures that were sampled of processes and GPUs: their mean over
// the time in which they were known, each value up to the next, and the highest.
func sampledTable(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "sampled", Title: "Processes and GPUs",
		Note: "sampled ten times a second; a GPU's figures are of the whole GPU, whoever used it",
		Columns: []Column{{"of", "of", Text}, {"figure", "name", Text}, {"mean", "", Text}, {"most", "", Text},
			{"", "unit", Text}, {"", "mean", Count}, {"", "most", Count}}}
	if filter != (Filter{From: filter.From, To: filter.To}) {
		return table, nil // nothing of it is of a kernel, a queue or a device
	}
	if filter.To == 0 {
		_, last, err := trace.Extent()
		if err != nil {
			return nil, err
		}
		filter.To = last + 1
	}
	err := sqlitex.Execute(trace.Conn(), `WITH held AS (
		SELECT counter, max(time, ?1) AS start, min(coalesce(lead(time) OVER (PARTITION BY counter ORDER BY time), ?2), ?2) AS end, value FROM counter_value)
		SELECT p.pid, c.gpu, c.gpu_name, c.name, c.unit, sum(h.value * 1.0 * (h.end - h.start)) / sum(h.end - h.start), max(h.value),
			CASE WHEN (SELECT count(*) FROM host) > 1 THEN (SELECT ' on ' || name FROM host WHERE id = c.host) END
		FROM held h JOIN counter c ON c.id = h.counter LEFT JOIN process p ON p.id = c.process
		WHERE h.end > h.start GROUP BY h.counter ORDER BY p.id IS NULL, p.id, c.host, c.gpu, c.id`,
		&sqlitex.ExecOptions{Args: []any{filter.From, filter.To}, ResultFunc: func(s *sqlite.Stmt) error {
			of := fmt.Sprintf("process %d", s.ColumnInt64(0))
			if s.ColumnIsNull(0) {
				of = fmt.Sprintf("GPU %d %s", s.ColumnInt64(1), s.ColumnText(2))
			}
			of += s.ColumnText(7)
			unit, mean, most := s.ColumnText(4), s.ColumnFloat(5), s.ColumnInt64(6)
			table.Rows = append(table.Rows, []any{of, s.ColumnText(3), ShowFigure(mean, unit), ShowFigure(float64(most), unit), unit, mean, most})
			return nil
		}})
	if err != nil {
		return nil, fmt.Errorf("reading what was sampled: %w", err)
	}
	return table, nil
}

// ShowFigure renders a sampled figure: 180%, 312 W, 5 GiB, 41 C, 1980 MHz.
func ShowFigure(value float64, unit string) string {
	switch unit {
	case "%":
		return fixed(value, 0) + "%"
	case "B":
		return ShowBytes(value)
	case "mW":
		return fixed(value/1000, 0) + " W"
	case "Cel":
		return fixed(value, 0) + " C"
	}
	return fixed(value, 0) + " " + unit
}
