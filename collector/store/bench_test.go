package store_test

import (
	"os"
	"path/filepath"
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
