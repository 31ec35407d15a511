// Package pprof writes a trace as a pprof profile, so that `go tool pprof -http`
// draws flame graphs of host time, device time, bytes moved (sample type bytes) and
// allocated on devices, and counts, by what was nested in what.
package pprof

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

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
	b := builder{profile: p, locations: map[stacks.Frame]*profile.Location{}}
	for _, stack := range list {
		sample := &profile.Sample{Value: []int64{stack.Host, stack.Device, stack.Bytes, stack.Allocated, stack.Count}}
		for i := len(stack.Frames) - 1; i >= 0; i-- {
			sample.Location = append(sample.Location, b.location(stack.Frames[i]))
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("building the pprof profile: %w", err)
	}
	return p.Write(w)
}

type builder struct {
	profile   *profile.Profile
	locations map[stacks.Frame]*profile.Location
}

func (b *builder) location(frame stacks.Frame) *profile.Location {
	if known := b.locations[frame]; known != nil {
		return known
	}
	function := &profile.Function{ID: uint64(len(b.profile.Function) + 1), Name: frame.Name, SystemName: frame.Name, Filename: frame.File}
	b.profile.Function = append(b.profile.Function, function)
	location := &profile.Location{ID: uint64(len(b.profile.Location) + 1), Line: []profile.Line{{Function: function, Line: frame.Line}}}
	b.profile.Location = append(b.profile.Location, location)
	b.locations[frame] = location
	return location
}
