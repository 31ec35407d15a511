package report

import (
	"fmt"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// gapReasons are what a gap's reason says of a process. Of others the losses tell, and what
// was left out while recording.
var gapReasons = map[string]string{
	store.GapToggled: "process %d had callbacks switched off for %s%s: what happened then is not known",
	store.GapMissing: "process %d has events for which others are missing, in %s%s: callbacks may have been switched off; what happened then is not known",
	store.GapOff:     "capture of process %d was switched off for %s%s: what happened then is not known",
}

// Gaps says of which times a trace has not all that happened, and for how long.
func Gaps(trace *store.Trace) (lines []string, err error) {
	missing, err := trace.Partial()
	if err != nil || missing.Whole() {
		return nil, err
	}
	processes, err := trace.Processes()
	if err != nil {
		return nil, err
	}
	_, last, err := trace.Extent()
	if err != nil {
		return nil, err
	}
	pids, begun := map[model.ProcessID]int{}, map[model.ProcessID]int64{}
	for i := range processes {
		p := &processes[i]
		pids[p.ID], begun[p.ID], last = p.PID, p.Start, max(last, p.End)
	}
	type key struct {
		process        model.ProcessID
		reason, detail string
	}
	type sum struct {
		key
		times         []Interval
		count, first  int64
		threads, open bool
	}
	var order []*sum
	sums := map[key]*sum{}
	for _, g := range missing.Gaps {
		if gapReasons[g.Reason] == "" || g.End <= begun[g.Process] {
			continue // of attaching, the process tells
		}
		k := key{g.Process, g.Reason, g.Detail}
		s := lookup.Make(sums, k, func() *sum {
			order = append(order, &sum{key: k, first: g.Start})
			return order[len(order)-1]
		})
		s.count++
		s.times = append(s.times, Interval{g.Start, max(g.Start, min(g.End, last))})
		s.threads = s.threads || g.Thread != 0
		s.open = s.open || g.Open
	}
	for _, s := range order {
		how := fmt.Sprintf(" from %s on", ShowDuration(float64(s.first)))
		if s.count > 1 {
			how = fmt.Sprintf(" in %d times%s", s.count, how)
		}
		if s.threads {
			how += ", on some of its threads"
		}
		if s.open {
			how += ", to its end"
		}
		if s.detail != "" {
			how += " (" + s.detail + ")"
		}
		lines = append(lines, fmt.Sprintf(gapReasons[s.reason], pids[s.process], ShowDuration(float64(Covered(s.times))), how))
	}
	return lines, nil
}

// unseen is how much of the times of a thread nothing was recorded in.
func unseen(missing *store.Partial, process model.ProcessID, thread model.ThreadID, of []Interval) int64 {
	var all []Interval
	for _, g := range missing.Gaps {
		if g.Process != process || g.Thread != 0 && g.Thread != thread || g.Detail != "" || g.Reason != store.GapToggled && g.Reason != store.GapOff {
			continue
		}
		for _, at := range of {
			if at = (Interval{max(at.Start, g.Start), min(at.End, g.End)}); at.Start < at.End {
				all = append(all, at)
			}
		}
	}
	return Covered(all)
}
