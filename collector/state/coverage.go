package state

import (
	"slices"
	"sort"
)

// interval is a time in which a queue was busy, in nanoseconds.
type interval struct{ from, to int64 }

// coverage adds up the time that intervals cover, in whatever order they come:
// kernels and transfers of one queue may be measured in different ways, one of
// them late.
type coverage struct {
	intervals []interval // the newest ones, in order, neither overlapping nor touching
	floor     int64      // end of those that are forgotten
}

// The most intervals remembered, of which half are forgotten at once: what a runtime
// holds back, 512 kernels, with a dozen transfers between any two of them.
const maxIntervals = 1 << 14

// add gives how much of the interval was not covered before.
func (c *coverage) add(from, to int64) int64 {
	from = max(from, c.floor)
	if to <= from {
		return 0
	}
	// Those from first to last, last not included, overlap or touch it.
	last := len(c.intervals)
	if last > 0 && c.intervals[last-1].from > to {
		last = sort.Search(last, func(i int) bool { return c.intervals[i].from > to })
	}
	first, covered := last, int64(0)
	merged := interval{from, to}
	for first > 0 && c.intervals[first-1].to >= from {
		first--
		old := c.intervals[first]
		covered += min(old.to, to) - max(old.from, from)
		merged = interval{min(old.from, merged.from), max(old.to, merged.to)}
	}
	if first == last && len(c.intervals) == maxIntervals {
		if first < maxIntervals/2 {
			return to - from // so late that it is not remembered
		}
		c.floor = c.intervals[maxIntervals/2-1].to
		c.intervals = slices.Delete(c.intervals, 0, maxIntervals/2)
		first, last = first-maxIntervals/2, last-maxIntervals/2
	}
	c.intervals = slices.Replace(c.intervals, first, last, merged)
	return to - from - covered
}
