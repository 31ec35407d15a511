package perfetto

import (
	"bytes"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/perfetto/perfettotest"
	"google.golang.org/protobuf/encoding/protowire"
)

// generated makes a trace with device activity, changes it by SQL, and opens it.
func generated(t testing.TB, spans int, changes ...string) *store.Trace {
	t.Helper()
	path := tracetest.File(t, spans, 1)
	tracetest.Change(t, path, changes...)
	return tracetest.Open(t, path)
}

// imported exports a trace and imports the file.
func imported(t testing.TB, trace *store.Trace, options export.Options) *perfettotest.Trace {
	t.Helper()
	var file bytes.Buffer
	if err := Write(&file, trace, options); err != nil {
		t.Fatal(err)
	}
	im, err := perfettotest.Read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// argument is a slice's debug annotation; nil if it has none of the name.
func argument(s *perfettotest.Slice, name string) any {
	for _, a := range s.Arguments {
		if a.Name == name {
			return a.Value
		}
	}
	return nil
}

// byNumber finds slices by an annotation that numbers them.
func byNumber(im *perfettotest.Trace, name string) map[int64]found {
	all := map[int64]found{}
	for _, track := range im.Tracks {
		for i := range track.Slices {
			if n, ok := argument(&track.Slices[i], name).(int64); ok {
				all[n] = found{track, &track.Slices[i]}
			}
		}
		for i := range track.Instants {
			if n, ok := argument(&track.Instants[i], name).(int64); ok {
				all[n] = found{track, &track.Instants[i]}
			}
		}
	}
	return all
}

type found struct {
	track *perfettotest.Track
	slice *perfettotest.Slice
}

// compare holds a file against what the trace has of the same filter.
func compare(t *testing.T, im *perfettotest.Trace, trace *store.Trace, filter store.Filter) {
	t.Helper()
	records, activities := byNumber(im, "record"), byNumber(im, "activity")
	seen := 0
	for r, err := range trace.Records(filter) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		f, ok := records[r.ID]
		if !ok {
			t.Fatalf("record %d is not in the file", r.ID)
		}
		end := r.End()
		if !r.Span || r.Unended {
			end = f.slice.End
		}
		if f.track.UUID != threadTrack(r.Thread) || f.slice.Start != r.Start || f.slice.End != end || filter.Match == nil && filter.From == 0 && f.slice.Depth != r.Depth {
			t.Fatalf("record %+v is %+v on %s", r, f.slice, f.track.Name)
		}
		if f.slice.Name != export.SpanName(r.Site) || f.slice.Category != r.Site.Kind ||
			f.slice.Source != (perfettotest.Source{File: r.Site.File, Function: r.Site.Function, Line: uint64(r.Site.Line)}) {
			t.Fatalf("record %d is called %q (%s) at %+v", r.ID, f.slice.Name, f.slice.Category, f.slice.Source)
		}
		for _, field := range export.Fields(r.Site) {
			want := field.Value
			if address, ok := want.(export.Address); ok {
				want = perfettotest.Pointer(address)
			}
			if got := argument(f.slice, field.Name); got != want {
				t.Fatalf("record %d: %s is %v, want %v", r.ID, field.Name, got, want)
			}
		}
		if bytes, _ := argument(f.slice, "bytes").(uint64); bytes != r.Bytes {
			t.Fatalf("record %d: %d bytes, want %d", r.ID, bytes, r.Bytes)
		}
	}
	if seen != len(records) || seen == 0 {
		t.Errorf("%d records in the file, %d in the trace", len(records), seen)
	}
	seen = 0
	var rates []perfettotest.Count
	for a, err := range trace.Activities(filter) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		f, ok := activities[a.ID]
		if !ok || f.slice.Start != a.Start || f.slice.End != a.End() || f.slice.Depth != 0 || f.slice.Name != export.WorkName(a.Work) {
			t.Fatalf("activity %+v is %+v", a, f.slice)
		}
		if a.Record != 0 && !im.Ended[uint64(a.Record)] {
			t.Fatalf("activity %d has no arrow from record %d", a.ID, a.Record)
		}
		if a.Work.Kind != "kernel" && a.Duration > 0 {
			rates = append(rates, perfettotest.Count{Time: a.Start, Value: int64(float64(a.Bytes) * 1e9 / float64(a.Duration))}, perfettotest.Count{Time: a.End()})
		}
	}
	if seen != len(activities) {
		t.Errorf("%d activities in the file, %d in the trace", len(activities), seen)
	}
	var memory, rate int
	samples := map[perfettotest.Count]int{}
	for s, err := range trace.Memory().Changes(filter.From, filter.To) {
		if err != nil {
			t.Fatal(err)
		}
		samples[perfettotest.Count{Time: s.Time, Value: s.Used}]++
	}
	for _, r := range rates {
		samples[r]++
	}
	for _, track := range im.Tracks {
		for _, c := range track.Counts {
			if track.Unit == "bytes" {
				memory++
			} else {
				rate++
			}
			if samples[c]--; samples[c] == 0 {
				delete(samples, c)
			}
		}
	}
	if len(samples) != 0 || rate != len(rates) || memory == 0 {
		t.Errorf("counters: %d values differ; %d of memory, %d of rates, want %d", len(samples), memory, rate, len(rates))
	}
}

// Slices, instants, counters, arrows and annotations of a file are those of the
// trace, also compressed, also where the filter selects a part, where spans
// never end and where times are before the trace's begin.
func TestFileEqualsTheTrace(t *testing.T) {
	unended := "UPDATE record SET duration = NULL, end_sequence = -1 WHERE id % 7 = 0 AND end_sequence > 0; INSERT INTO unended SELECT id FROM record WHERE end_sequence < 0"
	early := "UPDATE record SET time = time - 5000000; UPDATE activity SET start = start - 5000000; UPDATE lane SET first = first - 5000000; UPDATE sample SET time = time - 5000000; UPDATE rollup SET start = start - 5000000; UPDATE sample_rollup SET start = start - 5000000"
	for _, test := range []struct {
		name    string
		changes []string
		options export.Options
	}{
		{name: "whole"},
		{name: "compressed", options: export.Options{Compress: true}},
		{name: "a window", options: export.Options{Filter: store.Filter{From: 1_300_000, To: 1_900_000}}},
		{name: "launches", options: export.Options{Filter: store.Filter{Match: func(s *store.Site) bool { return s.Kind == "enqueue_launch" }}}},
		{name: "one kernel", options: export.Options{Filter: store.Filter{Match: func(s *store.Site) bool { return strings.HasPrefix(s.Symbol, "step2") }}}},
		{name: "unended spans", changes: []string{unended}},
		{name: "unended spans, launches", changes: []string{unended}, options: export.Options{Filter: store.Filter{Match: func(s *store.Site) bool { return s.Kind != "enter_data" }}}},
		{name: "before the begin", changes: []string{early}},
	} {
		t.Run(test.name, func(t *testing.T) {
			trace := generated(t, 3000, test.changes...)
			test.options.Full = true
			compare(t, imported(t, trace, test.options), trace, test.options.Filter)
		})
	}
}

// A trace of a rank alone has only that rank's tracks; where two processes or
// threads of different hosts share a number, one gets another.
func TestProcessesAreKeptApart(t *testing.T) {
	trace := generated(t, 300, `INSERT INTO process SELECT id + 1, host, pid, parent_pid, program, arguments, 1, 2, start, end, ended, runtime, since_attach, capture FROM process;
		INSERT INTO thread SELECT id + 100, 2, tid, number, name FROM thread`)
	im := imported(t, trace, export.Options{})
	processes, threads := 0, 0
	for _, track := range im.Tracks {
		if track.Process {
			processes++
		}
		if track.Thread {
			threads++
		}
	}
	if processes != 2 || threads != 4 {
		t.Errorf("%d processes, %d threads", processes, threads)
	}
	im = imported(t, trace, export.Options{Filter: store.Filter{Process: 2}})
	for _, track := range im.Tracks {
		if !track.Process && !track.Thread || strings.Contains(track.Name, "rank 0") {
			t.Errorf("the file of rank 1 has track %q", track.Name)
		}
	}
}

// Operations that overlap on a queue get rows of their own, as slices of one
// row have to nest.
func TestOverlappingOperations(t *testing.T) {
	trace := generated(t, 300, "UPDATE activity SET duration = duration + 100000")
	im := imported(t, trace, export.Options{Full: true})
	compared := 0
	activities := byNumber(im, "activity")
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		compared++
		if f := activities[a.ID]; f.slice.Start != a.Start || f.slice.End != a.End() {
			t.Errorf("activity %+v is %+v", a, f.slice)
		}
	}
	rows := 0
	for _, track := range im.Tracks {
		if strings.HasSuffix(track.Name, "(at the same time)") {
			rows++
		}
	}
	if rows == 0 || compared == 0 {
		t.Errorf("%d rows more, %d activities", rows, compared)
	}
}

// Unless all is asked for, a slice has at most five arguments, none of which
// says what is so where nobody chose it; what all events say alike stands in the
// attributes of the trace; everything else is as in the full file.
func TestLeanFileSaysWhatMatters(t *testing.T) {
	trace := generated(t, 3000, "UPDATE record SET duration = NULL, end_sequence = -1 WHERE id % 7 = 0 AND end_sequence > 0; INSERT INTO unended SELECT id FROM record WHERE end_sequence < 0")
	lean, full := imported(t, trace, export.Options{}), imported(t, trace, export.Options{Full: true})
	count := 0
	for id, track := range full.Tracks {
		other := lean.Tracks[id]
		if other == nil || len(other.Slices) != len(track.Slices) || len(other.Instants) != len(track.Instants) || len(other.Counts) != len(track.Counts) {
			t.Fatalf("track %s differs", track.Name)
		}
		for i := range track.Slices {
			count++
			short, long := &other.Slices[i], &track.Slices[i]
			if short.Name != long.Name || short.Category != long.Category || short.Source != long.Source || short.Start != long.Start || short.End != long.End {
				t.Errorf("%+v differs from %+v", short, long)
			}
			if len(short.Arguments) > 5 {
				t.Errorf("%s has %d arguments: %v", short.Name, len(short.Arguments), short.Arguments)
			}
			for _, a := range short.Arguments {
				if argument(long, a.Name) != a.Value {
					t.Errorf("%s: %s is %v, in the full file %v", short.Name, a.Name, a.Value, argument(long, a.Name))
				}
				switch {
				case a.Value == false, a.Value == "", a.Value == uint64(0), a.Name == "async_queue" && a.Value == int64(-2), a.Name == "gangs" && a.Value == uint64(1):
					t.Errorf("%s: %s is %v, which says nothing", short.Name, a.Name, a.Value)
				}
			}
		}
	}
	if count == 0 {
		t.Error("no slices")
	}
	if got := lean.Attributes["accscope.all_events.device_number"]; got != "0" {
		t.Errorf("the number of the device, which all events say alike, is %q", got)
	}
	var file countWriter
	if err := Write(&file, generated(t, 20_000), export.Options{}); err != nil {
		t.Fatal(err)
	}
	if file > 20_000*80 {
		t.Errorf("%d bytes for 20,000 host spans with their instants, device activities and counters: more than 80 each", file)
	}
}

// An error is called by its name, whatever its message says.
func TestErrorsHaveShortNames(t *testing.T) {
	site := &store.Site{Description: &store.Description{Kind: "error", ErrorCode: int32(callbacks.ErrorOutOfMemory), Name: "out of memory: 4,096 bytes at 0x7f...", HasName: true}}
	if name := export.SpanName(site); name != "acc_error_out_of_memory" {
		t.Errorf("it is called %q", name)
	}
}

// unknownField is a line of protoc's about a field that the schema does not have.
var unknownField = regexp.MustCompile(`(?m)^\s*[0-9]+[:{ ].*$`)

// An independent decoder finds no field that the schema does not have.
func TestProtocKnowsEveryField(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Fatal("protoc not found: install protobuf-compiler")
	}
	var file bytes.Buffer
	for full, trace := range map[bool]*store.Trace{false: tracetest.Open(t, tracetest.Counted(t, 500)), true: generated(t, 500)} { // files may be appended to each other
		if err := Write(&file, trace, export.Options{Full: full}); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(protoc, "--decode=Trace", "-I", "testdata", "testdata/trace.proto")
	command.Stdin = &file
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("protoc: %v\n%s", err, output)
	}
	if unknown := unknownField.Find(output); unknown != nil {
		t.Errorf("protoc does not know %s", unknown)
	}
	if !bytes.Contains(output, []byte("track_event")) {
		t.Error("protoc found no track event")
	}
}

// Events of a track that are written out of order keep their times, and so do
// those of other tracks in between.
func TestOutOfOrder(t *testing.T) {
	var file bytes.Buffer
	w := newWriter(&file, false)
	w.startClocks(&store.Meta{Origin: 1_000_000, Realtime: 1_700_000_000_000_000_000, First: -30})
	e := &exporter{w: w}
	want := [][]perfettotest.Count{{{Time: 50}, {Time: -30}, {Time: 40}, {Time: 50}, {Time: 2_000_000}}, {{Time: -10}, {Time: 45}, {Time: 0}, {Time: 60}, {Time: 59}}}
	var counters []*sequence
	for i := range want {
		var unit message
		unit.uint(counterUnit, unitBytes)
		e.describe(uint64(i+1), 0, 0, func(d *message) { d.string(descriptorName, "memory in use"); d.bytes(descriptorCounter, unit) })
		counters = append(counters, w.newSequence(uint64(i+1)))
	}
	for n := range want[0] {
		for i, s := range counters {
			want[i][n].Value = int64(n)
			s.count(want[i][n].Time, int64(n))
		}
	}
	if err := w.close(); err != nil {
		t.Fatal(err)
	}
	im, err := perfettotest.Read(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i, counts := range want {
		slices.SortStableFunc(counts, func(a, b perfettotest.Count) int { return int(a.Time - b.Time) })
		if got := im.Tracks[uint64(i+1)].Counts; !slices.Equal(got, counts) {
			t.Errorf("track %d: %v, expected %v", i+1, got, counts)
		}
	}
}

// The length of a number is known before it is written.
func TestVarintSize(t *testing.T) {
	for _, v := range []uint64{0, 1, 127, 128, 1<<14 - 1, 1 << 14, 1 << 35, math.MaxInt64, math.MaxUint64} {
		var m message
		m.varint(v)
		if len(m) != protowire.SizeVarint(v) {
			t.Errorf("%d: %d bytes, expected %d", v, len(m), protowire.SizeVarint(v))
		}
	}
}

// A full disk is an error, not a shorter file.
func TestWriteFails(t *testing.T) {
	for _, compress := range []bool{false, true} {
		err := Write(full{}, generated(t, 20_000), export.Options{Compress: compress})
		if err == nil || !strings.Contains(err.Error(), "no space") {
			t.Errorf("compress %v: error %v", compress, err)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errNoSpace }

var errNoSpace = noSpace{}

type noSpace struct{}

func (noSpace) Error() string { return "no space left on device" }

func BenchmarkWrite(b *testing.B) {
	trace := generated(b, 200_000)
	for b.Loop() {
		count := countWriter(0)
		if err := Write(&count, trace, export.Options{}); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(count))
	}
	b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "spans/s")
}

type countWriter int64

func (c *countWriter) Write(p []byte) (int, error) {
	*c += countWriter(len(p))
	return len(p), nil
}
