package tui

import (
	"fmt"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
)

// unseen says of which times the trace has not all that happened, a line for each reason. Of
// events that were lost their number is told, and what a flight recorder did not keep is as it was
// asked for.
func unseen(v *state.State) (lines []string) {
	type sum struct {
		why         string
		times       map[model.ProcessID][]report.Interval
		count       int
		first, open int64
	}
	var order []*sum
	sums := map[string]*sum{}
	for _, g := range v.Gaps {
		if g.Reason == store.GapLost || g.Reason == store.GapRecycled {
			continue
		}
		s := lookup.Make(sums, g.Why(), func() *sum {
			order = append(order, &sum{why: g.Why(), times: map[model.ProcessID][]report.Interval{}, first: g.Start, open: -1})
			return order[len(order)-1]
		})
		s.count++
		s.times[g.Process] = append(s.times[g.Process], report.Interval{Start: g.Start, End: g.End})
		s.first = min(s.first, g.Start)
		if g.Open {
			s.open = max(s.open, g.Start)
		}
	}
	for _, s := range order {
		total := int64(0)
		for _, times := range s.times {
			total += report.Covered(times)
		}
		line := fmt.Sprintf("%s for %s from %s on", s.why, report.ShowDuration(float64(total)), clock(s.first))
		if s.count > 1 {
			line = fmt.Sprintf("%s %d times, for %s from %s on", s.why, s.count, report.ShowDuration(float64(total)), clock(s.first))
		}
		if n := len(s.times); n > 1 {
			line += fmt.Sprintf(", in %d processes", n)
		}
		if s.open >= 0 {
			line += ", not over since " + clock(s.open)
		}
		lines = append(lines, line+": what happened then is not known")
	}
	return lines
}
