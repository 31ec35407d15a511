// Package chrome writes traces as Chrome trace-event JSON, for viewers that do
// not read Perfetto's native format. Times are microseconds since the trace's
// begin, so that nanoseconds survive the format's floating-point numbers. A row
// (tid) for each thread and for each device queue; flows from an enqueue to its
// execution.
package chrome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// firstQueueRow is the tid of the first device queue: above those of threads.
const firstQueueRow = 1 << 24

// firstSynthetic numbers processes and threads whose number another one has.
const firstSynthetic = 1 << 23

// Write exports a trace. The output is an array, so a file cut short can still
// be read by most viewers.
func Write(out io.Writer, trace *store.Trace, options export.Options) error {
	e := &exporter{out: bufio.NewWriterSize(out, 1<<20), trace: trace, options: options,
		pids: map[model.ProcessID]int{}, tids: map[model.ThreadID]row{}, devices: map[model.DeviceID]model.DeviceInfo{},
		sites: map[int64][]byte{}}
	e.out.WriteString("[\n")
	for _, step := range []func() error{e.rows, e.records, e.activities, e.memory} {
		if err := step(); err != nil {
			return err
		}
	}
	e.out.WriteString("\n]\n")
	if err := e.out.Flush(); err != nil {
		return fmt.Errorf("writing Chrome JSON: %w", err)
	}
	return nil
}

type row struct{ pid, tid int }

type exporter struct {
	out     *bufio.Writer
	trace   *store.Trace
	options export.Options
	pids    map[model.ProcessID]int
	tids    map[model.ThreadID]row
	devices map[model.DeviceID]model.DeviceInfo
	sites   map[int64][]byte // by site: the name, category and arguments, encoded
	wrote   bool
	line    []byte
}

// emit writes one event; e.line holds it.
func (e *exporter) emit() {
	if e.wrote {
		e.out.WriteString(",\n")
	}
	e.wrote = true
	e.out.Write(e.line) // an error stays with the writer until Flush
}

func (e *exporter) start(phase byte, r row, time int64) {
	e.line = append(e.line[:0], `{"ph":"`...)
	e.line = append(e.line, phase, '"', ',')
	e.line = appendInt(append(e.line, `"pid":`...), int64(r.pid))
	e.line = appendInt(append(e.line, `,"tid":`...), int64(r.tid))
	e.line = append(e.line, `,"ts":`...)
	e.line = appendMicroseconds(e.line, time)
}

func appendInt(b []byte, v int64) []byte { return strconv.AppendInt(b, v, 10) }

// appendMicroseconds writes nanoseconds as microseconds without rounding.
func appendMicroseconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b = append(b, '-')
		ns = -ns
	}
	b = appendInt(b, ns/1000)
	if rest := ns % 1000; rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return b
}

func quote(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always has a form
		return []byte(`""`)
	}
	return quoted
}

func (e *exporter) metadata(kind string, r row, key string, value any) error {
	encoded, err := json.Marshal(map[string]any{"ph": "M", "name": kind, "pid": r.pid, "tid": r.tid, "args": map[string]any{key: value}})
	if err != nil {
		return err
	}
	e.line = append(e.line[:0], encoded...)
	e.emit()
	return nil
}

// rows names processes, threads and queues.
func (e *exporter) rows() error {
	processes, err := e.trace.Processes()
	if err != nil {
		return err
	}
	taken := map[int]bool{}
	for i := range processes {
		p := &processes[i]
		pid := p.PID
		if pid <= 0 || taken[pid] {
			pid = firstSynthetic + int(p.ID)
		}
		taken[pid] = true
		e.pids[p.ID] = pid
		if err := e.metadata("process_name", row{pid: pid}, "name", export.ProcessName(p)); err != nil {
			return err
		}
		if err := e.metadata("process_sort_index", row{pid: pid}, "sort_index", i); err != nil {
			return err
		}
	}
	threads, err := e.trace.Threads()
	if err != nil {
		return err
	}
	rows := map[row]bool{}
	for _, t := range threads {
		r := row{e.pids[t.Process], t.TID}
		if r.tid <= 0 || rows[r] {
			r.tid = firstSynthetic + int(t.ID)
		}
		rows[r] = true
		e.tids[t.ID] = r
		if t.Name != "" {
			if err := e.metadata("thread_name", r, "name", t.Name); err != nil {
				return err
			}
		}
	}
	devices, err := e.trace.Devices()
	if err != nil {
		return err
	}
	for _, d := range devices {
		e.devices[d.ID] = d
	}
	queues, err := e.trace.Queues()
	if err != nil {
		return err
	}
	for _, q := range queues {
		d := e.devices[q.Device]
		r := e.queueRow(q.Device, q.ID)
		if err := e.metadata("thread_name", r, "name", export.DeviceName(&d)+", "+export.QueueName(q.Number)); err != nil {
			return err
		}
		if err := e.metadata("thread_sort_index", r, "sort_index", firstQueueRow+int(q.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (e *exporter) queueRow(device model.DeviceID, queue model.QueueID) row {
	return row{e.pids[e.devices[device].Process], firstQueueRow + int(queue)}
}

func (e *exporter) records() error {
	count := e.options.NewCount()
	for r, err := range e.trace.Records(e.options.Filter) {
		if err != nil {
			return err
		}
		count.Add()
		at := e.tids[r.Thread]
		phase := byte('X')
		if !r.Span {
			phase = 'i'
		} else if r.Unended {
			phase = 'B'
		}
		e.start(phase, at, r.Start)
		switch phase {
		case 'X':
			e.line = appendMicroseconds(append(e.line, `,"dur":`...), r.Duration)
		case 'i':
			e.line = append(e.line, `,"s":"t"`...)
		}
		site, err := e.site(r.Site)
		if err != nil {
			return err
		}
		e.line = append(e.line, site...)
		e.line = appendInt(append(e.line, `,"record":`...), r.ID)
		if r.Bytes != 0 {
			e.line = strconv.AppendUint(append(e.line, `,"bytes":`...), r.Bytes, 10)
		}
		if r.Host != 0 {
			e.line = append(strconv.AppendUint(append(e.line, `,"host_address":"0x`...), r.Host, 16), '"')
		}
		if r.Address != 0 {
			e.line = append(strconv.AppendUint(append(e.line, `,"device_address":"0x`...), r.Address, 16), '"')
		}
		e.line = append(e.line, `}}`...)
		e.emit()
		if r.Correlation != 0 {
			e.flow('s', at, r.Start, r.ID)
		}
	}
	count.End()
	return nil
}

func (e *exporter) flow(phase byte, at row, time, id int64) {
	e.start(phase, at, time)
	e.line = appendInt(append(e.line, `,"name":"enqueue","cat":"flow","bp":"e","id":`...), id)
	e.line = append(e.line, '}')
	e.emit()
}

// site is the part of an event that all records of a site share, with the
// arguments left open.
func (e *exporter) site(s *store.Site) ([]byte, error) {
	if known := e.sites[s.ID]; known != nil {
		return known, nil
	}
	name := s.Kind
	if s.Name != "" {
		name = s.Name
		if s.Kind != "enqueue_launch" && s.Kind != "error" {
			name = s.Kind + " " + s.Name
		}
	}
	arguments := map[string]any{"event": "acc_ev_" + s.Kind, "construct": s.Construct, "implicit": s.Implicit != 0,
		"async": s.Async, "async_queue": s.AsyncQueue, "device": fmt.Sprintf("%s %d", export.DeviceType(s.DeviceType), s.DeviceNumber),
		"thread_id": s.ThreadID}
	if s.File != "" {
		arguments["source"] = fmt.Sprintf("%s:%d", s.File, s.Line)
	}
	if s.Function != "" {
		arguments["function"] = s.Function
	}
	if s.Kind == "enqueue_launch" {
		arguments["gangs"], arguments["workers"], arguments["vector_length"] = s.Gangs, s.Workers, s.Vector
	}
	if s.Kind == "error" {
		arguments["error_code"], arguments["runtime_info"] = s.ErrorCode, s.RuntimeInfo
	}
	encoded, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	b := append([]byte(`,"name":`), quote(name)...)
	b = append(append(b, `,"cat":`...), quote(s.Kind)...)
	b = append(append(b, `,"args":`...), encoded[:len(encoded)-1]...)
	e.sites[s.ID] = b
	return b, nil
}

func (e *exporter) activities() error {
	count := e.options.NewCount()
	for a, err := range e.trace.Activities(e.options.Filter) {
		if err != nil {
			return err
		}
		count.Add()
		at := e.queueRow(a.Work.Device, a.Work.Queue)
		name := a.Work.Name
		if name == "" {
			name = a.Work.Kind
		} else if a.Work.Kind != "kernel" {
			name = a.Work.Kind + " " + name
		}
		e.start('X', at, a.Start)
		e.line = appendMicroseconds(append(e.line, `,"dur":`...), a.Duration)
		e.line = append(append(e.line, `,"name":`...), quote(name)...)
		e.line = append(append(e.line, `,"cat":`...), quote("device_"+a.Work.Kind)...)
		e.line = appendInt(append(e.line, `,"args":{"activity":`...), a.ID)
		e.line = strconv.AppendUint(append(e.line, `,"bytes":`...), a.Bytes, 10)
		e.line = append(e.line, `}}`...)
		e.emit()
		if a.Record != 0 {
			e.flow('f', at, a.Start, a.Record)
		}
	}
	count.End()
	return nil
}

func (e *exporter) memory() error {
	err := sqlitex.Execute(e.trace.Conn(), `SELECT device, time, used FROM memory ORDER BY device, time`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			if f := e.options.Filter; s.ColumnInt64(1) < f.From || f.To > 0 && s.ColumnInt64(1) >= f.To {
				return nil
			}
			d := e.devices[model.DeviceID(s.ColumnInt64(0))]
			e.start('C', row{pid: e.pids[d.Process]}, s.ColumnInt64(1))
			e.line = append(append(e.line, `,"name":`...), quote("memory of "+export.DeviceName(&d))...)
			e.line = appendInt(append(e.line, `,"args":{"bytes":`...), s.ColumnInt64(2))
			e.line = append(e.line, `}}`...)
			e.emit()
			return nil
		}})
	if err != nil {
		return fmt.Errorf("reading device memory: %w", err)
	}
	return nil
}
