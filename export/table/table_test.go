package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// sums are what a table must hold of a trace, by kind of row.
type sums struct{ rows, duration, bytes int64 }

func wanted(t *testing.T, trace *store.Trace) map[string]sums {
	t.Helper()
	want := map[string]sums{}
	add := func(row string, duration int64, bytes uint64) {
		s := want[row]
		want[row] = sums{s.rows + 1, s.duration + duration, s.bytes + int64(bytes)}
	}
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		row := "event"
		if r.Span {
			row = "span"
		}
		add(row, r.Duration, r.Bytes)
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		add("activity", a.Duration, a.Bytes)
	}
	if len(want) != 3 {
		t.Fatalf("the trace has no %v", want)
	}
	return want
}

func compare(t *testing.T, got, want map[string]sums) {
	t.Helper()
	for row := range want {
		if got[row] != want[row] {
			t.Errorf("%s rows: %+v, want %+v", row, got[row], want[row])
		}
	}
}

func TestParquetHoldsTheTrace(t *testing.T) {
	trace := tracetest.Generated(t, 3000)
	var file bytes.Buffer
	if err := WriteParquet(&file, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	rows, err := parquet.Read[Row](bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]sums{}
	for _, r := range rows {
		s := got[r.Row]
		if r.Duration == nil {
			r.Duration = new(int64)
		}
		got[r.Row] = sums{s.rows + 1, s.duration + *r.Duration, s.bytes + r.Bytes}
	}
	compare(t, got, wanted(t, trace))
}

func TestCSVHoldsTheTrace(t *testing.T) {
	trace := tracetest.Generated(t, 3000)
	var file bytes.Buffer
	if err := WriteCSV(&file, trace, export.Options{}); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range lines[0] {
		column[name] = i
	}
	number := func(line []string, name string) int64 {
		if line[column[name]] == "" {
			return 0
		}
		n, err := strconv.ParseInt(line[column[name]], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	got := map[string]sums{}
	for _, line := range lines[1:] {
		row := line[column["row"]]
		s := got[row]
		got[row] = sums{s.rows + 1, s.duration + number(line, "duration_ns"), s.bytes + number(line, "bytes")}
	}
	compare(t, got, wanted(t, trace))
}

// A full disk ends the export at once: the rest of the trace is not read.
func TestFullDisk(t *testing.T) {
	trace := tracetest.Generated(t, 100_000)
	disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for name, write := range map[string]func(io.Writer, *store.Trace, export.Options) error{"Parquet": WriteParquet, "CSV": WriteCSV} {
		all := false
		err := write(disk, trace, export.Options{Progress: func(done, total int64) { all = all || done == total }})
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "writing "+name) {
			t.Errorf("%s: error %v", name, err)
		}
		if all {
			t.Errorf("%s: the whole trace was read", name)
		}
	}
}
