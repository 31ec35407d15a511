package report

import (
	"math"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// times are what of a process's time is counted, in order.
func (filter Filter) times(process model.ProcessID) (list []Interval) {
	from, to := filter.bounds()
	if filter.Within == nil {
		return []Interval{{from, to}}
	}
	filter.Within.EachOf(process, func(begin, end int64) {
		if begin, end = max(begin, from), min(end, to); begin < end {
			list = append(list, Interval{begin, end})
		}
	})
	return list
}

// limitsTime says whether a filter chooses times.
func (filter Filter) limitsTime() bool {
	from, to := filter.bounds()
	return filter.Within != nil || from != math.MinInt64 || to != math.MaxInt64
}

// memoryIn is the most memory that a device had in use at times that are in order, and how
// much at the end of the last, bytes.
func memoryIn(trace *store.Trace, device int64, times []Interval) (peak, end int64, err error) {
	var used int64
	// over counts what was in use until the next change.
	over := func(next int64) {
		for len(times) > 0 && times[0].Start < next {
			peak, end = max(peak, used), used
			if times[0].End > next {
				break
			}
			times = times[1:]
		}
	}
	if len(times) == 0 {
		return 0, 0, nil
	}
	for s, err := range trace.Rows("reading device memory", "SELECT time, used FROM memory WHERE device = ? AND time < ? ORDER BY time", device, times[len(times)-1].End) {
		if err != nil {
			return 0, 0, err
		}
		over(s.ColumnInt64(0))
		used = s.ColumnInt64(1)
	}
	over(math.MaxInt64)
	return peak, end, nil
}
