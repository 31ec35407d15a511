package web

// viewInfo is a view of the trace that SQL may read.
type viewInfo struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// schema lists the trace's views, by name.
func schema(r *request) (any, error) {
	out := []viewInfo{}
	for s, err := range r.trace.Rows("listing the views", `SELECT v.name, c.name FROM sqlite_temp_schema v, pragma_table_info(v.name) c
		WHERE v.type = 'view' ORDER BY v.name, c.cid`) {
		if err != nil {
			return nil, err
		}
		if name := s.ColumnText(0); len(out) == 0 || out[len(out)-1].Name != name {
			out = append(out, viewInfo{Name: name})
		}
		view := &out[len(out)-1]
		view.Columns = append(view.Columns, s.ColumnText(1))
	}
	return out, nil
}
