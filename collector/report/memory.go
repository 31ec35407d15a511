package report

import (
	"math"

	"github.com/accscope/accscope/collector/lookup"
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

// memoryUse is how much memory a device had in use at chosen times: the most, and at the end of
// the last, bytes.
type memoryUse struct {
	peak, end int64
	times     []Interval // that are not over
	used      int64      // now
}

// until counts what is in use until the next change.
func (u *memoryUse) until(next int64) {
	for len(u.times) > 0 && u.times[0].Start < next {
		u.peak, u.end = max(u.peak, u.used), u.used
		if u.times[0].End > next {
			break
		}
		u.times = u.times[1:]
	}
}

// memoryIn is that of each device, at times of its process that are in order and end before
// another one. A job has as many devices as ranks: they are read at once.
func memoryIn(trace *store.Trace, before int64, times func(model.ProcessID) []Interval) (map[int64]*memoryUse, error) {
	devices := map[int64]*memoryUse{}
	for s, err := range trace.Rows("reading device memory", "SELECT device, process, time, used FROM memory WHERE time < ? AND "+trace.ChosenSQL("process")+" ORDER BY time", before) {
		if err != nil {
			return nil, err
		}
		u := lookup.Make(devices, s.ColumnInt64(0), func() *memoryUse { return &memoryUse{times: times(model.ProcessID(s.ColumnInt64(1)))} })
		u.until(s.ColumnInt64(2))
		u.used = s.ColumnInt64(3)
	}
	for _, u := range devices {
		u.until(math.MaxInt64)
	}
	return devices, nil
}

// memoryOf is what a device had in use at the times that the filter chooses.
func (f *facts) memoryOf(device int64) (memoryUse, error) {
	if f.memory == nil {
		_, to := f.filter.bounds()
		var err error
		if f.memory, err = memoryIn(f.trace, to, f.filter.times); err != nil {
			return memoryUse{}, err
		}
	}
	if u := f.memory[device]; u != nil {
		return *u, nil
	}
	return memoryUse{}, nil
}
