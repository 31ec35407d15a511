package web

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/accscope/accscope/collector/store/generate"
)

// benchSpans is how many spans the benchmarks' trace has; ACCSCOPE_BENCH_SPANS
// changes it, ACCSCOPE_BENCH_TRACE names a trace instead.
const benchSpans = 1_000_000

func benchTrace(b *testing.B) string {
	b.Helper()
	if path := os.Getenv("ACCSCOPE_BENCH_TRACE"); path != "" {
		return path
	}
	spans := benchSpans
	if text := os.Getenv("ACCSCOPE_BENCH_SPANS"); text != "" {
		var err error
		if spans, err = strconv.Atoi(text); err != nil {
			b.Fatalf("ACCSCOPE_BENCH_SPANS: %v", err)
		}
	}
	if benchFile != "" {
		return benchFile
	}
	folder, err := os.MkdirTemp("", "accscope-bench")
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(folder, "bench.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 2, Activity: true, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	benchFile = path
	return path
}

// benchFile is the trace that was made for the benchmarks; TestMain removes it.
var benchFile string

// BenchmarkWindow asks for windows of all sizes at random places, the way a
// page of 1280 pixels does: all lanes.
func BenchmarkWindow(b *testing.B) {
	s := serve(b, Options{Traces: []string{benchTrace(b)}, Trusted: true})
	o := answer[overviewAnswer](b, s, "/api/overview")
	random := rand.New(rand.NewPCG(1, 1))
	var took, used []time.Duration
	bytes := 0
	before := s.processorTime(b)
	for b.Loop() {
		length := o.Meta.Last - o.Meta.First
		span := max(length>>random.IntN(30), 100)
		from := o.Meta.First + random.Int64N(max(length-span, 1))
		began := time.Now()
		status, body := fetch(b, s, fmt.Sprintf("/api/timeline?from=%d&to=%d&pixels=1750", from, from+span))
		took = append(took, time.Since(began))
		after := s.processorTime(b)
		used = append(used, after-before)
		before = after
		bytes += len(body)
		if status != http.StatusOK {
			b.Fatalf("status %d: %s", status, body)
		}
	}
	slices.Sort(took)
	slices.Sort(used)
	b.ReportMetric(milliseconds(took[len(took)/2]), "median-ms")
	b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
	b.ReportMetric(milliseconds(took[len(took)-1]), "max-ms")
	// On a machine that others use too, these tell more.
	b.ReportMetric(milliseconds(used[len(used)/2]), "median-cpu-ms")
	b.ReportMetric(milliseconds(used[len(used)*99/100]), "p99-cpu-ms")
	b.ReportMetric(milliseconds(used[len(used)-1]), "max-cpu-ms")
	b.ReportMetric(float64(bytes)/float64(len(took))/1024, "KiB/window")
	b.ReportMetric(0, "ns/op")
}

// processorTime is what the process that reads the traces has used of the
// processors so far.
func (s *Server) processorTime(b *testing.B) time.Duration {
	b.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.pid()))
	if err != nil || len(tasks) == 0 {
		b.Fatalf("reading the processor time: %v", err)
	}
	var sum time.Duration
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		if err != nil {
			continue // a thread that has ended
		}
		var ns int64
		if _, err := fmt.Sscan(string(data), &ns); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(ns)
	}
	return sum
}

// BenchmarkPage opens the trace in Chromium and zooms, pans and points: how long
// until the first paint, and how long scripts take of a frame.
func BenchmarkPage(b *testing.B) {
	s := serve(b, Options{Traces: []string{benchTrace(b)}, Trusted: true})
	var paints, frames []time.Duration
	for b.Loop() {
		p := browse(b, s.URL()+"#view=timeline")
		p.wait("the first paint", `performance.getEntriesByName("first-trace-paint").length > 0`)
		paints = append(paints, time.Duration(evaluate[float64](p, `performance.getEntriesByName("first-trace-paint")[0].startTime`)*float64(time.Millisecond)))
		frames = append(frames, p.scripts(func() {
			for i := range 40 {
				p.wheel(700, 300, []float64{-120, -120, -120, 120}[i%4])
				p.move(600+float64(i*5), 200)
			}
			for i := range 20 {
				p.drag(800, 250, 800-float64(i*10), 250)
			}
			p.settled()
		})...)
	}
	slices.Sort(paints)
	slices.Sort(frames)
	b.ReportMetric(milliseconds(paints[len(paints)/2]), "first-paint-ms")
	b.ReportMetric(milliseconds(frames[len(frames)/2]), "script-ms/frame-median")
	b.ReportMetric(milliseconds(frames[len(frames)*99/100]), "script-ms/frame-p99")
	b.ReportMetric(float64(len(frames)), "frames")
	b.ReportMetric(0, "ns/op")
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// scripts gives the script time of each animation frame while f runs, by the
// browser's tracing.
func (b *browser) scripts(f func()) []time.Duration {
	b.Helper()
	data := chromedp.Events(b.ctx, tracing.DataCollected)
	complete := chromedp.Events(b.ctx, tracing.TracingComplete)
	if _, err := chromedp.Call(b.ctx, tracing.Start, tracing.StartParams{
		TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline"}}}); err != nil {
		b.Fatal(err)
	}
	f()
	if _, err := chromedp.Call(b.ctx, tracing.End, struct{}{}); err != nil {
		b.Fatal(err)
	}
	for _, err := range complete {
		if err != nil {
			b.Fatal(err)
		}
		break
	}
	var frames []time.Duration
	done := time.After(2 * time.Second) // the events queue up until they are read
	next := make(chan tracing.EventDataCollected)
	go func() {
		for event, err := range data {
			if err != nil {
				return
			}
			select {
			case next <- event:
			case <-b.ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case bucket := <-next:
			for _, raw := range bucket.Value {
				var event struct {
					Name     string  `json:"name"`
					Duration float64 `json:"dur"` // µs
				}
				if err := json.Unmarshal(raw, &event); err != nil {
					b.Fatal(err)
				}
				if event.Name == "FireAnimationFrame" {
					frames = append(frames, time.Duration(event.Duration*float64(time.Microsecond)))
				}
			}
		case <-done:
			if len(frames) == 0 {
				b.Fatal("the browser traced no frame")
			}
			return frames
		}
	}
}
