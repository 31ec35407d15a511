package state

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// thread is what a thread is in.
type thread struct {
	events int64
	stack  []span // outermost first
}

// span is one that a thread is in, or that what comes next may be in.
type span struct {
	store.Record
	counted bool // its end was
}

// take takes a record in.
func (r *Reader) take(x *store.Record, used int64) {
	s := x.Site
	r.takePending(x.Start)
	t := lookup.New(r.threads, s.Thread)
	r.endDeeper(t, s.Depth)
	r.now = max(r.now, x.Start)
	r.events++
	t.events++
	if r.counts(x) {
		lookup.New(r.sites, s.ID).begin(x)
		r.log.add(x, false)
	}
	switch s.KindCode {
	case model.EnterDataStart:
		r.regions.Enter(x.Thread, s.ParentConstruct, x.ID)
	case model.ExitDataStart:
		r.regions.Exit(x.Thread, s.ParentConstruct)
	case model.Create, model.Alloc, model.Delete, model.Free:
		r.device(s.Device).change(x, used, r.regions)
	case model.DeviceShutdownStart:
		r.device(s.Device).shutDown(r.regions)
	case model.RuntimeShutdown:
		r.over[s.Process] = true
		r.shutDown(s.Process)
	case model.Error:
		r.failed[s.Process] = true
		r.errorSum++
		if len(r.errors) < mostErrors {
			r.errors = append(r.errors, *x)
		}
	case model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart:
		r.causes[x.ID%mostCauses] = cause{x.ID, s}
		r.enqueue(t, x)
	}
	if !x.Span {
		return
	}
	t.stack = append(t.stack, span{Record: *x})
	r.end(t, &t.stack[len(t.stack)-1])
}

// endDeeper takes in that a thread's spans deeper than depth have ended, also those whose
// end was not seen.
func (r *Reader) endDeeper(t *thread, depth int) {
	for len(t.stack) > depth {
		last := len(t.stack) - 1
		r.end(t, &t.stack[last])
		t.stack = t.stack[:last]
	}
}

// end takes in the end of a span, if it has ended and was not taken in.
func (r *Reader) end(t *thread, x *span) {
	if x.counted || x.Open || x.End() > r.at {
		return
	}
	x.counted = true
	r.now = max(r.now, x.End())
	if !x.Unended {
		r.events++
		t.events++
	}
	if r.counts(&x.Record) {
		lookup.New(r.sites, x.Site.ID).end(&x.Record)
		r.log.add(&x.Record, true)
	}
	switch x.Site.KindCode {
	case model.WaitStart:
		r.queue(x.Site.Queue).waited(&x.Record, r.counts(&x.Record), !r.cutOff(&x.Record))
	case model.ComputeConstructStart, model.EnterDataStart, model.ExitDataStart, model.UpdateStart:
		if id := r.syncQueues[x.Site.Device]; id != 0 && x.Site.Outermost() && r.queues[id] != nil && !r.cutOff(&x.Record) {
			r.queues[id].drain(func(o *operation) bool { return o.thread == x.Site.Thread })
		}
	}
}

// cutOff says whether a span lasted until its process's end: what it had the device do was
// not done by then.
func (r *Reader) cutOff(x *store.Record) bool {
	end, ended := r.ends[x.Site.Process]
	return x.Unended && ended && x.End() >= end
}

// endProcesses takes what is left on the devices of processes that have ended.
func (r *Reader) endProcesses(time int64) {
	for process, end := range r.ends {
		if end <= time && !r.ended[process] {
			r.ended[process] = true
			r.shutDown(process)
		}
	}
}

// shutDown ends the life of all memory of a process's devices.
func (r *Reader) shutDown(process model.ProcessID) {
	for _, d := range r.devices {
		if d.process == process {
			d.shutDown(r.regions)
			d.used = 0
		}
	}
}

// eventLog keeps the newest events.
type eventLog struct {
	list []logged
	from int64 // what is older is not among the newest
}

type logged struct {
	record store.Record
	end    bool
}

func (l *logged) time() int64 {
	if l.end {
		return l.record.End()
	}
	return l.record.Start
}

func (l *eventLog) add(x *store.Record, end bool) {
	e := logged{*x, end}
	if e.time() < l.from {
		return
	}
	if l.list = append(l.list, e); len(l.list) >= 8*mostLogged {
		l.newest()
	}
}

// newest gives the newest events, oldest first.
func (l *eventLog) newest() []logged {
	slices.SortStableFunc(l.list, func(a, b logged) int { return cmp.Compare(a.time(), b.time()) })
	if n := len(l.list); n > mostLogged {
		l.list = append(l.list[:0], l.list[n-mostLogged:]...)
		l.from = l.list[0].time()
	}
	return l.list
}
