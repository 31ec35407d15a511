package perfetto

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Track uuids: what kind of thing a track is, and its number in the trace.
func processTrack(id model.ProcessID) uint64 { return 1<<56 | uint64(id) }
func threadTrack(id model.ThreadID) uint64   { return 2<<56 | uint64(id) }
func deviceTrack(id model.DeviceID) uint64   { return 3<<56 | uint64(id) }
func queueTrack(id model.QueueID) uint64     { return 4<<56 | uint64(id) }
func memoryTrack(id model.DeviceID) uint64   { return 5<<56 | uint64(id) }
func uploadTrack(id model.DeviceID) uint64   { return 6<<56 | uint64(id) }
func downloadTrack(id model.DeviceID) uint64 { return 7<<56 | uint64(id) }

// firstSynthetic is the first process or thread number that stands for one
// that another host has too: the real ones are smaller.
const firstSynthetic = 1 << 22

// tracks describes every track before its first event.
func (e *exporter) tracks() error {
	processes, err := e.trace.Processes()
	if err != nil {
		return err
	}
	pids := map[model.ProcessID]int64{}
	taken := map[int64]bool{}
	for i := range processes {
		p := &processes[i]
		pid := int64(p.PID)
		if pid <= 0 || taken[pid] {
			pid = firstSynthetic + int64(p.ID)
		}
		taken[pid] = true
		pids[p.ID] = pid
		var process message
		process.int(processPID, pid)
		for _, argument := range p.Arguments {
			process.string(processCommandLine, argument)
		}
		process.string(processName, export.ProcessName(p))
		e.describe(processTrack(p.ID), 0, int64(i), func(d *message) { d.bytes(descriptorProcess, process) })
	}
	threads, err := e.trace.Threads()
	if err != nil {
		return err
	}
	taken = map[int64]bool{}
	for _, t := range threads {
		tid := int64(t.TID)
		if tid <= 0 || taken[tid] {
			tid = firstSynthetic + int64(t.ID)
		}
		taken[tid] = true
		var thread message
		thread.int(threadPID, pids[t.Process])
		thread.int(threadTID, tid)
		name := t.Name
		if name == "" {
			name = fmt.Sprintf("thread %d", t.TID)
		}
		thread.string(threadName, name)
		e.describe(threadTrack(t.ID), 0, 0, func(d *message) { d.bytes(descriptorThread, thread) })
	}
	return e.deviceTracks()
}

func (e *exporter) deviceTracks() error {
	devices, err := e.trace.Devices()
	if err != nil {
		return err
	}
	for i, d := range devices {
		// A child of a process track is shown beside it; the group nests.
		e.describe(deviceTrack(d.ID), processTrack(d.Process), int64(i), func(m *message) {
			m.string(descriptorName, export.DeviceName(&d))
			m.uint(descriptorOrdering, orderingExplicit)
		})
		for rank, c := range []struct {
			track uint64
			name  string
			unit  string
		}{
			{memoryTrack(d.ID), "memory in use", ""}, {uploadTrack(d.ID), "upload rate", "B/s"}, {downloadTrack(d.ID), "download rate", "B/s"},
		} {
			var counter message
			if c.unit == "" {
				counter.uint(counterUnit, unitBytes)
			} else {
				counter.string(counterUnitName, c.unit)
			}
			e.describe(c.track, deviceTrack(d.ID), int64(1000+rank), func(m *message) {
				m.string(descriptorName, c.name)
				m.bytes(descriptorCounter, counter)
			})
		}
	}
	queues, err := e.trace.Queues()
	if err != nil {
		return err
	}
	for i, q := range queues {
		e.describe(queueTrack(q.ID), deviceTrack(q.Device), int64(i), func(m *message) {
			m.string(descriptorName, export.QueueName(q.Number))
		})
	}
	return e.w.err
}

func (e *exporter) describe(uuid, parent uint64, rank int64, rest func(*message)) {
	var descriptor, packet message
	descriptor.uint(descriptorUUID, uuid)
	if parent != 0 {
		descriptor.uint(descriptorParent, parent)
	}
	descriptor.int(descriptorRank, rank)
	descriptor.uint(descriptorMerge, mergeNever)
	rest(&descriptor)
	packet.uint(packetSequence, sequenceOfTheFile)
	packet.bytes(packetDescriptor, descriptor)
	e.w.emit(packet)
}

// activities writes what the devices did, and the rate of their transfers.
func (e *exporter) activities() error {
	count := e.options.NewCount()
	for a, err := range e.trace.Activities(e.options.Filter) {
		if err != nil {
			return err
		}
		count.Add()
		e.activity(a)
		if e.w.err != nil {
			return e.w.err
		}
	}
	count.End()
	return nil
}

func (e *exporter) activity(a *store.Activity) {
	work := e.work(a.Work)
	packet := e.w.begin(a.Start)
	event := make(message, 0, len(work.event)+96)
	event = append(event, work.event...)
	event.uint(eventType, typeBegin)
	event.uint(eventTrack, queueTrack(a.Work.Queue))
	if a.Record != 0 {
		event.fixed(eventFlowEnd, uint64(a.Record))
	}
	e.w.annotate(&event, "activity", a.ID)
	if a.Bytes != 0 {
		e.w.annotate(&event, "bytes", a.Bytes)
	}
	e.w.annotate(&event, "correlation", a.Correlation)
	e.w.annotate(&event, "device_start", a.DeviceStart)
	e.w.annotate(&event, "device_end", a.DeviceEnd)
	packet.bytes(packetTrackEvent, event)
	e.w.end()
	e.endEvent(a.End(), queueTrack(a.Work.Queue))
	track := uploadTrack(a.Work.Device)
	switch a.Work.Kind {
	case "download":
		track = downloadTrack(a.Work.Device)
	case "upload":
	default:
		return
	}
	if a.Duration > 0 {
		e.counter(track, a.Start, int64(float64(a.Bytes)*1e9/float64(a.Duration)))
		e.counter(track, a.End(), 0)
	}
}

func (e *exporter) work(w *store.Work) *prepared {
	if p := e.works[w]; p != nil {
		return p
	}
	p := &prepared{}
	e.works[w] = p
	name := w.Name
	if name == "" {
		name = w.Kind
	} else if w.Kind != "kernel" {
		name = w.Kind + " " + name
	}
	p.event.uint(eventNameIID, e.w.name(name))
	p.event.uint(eventCategoryIID, e.w.category("device_"+w.Kind))
	e.w.annotate(&p.event, "async", w.Async)
	e.w.annotate(&p.event, "async_queue", w.AsyncQueue)
	return p
}
