package consumers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/runtime/compilers"
)

// live writes a trace in many transactions and has each sent once it is
// committed. between is told their number.
func live(t *testing.T, to otlp.Target, between func(commits int)) (*store.Trace, otlp.Result, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	session := generate.New(generate.Options{Spans: 30000, Threads: 2, Activity: true, Seed: 2})
	w, err := write.Create(path, 0, session.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, session); err != nil {
		t.Fatal(err)
	}
	client, err := to.Client()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	exporter := otlp.NewLive(context.Background(), client, otlp.Options{})
	commits := 0
	rows := 0
	written := func(err error) error {
		if rows++; err != nil || rows%5003 != 0 {
			return err
		}
		if err := w.Commit(); err != nil {
			return err
		}
		commits++
		between(commits)
		return exporter.Poll(nil, path)
	}
	session.Write = func(step *model.Step) error { return written(w.Write(step)) }
	session.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
		return written(w.WriteActivity(a, enqueue, device, queue))
	}
	if err := session.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if commits < 5 {
		t.Fatalf("%d transactions", commits)
	}
	result, err := exporter.Finish(path)
	if err := client.Stop(context.Background()); err != nil {
		t.Error(err)
	}
	return tracetest.Open(t, path), result, err
}

// What is sent while the trace is written is the whole of it, under the ids that
// it has when it is sent afterwards.
func TestLiveSendsTheWholeTrace(t *testing.T) {
	b := start(t, freeAddress(t), freeAddress(t))
	arrived := 0
	trace, result, err := live(t, otlp.Target{Endpoint: b.http}, func(commits int) {
		if commits == 4 {
			arrived = b.traces.SpanCount()
		}
	})
	if err != nil || result.Unsent != 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if arrived == 0 {
		t.Error("nothing arrived while the trace was written")
	}
	spans := b.spans(t)
	compare(t, trace, spans)
	again := start(t, freeAddress(t), freeAddress(t))
	if _, err := send(t, otlp.Target{Endpoint: again.http}, trace, otlp.Options{}); err != nil {
		t.Fatal(err)
	}
	for id, span := range again.spans(t) {
		if span.Name() == "events" {
			continue
		}
		if _, ok := spans[id]; !ok {
			t.Fatalf("%s has another id afterwards", span.Name())
		}
	}
}

// A backend that is gone for a while costs the spans of that while, which are
// counted.
func TestLiveOutlivesItsBackend(t *testing.T) {
	// What is sent while it is gone fills the queue, and so waits until it is given up.
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1000")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1000")
	grpc, http := freeAddress(t), freeAddress(t)
	first := start(t, grpc, http)
	var second *backend
	trace, result, err := live(t, otlp.Target{Endpoint: first.http}, func(commits int) {
		switch commits {
		case 3:
			first.stop()
		case 5:
			t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "10000")
			second = start(t, grpc, http)
		}
	})
	if err == nil || result.Unsent == 0 || result.Sent == 0 || result.Sent+result.Unsent != result.Spans {
		t.Errorf("%+v, %v", result, err)
	}
	if n := first.traces.SpanCount() + second.traces.SpanCount(); int64(n) < result.Sent || second.traces.SpanCount() == 0 {
		t.Errorf("%d arrived before and %d after, %d counted as sent", first.traces.SpanCount(), second.traces.SpanCount(), result.Sent)
	}
	second.traces.Reset()
	if _, err := send(t, otlp.Target{Endpoint: second.http}, trace, otlp.Options{}); err != nil {
		t.Fatal(err)
	}
	compare(t, trace, second.spans(t))
}

// accscope run --otlp sends a program's run, and what was sent equals the trace
// that the run leaves.
func TestRunSendsLive(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	tool, program, path := filepath.Join(folder, "accscope"), filepath.Join(folder, "pipeline"), filepath.Join(folder, "trace.db")
	if err := compilers.Accscope(tool); err != nil {
		t.Fatal(err)
	}
	b := start(t, freeAddress(t), freeAddress(t))
	run := exec.Command(tool, "run", "--otlp", "--otlp-timeout", "10m", "--endpoint", b.grpc, "--protocol", "grpc", "--no-summary", "--device", "sim", "-o", path, "--", program)
	run.Env = append(os.Environ(), "OTEL_BSP_SCHEDULE_DELAY=20")
	if os.Getenv("ACCSCOPE_LIBRARY_PATH") == "" {
		run.Env = append(run.Env, "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"))
	}
	for _, command := range []*exec.Cmd{
		exec.Command(compilers.C(), "-fopenacc", "-O2", "-g", "-o", program, filepath.Join(root, "examples/pipeline/pipeline.c"), "-lm"),
		run,
	} {
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, output)
		} else if command == run && !strings.Contains(string(output), "sent trace") {
			t.Errorf("the run says\n%s", output)
		}
	}
	trace := tracetest.Open(t, path)
	compare(t, trace, b.spans(t))
	var launches, received int64
	for _, err := range trace.Records(store.Filter{Kinds: []string{"enqueue_launch"}}) {
		if err != nil {
			t.Fatal(err)
		}
		launches++
	}
	for _, batch := range b.metrics.AllMetrics() { // the newest is last
		for _, m := range batch.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
			if m.Name() == "accscope.kernel.launches" {
				received = 0
				for _, p := range m.Sum().DataPoints().All() {
					received += p.IntValue()
				}
			}
		}
	}
	if received != launches || launches == 0 {
		t.Errorf("the metrics say %d launches, the trace %d", received, launches)
	}
}
