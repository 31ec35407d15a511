package otlp

import (
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
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
		roots[p.ID] = &open{id: b.ids.span(ofProcess, int64(p.ID)), resource: b.ofProcess[p.ID], record: store.Record{Start: p.Start}}
	}
	stacks := map[model.ThreadID][]*open{}
	count := b.options.NewCount(b.trace)
	for r, err := range b.trace.Records(b.options.Filter) {
		if err != nil {
			return err
		}
		root := roots[r.Site.Process]
		if root == nil {
			continue
		}
		count.Record(r)
		stack := stacks[r.Thread]
		for len(stack) > 0 && !encloses(&stack[len(stack)-1].record, r) {
			if err := b.pop(root, stack, r.Start); err != nil {
				return err
			}
			stack = stack[:len(stack)-1]
		}
		around := root
		if len(stack) > 0 {
			around = stack[len(stack)-1]
		}
		if r.Span {
			stack = append(stack, &open{id: b.ids.span(ofRecord, r.ID), resource: root.resource, record: *r})
		}
		stacks[r.Thread] = stack
		if !r.Span || r.Site.Kind == "wait" {
			if err := b.addEvent(around, r); err != nil {
				return err
			}
		}
	}
	for thread, stack := range stacks {
		for len(stack) > 0 {
			root := roots[b.threads[thread].Process]
			if root == nil {
				root = roots[stack[0].record.Site.Process]
			}
			if err := b.pop(root, stack, b.last); err != nil {
				return err
			}
			stack = stack[:len(stack)-1]
		}
	}
	for x, err := range b.trace.Activities(b.options.Filter) {
		if err != nil {
			return err
		}
		resource, known := b.ofDevice[x.Work.Device]
		if !known {
			continue
		}
		count.Activity(x)
		var cause SpanID
		if x.Record != 0 {
			cause = b.ids.span(ofRecord, x.Record)
		}
		if err := b.send(resource, b.activitySpan(x, cause)); err != nil {
			return err
		}
		b.result.Recorded++
	}
	for i := range b.processes {
		p := &b.processes[i]
		span := b.root(p)
		root := roots[p.ID]
		failed := span.Status
		b.finish(span, root.ending)
		if failed != nil {
			span.Status = failed
		}
		b.result.Recorded++
		if err := b.send(root.resource, span); err != nil {
			return err
		}
	}
	count.End()
	return nil
}

// encloses says whether a span that is on a thread's stack holds the record
// that comes next on the thread.
func encloses(outer, inner *store.Record) bool {
	return outer.Depth < inner.Depth && (outer.Unended || outer.End() >= inner.Start)
}

// pop ends the innermost span of a stack. One whose end was not seen ends
// where its successor shows that it must have, within what encloses it.
func (b *builder) pop(root *open, stack []*open, now int64) error {
	top := stack[len(stack)-1]
	top.ending.end = endOf(stack, now)
	parent := root.id
	if len(stack) > 1 {
		parent = stack[len(stack)-2].id
	}
	b.result.Recorded++
	return b.send(top.resource, b.recordSpan(&top.record, parent, top.ending))
}

// endOf is the end of the innermost span.
func endOf(stack []*open, now int64) int64 {
	top := &stack[len(stack)-1].record
	if !top.Unended {
		return top.End()
	}
	for i := len(stack) - 2; i >= 0; i-- {
		if outer := &stack[i].record; !outer.Unended {
			now = min(now, outer.End())
		}
	}
	return max(now, top.Start)
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
	span.StartTimeUnixNano, span.EndTimeUnixNano = to[0].TimeUnixNano, to[len(to)-1].TimeUnixNano
	span.Events = to
	return b.send(of.resource, span)
}

func (b *builder) send(resource int, span *tracepb.Span) error {
	b.result.Spans++
	return b.emit(resource, span)
}
