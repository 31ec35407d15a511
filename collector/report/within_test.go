package report

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
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

// Frames are chosen by their kind as by their name, and what chooses none is told what there is.
func TestChoicesOfFrames(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Annotated(t, 3000))
	records := func(text string) (ids []int64) {
		if err := trace.EachAnnotated(text, func(r *store.Record, _ int64) {
			if text == "" && r.Site.Kind != "frame" {
				return
			}
			ids = append(ids, r.ID)
		}); err != nil {
			t.Fatal(err)
		}
		return ids
	}
	all, frames := records(""), records("frame")
	if len(frames) < 3 || !reflect.DeepEqual(frames, all) {
		t.Errorf("%d frames of %d", len(frames), len(all))
	}
	least, most := uint64(1<<62), uint64(0)
	if err := trace.EachAnnotated("iteration", func(r *store.Record, _ int64) { least, most = min(least, r.Host), max(most, r.Host) }); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		fmt.Sprintf("iteration %d", most+7): fmt.Sprintf(`there is no range or frame "iteration %d": the numbers of "iteration" are from %d to %d`, most+7, least, most),
		"nothing 3":                         "a frame's number goes behind its name",
		"nothing":                           `frame "iteration"`,
	} {
		if _, err := trace.Annotated(text); err == nil || !errors.Is(err, store.ErrNoAnnotation) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
