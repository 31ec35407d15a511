package web

import (
	"math"
	"slices"

	"github.com/accscope/accscope/collector/store"
)

// durationsAnswer is how the times of a kernel are distributed, ns.
type durationsAnswer struct {
	Kernel   string   `json:"kernel"`
	Count    int64    `json:"count"`
	Total    int64    `json:"total"`
	Shortest int64    `json:"shortest"`
	Median   int64    `json:"median"`
	P95      int64    `json:"p95"` // 95 of 100 launches took at most as long
	Longest  int64    `json:"longest"`
	Slowest  int64    `json:"slowest"` // activity that took longest, 0 if there is none
	Buckets  []bucket `json:"buckets"`
}

// bucket counts the launches that took from From to To, To not included but in the
// last one.
type bucket struct {
	From  int64 `json:"from"` // ns
	To    int64 `json:"to"`
	Count int64 `json:"count"`
}

// mostBuckets is how many bars a histogram has at most.
const mostBuckets = 48

// durations reads what the launches of a kernel, by its readable name, took on the
// device in a window.
func durations(r *request) (any, error) {
	kernel := r.values.text("kernel")
	w, err := r.window()
	if err != nil {
		return nil, err
	}
	if kernel == "" {
		return nil, badRequest("parameter kernel is missing: give the name of a kernel, as the report has it")
	}
	within, err := r.inside()
	if err != nil {
		return nil, err
	}
	always, sometimes, err := launchesOf(r.trace, kernel)
	if err != nil {
		return nil, err
	}
	a := durationsAnswer{Kernel: kernel, Buckets: []bucket{}}
	var times []int64
	err = r.activities(w, func(x *store.Activity) (bool, error) {
		mine := always[x.Work.ID]
		if sometimes[x.Work.ID] {
			cause, err := r.trace.Cause(x.Record)
			if err != nil {
				return false, err
			}
			mine = cause != nil && cause.Name == kernel
		}
		if mine && within != nil {
			if mine, err = r.trace.CausedWithin(within, x.Work.Process, x.Record, x.Start); err != nil {
				return false, err
			}
		}
		if !mine {
			return true, nil
		}
		if len(times) == 0 || x.Duration > a.Longest {
			a.Longest, a.Slowest = x.Duration, x.ID
		}
		times = append(times, x.Duration)
		a.Total += x.Duration
		return true, nil
	})
	if err != nil || len(times) == 0 {
		return &a, err
	}
	slices.Sort(times)
	a.Count, a.Shortest, a.Longest = int64(len(times)), times[0], times[len(times)-1]
	a.Median, a.P95 = quantile(times, 0.5), quantile(times, 0.95)
	a.Buckets = histogram(times)
	return &a, nil
}

// launchesOf says which works are always launches of a kernel, and which are so
// sometimes: where the enqueue was seen, it names the kernel.
func launchesOf(trace *store.Trace, kernel string) (always, sometimes map[int64]bool, err error) {
	totals, err := trace.Sums().WorkTotals(store.Filter{})
	if err != nil {
		return nil, nil, err
	}
	always, sometimes = map[int64]bool{}, map[int64]bool{}
	other := map[int64]bool{}
	for i := range totals {
		t := &totals[i]
		name := t.Name()
		if t.Site != nil {
			name = t.Site.Name
		}
		if t.Work.Kind == "kernel" && name == kernel {
			always[t.Work.ID] = true
		} else {
			other[t.Work.ID] = true
		}
	}
	for id := range other {
		if always[id] {
			delete(always, id)
			sometimes[id] = true
		}
	}
	return always, sometimes, nil
}

// quantile is the smallest of the sorted times that is at least as long as the share
// of them.
func quantile(times []int64, share float64) int64 {
	return times[max(int(math.Ceil(share*float64(len(times)))), 1)-1]
}

// histogram puts sorted times into buckets: equal ones, or, where the longest is
// many times the shortest, each larger than the one before by the same factor.
func histogram(times []int64) []bucket {
	low, high := times[0], times[len(times)-1]
	wanted := int64(min(mostBuckets, max(8, int(2*math.Sqrt(float64(len(times)))))))
	edges := []int64{low}
	for i := int64(1); i < wanted; i++ {
		var edge int64
		if share := float64(i) / float64(wanted); high/max(low, 1) >= 10 {
			edge = int64(math.Round(float64(max(low, 1)) * math.Pow(float64(high)/float64(max(low, 1)), share)))
		} else {
			edge = low + int64(math.Round(share*float64(high-low)))
		}
		if edge > edges[len(edges)-1] && edge < high {
			edges = append(edges, edge)
		}
	}
	buckets := make([]bucket, len(edges))
	for i, edge := range edges {
		buckets[i] = bucket{From: edge, To: high}
		if i+1 < len(edges) {
			buckets[i].To = edges[i+1]
		}
	}
	at := 0
	for _, time := range times {
		for at+1 < len(buckets) && time >= buckets[at].To {
			at++
		}
		buckets[at].Count++
	}
	return buckets
}
