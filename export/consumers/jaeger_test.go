package consumers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/accscope/accscope/export/otlp"
)

const jaegerVersion = "v1.76.0"

// jaegerBinary builds Jaeger once for each machine; its module cannot be
// installed directly, as its go.mod has a replace.
func jaegerBinary(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "accscope", "jaeger-"+jaegerVersion)
	binary := filepath.Join(folder, "all-in-one")
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const module = "github.com/jaegertracing/jaeger"
	command := exec.Command("sh", "-e", "-c", fmt.Sprintf(`
test -e go.mod || go mod init jaeger
go mod download %[1]s@%[2]s
cp "$(go env GOMODCACHE)/%[1]s@%[2]s/go.sum" go.sum
chmod +w go.sum
go get -tool %[1]s/cmd/all-in-one@%[2]s
go build -o all-in-one.new %[1]s/cmd/all-in-one
mv all-in-one.new all-in-one`, module, jaegerVersion))
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building Jaeger: %v\n%s", err, output)
	}
	return binary
}

// Jaeger, asked by its query API, has what the trace has.
func TestJaegerShowsTheTrace(t *testing.T) {
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("builds Jaeger; set ACCSCOPE_LONG=1")
	}
	binary := jaegerBinary(t)
	grpc, web, query, admin := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	server := exec.Command(binary, "--collector.otlp.grpc.host-port="+grpc, "--collector.otlp.http.host-port="+web,
		"--collector.grpc-server.host-port="+freeAddress(t), "--collector.http-server.host-port="+freeAddress(t),
		"--admin.http.host-port="+admin, "--query.http-server.host-port="+query, "--query.grpc-server.host-port="+freeAddress(t))
	server.Env = append(os.Environ(), "SPAN_STORAGE_TYPE=memory")
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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	until(ctx, t, func() bool {
		response, err := http.Get("http://" + admin + "/")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	trace := openGenerated(t, 1000)
	for _, target := range []otlp.Target{{Endpoint: "http://" + grpc, Protocol: otlp.GRPC}, {Endpoint: "http://" + web, Protocol: otlp.HTTP}} {
		result, err := send(t, target, trace, otlp.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var spans map[pcommon.SpanID]received
		until(ctx, t, func() bool {
			spans = ask(t, "http://"+query+"/api/v3/traces/"+result.TraceID.String())
			return int64(len(spans)) >= result.Sent
		})
		compare(t, trace, spans)
	}
}

func until(ctx context.Context, t *testing.T, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("Jaeger did not answer in time")
		}
	}
}

// ask reads a trace from Jaeger's query API, which answers in OTLP's JSON, with
// all nanoseconds. The same span sent twice counts once.
func ask(t *testing.T, url string) map[pcommon.SpanID]received {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		return nil
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
	if err != nil {
		t.Fatal(err)
	}
	spans := map[pcommon.SpanID]received{}
	for _, r := range traces.ResourceSpans().All() {
		for _, scope := range r.ScopeSpans().All() {
			for _, span := range scope.Spans().All() {
				spans[span.SpanID()] = received{span, r.Resource()}
			}
		}
	}
	return spans
}
