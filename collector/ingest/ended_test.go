package ingest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
)

// slack is how long events may come late, ns: a poll leaves out what is newer.
const slack = int64(20e6)

// A process that has long ended when its last events are taken in keeps its
// memory until they have been: the trace is the same however far the collector
// had come when the process ended.
func TestMemoryOfAnEndedProcess(t *testing.T) {
	program := buildExample(t, "g++-12", "particles/particles.cpp", "-O0")
	session, _ := capture(t, program, []string{"200"}, "LD_PRELOAD="+library(t, "libopenacc.so"), "ACC_DEVICE_TYPE=sim")
	want := memory(t, finish(t, session, filepath.Join(t.TempDir(), "at-once.db")))
	if len(want) < 10 {
		t.Fatalf("the memory in use changes %d times only", len(want))
	}
	first, last := want[0].Time, want[len(want)-1].End
	for _, part := range []float64{0, 0.01, 0.5, 0.99, 1} {
		path := filepath.Join(t.TempDir(), "in-parts.db")
		var now int64
		in, err := ingest.Open(ingest.Options{Session: session, Trace: path, Now: func() int64 { return now }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Poll(); err != nil { // finds the origin
			t.Fatal(err)
		}
		for range 3 { // the process is seen to have ended, and seen again
			now = in.Origin() + first + int64(part*float64(last-first)) + slack
			if _, err := in.Poll(); err != nil {
				t.Fatal(err)
			}
		}
		now += int64(1e12)
		if err := in.Finish(); err != nil {
			t.Fatal(err)
		}
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got := memory(t, trace)
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("taken in up to %g of its time, then the rest: the memory in use is %v, at once it is %v", part, got, want)
		}
	}
}

// memory are all changes of the devices' memory in use.
func memory(t *testing.T, trace *store.Trace) (points []store.MemoryPoint) {
	t.Helper()
	devices, err := trace.Devices()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range devices {
		of, err := trace.Memory(d.ID, 0, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, of...)
	}
	return points
}
