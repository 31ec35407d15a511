// Package table writes a trace as flat rows for data frames: CSV and Parquet
// (pandas, DuckDB, Polars). One row per span, event without duration, or device
// activity, with every field; what tells them apart is the column "row".
package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Row is one row. Times are nanoseconds since the trace's begin, sizes bytes. What
// is not known, or is nothing that the kind of row has, is NULL: an optional field
// that is zero, a pointer that is nil.
type Row struct {
	Row          string `parquet:"row,dict"` // span, event or activity
	ID           int64  `parquet:"id"`
	Parent       int64  `parquet:"parent,optional"` // of an activity the enqueue that caused it
	Host         string `parquet:"host,optional,dict"`
	Program      string `parquet:"program,optional,dict"`
	PID          int64  `parquet:"pid,optional"`
	TID          int64  `parquet:"tid,optional"` // the kernel's thread number
	Process      int64  `parquet:"process"`
	Rank         *int64 `parquet:"rank"`
	Thread       int64  `parquet:"thread,optional"`
	Kind         string `parquet:"kind,dict"`
	Name         string `parquet:"name,optional,dict"` // variable, kernel or message, as the event has it
	Start        int64  `parquet:"start_ns"`
	Duration     *int64 `parquet:"duration_ns"`
	Exclusive    *int64 `parquet:"exclusive_ns"`
	Depth        *int64 `parquet:"depth"`
	Ended        bool   `parquet:"ended"`
	Construct    string `parquet:"construct,optional,dict"`
	Implicit     *bool  `parquet:"implicit"`
	Device       string `parquet:"device,optional,dict"`
	Async        int64  `parquet:"async"`
	AsyncQueue   int64  `parquet:"async_queue"`
	Bytes        int64  `parquet:"bytes,optional"`
	HostAddress  int64  `parquet:"host_address,optional"`
	DeviceAddr   int64  `parquet:"device_address,optional"`
	File         string `parquet:"source_file,optional,dict"`
	Line         int64  `parquet:"line,optional"`
	EndLine      int64  `parquet:"end_line,optional"`
	Function     string `parquet:"function,optional,dict"`
	Gangs        int64  `parquet:"gangs,optional"`
	Workers      int64  `parquet:"workers,optional"`
	Vector       int64  `parquet:"vector_length,optional"`
	ErrorCode    int64  `parquet:"error_code,optional"`
	Correlation  int64  `parquet:"correlation,optional"`
	DeviceStart  *int64 `parquet:"device_start_ns"`
	DeviceEnd    *int64 `parquet:"device_end_ns"`
	ThreadNumber *int64 `parquet:"thread_id"`
	Demangled    string `parquet:"demangled,optional,dict"` // name as people read it
	Peer         string `parquet:"peer,optional,dict"`      // device that a copy went to
	GangsBy      string `parquet:"gangs_by,optional,dict"`  // who gave the geometry (store.Givers)
	WorkersBy    string `parquet:"workers_by,optional,dict"`
	VectorBy     string `parquet:"vector_by,optional,dict"`
}

// rowGroup is the number of rows in a row group of Parquet: they are in memory
// until it is written.
const rowGroup = 32 << 10

// WriteParquet exports a trace as Parquet, zstd-compressed, in row groups that
// bound the memory. Rows are made and stored by two goroutines.
func WriteParquet(w io.Writer, trace *store.Trace, options export.Options) error {
	meta, err := trace.Meta()
	if err != nil {
		return err
	}
	settings := []parquet.WriterOption{parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.DataPageStatistics(true), parquet.KeyValueMetadata("accscope.origin", strconv.FormatInt(meta.Origin, 10)),
		parquet.KeyValueMetadata("accscope.realtime", strconv.FormatInt(meta.Realtime, 10)),
		parquet.KeyValueMetadata("accscope.version", options.Version),
		parquet.KeyValueMetadata("accscope.lost_events", strconv.FormatInt(meta.Lost, 10))}
	for _, key := range slices.Sorted(maps.Keys(meta.Facts)) {
		settings = append(settings, parquet.KeyValueMetadata("accscope."+key, meta.Facts[key]))
	}
	processes, err := trace.Processes()
	if err != nil {
		return err
	}
	if len(processes) > 0 {
		settings = append(settings, parquet.KeyValueMetadata("accscope.program", processes[0].Program))
	}
	full, empty := make(chan []Row, 2), make(chan []Row, 4)
	written := make(chan error, 1)
	var failed atomic.Bool
	go func() {
		writer := parquet.NewGenericWriter[Row](w, settings...)
		var err error
		for batch := range full {
			if err == nil {
				_, err = writer.Write(batch)
				failed.Store(err != nil)
			}
			clear(batch)
			empty <- batch[:0]
		}
		if closed := writer.Close(); err == nil {
			err = closed
		}
		written <- err
	}()
	for range 4 {
		empty <- make([]Row, 0, 1024)
	}
	batch := <-empty
	err = rows(trace, options, func(r *Row) error {
		batch = append(batch, *r)
		if len(batch) == cap(batch) {
			full <- batch
			batch = <-empty
		}
		if failed.Load() {
			return errStopped
		}
		return nil
	})
	full <- batch
	close(full)
	if stored := <-written; stored != nil && (err == nil || errors.Is(err, errStopped)) {
		return fmt.Errorf("writing Parquet: %w", stored)
	}
	return err
}

// errStopped ends reading where writing has failed.
var errStopped = errors.New("writing has failed")

// csvBlock is how much CSV is written at once, bytes.
const csvBlock = 512 << 10

// WriteCSV exports a trace as CSV (RFC 4180) with a header. NULL is an empty cell.
func WriteCSV(w io.Writer, trace *store.Trace, options export.Options) error {
	kind := reflect.TypeFor[Row]()
	pipe := export.NewPipe(w, csvBlock, nil)
	var block []byte
	optional := make([]bool, kind.NumField())
	for i := range kind.NumField() {
		optional[i] = kind.Field(i).Type.Kind() == reflect.Pointer || strings.Contains(kind.Field(i).Tag.Get("parquet"), ",optional")
		if i > 0 {
			block = append(block, ',')
		}
		block = append(block, columnName(kind.Field(i))...)
	}
	block = append(block, '\n')
	err := rows(trace, options, func(r *Row) (err error) {
		value := reflect.ValueOf(r).Elem()
		for i := range kind.NumField() {
			if i > 0 {
				block = append(block, ',')
			}
			field := value.Field(i)
			if optional[i] && field.IsZero() {
				continue
			}
			switch f := reflect.Indirect(field); f.Kind() {
			case reflect.Int64:
				block = strconv.AppendInt(block, f.Int(), 10)
			case reflect.Bool:
				block = strconv.AppendBool(block, f.Bool())
			default:
				block = appendCell(block, f.String())
			}
		}
		block = append(block, '\n')
		if pipe.Full(block) {
			block, err = pipe.Give(block)
		}
		return err
	})
	if stored := pipe.Close(block); stored != nil {
		return fmt.Errorf("writing CSV: %w", stored)
	}
	return err
}

// appendCell writes a text, in quotes where it needs them.
func appendCell(b []byte, text string) []byte {
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}

func columnName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
	return name
}

// numbers gives pointers to values that may be 0, a block of them at a time.
type numbers struct{ free []int64 }

func (n *numbers) of(value int64) *int64 {
	if len(n.free) == 0 {
		n.free = make([]int64, 1024)
	}
	p := &n.free[0]
	n.free = n.free[1:]
	*p = value
	return p
}

// maker makes rows of a trace.
type maker struct {
	numbers   numbers
	processes map[model.ProcessID]*store.Process
	ranks     map[model.ProcessID]*int64
	tids      map[model.ThreadID]int64
	devices   map[model.DeviceID]string
	yes, no   bool
}

func newMaker(trace *store.Trace) (*maker, error) {
	m := &maker{processes: map[model.ProcessID]*store.Process{}, ranks: map[model.ProcessID]*int64{}, tids: map[model.ThreadID]int64{},
		devices: map[model.DeviceID]string{}, yes: true}
	d, err := trace.Directory()
	if err != nil {
		return nil, err
	}
	for i := range d.Processes {
		p := &d.Processes[i]
		m.processes[p.ID] = p
		if p.Rank >= 0 {
			m.ranks[p.ID] = m.numbers.of(int64(p.Rank))
		}
	}
	for _, t := range d.Threads {
		m.tids[t.ID] = int64(t.TID)
	}
	for _, x := range d.Devices {
		m.devices[x.ID] = x.Title()
	}
	return m, nil
}

// process fills in what a row has of its process.
func (m *maker) process(row *Row, id model.ProcessID) {
	row.Process, row.Rank = int64(id), m.ranks[id]
	if p := m.processes[id]; p != nil {
		row.Program, row.PID, row.Host = p.Program, int64(p.PID), cmp.Or(p.On.Name, p.Host)
	}
}

func (m *maker) record(r *store.Record) Row {
	s := r.Site
	row := Row{Row: "event", ID: r.ID, Parent: r.Parent, Thread: int64(r.Thread), TID: m.tids[r.Thread],
		Kind: s.Kind, Name: s.Symbol, Demangled: model.Readable(s.Symbol), Start: r.Start, Depth: m.numbers.of(int64(r.Depth)), Ended: !r.Unended,
		Construct: s.Construct, Implicit: &m.no, Device: m.devices[s.Device], Async: s.Async, AsyncQueue: s.AsyncQueue,
		Bytes: model.Size(r.Bytes), HostAddress: int64(r.Host), DeviceAddr: int64(r.Address),
		File: s.File, Line: int64(max(s.Line, 0)), EndLine: int64(max(s.EndLine, 0)), Function: s.Function,
		Gangs: int64(s.Gangs), Workers: int64(s.Workers), Vector: int64(s.Vector), ErrorCode: int64(s.ErrorCode),
		Correlation: int64(r.Correlation), ThreadNumber: m.numbers.of(int64(s.ThreadID))}
	m.process(&row, s.Process)
	if s.Implicit != 0 {
		row.Implicit = &m.yes
	}
	if r.Span {
		row.Row = "span"
		row.Duration, row.Exclusive = m.numbers.of(r.Duration), m.numbers.of(r.Exclusive())
	}
	return row
}

func (m *maker) activity(a *store.Activity) Row {
	w, duration := a.Work, m.numbers.of(a.Duration)
	row := Row{Row: "activity", ID: a.ID, Parent: a.Record, Kind: w.Kind, Name: w.Symbol, Demangled: model.Readable(w.Symbol),
		Start: a.Start, Duration: duration, Exclusive: duration, Ended: true, Device: m.devices[w.Device], Async: w.Async, AsyncQueue: w.AsyncQueue,
		Bytes: model.Size(a.Bytes), Correlation: int64(a.Correlation), DeviceStart: m.numbers.of(a.DeviceStart), DeviceEnd: m.numbers.of(a.DeviceEnd),
		Peer: m.devices[w.Peer], File: w.File, Line: int64(max(w.Line, 0)), GangsBy: w.By[0], WorkersBy: w.By[1], VectorBy: w.By[2]}
	m.process(&row, w.Process)
	return row
}

// rows gives every row: host records in order of start, then device activity.
func rows(trace *store.Trace, options export.Options, give func(*Row) error) error {
	m, err := newMaker(trace)
	if err != nil {
		return err
	}
	for r, err := range options.Records(trace) {
		if err != nil {
			return err
		}
		row := m.record(r)
		if err := give(&row); err != nil {
			return err
		}
	}
	for a, err := range options.Activities(trace) {
		if err != nil {
			return err
		}
		row := m.activity(a)
		if err := give(&row); err != nil {
			return err
		}
	}
	return nil
}
