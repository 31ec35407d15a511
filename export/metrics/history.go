package metrics

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
)

const (
	// momentsOfRun is how often in a run its metrics are read afterwards, where
	// OTEL_METRIC_EXPORT_INTERVAL does not say.
	momentsOfRun = 100
	// mostMoments bounds what a short interval makes of a long run.
	mostMoments = 10_000
	// momentsInRequest is how many moments go into one request.
	momentsInRequest = 20
)

// Interval reads OTEL_METRIC_EXPORT_INTERVAL, milliseconds; otherwise is what
// holds if it is not set.
func Interval(otherwise time.Duration) (time.Duration, error) {
	text := os.Getenv("OTEL_METRIC_EXPORT_INTERVAL")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("OTEL_METRIC_EXPORT_INTERVAL %q: expected milliseconds", text)
	}
	return time.Duration(n) * time.Millisecond, nil
}

// History sends what the metrics of a finished trace were in the course of its
// run: at moments of the run one interval apart, and at its end. Of the filter
// From, To and Process apply. It says how many moments were sent; memory does
// not grow with the trace.
func History(ctx context.Context, trace *store.Trace, filter store.Filter, of *resource.Resource,
	export func(context.Context, *metricdata.ResourceMetrics) error) (moments int, err error) {
	meta, err := trace.Meta()
	if err != nil {
		return 0, err
	}
	interval, err := Interval(max(time.Duration(meta.Last-meta.First)/momentsOfRun, time.Microsecond))
	if err != nil {
		return 0, err
	}
	interval = max(interval, time.Duration(meta.Last-meta.First)/mostMoments)
	at := func(moment int64) time.Time { return time.Unix(0, meta.Realtime+moment) }
	reader := state.New(trace)
	var batch *metricdata.ResourceMetrics
	inBatch := 0
	send := func() error {
		if batch == nil {
			return nil
		}
		full := batch
		moments, batch, inBatch = moments+inBatch, nil, 0
		return export(ctx, full)
	}
	for next, last := meta.First, false; !last; {
		next = min(next+int64(interval), meta.Last)
		last = next == meta.Last
		if next < filter.From || filter.To > 0 && next >= filter.To {
			continue
		}
		now, err := reader.At(next)
		if err != nil {
			return moments, err
		}
		if filter.Process != 0 {
			now.Devices = slices.DeleteFunc(now.Devices, func(d state.Device) bool { return d.Process != filter.Process })
			now.Counters = slices.DeleteFunc(now.Counters, func(c state.Counter) bool { return c.Process != 0 && c.Process != filter.Process })
		}
		figures := OTLP(Of(now), of, at(meta.First), at(next))
		if batch == nil {
			batch = figures
		} else {
			batch.ScopeMetrics[0].Metrics = join(batch.ScopeMetrics[0].Metrics, figures.ScopeMetrics[0].Metrics)
		}
		if inBatch++; inBatch >= momentsInRequest {
			if err := send(); err != nil {
				return moments, err
			}
		}
		if err := ctx.Err(); err != nil {
			return moments, err
		}
	}
	return moments, send()
}

// join adds the points of metrics to those of the same name.
func join(to, from []metricdata.Metrics) []metricdata.Metrics {
	for _, m := range from {
		i := slices.IndexFunc(to, func(t metricdata.Metrics) bool { return t.Name == m.Name })
		if i < 0 {
			to = append(to, m)
			continue
		}
		switch data := m.Data.(type) {
		case metricdata.Gauge[int64]:
			before, _ := to[i].Data.(metricdata.Gauge[int64])
			before.DataPoints = append(before.DataPoints, data.DataPoints...)
			to[i].Data = before
		case metricdata.Sum[int64]:
			before, _ := to[i].Data.(metricdata.Sum[int64])
			before.DataPoints = append(before.DataPoints, data.DataPoints...)
			to[i].Data = before
		}
	}
	return to
}
