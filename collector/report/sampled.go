package report

import (
	"fmt"

	"github.com/accscope/accscope/collector/store"
)

// ChoosesEvents says whether the filter chooses among events by more than time and
// rank. What was sampled of processes and GPUs belongs to no kernel, variable, queue,
// device or line, and is left out then.
func (filter Filter) ChoosesEvents() bool {
	return filter != (Filter{From: filter.From, To: filter.To, Exactly: filter.Exactly, Rank: filter.Rank})
}

// sampledTable are the figures that were sampled of processes and GPUs: their mean over
// the time in which they were known, each value up to the next or its process's end, and
// the highest.
func sampledTable(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "sampled", Title: "Processes and GPUs",
		Note: "sampled ten times a second; a GPU's figures are of the whole GPU, whoever used it",
		Columns: []Column{{"of", "of", Text}, {"figure", "name", Text}, {"mean", "", Text}, {"most", "", Text},
			{"", "unit", Text}, {"", "mean", Count}, {"", "most", Count}}}
	if filter.ChoosesEvents() {
		return table, nil
	}
	counters, err := trace.Sampled().Counters()
	if err != nil {
		return nil, err
	}
	known := map[int64]*store.Counter{}
	for i := range counters {
		known[counters[i].ID] = &counters[i]
	}
	from, to := filter.bounds()
	_, last, err := trace.Extent()
	if err != nil {
		return nil, err
	}
	to = min(to, last+1)
	var rank any
	if filter.Rank != nil {
		rank = *filter.Rank
	}
	for s, err := range trace.Rows("reading what was sampled", `WITH held AS (
		SELECT v.counter, max(v.time, ?1) AS start, v.value,
			min(coalesce(lead(v.time) OVER (PARTITION BY v.counter ORDER BY v.time), ?2), coalesce(nullif(p.end, 0), ?2), ?2) AS end
		FROM counter_value v JOIN counter c ON c.id = v.counter LEFT JOIN process p ON p.id = c.process)
		SELECT c.id, p.pid, sum(h.value * 1.0 * (h.end - h.start)) / sum(h.end - h.start), max(h.value)
		FROM held h JOIN counter c ON c.id = h.counter LEFT JOIN process p ON p.id = c.process
		WHERE h.end > h.start AND (?3 IS NULL OR p.id IS NULL OR p.rank = ?3) GROUP BY h.counter ORDER BY p.id IS NULL, p.id, c.host, c.gpu, c.id`, from, to, rank) {
		if err != nil {
			return nil, err
		}
		c := known[s.ColumnInt64(0)]
		if c == nil {
			continue // it came after the list of them was read
		}
		of := c.GPUTitle()
		if c.Process != 0 {
			of = fmt.Sprintf("process %d", s.ColumnInt64(1)) + c.Where()
		}
		unit, mean, most := c.Unit, s.ColumnFloat(2), s.ColumnInt64(3)
		table.Rows = append(table.Rows, []any{of, c.Name, ShowFigure(mean, unit), ShowFigure(float64(most), unit), unit, mean, most})
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
