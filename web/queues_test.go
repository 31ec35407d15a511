package web

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store"
)

// A queue is busy once however many operations overlap on it, as they do on the
// synchronous one that threads share; two queues are busy at once only where two
// queues are.
func TestQueueUse(t *testing.T) {
	kernel, upload := &store.Work{Kind: "kernel"}, &store.Work{Kind: "upload"}
	single := func(work *store.Work, start, end int64) store.Block {
		return store.Block{Work: work, Start: start, End: end, Count: 1, Busy: end - start, Bytes: 8}
	}
	w := window{from: 0, to: 100, pixels: 4}
	for name, c := range map[string]struct {
		queues                      [][]store.Block
		busy                        []int64
		use                         []float64 // of the first queue
		atLeast                     []int64
		kernels, transfers, overlap int64
	}{
		"one after the other": {[][]store.Block{{single(kernel, 0, 25), single(upload, 25, 50)}},
			[]int64{50}, []float64{1, 1, 0, 0}, []int64{50}, 25, 25, 0},
		"two threads on one queue": {[][]store.Block{{single(kernel, 0, 50), single(upload, 10, 30), single(kernel, 40, 75)}},
			[]int64{75}, []float64{1, 1, 1, 0}, []int64{75}, 75, 20, 20},
		"two queues": {[][]store.Block{{single(kernel, 0, 50)}, {single(upload, 25, 75)}},
			[]int64{50, 50}, []float64{1, 1, 0, 0}, []int64{75, 25}, 50, 50, 25},
		"over the edges": {[][]store.Block{{single(kernel, -50, 25), single(kernel, 75, 200)}},
			[]int64{50}, []float64{1, 0, 0, 1}, []int64{50}, 50, 0, 0},
		"a group": {[][]store.Block{{{Work: kernel, Start: 0, End: 50, Count: 9, Busy: 25}}},
			[]int64{25}, []float64{0.5, 0.5, 0, 0}, []int64{25}, 25, 0, 0},
		"groups that are busy for a tenth": {[][]store.Block{
			{{Work: kernel, Start: 0, End: 100, Count: 9, Busy: 10}}, {{Work: upload, Start: 0, End: 100, Count: 9, Busy: 10}}},
			[]int64{10, 10}, []float64{0.1, 0.1, 0.1, 0.1}, []int64{19, 1}, 10, 10, 1},
		"a group beside single operations": {[][]store.Block{
			{{Work: kernel, Start: 0, End: 80, Count: 9, Busy: 20}}, {single(upload, 40, 80)}},
			[]int64{20, 40}, []float64{0.25, 0.25, 0.25, 0.05}, []int64{50, 10}, 20, 40, 10},
	} {
		t.Run(name, func(t *testing.T) {
			var a queuesAnswer
			var moments []moment
			for i, blocks := range c.queues {
				use := queueUse{Use: make([]float64, w.pixels), until: w.from}
				for j := range blocks {
					moments = append(moments, use.add(&blocks[j], w)...)
				}
				if use.Busy != c.busy[i] {
					t.Errorf("queue %d was busy for %d, want %d", i, use.Busy, c.busy[i])
				}
				if i == 0 && !slices.Equal(use.Use, c.use) {
					t.Errorf("used %v, want %v", use.Use, c.use)
				}
			}
			a.sweep(moments)
			if !slices.Equal(a.AtLeast, c.atLeast) || a.Kernels != c.kernels || a.Transfers != c.transfers || a.Overlap != c.overlap {
				t.Errorf("at least %v, kernels %d, transfers %d, overlap %d; want %v, %d, %d, %d", a.AtLeast, a.Kernels, a.Transfers, a.Overlap,
					c.atLeast, c.kernels, c.transfers, c.overlap)
			}
		})
	}
}
