// Package pprof writes a trace as a pprof profile, so that `go tool pprof -http`
// draws flame graphs of host time, device time, bytes moved (sample type bytes) and
// allocated on devices, and counts, by what was nested in what, and of host code by samples of
// processors (sample type cpu, where there are any). Samples have the labels rank, device,
// queue, thread, variable, kind, and of host code doing, by which -tagfocus chooses
// and -tagroot divides; mappings are the programs.
package pprof

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/stacks"
)

// Write exports a trace, gzip-compressed as pprof files are.
func Write(w io.Writer, trace *store.Trace, options export.Options) error {
	list, err := stacks.Sum(trace, options)
	if err != nil {
		return err
	}
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{
			{Type: "host", Unit: "nanoseconds"}, {Type: "device", Unit: "nanoseconds"},
			{Type: "bytes", Unit: "bytes"}, {Type: "allocated", Unit: "bytes"}, {Type: "count", Unit: "count"},
		},
		DefaultSampleType: "host",
		TimeNanos:         meta.Realtime + meta.First,
		DurationNanos:     meta.Last - meta.First,
	}
	if meta.Lost > 0 {
		p.Comments = append(p.Comments, fmt.Sprintf("%d events were lost while recording", meta.Lost))
	}
	gaps, err := report.Gaps(trace)
	if err != nil {
		return err
	}
	p.Comments = append(p.Comments, gaps...)
	b, err := newBuilder(p, trace)
	if err != nil {
		return err
	}
	for _, stack := range list {
		sample := &profile.Sample{Value: []int64{stack.Host, stack.Device, stack.Bytes, stack.Allocated, stack.Count}}
		b.label(sample, stack.Site)
		for i := len(stack.Frames) - 1; i >= 0; i-- {
			sample.Location = append(sample.Location, b.location(stack.Site.Process, stack.Frames[i]))
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := b.samples(trace, options); err != nil {
		return err
	}
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("building the pprof profile: %w", err)
	}
	return p.Write(w)
}

type builder struct {
	profile   *profile.Profile
	locations map[place]*profile.Location
	mappings  map[model.ProcessID]*profile.Mapping
	ranks     map[model.ProcessID]int
	threads   map[model.ThreadID]string
	devices   map[model.DeviceID]string
}

// place is a frame of a process.
type place struct {
	process model.ProcessID
	frame   stacks.Frame
}

func newBuilder(p *profile.Profile, trace *store.Trace) (*builder, error) {
	b := &builder{profile: p, locations: map[place]*profile.Location{}, mappings: map[model.ProcessID]*profile.Mapping{},
		ranks: map[model.ProcessID]int{}, threads: map[model.ThreadID]string{}, devices: map[model.DeviceID]string{}}
	d, err := trace.Directory()
	if err != nil {
		return nil, err
	}
	programs := map[string]*profile.Mapping{}
	for i := range d.Processes {
		of := &d.Processes[i]
		b.ranks[of.ID] = of.Rank
		b.mappings[of.ID] = lookup.Make(programs, of.Program, func() *profile.Mapping {
			p.Mapping = append(p.Mapping, &profile.Mapping{ID: uint64(len(programs) + 1), File: of.Program, HasFunctions: true, HasFilenames: true, HasLineNumbers: true})
			return p.Mapping[len(p.Mapping)-1]
		})
	}
	for _, t := range d.Threads {
		b.threads[t.ID] = strings.TrimSpace(strings.TrimSuffix(fmt.Sprintf("%s %d", t.Name, t.TID), " 0"))
	}
	for _, x := range d.Devices {
		b.devices[x.ID] = x.Title()
	}
	return b, nil
}

// label tells the samples of a site apart. What is a number is labelled as one: pprof takes
// -tagfocus=rank=1 for a number, and rank=0:3 for a range. Their unit keeps a zero from
// being taken for no value.
func (b *builder) label(sample *profile.Sample, s *store.Site) {
	sample.Label = map[string][]string{"kind": {s.Kind}}
	sample.NumLabel, sample.NumUnit = map[string][]int64{}, map[string][]string{}
	add := func(key, value string, known bool) {
		if !known || value == "" {
			return
		}
		if number, err := strconv.ParseInt(value, 10, 64); err == nil && (key == "rank" || key == "queue") {
			sample.NumLabel[key], sample.NumUnit[key] = []int64{number}, []string{"count"}
			return
		}
		sample.Label[key] = []string{value}
	}
	rank, known := b.ranks[s.Process]
	add("rank", strconv.Itoa(rank), known && rank >= 0)
	add("thread", b.threads[s.Thread], true)
	add("device", b.devices[s.Device], true)
	add("queue", callbacks.AsyncName(s.AsyncQueue), s.Queue != 0)
	add("variable", s.Name, s.Kind != "enqueue_launch" && s.Kind != "error" && !s.Own())
}

func (b *builder) location(process model.ProcessID, frame stacks.Frame) *profile.Location {
	if known := b.locations[place{process, frame}]; known != nil {
		return known
	}
	function := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: frame.Name, SystemName: frame.Name, Filename: frame.File}
	b.profile.Function = append(b.profile.Function, function)
	location := &profile.Location{ID: uint64(len(b.profile.Location) + 1), Mapping: b.mappings[process],
		Line: []profile.Line{{Function: function, Line: frame.Line}}}
	b.profile.Location = append(b.profile.Location, location)
	b.locations[place{process, frame}] = location
	return location
}

// samples adds what processors were sampled at, where the trace has that: as a type of sample
// of its own, with label doing.
func (b *builder) samples(trace *store.Trace, options export.Options) error {
	list, err := stacks.Samples(trace, options)
	if err != nil || len(list) == 0 {
		return err
	}
	p := b.profile
	types := len(p.SampleType)
	p.SampleType = append(p.SampleType, &profile.ValueType{Type: "cpu", Unit: "nanoseconds"})
	for _, s := range p.Sample {
		s.Value = append(s.Value, 0)
	}
	for i := range list {
		x := &list[i]
		sample := &profile.Sample{Value: append(make([]int64, types), x.Time)}
		sample.Label = map[string][]string{"kind": {"cpu_sample"}, "doing": {x.Doing}}
		if thread := b.threads[x.Thread]; thread != "" {
			sample.Label["thread"] = []string{thread}
		}
		if rank, known := b.ranks[x.Process]; known && rank >= 0 {
			sample.NumLabel, sample.NumUnit = map[string][]int64{"rank": {int64(rank)}}, map[string][]string{"rank": {"count"}}
		}
		for _, frame := range slices.Backward(x.Frames) {
			sample.Location = append(sample.Location, b.location(x.Process, frame))
		}
		p.Sample = append(p.Sample, sample)
	}
	return nil
}
