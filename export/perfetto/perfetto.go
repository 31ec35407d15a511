// Package perfetto writes traces in Perfetto's native format (.pftrace), as a
// stream: process and thread tracks with the host's spans, a track for each
// device queue with what the device did, counters of device memory and transfer
// rates, flows from an enqueue to its execution, and of the fields of the info
// structs of OpenACC 3.3 §5.2 the few that tell most, or all, as debug annotations.
package perfetto

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Write exports a trace.
func Write(out io.Writer, trace *store.Trace, options export.Options) error {
	e := &exporter{w: newWriter(out, options.Compress), trace: trace, options: options,
		sites: map[int64]*prepared{}, works: map[*store.Work]*prepared{}, queues: map[model.QueueID]*queue{}, devices: map[model.DeviceID]bool{}}
	var err error
	for _, step := range []func() error{e.header, e.tracks, e.records, e.activities, e.memory} {
		if err = step(); err != nil {
			break
		}
	}
	return errors.Join(err, e.w.close())
}

type exporter struct {
	w       *writer
	trace   *store.Trace
	options export.Options
	meta    store.Meta
	sites   map[int64]*prepared
	works   map[*store.Work]*prepared
	queues  map[model.QueueID]*queue
	devices map[model.DeviceID]bool
	common  map[string]any // what all events say, by the name of the field
	scratch message
	own     ownKeys
}

// prepared is the part of a track event that all records of a site share, and
// what it interns has been written.
type prepared struct {
	event message
	flow  bool
}

// ownKeys are the interned names of what each record has of its own.
type ownKeys struct {
	record, sequence, bytes, host, address, unended, opener             uint64
	activity, correlation, deviceStart, deviceEnd, recorded, enqueuedBy uint64
}

// header writes the clocks and what is known of the run.
func (e *exporter) header() error {
	var err error
	if e.meta, err = e.trace.Meta(); err != nil {
		return err
	}
	e.w.shift = max(0, -e.meta.First)
	var snapshot message
	for _, c := range [][2]uint64{
		{clockBoottime, uint64(e.meta.Origin)}, {clockMonotonic, uint64(e.meta.Origin)},
		{clockRealtime, uint64(e.meta.Realtime)}, {clockTrace, uint64(e.w.shift)},
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
	text := func(key, value string) {
		var a message
		a.string(attributeKey, key)
		a.string(attributeString, value)
		attributes.bytes(attributesEntry, a)
	}
	for _, key := range slices.Sorted(maps.Keys(e.meta.Facts)) {
		text("accscope."+key, e.meta.Facts[key])
	}
	number := func(key string, value int64) {
		var a message
		a.string(attributeKey, key)
		a.int(attributeLong, value)
		attributes.bytes(attributesEntry, a)
	}
	number("accscope.lost_events", e.meta.Lost)
	sites, err := e.trace.Sites()
	if err != nil {
		return err
	}
	e.common = common(sites)
	for _, key := range slices.Sorted(maps.Keys(e.common)) {
		name := "accscope.all_events." + key
		switch v := e.common[key].(type) {
		case int64:
			number(name, v)
		case uint64:
			number(name, int64(v))
		default:
			text(name, fmt.Sprint(v))
		}
	}
	packet = packet[:0]
	packet.uint(packetSequence, sequenceOfTheFile)
	packet.bytes(packetAttributes, attributes)
	e.w.emit(packet)
	k := e.w.key
	e.own = ownKeys{record: k("record"), sequence: k("sequence"), bytes: k("bytes"), host: k("host_address"), address: k("device_address"),
		unended: k("unended"), opener: k("opener"), activity: k("activity"), correlation: k("correlation"), deviceStart: k("device_start"),
		deviceEnd: k("device_end"), recorded: k("recorded"), enqueuedBy: k("enqueued_by")}
	return e.w.err
}

// records writes the host's spans and events.
func (e *exporter) records() error {
	err := export.Records(e.trace, &e.options, func(r *store.Record) error {
		kind := byte(typeInstant)
		if r.Span {
			kind = typeBegin
		}
		e.event(threadTrack(r.Thread), r, kind)
		return e.w.err
	}, func(thread model.ThreadID, _ *export.OpenSpan, at int64) {
		if at < export.Never {
			e.end(at, threadTrack(thread))
		}
	})
	return cmp.Or(err, e.w.err)
}

func (e *exporter) end(time int64, track uint64) {
	event := append(e.scratch[:0], eventType<<3, typeEnd)
	event.uint(eventTrack, track)
	e.w.event(time, event)
	e.scratch = event
}

func (e *exporter) event(track uint64, r *store.Record, kind byte) {
	site := e.site(r.Site)
	event := append(e.scratch[:0], site.event...)
	event = append(event, eventType<<3, kind)
	event.uint(eventTrack, track)
	if site.flow && r.Correlation != 0 {
		event.fixed(eventFlow, uint64(r.ID))
	}
	event.number(e.own.record, annotationInt, uint64(r.ID))
	if r.Bytes != 0 && (e.options.Full || !r.Unended) {
		event.number(e.own.bytes, annotationUint, r.Bytes)
	}
	if r.Unended {
		event.number(e.own.unended, annotationBool, 1)
	}
	if e.options.Full {
		event = e.rest(event, r)
	}
	e.w.event(r.Start, event)
	e.scratch = event
}

// rest adds the fields of a record that are hardly ever read.
func (e *exporter) rest(event message, r *store.Record) message {
	event.number(e.own.sequence, annotationUint, r.Sequence)
	if r.Host != 0 {
		event.number(e.own.host, annotationPointer, r.Host)
	}
	if r.Address != 0 {
		event.number(e.own.address, annotationPointer, r.Address)
	}
	if r.Correlation != 0 {
		event.number(e.own.correlation, annotationUint, r.Correlation)
	}
	if r.Opener != 0 {
		event.number(e.own.opener, annotationInt, uint64(r.Opener))
	}
	return event
}

// site prepares what the records of a site share.
func (e *exporter) site(s *store.Site) *prepared {
	if p := e.sites[s.ID]; p != nil {
		return p
	}
	p := &prepared{flow: s.Kind == "enqueue_launch" || s.Kind == "enqueue_upload" || s.Kind == "enqueue_download"}
	e.sites[s.ID] = p
	p.event.uint(eventNameIID, e.w.name(export.SpanName(s)))
	p.event.uint(eventCategoryIID, e.w.category(s.Kind))
	if s.File != "" || s.Function != "" {
		p.event.uint(eventSourceIID, e.w.source(source{s.File, s.Function, s.Line}))
	}
	fields := e.lean(s)
	if e.options.Full {
		fields = export.Fields(s)
	}
	for _, f := range fields {
		e.w.annotate(&p.event, f)
	}
	return p
}

// memory writes the counters of device memory.
func (e *exporter) memory() error {
	for s, err := range e.trace.Samples(e.options.Filter.From, e.options.Filter.To) {
		if err != nil {
			return err
		}
		if e.devices[s.Device] {
			e.counter(memoryTrack(s.Device), s.Time, s.Used)
		}
		if e.w.err != nil {
			return e.w.err
		}
	}
	return nil
}

func (e *exporter) counter(track uint64, time, value int64) {
	event := append(e.scratch[:0], eventType<<3, typeCounter)
	event.uint(eventTrack, track)
	event.int(eventCounter, value)
	e.w.event(time, event)
	e.scratch = event
}
