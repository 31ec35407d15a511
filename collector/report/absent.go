package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/accscope/accscope/collector/store"
)

// Absent says which ranks of the job are not in the trace, and what of the traces that it was
// made of was elsewhere.
func Absent(trace *store.Trace) ([]string, error) {
	meta, err := trace.Facts()
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(meta.Facts)) {
		if store.IsUnfinished(key) {
			lines = append(lines, meta.Facts[key]+"; sums are too small")
		}
	}
	have, job := map[int64]bool{}, int64(0)
	for s, err := range trace.Rows("reading processes", `SELECT rank, ranks FROM processes WHERE rank IS NOT NULL`) {
		if err != nil {
			return nil, err
		}
		have[s.ColumnInt64(0)] = true
		job = max(job, s.ColumnInt64(1))
	}
	if missing := job - int64(len(have)); len(have) > 0 && missing > 0 {
		var names []string
		for rank := int64(0); rank < job; rank++ {
			if !have[rank] {
				names = append(names, strconv.FormatInt(rank, 10))
			}
		}
		lines = append(lines, fmt.Sprintf("%d of the job's %d ranks are here: of the others (%s) nothing is known, or they used no OpenACC", len(have), job, some(names, namedAtMost)))
	}
	return lines, nil
}
