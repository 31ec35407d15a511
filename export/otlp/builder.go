package otlp

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// The flags of W3C Trace Context.
const (
	sampledFlag = 1
	randomFlag  = 2 // the trace's id is random
)

// builder makes spans of a trace.
type builder struct {
	trace     *store.Trace
	options   Options
	flags     uint32 // of spans and links whose parent is of this trace
	ids       identity
	limits    *limits
	result    Result
	emit      func(resource int, span *tracepb.Span) error
	realtime  int64 // Unix time of the trace's origin, ns
	last      int64 // end of the last record, ns since the origin
	processes []store.Process
	program   model.ProcessID // the one that was given the run's span, 0 if none was
	threads   map[model.ThreadID]model.ThreadInfo
	extents   map[model.ProcessID]*extent
	facts     map[string]string // of the trace
	missing   map[model.ProcessID][]store.Gap

	resources []*resourcepb.Resource // of the processes first, then of the devices
	ofDevice  map[model.DeviceID]int
	ofProcess map[model.ProcessID]int

	sites map[int64]*prepared
	works map[*store.Work]*prepared
}

// prepared is what the spans of a site share.
type prepared struct {
	title      string
	attributes []*commonpb.KeyValue
	dropped    uint32
}

// begin gives a span's own list of the attributes, with room for more.
func (p *prepared) begin(limits *limits, more int) *attributes {
	return &attributes{limits: limits, list: append(make([]*commonpb.KeyValue, 0, len(p.attributes)+more), p.attributes...), dropped: p.dropped}
}

func newBuilder(trace *store.Trace, options Options) (*builder, error) {
	b := &builder{trace: trace, options: options, limits: limitsFromEnvironment(), threads: map[model.ThreadID]model.ThreadInfo{},
		extents: map[model.ProcessID]*extent{}, ofDevice: map[model.DeviceID]int{}, ofProcess: map[model.ProcessID]int{}, sites: map[int64]*prepared{}, works: map[*store.Work]*prepared{}}
	// Sampled, and that it is known whether the parent is remote.
	b.flags = sampledFlag | options.Parent.Flags&randomFlag | uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK)
	meta, err := trace.Meta()
	if err != nil {
		return nil, err
	}
	d, err := trace.Directory()
	if err != nil {
		return nil, err
	}
	b.ids = identify(meta, d.Processes, options.Parent)
	b.realtime, b.last, b.facts = meta.Realtime, meta.Last, meta.Facts
	return b, errors.Join(b.introduce(d), b.readGaps())
}

// introduce makes the resources of the trace's processes and devices, and keeps
// those that it has.
func (b *builder) introduce(all store.Directory) error {
	environment, err := resourceFromEnvironment()
	if err != nil {
		return err
	}
	for _, t := range all.Threads {
		b.threads[t.ID] = t
	}
	b.processes = b.processes[:0]
	b.program = given(all.Processes, b.facts["launcher"])
	for i := range all.Processes {
		p := &all.Processes[i]
		if !b.options.Selects(p.ID) {
			continue
		}
		b.processes = append(b.processes, *p)
		if _, known := b.ofProcess[p.ID]; !known {
			b.ofProcess[p.ID] = len(b.resources)
			b.resources = append(b.resources, processResource(&b.ids, p, environment, b.options.Version, b.limits))
		}
	}
	for i := range all.Devices {
		d := &all.Devices[i]
		_, known := b.ofDevice[d.ID]
		if of, selected := b.ofProcess[d.Process]; selected && !known {
			b.ofDevice[d.ID] = len(b.resources)
			b.resources = append(b.resources, deviceResource(b.resources[of], d, b.limits))
		}
	}
	return nil
}

// unix is a moment of the trace in Unix time, ns.
func (b *builder) unix(time int64) uint64 { return uint64(max(b.realtime+time, 0)) }

// root is the span of a process: of the whole of its run, with what happened in no other span.
func (b *builder) root(p *store.Process, e ending) *tracepb.Span {
	end := p.End
	if end == 0 {
		end = b.last
	}
	start := p.Start
	if all := b.extents[p.ID]; all != nil {
		start, end = min(start, all.first), max(end, all.last)
	}
	span := b.newSpan(b.process(p.ID), SpanID{}, export.ProcessName(p), start, max(end, start))
	if starter := b.starter(p); starter != nil {
		parent := b.process(starter.ID)
		span.ParentSpanId = parent[:]
	} else if run, has := b.run(); has {
		parent := run
		span.ParentSpanId = parent[:]
	} else {
		b.join(span)
	}
	b.describe(span, func(a *attributes) {
		a.text("accscope.process.ended", p.Ended)
		a.text("accscope.runtime", p.Runtime)
		if p.SinceAttach {
			a.flag("accscope.since_attach", true)
		}
	})
	omitted := max(len(b.missing[p.ID])-mostGaps, 0)
	b.result.Events += int64(omitted)
	e.events, e.lost = append(e.events, b.gaps(p.ID)...), e.lost+uint32(omitted)
	b.finish(span, e)
	text, exited := strings.CutPrefix(p.Exit, "status ")
	if status, err := strconv.ParseInt(text, 10, 64); exited && err == nil {
		b.describe(span, func(a *attributes) { a.number("process.exit.code", status) })
		if status != 0 {
			span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: fmt.Sprintf("exit status %d", status)}
		}
	}
	if p.Ended == "killed" {
		span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "the process was killed"}
	}
	return span
}

// mostGaps is how many gaps of a process are told.
const mostGaps = 100

// gaps are events of when the trace does not have all that happened in a process.
func (b *builder) gaps(process model.ProcessID) (events []*tracepb.Span_Event) {
	for _, g := range b.missing[process][:min(len(b.missing[process]), mostGaps)] {
		a := &attributes{limits: b.limits.forEvents()}
		a.text("accscope.gap.reason", g.Reason)
		a.text("accscope.gap.why", g.Why())
		a.number("accscope.gap.time", g.End-g.Start)
		if g.Thread != 0 {
			b.thread(a, g.Thread)
		}
		events = append(events, &tracepb.Span_Event{TimeUnixNano: b.unix(g.Start), Name: export.GapTitle, Attributes: a.list, DroppedAttributesCount: a.dropped})
	}
	return events
}

// readGaps reads what is missing from the trace.
func (b *builder) readGaps() error {
	gaps, err := b.options.Gaps(b.trace)
	b.missing = map[model.ProcessID][]store.Gap{}
	for _, g := range gaps {
		b.missing[g.Process] = append(b.missing[g.Process], g)
	}
	return err
}

// extent is from when to when the spans of a process are, ns since the origin.
type extent struct{ first, last int64 }

// cover notes a span or event of a process.
func (b *builder) cover(process model.ProcessID, start, end int64) {
	e := lookup.Make(b.extents, process, func() *extent { return &extent{start, end} })
	e.first, e.last = min(e.first, start), max(e.last, end)
}

// starter is the process of the trace that started another; nil if none did.
func (b *builder) starter(p *store.Process) (starter *store.Process) {
	for i := range b.processes {
		if other := &b.processes[i]; other.ID != p.ID && other.Host == p.Host && other.PID == p.ParentPID && other.Start <= p.Start {
			starter = other
		}
	}
	return starter
}

// several says whether the run began as more than one process, as one of MPI does.
func (b *builder) several() bool {
	first := 0
	for i := range b.processes {
		if b.starter(&b.processes[i]) == nil {
			first++
		}
	}
	return first > 1
}

// given finds the process whose environment has the run's span for its own: the
// launcher's child. A rank of a job shares the span with the others.
func given(processes []store.Process, launcher string) model.ProcessID {
	for i := range processes {
		if p := &processes[i]; p.Rank < 0 && strconv.Itoa(p.ParentPID) == launcher {
			return p.ID
		}
	}
	return 0
}

// process is the id of a process's span.
func (b *builder) process(id model.ProcessID) SpanID {
	if id == b.program {
		return b.ids.span(ofRun, 0)
	}
	return b.ids.span(ofProcess, int64(id))
}

// run is the id of the span around the processes; has says whether there is
// one: where they are several, or were given it and none has it for its own.
func (b *builder) run() (id SpanID, has bool) {
	if b.program != 0 {
		return b.ids.span(ofRanks, 0), b.several()
	}
	return b.ids.span(ofRun, 0), b.several() || b.facts["launcher"] != ""
}

// join makes a span a child of the caller's.
func (b *builder) join(span *tracepb.Span) {
	if b.options.Parent.Valid() {
		span.ParentSpanId = bytes.Clone(b.options.Parent.Span[:])
		span.Flags |= uint32(tracepb.SpanFlags_SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK)
	}
}

// sendRun sends the span around the processes of a run, so that the trace has
// one root.
func (b *builder) sendRun() error {
	id, has := b.run()
	if !has {
		return nil
	}
	first, last := b.processes[0].Start, b.last
	for i := range b.processes {
		p := &b.processes[i]
		first, last = min(first, p.Start), max(last, p.End)
	}
	for _, e := range b.extents {
		first, last = min(first, e.first), max(last, e.last)
	}
	environment, err := resourceFromEnvironment()
	if err != nil {
		return err
	}
	span := b.newSpan(id, SpanID{}, "run "+filepath.Base(b.processes[0].Program), first, last)
	b.join(span)
	b.describe(span, func(a *attributes) { a.number("accscope.run.processes", int64(len(b.processes))) })
	b.resources = append(b.resources, runResource(&b.processes[0], environment, b.options.Version, b.limits))
	b.result.Recorded++
	return b.send(len(b.resources)-1, span)
}

// newSpan makes a span without attributes; times are those of the trace.
func (b *builder) newSpan(id, parent SpanID, name string, start, end int64) *tracepb.Span {
	span := &tracepb.Span{TraceId: b.ids.trace[:], SpanId: id[:], Name: name, Kind: tracepb.Span_SPAN_KIND_INTERNAL, Flags: b.flags, TraceState: b.options.Parent.State,
		StartTimeUnixNano: b.unix(start), EndTimeUnixNano: b.endOf(start, end)}
	if parent != (SpanID{}) {
		span.ParentSpanId = parent[:]
	}
	return span
}

// endOf is the end of a span that is sent: after its start, since there are backends that take
// one that ends with it for wrong.
func (b *builder) endOf(start, end int64) uint64 { return b.unix(max(end, start+1)) }

// describe adds attributes to a span.
func (b *builder) describe(span *tracepb.Span, add func(*attributes)) {
	a := &attributes{limits: b.limits, list: span.Attributes, dropped: span.DroppedAttributesCount}
	add(a)
	span.Attributes, span.DroppedAttributesCount = a.list, a.dropped
}

// site prepares what the records of a site share.
func (b *builder) site(s *store.Site) *prepared {
	return lookup.Make(b.sites, s.ID, func() *prepared {
		a := &attributes{limits: b.limits}
		a.site(s)
		return &prepared{cut(export.SpanName(s), -1), a.list, a.dropped}
	})
}

func (b *builder) work(w *store.Work) *prepared {
	return lookup.Make(b.works, w, func() *prepared {
		a := &attributes{limits: b.limits}
		a.work(w)
		return &prepared{cut("device "+export.WorkName(w), -1), a.list, a.dropped}
	})
}

// ending is what a record's span needs beside the record.
type ending struct {
	end    int64 // of the trace, ns
	events []*tracepb.Span_Event
	failed string // message of an error event, "" if there was none
	lost   uint32 // events that are not among events
}

// recordSpan makes the span of one record.
func (b *builder) recordSpan(r *store.Record, parent SpanID, e ending) *tracepb.Span {
	site := b.site(r.Site)
	span := b.newSpan(b.ids.span(ofRecord, r.ID), parent, site.title, r.Start, e.end)
	a := site.begin(b.limits, 10)
	a.record(r)
	b.thread(a, r.Thread)
	span.Attributes, span.DroppedAttributesCount = a.list, a.dropped
	b.finish(span, e)
	return span
}

func (b *builder) thread(a *attributes, id model.ThreadID) {
	if t, known := b.threads[id]; known {
		if t.TID != 0 {
			a.number("thread.id", int64(t.TID))
		}
		a.text("thread.name", t.Name)
	}
}

// finish gives a span its events and status.
func (b *builder) finish(span *tracepb.Span, e ending) {
	span.Events, span.DroppedEventsCount = e.events, e.lost
	if limit := b.limits.events; limit >= 0 && len(span.Events) > limit {
		span.DroppedEventsCount += uint32(len(span.Events) - limit)
		b.result.Events += int64(len(span.Events) - limit)
		span.Events = span.Events[:limit]
	}
	if e.failed != "" {
		span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: cut(e.failed, b.limits.length)}
	}
}

// activitySpan makes the span of one device activity; cause is the span of the
// enqueue, if it was seen.
func (b *builder) activitySpan(x *store.Activity, cause SpanID) (*tracepb.Span, error) {
	work := b.work(x.Work)
	span := b.newSpan(b.ids.span(ofActivity, x.ID), b.process(x.Work.Process), work.title, x.Start, x.End())
	a := work.begin(b.limits, 9)
	a.activity(x)
	enqueue, err := b.trace.Cause(x.Record)
	if err != nil {
		return nil, err
	}
	if enqueue != nil {
		a.place(enqueue)
	}
	span.Attributes, span.DroppedAttributesCount = a.list, a.dropped
	b.link(span, cause)
	return span, nil
}

func (b *builder) link(span *tracepb.Span, to SpanID) {
	if to == (SpanID{}) {
		return
	}
	if b.limits.links == 0 {
		span.DroppedLinksCount++
		return
	}
	span.Links = append(span.Links, &tracepb.Span_Link{TraceId: b.ids.trace[:], SpanId: to[:], TraceState: b.options.Parent.State, Flags: b.flags})
}

// event makes a span event of a record without duration (an allocation, a
// creation, an error), or of a wait on the span that it held up.
func (b *builder) event(r *store.Record) *tracepb.Span_Event {
	e := &tracepb.Span_Event{TimeUnixNano: b.unix(r.Start), Name: r.Site.Kind}
	a := &attributes{limits: b.limits.forEvents()}
	if r.Site.Kind == "error" {
		e.Name = "exception"
		a.text("exception.type", callbacks.ErrorCode(r.Site.ErrorCode).String())
		a.text("exception.message", r.Site.Name)
	}
	if r.Span {
		a.number("accscope.record", r.ID)
		a.number("accscope.wait.time", r.Duration)
		a.number("accscope.async", r.Site.Async)
		a.number("accscope.async_queue", r.Site.AsyncQueue)
	} else {
		a.list = append(a.list, b.site(r.Site).attributes...)
		a.record(r)
	}
	e.Attributes = a.list
	if limit := b.limits.ofEvent; limit >= 0 && len(e.Attributes) > limit {
		a.dropped += uint32(len(e.Attributes) - limit)
		e.Attributes = e.Attributes[:limit]
	}
	e.DroppedAttributesCount = a.dropped
	return e
}

// message is what an error event says.
func message(s *store.Site) string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("OpenACC error %d", s.ErrorCode)
}
