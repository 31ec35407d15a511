package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otlp"
	"github.com/accscope/accscope/runtime/compilers"
)

// conventions holds all that arrived against OpenTelemetry's own rules: what
// made it is told, nothing is empty, children begin and end with their parents,
// and what tells of time alone has few names.
func conventions(t *testing.T, b *backend, version string) {
	t.Helper()
	events := map[string]bool{}
	for _, batch := range b.traces.AllTraces() {
		for _, r := range batch.ResourceSpans().All() {
			attribute(t, r.Resource().Attributes(), "telemetry.sdk.name", "accscope")
			attribute(t, r.Resource().Attributes(), "telemetry.sdk.language", "go")
			attribute(t, r.Resource().Attributes(), "telemetry.sdk.version", version)
			if !strings.HasPrefix(r.SchemaUrl(), "https://opentelemetry.io/schemas/1.") {
				t.Errorf("schema URL %q", r.SchemaUrl())
			}
			for _, scope := range r.ScopeSpans().All() {
				if scope.Scope().Name() == "" || scope.Scope().Version() != version || scope.SchemaUrl() != r.SchemaUrl() {
					t.Errorf("scope %s %s, schema %s", scope.Scope().Name(), scope.Scope().Version(), scope.SchemaUrl())
				}
			}
		}
	}
	spans := b.spans(t)
	for _, span := range spans {
		for key, value := range span.Attributes().All() {
			if value.AsString() == "" {
				t.Errorf("%s: %s is empty", span.Name(), key)
			}
		}
		for _, event := range span.Events().All() {
			events[event.Name()] = true
		}
		if parent, known := spans[span.ParentSpanID()]; known && span.StartTimestamp() < parent.StartTimestamp() {
			t.Errorf("%s begins %d ns before %s", span.Name(), parent.StartTimestamp()-span.StartTimestamp(), parent.Name())
		}
	}
	for name := range events {
		switch name {
		case "alloc", "free", "create", "delete", "wait", "exception", "runtime_shutdown":
		default:
			t.Errorf("an event is called %q", name)
		}
	}
	if len(events) == 0 {
		t.Error("no events")
	}
}

// What is sent of a program's run follows OpenTelemetry's conventions, device
// activity with the place in the source that asked for it.
func TestSpansFollowTheConventions(t *testing.T) {
	_, path, _ := commandLine(t, nil)
	trace := tracetest.Open(t, path)
	for _, limit := range []int{0, 50} {
		b := start(t, freeAddress(t), freeAddress(t))
		if _, err := send(t, otlp.Target{Endpoint: b.http}, trace, otlp.Options{SpanLimit: limit, Options: export.Options{Version: "1.2.3"}}); err != nil {
			t.Fatal(err)
		}
		conventions(t, b, "1.2.3")
		services := map[string]bool{}
		for _, span := range b.spans(t) {
			name, _ := span.resource.Attributes().Get("service.name")
			services[name.Str()] = true
			if _, device := span.Attributes().Get("accscope.activity"); !device {
				continue
			}
			if file, ok := span.Attributes().Get("code.file.path"); !ok || filepath.Base(file.Str()) != "pipeline.c" {
				t.Errorf("%s is from %q", span.Name(), file.AsString())
			}
			if line, ok := span.Attributes().Get("code.line.number"); !ok || line.Int() <= 0 {
				t.Errorf("%s is from line %s", span.Name(), line.AsString())
			}
		}
		if !services["pipeline"] || !services["pipeline sim 0"] {
			t.Errorf("services %v", services)
		}
	}
}

// A run of several processes that no other of the trace started has one root.
func TestRunOfSeveralProcessesHasOneRoot(t *testing.T) {
	tool, _, _ := commandLine(t, nil)
	folder := filepath.Dir(tool)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, freeAddress(t), freeAddress(t))
	path := filepath.Join(folder, "two.db")
	run := exec.Command(tool, "run", "--no-summary", "--device", "sim", "--otlp", "--endpoint", b.http, "-o", path, "--",
		"sh", "-c", `"$0" 4 4096 & "$0" 4 4096; wait`, filepath.Join(folder, "pipeline"))
	run.Env = append(os.Environ(), "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"))
	if output, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	trace := tracetest.Open(t, path)
	once := func() {
		t.Helper()
		compare(t, trace, b.spans(t))
		roots := 0
		for _, span := range b.spans(t) {
			if span.ParentSpanID().IsEmpty() {
				roots++
				attribute(t, span.Attributes(), "accscope.run.processes", 2)
				if span.Name() != "run pipeline" {
					t.Errorf("the root is called %q", span.Name())
				}
			}
		}
		if roots != 1 {
			t.Errorf("%d roots", roots)
		}
		b.traces.Reset()
	}
	once()
	for _, limit := range []int{0, otlp.DefaultSpanLimit} {
		result, err := send(t, otlp.Target{Endpoint: b.http}, trace, otlp.Options{SpanLimit: limit})
		if err != nil || result.Recorded != result.Spans {
			t.Fatalf("%+v, %v", result, err)
		}
		once()
	}
}

// compiled is a C program's executable.
func compiled(t *testing.T, name, source string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(program+".c", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := exec.Command(compilers.C(), "-fopenacc", "-foffload=disable", "-o", program, program+".c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

// The status with which a program exits is on its span.
func TestExitStatusIsToldOfTheProcess(t *testing.T) {
	program := compiled(t, "three", "int main(void) { int a[4] = {0};\n#pragma acc parallel loop copy(a)\nfor (int i = 0; i < 4; i++) a[i] = i;\nreturn a[3]; }\n")
	tool, _, _ := commandLine(t, nil)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, freeAddress(t), freeAddress(t))
	path := filepath.Join(t.TempDir(), "three.db")
	run := exec.Command(tool, "run", "--no-summary", "--device", "sim", "--otlp", "--endpoint", b.http, "-o", path, "--", program)
	run.Env = append(os.Environ(), "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"))
	if output, err := run.CombinedOutput(); run.ProcessState.ExitCode() != 3 {
		t.Fatalf("%v\n%s", err, output)
	}
	told := func() {
		t.Helper()
		for _, span := range b.spans(t) {
			if span.ParentSpanID().IsEmpty() {
				attribute(t, span.Attributes(), "process.exit.code", 3)
				if span.Status().Message() != "exit status 3" {
					t.Errorf("status %q", span.Status().Message())
				}
				return
			}
		}
		t.Error("no span of the process")
	}
	told()
	b.traces.Reset()
	if _, err := send(t, otlp.Target{Endpoint: b.http}, tracetest.Open(t, path), otlp.Options{}); err != nil {
		t.Fatal(err)
	}
	told()
}

// The caller decides whether its trace is recorded; what else it says of it is
// kept on every span.
func TestCallersContextIsKept(t *testing.T) {
	const state = "vendor=opaque,other=1"
	unsampled := strings.TrimSuffix(caller, "01") + "00"
	random := strings.TrimSuffix(caller, "01") + "03"
	b := start(t, freeAddress(t), freeAddress(t))
	tool, path, said := commandLine(t, []string{"TRACEPARENT=" + unsampled, "OTEL_METRICS_EXPORTER=none"}, "--otlp", "--endpoint", b.http)
	if n := b.traces.SpanCount(); n != 0 || !strings.Contains(string(said), "no spans were sent") {
		t.Errorf("%d spans of a caller that is not sampled; the run says\n%s", n, said)
	}
	export := func(variable string) string {
		t.Helper()
		command := exec.Command(tool, "export", "--to", "otlp", "--full", "--metrics=false", "--endpoint", b.http, path)
		command.Env = append(os.Environ(), variable)
		output, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return string(output)
	}
	if said := export("OTEL_TRACES_SAMPLER="); b.traces.SpanCount() != 0 || !strings.Contains(said, "no spans were sent") {
		t.Errorf("%d spans; the export says\n%s", b.traces.SpanCount(), said)
	}
	if export("OTEL_TRACES_SAMPLER=always_on"); b.traces.SpanCount() == 0 {
		t.Error("always_on sends nothing")
	}
	b.traces.Reset()

	kept := func() {
		t.Helper()
		for _, span := range b.spans(t) {
			remote := span.ParentSpanID().String() == strings.Split(random, "-")[2]
			if flags := span.Flags(); flags&0xff != 3 || flags>>8&1 != 1 || (flags>>9&1 == 1) != remote {
				t.Errorf("%s: flags %#x, parent remote: %v", span.Name(), flags, remote)
			}
			if span.TraceState().AsRaw() != state {
				t.Errorf("%s: trace state %q", span.Name(), span.TraceState().AsRaw())
			}
		}
		joined(t, b, random)
	}
	_, path, _ = commandLine(t, []string{"TRACEPARENT=" + random, "TRACESTATE=" + state}, "--otlp", "--endpoint", b.http)
	kept()
	export("TRACESTATE=of=another")
	kept()
}

// saying is a program that writes the TRACEPARENT of its environment.
const saying = `#include <stdio.h>
#include <stdlib.h>
int main (void)
{
  int a[4] = { 0 };
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 4; i++)
    a[i] = i;
  printf ("%s\n", getenv ("TRACEPARENT"));
  return 0;
}
`

// A program whose spans are sent is given the span of its process, several that
// nothing of the trace started the one around them: what they send themselves
// belongs to it.
func TestProgramIsGivenItsSpan(t *testing.T) {
	tool, _, _ := commandLine(t, nil)
	program := compiled(t, "saying", saying)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, span  string
		environment []string
		command     []string
	}{
		{name: "the program", span: "saying on ", command: []string{program}},
		{name: "with a caller", span: "saying on ", environment: []string{"TRACEPARENT=" + caller, "TRACESTATE=vendor=opaque"}, command: []string{program}},
		{name: "two of a script", span: "run saying", command: []string{"sh", "-c", `"$0" & "$0"; wait`, program}},
		{name: "ranks", span: "run saying", command: []string{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", program}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := start(t, freeAddress(t), freeAddress(t))
			path := filepath.Join(t.TempDir(), "trace.db")
			run := exec.Command(tool, append([]string{"run", "-q", "--device", "sim", "--otlp", "--endpoint", b.http, "-o", path, "--"}, test.command...)...)
			run.Env = append(append(os.Environ(), "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"), "OTEL_METRICS_EXPORTER=none"), test.environment...)
			said, err := run.Output()
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Fields(string(said)) {
				fields := strings.Split(line, "-")
				found := false
				for _, span := range b.spans(t) {
					if span.SpanID().String() != fields[2] {
						continue
					}
					found = true
					if span.TraceID().String() != fields[1] || !strings.HasPrefix(span.Name(), test.span) || fields[3] != "01" {
						t.Errorf("the program was told %s; that is %q of trace %s", line, span.Name(), span.TraceID())
					}
					if given := test.environment != nil; given != (span.ParentSpanID().String() == strings.Split(caller, "-")[2]) {
						t.Errorf("%q is a child of %s", span.Name(), span.ParentSpanID())
					}
				}
				if !found {
					t.Errorf("the program was told %s, which was not sent", line)
				}
			}
			compare(t, tracetest.Open(t, path), b.spans(t))
			before := b.spans(t)
			b.traces.Reset()
			if _, err := send(t, otlp.Target{Endpoint: b.http}, tracetest.Open(t, path), otlp.Options{}); err != nil {
				t.Fatal(err)
			}
			for id, span := range b.spans(t) {
				if _, same := before[id]; !same && test.environment == nil {
					t.Errorf("%q has another id afterwards", span.Name())
				}
			}
		})
	}
}

// While a program runs, its process is told of: the backend shows that it has
// started.
func TestStartIsToldWhileTheProgramRuns(t *testing.T) {
	b := start(t, freeAddress(t), freeAddress(t))
	s := startSteady(t, b.http, otlp.HTTP)
	until(t, "the start has arrived", func() bool {
		for _, span := range b.spans(t) {
			if strings.HasPrefix(span.Name(), "start of steady") {
				return true
			}
		}
		return false
	})
	s.end(t)
	spans := b.spans(t)
	for _, span := range spans {
		if !strings.HasPrefix(span.Name(), "start of ") {
			continue
		}
		if process, sent := spans[span.ParentSpanID()]; !sent || !strings.HasPrefix(process.Name(), "steady") || process.StartTimestamp() > span.StartTimestamp() {
			t.Errorf("%q is a child of %q", span.Name(), process.Name())
		}
	}
}
