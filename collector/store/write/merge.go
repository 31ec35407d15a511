package write

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Input is a trace to be merged.
type Input struct {
	Path string
	// Offset is added to the trace's times, after both origins are set against
	// each other by the time of day: what is known better than that, ns.
	Offset int64
}

// source is a trace being merged.
type mergeSource struct {
	trace     *store.Trace
	next      func() (*store.Item, error, bool)
	stop      func()
	item      *store.Item
	shift     int64 // from its times to those of the merged trace
	exact     bool  // both were made on one machine since it was started
	processes map[model.ProcessID]model.ProcessID
	threads   map[model.ThreadID]model.ThreadID
}

func (s *mergeSource) advance() error {
	item, err, more := s.next()
	if err != nil {
		return err
	}
	s.item = nil
	if more {
		s.item = item
	}
	return nil
}

// Merge writes one trace of several, those of other hosts for example, to path,
// where nothing may be but an empty file that holds the name. The first one's
// clock holds; those of other machines are set against it by the time of day, all
// by their Offset, and the hosts table says by how much.
func Merge(path string, inputs []Input) (err error) {
	if len(inputs) == 0 {
		return errors.New("no traces to merge")
	}
	m := model.New(nil, nil)
	var sources []*mergeSource
	defer func() {
		for _, s := range sources {
			s.stop()
			err = errors.Join(err, s.trace.Close())
		}
	}()
	var metas []store.Meta
	var earliest int64 // beginning, on the first one's clock after its origin
	for _, input := range inputs {
		t, err := store.Open(input.Path)
		if err != nil {
			return err
		}
		s := &mergeSource{trace: t, stop: func() {}, processes: map[model.ProcessID]model.ProcessID{}, threads: map[model.ThreadID]model.ThreadID{}}
		sources = append(sources, s)
		meta, err := t.Meta()
		if err != nil {
			return err
		}
		metas = append(metas, meta)
		if len(metas) == 1 {
			continue
		}
		if s.exact, err = sameClock(sources[0].trace, t); err != nil {
			return err
		}
		if s.exact {
			s.shift = meta.Origin - metas[0].Origin + input.Offset
		} else if meta.Realtime == 0 || metas[0].Realtime == 0 {
			return fmt.Errorf("%s: the time of day of its clock is not known, so it can't be set against %s", input.Path, inputs[0].Path)
		} else {
			s.shift = meta.Realtime - metas[0].Realtime + input.Offset
		}
		earliest = min(earliest, s.shift)
	}
	origin := metas[0].Origin + earliest
	w, err := Create(path, origin, m)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	hosts, carried := int64(0), map[string]bool{}
	for i, s := range sources {
		s.shift -= earliest
		for key, value := range metas[i].Facts {
			// The caller's span, what was left out while recording, and what devices have.
			if carried[key] || key != "traceparent" && key != "tracestate" &&
				!strings.HasPrefix(key, "filter_") && !strings.HasPrefix(key, store.MultiprocessorsKey) {
				continue
			}
			carried[key] = true
			if err := w.SetMeta(key, value); err != nil {
				return err
			}
		}
		if err := w.writeNotes(&metas[i]); err != nil {
			return err
		}
		if hosts, err = s.introduce(m, w, hosts, metas[i].Origin, origin, i > 0); err != nil {
			return err
		}
		s.next, s.stop = iter.Pull2(s.trace.Items(m.Names()))
		if err := s.advance(); err != nil {
			return err
		}
	}
	for {
		var first *mergeSource
		for _, s := range sources {
			if s.item != nil && (first == nil || s.item.Time()+s.shift < first.item.Time()+first.shift) {
				first = s
			}
		}
		if first == nil {
			break
		}
		if err := first.take(m, w); err != nil {
			return err
		}
		if w.Pending() >= TransactionRows {
			if err := w.Commit(); err != nil {
				return err
			}
		}
		if err := first.advance(); err != nil {
			return err
		}
	}
	return w.Finish()
}

// sameClock says whether the clocks of two traces are the same: that of one
// machine since it was started, by its name and by when it was started.
func sameClock(a, b *store.Trace) (bool, error) {
	var hosts [2]store.Host
	for i, t := range []*store.Trace{a, b} {
		processes, err := t.Processes()
		if err != nil {
			return false, err
		}
		for _, p := range processes {
			if p.On.ID == 1 {
				hosts[i] = p.On
			}
		}
	}
	apart := hosts[0].RealtimeOffset - hosts[1].RealtimeOffset
	return hosts[0].Name == hosts[1].Name && hosts[0].RealtimeOffset != 0 && max(apart, -apart) < int64(time.Second), nil
}

// introduce gives the processes, threads and hosts of a trace their numbers in
// the merged one.
func (s *mergeSource) introduce(m *model.Model, w *Writer, hosts, itsOrigin, origin int64, foreign bool) (int64, error) {
	processes, err := s.trace.Processes()
	if err != nil {
		return hosts, err
	}
	numbers := map[int64]int64{}
	for _, p := range processes {
		if numbers[p.On.ID] == 0 {
			hosts++
			numbers[p.On.ID] = hosts
			host := p.On
			host.ID = hosts
			if foreign {
				// Its clock plus this is the first one's.
				host.ClockOffset += s.shift - itsOrigin + origin
				if !s.exact {
					host.Uncertainty = -1
				}
			}
			if err := w.SaveHost(host); err != nil {
				return hosts, err
			}
		}
		id := model.ProcessID(len(m.Processes()) + 1)
		s.processes[p.ID] = id
		info := p.ProcessInfo
		info.ID, info.Start, info.End = id, info.Start+s.shift, info.End+s.shift
		m.AddProcess(info)
		if err := w.SaveProcess(info, numbers[p.On.ID], p.Capture); err != nil {
			return hosts, err
		}
	}
	threads, err := s.trace.Threads()
	if err != nil {
		return hosts, err
	}
	base := model.ThreadID(len(m.Threads()))
	for i, t := range threads {
		s.threads[t.ID] = base + model.ThreadID(i+1)
		t.ID, t.Process = s.threads[t.ID], s.processes[t.Process]
		m.AddThread(t)
		if err := w.SaveThread(t); err != nil {
			return hosts, err
		}
	}
	devices, err := s.trace.Devices()
	if err != nil {
		return hosts, err
	}
	for _, d := range devices {
		d.Process = s.processes[d.Process]
		m.DescribeDevice(d)
	}
	frames, err := s.trace.Frames()
	if err != nil {
		return hosts, err
	}
	for _, f := range frames {
		f.Process = s.processes[f.Process]
		if err := w.SaveFrame(f); err != nil {
			return hosts, err
		}
	}
	existing, err := s.trace.Existing(m.Names())
	if err != nil {
		return hosts, err
	}
	for i := range existing {
		x := &existing[i]
		x.Process, x.Time = s.processes[x.Process], x.Time+s.shift
		if id, device := m.Existing(x); id != 0 {
			if err := w.WriteExisting(id, x, device); err != nil {
				return hosts, err
			}
		}
	}
	losses, err := s.trace.Losses()
	if err != nil {
		return hosts, err
	}
	for _, l := range losses {
		if err := w.SetLost(s.processes[l.Process], s.threads[l.Thread], l.Reason, l.Events, l.Bytes); err != nil {
			return hosts, err
		}
	}
	return hosts, w.mergeCounters(s.trace, numbers, s.processes, s.shift)
}

// take hands the source's item to the merged trace.
func (s *mergeSource) take(m *model.Model, w *Writer) error {
	if s.item.Event != nil {
		e := *s.item.Event
		e.Process, e.Thread, e.Time = s.processes[e.Process], s.threads[e.Thread], e.Time+s.shift
		return w.apply(m, &store.Item{Event: &e, Depth: s.item.Depth})
	}
	if s.item.Dependency != nil {
		d := *s.item.Dependency
		d.Process, d.Time, d.Recorded = s.processes[d.Process], d.Time+s.shift, d.Recorded+s.shift
		return w.apply(m, &store.Item{Dependency: &d})
	}
	a := *s.item.Activity
	a.Process, a.Time, a.Start, a.End = s.processes[a.Process], a.Time+s.shift, a.Start+s.shift, a.End+s.shift
	return w.apply(m, &store.Item{Activity: &a})
}

// apply takes in an item of another trace.
func (w *Writer) apply(m *model.Model, item *store.Item) error {
	switch {
	case item.Event != nil:
		if item.Depth >= 0 {
			if err := w.Interrupted(item.Event.Thread, m.Interrupt(item.Event.Thread, item.Depth)); err != nil {
				return err
			}
		}
		return w.Write(m.Apply(item.Event))
	case item.Dependency != nil:
		queue, awaited := m.ApplyDependency(item.Dependency)
		return w.WriteDependency(item.Dependency, queue, awaited)
	}
	enqueue, device, queue := m.ApplyActivity(item.Activity)
	return w.WriteActivity(item.Activity, enqueue, device, queue)
}
