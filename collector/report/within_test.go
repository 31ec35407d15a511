package report

import (
	"path/filepath"
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
