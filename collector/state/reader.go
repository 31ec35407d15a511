package state

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// Newest is the time of what is newest in a trace, also of one that is being written.
const Newest = math.MaxInt64

// Reader reads the state of a trace at times. It remembers what it has read: a later
// time costs what happened in between, an earlier one starts over. It belongs to one
// goroutine.
type Reader struct {
	trace   *store.Trace
	only    *store.Within // what is counted and logged; nil: all
	at      int64         // all up to here was taken in
	started bool
	follows bool // a trace that is being written: what has come since is new

	records    int64 // read up to this number
	activities int64 // the same, where it follows
	others     numbers
	early      []earlyRecord    // read, and later than at
	running    []store.Activity // begun by then, and not over
	now        int64
	origin     int64
	events     int64
	threads    map[model.ThreadID]*thread
	sites      map[int64]*sum
	works      map[workAt]*store.Sum
	causes     [mostCauses]cause // newest enqueues, by their records
	devices    map[model.DeviceID]*device
	queues     map[model.QueueID]*queue
	syncQueues map[model.DeviceID]model.QueueID
	pending    []store.QueueDependency   // not taken in: they come with what was enqueued by then
	samples    []store.Sample            // the same, of other samples
	ends       map[model.ProcessID]int64 // of those that have ended, also after at
	ended      map[model.ProcessID]bool  // by then
	owners     map[model.DeviceID]model.ProcessID
	regions    model.Regions
	failed     map[model.ProcessID]bool // met an error
	over       map[model.ProcessID]bool // have shut their runtime down
	errors     []store.Record
	errorSum   int64
	log        eventLog
	counters   map[int64]*counter
}

// numbers are those up to which the small tables have been read.
type numbers struct{ occupancies, dependencies, samples, existing int64 }

type earlyRecord struct {
	record store.Record
	used   int64
}

// New prepares to read a trace.
func New(trace *store.Trace) *Reader {
	return &Reader{trace: trace, at: math.MinInt64, now: math.MinInt64, threads: map[model.ThreadID]*thread{}, sites: map[int64]*sum{}, works: map[workAt]*store.Sum{},
		devices: map[model.DeviceID]*device{}, queues: map[model.QueueID]*queue{}, syncQueues: map[model.DeviceID]model.QueueID{},
		ends: map[model.ProcessID]int64{}, ended: map[model.ProcessID]bool{}, owners: map[model.DeviceID]model.ProcessID{}, counters: map[int64]*counter{}, regions: model.Regions{}, failed: map[model.ProcessID]bool{}, over: map[model.ProcessID]bool{}}
}

// Only limits sums, the log, what queues did and the most memory in use to what begins
// within ranges or frames of the program's own; nil: to nothing. What is pending, live and
// open is shown all the same. It is called before anything is read.
func (r *Reader) Only(within *store.Within) { r.only = within }

// counts says whether a record is in sums and the log.
func (r *Reader) counts(x *store.Record) bool {
	return r.only == nil || r.only.Has(x.Site.Process, x.Start)
}

// within says whether what happened on a device at a time counts.
func (r *Reader) within(id model.DeviceID, time int64) bool {
	return r.only == nil || r.only.Has(r.process(id), time)
}

// process is the one that a device is of.
func (r *Reader) process(id model.DeviceID) model.ProcessID { return r.owners[id] }

// Soon is the time of the next thing that happens after the state read last, as far
// as is known; Newest where nothing more does.
func (r *Reader) Soon() int64 {
	soon := int64(Newest)
	for i := range r.early {
		soon = min(soon, r.early[i].record.Start)
	}
	for i := range r.running {
		soon = min(soon, r.running[i].End())
	}
	for _, t := range r.threads {
		for i := range t.stack {
			if x := &t.stack[i]; !x.Open && x.End() > r.at {
				soon = min(soon, x.End())
			}
		}
	}
	return soon
}

// On goes on with another connection to the same trace.
func (r *Reader) On(trace *store.Trace) { r.trace = trace }

// At gives the state at a time: of what happened at that moment, too.
func (r *Reader) At(time int64) (s *State, err error) {
	err = r.trace.Snapshot(func() error {
		if err := r.advance(time); err != nil {
			return err
		}
		s, err = r.state()
		return err
	})
	return s, err
}

// advance takes in what happened up to a time.
func (r *Reader) advance(time int64) error {
	meta, err := r.trace.Facts()
	if err != nil {
		return err
	}
	if time < r.at || r.started && time == Newest && r.at != Newest && !meta.Complete {
		only := r.only
		*r = *New(r.trace)
		r.only = only
	}
	if !r.started {
		r.started, r.follows = true, time == Newest && !meta.Complete
	}
	before := r.at
	r.origin = meta.Origin
	r.at = time
	if err := r.reopen(meta.Complete); err != nil {
		return err
	}
	if err := r.readOthers(); err != nil {
		return err
	}
	if err := r.readRecords(time, meta.Lateness); err != nil {
		return err
	}
	r.takePending(time)
	for _, t := range r.threads {
		for i := len(t.stack) - 1; i >= 0 && !t.stack[i].Open && t.stack[i].End() <= time; i-- {
			r.endDeeper(t, i)
		}
	}
	if err := r.readActivities(before, time); err != nil {
		return err
	}
	r.endProcesses(time)
	return nil
}

// reopen reads spans again whose end was not known.
func (r *Reader) reopen(complete bool) error {
	if complete && !r.follows {
		return nil
	}
	for _, t := range r.threads {
		for i := range t.stack {
			if !t.stack[i].Unended {
				continue
			}
			fresh, err := r.trace.Record(t.stack[i].ID)
			if err != nil {
				return err
			}
			if fresh != nil {
				t.stack[i].Record = *fresh
				if fresh.Open {
					r.now = max(r.now, fresh.End())
				}
			}
		}
	}
	return nil
}

// readOthers reads the small tables' new rows.
func (r *Reader) readOthers() error {
	processes, err := r.trace.Processes()
	if err != nil {
		return err
	}
	for i := range processes {
		if p := &processes[i]; p.Ended != "" {
			r.ends[p.ID] = p.End
		}
	}
	devices, err := r.trace.Devices()
	if err != nil {
		return err
	}
	for _, d := range devices {
		r.owners[d.ID] = d.Process
	}
	queues, err := r.trace.Queues()
	if err != nil {
		return err
	}
	of := map[model.QueueID]model.DeviceID{}
	for _, q := range queues {
		of[q.ID] = q.Device
		if q.Number == model.AsyncSync {
			r.syncQueues[q.Device] = q.ID
		}
	}
	existing, err := r.trace.Numbered().Existing(r.others.existing)
	if err != nil {
		return err
	}
	for i := range existing {
		m := &existing[i]
		r.others.existing = -m.Record
		r.device(m.Site.Device).exist(m)
	}
	dependencies, err := r.trace.Numbered().Dependencies(r.others.dependencies)
	if err != nil {
		return err
	}
	for i := range dependencies {
		r.others.dependencies = dependencies[i].ID
	}
	r.pending = append(r.pending, dependencies...)
	samples, last, err := r.trace.Numbered().OtherSamples(r.others.samples)
	if err != nil {
		return err
	}
	r.others.samples = last
	r.samples = append(r.samples, samples...)
	occupancies, last, err := r.trace.Numbered().Occupancies(r.others.occupancies, r.after())
	if err != nil {
		return err
	}
	r.others.occupancies = last
	for _, o := range occupancies {
		q := r.queue(o.Queue)
		if !r.within(of[o.Queue], o.From) {
			continue
		}
		q.bound += o.To - o.From
		q.occupied.add(Stretch{From: o.From, To: o.To, Busy: o.To - o.From}, bothStretches)
	}
	return nil
}

// after is a moment after at.
func (r *Reader) after() int64 {
	if r.at == math.MaxInt64 {
		return r.at
	}
	return r.at + 1
}

// readRecords takes in the records up to a time. They come in order of arrival, so
// what is later is put aside until nothing earlier can come.
func (r *Reader) readRecords(time, lateness int64) error {
	slices.SortStableFunc(r.early, func(a, b earlyRecord) int { return cmp.Compare(a.record.Start, b.record.Start) })
	due := 0
	for ; due < len(r.early) && r.early[due].record.Start <= time; due++ {
	}
	ready := slices.Clone(r.early[:due])
	r.early = slices.Delete(r.early, 0, due)
	for i := range ready {
		r.take(&ready[i].record, ready[i].used)
	}
	if len(r.early) > 0 && r.early[0].record.Start > time+min(lateness, math.MaxInt64-time) {
		return nil
	}
	return r.trace.Numbered().Records(r.records+1, math.MaxInt64, func(x *store.Record, used int64) (bool, error) {
		r.records = x.ID
		if x.Start > time {
			r.early = append(r.early, earlyRecord{*x, used})
			return x.Start-time <= lateness, nil
		}
		r.take(x, used)
		return true, nil
	})
}
