// Package speedscope writes a trace as speedscope JSON: a profile for each thread
// and each device queue, in the order of time ("Time Order" is the run), and the
// sums of host and device time by what was nested in what; of host code, where processors
// were sampled, too.
package speedscope

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/stacks"
)

// file is speedscope's file format (file-format-schema.json).
type file struct {
	Schema   string
	Name     string
	Exporter string
	Shared   shared
	Profiles []*profile
}

type shared struct {
	Frames []frame `json:"frames"`
}

type frame struct {
	Name string `json:"name"`
	File string `json:"file,omitempty"`
	Line int64  `json:"line,omitempty"`
}

// profile is of one of two types: "evented" has events, "sampled" samples and
// their weights.
type profile struct {
	Type       string `json:"type"`
	Name       string `json:"name"`
	Unit       string `json:"unit"`
	StartValue int64  `json:"startValue"`
	EndValue   int64  `json:"endValue"`
	events     events
	Samples    [][]int `json:"samples,omitempty"`
	Weights    []int64 `json:"weights,omitempty"`
}

// writer builds a file.
type writer struct {
	file     file
	trace    *store.Trace
	options  export.Options
	meta     store.Meta
	numbers  map[stacks.Frame]int
	sites    map[spansOf]int // frames of sites
	works    map[*store.Work]int
	threads  map[model.ThreadID]*track
	queues   map[model.QueueID]*queue
	ordering []*track // threads as they appear, then the rows of queues
}

// spansOf are the spans of a site that were cut off, or the others.
type spansOf struct {
	site   *store.Site
	cutOff bool
}

// track is an evented profile to be.
type track struct {
	name   string
	events events
	open   []int // frames
}

// queue is a device queue: one row of operations, as a rule.
type queue struct {
	name string
	rows export.Rows
	list []*track
}

// Write exports a trace.
func Write(w io.Writer, trace *store.Trace, options export.Options) error {
	f := &writer{trace: trace, options: options, numbers: map[stacks.Frame]int{}, sites: map[spansOf]int{}, works: map[*store.Work]int{},
		threads: map[model.ThreadID]*track{}, queues: map[model.QueueID]*queue{},
		file: file{Schema: "https://www.speedscope.app/file-format-schema.json", Name: trace.Path(), Exporter: "accscope",
			Shared: shared{Frames: []frame{}}}}
	for _, step := range []func() error{f.introduce, f.records, f.activities, f.sums, f.samples} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := f.file.write(w); err != nil {
		return fmt.Errorf("writing speedscope's JSON: %w", err)
	}
	return nil
}

// write writes the file piece by piece: the text of all events is long.
func (f *file) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 256<<10)
	var failed error
	value := func(before string, v any) {
		text, err := json.Marshal(v)
		failed = errors.Join(failed, err)
		out.WriteString(before) //nolint:errcheck // Flush says it
		out.Write(text)         //nolint:errcheck // Flush says it
	}
	value(`{"$schema":`, f.Schema)
	value(`,"name":`, f.Name)
	value(`,"exporter":`, f.Exporter)
	value(`,"shared":`, f.Shared)
	before := `,"profiles":[`
	for _, p := range f.Profiles {
		if p.Type == "evented" {
			text, err := json.Marshal(p)
			failed = errors.Join(failed, err)
			out.WriteString(before)                        //nolint:errcheck // Flush says it
			out.Write(bytes.TrimSuffix(text, []byte("}"))) //nolint:errcheck // Flush says it
			out.WriteString(`,"events":[`)                 //nolint:errcheck // Flush says it
			p.events.write(out)
			out.WriteString("]}") //nolint:errcheck // Flush says it
		} else {
			value(before, p)
		}
		before = ","
	}
	if len(f.Profiles) == 0 {
		out.WriteString(before) //nolint:errcheck // Flush says it
	}
	out.WriteString("]}\n") //nolint:errcheck // Flush says it
	return errors.Join(failed, out.Flush())
}

// introduce names threads and queues.
func (f *writer) introduce() error {
	var err error
	if f.meta, err = f.trace.Meta(); err != nil {
		return err
	}
	d, err := f.trace.Directory()
	if err != nil {
		return err
	}
	before := export.ProcessTitles(d.Processes)
	for _, t := range d.Threads {
		f.threads[t.ID] = &track{name: before[t.Process] + t.Title()}
		f.ordering = append(f.ordering, f.threads[t.ID])
	}
	of := map[model.DeviceID]string{}
	for i := range d.Devices {
		of[d.Devices[i].ID] = before[d.Devices[i].Process] + export.DeviceName(&d.Devices[i]) + ", "
	}
	for _, q := range d.Queues {
		f.queues[q.ID] = &queue{name: of[q.Device] + export.QueueName(q.Number)}
	}
	return nil
}

// frame numbers a frame.
func (f *writer) frame(of stacks.Frame) int {
	return lookup.Make(f.numbers, of, func() int {
		f.file.Shared.Frames = append(f.file.Shared.Frames, frame{of.Name, of.File, of.Line})
		return len(f.file.Shared.Frames) - 1
	})
}

// begin opens a frame of a track.
func (t *track) begin(at int64, frame int) {
	t.events.add(at, frame, true)
	t.open = append(t.open, frame)
}

// end closes the frame that was opened last.
func (t *track) end(at int64) {
	last := len(t.open) - 1
	t.events.add(at, t.open[last], false)
	t.open = t.open[:last]
}

// records makes the profiles of threads.
func (f *writer) records() error {
	return export.Records(f.trace, &f.options, func(r *store.Record) error {
		thread := f.threads[r.Thread]
		if thread == nil || !r.Span {
			return nil
		}
		of := spansOf{r.Site, r.Unended && !r.Open}
		thread.begin(r.Start, lookup.Make(f.sites, of, func() int { return f.frame(stacks.FrameOf(of.site, of.cutOff)) }))
		return nil
	}, func(thread model.ThreadID, _ *export.OpenSpan, at int64) {
		if t := f.threads[thread]; t != nil {
			t.end(min(at, f.meta.Last))
		}
	})
}

// activities makes the profiles of queues. What ran beside another operation of
// its queue gets a profile of its own.
func (f *writer) activities() error {
	for a, err := range f.options.Activities(f.trace) {
		if err != nil {
			return err
		}
		q := f.queues[a.Work.Queue]
		if q == nil { // a damaged trace
			continue
		}
		row := q.rows.Place(a.Start, a.End())
		if row == len(q.list) {
			name := q.name
			if row > 0 {
				name += " (at the same time)"
			}
			q.list = append(q.list, &track{name: name})
			f.ordering = append(f.ordering, q.list[row])
		}
		q.list[row].begin(a.Start, lookup.Make(f.works, a.Work, func() int { return f.frame(stacks.Frame{Name: export.WorkName(a.Work)}) }))
		q.list[row].end(a.End())
	}
	for _, t := range f.ordering {
		if t.events.empty() {
			continue
		}
		f.file.Profiles = append(f.file.Profiles, &profile{Type: "evented", Name: t.name, Unit: "nanoseconds", events: t.events,
			StartValue: min(f.meta.First, t.events.first), EndValue: max(f.meta.Last, t.events.last)})
	}
	return nil
}

// sums makes the profiles of sums.
func (f *writer) sums() error {
	list, err := stacks.Sum(f.trace, f.options)
	if err != nil {
		return err
	}
	for _, kind := range []struct {
		name   string
		weight func(*stacks.Stack) int64
	}{
		{"host time, summed", func(s *stacks.Stack) int64 { return s.Host }},
		{"device time, summed", func(s *stacks.Stack) int64 { return s.Device }},
	} {
		p := &profile{Type: "sampled", Name: kind.name, Unit: "nanoseconds"}
		for _, stack := range list {
			weight := kind.weight(stack)
			if weight <= 0 {
				continue
			}
			sample := make([]int, len(stack.Frames))
			for i, frame := range stack.Frames {
				sample[i] = f.frame(frame)
			}
			p.Samples = append(p.Samples, sample)
			p.Weights = append(p.Weights, weight)
			p.EndValue += weight
		}
		if len(p.Samples) > 0 {
			f.file.Profiles = append(f.file.Profiles, p)
		}
	}
	return nil
}

// samples makes a profile of what processors were sampled at, by what the threads were in.
func (f *writer) samples() error {
	list, err := stacks.Samples(f.trace, f.options)
	if err != nil || len(list) == 0 {
		return err
	}
	p := &profile{Type: "sampled", Name: "host code, samples of processors", Unit: "nanoseconds"}
	for i := range list {
		x := &list[i]
		sample := []int{f.frame(stacks.Frame{Name: x.Doing})}
		for _, frame := range x.Frames {
			sample = append(sample, f.frame(frame))
		}
		p.Samples, p.Weights, p.EndValue = append(p.Samples, sample), append(p.Weights, x.Time), p.EndValue+x.Time
	}
	f.file.Profiles = append(f.file.Profiles, p)
	return nil
}
