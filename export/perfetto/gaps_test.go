package perfetto

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Times of which the trace has not all that happened stand in a track of their own.
func TestGaps(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 500)
	trace := tracetest.Open(t, path)
	found := 0
	for _, track := range imported(t, trace, export.Options{}).Tracks {
		if track.Name != export.GapTitle {
			continue
		}
		for i := range track.Slices {
			s, g := &track.Slices[i], gaps[min(found, len(gaps)-1)]
			if s.Name != g.Why() || s.Category != "gap" || s.End-s.Start != g.End-g.Start || argument(s, "reason") != g.Reason {
				t.Errorf("%+v for %+v", s, g)
			}
			found++
		}
	}
	if found != len(gaps) {
		t.Errorf("%d gaps", found)
	}
}
