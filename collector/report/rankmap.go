package report

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// RankUse is how busy a rank was over time.
type RankUse struct {
	Rank int64  `json:"rank"`
	Host string `json:"host"`
	// Busy is the time that its devices were busy in the whole run, ns, over its queues; in
	// traces without device times that in constructs and routines on its threads.
	Busy int64 `json:"busy"`
	// Use is the busy fraction of equal parts of the window.
	Use []float64 `json:"use"`
}

// RankMap is time by rank. Of many ranks it has those that stand out, and what the others
// are like: whatever their number, no more than MostSampled are read, one after the other.
type RankMap struct {
	From   int64     `json:"from"`
	To     int64     `json:"to"`
	Ranks  int       `json:"ranks"`  // how many there are
	Device bool      `json:"device"` // what is told of is devices, else host threads
	Rows   []RankUse `json:"rows"`   // by rank: all, or those whose time is farthest from the median
	Folded bool      `json:"folded"` // there are more than Rows
	// Median is that of each part of the window, and Sampled of how many ranks, evenly chosen.
	Median  []float64 `json:"median"`
	Sampled int       `json:"sampled"`
	// MedianBusy is the median of all ranks' Busy, ns.
	MedianBusy int64 `json:"median_busy"`
}

const (
	// MostSampled is how many ranks a median over time is of at most.
	MostSampled = 128
	// mostLanes is how many queues or threads of a rank are read: those with most to tell.
	mostLanes = 8
	// rowsOfLane is how many groups of a lane are opened at least (store.Lanes.BlocksOfRows).
	rowsOfLane = 1
)

// ranked is a rank of the trace.
type ranked struct {
	rank         int64
	host         string
	busy, onHost int64 // what its lanes sum to, as RankUse has it; and those of host threads
	lanes        []store.Lane
	processes    []model.ProcessID
}

// ranksOf gives the ranks of a trace, by rank, and whether their lanes are devices'.
func ranksOf(trace *store.Trace) (list []*ranked, device bool, err error) {
	ranks, of := map[int64]*ranked{}, map[int64]*ranked{} // by rank, by process
	for s, err := range trace.Rows("reading processes", "SELECT process, rank, host FROM processes WHERE rank IS NOT NULL ORDER BY rank, process") {
		if err != nil {
			return nil, false, err
		}
		r := lookup.Make(ranks, s.ColumnInt64(1), func() *ranked {
			list = append(list, &ranked{rank: s.ColumnInt64(1), host: s.ColumnText(2)})
			return list[len(list)-1]
		})
		of[s.ColumnInt64(0)] = r
		r.processes = append(r.processes, model.ProcessID(s.ColumnInt64(0)))
	}
	if err := trace.Lanes().Each(func(lane *store.Lane) error {
		device = device || lane.Type == store.LaneQueue
		switch r := of[int64(lane.Process)]; {
		case r == nil:
		case lane.Type == store.LaneQueue:
			r.busy += lane.Busy
		case outermost(lane):
			r.onHost += lane.Busy
		}
		return nil
	}); err != nil {
		return nil, false, err
	}
	for _, r := range list {
		if !device {
			r.busy = r.onHost
		}
	}
	return list, device, nil
}

// outermost says whether a lane is of spans in no other.
func outermost(lane *store.Lane) bool { return lane.Type == store.LaneSpans && lane.Depth == 0 }

// findLanes finds the lanes of some ranks.
func findLanes(trace *store.Trace, some []*ranked, device bool) error {
	of := map[model.ProcessID]*ranked{}
	for _, r := range some {
		for _, process := range r.processes {
			of[process] = r
		}
	}
	err := trace.Lanes().Each(func(lane *store.Lane) error {
		if r := of[lane.Process]; r != nil && (device && lane.Type == store.LaneQueue || !device && outermost(lane)) {
			r.lanes = append(r.lanes, *lane)
		}
		return nil
	})
	for _, r := range some {
		slices.SortFunc(r.lanes, func(a, b store.Lane) int { return cmp.Or(cmp.Compare(b.Busy, a.Busy), cmp.Compare(a.ID, b.ID)) })
		r.lanes = r.lanes[:min(len(r.lanes), mostLanes)]
	}
	return err
}

// MapRanks makes the map of a window [from, to) in so many parts with so many rows at most.
// only, if not nil, chooses ranks.
func MapRanks(trace *store.Trace, from, to int64, parts, rows int, only func(rank int64) bool) (*RankMap, error) {
	list, device, err := ranksOf(trace)
	if err != nil {
		return nil, err
	}
	if only != nil {
		list = slices.DeleteFunc(list, func(r *ranked) bool { return !only(r.rank) })
	}
	m := &RankMap{From: from, To: to, Ranks: len(list), Device: device, Rows: []RankUse{}, Median: make([]float64, parts)}
	if len(list) == 0 {
		return m, nil
	}
	shown := list
	busy := make([]int64, len(list))
	for i, r := range list {
		busy[i] = r.busy
	}
	m.MedianBusy = Median(busy)
	if len(list) > rows {
		m.Folded = true
		shown = farthest(list, m.MedianBusy, rows)
	}
	m.Sampled = min(len(list), MostSampled)
	sampled := make([]*ranked, m.Sampled)
	for i := range sampled {
		sampled[i] = list[i*len(list)/m.Sampled]
	}
	if err := findLanes(trace, distinct(shown, sampled), device); err != nil {
		return nil, err
	}
	columns := make([][]float64, parts)
	read := map[*ranked][]float64{} // of those that are shown
	for _, r := range shown {
		use, err := r.use(trace, from, to, parts)
		if err != nil {
			return nil, err
		}
		read[r] = use
		m.Rows = append(m.Rows, RankUse{r.rank, r.host, r.busy, use})
	}
	for _, r := range sampled {
		use, known := read[r]
		if !known {
			if use, err = r.use(trace, from, to, parts); err != nil {
				return nil, err
			}
		}
		for i, v := range use {
			columns[i] = append(columns[i], v)
		}
	}
	for i, column := range columns {
		m.Median[i] = Median(column)
	}
	return m, nil
}

// distinct are the ranks of two lists, each once.
func distinct(a, b []*ranked) []*ranked {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b *ranked) int { return cmp.Compare(a.rank, b.rank) })
	return slices.Compact(all)
}

// farthest are the ranks whose time is farthest from the median, by rank.
func farthest(list []*ranked, median int64, rows int) []*ranked {
	off := func(r *ranked) int64 { return max(r.busy-median, median-r.busy) }
	all := slices.Clone(list)
	slices.SortStableFunc(all, func(a, b *ranked) int { return cmp.Compare(off(b), off(a)) })
	all = all[:rows]
	slices.SortFunc(all, func(a, b *ranked) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// use is the busy fraction of equal parts of a window.
func (r *ranked) use(trace *store.Trace, from, to int64, parts int) ([]float64, error) {
	use := make([]float64, parts)
	width := float64(to-from) / float64(parts)
	for _, lane := range r.lanes {
		if lane.Last < from || lane.First >= to {
			continue
		}
		blocks, err := trace.Lanes().BlocksOfRows(lane, from, to, parts, rowsOfLane)
		if err != nil {
			return nil, err
		}
		for i := range blocks {
			b := &blocks[i]
			if b.End <= b.Start {
				continue
			}
			share := min(float64(b.Busy)/float64(b.End-b.Start), 1)
			Spread(use, from, width, max(b.Start, from), min(b.End, to), share)
		}
	}
	for i := range use {
		use[i] = min(use[i], 1)
	}
	return use, nil
}
