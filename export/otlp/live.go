package otlp

import (
	"context"
	"errors"
	"math"
	"time"

	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// liveRows is how many records are read from the trace in one transaction.
const liveRows = 10_000

// Live sends the spans of a trace that is still being written. It reads the
// trace's file, where everything is kept anyway: a backend that is slow or gone
// makes it lag, and holds up neither the program nor the collector. Nothing is
// folded. Its methods belong to one goroutine.
type Live struct {
	ctx      context.Context
	uploader Uploader
	options  Options
	sender   *sender

	*builder // nil until the trace has a process
	next     int64
	activity int64
	open     map[int64]bool            // spans that had not ended
	held     map[int64]*open           // spans that may get events yet
	newest   map[model.ThreadID]int64  // start of the last record of a thread
	started  map[model.ProcessID]bool  // have been told
	roots    map[model.ProcessID]*open // gather events outside of spans
	pending  map[int64][]*store.Record // events of spans whose row is not there yet
}

// NewLive prepares to send; ctx ends what is on its way.
func NewLive(ctx context.Context, uploader Uploader, options Options) *Live {
	return &Live{ctx: ctx, uploader: uploader, options: options, open: map[int64]bool{}, held: map[int64]*open{},
		newest: map[model.ThreadID]int64{}, started: map[model.ProcessID]bool{}, roots: map[model.ProcessID]*open{}, pending: map[int64][]*store.Record{}}
}

// Run sends what the trace gets until done is closed, every
// OTEL_BSP_SCHEDULE_DELAY milliseconds (1000 if not set). path is where the
// trace is being written; it need not be there yet.
func (l *Live) Run(done <-chan struct{}, path func() string) error {
	delay, err := positiveFromEnvironment("OTEL_BSP_SCHEDULE_DELAY", 1000)
	if err != nil {
		return err
	}
	ticker := time.NewTicker(time.Duration(delay) * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ticker.C:
			// A trace that cannot be opened is being created or moved: Finish
			// reads it anyhow, and says if it cannot.
			if err := l.Poll(done, path()); err != nil && !errors.As(err, new(openError)) {
				return err
			}
		}
	}
}

// openError is that of a trace that cannot be opened.
type openError struct{ error }

func (e openError) Unwrap() error { return e.error }

// Poll sends what the trace at path has beyond what was sent before.
func (l *Live) Poll(done <-chan struct{}, path string) (err error) {
	trace, err := store.Open(path)
	if err != nil {
		return openError{err}
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	ready, err := l.attach(trace)
	if err == nil && ready {
		err = l.starts()
	}
	if err != nil || !ready {
		return err
	}
	for {
		more, err := l.chunk(false)
		if err != nil || !more {
			return err
		}
		select {
		case <-done:
			return nil
		default:
		}
	}
}

// attach takes up a newly opened trace.
func (l *Live) attach(trace *store.Trace) (ready bool, err error) {
	all, err := trace.Directory()
	if err != nil || len(all.Processes) == 0 {
		return false, err
	}
	if l.builder == nil {
		if l.builder, err = newBuilder(trace, l.options); err != nil {
			return false, err
		}
		l.result.TraceID = l.ids.trace
		if l.result.Sampled, err = sampled(l.ids.trace, l.options.Parent); err != nil {
			return false, err
		}
		l.sender = newSender(l.ctx, l.uploader, func() []*resourcepb.Resource { return l.resources }, &l.options, true)
		l.emit = l.sender.add
	}
	l.trace = trace
	clear(l.works) // those of the trace as it was opened before
	return l.result.Sampled, l.introduce(all)
}

// starts tells of each process once that it has started: its own span, which has
// to have ended, is sent with the last ones.
func (l *Live) starts() error {
	for i := range l.processes {
		p := &l.processes[i]
		if l.started[p.ID] {
			continue
		}
		l.started[p.ID] = true
		span := l.newSpan(l.ids.span(ofStart, int64(p.ID)), l.process(p.ID), "start of "+export.ProcessName(p), p.Start, p.Start)
		l.describe(span, func(a *attributes) { a.text("accscope.runtime", p.Runtime) })
		l.result.Recorded++
		if err := l.send(l.ofProcess[p.ID], span); err != nil {
			return err
		}
	}
	return nil
}

// chunk reads a piece of the trace as it is at one moment and sends the spans
// of it that are complete.
func (l *Live) chunk(last bool) (more bool, err error) {
	err = l.trace.Snapshot(func() error {
		more, err = l.piece(last)
		return err
	})
	return more, err
}

func (l *Live) piece(last bool) (more bool, err error) {
	ids, err := l.numbers("SELECT id FROM record WHERE id > ? ORDER BY id LIMIT ?", l.next, liveRows)
	if err != nil {
		return false, err
	}
	more = len(ids) == liveRows
	running, err := l.numbers("SELECT record FROM open_span WHERE record > ? LIMIT ?", 0, 1<<40)
	if err != nil {
		return false, err
	}
	still := map[int64]bool{}
	for _, id := range running {
		if !more || id <= ids[len(ids)-1] {
			still[id] = true
		}
	}
	for id := range l.open {
		if !still[id] || last {
			if err := l.take(id, false); err != nil {
				return false, err
			}
		}
	}
	for _, id := range ids {
		if err := l.take(id, still[id] && !last); err != nil {
			return false, err
		}
		l.next = id
	}
	for id := range still {
		l.open[id] = true
	}
	if last {
		l.open = map[int64]bool{}
	}
	if err := l.release(!more); err != nil {
		return false, err
	}
	if more {
		return true, nil
	}
	if more, err = l.activities(); more || err != nil {
		return more, err
	}
	l.sender.flush()
	return false, nil
}

func (l *Live) numbers(query string, args ...any) (list []int64, err error) {
	for s, err := range l.trace.Rows("reading the trace", query, args...) {
		if err != nil {
			return nil, err
		}
		list = append(list, s.ColumnInt64(0))
	}
	return list, nil
}

// take reads a record. One that has not ended is remembered; its events are
// gathered until it has.
func (l *Live) take(id int64, running bool) error {
	if running {
		l.open[id] = true
		return nil
	}
	delete(l.open, id)
	r, err := l.trace.Record(id)
	if err != nil || r == nil {
		return err
	}
	resource, known := l.ofProcess[r.Site.Process]
	if !known {
		return nil
	}
	l.newest[r.Thread] = max(l.newest[r.Thread], r.Start)
	l.cover(r.Site.Process, r.Start, r.End())
	if r.Span {
		span := &open{id: l.ids.span(ofRecord, r.ID), resource: resource, record: *r}
		l.held[r.ID] = span
		for _, event := range l.pending[r.ID] {
			if err := l.addEvent(span, event); err != nil {
				return err
			}
		}
		delete(l.pending, r.ID)
	}
	if r.Span && r.Site.Kind != "wait" {
		return nil
	}
	switch around := l.held[r.Parent]; {
	case around != nil:
		return l.addEvent(around, r)
	case r.Parent != 0:
		l.pending[r.Parent] = append(l.pending[r.Parent], r)
		return nil
	}
	return l.addEvent(lookup.Make(l.roots, r.Site.Process, func() *open { return &open{id: l.process(r.Site.Process), resource: resource} }), r)
}

// release sends the held spans that can get no more events: those that a later
// record of their thread lies behind, or all where everything has been read.
func (l *Live) release(all bool) error {
	for id, span := range l.held {
		end := span.record.End()
		if !all && l.newest[span.record.Thread] <= end {
			continue
		}
		delete(l.held, id)
		parent := l.process(span.record.Site.Process)
		if span.record.Parent != 0 {
			parent = l.ids.span(ofRecord, span.record.Parent)
		}
		span.ending.end = end
		l.result.Recorded++
		if err := l.send(span.resource, l.recordSpan(&span.record, parent, span.ending)); err != nil {
			return err
		}
	}
	return nil
}

// activities sends a piece of the device's activities.
func (l *Live) activities() (more bool, err error) {
	rows := 0
	err = l.trace.Numbered().Activities(l.activity+1, math.MaxInt64, func(a *store.Activity) (bool, error) {
		rows++
		l.activity = a.ID
		return rows < liveRows, l.sendActivity(a)
	})
	return rows == liveRows, err
}

// Finish sends the rest of the finished trace at path, the spans of the
// processes last, and says what was delivered. What was not can be sent by Send.
// Where the context of NewLive ends first, it stops to read the trace soon after.
func (l *Live) Finish(path string) (result Result, err error) {
	trace, err := store.Open(path)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, trace.Close()) }()
	ready, err := l.attach(trace)
	if err != nil || !ready {
		return l.ended(err)
	}
	meta, err := trace.Meta()
	if err != nil {
		return l.ended(err)
	}
	l.last, l.facts = meta.Last, meta.Facts
	if err := l.readGaps(); err != nil {
		return l.ended(err)
	}
	for more := true; more && err == nil; {
		if more, err = l.chunk(true); more && l.ctx.Err() != nil {
			l.result.Unread = true
			return l.ended(err)
		}
	}
	for i := range l.processes {
		if err != nil {
			break
		}
		p, e := &l.processes[i], ending{}
		if root := l.roots[p.ID]; root != nil {
			e = root.ending
		}
		l.result.Recorded++
		err = l.send(l.ofProcess[p.ID], l.root(p, e))
	}
	return l.ended(errors.Join(err, l.sendRun()))
}

// ended waits for what is on its way and counts.
func (l *Live) ended(err error) (Result, error) {
	if l.builder == nil {
		return Result{}, err
	}
	err = errors.Join(err, l.sender.end())
	l.result.Sent, l.result.Unsent, l.result.Rejected = l.sender.sent, l.sender.unsent, l.sender.rejected
	return l.result, err
}
