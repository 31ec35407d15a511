package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// annotated are the ranges, frames or marks of a name.
type annotated struct {
	kind, name string
	site       *site // of the first
	count      int64
	times      []int64 // durations, of those without an end until they were cut off, ns
	own        int64   // ns of these in no span inside
	cut        int64   // of these without an end
	longest    int64
	slowest    any // number of the longest frame
}

func (a *annotated) add(r *store.Record) {
	a.count++
	if !r.Span {
		return
	}
	if r.Duration >= a.longest {
		a.longest = r.Duration
		if r.Site.KindCode == model.FrameStart {
			a.slowest = int64(r.Host)
		}
	}
	a.times = append(a.times, r.Duration)
	if r.Unended {
		a.cut++
	}
	a.own += r.Exclusive()
}

// row is the annotation's row in the table of annotations.
func (a *annotated) row() []any {
	row := []any{a.name, a.kind, name(a.site.place()), a.count}
	n := len(a.times)
	if n == 0 {
		return append(row, nil, nil, nil, nil, nil, nil, nil, nil, nil, int64(0))
	}
	slices.Sort(a.times)
	var sum int64
	for _, t := range a.times {
		sum += t
	}
	mean := float64(sum) / float64(n)
	var squares float64
	for _, t := range a.times {
		squares += (float64(t) - mean) * (float64(t) - mean)
	}
	return append(row, sum, a.own, a.times[0], a.times[(n-1)/2], int64(mean), a.times[(n*95+99)/100-1], a.times[n-1],
		int64(math.Sqrt(squares/float64(n))), a.slowest, a.cut)
}

// frames are the program's own, summed up by name.
func (f *facts) frames() (list []Frames) {
	at := map[string]int{}
	for _, t := range f.own {
		if t.site.KindCode != model.FrameStart {
			continue
		}
		name := t.site.Site.Label()
		of := &list[lookup.Make(at, name, func() int {
			list = append(list, Frames{Name: name})
			return len(list) - 1
		})]
		of.Count, of.Ended, of.Time, of.Longest = of.Count+t.Count, of.Ended+t.Ended, of.Time+t.Time, max(of.Longest, t.Longest)
	}
	slices.SortFunc(list, func(a, b Frames) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Name, b.Name)) })
	return list
}

// annotations are the program's own frames, ranges and marks: how long they took, and how
// that varies.
func (f *facts) annotations(trace *store.Trace, filter Filter) (*Table, error) {
	table := &Table{Key: "annotations", Title: "Frames, ranges and marks of the program",
		Note: "own is the time in no construct, call of MPI or range inside; 95 % of them took no longer than the column says",
		Columns: []Column{{"name", "name", Text}, {"kind", "kind", Text}, {"source", "source", Text}, {"count", "count", Count},
			{"time", "time_ns", Nanoseconds}, {"own", "own_ns", Nanoseconds}, {"min", "min_ns", Nanoseconds},
			{"median", "median_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"95 %", "p95_ns", Nanoseconds},
			{"max", "max_ns", Nanoseconds}, {"deviation", "deviation_ns", Nanoseconds}, {"slowest", "slowest_number", Count}, cutOff}}
	isAnnotation := func(t *total) bool { return t.site.KindCode != model.MPIStart }
	if !slices.ContainsFunc(f.own, isAnnotation) {
		return table.marked(), nil // no need to read the records
	}
	kinds := []string{model.SpanName(model.RangeStart), model.SpanName(model.FrameStart), model.SpanName(model.Mark)}
	all := map[[2]string]*annotated{}
	var list []*annotated
	chosen := filter.stored()
	chosen.Kinds = kinds
	for r, err := range trace.Records(chosen) {
		if err != nil {
			return nil, err
		}
		s := f.site(r.Site)
		if !filter.accepts(s, f.rankOfThread(int64(r.Thread))) {
			continue
		}
		lookup.Make(all, [2]string{r.Site.Kind, r.Site.Name}, func() *annotated {
			list = append(list, &annotated{kind: r.Site.Kind, name: r.Site.Label(), site: s})
			return list[len(list)-1]
		}).add(r)
	}
	for _, a := range list {
		table.Rows = append(table.Rows, a.row())
	}
	slices.SortStableFunc(table.Rows, func(a, b []any) int {
		x, _ := a[4].(int64)
		y, _ := b[4].(int64)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a[1].(string), b[1].(string)))
	})
	return table.marked(), nil
}
