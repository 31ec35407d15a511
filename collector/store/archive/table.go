package archive

import (
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Null stands for NULL in a row of integers.
const Null = math.MinInt64

// GroupRows is the number of rows in a row group: they are in memory while it is written,
// and a column of them when it is read.
const GroupRows = 64 << 10

// Table is a table of the trace whose rows stand in Parquet files alone: a key, which only
// grows, and integers.
type Table struct {
	Name     string
	Columns  []string // the first is the key
	Time     int      // the column that tells when a row was, -1: none does
	nullable []bool
	writer   func(io.Writer) rowWriter
}

// rowWriter writes the rows of a file: flat, as many values a row as there are columns.
type rowWriter interface {
	write(values []int64) error
	close() error
}

// The rows as their files have them, with the encodings that suit what they hold: numbers
// and times grow, what comes from a dictionary repeats.
type (
	recordRow struct {
		ID          int64  `parquet:"id,delta"`
		Site        int64  `parquet:"site,dict"`
		Sequence    int64  `parquet:"sequence,delta"`
		Time        int64  `parquet:"time,delta"`
		Up          int64  `parquet:"up,dict"`
		Datum       int64  `parquet:"datum,delta"`
		Link        int64  `parquet:"link,delta"`
		InnerTime   int64  `parquet:"inner_time,delta"`
		Duration    *int64 `parquet:"duration,optional"`
		EndSequence int64  `parquet:"end_sequence,dict"`
		Correlation int64  `parquet:"correlation,delta"`
	}
	activityRow struct {
		ID           int64 `parquet:"id,delta"`
		Work         int64 `parquet:"work,dict"`
		Record       int64 `parquet:"record,delta"`
		Start        int64 `parquet:"start,delta"`
		Duration     int64 `parquet:"duration,delta"`
		Delay        int64 `parquet:"delay,delta"`
		Bytes        int64 `parquet:"bytes,dict"`
		DeviceOffset int64 `parquet:"device_offset,delta"`
		DeviceExcess int64 `parquet:"device_excess,dict"`
		Correlation  int64 `parquet:"correlation,delta"`
	}
	datumRow struct {
		ID      int64 `parquet:"id,delta"`
		Bytes   int64 `parquet:"bytes,dict"`
		Host    int64 `parquet:"host,dict"`
		Address int64 `parquet:"address,dict"`
	}
	endingRow struct {
		Record      int64 `parquet:"record,delta"`
		Site        int64 `parquet:"site,dict"`
		Datum       int64 `parquet:"datum,delta"`
		Correlation int64 `parquet:"correlation,delta"`
	}
)

// The tables whose rows stand in Parquet files alone.
var (
	Record = table("record", "time", func(r *recordRow, v []int64) {
		*r = recordRow{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], nil, v[9], v[10]}
		if v[8] != Null {
			r.Duration = &v[8]
		}
	})
	Activity = table("activity", "start", func(r *activityRow, v []int64) {
		*r = activityRow{v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]}
	})
	Datum  = table("datum", "", func(r *datumRow, v []int64) { *r = datumRow{v[0], v[1], v[2], v[3]} })
	Ending = table("ending", "", func(r *endingRow, v []int64) { *r = endingRow{v[0], v[1], v[2], v[3]} })

	Tables = []*Table{Record, Activity, Datum, Ending}
)

// table describes a table by the struct of its rows, which set fills with values in the
// order of the columns. They stay as they are until the row is written.
func table[R any](name, time string, set func(r *R, values []int64)) *Table {
	kind := reflect.TypeFor[R]()
	t := &Table{Name: name, Time: -1}
	for i := range kind.NumField() {
		column, _, _ := strings.Cut(kind.Field(i).Tag.Get("parquet"), ",")
		t.Columns = append(t.Columns, column)
		t.nullable = append(t.nullable, kind.Field(i).Type.Kind() == reflect.Pointer)
	}
	if time != "" {
		t.Time = slices.Index(t.Columns, time)
	}
	t.writer = func(to io.Writer) rowWriter {
		return &structWriter[R]{width: len(t.Columns), set: set, to: parquet.NewGenericWriter[R](to, settings()...)}
	}
	return t
}

// Nullable says whether a column may be NULL.
func (t *Table) Nullable(column int) bool { return t.nullable[column] }

// settings are those of all files of an archive: pages carry check sums and bounds.
func settings() []parquet.WriterOption {
	return []parquet.WriterOption{parquet.Compression(&zstd.Codec{Level: zstd.SpeedFastest}), parquet.MaxRowsPerRowGroup(GroupRows),
		parquet.DataPageStatistics(true)}
}

// structWriter is the writer of one kind of rows.
type structWriter[R any] struct {
	width int
	set   func(r *R, values []int64)
	to    *parquet.GenericWriter[R]
	rows  []R
}

func (w *structWriter[R]) write(values []int64) error {
	n := len(values) / w.width
	if cap(w.rows) < n {
		w.rows = make([]R, n)
	}
	w.rows = w.rows[:n]
	for i := range w.rows {
		w.set(&w.rows[i], values[i*w.width:(i+1)*w.width])
	}
	_, err := w.to.Write(w.rows)
	return err
}

func (w *structWriter[R]) close() error { return w.to.Close() }
