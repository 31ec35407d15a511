package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

const (
	// mostRanks is how many ranks the table of ranks shows: of more it shows the median and
	// those that are farthest from it.
	mostRanks = 16
	// rankParts is how many parts of time a rank's row has.
	rankParts = 40
)

// heat are characters for fractions of 1, from nothing on.
const heat = " .:-=+*#%@"

// drawn is a row of fractions in characters.
func drawn(use []float64) string {
	text := make([]byte, len(use))
	for i, v := range use {
		at := int(v * float64(len(heat)-1))
		if v > 0 {
			at = max(at, 1)
		}
		text[i] = heat[min(at, len(heat)-1)]
	}
	return string(text)
}

// ofRanks are the tables about the ranks of a job; none of a single one.
func (f *facts) ofRanks(filter Filter) ([]*Table, error) {
	ranks := map[int32]bool{}
	for _, rank := range f.ranks {
		ranks[rank] = true
	}
	if len(ranks) < 2 || filter.Rank != nil {
		return nil, nil
	}
	sums, kernels := map[int64]*rankSum{}, map[[2]string]*rankedKernel{}
	if err := f.each(0, func(t *total) error {
		if rank, known := f.rankOfThread(t.thread).(int64); known {
			addToRank(lookup.New(sums, rank), t)
			addToKernel(kernels, rank, t)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	table, slowest, err := f.rankTable(sums)
	if err != nil {
		return nil, err
	}
	path, err := f.criticalPath(filter, slowest)
	if err != nil {
		return nil, err
	}
	return []*Table{table, imbalance(kernels), path}, nil
}

// rankSum is what a rank did.
type rankSum struct{ kernels, device, host, waited, mpi int64 }

// addToRank sums up what a rank did.
func addToRank(s *rankSum, t *total) {
	if t.site.Own() {
		if t.site.KindCode == model.MPIStart {
			s.mpi += t.Exclusive()
		}
		return
	}
	s.device += t.device.Time
	switch t.site.KindCode {
	case model.EnqueueLaunchStart:
		s.kernels += t.Count
		s.host += t.Exclusive()
	case model.WaitStart:
		s.waited += t.Time
	default:
		s.host += t.Exclusive()
	}
}

// rankTable is time by rank, and which rank is the slowest: that with most to do.
func (f *facts) rankTable(sums map[int64]*rankSum) (table *Table, slowest int64, err error) {
	table = &Table{Key: "ranks", Title: "Ranks",
		Columns: []Column{{"rank", "rank", Text}, {"host", "host", Text}, {"kernels", "kernels", Count}, {"device time", "device_ns", Nanoseconds},
			{"host time", "host_exclusive_ns", Nanoseconds}, {"waited", "wait_ns", Nanoseconds}, {"MPI", "mpi_ns", Nanoseconds}, {"over time", "", Text}}}
	m, err := MapRanks(f.trace, f.first, max(f.last, f.first+1), rankParts, mostRanks, func(rank int64) bool { return sums[rank] != nil })
	if err != nil {
		return nil, 0, err
	}
	work := func(s *rankSum) int64 {
		if m.Device {
			return s.device
		}
		return s.host
	}
	first := true
	for rank, s := range sums {
		if first || work(s) > work(sums[slowest]) || work(s) == work(sums[slowest]) && rank < slowest {
			slowest, first = rank, false
		}
	}
	// No rank has a call of MPI where these were not recorded, or there are none.
	calls := false
	for _, s := range sums {
		calls = calls || s.mpi > 0
	}
	inMPI := func(time int64) any {
		if !calls {
			return nil
		}
		return time
	}
	what := "devices"
	if !m.Device {
		what = "host threads in constructs and routines"
	}
	table.Note = fmt.Sprintf("of %s, from left to right the whole time: %q is never busy, %q always", what, heat[:1], heat[len(heat)-1:])
	if m.Folded {
		table.Note += fmt.Sprintf("; of %d ranks those farthest from the median are shown, which over time is that of %d", m.Ranks, m.Sampled)
		middle := func(of func(*rankSum) int64) int64 {
			all := make([]int64, 0, len(sums))
			for _, s := range sums {
				all = append(all, of(s))
			}
			return Median(all)
		}
		device := any(nil)
		if m.Device {
			device = middle(func(s *rankSum) int64 { return s.device })
		}
		table.Rows = append(table.Rows, []any{fmt.Sprintf("median of %d", m.Ranks), nil, middle(func(s *rankSum) int64 { return s.kernels }), device,
			middle(func(s *rankSum) int64 { return s.host }), middle(func(s *rankSum) int64 { return s.waited }), inMPI(middle(func(s *rankSum) int64 { return s.mpi })), drawn(m.Median)})
	}
	for _, r := range m.Rows {
		s := sums[r.Rank]
		device := any(nil)
		if m.Device {
			device = s.device
		}
		table.Rows = append(table.Rows, []any{fmt.Sprintf("rank %d", r.Rank), r.Host, s.kernels, device, s.host, s.waited, inMPI(s.mpi), drawn(r.Use)})
	}
	return table, slowest, nil
}

// rankedKernel is a kernel with its time on each rank.
type rankedKernel struct {
	site  *site
	times map[int64]int64 // by rank
}

func addToKernel(kernels map[[2]string]*rankedKernel, rank int64, t *total) {
	if t.site.KindCode == model.EnqueueLaunchStart && t.device.Count > 0 {
		lookup.Make(kernels, [2]string{t.site.Program, t.site.Symbol}, func() *rankedKernel { return &rankedKernel{t.site, map[int64]int64{}} }).times[rank] += t.device.Time
	}
}

// imbalance is how unlike the ranks' times in each kernel are.
func imbalance(kernels map[[2]string]*rankedKernel) *Table {
	table := &Table{Key: "imbalance", Title: "Imbalance of kernels", Empty: "no device times: the runtime measures none",
		Note: "share of the slowest rank's time that the ranks would wait for it on average, where they meet after the kernel",
		Columns: append(kernelColumns(), []Column{{"ranks", "ranks", Count}, {"median", "median_ns", Nanoseconds}, {"average", "avg_ns", Nanoseconds},
			{"slowest", "max_ns", Nanoseconds}, {"of rank", "slowest_rank", Count}, {"imbalance", "imbalance", Fraction}}...)}
	type line struct {
		lost int64
		row  []any
	}
	var lines []line
	for _, k := range kernels {
		if len(k.times) < 2 {
			continue
		}
		var sum, most, slowest int64
		for rank, time := range k.times {
			sum += time
			if time > most || time == most && rank < slowest {
				most, slowest = time, rank
			}
		}
		n := int64(len(k.times))
		lines = append(lines, line{most - sum/n, append(kernelCells(k.site), n, Median(slices.Collect(maps.Values(k.times))), sum/n, most, slowest, share(most-sum/n, most))})
	}
	slices.SortFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(b.lost, a.lost), cmp.Compare(fmt.Sprint(a.row[1]), fmt.Sprint(b.row[1])))
	})
	for _, l := range lines {
		table.Rows = append(table.Rows, l.row)
	}
	return table
}

// ran is a device activity, and latest the last end of those up to it.
type ran struct {
	start, end, latest int64
	what               string
}

// mostRan is how many device activities of a rank are looked at one by one.
const mostRan = 1_000_000

// criticalPath is what the slowest rank's time was: its own work on the host, and while a
// thread of it waited what its devices did.
func (f *facts) criticalPath(filter Filter, rank int64) (*Table, error) {
	table := &Table{Key: "critical_path", Title: fmt.Sprintf("Critical path of rank %d, the slowest", rank),
		Note:    "time of its thread with most of it; where that waits, what its devices did then, from the end of the wait back",
		Columns: []Column{{"on the path", "what", Text}, {"time", "time_ns", Nanoseconds}, {"share", "path_share", Fraction}}}
	times, paths := map[int64]int64{}, map[int64]map[string]int64{} // by thread
	for process, of := range f.ranks {
		if int64(of) != rank {
			continue
		}
		if err := f.each(model.ProcessID(process), func(t *total) error {
			if !t.site.Own() {
				times[t.thread] += t.Exclusive()
			}
			if t.site.KindCode == model.WaitStart || t.site.Own() && t.site.KindCode != model.MPIStart {
				return nil
			}
			what := t.site.Name
			if !t.site.Own() {
				what = "host: " + cmp.Or(t.site.Construct, t.site.Kind)
			}
			lookup.Make(paths, t.thread, func() map[string]int64 { return map[string]int64{} })[what] += t.Exclusive()
			return nil
		}); err != nil {
			return nil, err
		}
	}
	var thread int64
	for t, time := range times {
		if thread == 0 || time > times[thread] || time == times[thread] && t < thread {
			thread = t
		}
	}
	if thread == 0 {
		return nil, nil
	}
	process := model.ProcessID(f.threads[thread].process)
	path := paths[thread]
	if path == nil {
		path = map[string]int64{}
	}
	chosen, part := filter.stored(), f.trace.Part(process)
	chosen.Process = process
	var list []ran
	for a, err := range part.Activities(chosen) {
		if err != nil {
			return nil, err
		}
		if len(list) == mostRan {
			table.Note, table.Cautious = fmt.Sprintf("the rank's devices did more than %d things: choose a part with --since and --until", mostRan), true
			return table, nil
		}
		name, err := activityName(part, a)
		if err != nil {
			return nil, err
		}
		list = append(list, ran{start: a.Start, end: a.End(), what: a.Work.Kind + " " + name})
	}
	slices.SortStableFunc(list, func(a, b ran) int { return cmp.Compare(a.start, b.start) })
	for i := range list {
		list[i].latest = list[i].end
		if i > 0 {
			list[i].latest = max(list[i].end, list[i-1].latest)
		}
	}
	chosen.Thread, chosen.Kinds = model.ThreadID(thread), []string{model.SpanName(model.WaitStart)}
	for r, err := range part.Spans(chosen) {
		if err != nil {
			return nil, err
		}
		back(list, max(r.Start, f.first), min(r.End(), f.last), path)
	}
	sum := int64(0)
	for _, time := range path {
		sum += time
	}
	if outside := f.wall - sum; outside > 0 {
		path["host: outside of OpenACC"] += outside
		sum = f.wall
	}
	for what, time := range path {
		if time > 0 {
			table.Rows = append(table.Rows, []any{what, time, share(time, sum)})
		}
	}
	slices.SortFunc(table.Rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[1].(int64), a[1].(int64)), cmp.Compare(a[0].(string), b[0].(string)))
	})
	return table, nil
}

// activityName is what an activity is called: by itself, else by what enqueued it.
func activityName(trace *store.Trace, a *store.Activity) (string, error) {
	if a.Work.Name != "" {
		return a.Work.Name, nil
	}
	site, err := trace.Cause(a.Record)
	if err != nil || site == nil {
		return "", err
	}
	return site.Name, nil
}

// back goes from the end of a wait to its begin along what ran, and adds up what that was.
func back(list []ran, from, to int64, path map[string]int64) {
	for to > from {
		// Of what began before, the one that ended last.
		i := sort.Search(len(list), func(i int) bool { return list[i].start >= to }) - 1
		best := -1
		for ; i >= 0 && (best < 0 || list[i].latest > list[best].end); i-- {
			if best < 0 || list[i].end > list[best].end {
				best = i
			}
			if list[best].end >= to {
				break
			}
		}
		if best < 0 || list[best].end <= from {
			path["waiting, nothing ran"] += to - from
			return
		}
		if end := list[best].end; end < to {
			path["waiting, nothing ran"] += to - end
			to = end
		}
		begin := max(list[best].start, from)
		if begin >= to {
			return
		}
		path[list[best].what] += to - begin
		to = begin
	}
}
