package tui

import (
	"cmp"
	"fmt"

	"github.com/accscope/accscope/collector/advice"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// FindingsView is the name, of ViewNames, of the view that reads the whole trace.
const FindingsView = "findings"

// findingsView shows what a finished trace's program could do better, as accscope
// advise does.
type findingsView struct{ listView }

func newFindingsView() *findingsView {
	return &findingsView{listView{"Findings", table{name: FindingsView, sortBy: -1, fields: []field{
		{title: "", width: 3, right: true},
		{title: "rule", width: 21},
		{title: "gain", width: 9, right: true},
		{title: "variable or kernel", wide: 50},
		{title: "place", width: 22, wide: 70},
		{title: "confidence", width: 10, wide: 100},
		{title: "bytes", width: 10, right: true, wide: 130},
	}}}}
}

func (f *findingsView) draw(a *app, c canvas) {
	t := c.theme
	if a.search == nil {
		title := "Findings come when the program has ended:"
		if a.frame.State == Ended {
			title = "The program has ended; findings are of its trace:"
		}
		c.text(1, 0, c.w-2, title, t.title)
		c.text(1, 1, c.w-2, "each of the rules reads the whole trace.", t.plain)
		c.words(1, 3, t.accent, "accscope top TRACE     ", t.dim, " shows them here")
		c.words(1, 4, t.accent, "accscope advise TRACE  ", t.dim, " prints them")
		return
	}
	a.begin(&a.search.begin, a.search.run)
	so := a.search.soFar()
	switch {
	case !so.over:
		c.words(1, 0, t.title, "Findings", t.plain, fmt.Sprintf("  looking through the trace: %d of %d rules", so.read, so.all))
		c.gauge(1, 2, min(c.w-2, 60), float64(so.read)/float64(max(so.all, 1)), t.accent)
		return
	case so.err != nil:
		c.failed("Findings", so.err)
		return
	}
	x := c.words(1, 0, t.title, "Findings", t.plain, " "+number(int64(len(so.found))))
	if len(so.found) > 0 {
		c.words(x, 0, t.dim, "  the time or memory that each costs the run; gains may overlap")
	}
	rows := make([]row, len(so.found))
	for i, finding := range so.found {
		rows[i] = findingRow(i+1, finding)
	}
	f.rows.set(rows)
	f.rows.draw(c.part(0, 1, c.w, c.h-1), true, "nothing found")
}

// findingRow is the row of a finding; its cells are in the order of its line in text.
func findingRow(rank int, f *advice.Finding) row {
	place := state.Source{File: f.File, Line: int32(f.Line), Function: f.Function}
	subject := cmp.Or(f.Subject, "-")
	size := "-"
	if f.Bytes > 0 {
		size = report.ShowBytes(float64(f.Bytes))
	}
	return row{
		id:    number(int64(rank)),
		cells: []string{number(int64(rank)), f.Rule, f.Cost(), subject, cmp.Or(f.Place(), "-"), string(f.Confidence), size},
		also:  f.What,
		keys:  []float64{-float64(rank)},
		detail: func() detail {
			return detail{title: f.Rule + " " + subject, source: place, fields: told([][2]string{{"what", f.What}, {"why", f.Why}, {"here", f.Directive},
				{"instead", f.Instead}, {"gain", f.Cost()}, {"confidence", string(f.Confidence)},
				{"evidence", fmt.Sprintf("%d rows of the trace; accscope advise gives their SQL", f.Count)}})}
		}}
}
