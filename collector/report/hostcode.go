package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/accscope/accscope/collector/store"
)

// hostCodeTable is what the processors were sampled at, by function and line: processor time,
// and what its threads were in meanwhile. Like other sampled figures it belongs to no event.
func hostCodeTable(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "host_code", Title: "Host code",
		Note: "processor time by samples, a function and line each; waiting is what waits for devices take of a processor",
		Columns: []Column{{"function", "function", Text}, {"source", "source", Text}, {"time", "cpu_ns", Nanoseconds}, {"share", "cpu_share", Fraction},
			{"in OpenACC", "openacc_ns", Nanoseconds}, {"waiting", "wait_ns", Nanoseconds}, {"MPI", "mpi_ns", Nanoseconds}, {"else", "else_ns", Nanoseconds}, {"samples", "samples", Count}}}
	if filter.ChoosesEvents() {
		return table, nil
	}
	from, to := filter.bounds()
	var rank any
	if filter.Rank != nil {
		rank = *filter.Rank
	}
	var all int64
	for s, err := range trace.Rows("reading samples", `SELECT function, source_file, line, module, sum(weight), coalesce(sum(weight) FILTER (WHERE doing = 'OpenACC'), 0),
			coalesce(sum(weight) FILTER (WHERE doing = 'waiting'), 0), coalesce(sum(weight) FILTER (WHERE doing = 'MPI'), 0), count(*) FROM cpu_samples
		WHERE time >= ?1 AND time < ?2 AND (?3 IS NULL OR process IN (SELECT id FROM process WHERE rank = ?3)) AND weight + 0 > 0 AND `+trace.ChosenSQL("process")+` GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC, 1, 2, 3`, from, to, rank) {
		if err != nil {
			return nil, err
		}
		function, source := s.ColumnText(0), s.ColumnText(1)
		switch {
		case source != "" && s.ColumnInt64(2) > 0:
			source = fmt.Sprintf("%s:%d", filepath.Base(source), s.ColumnInt64(2))
		case source == "" && s.ColumnText(3) != "":
			source = filepath.Base(s.ColumnText(3))
		}
		time, inside := s.ColumnInt64(4), [3]int64{s.ColumnInt64(5), s.ColumnInt64(6), s.ColumnInt64(7)}
		all += time
		table.Rows = append(table.Rows, []any{name(function), name(source), time, nil, inside[0], inside[1], inside[2], time - inside[0] - inside[1] - inside[2], s.ColumnInt64(8)})
	}
	for _, row := range table.Rows {
		row[3] = share(row[2].(int64), all)
	}
	return table, nil
}

// costlyCode are the functions that took most of the processors outside of OpenACC and MPI, as
// far as these were sampled, each with the place of its hottest line. Their share is of all
// processor time.
func costlyCode(trace *store.Trace, filter Filter) ([]Cost, error) {
	table, err := hostCodeTable(trace, filter)
	if err != nil {
		return nil, err
	}
	var list []Cost
	at, all := map[any]int{}, int64(0)
	for _, row := range table.Rows { // those of most time first
		all += row[2].(int64)
		outside := row[7].(int64)
		if row[0] == nil || outside == 0 {
			continue
		}
		i, known := at[row[0]]
		if !known {
			i = len(list)
			at[row[0]] = i
			list = append(list, Cost{Name: row[0].(string), Place: Show(row[1], Text), Timed: true})
		}
		list[i].Time += outside
		list[i].Count += row[8].(int64) * outside / row[2].(int64) // a trace's samples are worth the same
	}
	slices.SortStableFunc(list, func(a, b Cost) int { return cmp.Compare(b.Time, a.Time) })
	list = list[:min(len(list), summaryRows)]
	for i := range list {
		list[i].Share = float64(list[i].Time) / float64(all)
	}
	return list, nil
}
