package perfetto

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Track uuids: a number of the trace, and what kind of track it is.
const (
	processKind = iota + 1
	threadKind
	deviceKind
	queueKind
	memoryKind
	uploadKind
	downloadKind
	overlapKind
	counterKind
	gpuKind
	gapKind
)

func uuid(id int64, kind uint64) uint64 { return uint64(id)<<4 | kind }

func processTrack(id model.ProcessID) uint64 { return uuid(int64(id), processKind) }
func threadTrack(id model.ThreadID) uint64   { return uuid(int64(id), threadKind) }
func deviceTrack(id model.DeviceID) uint64   { return uuid(int64(id), deviceKind) }
func queueTrack(id model.QueueID) uint64     { return uuid(int64(id), queueKind) }
func memoryTrack(id model.DeviceID) uint64   { return uuid(int64(id), memoryKind) }
func uploadTrack(id model.QueueID) uint64    { return uuid(int64(id), uploadKind) }
func downloadTrack(id model.QueueID) uint64  { return uuid(int64(id), downloadKind) }

// overlapTrack is for the operations of a queue that ran beside one that had
// not ended; lane counts from 1.
func overlapTrack(id model.QueueID, lane int) uint64 {
	return uuid(int64(id)<<16|int64(lane&0xffff), overlapKind)
}

// The order of the tracks of a device: queues with their rates, then memory.
const (
	ranksOfQueue = 4
	memoryRank   = 1 << 30
	// gapRank is that of a process's gaps, below its devices.
	gapRank = 1 << 30
)

// queue is a device queue: one row of operations, as a rule.
type queue struct {
	info   model.QueueInfo
	rank   int64
	rows   export.Rows
	tracks []*sequence // of the rows
	rates  [2]bool     // the counters of uploads and downloads are described
}

// tracks describes every track before its first event.
func (e *exporter) tracks() error {
	d, err := e.trace.Directory()
	if err != nil {
		return err
	}
	numbers := export.Number(d.Processes, d.Threads)
	e.numbers = numbers
	for i := range d.Processes {
		p := &d.Processes[i]
		if !e.options.Selects(p.ID) {
			continue
		}
		var process message
		process.int(processPID, numbers.PID[p.ID])
		for _, argument := range p.Arguments {
			process.string(processCommandLine, argument)
		}
		process.string(processName, export.ProcessName(p))
		e.describe(processTrack(p.ID), 0, int64(i), func(d *message) { d.bytes(descriptorProcess, process) })
	}
	for _, t := range d.Threads {
		if !e.options.Selects(t.Process) {
			continue
		}
		var thread message
		thread.int(threadPID, numbers.PID[t.Process])
		thread.int(threadTID, numbers.TID[t.ID])
		thread.string(threadName, cmp.Or(t.Name, fmt.Sprintf("thread %d", t.TID)))
		e.describe(threadTrack(t.ID), 0, 0, func(d *message) { d.bytes(descriptorThread, thread) })
	}
	e.deviceTracks(d.Devices, d.Queues)
	return e.w.err
}

func (e *exporter) deviceTracks(devices []model.DeviceInfo, queues []model.QueueInfo) {
	for i, d := range devices {
		if !e.options.Selects(d.Process) || d.Requested() {
			continue
		}
		e.memories[d.ID] = e.w.newSequence(memoryTrack(d.ID))
		// A child of a process track is shown beside it; the group nests.
		e.describe(deviceTrack(d.ID), processTrack(d.Process), int64(i), func(m *message) {
			m.string(descriptorName, export.DeviceName(&d))
			m.uint(descriptorOrdering, orderingExplicit)
		})
		var counter message
		counter.uint(counterUnit, unitBytes)
		e.describe(memoryTrack(d.ID), deviceTrack(d.ID), memoryRank, func(m *message) {
			m.string(descriptorName, "memory in use")
			m.bytes(descriptorCounter, counter)
		})
	}
	slices.SortStableFunc(queues, func(a, b model.QueueInfo) int { return cmp.Compare(a.Number, b.Number) })
	for i, q := range queues {
		if e.memories[q.Device] == nil {
			continue
		}
		known := &queue{info: q, rank: int64(i) * ranksOfQueue}
		e.queues[q.ID] = known
		e.row(known)
	}
}

// row describes a further row of a queue.
func (e *exporter) row(q *queue) {
	name, track := export.QueueName(q.info.Number), queueTrack(q.info.ID)
	if len(q.tracks) > 0 {
		name, track = name+" (at the same time)", overlapTrack(q.info.ID, len(q.tracks))
	}
	q.tracks = append(q.tracks, e.w.newSequence(track))
	e.describe(track, deviceTrack(q.info.Device), q.rank, func(m *message) { m.string(descriptorName, name) })
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
	packet.uint(packetSequence, sequenceOfTheTracks)
	packet.bytes(packetDescriptor, descriptor)
	e.w.emit(packet)
}

// gaps writes the times of which the trace has not all that happened, in tracks of their own below
// their processes.
func (e *exporter) gaps() error {
	list, err := e.options.Gaps(e.trace)
	if err != nil {
		return err
	}
	type place struct {
		process model.ProcessID
		row     int
	}
	overlap, rows, said := map[model.ProcessID]*export.Rows{}, map[place]*sequence{}, map[string]*prepared{}
	for _, g := range list {
		at := place{g.Process, lookup.New(overlap, g.Process).Place(g.Start, g.End)}
		s := lookup.Make(rows, at, func() *sequence {
			track := uuid(int64(g.Process)<<16|int64(at.row&0xffff), gapKind)
			e.describe(track, processTrack(g.Process), gapRank, func(m *message) { m.string(descriptorName, export.GapTitle) })
			return e.w.newSequence(track)
		})
		shared := lookup.Make(said, g.Why(), func() *prepared {
			p := &prepared{}
			p.title(e.w, g.Why(), "gap")
			p.annotate(e.w, export.Field{Name: "reason", Value: g.Reason})
			return p
		})
		s.use(shared)
		s.event(g.Start, append(append(message(nil), shared.event...), eventType<<3, typeBegin))
		s.end(g.End)
	}
	return e.w.err
}

// activities writes what the devices did, and the rate of their transfers.
func (e *exporter) activities() (err error) {
	if e.counted, err = export.ReadCounted(e.trace); err != nil {
		return err
	}
	for a, err := range e.options.Activities(e.trace) {
		if err == nil {
			e.activity(a)
			err = e.w.err
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) activity(a *store.Activity) {
	q := e.queues[a.Work.Queue]
	if q == nil { // a damaged trace
		q = &queue{info: model.QueueInfo{ID: a.Work.Queue, Device: a.Work.Device}}
		e.queues[a.Work.Queue] = q
		e.row(q)
	}
	// Slices of a track have to nest: what ran beside another gets a row of its own.
	row := q.rows.Place(a.Start, a.End())
	if row == len(q.tracks) {
		e.row(q)
	}
	work, s := e.work(a.Work), q.tracks[row]
	s.use(work)
	event := append(e.scratch[:0], work.event...)
	event = append(event, eventType<<3, typeBegin)
	if a.Record != 0 {
		event.fixed(eventFlowEnd, uint64(a.Record))
	}
	if a.Bytes != 0 {
		event.number(s.key(keyBytes), annotationUint, a.Bytes)
	}
	if e.options.Full {
		event.number(s.key(keyActivity), annotationInt, uint64(a.ID))
		if a.Record != 0 {
			event.number(s.key(keyEnqueuedBy), annotationInt, uint64(a.Record))
		}
		event.number(s.key(keyCorrelation), annotationUint, a.Correlation)
		event.number(s.key(keyDeviceStart), annotationInt, uint64(a.DeviceStart))
		event.number(s.key(keyDeviceEnd), annotationInt, uint64(a.DeviceEnd))
		event.number(s.key(keyRecorded), annotationInt, uint64(a.Recorded))
	}
	var counter uint64
	if row == 0 && a.Duration > 0 {
		if counter = e.rate(q, a.Work.Kind); counter != 0 {
			event.extra(counter, int64(float64(a.Bytes)*1e9/float64(a.Duration)))
		}
	}
	s.event(a.Start, event)
	event = append(event[:0], eventType<<3, typeEnd)
	if counter != 0 {
		event.extra(counter, 0)
	}
	s.event(a.End(), event)
	e.scratch = event
}

// extra gives an event a counter's value from its time on.
func (m *message) extra(track uint64, value int64) {
	m.uint(eventExtraTracks, track)
	m.int(eventExtraValues, value)
}

// rate is the counter of the rate of a queue's transfers of a kind, bytes per
// second; 0 if the kind is no transfer's.
func (e *exporter) rate(q *queue, kind string) uint64 {
	direction, track, name := 0, uploadTrack(q.info.ID), ": upload rate"
	switch kind {
	case "upload":
	case "download":
		direction, track, name = 1, downloadTrack(q.info.ID), ": download rate"
	default:
		return 0
	}
	if !q.rates[direction] {
		q.rates[direction] = true
		var counter message
		counter.string(counterUnitName, "B/s")
		e.describe(track, deviceTrack(q.info.Device), q.rank+1+int64(direction), func(m *message) {
			m.string(descriptorName, export.QueueName(q.info.Number)+name)
			m.bytes(descriptorCounter, counter)
		})
	}
	return track
}

func (e *exporter) work(w *store.Work) *prepared {
	if p := e.works[w]; p != nil {
		return p
	}
	p := &prepared{}
	e.works[w] = p
	p.title(e.w, export.WorkName(w), "activity_"+w.Kind)
	for _, f := range slices.Concat(export.WorkFields(w), e.counted.Of(w)) {
		if e.options.Full || !f.Detail {
			p.annotate(e.w, f)
		}
	}
	if !e.options.Full {
		return p
	}
	for _, f := range []export.Field{{Name: "activity_kind", Value: w.Kind}, {Name: "async", Value: w.Async}, {Name: "async_queue", Value: w.AsyncQueue}} {
		p.annotate(e.w, f)
	}
	return p
}
