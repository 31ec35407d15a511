package ingest

import (
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// gaps are the times of a process of which the trace has not all that happened, as they are
// found while its captures are read.
type gaps struct {
	noted    int
	rest     store.Gap            // that those behind the first mostGaps are in
	off      map[uint64]store.Gap // what the program has switched off now, by thread; 0: for all
	switched switched
	lost     uint64 // events whose times are known
}

// leastTime is that of what has not been.
const leastTime = math.MinInt64

// mostGaps is how many gaps of a process are noted one by one. A program may switch callbacks
// around each of millions of calls.
const mostGaps = 1000

// gap notes a gap and gives it back as it was noted; whoever has it open notes it again.
func (in *Ingester) gap(p *process, g store.Gap) (store.Gap, error) {
	g.Process = p.info.ID
	if p.gaps.noted >= mostGaps {
		if p.gaps.noted == mostGaps {
			p.gaps.noted++
			p.gaps.rest = store.Gap{Process: g.Process, Start: g.Start, End: g.Start, Reason: g.Reason}
		}
		p.gaps.rest.End, p.gaps.rest.Open = max(p.gaps.rest.End, g.End), g.Open
		g = p.gaps.rest
	} else {
		p.gaps.noted++
	}
	return g, in.noteGap(g)
}

func (in *Ingester) noteGap(g store.Gap) error {
	if in.writer == nil {
		return nil
	}
	return in.writer.SetGap(g)
}

// between notes what is missing between two times, if there is any between them.
func (in *Ingester) between(p *process, thread model.ThreadID, start, end int64, reason string) error {
	if start >= end {
		return nil
	}
	_, err := in.gap(p, store.Gap{Thread: thread, Start: start, End: end, Reason: reason})
	return err
}

// follows notes where the events of a thread do not follow one another: they are numbered.
func (in *Ingester) follows(r *ring, item *capture.Item, thread model.ThreadID) error {
	number, sequence := item.Thread.Number, item.Event.Sequence
	same := r.thread == number && r.last != leastTime
	want, since := r.next, r.last
	if !same {
		want, since = 0, r.process.info.Start
	}
	first := r.last == leastTime && r.resumed && r.process.missing == 0 // the trace has what was before
	r.thread, r.next = number, sequence+1
	if sequence <= want || first {
		return nil
	}
	reason := store.GapDamaged
	switch {
	case r.process.capture.Filters.LastBytes > 0, r.process.capture.Filters.LastNanoseconds > 0:
		reason = store.GapRecycled
	case !same && r.process.missing > 0:
		reason = store.GapAbsent
	}
	return in.between(r.process, thread, min(since, r.time-1), r.time, reason)
}

// dropped notes when capture had no space.
func (in *Ingester) dropped(r *ring, item *capture.Item) error {
	thread, err := in.thread(r.process, item.Thread)
	if err != nil {
		return err
	}
	p, d := r.process, &item.Dropped
	p.gaps.lost += d.Count
	first := p.atTime(d.First) - in.origin.Load()
	return in.between(p, thread, first, max(p.atTime(d.Last)-in.origin.Load(), first+1), store.GapLost)
}

// toggled notes what the program switches off, and on again.
func (in *Ingester) toggled(r *ring, item *capture.Item) error {
	p := r.process
	var number uint64
	var thread model.ThreadID
	if item.Toggle.PerThread {
		number = item.Thread.Number
		var err error
		if thread, err = in.thread(p, item.Thread); err != nil {
			return err
		}
	}
	g, known := p.gaps.off[number]
	switch {
	case known:
		g.End, g.Open = max(r.time, g.Start), false
		delete(p.gaps.off, number)
		if err := in.noteGap(g); err != nil {
			return err
		}
	case item.Toggle.Events == 0:
		// It was off when capture began, as in the child of a process that had switched it.
		if err := in.between(p, thread, min(p.info.Start, r.time-1), r.time, store.GapToggled); err != nil {
			return err
		}
	}
	if item.Toggle.Events == 0 {
		return nil
	}
	g, err := in.gap(p, store.Gap{Thread: thread, Start: r.time, End: r.time, Open: true, Reason: store.GapToggled,
		Detail: someEvents(item.Toggle.Events, p.capture.Filters.Mask)})
	if p.gaps.off == nil {
		p.gaps.off = map[uint64]store.Gap{}
	}
	p.gaps.off[number] = g
	return err
}

// resumeToggles has what an earlier collector noted as switched off go on. When capture was off is
// found anew.
func (p *process) resumeToggles(list []store.Gap) {
	for _, g := range list {
		if g.Process != p.info.ID || g.Reason != store.GapToggled || !g.Open {
			continue
		}
		number := uint64(0)
		for n, t := range p.threads {
			if t.ID == g.Thread {
				number = n
			}
		}
		if p.gaps.off == nil {
			p.gaps.off = map[uint64]store.Gap{}
		}
		p.gaps.off[number] = g
	}
}

// someEvents names the events of a set, "" for all of those recorded.
func someEvents(events, recorded uint64) string {
	if events&recorded == recorded {
		return ""
	}
	var names []string
	model.Kinds(func(kind int32, name, span string) {
		if kind >= 0 && kind < 63 && events&recorded&(1<<kind) != 0 || kind == model.Error && events&recorded>>63 != 0 {
			names = append(names, span)
		}
	})
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// contradicts notes where events say by themselves that others are missing, under a runtime
// that does not tell when callbacks are switched off.
func (in *Ingester) contradicts(r *ring, step *model.Step) error {
	p := r.process
	if p.told || p.gaps.noted > 0 || p.info.SinceAttach || p.missing > 0 || len(p.lost) > 0 || step.Event == nil || model.Own(step.Event.Kind) {
		return nil // there is another reason
	}
	if f := &p.capture.Filters; f.Events != "" || f.Queue != "" || f.MinimumBytes > 0 {
		return nil
	}
	since := max(r.last, p.info.Start)
	switch {
	case step.Contradicts:
		since = p.info.Start // whenever that was
	case step.Phase == model.Orphan, slices.ContainsFunc(step.Unended, func(s *model.Span) bool { return !model.Own(s.Start.Kind) }):
	default:
		return nil
	}
	return in.between(p, 0, min(since, r.time-1), r.time, store.GapMissing)
}

// lostSometime notes what capture dropped of a process of which nothing tells when.
func (in *Ingester) lostSometime(p *process) error {
	if p.capture == nil {
		return nil
	}
	counters, err := p.capture.Counters()
	if err != nil {
		return nil //nolint:nilerr // warned of where its losses are written
	}
	if counters.Dropped() > p.gaps.lost {
		if _, err := in.gap(p, store.Gap{Start: p.info.Start, End: p.info.Start, Open: true, Reason: store.GapLost}); err != nil {
			return err
		}
	}
	if counters.RecycledBytes == 0 {
		return nil
	}
	// What a thread did last may be all that is left of it: that the others have more is
	// known by then.
	first := int64(leastTime)
	for _, r := range p.rings {
		if r.last != leastTime {
			first = max(first, r.first)
		}
	}
	return in.between(p, 0, min(p.info.Start, first-1), first, store.GapRecycled)
}
