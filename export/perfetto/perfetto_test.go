package perfetto

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/export"
)

// generated makes a trace with device activity and opens it.
func generated(t testing.TB, spans int) *store.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 2, Activity: true, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

func TestSlicesAndCountersEqualTheTrace(t *testing.T) {
	trace := generated(t, 5000)
	for _, compress := range []bool{false, true} {
		var file bytes.Buffer
		if err := Write(&file, trace, export.Options{Compress: compress}); err != nil {
			t.Fatal(err)
		}
		im, err := read(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		type key struct {
			track      uint64
			start, end int64
			depth      int
		}
		want := map[key]int{}
		instants := 0
		for r, err := range trace.Records(store.Filter{}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case !r.Span:
				instants++
			case r.Unended:
				want[key{threadTrack(r.Thread), r.Start, -1, r.Depth}]++
			default:
				want[key{threadTrack(r.Thread), r.Start, r.End(), r.Depth}]++
			}
		}
		activities := 0
		for a, err := range trace.Activities(store.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			activities++
			want[key{queueTrack(a.Work.Queue), a.Start, a.End(), 0}]++
			if a.Record != 0 && !im.ended[uint64(a.Record)] {
				t.Errorf("activity %d has no arrow from record %d", a.ID, a.Record)
			}
		}
		for _, s := range im.slices {
			k := key{s.track, s.start, s.end, s.depth}
			if want[k]--; want[k] == 0 {
				delete(want, k)
			}
		}
		if len(want) != 0 || im.instants != instants || activities == 0 {
			t.Errorf("compress %v: %d slices differ, %d instants of %d, %d activities", compress, len(want), im.instants, instants, activities)
		}
		for id := range im.ended {
			if !im.begun[id] {
				t.Errorf("arrow %d ends but does not begin", id)
			}
		}
	}
}

// An independent decoder finds no field that the schema does not have.
func TestProtocKnowsEveryField(t *testing.T) {
	protoc, err := exec.LookPath("protoc")
	if err != nil {
		t.Fatal("protoc not found: install protobuf-compiler")
	}
	var file bytes.Buffer
	if err := Write(&file, generated(t, 500), export.Options{}); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(protoc, "--decode=Trace", "-I", "testdata", "testdata/trace.proto")
	command.Stdin = &file
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("protoc: %v\n%s", err, output)
	}
	if unknown := regexp.MustCompile(`(?m)^\s*[0-9]+[:{ ].*$`).Find(output); unknown != nil {
		t.Errorf("protoc does not know %s", unknown)
	}
	if !bytes.Contains(output, []byte("track_event")) {
		t.Error("protoc found no track event")
	}
}

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
