package web

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/store"
)

// sum is a line of the statistics of a range.
type sum struct {
	Group    string `json:"group"` // host or device
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Count    int64  `json:"count"`
	Time     int64  `json:"time"`     // ns
	Inner    int64  `json:"inner"`    // of that in nested spans
	Shortest int64  `json:"shortest"` // ns
	Longest  int64  `json:"longest"`  // ns
	Bytes    int64  `json:"bytes"`    // moved or allocated
}

type statisticsAnswer struct {
	From    int64 `json:"from"`
	To      int64 `json:"to"`
	Rows    []sum `json:"rows"`    // most time first
	Omitted int   `json:"omitted"` // rows left out
}

// mostSums is how many lines the statistics of a range have.
const mostSums = 500

// statistics sums what overlaps a range: the whole of each span counts.
func statistics(r *request) (any, error) {
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	filter := store.Filter{From: w.from, To: w.to}
	first, last, err := r.trace.Extent()
	if err != nil {
		return nil, err
	}
	if w.from <= first && w.to > last {
		// The sums of the whole trace are in the file.
		filter = store.Filter{}
	}
	sums := make(map[[3]string]*sum)
	add := func(group, kind, name string, count, time, inner, shortest, longest, bytes int64) {
		key := [3]string{group, kind, name}
		line := sums[key]
		if line == nil {
			line = &sum{Group: group, Kind: kind, Name: name, Shortest: shortest, Longest: longest}
			sums[key] = line
		}
		line.Count += count
		line.Time += time
		line.Inner += inner
		line.Shortest, line.Longest = min(line.Shortest, shortest), max(line.Longest, longest)
		line.Bytes += bytes
	}
	totals, err := r.trace.Totals(filter)
	if err != nil {
		return nil, err
	}
	for i := range totals {
		t := &totals[i]
		add("host", t.Site.Kind, t.Site.Name, t.Count, t.Time, t.Inner, t.Shortest, t.Longest, t.Bytes)
	}
	works, err := r.trace.WorkTotals(filter)
	if err != nil {
		return nil, err
	}
	for i := range works {
		t := &works[i]
		add("device", t.Work.Kind, t.Name(), t.Count, t.Time, 0, t.Shortest, t.Longest, t.Bytes)
	}
	a := statisticsAnswer{From: w.from, To: w.to, Rows: make([]sum, 0, len(sums))}
	for _, line := range sums {
		a.Rows = append(a.Rows, *line)
	}
	slices.SortFunc(a.Rows, func(a, b sum) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	if len(a.Rows) > mostSums {
		a.Omitted = len(a.Rows) - mostSums
		a.Rows = a.Rows[:mostSums]
	}
	return &a, nil
}
