package web

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// A queue is busy once however many operations overlap on it, as they do on the
// synchronous one that threads share; two queues are busy at once only where two
// queues are.
func TestQueueUse(t *testing.T) {
	type intervals = []report.Interval
	w := window{from: 0, to: 100, pixels: 4}
	at := func(start, end int64) report.Interval { return report.Interval{Start: start, End: end} }
	for name, c := range map[string]struct {
		kernels, transfers            map[model.QueueID]intervals
		busy                          []int64
		use                           []float64 // of the first queue
		atLeast                       []int64
		kernel, transferring, overlap int64
	}{
		"one after the other": {map[model.QueueID]intervals{1: {at(0, 25)}}, map[model.QueueID]intervals{1: {at(25, 50)}},
			[]int64{50}, []float64{1, 1, 0, 0}, []int64{50}, 25, 25, 0},
		"two threads on one queue": {map[model.QueueID]intervals{1: {at(0, 50), at(40, 75)}}, map[model.QueueID]intervals{1: {at(10, 30)}},
			[]int64{75}, []float64{1, 1, 1, 0}, []int64{75}, 75, 20, 20},
		"two queues": {map[model.QueueID]intervals{1: {at(0, 50)}}, map[model.QueueID]intervals{2: {at(25, 75)}},
			[]int64{50, 50}, []float64{1, 1, 0, 0}, []int64{75, 25}, 50, 50, 25},
		"queues in turn": {map[model.QueueID]intervals{1: {at(0, 25), at(50, 75)}, 2: {at(25, 50), at(75, 100)}}, nil,
			[]int64{50, 50}, []float64{1, 0, 1, 0}, []int64{100}, 100, 0, 0},
		"nothing": {nil, nil, nil, nil, []int64{}, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ran := &deviceWork{queues: map[model.QueueID]intervals{}}
			for queue, list := range c.kernels {
				ran.queues[queue] = append(ran.queues[queue], list...)
				ran.kernels = append(ran.kernels, list...)
			}
			for queue, list := range c.transfers {
				ran.queues[queue] = append(ran.queues[queue], list...)
				ran.transfers = append(ran.transfers, list...)
			}
			a := queuesAnswer{To: 100}
			for i, busy := range c.busy {
				use := queueUse{Use: make([]float64, w.pixels), Measured: true}
				use.ran(ran, model.QueueID(i+1), w)
				if use.Busy != busy {
					t.Errorf("queue %d was busy for %d, want %d", i, use.Busy, busy)
				}
				if i == 0 && !slices.Equal(use.Use, c.use) {
					t.Errorf("used %v, want %v", use.Use, c.use)
				}
			}
			a.together(ran)
			if !slices.Equal(a.AtLeast, c.atLeast) || a.Kernels != c.kernel || a.Transfers != c.transferring || a.Overlap != c.overlap {
				t.Errorf("at least %v, kernels %d, transfers %d, overlap %d; want %v, %d, %d, %d", a.AtLeast, a.Kernels, a.Transfers, a.Overlap,
					c.atLeast, c.kernel, c.transferring, c.overlap)
			}
		})
	}
}

// Of more operations than are looked at one by one, each queue's own time is known,
// and of all queues two bounds of it.
func TestQueueUseOfGroups(t *testing.T) {
	kernel := &store.Work{Kind: "kernel"}
	w := window{from: 0, to: 100, pixels: 4}
	a := queuesAnswer{To: 100}
	for _, blocks := range [][]store.Block{
		{{Work: kernel, Start: 0, End: 80, Count: 9, Busy: 20}, {Work: kernel, Start: 80, End: 120, Count: 1, Busy: 40}},
		{{Work: kernel, Start: 0, End: 100, Count: 9, Busy: 90}},
	} {
		use := queueUse{Use: make([]float64, w.pixels), Measured: true}
		for i := range blocks {
			use.add(&blocks[i], w)
		}
		a.Queues = append(a.Queues, use)
	}
	if a.Queues[0].Busy != 40 || a.Queues[1].Busy != 90 || a.Queues[0].Operations != 10 {
		t.Errorf("busy for %d and %d, %d operations; want 40, 90 and 10", a.Queues[0].Busy, a.Queues[1].Busy, a.Queues[0].Operations)
	}
	a.together(nil)
	if a.Exact || a.BusyLeast != 90 || a.BusyMost != 100 || len(a.AtLeast) > 0 {
		t.Errorf("from %d to %d, %v; want 90 to 100 and nothing of several at once", a.BusyLeast, a.BusyMost, a.AtLeast)
	}
}

// The figures of a trace are those that SQL gives.
func TestQueuesAgreeWithSQL(t *testing.T) {
	s := serve(t, Options{Traces: []string{tracetest.File(t, 20_000, 1)}})
	got := answer[queuesAnswer](t, s, "/api/queues")
	rows := sums(t, s, `WITH edge AS (SELECT start AS at, 1 AS step FROM device_activity UNION ALL SELECT end, -1 FROM device_activity),
		swept AS (SELECT at, lead(at) OVER (ORDER BY at, step) AS next, sum(step) OVER (ORDER BY at, step ROWS UNBOUNDED PRECEDING) AS running FROM edge)
		SELECT sum(next - at) FILTER (WHERE running > 0) FROM swept`)
	if !got.Exact || got.BusyLeast != rows[0] || got.BusyMost != rows[0] || rows[0] == 0 {
		t.Errorf("exact %v, busy from %d to %d; SQL says %d", got.Exact, got.BusyLeast, got.BusyMost, rows[0])
	}
	operations := int64(0)
	for _, q := range got.Queues {
		if q.Measured {
			operations += q.Operations
		}
	}
	if want := sums(t, s, "SELECT count(*) FROM device_activity")[0]; operations != want {
		t.Errorf("%d operations, SQL counts %d", operations, want)
	}
}

// sums gives the numbers of a statement's only row.
func sums(t *testing.T, s *Server, sql string) []int64 {
	t.Helper()
	rows := answer[sqlAnswer](t, s, sqlPath(sql)).Rows
	if len(rows) != 1 {
		t.Fatalf("%s: %d rows, want one", sql, len(rows))
	}
	var out []int64
	for _, v := range rows[0] {
		n, _ := v.(float64)
		out = append(out, int64(n))
	}
	return out
}
