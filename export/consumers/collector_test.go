package consumers

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
)

// startCollector runs an OpenTelemetry Collector with the configuration of
// docs/opentelemetry.md, but for addresses and the time until it decides. It is
// Jaeger's second version, which is a distribution of the Collector with the
// components that the page names.
func startCollector(t *testing.T, grpc, web, backend string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/opentelemetry.md")
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	if recipe == nil {
		t.Fatal("the page has no configuration")
	}
	text := strings.NewReplacer("127.0.0.1:4317", grpc, "127.0.0.1:4318", web, "tempo:4317", backend, "127.0.0.1:9464", freeAddress(t),
		"decision_wait: 30s", "decision_wait: 3s", "sampling_percentage: 10", "sampling_percentage: 0",
		"service:\n", "service:\n  telemetry: {metrics: {level: none}}\n").Replace(string(recipe[1]))
	path := filepath.Join(t.TempDir(), "collector.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := exec.Command(jaegerBinary(t, "jaeger"), "--config", path)
	var log strings.Builder
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.Process.Kill() //nolint:errcheck // it may have ended
		server.Wait()         //nolint:errcheck // it was killed
		if t.Failed() {
			t.Log(log.String())
		}
	})
	for _, address := range []string{grpc, web} {
		until(t, "the collector listens", func() bool {
			conn, err := net.Dial("tcp", address)
			return err == nil && conn.Close() == nil
		})
	}
}

// A collector that samples by the whole trace, as the page has it, passes on all of a
// run that failed, and nothing of one that did not.
func TestCollectorKeepsTheRunsThatFailed(t *testing.T) {
	jaegerBinary(t, "jaeger")
	program := compiled(t, "status", "#include <stdlib.h>\nint main(int argc, char **argv) { int a[4] = {0};\n#pragma acc parallel loop copy(a)\nfor (int i = 0; i < 4; i++) a[i] = i;\nreturn argc > 1 ? atoi(argv[1]) : 0; }\n")
	tool, _, _ := commandLine(t, nil)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b := start(t, freeAddress(t), freeAddress(t))
	grpc, web := freeAddress(t), freeAddress(t)
	startCollector(t, grpc, web, strings.TrimPrefix(b.grpc, "http://"))
	for protocol, address := range map[string]string{otlp.GRPC: grpc, otlp.HTTP: web} {
		t.Run(filepath.Base(protocol), func(t *testing.T) {
			b.traces.Reset()
			run := func(name, status string) (path string, spans int64) {
				path = filepath.Join(t.TempDir(), name+".db")
				run := exec.Command(tool, "run", "-q", "--device", "sim", "-o", path, "--", program, status)
				run.Env = append(os.Environ(), "ACCSCOPE_LIBRARY_PATH="+filepath.Join(root, "lib"))
				if output, err := run.CombinedOutput(); err != nil && status == "0" {
					t.Fatalf("%v\n%s", err, output)
				}
				result, err := send(t, otlp.Target{Endpoint: "http://" + address, Protocol: protocol}, tracetest.Open(t, path), otlp.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return path, result.Spans
			}
			run("well", "0") // first, so that it has been decided on when the other is
			path, sent := run("failed", "3")
			until(t, "the failed run has arrived", func() bool { return int64(b.traces.SpanCount()) >= sent })
			spans := b.spans(t)
			compare(t, tracetest.Open(t, path), spans)
			for _, span := range spans {
				if span.ParentSpanID().IsEmpty() {
					attribute(t, span.Attributes(), "process.exit.code", 3)
				}
			}
		})
	}
}
