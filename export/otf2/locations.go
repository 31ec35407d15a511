package otf2

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otf2/archive"
)

// process is a location group with its threads.
type process struct {
	info    store.Process
	group   archive.Ref
	main    *archive.Stream
	members []*archive.Stream // threads, then rows of queues: who transfers data
	devices int
	begun   bool // its ProgramBegin is written
}

// thread writes the events of a host thread.
type thread struct {
	*archive.Stream
	process *process
	unseen  []report.Interval // of what is to come, when nothing was recorded
	off     bool              // since the begin of the first of these
}

// mainPlace is the main thread's place among the members.
func (p *process) mainPlace() uint32 { return uint32(slices.Index(p.members, p.main)) }

// device is a device as a process sees it: a location group, once it has a queue.
type device struct {
	info    model.DeviceInfo
	process *process
	group   archive.Ref // None: no queue
	place   archive.Ref // of its window, None: no transfer
}

// queue is a device queue: one location, as a rule.
type queue struct {
	info    model.QueueInfo
	device  *device
	overlap export.Rows
	rows    []*archive.Stream
}

// locations defines the system tree, the groups and their locations.
func (e *exporter) locations() error {
	d, err := e.trace.Directory()
	if err != nil {
		return err
	}
	e.out.Paradigm(archive.OpenACC, "OpenACC", archive.Accelerators, true)
	e.root = e.out.Node("job", "machine", archive.Machine, archive.None)
	byProcess := map[model.ProcessID][]model.ThreadInfo{}
	for _, t := range d.Threads {
		byProcess[t.Process] = append(byProcess[t.Process], t)
	}
	for _, p := range d.Processes {
		if e.options.Selects(p.ID) {
			e.process(p, byProcess[p.ID])
		}
	}
	e.deviceLocations(d.Devices, d.Queues)
	return nil
}

func (e *exporter) process(info store.Process, threads []model.ThreadInfo) {
	node := lookup.Make(e.nodes, info.On.ID, func() archive.Ref { return e.out.Node(info.On.Name, "node", archive.SharedMemory, e.root) })
	p := &process{info: info, group: e.out.Group(export.ProcessName(&info), archive.Process, node, archive.None)}
	e.order, e.processes[info.ID] = append(e.order, p), p
	e.out.GroupProperty(p.group, "ACCSCOPE::PID", strconv.Itoa(info.PID))
	for _, t := range threads {
		stream := e.out.Location(cmp.Or(t.Name, fmt.Sprintf("thread %d", t.TID)), archive.Thread, p.group)
		e.threads[t.ID] = &thread{Stream: stream, process: p}
		p.members = append(p.members, stream)
		if t.TID == info.PID {
			p.main = stream
		}
	}
	if len(p.members) == 0 { // a process has a thread, seen or not
		p.members = append(p.members, e.out.Location("main thread", archive.Thread, p.group))
	}
	if p.main == nil {
		p.main = p.members[0]
	}
}

func (e *exporter) deviceLocations(devices []model.DeviceInfo, queues []model.QueueInfo) {
	requested := map[model.DeviceID]bool{}
	for _, d := range devices {
		p := e.processes[d.Process]
		if p == nil {
			continue
		}
		e.devices[d.ID] = &device{info: d, process: p, group: archive.None, place: archive.None}
		requested[d.ID] = d.Requested()
		if !d.Requested() {
			p.devices++
		}
	}
	slices.SortStableFunc(queues, func(a, b model.QueueInfo) int {
		return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Number, b.Number))
	})
	for _, info := range queues {
		d := e.devices[info.Device]
		if d == nil {
			continue
		}
		q := &queue{info: info, device: d}
		e.queues[info.ID] = q
		if !requested[info.Device] {
			q.row(e, 0)
		}
	}
}

// row is the location of those operations of a queue that Rows puts into a row.
func (q *queue) row(e *exporter, place int) *archive.Stream {
	for len(q.rows) <= place {
		d := q.device
		if d.group == archive.None {
			d.group = e.out.Group(export.DeviceName(&d.info)+" of "+export.ProcessName(&d.process.info), archive.Accelerator,
				e.nodes[d.process.info.On.ID], d.process.group)
		}
		name := export.QueueName(q.info.Number)
		if len(q.rows) > 0 {
			name += " (at the same time)"
		}
		stream := e.out.Location(name, archive.Queue, d.group)
		q.rows = append(q.rows, stream)
		d.process.members = append(d.process.members, stream)
	}
	return q.rows[place]
}

// window is the device's, which is defined at last: by then all locations are known.
func (d *device) window(e *exporter) archive.Ref {
	if d.place == archive.None {
		d.place = archive.Ref(len(e.windows))
		e.windows = append(e.windows, d)
	}
	return d.place
}

// communicators defines whose memory the transfers are between.
func (e *exporter) communicators() {
	if len(e.windows) == 0 {
		return
	}
	var all []uint64
	places := map[*process][]uint64{}
	for _, p := range e.order {
		for _, stream := range p.members {
			places[p] = append(places[p], uint64(len(all)))
			all = append(all, stream.Location)
		}
	}
	e.out.Members("threads and queues", archive.OpenACC, all)
	known := map[*process]archive.Ref{}
	for _, d := range e.windows {
		communicator := lookup.Make(known, d.process, func() archive.Ref {
			return e.out.Communicator("OpenACC in "+export.ProcessName(&d.process.info), archive.OpenACC, places[d.process])
		})
		e.out.Window(export.DeviceName(&d.info), communicator)
	}
}

// whole says whether the run is exported from its begin to its end.
func (e *exporter) whole() bool {
	f := &e.options.Filter
	return f.From == 0 && f.To == 0 && f.Within == nil
}

// begin writes, once, that a process's program begins: before its first event, at.
func (e *exporter) begin(p *process, at uint64) error {
	if p.begun || !e.whole() {
		return nil
	}
	p.begun = true
	at = min(at, e.at(p.info.Start))
	if first, _, any := e.out.Extent(p.group); any {
		at = min(at, first)
	}
	var arguments []archive.Ref
	for _, text := range p.info.Arguments[min(len(p.info.Arguments), 1):] {
		arguments = append(arguments, e.out.String(text))
	}
	return p.main.ProgramBegin(at, e.out.String(p.info.Program), arguments)
}

// programs writes the end of each program, with its exit status where it is known.
func (e *exporter) programs() error {
	if !e.whole() {
		return nil
	}
	for _, p := range e.order {
		if err := e.begin(p, math.MaxUint64); err != nil {
			return err
		}
		at := e.at(e.lastOf(p))
		if _, last, any := e.out.Extent(p.group); any {
			at = max(at, last)
		}
		status := int64(archive.NoStatus)
		if text, exited := strings.CutPrefix(p.info.Exit, "status "); exited {
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return errors.Join(fmt.Errorf("%s: the exit status of process %d is %q", e.trace.Path(), p.info.PID, text), err)
			}
			status = number
		}
		if err := p.main.ProgramEnd(at, status); err != nil {
			return err
		}
	}
	return nil
}
