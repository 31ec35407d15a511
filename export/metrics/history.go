package metrics

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/accscope/accscope/collector/model"
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
	h := history{model: model.New(nil, nil), filter: filter, start: at(meta.First), resource: of}
	send := func() error {
		if h.batch == nil {
			return nil
		}
		batch := h.batch
		moments, h.batch, h.moments = moments+h.moments, nil, 0
		return export(ctx, batch)
	}
	next := meta.First + int64(interval)
	err = trace.Replay(h.model, func(now int64) error {
		for now >= next {
			h.read(next, at(next))
			if next += int64(interval); now >= next { // nothing happened meanwhile
				next += (now - next) / int64(interval) * int64(interval)
			}
			if h.moments >= momentsInRequest {
				if err := send(); err != nil {
					return err
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return moments, err
	}
	h.read(meta.Last, at(meta.Last))
	return moments, send()
}

// history gathers moments.
type history struct {
	model    *model.Model
	filter   store.Filter
	start    time.Time
	resource *resource.Resource
	batch    *metricdata.ResourceMetrics
	moments  int
}

func (h *history) read(moment int64, at time.Time) {
	if moment < h.filter.From || h.filter.To > 0 && moment >= h.filter.To {
		return
	}
	view := h.model.View()
	if h.filter.Process != 0 {
		selected := view.Devices[:0]
		for _, d := range view.Devices {
			if d.Process == h.filter.Process {
				selected = append(selected, d)
			}
		}
		view.Devices = selected
	}
	figures := OTLP(Of(view), h.resource, h.start, at)
	h.moments++
	if h.batch == nil {
		h.batch = figures
		return
	}
	h.batch.ScopeMetrics[0].Metrics = join(h.batch.ScopeMetrics[0].Metrics, figures.ScopeMetrics[0].Metrics)
}

// join adds the points of metrics to those of the same name.
func join(to, from []metricdata.Metrics) []metricdata.Metrics {
	for _, m := range from {
		known := false
		for i := range to {
			if to[i].Name != m.Name {
				continue
			}
			known = true
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
		if !known {
			to = append(to, m)
		}
	}
	return to
}
