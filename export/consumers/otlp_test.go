// Package consumers tests the exports against the programs that read them: the
// OpenTelemetry Collector's own OTLP receiver, and Jaeger. It is a module of its
// own so that their dependencies are not the product's.
package consumers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
)

// backend is the collector's receiver with what it received.
type backend struct {
	grpc, http string // URLs
	traces     *consumertest.TracesSink
	metrics    *consumertest.MetricsSink
	stop       func()
}

// ports count those that freeAddress has looked at, from one by chance on.
var ports atomic.Int64

func init() { ports.Store(rand.Int64N(20_000)) } // other tests of this machine begin elsewhere

// freeAddress finds a port of this machine that nobody uses, and never gives one twice: one of
// those that the kernel gives to nobody who does not ask for it, so that it stays free.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 1000 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10_000+ports.Add(1)%20_000))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("of 1000 ports none is free")
	return ""
}

// start runs the receiver at addresses.
func start(t testing.TB, grpc, http string) *backend {
	t.Helper()
	factory := otlpreceiver.NewFactory()
	config := factory.CreateDefaultConfig()
	err := confmap.NewFromStringMap(map[string]any{"protocols": map[string]any{
		"grpc": map[string]any{"endpoint": grpc}, "http": map[string]any{"endpoint": http}}}).Unmarshal(config)
	if err != nil {
		t.Fatal(err)
	}
	b := &backend{grpc: "http://" + grpc, http: "http://" + http, traces: new(consumertest.TracesSink), metrics: new(consumertest.MetricsSink)}
	settings := receivertest.NewNopSettings(factory.Type())
	traces, err := factory.CreateTraces(context.Background(), settings, config, b.traces)
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := factory.CreateMetrics(context.Background(), settings, config, b.metrics)
	if err != nil {
		t.Fatal(err)
	}
	components := []component.Component{receiver.Traces(traces), receiver.Metrics(metrics)}
	for _, c := range components {
		if err := c.Start(context.Background(), componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
	}
	stopped := false
	b.stop = func() {
		if stopped {
			return
		}
		stopped = true
		for _, c := range components {
			if err := c.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(b.stop)
	return b
}

// received is a span as it arrived, with its resource.
type received struct {
	ptrace.Span
	resource pcommon.Resource
}

// spans are those that arrived, by id.
func (b *backend) spans(t testing.TB) map[pcommon.SpanID]received {
	t.Helper()
	spans := map[pcommon.SpanID]received{}
	for _, batch := range b.traces.AllTraces() {
		for _, r := range batch.ResourceSpans().All() {
			for _, scope := range r.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					if _, twice := spans[span.SpanID()]; twice {
						t.Errorf("span %s arrived twice", span.SpanID())
					}
					spans[span.SpanID()] = received{span, r.Resource()}
				}
			}
		}
	}
	return spans
}

func send(t testing.TB, to otlp.Target, trace *store.Trace, options otlp.Options) (otlp.Result, error) {
	t.Helper()
	return otlp.SendTo(context.Background(), to, func(u otlp.Uploader) (otlp.Result, error) {
		return otlp.Send(context.Background(), u, trace, options)
	})
}

// Everything in the trace arrives, over both protocols, and equals what SQLite
// says: count, names, parents, links, times, attributes.
func TestReceiverGetsTheWholeTrace(t *testing.T) {
	trace := tracetest.Generated(t, 3000)
	for _, protocol := range []string{otlp.GRPC, otlp.HTTP} {
		t.Run(filepath.Base(protocol), func(t *testing.T) {
			b := start(t, freeAddress(t), freeAddress(t))
			target := otlp.Target{Endpoint: b.http, Protocol: protocol}
			if protocol == otlp.GRPC {
				target.Endpoint = b.grpc
			}
			result, err := send(t, target, trace, otlp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			spans := b.spans(t)
			if int64(len(spans)) != result.Sent || result.Sent != result.Spans {
				t.Errorf("%d spans arrived, %d sent of %d", len(spans), result.Sent, result.Spans)
			}
			compare(t, trace, spans)
		})
	}
}

// compare holds spans against the trace.
func compare(t *testing.T, trace *store.Trace, spans map[pcommon.SpanID]received) {
	t.Helper()
	byRecord, byActivity := map[int64]received{}, map[int64]received{}
	roots := map[int64]received{}
	ids := map[pcommon.TraceID]bool{}
	overflow := map[pcommon.SpanID][]received{}
	for _, span := range spans {
		ids[span.TraceID()] = true
		if v, ok := span.Attributes().Get("accscope.record"); ok {
			byRecord[v.Int()] = span
		} else if v, ok := span.Attributes().Get("accscope.activity.number"); ok {
			byActivity[v.Int()] = span
		} else if span.Name() == "events" {
			overflow[span.ParentSpanID()] = append(overflow[span.ParentSpanID()], span)
		} else if v, ok := span.resource.Attributes().Get("process.pid"); ok && !strings.HasPrefix(span.Name(), "start of ") {
			roots[v.Int()] = span
		}
	}
	if len(ids) != 1 {
		t.Errorf("%d trace ids", len(ids))
	}
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	rootOf := map[int64]received{}
	for _, p := range processes {
		root, ok := roots[int64(p.PID)]
		if !ok {
			t.Fatalf("no span of process %d", p.PID)
		}
		rootOf[int64(p.ID)] = root
		attribute(t, root.resource.Attributes(), "process.executable.name", filepath.Base(p.Program))
		attribute(t, root.resource.Attributes(), "host.name", p.On.Name)
	}
	threads, err := trace.Threads()
	if err != nil {
		t.Fatal(err)
	}
	tids := map[int64]int{}
	for _, thread := range threads {
		tids[int64(thread.ID)] = thread.TID
	}
	unix := func(ns int64) pcommon.Timestamp { return pcommon.Timestamp(meta.Realtime + ns) }
	hosts, events := 0, 0
	for r, err := range trace.Records(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		parent := rootOf[int64(r.Site.Process)]
		if r.Parent != 0 {
			parent = byRecord[r.Parent]
		}
		if !r.Span || r.Site.Kind == "wait" {
			events++
			if !hasEvent(append(overflow[parent.SpanID()], parent), r, unix(r.Start)) {
				t.Errorf("record %d (%s) is no event of %s", r.ID, r.Site.Kind, parent.Name())
			}
		}
		if !r.Span {
			continue
		}
		hosts++
		span, ok := byRecord[r.ID]
		if !ok {
			t.Errorf("record %d did not arrive", r.ID)
			continue
		}
		if span.ParentSpanID() != parent.SpanID() {
			t.Errorf("record %d is in %s, want %s", r.ID, span.ParentSpanID(), parent.SpanID())
		}
		if span.StartTimestamp() != unix(r.Start) || span.EndTimestamp() != unix(max(r.End(), r.Start+1)) {
			t.Errorf("record %d: from %d to %d, want from %d to %d", r.ID, span.StartTimestamp(), span.EndTimestamp(), unix(r.Start), unix(r.End()))
		}
		name := r.Site.Kind
		if r.Site.Name != "" {
			name += " " + r.Site.Name
		}
		if r.Site.Kind == "enqueue_launch" {
			name = r.Site.Name
			attribute(t, span.Attributes(), "accscope.kernel", r.Site.Symbol)
			attribute(t, span.Attributes(), "accscope.gangs", r.Site.Gangs)
		}
		if span.Name() != name {
			t.Errorf("record %d is called %q, want %q", r.ID, span.Name(), name)
		}
		attribute(t, span.Attributes(), "accscope.event", r.Site.Kind)
		attribute(t, span.Attributes(), "accscope.async_queue", r.Site.AsyncQueue)
		attribute(t, span.Attributes(), "accscope.sequence", r.Sequence)
		attribute(t, span.Attributes(), "thread.id", tids[int64(r.Thread)])
		if r.Site.File != "" {
			attribute(t, span.Attributes(), "code.file.path", r.Site.File)
			attribute(t, span.Attributes(), "code.line.number", r.Site.Line)
		}
		if r.Bytes != 0 {
			attribute(t, span.Attributes(), "accscope.bytes", r.Bytes)
		}
	}
	activities := 0
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		activities++
		span, ok := byActivity[a.ID]
		if !ok {
			t.Errorf("activity %d did not arrive", a.ID)
			continue
		}
		if span.StartTimestamp() != unix(a.Start) || span.EndTimestamp() != unix(a.End()) {
			t.Errorf("activity %d: wrong times", a.ID)
		}
		if span.ParentSpanID() != rootOf[int64(a.Work.Process)].SpanID() {
			t.Errorf("activity %d has the wrong parent", a.ID)
		}
		attribute(t, span.Attributes(), "accscope.activity", a.Work.Kind)
		if _, ok := span.resource.Attributes().Get("accscope.device.type"); !ok {
			t.Errorf("activity %d: its resource is no device", a.ID)
		}
		if a.Record != 0 && (span.Links().Len() != 1 || span.Links().At(0).SpanID() != byRecord[a.Record].SpanID()) {
			t.Errorf("activity %d is not linked to record %d", a.ID, a.Record)
		}
	}
	if len(byRecord) != hosts || len(byActivity) != activities || hosts == 0 || activities == 0 || events == 0 {
		t.Errorf("%d host spans of %d, %d activities of %d, %d events", len(byRecord), hosts, len(byActivity), activities, events)
	}
}

// hasEvent looks for a record among the events of spans.
func hasEvent(spans []received, r *store.Record, at pcommon.Timestamp) bool {
	for _, span := range spans {
		for _, e := range span.Events().All() {
			if v, ok := e.Attributes().Get("accscope.record"); ok && v.Int() == r.ID {
				return e.Timestamp() == at && (e.Name() == "exception") == (r.Site.Kind == "error")
			}
		}
	}
	return false
}

func attribute(t *testing.T, attributes pcommon.Map, key string, want any) {
	t.Helper()
	got, ok := attributes.Get(key)
	if !ok || got.AsString() != fmt.Sprint(want) {
		t.Errorf("%s is %q, want %v", key, got.AsString(), want)
	}
}
