package metrics

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// The course of a finished run's metrics ends in what the trace sums up to:
// counters never fall, times follow each other, and the last values are the
// trace's.
func TestHistoryEndsInTheTracesSums(t *testing.T) {
	trace := tracetest.Generated(t, 5000)
	last, when := map[string]int64{}, map[string]time.Time{}
	requests, points := 0, 0
	moments, err := History(context.Background(), trace, store.Filter{}, resource.Empty(), func(_ context.Context, of *metricdata.ResourceMetrics) error {
		requests++
		for _, m := range of.ScopeMetrics[0].Metrics {
			series := map[string]int64{}
			take := func(list []metricdata.DataPoint[int64], counter bool) {
				for _, p := range list {
					key := m.Name + fmt.Sprint(p.Attributes.ToSlice())
					if !p.Time.After(when[key]) {
						t.Errorf("%s: %v after %v", m.Name, p.Time, when[key])
					}
					if counter && p.Value < last[key] {
						t.Errorf("%s falls from %d to %d", m.Name, last[key], p.Value)
					}
					last[key], when[key] = p.Value, p.Time
					series[key]++
					points++
				}
			}
			switch data := m.Data.(type) {
			case metricdata.Gauge[int64]:
				take(data.DataPoints, false)
			case metricdata.Sum[int64]:
				take(data.DataPoints, true)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if moments < momentsOfRun/2 || requests < moments/momentsInRequest || points < moments {
		t.Errorf("%d moments in %d requests, %d points", moments, requests, points)
	}
	var kernelTime, launches, bytes int64
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		if a.Work.Kind == "kernel" {
			kernelTime += a.Duration
			launches++
		}
	}
	for r, err := range trace.Spans(store.Filter{Kinds: []string{"enqueue_upload", "enqueue_download"}}) {
		if err != nil {
			t.Fatal(err)
		}
		bytes += int64(r.Bytes)
	}
	sums := map[string]int64{}
	for key, value := range last {
		for _, name := range []string{"accscope.kernel.time", "accscope.kernel.launches", "accscope.transfer.bytes"} {
			if len(key) >= len(name) && key[:len(name)] == name {
				sums[name] += value
			}
		}
	}
	if sums["accscope.kernel.time"] != kernelTime || sums["accscope.kernel.launches"] != launches || sums["accscope.transfer.bytes"] != bytes || launches == 0 {
		t.Errorf("the metrics end in %v; the trace has %d ns in %d kernels and %d bytes", sums, kernelTime, launches, bytes)
	}
}

// Of one process, what was sampled of others is not sent; a GPU is of nobody.
func TestHistoryOfAProcess(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW'), (3, 1, 2, NULL, NULL, 'cpu', '%')",
		"INSERT INTO counter_value VALUES (1, 0, 50), (2, 0, 300), (3, 0, 7)")
	values := map[string]map[int64]bool{}
	if _, err := History(context.Background(), tracetest.Open(t, path), store.Filter{Process: 1}, resource.Empty(), func(_ context.Context, of *metricdata.ResourceMetrics) error {
		for _, m := range of.ScopeMetrics[0].Metrics {
			if data, ok := m.Data.(metricdata.Gauge[int64]); ok {
				for _, p := range data.DataPoints {
					if values[m.Name] == nil {
						values[m.Name] = map[int64]bool{}
					}
					values[m.Name][p.Value] = true
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if cpu := values["accscope.process.cpu"]; !cpu[50] || cpu[7] {
		t.Errorf("processor times %v", cpu)
	}
	if !values["accscope.gpu.power"][300] {
		t.Errorf("the GPU's power is missing: %v", values)
	}
}
