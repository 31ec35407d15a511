package consumers

import (
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
)

// A backend that restarts during a run loses nothing: what nobody took while it
// was away arrives afterwards.
func TestRestartOfTheBackendLosesNoSpan(t *testing.T) {
	for _, protocol := range []string{otlp.GRPC, otlp.HTTP} {
		t.Run(filepath.Base(protocol), func(t *testing.T) {
			grpc, web := freeAddress(t), freeAddress(t)
			first := start(t, grpc, web)
			endpoint := first.http
			if protocol == otlp.GRPC {
				endpoint = first.grpc
			}
			s := startSteady(t, endpoint, protocol)
			until(t, "the first spans arrived", func() bool { return first.traces.SpanCount() > 0 })
			first.stop()
			s.goesOn(t)
			second := start(t, grpc, web)
			until(t, "spans arrive again", func() bool { return second.traces.SpanCount() > 0 })
			said := s.end(t)
			spans := second.spans(t)
			maps.Copy(spans, first.spans(t)) // one whose receipt was not told is sent again
			if strings.Contains(said, " not (") || !strings.Contains(said, ": "+strconv.Itoa(len(spans))+" spans") {
				t.Fatalf("%d spans arrived; the run says\n%s", len(spans), said)
			}
			compare(t, tracetest.Open(t, s.path), spans)
		})
	}
}

// Where the port is that of the other protocol, the error says what to ask for.
func TestOtherProtocolIsHinted(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "2000")
	b := start(t, freeAddress(t), freeAddress(t))
	trace := tracetest.Generated(t, 100)
	for _, test := range []struct {
		target otlp.Target
		hint   string
	}{
		{otlp.Target{Endpoint: b.grpc, Protocol: otlp.HTTP}, "--protocol grpc"},
		{otlp.Target{Endpoint: b.http, Protocol: otlp.GRPC}, "--protocol http"},
	} {
		if _, err := send(t, test.target, trace, otlp.Options{}); err == nil || !strings.Contains(err.Error(), test.hint) {
			t.Errorf("%s says %v, want a hint at %s", test.target, err, test.hint)
		}
	}
}
