// Package otlp sends traces to OpenTelemetry backends (Jaeger, Tempo, the
// OpenTelemetry Collector, …) by OTLP over gRPC or HTTP: host spans nested as
// they ran, device activity linked to the enqueue that caused it, errors as
// span status and exception events, with real timestamps and ids that are the
// same each time a trace is sent. docs/opentelemetry.md lists the attributes.
package otlp

import (
	"context"
	"errors"
	"fmt"

	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// DefaultSpanLimit is how many spans a trace is folded to unless the user says
// otherwise: Jaeger's page slows down above about 2,000.
const DefaultSpanLimit = 2000

// Options choose what is sent of a trace, and how.
type Options struct {
	export.Options
	// Parent is the span of the caller that the trace joins; the zero value
	// begins a trace of its own.
	Parent TraceParent
	// SpanLimit folds repeated spans until at most so many are left; 0 sends all.
	SpanLimit int
	// BatchSize is the greatest number of spans in a request; 0 takes
	// OTEL_BSP_MAX_EXPORT_BATCH_SIZE, else 512.
	BatchSize int
}

// Uploader takes spans to a backend; otlptrace.Client is one.
type Uploader interface {
	UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error
}

// Result says what became of a trace's spans.
type Result struct {
	TraceID  TraceID
	Sampled  bool  // false: OTEL_TRACES_SAMPLER, or the caller, decided against the trace
	Recorded int64 // processes, host spans and device activities selected
	Spans    int64 // made of them: fewer where repeated ones were folded
	Sent     int64 // taken by the backend
	Unsent   int64 // made, but not delivered
	Unread   bool  // more was not delivered: the context ended before all was read
	Rejected int64 // refused by the backend
	Omitted  int64 // recorded ones that are in none of the spans
	Events   int64 // span events left out
}

// Send exports a trace. The Result holds also where it fails: what was not
// delivered can be sent again, under the same ids.
func Send(ctx context.Context, uploader Uploader, trace *store.Trace, options Options) (Result, error) {
	b, err := newBuilder(trace, options)
	if err != nil {
		return Result{}, err
	}
	b.result.TraceID = b.ids.trace
	if b.result.Sampled, err = sampled(b.ids.trace, options.Parent); err != nil || !b.result.Sampled {
		return b.result, err
	}
	sender := newSender(ctx, uploader, func() []*resourcepb.Resource { return b.resources }, &options, false)
	b.emit = sender.add
	if options.SpanLimit > 0 {
		err = b.folded(options.SpanLimit)
	} else {
		err = b.whole()
	}
	err = errors.Join(err, sender.end())
	b.result.Sent, b.result.Unsent, b.result.Rejected = sender.sent, sender.unsent, sender.rejected
	if err != nil {
		return b.result, fmt.Errorf("sending %s: %w", trace.Path(), err)
	}
	return b.result, nil
}

// NotSent says how many spans were not delivered, as far as they were counted.
func (r Result) NotSent() string {
	if r.Unread {
		return fmt.Sprintf("at least %d", r.Unsent)
	}
	return fmt.Sprint(r.Unsent)
}

// String says what was sent and what was left out.
func (r Result) String() string {
	text := fmt.Sprintf("%d spans", r.Sent)
	if r.Spans < r.Recorded {
		text += fmt.Sprintf(" that stand for %d, repeated ones folded into one with their count (--full sends all)", r.Recorded-r.Omitted)
	}
	if r.Omitted > 0 {
		text += fmt.Sprintf("; %d spans left out", r.Omitted)
	}
	if r.Events > 0 {
		text += fmt.Sprintf("; %d span events left out", r.Events)
	}
	return text
}
