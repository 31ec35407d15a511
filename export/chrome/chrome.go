// Package chrome writes traces as Chrome trace-event JSON, for viewers that do
// not read Perfetto's native format. Times are microseconds since the trace's
// begin, so that nanoseconds survive the format's floating-point numbers. A row
// (tid) for each thread and for each device queue; flows from an enqueue to its
// execution; counters of memory and transfer rates.
package chrome

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

const (
	// firstGapRow is the tid of the first row of a process's gaps, which is below its queues.
	firstGapRow = 1 << 26
	// firstQueueRow is the tid of the first device queue: above those of threads,
	// also of those that export.Number numbers.
	firstQueueRow = 1 << 24
	blockSize     = 512 << 10
)

// Write exports a trace. The output is an array, so a file cut short can still
// be read by most viewers.
func Write(out io.Writer, trace *store.Trace, options export.Options) error {
	e := &exporter{pipe: export.NewPipe(out, blockSize, nil), trace: trace, options: options, tids: map[model.ThreadID]row{},
		devices: map[model.DeviceID]device{}, queues: map[model.QueueID]*queue{},
		sites: map[int64][]byte{}, works: map[*store.Work][]byte{}}
	e.block = append(e.block, "[\n"...)
	var err error
	for _, step := range []func() error{e.rows, e.gaps, e.records, e.activities, e.memory, e.counters} {
		if err = step(); err != nil {
			break
		}
	}
	e.block = append(e.block, "\n]\n"...)
	if stored := e.pipe.Close(e.block); err == nil && stored != nil {
		err = fmt.Errorf("writing Chrome JSON: %w", stored)
	}
	return err
}

type row struct{ pid, tid int64 }

type device struct {
	model.DeviceInfo
	pid int64
}

// queue is a device queue: one row of operations, as a rule.
type queue struct {
	info    model.QueueInfo
	overlap export.Rows
	rows    []row
}

type exporter struct {
	pipe    *export.Pipe
	block   []byte
	trace   *store.Trace
	options export.Options
	numbers export.Numbers
	tids    map[model.ThreadID]row
	devices map[model.DeviceID]device
	queues  map[model.QueueID]*queue
	nextRow int64
	sites   map[int64][]byte // by site: the name, category and arguments, encoded
	works   map[*store.Work][]byte
	counted export.Counted
	wrote   bool
	err     error
}

// begin starts an event of a phase.
func (e *exporter) begin(phase byte, r row, time int64) {
	if e.wrote {
		e.block = append(e.block, ",\n"...)
	}
	e.wrote = true
	e.block = append(append(append(e.block, `{"ph":"`...), phase), `","pid":`...)
	e.int(r.pid)
	e.text(`,"tid":`)
	e.int(r.tid)
	e.text(`,"ts":`)
	e.block = appendMicroseconds(e.block, time)
}

// end ends an event with text.
func (e *exporter) end(text string) {
	e.block = append(e.block, text...)
	if e.pipe.Full(e.block) {
		e.block, e.err = e.pipe.Give(e.block)
	}
}

func (e *exporter) text(text string) { e.block = append(e.block, text...) }
func (e *exporter) int(v int64)      { e.block = appendInt(e.block, v) }

func (e *exporter) metadata(kind string, r row, key string, value any) error {
	encoded, err := json.Marshal(map[string]any{key: value})
	if err != nil {
		return err
	}
	e.begin('M', r, 0)
	e.text(`,"name":"` + kind + `","args":`)
	e.end(string(encoded) + "}")
	return nil
}

// rows names processes, threads and queues.
func (e *exporter) rows() error {
	d, err := e.trace.Directory()
	if err != nil {
		return err
	}
	e.numbers = export.Number(d.Processes, d.Threads)
	for i := range d.Processes {
		p := &d.Processes[i]
		if !e.options.Selects(p.ID) {
			continue
		}
		r := row{pid: e.numbers.PID[p.ID]}
		if err := errors.Join(e.metadata("process_name", r, "name", export.ProcessName(p)), e.metadata("process_sort_index", r, "sort_index", i)); err != nil {
			return err
		}
	}
	for _, t := range d.Threads {
		r := row{e.numbers.PID[t.Process], e.numbers.TID[t.ID]}
		e.tids[t.ID] = r
		if t.Name != "" && e.options.Selects(t.Process) {
			if err := e.metadata("thread_name", r, "name", t.Name); err != nil {
				return err
			}
		}
	}
	for _, x := range d.Devices {
		if e.options.Selects(x.Process) && !x.Requested() {
			e.devices[x.ID] = device{x, e.numbers.PID[x.Process]}
		}
	}
	for _, q := range d.Queues {
		if _, known := e.devices[q.Device]; known {
			e.queues[q.ID] = &queue{info: q}
			if err := e.queueRow(e.queues[q.ID]); err != nil {
				return err
			}
		}
	}
	return nil
}

// queueRow names a further row of a queue.
func (e *exporter) queueRow(q *queue) error {
	d := e.devices[q.info.Device]
	r := row{d.pid, firstQueueRow + e.nextRow}
	e.nextRow++
	name := export.DeviceName(&d.DeviceInfo) + ", " + export.QueueName(q.info.Number)
	if len(q.rows) > 0 {
		name += " (at the same time)"
	}
	q.rows = append(q.rows, r)
	return errors.Join(e.metadata("thread_name", r, "name", name),
		e.metadata("thread_sort_index", r, "sort_index", firstQueueRow+int64(q.info.ID)))
}

// gaps writes the times of which the trace has not all that happened, in rows of their own.
func (e *exporter) gaps() error {
	list, err := e.options.Gaps(e.trace)
	if err != nil {
		return err
	}
	overlap, known := map[model.ProcessID]*export.Rows{}, map[row]bool{}
	for _, g := range list {
		at := row{e.numbers.PID[g.Process], firstGapRow + int64(lookup.New(overlap, g.Process).Place(g.Start, g.End))}
		if !known[at] {
			known[at] = true
			if err := e.metadata("thread_name", at, "name", export.GapTitle); err != nil {
				return err
			}
		}
		e.begin('X', at, g.Start)
		e.text(`,"dur":`)
		e.block = appendMicroseconds(e.block, g.End-g.Start)
		fields := []export.Field{{Name: "reason", Value: g.Reason}}
		if g.Thread != 0 {
			fields = append(fields, export.Field{Name: "thread", Value: e.tids[g.Thread].tid})
		}
		said, err := named(g.Why(), "gap", fields)
		if err != nil {
			return err
		}
		e.block = append(e.block, said...)
		e.end(`}}`)
	}
	return e.err
}

// records writes the host's spans and events.
func (e *exporter) records() error {
	for r, err := range e.options.Records(e.trace) {
		if err == nil {
			err = e.record(r)
		}
		if err != nil {
			return err
		}
	}
	return e.err
}

func (e *exporter) record(r *store.Record) error {
	at := e.tids[r.Thread]
	phase := byte('i')
	if r.Span {
		phase = 'X'
	}
	e.begin(phase, at, r.Start)
	switch phase {
	case 'X':
		e.text(`,"dur":`)
		e.block = appendMicroseconds(e.block, r.Duration)
	case 'i':
		e.text(`,"s":"t"`)
	}
	site, err := e.site(r.Site)
	if err != nil {
		return err
	}
	e.block = append(e.block, site...)
	e.text(`,"record":`)
	e.int(r.ID)
	e.text(`,"sequence":`)
	e.int(int64(r.Sequence))
	if r.Bytes != 0 {
		e.text(`,"bytes":`)
		e.block = appendUint(e.block, r.Bytes)
	}
	if r.Site.Own() {
		for _, n := range r.Numbers() {
			e.text(`,"` + n.Name + `":`)
			e.int(n.Value)
		}
		return e.leave(r)
	}
	if r.Host != 0 {
		e.text(`,"host_address":`)
		e.block = appendAddress(e.block, r.Host)
	}
	if r.Address != 0 {
		e.text(`,"device_address":`)
		e.block = appendAddress(e.block, r.Address)
	}
	if err := e.leave(r); err != nil {
		return err
	}
	if r.Correlation != 0 {
		e.flow('s', at, r.Start, r.ID)
	}
	return e.err
}

// leave ends a record's arguments.
func (e *exporter) leave(r *store.Record) error {
	if r.Unended {
		e.text(`,"unended":true`)
	}
	e.end(`}}`)
	return e.err
}

func (e *exporter) flow(phase byte, at row, time, id int64) {
	e.begin(phase, at, time)
	e.text(`,"name":"enqueue","cat":"flow","bp":"e","id":`)
	e.int(id)
	e.end(`}`)
}

// site is the part of an event that all records of a site share, with the
// arguments left open.
func (e *exporter) site(s *store.Site) ([]byte, error) {
	if known := e.sites[s.ID]; known != nil {
		return known, nil
	}
	fields := lasting(export.Fields(s))
	if s.File != "" {
		fields = append(fields, export.Field{Name: "source", Value: fmt.Sprintf("%s:%d", s.File, s.Line)})
	}
	if s.Function != "" {
		fields = append(fields, export.Field{Name: "function", Value: s.Function})
	}
	b, err := named(export.SpanName(s), s.Kind, fields)
	e.sites[s.ID] = b
	return b, err
}

// lasting are the fields that are stated each time.
func lasting(fields []export.Field) []export.Field {
	return slices.DeleteFunc(fields, func(f export.Field) bool { return f.Detail })
}

func (e *exporter) activities() (err error) {
	if e.counted, err = export.ReadCounted(e.trace); err != nil {
		return err
	}
	for a, err := range e.options.Activities(e.trace) {
		if err == nil {
			err = e.activity(a)
		}
		if err = cmp.Or(err, e.err); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) activity(a *store.Activity) error {
	q := lookup.Make(e.queues, a.Work.Queue, func() *queue { // of a damaged trace
		return &queue{info: model.QueueInfo{ID: a.Work.Queue, Device: a.Work.Device}}
	})
	place := q.overlap.Place(a.Start, a.End())
	if place >= len(q.rows) {
		if err := e.queueRow(q); err != nil {
			return err
		}
	}
	at := q.rows[place]
	work := e.works[a.Work]
	if work == nil {
		var err error
		fields := slices.Concat([]export.Field{{Name: "async_queue", Value: a.Work.AsyncQueue}}, lasting(export.WorkFields(a.Work)), e.counted.Of(a.Work))
		if work, err = named(export.WorkName(a.Work), "activity_"+a.Work.Kind, fields); err != nil {
			return err
		}
		e.works[a.Work] = work
	}
	e.begin('X', at, a.Start)
	e.text(`,"dur":`)
	e.block = appendMicroseconds(e.block, a.Duration)
	e.block = append(e.block, work...)
	e.text(`,"activity":`)
	e.int(a.ID)
	e.text(`,"enqueued_by":`)
	e.int(a.Record)
	e.text(`,"bytes":`)
	e.block = appendUint(e.block, a.Bytes)
	e.end(`}}`)
	if a.Record != 0 {
		e.flow('f', at, a.Start, a.Record)
	}
	if place == 0 && a.Duration > 0 && (a.Work.Kind == "upload" || a.Work.Kind == "download") {
		d := e.devices[q.info.Device]
		name := fmt.Sprintf("%s, %s: %s rate", export.DeviceName(&d.DeviceInfo), export.QueueName(q.info.Number), a.Work.Kind)
		e.counter(d.pid, a.Start, name, "bytes per second", int64(float64(a.Bytes)*1e9/float64(a.Duration)))
		e.counter(d.pid, a.End(), name, "bytes per second", 0)
	}
	return nil
}

func (e *exporter) memory() error {
	for s, err := range e.trace.Memory().Changes(e.options.Filter.From, e.options.Filter.To) {
		if err != nil {
			return err
		}
		if d, selected := e.devices[s.Device]; selected {
			e.counter(d.pid, s.Time, "memory of "+export.DeviceName(&d.DeviceInfo), "bytes", s.Used)
		}
		if e.err != nil {
			return e.err
		}
	}
	return nil
}

// firstGPU is the number of the first GPU's row of counters, beyond those of processes.
const firstGPU = 1 << 30

// counters writes what was sampled: a process's figures in its rows, a GPU's in rows of
// their own.
func (e *exporter) counters() error {
	rows := map[export.GPU]int64{}
	return e.options.Counters(e.trace, func(c *store.Counter) (func(store.CounterValue) error, error) {
		pid := e.numbers.PID[c.Process]
		if c.Process == 0 {
			gpu, named := export.GPUOf(c), false
			if pid, named = rows[gpu]; !named {
				pid = firstGPU + int64(len(rows))
				rows[gpu] = pid
				if err := e.metadata("process_name", row{pid: pid}, "name", c.GPUTitle()); err != nil {
					return nil, err
				}
			}
		}
		title := export.CounterName(c)
		return func(v store.CounterValue) error {
			e.counter(pid, v.Time, title, c.Unit, v.Value)
			return e.err
		}, e.err
	})
}

func (e *exporter) counter(pid, time int64, name, unit string, value int64) {
	e.begin('C', row{pid: pid}, time)
	e.text(`,"name":`)
	e.block = append(e.block, quote(name)...)
	e.text(`,"args":{"` + unit + `":`)
	e.int(value)
	e.end(`}}`)
}
