package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/metrics"
	"github.com/accscope/accscope/export/otlp"
)

// otlpFlags are the flags of export --to otlp.
type otlpFlags struct {
	target      otlp.Target
	spanLimit   int
	traceParent string
	metrics     bool
}

func (flags *otlpFlags) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&flags.target.Endpoint, "endpoint", "", "otlp, clickhouse: `URL` to send to (default OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318; CLICKHOUSE_URL, else http://localhost:8123)")
	f.StringVar(&flags.target.Protocol, "protocol", "", "otlp: `PROTOCOL` grpc or http (default OTEL_EXPORTER_OTLP_PROTOCOL, else grpc for port 4317, http for others)")
	f.IntVar(&flags.spanLimit, "span-limit", otlp.DefaultSpanLimit, "otlp: fold repeated spans until at most `N` are left, as Jaeger's page takes no more")
	f.BoolVar(&flags.metrics, "metrics", true, "otlp: send metrics of the run's course too, where the backend takes them")
	f.StringVar(&flags.traceParent, "traceparent", "", "otlp: the caller's `SPAN` to join (default: TRACEPARENT as the run had it, else as it is now)")
}

// send exports a trace to an OpenTelemetry backend.
func (flags *otlpFlags) send(ctx context.Context, command *cobra.Command, trace *store.Trace, options export.Options) error {
	if reason := otlp.Disabled(); reason != "" {
		return fmt.Errorf("nothing was sent: %s", reason)
	}
	if flags.spanLimit <= 0 {
		return usageError{errors.New("--span-limit: expected a positive number; --full sends every span")}
	}
	parent, err := flags.parent(trace)
	if err != nil {
		return err
	}
	limit := flags.spanLimit
	if options.Full {
		limit = 0
	}
	trace.Interrupt(ctx.Done())
	progress, stopProgress := showProgress("exported")
	options.Progress = progress
	result, err := otlp.SendTo(ctx, flags.target, func(to otlp.Uploader) (otlp.Result, error) {
		return otlp.Send(ctx, to, trace, otlp.Options{Options: options, Parent: parent, SpanLimit: limit})
	})
	stopProgress()
	if err != nil {
		return fmt.Errorf("%s: %w", flags.target, err)
	}
	if !result.Sampled {
		fmt.Fprintln(command.ErrOrStderr(), notSampled)
		return nil
	}
	fmt.Fprintf(command.ErrOrStderr(), "accscope: sent trace %s to %s: %s\n", result.TraceID, flags.target, result)
	return flags.sendMetrics(ctx, command, trace, options.Filter)
}

// notSampled is said where a trace is not to be sent.
const notSampled = "accscope: no spans were sent: OTEL_TRACES_SAMPLER, or the caller by the flags of TRACEPARENT, decided against this trace (OTEL_TRACES_SAMPLER=always_on sends it)"

// parent is the caller's span: as the flag says, else as the run had it, else as
// it is in the environment. One that is malformed counts only in the flag.
func (flags *otlpFlags) parent(trace *store.Trace) (otlp.TraceParent, error) {
	if flags.traceParent != "" {
		parent, err := otlp.ParseTraceParent(flags.traceParent, "")
		if err != nil {
			return parent, usageError{err}
		}
		return parent, nil
	}
	meta, err := trace.Meta()
	if err != nil {
		return otlp.TraceParent{}, err
	}
	if text := meta.Facts["traceparent"]; text != "" {
		return parentOrNone(text, meta.Facts["tracestate"]), nil
	}
	return parentOrNone(os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE")), nil
}

// parentOrNone reads a caller's span. The standard wants a malformed one
// ignored.
func parentOrNone(text, state string) otlp.TraceParent {
	parent, err := otlp.ParseTraceParent(text, state)
	if err != nil {
		fmt.Fprintf(stderr, "accscope: %s; the trace joins no other\n", schema.Plain(err))
		return otlp.TraceParent{}
	}
	return parent
}

// sendMetrics sends what the metrics were in the course of the run.
func (flags *otlpFlags) sendMetrics(ctx context.Context, command *cobra.Command, trace *store.Trace, filter store.Filter) error {
	if !flags.metrics || os.Getenv("OTEL_METRICS_EXPORTER") == "none" {
		return nil
	}
	processes, err := trace.Processes()
	if err != nil || len(processes) == 0 {
		return err
	}
	of, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", filepath.Base(processes[0].Program))), resource.WithFromEnv())
	if err != nil {
		return fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	exporter, err := flags.target.MetricExporter(ctx)
	if err != nil {
		return err
	}
	moments, err := metrics.History(ctx, trace, filter, of, exporter.Export)
	err = errors.Join(err, exporter.Shutdown(context.WithoutCancel(ctx)))
	switch {
	case otlp.NoMetrics(err):
		fmt.Fprintln(command.ErrOrStderr(), noMetrics)
		return nil
	case err != nil:
		return fmt.Errorf("sending metrics: %w", err)
	}
	fmt.Fprintf(command.ErrOrStderr(), "accscope: sent its metrics at %d moments of the run\n", moments)
	return nil
}

// programSpan is the TRACEPARENT for the program of a run whose spans are sent:
// what it sends itself belongs to its span; "" leaves the environment as it is.
func programSpan(flags *runFlags, r *recording) (string, error) {
	if !flags.otlp {
		return "", nil
	}
	identity, err := r.session.Identity()
	if err != nil || identity == "" {
		return "", err
	}
	parent, err := otlp.ParseTraceParent(os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE"))
	if err != nil {
		parent = otlp.TraceParent{} // startLive says it
	}
	span, err := otlp.ProgramSpan(identity, parent)
	return span.String(), err
}

// liveExport sends a run's spans while it runs. It reads the trace, so that a
// slow backend delays neither the program nor the collector.
type liveExport struct {
	target  otlp.Target
	client  otlptrace.Client
	live    *otlp.Live
	cancel  context.CancelCauseFunc
	done    chan struct{}
	stopped chan error
}

// startLive begins to send a recording if the user wants it; nil if not, or if
// another rank of the job collects.
func startLive(flags *runFlags, r *recording) (*liveExport, error) {
	if !flags.otlp || r.ingester == nil {
		return nil, nil
	}
	target, path := flags.backend, r.ingester.Trace
	if reason := otlp.Disabled(); reason != "" {
		return nil, fmt.Errorf("--otlp sends nothing: %s", reason)
	}
	client, err := target.Client()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if err := client.Start(ctx); err != nil {
		cancel(nil)
		return nil, err
	}
	l := &liveExport{target: target, client: client, cancel: cancel, done: make(chan struct{}), stopped: make(chan error, 1),
		live: otlp.NewLive(ctx, client, otlp.Options{Options: export.Options{Version: version()}, Parent: parentOrNone(os.Getenv("TRACEPARENT"), os.Getenv("TRACESTATE"))})}
	go func() { l.stopped <- l.live.Run(l.done, path) }()
	return l, nil
}

// end is told that the program has ended: the trace is to be read by finish.
func (l *liveExport) end() {
	if l != nil {
		close(l.done)
	}
}

// finish sends the rest of the finished trace until ctx ends, and says what was
// delivered. trace is "" where another rank goes on with it.
func (l *liveExport) finish(ctx context.Context, trace string, quiet bool) {
	if l == nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { l.cancel(context.Cause(ctx)) })
	defer stop()
	err := <-l.stopped
	var result otlp.Result
	switch {
	case err == nil && trace == "":
		err = errors.New("the trace was not finished here")
	case err == nil:
		result, err = l.live.Finish(trace)
	}
	l.cancel(nil) // nothing that is still on its way holds up the client
	err = errors.Join(err, l.client.Stop(context.Background()))
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "accscope: OTLP to %s: %d spans sent, %s not (accscope export --to otlp --full sends them): %v\n",
			l.target, result.Sent, result.NotSent(), l.target.Explain(err))
	case result.TraceID != otlp.TraceID{} && !result.Sampled:
		fmt.Fprintln(stderr, notSampled)
	case !quiet && result.Sent > 0:
		fmt.Fprintf(stderr, "accscope: sent trace %s to %s: %d spans\n", result.TraceID, l.target, result.Sent)
	}
}

// finishSending gives the backend of a run that has ended one limit for all that
// is left to send, spans and metrics beside each other. Whoever asks for an end again,
// after the program's, does not wait for the backend.
func finishSending(flags *runFlags, live *liveExport, figures *liveMetrics, trace string, asked <-chan os.Signal) {
	for len(asked) > 0 { // while the program ran
		<-asked
	}
	letGo, leave := context.WithCancelCause(context.Background())
	defer leave(nil)
	ctx, cancel := context.WithTimeoutCause(letGo, flags.otlpTimeout,
		fmt.Errorf("the backend had not taken it %s after the end of the run (--otlp-timeout)", flags.otlpTimeout))
	defer cancel()
	go func() {
		select {
		case signal := <-asked:
			leave(fmt.Errorf("interrupted (%v) while the backend had not taken it", signal))
		case <-ctx.Done():
		}
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		figures.end(ctx)
	}()
	live.finish(ctx, trace, flags.quiet)
	<-ended
}
