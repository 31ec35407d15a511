package tui

import (
	"fmt"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// newAnnotationTable shows how long frames and ranges of the program's own took, and how
// that varies.
func newAnnotationTable() table {
	return table{name: "frames and ranges", sortBy: -1, fields: []field{
		{title: "name"},
		{title: "kind", width: 6},
		{title: "count", width: 8, right: true},
		{title: "average", width: 9, right: true},
		{title: "min", width: 9, right: true},
		{title: "max", width: 9, right: true},
		{title: "deviation", width: 9, right: true},
		{title: "slowest", width: 8, right: true},
		{title: "time", width: 9, right: true, wide: 100},
		{title: "source", width: 22, wide: 120},
	}}
}

func annotationRows(v *state.State) []row {
	var rows []row
	for i := range v.Annotations {
		x := &v.Annotations[i]
		cells := []string{withCutOff(x.Name, x.CutOff), x.Kind, count(float64(x.Count)), "-", "-", "-", "-", "-", "-", sourceText(x.Source)}
		average := int64(0)
		if x.Ended > 0 {
			average = x.Time / x.Ended
			for at, ns := range map[int]int64{3: average, 4: x.Shortest, 5: x.Longest, 6: x.Deviation, 8: x.Time} {
				cells[at] = report.ShowDuration(float64(ns))
			}
			if x.Kind == "frame" {
				cells[7] = number(x.Slowest)
			}
		}
		rows = append(rows, row{id: x.Kind + " " + x.Name, cells: cells,
			keys: []float64{0, 0, float64(x.Count), float64(average), float64(x.Shortest), float64(x.Longest), float64(x.Deviation), float64(x.Slowest), float64(x.Time)},
			detail: func() detail {
				return detail{title: x.Kind + " " + x.Name, source: x.Source, fields: [][2]string{{"count", number(x.Count)}, {"time", cells[8]}, {"average", cells[3]},
					{"min", cells[4]}, {"max", cells[5]}, {"deviation", cells[6]}, {"slowest", cells[7]},
					{"only these", fmt.Sprintf("f %s", x.Name)}}}
			}})
	}
	return rows
}
