package consumers

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/runtime/compilers"
)

// commandLine builds accscope and an example, and runs the example under it
// with further flags and variables.
func commandLine(t *testing.T, variables []string, flags ...string) (tool, path string, said []byte) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	tool, path = filepath.Join(folder, "accscope"), filepath.Join(folder, "trace.db")
	program := filepath.Join(folder, "pipeline")
	if err := compilers.Accscope(tool); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"run", "--no-summary", "--device", "sim", "-o", path}, flags...), "--", program, "4", "4096")
	run := exec.Command(tool, args...)
	run.Env = append(append(os.Environ(), "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"), "OTEL_BSP_SCHEDULE_DELAY=20"), variables...)
	for _, command := range []*exec.Cmd{
		exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-O2", "-g", "-o", program, filepath.Join(root, "examples/pipeline/pipeline.c"), "-lm"), run} {
		if said, err = command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, said)
		}
	}
	return tool, path, said
}

const (
	caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	other  = "00-1bf7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01"
)

// joined says whether spans are of a caller's trace, one of them below the
// caller's span.
func joined(t *testing.T, b *backend, parent string) {
	t.Helper()
	fields := strings.Split(parent, "-")
	below := 0
	for _, span := range b.spans(t) {
		if span.TraceID().String() != fields[1] {
			t.Fatalf("%s is of trace %s", span.Name(), span.TraceID())
		}
		if span.ParentSpanID().String() == fields[2] {
			below++
		}
	}
	if below != 1 {
		t.Errorf("%d spans below the caller's", below)
	}
	b.traces.Reset()
}

// A run joins the trace of its caller, live and afterwards, and the metrics of
// its course are sent with it.
func TestCommandLineJoinsTheCaller(t *testing.T) {
	b := start(t, freeAddress(t), freeAddress(t))
	tool, path, _ := commandLine(t, []string{"TRACEPARENT=" + caller}, "--otlp", "--endpoint", b.http)
	joined(t, b, caller)
	b.metrics.Reset()
	export := func(args ...string) string {
		t.Helper()
		command := exec.Command(tool, append(append([]string{"export", "--to", "otlp", "--full", "--endpoint", b.http}, args...), path)...)
		command.Env = append(os.Environ(), "TRACEPARENT="+other)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return string(output)
	}
	if said := export(); !strings.Contains(said, "sent its metrics") {
		t.Errorf("the export says\n%s", said)
	}
	joined(t, b, caller)
	var launches int64
	trace := tracetest.Open(t, path)
	for _, err := range trace.Spans(store.Filter{Kinds: []string{"enqueue_launch"}}) {
		if err != nil {
			t.Fatal(err)
		}
		launches++
	}
	newest := map[string]int64{}
	points := 0
	for _, batch := range b.metrics.AllMetrics() {
		for _, m := range batch.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			if m.Type() == pmetric.MetricTypeSum {
				for _, p := range m.Sum().DataPoints().All() {
					points++
					newest[m.Name()] = max(newest[m.Name()], p.IntValue())
				}
			}
		}
	}
	if newest["accscope.kernel.launches"] != launches || launches == 0 || points < 100 {
		t.Errorf("%d points end in %v, the trace has %d launches", points, newest, launches)
	}
	b.metrics.Reset()
	if export("--traceparent", other, "--metrics=false"); b.metrics.DataPointCount() != 0 {
		t.Errorf("%d points", b.metrics.DataPointCount())
	}
	joined(t, b, other)

	// Of a part of the trace, device activity is that of the chosen enqueues.
	export("--kernel", "omp_fn.0", "--metrics=false")
	hosts, devices := 0, 0
	for _, span := range b.spans(t) {
		if _, ok := span.Attributes().Get("accscope.record"); ok {
			hosts++
			attribute(t, span.Attributes(), "accscope.event", "enqueue_launch")
		}
		if _, ok := span.Attributes().Get("accscope.activity.number"); ok {
			devices++
			attribute(t, span.Attributes(), "accscope.activity", "kernel")
			if span.Links().Len() != 1 {
				t.Errorf("%s has %d links", span.Name(), span.Links().Len())
			}
		}
	}
	if hosts == 0 || devices != hosts {
		t.Errorf("%d launches, %d kernels", hosts, devices)
	}
}

// A backend that takes connections and never answers holds up neither the
// program nor its end: nothing is delivered, all is counted, and sent afterwards.
func TestRunEndsWhereTheBackendHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the backend as long as a run does at its end")
	}
	hanging, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hanging.Close()
	_, path, said := commandLine(t, []string{"OTEL_METRICS_EXPORTER=none"}, "--otlp", "--protocol", "http", "--endpoint", "http://"+hanging.Addr().String())
	count := regexp.MustCompile(`(\d+) spans sent, (\d+) not`).FindSubmatch(said)
	if count == nil || string(count[1]) != "0" {
		t.Fatalf("the run says\n%s", said)
	}
	trace := tracetest.Open(t, path)
	b := start(t, freeAddress(t), freeAddress(t))
	result, err := send(t, otlp.Target{Endpoint: b.http}, trace, otlp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if unsent, err := strconv.ParseInt(string(count[2]), 10, 64); err != nil || unsent != result.Sent {
		t.Errorf("%s spans counted as not sent, %d sent afterwards", count[2], result.Sent)
	}
	compare(t, trace, b.spans(t))
}
