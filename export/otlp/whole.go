package otlp

import (
	"maps"
	"slices"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// eventsInSpan is how many events one span carries at most; more of them go
// into child spans named "events", so that no message is too long and nothing
// is left out.
const eventsInSpan = 500

// open is a span that has begun: of a record, or of a process.
type open struct {
	id       SpanID
	resource int
	record   store.Record
	ending   ending
	overflow int64 // child spans made for events
}

// whole makes a span of everything.
func (b *builder) whole() error {
	roots := map[model.ProcessID]*open{}
	for i := range b.processes {
		p := &b.processes[i]
		roots[p.ID] = &open{id: b.process(p.ID), resource: b.ofProcess[p.ID], record: store.Record{Start: p.Start}}
	}
	threads := map[model.ThreadID]*nested{}
	for r, err := range b.options.Records(b.trace) {
		if err != nil {
			return err
		}
		root := roots[r.Site.Process]
		if root == nil {
			continue
		}
		b.cover(r.Site.Process, r.Start, r.End())
		thread := lookup.Make(threads, r.Thread, func() *nested { return &nested{root: root} })
		if err := b.leave(thread, r); err != nil {
			return err
		}
		around := root
		if n := len(thread.open); n > 0 {
			around = thread.open[n-1]
		}
		if r.Span {
			thread.Enter(r)
			thread.open = append(thread.open, &open{id: b.ids.span(ofRecord, r.ID), resource: root.resource, record: *r})
		}
		if !r.Span || r.Site.Kind == "wait" {
			if err := b.addEvent(around, r); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(threads)) {
		if err := b.leave(threads[id], nil); err != nil {
			return err
		}
	}
	for x, err := range b.options.Activities(b.trace) {
		if err != nil {
			return err
		}
		if err := b.sendActivity(x); err != nil {
			return err
		}
	}
	for i := range b.processes {
		p := &b.processes[i]
		b.result.Recorded++
		if err := b.send(b.ofProcess[p.ID], b.root(p, roots[p.ID].ending)); err != nil {
			return err
		}
	}
	return b.sendRun()
}

// nested is what a thread is in.
type nested struct {
	export.Stack
	root *open
	open []*open // of the spans of the stack
}

// leave ends the spans of a thread that do not enclose the record that comes
// next; without one, all.
func (b *builder) leave(n *nested, next *store.Record) (err error) {
	ended := func(_ *export.OpenSpan, at int64) {
		top, around := n.open[len(n.open)-1], n.root
		if n.open = n.open[:len(n.open)-1]; len(n.open) > 0 {
			around = n.open[len(n.open)-1]
		}
		if err != nil {
			return
		}
		top.ending.end = at
		b.result.Recorded++
		err = b.send(top.resource, b.recordSpan(&top.record, around.id, top.ending))
	}
	if next == nil {
		n.Finish(ended)
	} else {
		n.Leave(next, ended)
	}
	return err
}

// addEvent gives a span that has begun an event.
func (b *builder) addEvent(to *open, r *store.Record) error {
	if r.Site.Kind == "error" {
		to.ending.failed = message(r.Site)
	}
	if limit := b.limits.events; limit >= 0 && len(to.ending.events) >= limit {
		to.ending.lost++
		b.result.Events++
		return nil
	}
	if len(to.ending.events) >= eventsInSpan {
		if err := b.overflow(to); err != nil {
			return err
		}
	}
	to.ending.events = append(to.ending.events, b.event(r))
	return nil
}

// overflow moves a span's events into a child span.
func (b *builder) overflow(of *open) error {
	to := of.ending.events
	of.ending.events = nil
	number := of.record.ID<<20 + of.overflow
	if of.record.ID == 0 {
		number = -int64(of.resource+1)<<32 - of.overflow
	}
	of.overflow++
	span := b.newSpan(b.ids.span(ofEvents, number), of.id, "events", 0, 0)
	span.StartTimeUnixNano, span.EndTimeUnixNano = to[0].TimeUnixNano, max(to[len(to)-1].TimeUnixNano, to[0].TimeUnixNano+1)
	span.Events = to
	return b.send(of.resource, span)
}

// sendActivity sends the span of what a device did, if it is one of those exported.
func (b *builder) sendActivity(x *store.Activity) error {
	resource, known := b.ofDevice[x.Work.Device]
	if !known {
		return nil
	}
	var cause SpanID
	if x.Record != 0 {
		cause = b.ids.span(ofRecord, x.Record)
	}
	b.cover(x.Work.Process, x.Start, x.End())
	b.result.Recorded++
	span, err := b.activitySpan(x, cause)
	if err != nil {
		return err
	}
	return b.send(resource, span)
}

func (b *builder) send(resource int, span *tracepb.Span) error {
	b.result.Spans++
	return b.emit(resource, span)
}
