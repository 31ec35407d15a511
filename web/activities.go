package web

import "github.com/accscope/accscope/collector/store"

// activityOverlaps says in SQL of an activity a, and overlaps of one that was read,
// whether it overlaps a window from ?1 to ?2: it ends after the window's begin, or begins
// in it, as one without a duration may.
const activityOverlaps = `a.start < ?2 AND (a.start + a.duration > ?1 OR a.start >= ?1)`

// activityInside is in SQL how much of such an activity lies in the window.
const activityInside = `(min(a.start + a.duration, ?2) - max(a.start, ?1))`

func (w *window) overlaps(a *store.Activity) bool {
	return a.Start < w.to && (a.End() > w.from || a.Start >= w.from)
}

// activityNumbers gives numbers between which those of all activities are that overlap a
// window. No activity is longer than the longest, so few that ended before it are among
// them.
func (r *request) activityNumbers(w window) (first, last int64, err error) {
	longest, err := longestActivity(r)
	if err != nil {
		return 0, 0, err
	}
	return r.trace.ActivitiesBetween(w.from-longest, w.to)
}

// activities calls f for what overlaps a window, until it wants no more.
func (r *request) activities(w window, f func(*store.Activity) (more bool, err error)) error {
	first, last, err := r.activityNumbers(w)
	if err != nil {
		return err
	}
	return r.trace.Numbered().Activities(first, last, func(a *store.Activity) (bool, error) {
		if !w.overlaps(a) {
			return true, nil
		}
		return f(a)
	})
}

// longestActivity is how long the longest device activity of the trace took, ns.
func longestActivity(r *request) (longest int64, err error) {
	return r.trace.Number("summing device activity", "SELECT max(longest) FROM work_total")
}
