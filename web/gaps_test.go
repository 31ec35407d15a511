package web

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Times of which the trace has not all that happened are on the timeline, in the lanes that they
// are of, with the reason; what is to last until the end of a process that has not ended does
// until the trace's.
func TestGapsOnTheTimeline(t *testing.T) {
	path, gaps := tracetest.Toggled(t, 3000)
	thread := gaps[0].Thread
	_, last, err := tracetest.Open(t, path).Extent()
	if err != nil {
		t.Fatal(err)
	}
	tracetest.Gaps(t, path, store.Gap{Process: gaps[0].Process, Start: last - 1000, Open: true, Reason: store.GapLost})
	s := serve(t, Options{Traces: []string{path, tracetest.File(t, 300, 2)}})
	lanes := map[int64]store.Lane{}
	for _, lane := range answer[overviewAnswer](t, s, "/api/overview").Lanes {
		lanes[lane.ID] = lane
	}
	for _, lane := range answer[timelineAnswer](t, s, "/api/timeline?pixels=1000").Lanes {
		want := []string{"callbacks were switched off", "capture had no space"}
		if lanes[lane.Lane].Thread == thread {
			want = slices.Insert(want, 0, "callbacks were switched off (upload)")
		}
		g := lane.Gaps
		if n := len(g.Why); !slices.Equal(g.Why, want) || g.Start[n-2] != gaps[1].Start || g.End[n-2] != gaps[1].End || g.End[n-1] < last {
			t.Errorf("lane %+v has the gaps %+v, want %q", lanes[lane.Lane], g, want)
		}
	}
	if all := answer[timelineAnswer](t, s, "/api/timeline?pixels=2").Lanes; len(all[0].Gaps.Start) > 3 {
		t.Errorf("in two pixels there are %+v", all[0].Gaps)
	}
	for _, lane := range answer[timelineAnswer](t, s, "/api/timeline?trace=1").Lanes {
		if len(lane.Gaps.Start) > 0 {
			t.Errorf("a whole trace has the gaps %+v", lane.Gaps)
		}
	}
	b := browse(t, s.URL()+"#view=timeline")
	b.settled()
	b.find("callbacks were switched off")
	b.wait("the legend", `document.querySelector(".timeline-legend").textContent.includes("not all is known")`)
	b.picture("gaps")
}
