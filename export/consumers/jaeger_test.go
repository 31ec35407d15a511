package consumers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export/otlp"
)

const jaegerVersion = "v1.76.0"

// jaegerBinary builds a program of Jaeger's (all-in-one; jaeger, its second version) once for each machine, where long tests are wanted; its module cannot be
// installed directly, as its go.mod has a replace.
func jaegerBinary(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(cache, "accscope", "jaeger-"+jaegerVersion)
	binary := filepath.Join(folder, name)
	if _, err := os.Stat(binary); err == nil {
		return binary
	}
	if os.Getenv("ACCSCOPE_LONG") == "" {
		t.Skip("builds Jaeger; set ACCSCOPE_LONG=1")
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
go get -tool %[1]s/cmd/%[3]s@%[2]s
go build -trimpath -ldflags='-s -w' -o %[3]s.new %[1]s/cmd/%[3]s
mv %[3]s.new %[3]s`, module, jaegerVersion, name))
	command.Dir = folder
	command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("building Jaeger: %v\n%s", err, output)
	}
	return binary
}

// jaeger is a server that keeps traces in memory.
type jaeger struct {
	grpc, http   string // where it takes spans
	query, admin string
	stop         func() // kills it
	end          func() // has it end in order
}

// startJaeger runs a server that takes spans at the addresses and keeps them in memory.
func startJaeger(t *testing.T, grpc, web string) *jaeger {
	t.Helper()
	return startJaegerWith(t, grpc, web, []string{"SPAN_STORAGE_TYPE=memory"})
}

// startJaegerOn keeps spans in a folder, where the next server finds them.
func startJaegerOn(t *testing.T, grpc, web, folder string) *jaeger {
	t.Helper()
	return startJaegerWith(t, grpc, web, []string{"SPAN_STORAGE_TYPE=badger"}, "--badger.ephemeral=false",
		"--badger.directory-key="+filepath.Join(folder, "keys"), "--badger.directory-value="+filepath.Join(folder, "values"))
}

func startJaegerWith(t *testing.T, grpc, web string, environment []string, arguments ...string) *jaeger {
	t.Helper()
	j := &jaeger{grpc: "http://" + grpc, http: "http://" + web, query: "http://" + freeAddress(t), admin: "http://" + freeAddress(t)}
	bare := func(url string) string { return strings.TrimPrefix(url, "http://") }
	server := exec.Command(jaegerBinary(t, "all-in-one"), append(arguments, "--collector.otlp.grpc.host-port="+grpc, "--collector.otlp.http.host-port="+web,
		"--collector.grpc-server.host-port="+freeAddress(t), "--collector.http-server.host-port="+freeAddress(t),
		"--admin.http.host-port="+bare(j.admin), "--query.http-server.host-port="+bare(j.query), "--query.grpc-server.host-port="+freeAddress(t))...)
	server.Env = append(os.Environ(), environment...)
	var log strings.Builder
	server.Stdout, server.Stderr = &log, &log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	stopped := false
	by := func(signal os.Signal) func() {
		return func() {
			if !stopped {
				stopped = true
				server.Process.Signal(signal) //nolint:errcheck // it may have ended
				server.Wait()                 //nolint:errcheck // a signal ended it
			}
		}
	}
	j.stop, j.end = by(os.Kill), by(syscall.SIGTERM)
	t.Cleanup(func() {
		j.stop()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	until(t, "Jaeger is ready", func() bool {
		response, err := http.Get(j.admin + "/")
		if err != nil {
			return false
		}
		return response.Body.Close() == nil && response.StatusCode == http.StatusOK
	})
	return j
}

// target is where a protocol's spans go.
func (j *jaeger) target(protocol string) otlp.Target {
	if protocol == otlp.GRPC {
		return otlp.Target{Endpoint: j.grpc, Protocol: protocol}
	}
	return otlp.Target{Endpoint: j.http, Protocol: protocol}
}

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// spans waits until Jaeger has at least so many spans of a trace.
func (j *jaeger) spans(t *testing.T, id string, atLeast int64) (spans map[pcommon.SpanID]received) {
	t.Helper()
	until(t, fmt.Sprintf("Jaeger has %d spans", atLeast), func() bool {
		spans = j.ask(t, id)
		return int64(len(spans)) >= atLeast
	})
	return spans
}

// ask reads a trace from Jaeger's query API, version 3, which answers in OTLP's
// JSON, with all nanoseconds. The same span sent twice counts once.
func (j *jaeger) ask(t *testing.T, id string) map[pcommon.SpanID]received {
	t.Helper()
	response, err := http.Get(j.query + "/api/v3/traces/" + id)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil
	}
	spans := map[pcommon.SpanID]received{}
	for decoder := json.NewDecoder(response.Body); ; {
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		if err := decoder.Decode(&answer); errors.Is(err, io.EOF) {
			return spans
		} else if err != nil {
			t.Fatal(err)
		}
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(answer.Result)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range traces.ResourceSpans().All() {
			for _, scope := range r.ScopeSpans().All() {
				for _, span := range scope.Spans().All() {
					spans[span.SpanID()] = received{span, r.Resource()}
				}
			}
		}
	}
}

// knows says whether Jaeger has spans of a service.
func (j *jaeger) knows(t *testing.T, service string) bool {
	t.Helper()
	response, err := http.Get(j.query + "/api/v3/services")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var answer struct {
		Services []string `json:"services"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	for _, name := range answer.Services {
		if name == service {
			return true
		}
	}
	return false
}

// Jaeger, asked by its query API, has what the trace has: sent afterwards by
// either protocol, and live.
func TestJaegerShowsTheTrace(t *testing.T) {
	for _, protocol := range []string{otlp.GRPC, otlp.HTTP} {
		t.Run(filepath.Base(protocol), func(t *testing.T) {
			j := startJaeger(t, freeAddress(t), freeAddress(t))
			trace := tracetest.Generated(t, 1000)
			result, err := send(t, j.target(protocol), trace, otlp.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, trace, j.spans(t, result.TraceID.String(), result.Spans))
		})
		t.Run(filepath.Base(protocol)+" live", func(t *testing.T) {
			j := startJaeger(t, freeAddress(t), freeAddress(t))
			trace, result, err := live(t, j.target(protocol), func(int) {})
			if err != nil || result.Unsent != 0 {
				t.Fatalf("%+v, %v", result, err)
			}
			compare(t, trace, j.spans(t, result.TraceID.String(), result.Spans))
		})
	}
}

// failing is a backend that refuses everything.
func failing(t *testing.T, address string) (requests *atomic.Int64, stop func()) {
	t.Helper()
	var listener net.Listener
	until(t, "the port is free", func() bool {
		var err error
		listener, err = net.Listen("tcp", address)
		return err == nil
	})
	requests = new(atomic.Int64)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.Error(w, "out of order", http.StatusBadRequest)
	})}
	go server.Serve(listener) //nolint:errcheck // ends by Close
	return requests, func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A program runs on while Jaeger is killed, another server answers nonsense in
// its place, and Jaeger comes back; what was not delivered is counted, and can be
// sent afterwards.
func TestJaegerIsKilledDuringARun(t *testing.T) {
	jaegerBinary(t, "all-in-one")
	grpc, web := freeAddress(t), freeAddress(t)
	first := startJaeger(t, grpc, web)
	run := startSteady(t, first.http, otlp.HTTP)
	until(t, "Jaeger has the first spans", func() bool { return first.knows(t, "steady") })
	first.stop()
	run.goesOn(t)
	requests, close := failing(t, web)
	until(t, "spans were refused", func() bool { return requests.Load() > 0 })
	run.goesOn(t)
	close()
	second := startJaeger(t, grpc, web)
	until(t, "Jaeger has spans again", func() bool { return second.knows(t, "steady") })
	said := run.end(t)
	count := regexp.MustCompile(`(\d+) spans sent, (\d+) not`).FindStringSubmatch(said)
	if count == nil {
		t.Fatalf("the run says\n%s", said)
	}
	sent, unsent := toNumber(t, count[1]), toNumber(t, count[2])
	trace := tracetest.Open(t, run.path)
	var all int64
	for _, err := range trace.Spans(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all++
	}
	for _, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all++
	}
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	if sent == 0 || unsent == 0 || sent+unsent < all || meta.Lost != 0 {
		t.Errorf("%d spans sent and %d not, the trace has %d and lost %d events", sent, unsent, all, meta.Lost)
	}
	export := exec.Command(run.tool, "export", "--to", "otlp", "--full", "--endpoint", second.http, run.path)
	output, err := export.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	id := regexp.MustCompile(`sent trace ([0-9a-f]{32})`).FindSubmatch(output)
	if id == nil {
		t.Fatalf("the export says\n%s", output)
	}
	compare(t, trace, second.spans(t, string(id[1]), all+1))
}

// A Jaeger that restarts twice during a run, and keeps what it was given, has all spans at
// its end, by either protocol.
func TestRestartsOfJaegerLoseNoSpan(t *testing.T) {
	jaegerBinary(t, "all-in-one")
	for _, protocol := range []string{otlp.GRPC, otlp.HTTP} {
		t.Run(filepath.Base(protocol), func(t *testing.T) {
			grpc, web, folder := freeAddress(t), freeAddress(t), t.TempDir()
			j := startJaegerOn(t, grpc, web, folder)
			run := startSteady(t, j.target(protocol).Endpoint, protocol)
			until(t, "Jaeger has the first spans", func() bool { return j.knows(t, "steady") })
			for range 2 {
				run.goesOn(t)
				j.end()
				run.goesOn(t)
				j = startJaegerOn(t, grpc, web, folder)
				run.goesOn(t)
			}
			said := run.end(t)
			id, count := regexp.MustCompile(`[0-9a-f]{32}`).FindString(said), regexp.MustCompile(`: (\d+) spans`).FindStringSubmatch(said)
			if id == "" || count == nil || strings.Contains(said, " not (") {
				t.Fatalf("the run says\n%s", said)
			}
			spans := j.spans(t, id, toNumber(t, count[1]))
			t.Logf("%s spans sent, %d arrived", count[1], len(spans))
			compare(t, tracetest.Open(t, run.path), spans)
		})
	}
}

func toNumber(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
