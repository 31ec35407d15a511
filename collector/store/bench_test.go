package store_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"golang.org/x/sys/unix"
)

// BenchmarkIngest takes in synthetic events: model, store, rollups and indices.
// It reports events a second and bytes an event, without and with what the
// views need.
func BenchmarkIngest(b *testing.B) {
	const spans = 500_000
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "trace.db")
		s := generate.New(generate.Options{Spans: spans, Threads: 2, Seed: 3})
		w, err := store.Create(path, 0, s.Model)
		if err != nil {
			b.Fatal(err)
		}
		if err := generate.Introduce(w, s); err != nil {
			b.Fatal(err)
		}
		s.Write = func(step *model.Step) error {
			if w.Pending() >= store.TransactionRows {
				if err := w.Commit(); err != nil {
					return err
				}
			}
			return w.Write(step)
		}
		start := time.Now()
		if err := s.Run(); err != nil {
			b.Fatal(err)
		}
		if err := w.Commit(); err != nil {
			b.Fatal(err)
		}
		loaded := time.Now()
		if err := w.Finish(); err != nil {
			b.Fatal(err)
		}
		finished := time.Now()
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(s.Events)/loaded.Sub(start).Seconds(), "events/s")
		b.ReportMetric(float64(s.Events)/finished.Sub(start).Seconds(), "events/s-finished")
		b.ReportMetric(float64(info.Size())/float64(s.Events), "bytes/event")
		trace, err := store.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if bare, err := trace.BareSize(); err != nil {
			b.Fatal(err)
		} else {
			b.ReportMetric(float64(bare)/float64(s.Events), "bytes/event-bare")
		}
		if err := trace.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFold is the model alone.
func BenchmarkFold(b *testing.B) {
	b.ReportAllocs()
	s := generate.New(generate.Options{Spans: b.N / 2, Threads: 2, Seed: 3})
	if err := s.Run(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(s.Events)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkTimeline draws windows of a trace of 10 million spans, all lanes at
// 2000 pixels: from the whole of it down to some nanoseconds, at random places.
// ACCSCOPE_BENCH_SPANS sets another size, ACCSCOPE_BENCH_TRACE names a trace
// that is there already.
func BenchmarkTimeline(b *testing.B) {
	trace, err := store.Open(benchTrace(b, 10_000_000))
	if err != nil {
		b.Fatal(err)
	}
	defer trace.Close()
	lanes, err := trace.Lanes()
	if err != nil {
		b.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	var took, worked []time.Duration
	var most int
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		width := max(int64(float64(last-first)*math.Exp2(-30*random.Float64())), 100)
		from := first + random.Int64N(max(last-first-width, 1))
		began, busy, blocks := time.Now(), threadTime(b), 0
		for _, lane := range lanes {
			drawn, err := trace.Timeline(lane, from, from+width, 2000)
			if err != nil {
				b.Fatal(err)
			}
			blocks += len(drawn)
		}
		took, worked = append(took, time.Since(began)), append(worked, threadTime(b)-busy)
		most = max(most, blocks)
	}
	slices.Sort(took)
	slices.Sort(worked)
	b.ReportMetric(milliseconds(took[len(took)/2]), "median-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
	b.ReportMetric(milliseconds(worked[len(worked)/2]), "median-cpu-ms")
	b.ReportMetric(milliseconds(worked[len(worked)*99/100]), "p99-cpu-ms")
	b.ReportMetric(milliseconds(worked[len(worked)-1]), "max-cpu-ms")
	b.ReportMetric(float64(most), "blocks-max")
	b.ReportMetric(float64(len(lanes)), "lanes")
	b.ReportMetric(0, "ns/op")
}

// threadTime is how long this thread has been on a processor: what a window
// costs, whatever else the machine does.
func threadTime(b *testing.B) time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// benchTrace is a generated trace with device activity, or the one that
// ACCSCOPE_BENCH_TRACE names.
func benchTrace(b *testing.B, spans int) string {
	b.Helper()
	if path := os.Getenv("ACCSCOPE_BENCH_TRACE"); path != "" {
		return path
	}
	if text := os.Getenv("ACCSCOPE_BENCH_SPANS"); text != "" {
		var err error
		if spans, err = strconv.Atoi(text); err != nil {
			b.Fatalf("ACCSCOPE_BENCH_SPANS: %v", err)
		}
	}
	path := filepath.Join(b.TempDir(), "trace.db")
	start := time.Now()
	events, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 4, Activity: true})
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("%d events in %v, %d bytes", events, time.Since(start), info.Size())
	return path
}
