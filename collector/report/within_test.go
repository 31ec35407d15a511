package report

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The wall time of chosen ranges is theirs: what lies between them is not in it.
func TestWallOfRanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 3000, Threads: 2, Own: true}); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	var ranges []Interval
	for r, err := range trace.Spans(store.Filter{Kinds: []string{"range"}}) {
		if err != nil {
			t.Fatal(err)
		}
		ranges = append(ranges, Interval{r.Start, r.End()})
	}
	within, err := trace.Annotated("solve")
	if err != nil {
		t.Fatal(err)
	}
	f, err := load(trace, Filter{From: within.From, To: within.To, Within: within})
	if err != nil {
		t.Fatal(err)
	}
	if want := Covered(ranges); f.wall != want || want == 0 || want >= within.To-within.From {
		t.Errorf("wall time %d ns, want %d of %d", f.wall, want, within.To-within.From)
	}
}

// A summary of times that have everything is that of the whole trace, and one of frames has
// what the frames have one by one.
func TestSummaryOfTimes(t *testing.T) {
	for _, path := range []string{tracetest.Annotated(t, 3000), tracetest.File(t, 2000, 3)} {
		trace := tracetest.Open(t, path)
		whole, err := Summarize(trace, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := Summarize(trace, Filter{Exactly: true, From: -1 << 60, To: 1 << 60})
		if err != nil || !reflect.DeepEqual(all, whole) {
			t.Errorf("of all times %+v, %v; of the trace %+v", all, err, whole)
		}
	}
	trace := tracetest.Open(t, tracetest.Annotated(t, 3000))
	of := func(text string) *Summary {
		within, err := trace.Annotated(text)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(trace, Filter{From: within.From, To: within.To, Within: within})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var wall, waits, calls, kernels int64
	numbers := map[uint64]bool{}
	if err := trace.EachAnnotated("iteration", func(r *store.Record, _ int64) { numbers[r.Host] = true }); err != nil {
		t.Fatal(err)
	}
	peak := int64(0)
	for number := range numbers {
		s := of(fmt.Sprintf("iteration %d", number))
		wall, waits, calls, kernels = wall+s.Wall, waits+s.Host.Waits, calls+s.Host.Calls, kernels+s.Device.Kernels
		peak = max(peak, s.Peak.Bytes)
	}
	s := of("iteration")
	if s.Wall != wall || s.Host.Waits != waits || s.Host.Calls != calls || s.Device.Kernels == 0 || s.Device.Kernels > kernels || s.Peak.Bytes != peak || len(numbers) < 3 {
		t.Errorf("%d frames: %+v, one by one %d ns, waits %d, calls %d, kernels %d, peak %d", len(numbers), s, wall, waits, calls, kernels, peak)
	}
}
