package state

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// state makes a State of what was taken in.
func (r *Reader) state() (*State, error) {
	v := &State{Origin: r.origin, Now: r.now, Events: r.events, ErrorSum: r.errorSum, Within: r.only}
	if r.only != nil {
		v.Chosen = r.only.Time(math.MinInt64, r.after())
	}
	var err error
	if v.Lost, v.Behind, err = r.trace.Shortfall(); err != nil {
		return nil, err
	}
	missing, err := r.trace.Partial()
	if err != nil {
		return nil, err
	}
	v.Gaps = r.gaps(missing)
	if v.Counters, err = r.readCounters(); err != nil {
		return nil, err
	}
	all, err := r.trace.Directory()
	if err != nil {
		return nil, err
	}
	own := map[model.ProcessID]bool{} // ended by themselves
	for _, p := range all.Processes {
		later := p.Ended != "" && p.End > r.at
		// Behind the runtime's shutdown nothing is deleted any more.
		own[p.ID] = (!later || r.over[p.ID]) && p.EndedByItself(r.failed[p.ID])
		if later {
			p.Ended, p.Exit, p.End = "", "", 0 // not yet
		}
		v.Processes = append(v.Processes, p.ProcessInfo)
	}
	waiting := map[model.QueueID][]int64{} // since when
	for _, info := range all.Threads {
		t := Thread{ThreadInfo: info}
		if known := r.threads[info.ID]; known != nil {
			t.Events = known.events
			for i := range known.stack {
				x := &known.stack[i]
				s := x.Site
				t.Stack = append(t.Stack, OpenSpan{Record: x.ID, Kind: s.Kind, Construct: s.Construct, Name: x.Label(), Source: sourceOf(s), Since: x.Start})
				if s.KindCode == model.WaitStart {
					waiting[s.Queue] = append(waiting[s.Queue], x.Start)
				}
			}
		}
		v.Threads = append(v.Threads, t)
	}
	for _, info := range all.Devices {
		if info.Requested() {
			continue
		}
		d := Device{DeviceInfo: info}
		r.fillMemory(&d, own[d.Process], missing)
		for _, q := range all.Queues {
			if q.Device != info.ID || r.queues[q.ID] == nil {
				continue
			}
			x, err := r.queueState(q, all.Queues, waiting[q.ID])
			if err != nil {
				return nil, err
			}
			if r.ended[d.Process] {
				x.CutOff = r.ends[d.Process]
			}
			d.Queues = append(d.Queues, *x)
		}
		slices.SortFunc(d.Queues, func(a, b Queue) int { return cmp.Compare(a.Number, b.Number) })
		v.Devices = append(v.Devices, d)
	}
	for i := range r.errors {
		v.Errors = append(v.Errors, eventOf(&logged{record: r.errors[i]}))
	}
	for _, e := range r.log.newest() {
		v.Log = append(v.Log, eventOf(&e))
	}
	if v.Annotations, err = r.annotations(); err != nil {
		return nil, err
	}
	return v, r.sums(v)
}

// gaps are those that have begun.
func (r *Reader) gaps(missing *store.Partial) (list []store.Gap) {
	now := r.at
	if now == Newest {
		now = r.now
	}
	for _, g := range missing.Gaps {
		if g.Start > r.at || g.Start == math.MinInt64 {
			continue
		}
		if g.Open = g.End > now || g.Open && g.End == math.MaxInt64; g.Open {
			g.End = max(g.Start, now)
		}
		list = append(list, g)
	}
	return list
}

// fillMemory says what is and was on a device, and what has leaked if its process came to an
// end by itself.
func (r *Reader) fillMemory(d *Device, ended bool, missing *store.Partial) {
	known := r.devices[d.ID]
	if known == nil {
		return
	}
	known.lasted(r.after())
	d.Used, d.Peak, d.Memory = known.used, known.peak, known.memory.list
	live := known.live()
	d.MappingSum = len(live)
	for _, a := range live[:min(len(live), mostMappings)] {
		d.Mappings = append(d.Mappings, a.mapping())
	}
	for _, a := range known.leaked {
		if !ended || missing.MayHaveEnded(d.Process, a.site.KindCode, a.since) {
			continue
		}
		if d.LeakedBytes += model.Size(a.bytes); len(d.Leaked) < mostMappings {
			d.Leaked = append(d.Leaked, a.mapping())
		}
	}
	now := map[variable]int64{}
	for _, a := range known.allocations {
		now[variableOf(a.site)]++
	}
	for i := range d.Mappings {
		key := variableOf(live[i].site)
		if n, listed := now[key]; listed {
			delete(now, key)
			d.Variables = append(d.Variables, Variable{Name: key.name, Source: sourceOf(live[i].site), Live: n, Allocations: known.allocated[key]})
		}
	}
}

func (a *allocation) mapping() Mapping {
	return Mapping{Record: a.record, Name: a.site.Name, Host: a.host, Device: a.address, Bytes: a.bytes, Since: a.since, Source: sourceOf(a.site), Creates: a.creates}
}

// queueState is the state of a queue, which threads wait for since some times.
func (r *Reader) queueState(info model.QueueInfo, all []model.QueueInfo, waiting []int64) (v *Queue, err error) {
	q := r.queues[info.ID]
	depth := int64(len(q.pending)) + q.forgotten
	v = &Queue{QueueInfo: info, Measured: q.measured, Enqueued: q.enqueued, Done: q.enqueued - depth, Depth: depth, Busy: q.busy, Bound: q.bound,
		Waits: q.waits, Waiting: int64(len(waiting)), DependencySum: q.sum, HeldBack: q.heldBack,
		Ran: q.ran.list, Occupied: q.occupied.list, Waited: q.blocked.list}
	if len(waiting) > 0 {
		v.WaitingSince = slices.Min(waiting)
	}
	for _, x := range q.dependencies {
		v.HeldBack += x.duration()
		d := x.Dependency
		for _, other := range all {
			if int64(other.ID) == x.Queue {
				d.Queue = other.Number
			}
		}
		v.Dependencies = append(v.Dependencies, d)
	}
	if depth > 0 && len(q.pending) > 0 {
		v.Since = q.pending[0].time
		if v.Next, err = r.operation(q.pending[0].record); err != nil {
			return nil, err
		}
		for i := range r.running {
			if a := &r.running[i]; a.Record == v.Next.Record {
				v.Next.Start = a.Start
			}
		}
	}
	if q.last.Record != 0 {
		if v.Last, err = r.operation(q.last.Record); err != nil {
			return nil, err
		}
		v.Last.Start, v.Last.End = q.last.Start, q.last.End()
	}
	return v, nil
}

// operation reads what an enqueue put onto its queue.
func (r *Reader) operation(record int64) (*Operation, error) {
	x, err := r.trace.Record(record)
	if err != nil || x == nil {
		return &Operation{Record: record}, err
	}
	kind := map[int32]int32{model.EnqueueLaunchStart: model.ActivityKernel, model.EnqueueUploadStart: model.ActivityUpload,
		model.EnqueueDownloadStart: model.ActivityDownload}[x.Site.KindCode]
	return &Operation{Record: record, Kind: model.ActivityName(kind), Name: x.Site.Name, Source: sourceOf(x.Site), Bytes: x.Bytes, Enqueued: x.Start}, nil
}

func eventOf(e *logged) Event {
	x, s := &e.record, e.record.Site
	v := Event{Time: x.Start, Record: x.ID, Kind: model.KindName(s.KindCode), Process: s.Process, Thread: s.Thread, Device: s.Device, Queue: s.Queue,
		Name: x.Label(), Source: sourceOf(s), Bytes: x.Bytes, Implicit: s.Implicit == 1, Code: s.ErrorCode}
	if !s.Own() {
		v.Host, v.Address = x.Host, x.Address
	}
	if e.end {
		v.Time, v.Duration, v.Kind = x.End(), x.Duration, model.KindName(s.KindCode+1)
		if x.Unended {
			v.Kind = model.SpanName(s.KindCode) + CutOff
		}
	}
	return v
}
