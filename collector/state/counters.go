package state

import (
	"math"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/store"
)

// Counter is a sampled figure and its value at the time.
type Counter struct {
	store.Counter
	Value int64 `json:"value"`
	// Points are its values so far, oldest first.
	Points []store.MemoryPoint `json:"-"`
}

// counter is what was read of one.
type counter struct {
	last   int64 // time of its newest value
	value  int64
	values recent[store.MemoryPoint]
}

// readCounters reads what was sampled up to the time, and gives it.
func (r *Reader) readCounters() ([]Counter, error) {
	known, err := r.trace.Sampled().Counters()
	if err != nil {
		return nil, err
	}
	list := make([]Counter, 0, len(known))
	for _, c := range known {
		x := lookup.Make(r.counters, c.ID, func() *counter { return &counter{last: math.MinInt64} })
		if err := r.trace.Sampled().CounterValues(c.ID, x.last+1, r.after(), func(v store.CounterValue) error {
			x.last, x.value = v.Time, v.Value
			x.values.add(store.MemoryPoint{Time: v.Time, End: v.Time, Low: v.Value, High: v.Value, Last: v.Value}, bothPoints)
			return nil
		}); err != nil {
			return nil, err
		}
		if len(x.values.list) > 0 {
			list = append(list, Counter{c, x.value, x.values.list})
		}
	}
	return list, nil
}
