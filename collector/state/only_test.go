package state_test

import (
	"testing"

	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Limited to a frame, sums and the log are of what begins in it; what the frames took is
// told with its spread.
func TestOnlyAFrame(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Annotated(t, 3000))
	const chosen = "iteration 1"
	within, err := trace.Annotated(chosen)
	if err != nil {
		t.Fatal(err)
	}
	var frames, time, longest int64
	if err := trace.EachAnnotated(chosen, func(r *store.Record, end int64) {
		frames++
		time += end - r.Start
		longest = max(longest, end-r.Start)
	}); err != nil {
		t.Fatal(err)
	}
	totals, err := trace.Totals(store.Filter{Within: within})
	if err != nil {
		t.Fatal(err)
	}
	var launches, measured int64
	for i := range totals {
		if totals[i].Site.Kind == "enqueue_launch" {
			launches += totals[i].Ended
			measured += totals[i].Device.Time
		}
	}
	reader := state.New(trace)
	reader.Only(within)
	for _, at := range []int64{state.Newest, within.To, state.Newest} { // also backwards
		s, err := reader.At(at)
		if err != nil {
			t.Fatal(err)
		}
		var counted, took int64
		for _, k := range s.Kernels {
			counted += k.Count
			took += k.Timed.Time
		}
		if counted != launches || launches == 0 || at == state.Newest && took != measured {
			t.Errorf("at %d: %d launches of %d ns, want %d of %d", at, counted, took, launches, measured)
		}
		if len(s.Log) == 0 {
			t.Error("no events")
		}
		for _, e := range s.Log {
			if e.Time-e.Duration < within.From || e.Time-e.Duration >= within.To {
				t.Errorf("an event of %d to %d is logged", e.Time-e.Duration, e.Time)
			}
		}
		found := false
		for _, a := range s.Annotations {
			if a.Kind != "frame" {
				continue
			}
			found = true
			if a.Name != "iteration" || a.Count != frames || a.Ended != frames || a.Time != time || a.Longest != longest || a.Slowest != 1 || a.Deviation > longest-a.Shortest {
				t.Errorf("%+v, want %d frames of %d ns, the longest %d", a, frames, time, longest)
			}
		}
		if !found {
			t.Errorf("no frames among %+v", s.Annotations)
		}
	}
	whole, err := state.New(trace).At(state.Newest)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Kernels[0].Count <= launches {
		t.Errorf("%d launches in all", whole.Kernels[0].Count)
	}
}
