package report

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
)

// What a report and a summary keep of a job grows by no more with a rank than whose a thread
// is: neither its sites nor their sums are kept. Who reads all rows has the heads of sites,
// 16 B each up to a bound (store.mostHeads), and works of sampled ranks.
func TestMemoryByRanks(t *testing.T) {
	const few, many = 200, 1200
	for _, c := range []struct {
		name     string
		eachRank int64 // bytes
		read     func(*store.Trace) (any, error)
		own      bool // with frames, ranges, and calls of MPI
	}{
		{"sums", 200, func(trace *store.Trace) (any, error) { return load(trace, Filter{}) }, false},
		{"by line", 200, func(trace *store.Trace) (any, error) { return Build(trace, Options{Top: 5, By: "source"}) }, false},
		{"summary", 1000, func(trace *store.Trace) (any, error) { return Summarize(trace, Filter{}) }, false},
		{"report", 1500, func(trace *store.Trace) (any, error) { return Build(trace, Options{Top: 5}) }, false},
		{"report of a job by MPI", 4000, func(trace *store.Trace) (any, error) { return Build(trace, Options{Top: 5}) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := func(ranks int) int64 {
				path := filepath.Join(t.TempDir(), fmt.Sprint(ranks, ".db"))
				if _, err := generate.Trace(path, generate.Options{Ranks: ranks, Spans: 50 * ranks, Activity: true, Own: c.own, Seed: 1}); err != nil {
					t.Fatal(err)
				}
				trace, err := store.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer trace.Close()
				before := live()
				result, err := c.read(trace)
				if err != nil {
					t.Fatal(err)
				}
				after := live()
				runtime.KeepAlive(result)
				runtime.KeepAlive(trace)
				return after - before
			}
			small, large := kept(few), kept(many)
			if grown := (large - small) / (many - few); grown > c.eachRank {
				t.Errorf("%d B more for each rank, want %d at most: %d B for %d ranks, %d B for %d", grown, c.eachRank, small, few, large, many)
			} else {
				t.Logf("%d B more for each rank", grown)
			}
		})
	}
}

// live is how much of the heap is in use, bytes.
func live() int64 {
	var m runtime.MemStats
	for range 2 { // what a finalizer let go of is gone after the second
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
