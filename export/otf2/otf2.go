// Package otf2 writes traces as archives of the Open Trace Format, version 2, which
// Vampir, Score-P and Cube read. A location for each host thread and for each device
// queue, with what it entered and left; locations of metrics with the devices' memory and
// what was sampled. Times are the first host's CLOCK_MONOTONIC, ns.
package otf2

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otf2/archive"
)

// Write exports a trace into a folder that is there and empty.
func Write(folder string, trace *store.Trace, options export.Options) error {
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	out, err := archive.Create(folder)
	if err != nil {
		return err
	}
	e := &exporter{out: out, trace: trace, options: options, meta: meta, attributes: defineAttributes(out),
		nodes: map[int64]archive.Ref{}, processes: map[model.ProcessID]*process{}, threads: map[model.ThreadID]*thread{},
		devices: map[model.DeviceID]*device{}, queues: map[model.QueueID]*queue{},
		sites: map[int64]*site{}, works: map[*store.Work]archive.Ref{}}
	for _, step := range []func() error{e.locations, e.unseen, e.counters, e.memory, e.records, e.rest, e.activities, e.programs} {
		if err := step(); err != nil {
			return err
		}
	}
	e.communicators()
	return out.Close(e.info())
}

type exporter struct {
	out        *archive.Archive
	trace      *store.Trace
	options    export.Options
	meta       store.Meta
	attributes attributes
	root       archive.Ref           // of the system tree
	nodes      map[int64]archive.Ref // of the hosts
	order      []*process
	processes  map[model.ProcessID]*process
	threads    map[model.ThreadID]*thread
	devices    map[model.DeviceID]*device
	queues     map[model.QueueID]*queue
	windows    []*device // those with transfers: a window's number is its place
	sites      map[int64]*site
	works      map[*store.Work]archive.Ref
	mpi        bool // its paradigm is defined
	scratch    archive.Attributes
}

// at is a time of the trace as the archive has it.
func (e *exporter) at(time int64) uint64 { return uint64(max(time+e.meta.Origin, 0)) }

// records writes the host's spans and events.
func (e *exporter) records() error {
	var failed error
	err := export.Records(e.trace, &e.options, func(r *store.Record) error {
		if failed != nil {
			return failed
		}
		return e.record(r)
	}, func(id model.ThreadID, span *export.OpenSpan, at int64) {
		thread := e.threads[id]
		if thread == nil {
			return // its begin has failed
		}
		failed = cmp.Or(failed, e.measure(thread, at), thread.Leave(e.at(at), e.enter(e.site(span.Site))))
	})
	return cmp.Or(err, failed)
}

// unseen notes of each thread when nothing of it was recorded; of some kinds of events only, it
// was measured.
func (e *exporter) unseen() error {
	gaps, err := e.options.Gaps(e.trace)
	if err != nil {
		return err
	}
	for id, thread := range e.threads {
		for _, g := range gaps {
			if g.Process != thread.process.info.ID || g.Thread != 0 && g.Thread != id || g.Detail != "" {
				continue
			}
			if n := len(thread.unseen) - 1; n >= 0 && g.Start <= thread.unseen[n].End {
				thread.unseen[n].End = max(thread.unseen[n].End, g.End)
				continue
			}
			thread.unseen = append(thread.unseen, report.Interval{Start: g.Start, End: g.End})
		}
	}
	return nil
}

// measure writes when measuring was switched off on a thread, and on again, up to a time.
func (e *exporter) measure(thread *thread, until int64) error {
	for len(thread.unseen) > 0 {
		next := &thread.unseen[0]
		at := next.Start
		if thread.off {
			at = next.End
		}
		if at > until {
			return nil
		}
		if err := thread.Measurement(e.at(at), thread.off); err != nil {
			return err
		}
		if thread.off {
			thread.unseen = thread.unseen[1:]
		}
		thread.off = !thread.off
	}
	return nil
}

// rest writes what measure has still to.
func (e *exporter) rest() error {
	for _, id := range slices.Sorted(maps.Keys(e.threads)) {
		thread := e.threads[id]
		if len(thread.unseen) == 0 {
			continue
		}
		if err := cmp.Or(e.begin(thread.process, e.at(thread.unseen[0].Start)), e.measure(thread, math.MaxInt64)); err != nil {
			return err
		}
	}
	return nil
}

// lastOf is when a process ended, or the trace did while it still ran.
func (e *exporter) lastOf(p *process) int64 {
	if p.info.End != 0 {
		return p.info.End
	}
	return e.meta.Last
}

func (e *exporter) record(r *store.Record) error {
	thread := e.threads[r.Thread]
	if thread == nil {
		return fmt.Errorf("%s: record %d is of thread %d, which the trace does not have: it is damaged", e.trace.Path(), r.ID, r.Thread)
	}
	at := e.at(r.Start)
	if err := e.begin(thread.process, at); err != nil {
		return err
	}
	if err := e.measure(thread, r.Start); err != nil {
		return err
	}
	site, list := e.site(r.Site), &e.scratch
	list.Reset()
	list.Add(&site.attributes)
	if site.source != archive.None && (!r.Span || r.Site.Own()) { // other regions have a place
		list.Text(e.attributes.source, archive.Location, site.source)
	}
	if r.Bytes != 0 {
		list.Uint64(e.attributes.bytes, r.Bytes)
	}
	if r.Correlation != 0 {
		list.Uint64(e.attributes.record, uint64(r.ID))
	}
	if r.Site.Own() {
		for _, n := range r.Numbers() {
			list.Int64(e.attributes.numbers[n.Name], n.Value)
		}
	}
	if !r.Span {
		parameter, text := e.tell(site)
		return thread.Parameter(at, parameter, text, list)
	}
	if r.Unended {
		list.Uint64(e.attributes.unended, 1)
	}
	return thread.Enter(at, e.enter(site), list)
}

// activities writes what the devices did. A transfer is one between the memory of the
// queue's device and that of the host, for which its process's main thread stands.
func (e *exporter) activities() error {
	for a, err := range e.options.Activities(e.trace) {
		if err == nil {
			err = e.activity(a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) activity(a *store.Activity) error {
	q := e.queues[a.Work.Queue]
	if q == nil {
		return fmt.Errorf("%s: activity %d is of queue %d, which the trace does not have: it is damaged", e.trace.Path(), a.ID, a.Work.Queue)
	}
	stream := q.row(e, q.overlap.Place(a.Start, a.End()))
	region := e.work(a.Work)
	list := &e.scratch
	list.Reset()
	if a.Bytes != 0 {
		list.Uint64(e.attributes.bytes, a.Bytes)
	}
	if a.Record != 0 {
		list.Uint64(e.attributes.record, uint64(a.Record))
	}
	start, end := e.at(a.Start), e.at(a.End())
	if err := stream.Enter(start, region, list); err != nil {
		return err
	}
	if upload := a.Work.Kind == "upload"; upload || a.Work.Kind == "download" {
		window, remote := q.device.window(e), q.device.process.mainPlace()
		if err := stream.Transfer(start, upload, window, remote, a.Bytes, uint64(a.ID)); err != nil {
			return err
		}
		if err := stream.Complete(end, window, uint64(a.ID)); err != nil {
			return err
		}
	}
	return stream.Leave(end, region)
}

// info is what the anchor says of the run.
func (e *exporter) info() *archive.Info {
	info := &archive.Info{Creator: "accscope " + e.options.Version, Realtime: e.meta.Realtime - e.meta.Origin, Dated: e.meta.Realtime != 0}
	var hosts, programs []string
	for _, p := range e.order {
		if !slices.Contains(hosts, p.info.On.Name) {
			hosts = append(hosts, p.info.On.Name)
		}
		if command := strings.Join(p.info.Arguments, " "); !slices.Contains(programs, command) {
			programs = append(programs, command)
		}
	}
	info.Machine, info.Description = shorten(hosts), shorten(programs)
	taken := map[string]bool{}
	add := func(key, value string) {
		if name := "ACCSCOPE::" + propertyName(key); !taken[name] {
			taken[name] = true
			info.Properties = append(info.Properties, archive.Property{Name: name, Value: value})
		}
	}
	add("lost_events", fmt.Sprint(e.meta.Lost))
	for _, key := range slices.Sorted(maps.Keys(e.meta.Facts)) {
		add(key, e.meta.Facts[key])
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, e.meta.Facts["identity"], e.meta.Origin, e.meta.Records, e.options.Filter.From, e.options.Filter.To, e.options.Filter.Process)
	info.Trace = hash.Sum64()
	return info
}

// shorten is a list of which the first few are enough.
func shorten(list []string) string {
	const most = 8
	if len(list) > most {
		list = append(slices.Clone(list[:most]), fmt.Sprintf("(+%d)", len(list)-most))
	}
	return strings.Join(list, ", ")
}

// propertyName is a fact's key of letters, digits and underscores.
func propertyName(key string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, key)
}
