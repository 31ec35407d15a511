package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/runtime/compilers"
)

// A program compiled by GCC, run on the simulated device by the command line
// tool as users run it.
func TestReceiverGetsARealRun(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool := filepath.Join(root, "bin/accscope")
	if _, err := os.Stat(tool); err != nil {
		t.Fatalf("%v: run make first", err)
	}
	folder := t.TempDir()
	program, path := filepath.Join(folder, "pipeline"), filepath.Join(folder, "trace.db")
	for _, command := range []*exec.Cmd{
		exec.Command(compilers.C(), "-fopenacc", "-O2", "-g", "-o", program, filepath.Join(root, "examples/pipeline/pipeline.c"), "-lm"),
		exec.Command(tool, "run", "--quiet", "--no-summary", "--device", "sim", "-o", path, "--", program),
	} {
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, output)
		}
	}
	trace := tracetest.Open(t, path)
	b := start(t, freeAddress(t), freeAddress(t))
	if _, err := send(t, otlp.Target{Endpoint: b.http}, trace, otlp.Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, trace, b.spans(t))
}

// A trace that is small enough is not touched by folding.
func TestSmallTraceIsNotFolded(t *testing.T) {
	trace := tracetest.Generated(t, 300)
	b := start(t, freeAddress(t), freeAddress(t))
	result, err := send(t, otlp.Target{Endpoint: b.http}, trace, otlp.Options{SpanLimit: otlp.DefaultSpanLimit})
	if err != nil {
		t.Fatal(err)
	}
	if result.Spans != result.Recorded {
		t.Errorf("%d spans for %d", result.Spans, result.Recorded)
	}
	compare(t, trace, b.spans(t))
}

// Folded spans are as few as asked for, stand for everything, lie within their
// parents, and are linked to spans that exist.
func TestFoldedSpansStandForAll(t *testing.T) {
	trace := tracetest.Generated(t, 20000)
	for _, limit := range []int{2000, 300, 20} {
		b := start(t, freeAddress(t), freeAddress(t))
		target := otlp.Target{Endpoint: b.http}
		result, err := send(t, target, trace, otlp.Options{SpanLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		spans := b.spans(t)
		if len(spans) > limit || len(spans) < limit/4 {
			t.Errorf("limit %d: %d spans", limit, len(spans))
		}
		var stand, omitted int64
		for _, span := range spans {
			stand += number(span.Attributes(), "accscope.folded.count", 1)
			omitted += number(span.Attributes(), "accscope.omitted.count", 0)
			if parent, ok := spans[span.ParentSpanID()]; ok {
				if span.StartTimestamp() < parent.StartTimestamp() || span.EndTimestamp() > parent.EndTimestamp() && parent.ParentSpanID() != (pcommon.SpanID{}) {
					t.Errorf("limit %d: %s is not within %s", limit, span.Name(), parent.Name())
				}
			} else if span.ParentSpanID() != (pcommon.SpanID{}) {
				t.Errorf("limit %d: the parent of %s did not arrive", limit, span.Name())
			}
			for _, link := range span.Links().All() {
				if _, ok := spans[link.SpanID()]; !ok {
					t.Errorf("limit %d: %s is linked to a span that did not arrive", limit, span.Name())
				}
			}
		}
		if stand+omitted != result.Recorded || omitted != result.Omitted {
			t.Errorf("limit %d: spans stand for %d and leave out %d, recorded %d", limit, stand, omitted, result.Recorded)
		}
		again := start(t, freeAddress(t), freeAddress(t))
		if _, err := send(t, otlp.Target{Endpoint: again.grpc, Protocol: "grpc"}, trace, otlp.Options{SpanLimit: limit}); err != nil {
			t.Fatal(err)
		}
		for id := range again.spans(t) {
			if _, ok := spans[id]; !ok {
				t.Fatalf("limit %d: sent again, the ids differ", limit)
			}
		}
	}
}

func number(attributes pcommon.Map, key string, otherwise int64) int64 {
	if v, ok := attributes.Get(key); ok {
		return v.Int()
	}
	return otherwise
}

// What a backend that is gone did not take is counted, and can be sent later
// under the same ids.
func TestUndeliveredSpansAreCounted(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	trace := tracetest.Generated(t, 3000)
	grpc, http := freeAddress(t), freeAddress(t)
	target := otlp.Target{Endpoint: "http://" + grpc, Protocol: "grpc"}
	result, err := send(t, target, trace, otlp.Options{})
	if err == nil || result.Unsent != result.Spans || result.Sent != 0 || !strings.Contains(err.Error(), "not delivered") {
		t.Fatalf("no backend: %+v, %v", result, err)
	}
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "10000")
	b := start(t, grpc, http)
	later, err := send(t, target, trace, otlp.Options{})
	if err != nil || later.Sent != result.Unsent || later.TraceID != result.TraceID {
		t.Errorf("later: %+v, %v; before %+v", later, err, result)
	}
	compare(t, trace, b.spans(t))
}

// Attributes beyond OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT are counted as dropped, in
// spans that stand for one and for several.
func TestDroppedAttributesAreCounted(t *testing.T) {
	b := start(t, freeAddress(t), freeAddress(t))
	trace := tracetest.Generated(t, 3000)
	for name, options := range map[string]otlp.Options{"all": {}, "folded": {SpanLimit: 500}} {
		attributes := map[pcommon.SpanID]int{}
		for _, limit := range []string{"", "5"} {
			b.traces.Reset()
			t.Setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", limit)
			if _, err := send(t, otlp.Target{Endpoint: b.grpc, Protocol: otlp.GRPC}, trace, options); err != nil {
				t.Fatal(err)
			}
			for id, span := range b.spans(t) {
				all := span.Attributes().Len() + int(span.DroppedAttributesCount())
				if limit == "" {
					attributes[id] = all
				} else if span.Attributes().Len() > 5 || all != attributes[id] {
					t.Fatalf("%s: span %s has %d attributes and %d dropped, of %d", name, span.Name(), span.Attributes().Len(), span.DroppedAttributesCount(), attributes[id])
				}
			}
		}
	}
}

// The standard variables rule what the flags leave open.
func TestEnvironmentIsHonoured(t *testing.T) {
	b := start(t, freeAddress(t), freeAddress(t))
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", b.grpc)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	t.Setenv("OTEL_SERVICE_NAME", "weather")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test,host.name=chosen")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100")
	t.Setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "5")
	parent, err := otlp.ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := send(t, otlp.Target{}, tracetest.Generated(t, 300), otlp.Options{Parent: parent}); err != nil {
		t.Fatal(err)
	}
	joined := 0
	for _, span := range b.spans(t) {
		attribute(t, span.resource.Attributes(), "service.name", "weath")
		attribute(t, span.resource.Attributes(), "host.name", "chose")
		if span.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" {
			t.Fatalf("trace %s", span.TraceID())
		}
		if span.ParentSpanID().String() == "b7ad6b7169203331" {
			joined++
		}
	}
	if joined != 1 {
		t.Errorf("%d spans joined the caller's", joined)
	}
	for _, batch := range b.traces.AllTraces() {
		if batch.SpanCount() > 100 {
			t.Errorf("a batch of %d", batch.SpanCount())
		}
	}
	b.traces.Reset()
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	if result, err := send(t, otlp.Target{}, tracetest.Generated(t, 300), otlp.Options{}); err != nil || result.Sampled || b.traces.SpanCount() != 0 {
		t.Errorf("always_off: %+v, %v", result, err)
	}
}
