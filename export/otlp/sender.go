package otlp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"time"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const (
	// batchBytes bounds a request: receivers take 4 MiB by default.
	batchBytes = 1 << 20
	// failuresInARow is after how many batches that were not delivered, each
	// retried for OTEL_EXPORTER_OTLP_TIMEOUT, the backend counts as gone.
	failuresInARow = 3
	scopeName      = "github.com/accscope/accscope"
	// A backend that restarts is asked again after a pause that doubles from the
	// first to the longest one.
	firstPause, longestPause = 50 * time.Millisecond, time.Second
)

// sender collects spans in batches and sends them beside the one that makes
// them; what is in memory is a few batches.
type sender struct {
	resources func() []*resourcepb.Resource
	size      int
	version   string        // of accscope
	patient   bool          // goes on however often the backend fails
	limit     time.Duration // for all attempts to send a batch
	err       error         // of the settings

	batch   map[int][]*tracepb.Span
	spans   int
	bytes   int
	batches chan outgoing
	done    chan struct{}

	// These belong to the sending goroutine until done is closed.
	sent, unsent, rejected int64
	failures               int
	failure                error
}

type outgoing struct {
	resources []*tracepb.ResourceSpans
	spans     int64
}

func newSender(ctx context.Context, uploader Uploader, resources func() []*resourcepb.Resource, options *Options, patient bool) *sender {
	s := &sender{resources: resources, size: options.BatchSize, version: options.Version, patient: patient, batch: map[int][]*tracepb.Span{}, batches: make(chan outgoing, 2), done: make(chan struct{})}
	if s.size == 0 {
		s.size, s.err = positiveFromEnvironment("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512)
	}
	name := "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"
	if os.Getenv(name) == "" {
		name = "OTEL_EXPORTER_OTLP_TIMEOUT"
	}
	limit, err := positiveFromEnvironment(name, 10_000)
	s.limit, s.err = time.Duration(limit)*time.Millisecond, errors.Join(s.err, err)
	go func() {
		defer close(s.done)
		for b := range s.batches {
			s.upload(ctx, uploader, b)
		}
	}()
	return s
}

func (s *sender) upload(ctx context.Context, uploader Uploader, b outgoing) {
	if s.failures >= failuresInARow && !s.patient {
		s.unsent += b.spans
		return
	}
	err := context.Cause(ctx)
	if err == nil {
		err = s.deliver(ctx, uploader, b.resources)
	}
	rejected, partial := rejectedSpans(err)
	switch {
	case err == nil:
		s.sent += b.spans
		s.failures = 0
	case partial:
		s.sent += b.spans - rejected
		s.rejected += rejected
		s.failures = 0
		s.failure = err
	default:
		s.unsent += b.spans
		s.failures++
		s.failure = err
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			s.failure = fmt.Errorf("%w (%w)", cause, err)
		}
	}
}

// deliver sends a batch, again and again where nobody listens: a backend that
// restarts is back soon. One that was never reached is waited for only by the
// patient. What a backend answers by is retried by the exporters themselves.
func (s *sender) deliver(ctx context.Context, uploader Uploader, spans []*tracepb.ResourceSpans) error {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := uploader.UploadTraces(limited, spans)
		if !disconnected(err) || !s.patient && s.sent == 0 {
			return err
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			return err
		}
	}
}

// disconnected says whether a request failed because there was no connection, or
// it broke.
func disconnected(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
}

var partialSuccess = regexp.MustCompile(`(?s)^OTLP partial success: .* \((\d+) spans rejected\)`)

// rejectedSpans tells a partial success, whose error type the exporters keep
// to themselves, by its text.
func rejectedSpans(err error) (int64, bool) {
	if err == nil {
		return 0, false
	}
	found := partialSuccess.FindStringSubmatch(err.Error())
	if found == nil {
		return 0, false
	}
	n, parseErr := strconv.ParseInt(found[1], 10, 64)
	return n, parseErr == nil
}

// add takes a span of a resource.
func (s *sender) add(resource int, span *tracepb.Span) error {
	if s.err != nil {
		return s.err
	}
	size := proto.Size(span)
	if s.spans > 0 && (s.spans >= s.size || s.bytes+size > batchBytes) {
		s.flush()
	}
	s.batch[resource] = append(s.batch[resource], span)
	s.spans++
	s.bytes += size
	return nil
}

func (s *sender) flush() {
	if s.spans == 0 {
		return
	}
	b := outgoing{spans: int64(s.spans)}
	for i, resource := range s.resources() {
		if spans := s.batch[i]; len(spans) > 0 {
			b.resources = append(b.resources, &tracepb.ResourceSpans{Resource: resource, SchemaUrl: semconv.SchemaURL,
				ScopeSpans: []*tracepb.ScopeSpans{{SchemaUrl: semconv.SchemaURL, Spans: spans,
					Scope: &commonpb.InstrumentationScope{Name: scopeName, Version: s.version}}}})
		}
	}
	s.batches <- b
	clear(s.batch)
	s.spans, s.bytes = 0, 0
}

// end sends the rest and says what was not delivered.
func (s *sender) end() error {
	s.flush()
	close(s.batches)
	<-s.done
	if s.err != nil {
		return s.err
	}
	switch {
	case s.unsent > 0:
		return fmt.Errorf("%d of %d spans were not delivered; exporting again sends them under the same ids: %w",
			s.unsent, s.unsent+s.sent+s.rejected, s.failure)
	case s.rejected > 0:
		return fmt.Errorf("%d of %d spans were refused: %w", s.rejected, s.rejected+s.sent, s.failure)
	}
	return nil
}
