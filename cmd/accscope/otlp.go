package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otlp"
)

// otlpFlags are the flags of export --to otlp.
type otlpFlags struct {
	target      otlp.Target
	spanLimit   int
	full        bool
	traceParent string
}

func (flags *otlpFlags) register(command *cobra.Command) {
	f := command.Flags()
	f.StringVar(&flags.target.Endpoint, "endpoint", "", "otlp: `URL` to send to (default OTEL_EXPORTER_OTLP_ENDPOINT, else http://localhost:4318)")
	f.StringVar(&flags.target.Protocol, "protocol", "", "otlp: `PROTOCOL` grpc or http (default OTEL_EXPORTER_OTLP_PROTOCOL, else grpc for port 4317, http for others)")
	f.IntVar(&flags.spanLimit, "span-limit", otlp.DefaultSpanLimit, "otlp: fold repeated spans until at most `N` are left, as Jaeger's page takes no more")
	f.BoolVar(&flags.full, "full", false, "otlp: fold nothing, send every span")
	f.StringVar(&flags.traceParent, "traceparent", "", "otlp: the caller's `SPAN` to join (default: TRACEPARENT as the run had it, else as it is now)")
}

// send exports a trace to an OpenTelemetry backend.
func (flags *otlpFlags) send(command *cobra.Command, trace *store.Trace, options export.Options) error {
	if reason := otlp.Disabled(); reason != "" {
		return fmt.Errorf("nothing was sent: %s", reason)
	}
	if flags.spanLimit <= 0 {
		return usageError{errors.New("--span-limit: expected a positive number; --full sends every span")}
	}
	text := flags.traceParent
	if text == "" {
		meta, err := trace.Meta()
		if err != nil {
			return err
		}
		if text = meta.Facts["traceparent"]; text == "" {
			text = os.Getenv("TRACEPARENT")
		}
	}
	parent, err := otlp.ParseTraceParent(text)
	if err != nil {
		return usageError{err}
	}
	limit := flags.spanLimit
	if flags.full {
		limit = 0
	}
	ctx, stop := signal.NotifyContext(command.Context(), os.Interrupt)
	defer stop()
	progress := showProgress(&options)
	result, err := otlp.SendTo(ctx, flags.target, func(to otlp.Uploader) (otlp.Result, error) {
		return otlp.Send(ctx, to, trace, otlp.Options{Options: options, Parent: parent, SpanLimit: limit})
	})
	progress()
	if err != nil {
		return fmt.Errorf("%s: %w", flags.target, err)
	}
	if !result.Sampled {
		fmt.Fprintln(command.ErrOrStderr(), "accscope: nothing was sent: OTEL_TRACES_SAMPLER decided against this trace")
		return nil
	}
	fmt.Fprintf(command.ErrOrStderr(), "accscope: sent trace %s to %s: %s\n", result.TraceID, flags.target, result)
	return nil
}
