// Package table writes a trace as flat rows for data frames: CSV and Parquet
// (pandas, DuckDB, Polars). One row per span, event without duration, or device
// activity, with every field; what tells them apart is the column "row".
package table

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// Row is one row. Times are nanoseconds since the trace's begin, sizes bytes.
type Row struct {
	Row          string `parquet:"row,dict"` // span, event or activity
	ID           int64  `parquet:"id"`
	Parent       int64  `parquet:"parent"` // of an activity the enqueue that caused it; 0: none
	Process      int64  `parquet:"process"`
	Rank         int64  `parquet:"rank"` // -1: none
	Thread       int64  `parquet:"thread"`
	Kind         string `parquet:"kind,dict"`
	Name         string `parquet:"name,dict"` // variable, kernel or message, as the event has it
	Start        int64  `parquet:"start_ns"`
	Duration     int64  `parquet:"duration_ns"`
	Exclusive    int64  `parquet:"exclusive_ns"`
	Depth        int64  `parquet:"depth"`
	Ended        bool   `parquet:"ended"`
	Construct    string `parquet:"construct,dict"`
	Implicit     bool   `parquet:"implicit"`
	Device       string `parquet:"device,dict"`
	Async        int64  `parquet:"async"`
	AsyncQueue   int64  `parquet:"async_queue"`
	Bytes        int64  `parquet:"bytes"`
	HostAddress  int64  `parquet:"host_address"`
	DeviceAddr   int64  `parquet:"device_address"`
	File         string `parquet:"source_file,dict"`
	Line         int64  `parquet:"line"`
	EndLine      int64  `parquet:"end_line"`
	Function     string `parquet:"function,dict"`
	Gangs        int64  `parquet:"gangs"`
	Workers      int64  `parquet:"workers"`
	Vector       int64  `parquet:"vector_length"`
	ErrorCode    int64  `parquet:"error_code"`
	Correlation  int64  `parquet:"correlation"`
	DeviceStart  int64  `parquet:"device_start_ns"`
	DeviceEnd    int64  `parquet:"device_end_ns"`
	ThreadNumber int64  `parquet:"thread_id"`
	Demangled    string `parquet:"demangled,dict"` // name as people read it
}

// rowGroup is the number of rows in a row group of Parquet: they are in memory
// until it is written.
const rowGroup = 32 << 10

// WriteParquet exports a trace as Parquet, zstd-compressed, in row groups that
// bound the memory. Rows are made and stored by two goroutines.
func WriteParquet(w io.Writer, trace *store.Trace, options export.Options) error {
	full, empty := make(chan []Row, 2), make(chan []Row, 4)
	written := make(chan error, 1)
	var failed atomic.Bool
	go func() {
		writer := parquet.NewGenericWriter[Row](w, parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.MaxRowsPerRowGroup(rowGroup))
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
	err := rows(trace, options, func(r *Row) error {
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

// WriteCSV exports a trace as CSV (RFC 4180) with a header.
func WriteCSV(w io.Writer, trace *store.Trace, options export.Options) error {
	kind := reflect.TypeFor[Row]()
	pipe := export.NewPipe(w, csvBlock, nil)
	var block []byte
	for i := range kind.NumField() {
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
			switch f := value.Field(i); f.Kind() {
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
	tag := field.Tag.Get("parquet")
	for i := range tag {
		if tag[i] == ',' {
			return tag[:i]
		}
	}
	return tag
}

// rows gives every row: host records in order of start, then device activity.
// The row is reused.
func rows(trace *store.Trace, options export.Options, give func(*Row) error) error {
	processes, err := trace.Processes()
	if err != nil {
		return err
	}
	ranks := map[model.ProcessID]int64{}
	for _, p := range processes {
		ranks[p.ID] = int64(p.Rank)
	}
	devices, err := trace.Devices()
	if err != nil {
		return err
	}
	names := map[model.DeviceID]string{}
	for _, d := range devices {
		names[d.ID] = fmt.Sprintf("%s %d", export.DeviceType(d.Type), d.Number)
	}
	count := options.NewCount(trace)
	for r, err := range trace.Records(options.Filter) {
		if err != nil {
			return err
		}
		count.Record(r)
		s := r.Site
		row := Row{Row: "event", ID: r.ID, Parent: r.Parent, Process: int64(s.Process), Rank: ranks[s.Process], Thread: int64(r.Thread),
			Kind: s.Kind, Name: s.Symbol, Demangled: s.Name, Start: r.Start, Duration: r.Duration, Depth: int64(r.Depth), Ended: !r.Unended,
			Construct: s.Construct, Implicit: s.Implicit != 0, Device: names[s.Device], Async: s.Async, AsyncQueue: s.AsyncQueue,
			Bytes: int64(r.Bytes), HostAddress: int64(r.Host), DeviceAddr: int64(r.Address),
			File: s.File, Line: int64(s.Line), EndLine: int64(s.EndLine), Function: s.Function,
			Gangs: int64(s.Gangs), Workers: int64(s.Workers), Vector: int64(s.Vector), ErrorCode: int64(s.ErrorCode),
			Correlation: int64(r.Correlation), ThreadNumber: int64(s.ThreadID)}
		if r.Span {
			row.Row, row.Exclusive = "span", r.Exclusive()
		}
		if err := give(&row); err != nil {
			return err
		}
	}
	for a, err := range trace.Activities(options.Filter) {
		if err != nil {
			return err
		}
		count.Activity(a)
		w := a.Work
		row := Row{Row: "activity", ID: a.ID, Parent: a.Record, Process: int64(w.Process), Rank: ranks[w.Process], Kind: w.Kind, Name: w.Symbol, Demangled: w.Name,
			Start: a.Start, Duration: a.Duration, Exclusive: a.Duration, Ended: true, Device: names[w.Device], Async: w.Async, AsyncQueue: w.AsyncQueue,
			Bytes: int64(a.Bytes), Line: -1, EndLine: -1, Correlation: int64(a.Correlation), DeviceStart: a.DeviceStart, DeviceEnd: a.DeviceEnd}
		if err := give(&row); err != nil {
			return err
		}
	}
	count.End()
	return nil
}
