package otlp

import (
	"context"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// kept is a backend that keeps what it gets.
type kept []*tracepb.Span

func (k *kept) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	for _, of := range spans {
		for _, scope := range of.ScopeSpans {
			*k = append(*k, scope.Spans...)
		}
	}
	return nil
}

// Times of which the trace has not all that happened are events of the process's span, folded or
// not; of many the first, and how many more there are.
func TestGaps(t *testing.T) {
	for name, limit := range map[string]int{"whole": 0, "folded": 50} {
		for _, more := range []int{0, 150} {
			path, gaps := tracetest.Toggled(t, 500)
			for i := range more {
				start := gaps[1].End + int64(2*i)
				gaps = append(gaps, store.Gap{Process: gaps[1].Process, Start: start, End: start + 1, Reason: store.GapLost})
			}
			tracetest.Gaps(t, path, gaps[2:]...)
			var spans kept
			result, err := Send(context.Background(), &spans, tracetest.Open(t, path), Options{SpanLimit: limit})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, span := range spans {
				for _, e := range span.Events {
					if e.Name != export.GapTitle {
						continue
					}
					g, said := gaps[found], map[string]any{}
					for _, a := range e.Attributes {
						said[a.Key] = a.Value.GetIntValue()
						if text := a.Value.GetStringValue(); text != "" {
							said[a.Key] = text
						}
					}
					if said["accscope.gap.reason"] != g.Reason || said["accscope.gap.why"] != g.Why() || said["accscope.gap.time"] != g.End-g.Start {
						t.Errorf("%s: gap %d is told as %v", name, found, said)
					}
					if (said["thread.id"] != nil) != (g.Thread != 0) || len(span.ParentSpanId) > 0 {
						t.Errorf("%s: gap %d is told as %v of a span in %x", name, found, said, span.ParentSpanId)
					}
					found++
				}
			}
			if left := len(gaps) - found; left != max(0, len(gaps)-mostGaps) || limit == 0 && result.Events != int64(left) {
				t.Errorf("%s: %d of %d gaps, and %d events left out", name, found, len(gaps), result.Events)
			}
		}
	}
}
