package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
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

// BenchmarkTimeline draws windows of a trace of 10 million spans: the whole of
// it, a hundredth and a hundred-thousandth, all lanes at 2000 pixels.
// ACCSCOPE_BENCH_SPANS sets another size.
func BenchmarkTimeline(b *testing.B) {
	spans := 10_000_000
	if n, err := strconv.Atoi(os.Getenv("ACCSCOPE_BENCH_SPANS")); err == nil {
		spans = n
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
	trace, err := store.Open(path)
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
	for _, zoom := range []int64{1, 100, 100_000} {
		b.Run(fmt.Sprintf("zoom=%d", zoom), func(b *testing.B) {
			blocks := 0
			width := (last - first) / zoom
			from := first + (last-first-width)/3
			for b.Loop() {
				blocks = 0
				for _, lane := range lanes {
					drawn, err := trace.Timeline(lane, from, from+width, 2000)
					if err != nil {
						b.Fatal(err)
					}
					blocks += len(drawn)
				}
			}
			b.ReportMetric(float64(blocks), "blocks")
			b.ReportMetric(float64(len(lanes)), "lanes")
		})
	}
}
