// Package perfetto writes traces in Perfetto's native format (.pftrace), as a
// stream: process and thread tracks with the host's spans, a track for each
// device queue with what the device did, counters of device memory and transfer
// rates, flows from an enqueue to its execution, and every field of the info
// structs of OpenACC 3.3 §5.2 as debug annotations.
package perfetto

import (
	"fmt"
	"io"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Write exports a trace.
func Write(out io.Writer, trace *store.Trace, options export.Options) error {
	e := &exporter{w: newWriter(out, options.Compress), trace: trace, options: options,
		stacks: map[model.ThreadID][]open{}, sites: map[int64]*prepared{}, works: map[*store.Work]*prepared{}}
	for _, step := range []func() error{e.header, e.tracks, e.records, e.activities, e.memory} {
		if err := step(); err != nil {
			return err
		}
	}
	return e.w.close()
}

type exporter struct {
	w       *writer
	trace   *store.Trace
	options export.Options
	meta    store.Meta
	stacks  map[model.ThreadID][]open
	sites   map[int64]*prepared
	works   map[*store.Work]*prepared
}

// open is a span whose end has not been written.
type open struct {
	end     int64
	unended bool
}

// prepared is the part of a track event that all records of a site share, and
// what it interns has been written.
type prepared struct {
	event message
	flow  bool
}

// header writes the clocks and what is known of the run.
func (e *exporter) header() error {
	var err error
	if e.meta, err = e.trace.Meta(); err != nil {
		return err
	}
	var snapshot message
	for _, c := range [][2]uint64{
		{clockBoottime, uint64(e.meta.Origin)}, {clockMonotonic, uint64(e.meta.Origin)},
		{clockRealtime, uint64(e.meta.Realtime)}, {clockTrace, 0},
	} {
		var clock message
		clock.uint(clockID, c[0])
		clock.uint(clockTimestamp, c[1])
		snapshot.bytes(snapshotClocks, clock)
	}
	primary := uint64(clockRealtime)
	if e.meta.Realtime == 0 {
		primary = clockBoottime
	}
	snapshot.uint(snapshotPrimary, primary)
	var packet, defaults message
	packet.uint(packetSequence, sequenceOfTheFile)
	packet.uint(packetSequenceFlags, flagCleared)
	defaults.uint(defaultsClock, clockTrace)
	packet.bytes(packetDefaults, defaults)
	packet.bytes(packetClockSnapshot, snapshot)
	e.w.emit(packet)

	var attributes message
	for key, value := range e.meta.Facts {
		var a message
		a.string(attributeKey, "accscope."+key)
		a.string(attributeString, value)
		attributes.bytes(attributesEntry, a)
	}
	var a message
	a.string(attributeKey, "accscope.lost_events")
	a.int(attributeLong, e.meta.Lost)
	attributes.bytes(attributesEntry, a)
	packet = packet[:0]
	packet.uint(packetSequence, sequenceOfTheFile)
	packet.bytes(packetAttributes, attributes)
	e.w.emit(packet)
	return e.w.err
}

// records writes the host's spans and events, per thread as a stack.
func (e *exporter) records() error {
	count := e.options.NewCount()
	for r, err := range e.trace.Records(e.options.Filter) {
		if err != nil {
			return err
		}
		count.Add()
		if !r.Span {
			e.event(r, typeInstant)
			continue
		}
		stack := e.stacks[r.Thread]
		for len(stack) > r.Depth {
			stack = e.pop(r.Thread, stack, r.Start)
		}
		e.event(r, typeBegin)
		e.stacks[r.Thread] = append(stack, open{end: r.End(), unended: r.Unended})
		if e.w.err != nil {
			return e.w.err
		}
	}
	count.End()
	for thread, stack := range e.stacks {
		for len(stack) > 0 {
			if stack[len(stack)-1].unended {
				stack = stack[:len(stack)-1] // a begin without end: shown as never ended
				continue
			}
			stack = e.pop(thread, stack, 0)
		}
	}
	return e.w.err
}

// pop ends the innermost span of a thread; one whose end was not seen ends
// where its successor shows that it must have.
func (e *exporter) pop(thread model.ThreadID, stack []open, now int64) []open {
	top := stack[len(stack)-1]
	time := top.end
	if top.unended {
		time = now
	}
	e.endEvent(time, threadTrack(thread))
	return stack[:len(stack)-1]
}

func (e *exporter) endEvent(time int64, track uint64) {
	packet := e.w.begin(time)
	var event message
	event.uint(eventType, typeEnd)
	event.uint(eventTrack, track)
	packet.bytes(packetTrackEvent, event)
	e.w.end()
}

func (e *exporter) event(r *store.Record, kind uint64) {
	site := e.site(r.Site)
	packet := e.w.begin(r.Start)
	event := make(message, 0, len(site.event)+128)
	event = append(event, site.event...)
	event.uint(eventType, kind)
	event.uint(eventTrack, threadTrack(r.Thread))
	if site.flow && r.Correlation != 0 {
		event.fixed(eventFlow, uint64(r.ID))
	}
	e.w.annotate(&event, "record", r.ID)
	e.w.annotate(&event, "sequence", r.Sequence)
	if r.Bytes != 0 {
		e.w.annotate(&event, "bytes", r.Bytes)
	}
	if r.Host != 0 {
		e.w.annotate(&event, "host_address", pointer(r.Host))
	}
	if r.Address != 0 {
		e.w.annotate(&event, "device_address", pointer(r.Address))
	}
	if r.Unended {
		e.w.annotate(&event, "unended", true)
	}
	packet.bytes(packetTrackEvent, event)
	e.w.end()
}

// site prepares what the records of a site share.
func (e *exporter) site(s *store.Site) *prepared {
	if p := e.sites[s.ID]; p != nil {
		return p
	}
	p := &prepared{flow: s.Kind == "enqueue_launch" || s.Kind == "enqueue_upload" || s.Kind == "enqueue_download"}
	e.sites[s.ID] = p
	p.event.uint(eventNameIID, e.w.name(title(s)))
	p.event.uint(eventCategoryIID, e.w.category(s.Kind))
	if s.File != "" || s.Function != "" {
		p.event.uint(eventSourceIID, e.w.source(source{s.File, s.Function, s.Line}))
	}
	for _, a := range []struct {
		key   string
		value any
		show  bool
	}{
		{"event", "acc_ev_" + s.Kind, true}, {"construct", s.Construct, s.Construct != ""},
		{"parent_construct", int64(s.ParentConstruct), true}, {"implicit", s.Implicit != 0, true},
		{"async", s.Async, true}, {"async_queue", s.AsyncQueue, true},
		{"device_type", int64(s.DeviceType), true}, {"device_number", int64(s.DeviceNumber), true},
		{"thread_id", int64(s.ThreadID), true}, {"version", int64(s.Version), true},
		{nameKey(s), s.Name, s.HasName}, {"end_line", int64(s.EndLine), s.EndLine > 0},
		{"function_line", int64(s.FunctionLine), s.FunctionLine > 0}, {"function_end_line", int64(s.FunctionEndLine), s.FunctionEndLine > 0},
		{"gangs", s.Gangs, s.Kind == "enqueue_launch"}, {"workers", s.Workers, s.Kind == "enqueue_launch"},
		{"vector_length", s.Vector, s.Kind == "enqueue_launch"}, {"gangs_per_dimension", s.Dimensions, s.HasDimensions},
		{"error_code", int64(s.ErrorCode), s.Kind == "error"}, {"runtime_info", s.RuntimeInfo, s.Kind == "error"},
		{"device_api", int64(s.DeviceAPI), true}, {"vendor", int64(s.Vendor), true},
		{"device_handle", pointer(s.DeviceHandle), s.DeviceHandle != 0}, {"context_handle", pointer(s.ContextHandle), s.ContextHandle != 0},
		{"async_handle", pointer(s.AsyncHandle), s.AsyncHandle != 0},
		{"valid_bytes", int64(s.ProfileBytes), true}, {"event_valid_bytes", int64(s.EventBytes), true}, {"api_valid_bytes", int64(s.APIBytes), true},
	} {
		if a.show {
			e.w.annotate(&p.event, a.key, a.value)
		}
	}
	return p
}

// title is what a slice is called: the kernel or variable where there is one.
func title(s *store.Site) string {
	if s.Name == "" {
		return s.Kind
	}
	if s.Kind == "enqueue_launch" || s.Kind == "error" {
		return s.Name
	}
	return s.Kind + " " + s.Name
}

func nameKey(s *store.Site) string {
	switch s.Kind {
	case "enqueue_launch":
		return "kernel"
	case "error":
		return "message"
	}
	return "variable"
}

// memory writes the counters of device memory.
func (e *exporter) memory() error {
	err := sqlitex.Execute(e.trace.Conn(), `SELECT device, time, used FROM memory ORDER BY device, time`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if f := e.options.Filter; s.ColumnInt64(1) < f.From || f.To > 0 && s.ColumnInt64(1) >= f.To {
				return nil
			}
			e.counter(memoryTrack(model.DeviceID(s.ColumnInt64(0))), s.ColumnInt64(1), s.ColumnInt64(2))
			return e.w.err
		}})
	if err != nil {
		return fmt.Errorf("reading device memory: %w", err)
	}
	return nil
}

func (e *exporter) counter(track uint64, time, value int64) {
	packet := e.w.begin(time)
	var event message
	event.uint(eventType, typeCounter)
	event.uint(eventTrack, track)
	event.int(eventCounter, value)
	packet.bytes(packetTrackEvent, event)
	e.w.end()
}
