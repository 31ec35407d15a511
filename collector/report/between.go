package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/store"
)

// crossing sums the copies of a variable from one device to another (acc_memcpy_d2d, OpenACC
// 3.3 §3.2.30), over the processes. No event tells of them: they are known by what devices did.
type crossing struct {
	from, to, variable, place string
	store.Sum
}

// crossings are the copies between devices that a filter lets through, those that took most
// first.
func (f *facts) crossings(filter Filter) ([]*crossing, error) {
	if any, err := f.trace.CopiesBetween(); err != nil || !any {
		return nil, err
	}
	sums, order := map[[4]string]*crossing{}, []*crossing(nil)
	add := func(w *store.Work, sum *store.Sum) {
		c := crossing{from: w.DeviceTitle(), to: w.PeerTitle(), variable: w.Name, place: ShowPlace(w.File, int64(w.Line), "")}
		if w.Peer == 0 || !filter.acceptsCopy(w, &c, f.rankOf(int64(w.Process))) {
			return
		}
		lookup.Make(sums, [4]string{c.from, c.to, c.variable, c.place}, func() *crossing {
			order = append(order, &c)
			return &c
		}).Add(sum)
	}
	if filter.limitsTime() {
		for a, err := range f.trace.Activities(filter.stored()) {
			if err != nil {
				return nil, err
			}
			add(a.Work, &store.Sum{Count: 1, Ended: 1, Time: a.Duration, Shortest: a.Duration, Longest: a.Duration, Bytes: int64(a.Bytes)})
		}
	} else {
		totals, err := f.trace.Sums().UnseenTotals()
		if err != nil {
			return nil, err
		}
		for i := range totals {
			add(totals[i].Work, &totals[i].Sum)
		}
	}
	slices.SortStableFunc(order, func(a, b *crossing) int { return cmp.Compare(b.Time, a.Time) })
	return order, nil
}

// acceptsCopy is accepts for a copy between devices: it is of both.
func (filter Filter) acceptsCopy(w *store.Work, c *crossing, rank any) bool {
	return filter.Kernel == "" && (filter.Variable == "" || w.Name == filter.Variable || w.Symbol == filter.Variable) &&
		(filter.Queue == nil || w.AsyncQueue == *filter.Queue) &&
		(filter.Device == nil || w.Number() == *filter.Device || w.PeerNumber() == *filter.Device) &&
		filter.wantsRank(rank) && strings.Contains(c.place, filter.Source)
}

// costlyRoutes are the ways between devices that took most.
func (f *facts) costlyRoutes(filter Filter) ([]Cost, error) {
	crossings, err := f.crossings(filter)
	all, costs, at := int64(0), []Cost(nil), map[string]int{}
	for _, c := range crossings { // those that took most come first
		all += c.Time
		route := c.from + " to " + c.to
		if _, known := at[route]; !known {
			at[route] = len(costs)
			costs = append(costs, Cost{Name: route, Place: c.place, Timed: true})
		}
		of := &costs[at[route]]
		of.Time, of.Bytes, of.Count = of.Time+c.Time, of.Bytes+c.Bytes, of.Count+c.Count
	}
	slices.SortStableFunc(costs, func(a, b Cost) int { return cmp.Compare(b.Time, a.Time) })
	for i := range costs {
		costs[i].Share = float64(costs[i].Time) / float64(max(all, 1))
	}
	return costs[:min(len(costs), summaryRows)], err
}

// between is the table of who sent how much to whom, and the sum of all.
func (f *facts) between(filter Filter) (table *Table, all store.Sum, err error) {
	table = &Table{Key: "between_devices", Title: "Between devices", Note: "copies by acc_memcpy_d2d: from sent, on its queue",
		Columns: []Column{{"from", "from", Text}, {"to", "to", Text}, {"variable", "variable", Text}, {"source", "source", Text}, {"count", "count", Count}, {"bytes", "bytes", Bytes},
			{"device time", "device_ns", Nanoseconds}, {"min", "device_min_ns", Nanoseconds}, {"avg", "device_avg_ns", Nanoseconds}, {"max", "device_max_ns", Nanoseconds},
			{"rate", "bytes_per_second", BytesPerSecond}}}
	crossings, err := f.crossings(filter)
	for _, c := range crossings {
		all.Add(&c.Sum)
		table.Rows = append(table.Rows, []any{c.from, c.to, name(c.variable), name(c.place), c.Count, c.Bytes, c.Time, c.Shortest, average(c.Time, c.Count), c.Longest,
			rate(c.Bytes, c.Time)})
	}
	return table, all, err
}
