package write

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// countTables are the tables of counts, by what they are of, with the columns of their keys.
var countTables = map[string]struct {
	name string
	keys []string
}{
	model.CountsOfKernel:   {"kernel_count", []string{"process", "device", "kernel"}},
	model.CountsOfLine:     {"line_count", []string{"process", "device", "kernel", "file", "line"}},
	model.CountsOfEstimate: {"kernel_estimate", []string{"process", "device", "kernel"}},
	model.CountsOfCard:     {"card", []string{"process", "device"}},
}

// latest are columns whose last value counts, as that of all of a card's does, and greatest those of
// which the greatest does; all others add up.
const (
	latest   = ",gangs,workers,vector,shared_memory,load_stride,store_stride,registers,resident_gangs,resident_warps,"
	greatest = ",atomic_most,"
)

// AddCounts adds what a device counted of a process's kernel. Counts that the trace has no column
// for are left out.
func (w *Writer) AddCounts(process model.ProcessID, c model.Counts) error {
	table, known := countTables[c.Of]
	if !known {
		return nil
	}
	names, values, changes := []string{"process", "device", "kernel"}, []any{int64(process), c.Device, c.Kernel}, []string{}
	switch c.Of {
	case model.CountsOfLine:
		names, values = append(names, "file", "line"), append(values, c.File, c.Line)
	case model.CountsOfCard:
		names[2], values[2], changes = "card", c.Card, []string{"card = excluded.card"}
	}
	err := sqlitex.Execute(w.conn, "SELECT name FROM pragma_table_info(?) WHERE pk = 0", &sqlitex.ExecOptions{Args: []any{table.name}, ResultFunc: func(s *sqlite.Stmt) error {
		name := s.ColumnText(0)
		value, told := c.Values[name]
		if !told {
			return nil
		}
		names, values = append(names, name), append(values, value)
		change := "%[1]s = %[1]s + excluded.%[1]s"
		switch in := "," + name + ","; {
		case c.Of == model.CountsOfCard, strings.Contains(latest, in):
			change = "%[1]s = excluded.%[1]s"
		case strings.Contains(greatest, in):
			change = "%[1]s = max(%[1]s, excluded.%[1]s)"
		}
		changes = append(changes, fmt.Sprintf(change, name))
		return nil
	}})
	if err != nil || len(changes) == 0 {
		return schema.Explain(w.path, err)
	}
	query := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s) ON CONFLICT (%s) DO UPDATE SET %s",
		table.name, strings.Join(names, ", "), "?"+strings.Repeat(", ?", len(values)-1), strings.Join(table.keys, ", "), strings.Join(changes, ", "))
	return schema.Explain(w.path, schema.Execute(w.conn, query, values...))
}
