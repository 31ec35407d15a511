package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/export/metrics"
	"github.com/accscope/accscope/export/otlp"
)

// liveMetrics tells monitoring about a run: Prometheus asks, OTLP is told.
type liveMetrics struct {
	model    *model.Model
	begun    time.Time
	resource *resource.Resource
	server   *http.Server
	exporter sdkmetric.Exporter
	target   otlp.Target
	done     chan struct{}
	pushed   chan struct{}
	failure  error // of the last push
}

// startMetrics serves and sends the metrics that the flags ask for; nil if
// none, or if another rank of the job collects.
func startMetrics(flags *runFlags, r *recording, program string) (*liveMetrics, error) {
	push := flags.otlp && os.Getenv("OTEL_METRICS_EXPORTER") != "none"
	if r.ingester == nil || !push && flags.metrics == "" {
		return nil, nil
	}
	m := &liveMetrics{model: r.ingester.Model(), begun: time.Now(), target: flags.target, done: make(chan struct{}), pushed: make(chan struct{})}
	var err error
	if m.resource, err = resource.New(context.Background(), resource.WithAttributes(attribute.String("service.name", program)), resource.WithFromEnv()); err != nil {
		return nil, err
	}
	if flags.metrics != "" {
		listener, err := net.Listen("tcp", flags.metrics)
		if err != nil {
			return nil, fmt.Errorf("--metrics: %w", err)
		}
		mux := http.NewServeMux()
		mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			metrics.WritePrometheus(w, metrics.Of(m.model.View())) //nolint:errcheck // who asked has gone
		})
		m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
		go m.server.Serve(listener) //nolint:errcheck // ends by Close
		if !flags.quiet {
			fmt.Fprintf(stderr, "accscope: metrics at http://%s/metrics\n", listener.Addr())
		}
	}
	if !push {
		close(m.pushed)
		return m, nil
	}
	interval, err := metrics.Interval(10 * time.Second)
	if err != nil {
		return nil, err
	}
	if m.exporter, err = flags.target.MetricExporter(context.Background()); err != nil {
		return nil, err
	}
	go m.push(interval)
	return m, nil
}

// push sends the metrics now and then, and once more at the end.
func (m *liveMetrics) push(interval time.Duration) {
	defer close(m.pushed)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for last := false; !last; {
		select {
		case <-ticker.C:
		case <-m.done:
			last = true
		}
		ctx, cancel := context.WithTimeout(context.Background(), endOfRun)
		m.failure = m.exporter.Export(ctx, metrics.OTLP(metrics.Of(m.model.View()), m.resource, m.begun, time.Now()))
		cancel()
	}
}

// end stops serving and sends the last figures.
func (m *liveMetrics) end() {
	if m == nil {
		return
	}
	close(m.done)
	<-m.pushed
	err := m.failure
	if m.server != nil {
		err = errors.Join(err, m.server.Close())
	}
	if m.exporter != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		err = errors.Join(err, m.exporter.Shutdown(ctx))
	}
	switch {
	case otlp.NoMetrics(m.failure):
		fmt.Fprintln(stderr, noMetrics)
	case err != nil:
		fmt.Fprintf(stderr, "accscope: metrics: %v\n", err)
	}
}

// noMetrics is said where a backend of traces takes no metrics.
const noMetrics = "accscope: the backend takes no metrics: none were sent (OTEL_METRICS_EXPORTER=none switches them off)"
