package advice

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// absences are what is missing from a trace: nothing is concluded from what is not there where
// it may have been.
type absences struct{ *store.Partial }

func absencesOf(trace *store.Trace) (*absences, error) {
	p, err := trace.Partial()
	return &absences{p}, err
}

// silent says whether a rule says nothing of the trace, as events that it relies on were left
// out of it.
func (a *absences) silent(r *rule) bool { return r.relies != nil && a.LeavesOut(r.relies...) }

// byEnd are the gaps in order of their ends.
func (a *absences) byEnd() []store.Gap {
	return slices.SortedFunc(slices.Values(a.Gaps), func(x, y store.Gap) int { return cmp.Compare(x.End, y.End) })
}

// interrupted is a watcher that concludes nothing across a gap: it forgets a process when told
// that something of it may be missing up to there.
type interrupted interface {
	interrupted(model.ProcessID)
}

// interrupt tells all that.
func (p *pass) interrupt(process model.ProcessID) {
	for _, w := range p.watchers {
		if w, can := w.(interrupted); can {
			w.interrupted(process)
		}
	}
}

// careful has a watcher that cannot forget, of a rule that relies on events, see nothing of
// processes with gaps between their events.
func (a *absences) careful(r *rule, w watcher) watcher {
	if _, can := w.(interrupted); can || r.relies == nil || a.Whole() {
		return w
	}
	return whole{w, a}
}

// whole shows a watcher those processes of which nothing is missing.
type whole struct {
	watcher
	missing *absences
}

func (w whole) take(h *happening) {
	if !w.missing.Interrupted(h.Site.Process) {
		w.watcher.take(h)
	}
}

func (ss *sequences) interrupted(process model.ProcessID) {
	for thread, a := range ss.last {
		if a.site.Process == process {
			delete(ss.last, thread)
		}
	}
}

func (hs *histories) interrupted(process model.ProcessID) {
	for key := range hs.data {
		if key.process == process {
			delete(hs.data, key)
		}
	}
	hs.list = slices.DeleteFunc(hs.list, func(d *datum) bool { return d.key.process == process })
}

func (w *kept) interrupted(process model.ProcessID) {
	for record, m := range w.live {
		if m.site.Process == process {
			delete(w.live, record)
		}
	}
}
