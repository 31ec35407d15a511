package store

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// Within is the time of a program's ranges or frames: in a process, what begins while
// one of them lasts is within, on whichever of its threads.
type Within struct {
	of       map[model.ProcessID][]stretch // in order, apart from each other
	From, To int64                         // the first begin and the last end, ns
}

// Has says whether what begins in a process at a time is within.
func (w *Within) Has(process model.ProcessID, time int64) bool {
	list := w.of[process]
	i, found := slices.BinarySearchFunc(list, time, func(s stretch, time int64) int { return cmp.Compare(s.from, time) })
	return found || i > 0 && time < list[i-1].to
}

// Reaches says whether in a process some of [from, to) is within.
func (w *Within) Reaches(process model.ProcessID, from, to int64) bool {
	list := w.of[process]
	i, _ := slices.BinarySearchFunc(list, to, func(s stretch, time int64) int { return cmp.Compare(s.from, time) })
	return from < to && i > 0 && from < list[i-1].to
}

// ReachesAny says that of at least one process.
func (w *Within) ReachesAny(from, to int64) bool {
	for process := range w.of {
		if w.Reaches(process, from, to) {
			return true
		}
	}
	return false
}

// Time is how much of [from, to) is within in at least one process, ns.
func (w *Within) Time(from, to int64) (sum int64) {
	var all []stretch
	for _, list := range w.of {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for _, s := range all {
		if s.from, s.to = max(s.from, from), min(s.to, to); s.from < s.to {
			sum += s.to - s.from
			from = s.to
		}
	}
	return sum
}

// EachOf calls f for the stretches of time of a process, in order.
func (w *Within) EachOf(process model.ProcessID, f func(from, to int64)) {
	for _, s := range w.of[process] {
		f(s.from, s.to)
	}
}

// numberRange are those that a choice ends with: one, or the first and last of several.
type numberRange struct{ first, last int64 }

// choice parts "frame 12" or "step 12..20" into a name and numbers.
func choice(text string) (name string, of numberRange, numbered bool) {
	name, last := text, ""
	if at := strings.LastIndexByte(text, ' '); at >= 0 {
		name, last = strings.TrimSpace(text[:at]), text[at+1:]
	}
	from, to, several := strings.Cut(last, "..")
	if !several {
		to = from
	}
	first, err := strconv.ParseInt(from, 10, 64)
	end, wrong := strconv.ParseInt(to, 10, 64)
	if err != nil || wrong != nil || name == "" {
		return text, numberRange{}, false
	}
	return name, numberRange{first, end}, true
}

// EachAnnotated calls f for the ranges and frames that a text chooses, in order of their
// begin: those of a name, or else of a kind ("frame"), or of a name or kind and the number
// behind it ("frame 12", "step 12..20"); all if it is empty. The record is valid until f returns; one whose end
// was not seen lasts until it was cut off.
func (t *Trace) EachAnnotated(text string, f func(r *Record, end int64)) error {
	name, of, numbered := choice(text)
	sites, err := t.Sites()
	if err != nil {
		return err
	}
	named := func(s *Site) bool { return s.Name == text }
	if !slices.ContainsFunc(sites, func(s *Site) bool { return annotates(s) && named(s) }) {
		named = func(s *Site) bool { return s.Kind == text }
	}
	found := false
	least, most := int64(math.MaxInt64), int64(math.MinInt64) // numbers of the name
	for r, err := range t.Spans(Filter{Kinds: []string{model.SpanName(model.RangeStart), model.SpanName(model.FrameStart)}}) {
		if err != nil {
			return err
		}
		number := int64(r.Host)
		if numbered && (r.Site.Name == name || r.Site.Kind == name) && (number != 0 || r.Site.KindCode == model.FrameStart) {
			least, most = min(least, number), max(most, number)
		}
		if text != "" && !named(r.Site) && (!numbered || r.Site.Name != name && r.Site.Kind != name || number < of.first || number > of.last) {
			continue
		}
		found = true
		end := r.End()
		if r.Unended {
			end++ // with what happened as it was cut off
		}
		f(r, end)
	}
	switch {
	case found || text == "":
	case least <= most:
		return fmt.Errorf("%w %q: the numbers of %q are from %d to %d", ErrNoAnnotation, text, name, least, most)
	default:
		return t.noAnnotation(text)
	}
	return nil
}

// ErrNoAnnotation is what errors of a choice wrap that chooses nothing.
var ErrNoAnnotation = errors.New("there is no range or frame")

// Annotated gives the time of the ranges and frames that a text chooses, as EachAnnotated
// does.
func (t *Trace) Annotated(text string) (*Within, error) {
	if text == "" {
		return nil, t.noAnnotation(text)
	}
	w := &Within{of: make(map[model.ProcessID][]stretch), From: math.MaxInt64, To: math.MinInt64}
	err := t.EachAnnotated(text, func(r *Record, end int64) {
		s := stretch{from: r.Start, to: end}
		w.From, w.To = min(w.From, s.from), max(w.To, s.to)
		list := w.of[r.Site.Process]
		if n := len(list); n > 0 && s.from <= list[n-1].to {
			list[n-1].to = max(list[n-1].to, s.to)
		} else {
			list = append(list, s)
		}
		w.of[r.Site.Process] = list
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// annotates says whether a site is of a range or frame.
func annotates(s *Site) bool { return s.KindCode == model.RangeStart || s.KindCode == model.FrameStart }

// noAnnotation says what could have been chosen.
func (t *Trace) noAnnotation(text string) error {
	sites, err := t.Sites()
	if err != nil {
		return err
	}
	var names []string
	for _, s := range sites {
		if annotates(s) {
			names = append(names, fmt.Sprintf("%s %q", s.Kind, s.Name))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) == 0 {
		return fmt.Errorf("%w %q: the program marks none (accscope_annotation.h, or NVTX)", ErrNoAnnotation, text)
	}
	more := ""
	if len(names) > 10 {
		names, more = names[:10], ", …"
	}
	return fmt.Errorf("%w %q; there are %s%s; a frame's number goes behind its name", ErrNoAnnotation, text, strings.Join(names, ", "), more)
}

// CausedWithin says whether an activity of a process was enqueued within; of one whose
// enqueue was not seen, whether it began there.
func (t *Trace) CausedWithin(w *Within, process model.ProcessID, record, start int64) (bool, error) {
	e, err := t.enqueue(record)
	if err != nil {
		return false, err
	}
	if e.there {
		start = e.time
	}
	return w.Has(process, start), nil
}

// workTotalsWithin sums the activities themselves.
func (t Sums) workTotalsWithin(f Filter) ([]WorkTotal, error) {
	type key struct{ work, site int64 }
	at := make(map[key]int)
	var out []WorkTotal
	for a, err := range t.trace.Activities(f) {
		if err != nil {
			return nil, err
		}
		site, err := t.trace.Cause(a.Record)
		if err != nil {
			return nil, err
		}
		k := key{work: a.Work.ID}
		if site != nil {
			k.site = site.ID
		}
		i, known := at[k]
		if !known {
			i = len(out)
			at[k] = i
			out = append(out, WorkTotal{Work: a.Work, Site: site})
			if site != nil {
				out[i].Thread = site.Thread
			}
		}
		out[i].Count++
		out[i].Bytes += model.Size(a.Bytes)
		out[i].AddSpan(a.Duration, 0)
	}
	return slices.DeleteFunc(out, func(x WorkTotal) bool { return f.Thread != 0 && x.Thread != f.Thread }), nil
}
