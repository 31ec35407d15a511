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

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Write exports a trace.
func Write(out io.Writer, trace *store.Trace, options export.Options) error {
	e := &exporter{w: newWriter(out, options.Compress), trace: trace, options: options,
		sites: map[int64]*prepared{}, works: map[*store.Work]*prepared{}, threads: map[model.ThreadID]*sequence{},
		queues: map[model.QueueID]*queue{}, memories: map[model.DeviceID]*sequence{}}
	var err error
	for _, step := range []func() error{e.header, e.tracks, e.gaps, e.records, e.activities, e.memory, e.counters, e.samples} {
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
	counted export.Counted
	threads map[model.ThreadID]*sequence
	queues  map[model.QueueID]*queue
	// memories are of the counters of the devices' memory.
	memories map[model.DeviceID]*sequence
	numbers  export.Numbers
	common   map[string]any // what all events say, by the name of the field
	scratch  message
}

// prepared is the part of a track event that all records of a site share, and
// the terms it uses.
type prepared struct {
	event message
	terms []*term
	flow  bool
}

// header writes the clocks and what is known of the run.
func (e *exporter) header() error {
	var err error
	if e.meta, err = e.trace.Meta(); err != nil {
		return err
	}
	first, err := e.trace.Sampled().FirstCPUSample()
	if err != nil {
		return err
	}
	e.meta.First = min(e.meta.First, first)
	e.w.startClocks(&e.meta)
	var packet message

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
	return e.w.err
}

// records writes the host's spans and events.
func (e *exporter) records() error {
	err := export.Records(e.trace, &e.options, func(r *store.Record) error {
		kind := byte(typeInstant)
		if r.Span {
			kind = typeBegin
		}
		e.event(e.thread(r.Thread), r, kind)
		return e.w.err
	}, func(thread model.ThreadID, _ *export.OpenSpan, at int64) {
		e.thread(thread).end(at)
	})
	return cmp.Or(err, e.w.err)
}

// thread is the sequence of a thread's events.
func (e *exporter) thread(id model.ThreadID) *sequence {
	return lookup.Make(e.threads, id, func() *sequence { return e.w.newSequence(threadTrack(id)) })
}

func (e *exporter) event(s *sequence, r *store.Record, kind byte) {
	site := e.site(r.Site)
	s.use(site)
	event := append(e.scratch[:0], site.event...)
	event = append(event, eventType<<3, kind)
	if site.flow && r.Correlation != 0 {
		event.fixed(eventFlow, uint64(r.ID))
	}
	if r.Bytes != 0 && (e.options.Full || !r.Unended) {
		event.number(s.key(keyBytes), annotationUint, r.Bytes)
	}
	if r.Unended {
		event.number(s.key(keyUnended), annotationBool, 1)
	}
	if r.Site.Own() {
		for _, n := range r.Numbers() {
			key, known := keyOf[n.Name]
			if !known && e.w.err == nil {
				e.w.err = fmt.Errorf("record %d has a number %q, which has no key in Perfetto's format here: add it to keyOf", r.ID, n.Name)
			}
			event.number(s.key(key), annotationInt, uint64(n.Value))
		}
	} else if e.options.Full {
		event = rest(event, s, r)
	}
	s.event(r.Start, event)
	e.scratch = event
}

// rest adds the fields of a record that are hardly ever read.
func rest(event message, s *sequence, r *store.Record) message {
	event.number(s.key(keyRecord), annotationInt, uint64(r.ID))
	event.number(s.key(keySequence), annotationUint, r.Sequence)
	if r.Host != 0 {
		event.number(s.key(keyHost), annotationPointer, r.Host)
	}
	if r.Address != 0 {
		event.number(s.key(keyAddress), annotationPointer, r.Address)
	}
	if r.Correlation != 0 {
		event.number(s.key(keyCorrelation), annotationUint, r.Correlation)
	}
	if r.Opener != 0 {
		event.number(s.key(keyOpener), annotationInt, uint64(r.Opener))
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
	p.title(e.w, export.SpanName(s), s.Kind)
	if s.File != "" || s.Function != "" {
		p.event.uint(eventSourceIID, p.number(e.w.source(source{s.File, s.Function, s.Line})))
	}
	fields := e.lean(s)
	if e.options.Full {
		fields = export.Fields(s)
	}
	for _, f := range fields {
		p.annotate(e.w, f)
	}
	return p
}

// memory writes the counters of device memory.
func (e *exporter) memory() error {
	for s, err := range e.trace.Memory().Changes(e.options.Filter.From, e.options.Filter.To) {
		if err != nil {
			return err
		}
		if counter := e.memories[s.Device]; counter != nil {
			counter.count(s.Time, s.Used)
		}
		if e.w.err != nil {
			return e.w.err
		}
	}
	return nil
}
