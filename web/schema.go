package web

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// viewInfo is a view of the trace that SQL may read.
type viewInfo struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// schema lists the trace's views, by name.
func schema(r *request) (any, error) {
	out := []viewInfo{}
	conn := r.trace.Conn()
	err := sqlitex.Execute(conn, "SELECT name FROM sqlite_temp_schema WHERE type = 'view' ORDER BY name", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		out = append(out, viewInfo{Name: s.ColumnText(0), Columns: []string{}})
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("listing the views: %w", err)
	}
	for i := range out {
		statement, _, err := conn.PrepareTransient(`SELECT * FROM "` + out[i].Name + `" LIMIT 0`)
		if err != nil {
			return nil, fmt.Errorf("listing the columns of %s: %w", out[i].Name, err)
		}
		for c := range statement.ColumnCount() {
			out[i].Columns = append(out[i].Columns, statement.ColumnName(c))
		}
		if err := statement.Finalize(); err != nil {
			return nil, err
		}
	}
	return out, nil
}
