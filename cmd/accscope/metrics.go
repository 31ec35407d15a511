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

	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/export/metrics"
	"github.com/accscope/accscope/export/otlp"
)

// liveMetrics tells monitoring about a run: Prometheus asks, OTLP is told.
type liveMetrics struct {
	trace    *state.Follower
	begun    time.Time
	resource *resource.Resource
	server   *http.Server
	exporter sdkmetric.Exporter
	target   otlp.Target
	cancel   context.CancelFunc // ends the pushes in the course of the run
	pushed   chan struct{}
}

// startMetrics serves and sends the metrics that the flags ask for; nil if
// none, or if another rank of the job collects.
func startMetrics(flags *runFlags, r *recording, program string) (*liveMetrics, error) {
	push := flags.otlp && os.Getenv("OTEL_METRICS_EXPORTER") != "none"
	if r.ingester == nil || !push && flags.metrics == "" {
		return nil, nil
	}
	path, err := r.session.Trace()
	if err != nil {
		return nil, err
	}
	trace, err := state.Follow(path)
	if err != nil {
		return nil, err
	}
	m := &liveMetrics{trace: trace, begun: time.Now(), target: flags.backend, cancel: func() {}, pushed: make(chan struct{})}
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
			figures, err := m.read()
			if err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			metrics.WritePrometheus(w, figures) //nolint:errcheck // who asked has gone
		})
		m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second, IdleTimeout: 2 * time.Minute}
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
	if m.exporter, err = flags.backend.MetricExporter(context.Background()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	go m.push(ctx, interval)
	return m, nil
}

// push sends the metrics now and then. What fails is made up for by the next
// push: all figures are of the whole run so far.
func (m *liveMetrics) push(ctx context.Context, interval time.Duration) {
	defer close(m.pushed)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.send(ctx) //nolint:errcheck // the last push says what is wrong
		case <-ctx.Done():
			return
		}
	}
}

// read gives the figures as of the trace's newest commit.
func (m *liveMetrics) read() ([]*metrics.Metric, error) {
	now, err := m.trace.Now()
	if now == nil {
		now = new(state.State) // nothing has happened yet
	}
	return metrics.Of(now), err
}

func (m *liveMetrics) send(ctx context.Context) error {
	figures, err := m.read()
	if err != nil {
		return err
	}
	return m.exporter.Export(ctx, metrics.OTLP(figures, m.resource, m.begun, time.Now()))
}

// end stops serving, and sends the last figures until ctx ends.
func (m *liveMetrics) end(ctx context.Context) {
	if m == nil {
		return
	}
	m.cancel()
	<-m.pushed
	if m.server != nil {
		if err := m.server.Close(); err != nil {
			fmt.Fprintf(stderr, "accscope: --metrics: %s\n", schema.Plain(err))
		}
	}
	defer func() {
		if err := m.trace.Close(); err != nil {
			fmt.Fprintf(stderr, "accscope: metrics: %s\n", schema.Plain(err))
		}
	}()
	if m.exporter == nil {
		return
	}
	err := m.send(ctx)
	none := otlp.NoMetrics(err)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	err = errors.Join(err, m.exporter.Shutdown(context.Background()))
	switch {
	case none:
		fmt.Fprintln(stderr, noMetrics)
	case err != nil:
		fmt.Fprintf(stderr, "accscope: OTLP to %s: the last metrics were not sent (accscope export --to otlp sends those of the whole run): %s\n", m.target, schema.Plain(err))
	}
}

// noMetrics is said where a backend of traces takes no metrics.
const noMetrics = "accscope: the backend takes no metrics: none were sent (OTEL_METRICS_EXPORTER=none switches them off)"
