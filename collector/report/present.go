package report

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Present makes the report of the present table at a time of the trace: of the
// filter's data, whatever its times.
func Present(trace *store.Trace, time int64, filter Filter, top int) (*Document, error) {
	processes, err := trace.Processes()
	if err != nil {
		return nil, err
	}
	table := &Table{Key: "present", Title: "Present table at " + ShowDuration(float64(time)),
		Empty: "nothing was present",
		Columns: []Column{{"variable", "variable", Text}, {"host address", "host_address", Address}, {"device address", "device_address", Address},
			{"bytes", "bytes", Bytes}, {"since", "since_ns", Nanoseconds}, {"source", "source", Text}}}
	ranks := map[int64]any{}
	for _, p := range processes {
		if p.Rank >= 0 {
			ranks[int64(p.ID)] = int64(p.Rank)
		}
	}
	var all int64
	if err := trace.Memory().Mappings(store.Filter{From: time, To: time + 1}, func(m *store.Mapping) bool {
		detail := describeSite(m.Site)
		if filter.accepts(detail, ranks[int64(detail.Process)]) {
			all += model.Size(m.Bytes)
			table.Rows = append(table.Rows, []any{trace.Variable(m.Site), int64(m.Host), int64(m.Address), int64(m.Bytes), m.Start, name(detail.place())})
		}
		return true
	}); err != nil {
		return nil, err
	}
	if top > 0 && len(table.Rows) > top {
		table.Omitted = len(table.Rows) - top
		table.Rows = table.Rows[:top]
	}
	document := &Document{Title: "accscope present table", Facts: []Fact{{"mapped", ShowBytes(float64(all))}}, Tables: []*Table{table}}
	if _, last, err := trace.Extent(); err != nil {
		return nil, err
	} else if time > last {
		document.Warnings = []string{fmt.Sprintf("the trace ends at %s, before that time", ShowDuration(float64(last)))}
	}
	return document, nil
}
