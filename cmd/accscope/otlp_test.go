package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/proto"
)

// spansIn counts the spans of a request.
func spansIn(t *testing.T, r *http.Request) (spans int) {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	var message coltracepb.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil {
		t.Errorf("%s: %v", r.URL, err)
	}
	for _, of := range message.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			spans += len(scope.Spans)
		}
	}
	return spans
}

// listener is an address that never answers.
func listener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// refusing is an address that refuses connections: nothing listens there, and nothing
// else can.
func refusing(t *testing.T) string {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(socket) })
	if err := unix.Bind(socket, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	address, err := unix.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d", address.(*unix.SockaddrInet4).Port)
}

// answering is an HTTP server that answers everything with a status.
func answering(t *testing.T, status int) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A backend that takes nothing does not hold a finished run: requests may take an
// hour here, and the run ends, at once where the backend cannot be talked to. What
// was not sent is counted, and sent afterwards.
func TestRunEndsWhereTheBackendTakesNothing(t *testing.T) {
	program := build(t, "pipeline")
	refuses := refusing(t)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer untrusted.Close()
	var mutex sync.Mutex
	taken := 0
	taking := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			mutex.Lock()
			defer mutex.Unlock()
			taken += spansIn(t, r)
		}
	}))
	defer taking.Close()
	hangs := "http://" + listener(t).Addr().String()
	for _, test := range []struct{ name, protocol, endpoint, timeout, because string }{
		{"hangs", "http", hangs, "100ms", "--otlp-timeout"},
		{"hangs", "grpc", hangs, "100ms", "--otlp-timeout"},
		{"refuses", "http", refuses, "100ms", "--otlp-timeout"},
		{"refuses", "grpc", refuses, "100ms", "--otlp-timeout"},
		{"too many requests", "http", answering(t, http.StatusTooManyRequests), "100ms", "--otlp-timeout"},
		{"unavailable", "http", answering(t, http.StatusServiceUnavailable), "100ms", "--otlp-timeout"},
		{"certificate", "http", untrusted.URL, "1h", "certificate"},
		{"certificate", "grpc", untrusted.URL, "100ms", "--otlp-timeout"},
	} {
		t.Run(test.name+" "+test.protocol, func(t *testing.T) {
			folder := t.TempDir()
			run := execute(t, folder, []string{"OTEL_EXPORTER_OTLP_TIMEOUT=3600000"}, accscope, "run", "--no-summary", "--device", "sim", "-o", "t.db",
				"--otlp", "--otlp-timeout", test.timeout, "--protocol", test.protocol, "--endpoint", test.endpoint, "--", program, "4", "4096").must(t)
			count := regexp.MustCompile(`0 spans sent, (\d+) not .*\n`).FindStringSubmatch(run.stderr)
			if count == nil || !strings.Contains(count[0], test.because) {
				t.Fatalf("the run does not say what was not sent because of %q:\n%s", test.because, run.stderr)
			}
			if !strings.Contains(run.stderr, "the last metrics were not sent") {
				t.Errorf("the run does not say that metrics were not sent:\n%s", run.stderr)
			}
			taken = 0
			invoke(t, folder, "export", "--to", "otlp", "--full", "--endpoint", taking.URL, "t.db").must(t)
			if unsent, err := strconv.Atoi(count[1]); err != nil || unsent != taken || taken == 0 {
				t.Errorf("%s spans counted as not sent, %d sent afterwards", count[1], taken)
			}
		})
	}
}

// A backend that takes the first spans and hangs then, before its answer or in it, holds up
// the end of the run no longer than one that never took any; each span is counted.
func TestBackendHangsAfterTheFirst(t *testing.T) {
	program := build(t, "pipeline")
	for name, begin := range map[string]func(http.ResponseWriter){
		"before the answer": func(http.ResponseWriter) {},
		"in the answer": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.Header().Set("Content-Length", "1000")
			w.Write(make([]byte, 10))             //nolint:errcheck // the client may be gone
			http.NewResponseController(w).Flush() //nolint:errcheck // the same
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mutex sync.Mutex
			taken := 0
			var hangs atomic.Bool
			hangs.Store(true)
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				spans := 0
				if r.URL.Path == "/v1/traces" {
					spans = spansIn(t, r)
				} else if _, err := io.Copy(io.Discard, r.Body); err != nil {
					return
				}
				mutex.Lock()
				waits := hangs.Load() && spans != 1 // it has the process's begin, if that was sent alone
				if !waits {
					taken += spans
				}
				mutex.Unlock()
				if waits {
					begin(w)
					<-r.Context().Done()
				}
			}))
			defer backend.Close()
			folder := t.TempDir()
			run := execute(t, folder, []string{"OTEL_METRICS_EXPORTER=none"}, accscope, "run", "--no-summary", "--device", "sim", "-o", "t.db",
				"--otlp", "--otlp-timeout", "1s", "--endpoint", backend.URL, "--", program, "4", "4096").must(t)
			count := regexp.MustCompile(`(\d+) spans sent, (\d+) not .*--otlp-timeout`).FindStringSubmatch(run.stderr)
			if count == nil {
				t.Fatalf("the run does not say what was not sent:\n%s", run.stderr)
			}
			sent, _ := strconv.Atoi(count[1])
			unsent, _ := strconv.Atoi(count[2])
			mutex.Lock()
			if sent > taken || unsent == 0 {
				t.Errorf("%d spans sent and %d not, but %d taken", sent, unsent, taken)
			}
			taken = 0
			mutex.Unlock()
			hangs.Store(false)
			invoke(t, folder, "export", "--to", "otlp", "--full", "--endpoint", backend.URL, "t.db").must(t)
			mutex.Lock()
			defer mutex.Unlock()
			if sent+unsent != taken {
				t.Errorf("%d spans sent and %d not, but %d afterwards", sent, unsent, taken)
			}
		})
	}
}

// Whoever presses Ctrl+C while a backend holds a finished run has the prompt back, and
// is told what was not sent.
func TestInterruptLetsTheBackendGo(t *testing.T) {
	program, hangs := build(t, "pipeline"), "http://"+listener(t).Addr().String()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			command := exec.Command(accscope, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--otlp", "--otlp-timeout", "24h", "--endpoint", hangs, "--", program, "4", "4096")
			command.Dir, command.Env = t.TempDir(), append(os.Environ(), "OTEL_EXPORTER_OTLP_TIMEOUT=86400000")
			stderr, err := command.StderrPipe()
			if err == nil {
				err = command.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			lines, said := bufio.NewScanner(stderr), ""
			for lines.Scan() && !strings.Contains(lines.Text(), "events in t.db") {
				said += lines.Text() + "\n"
			}
			// What comes before the run waits for the backend was meant for the program.
			done := make(chan struct{})
			var group sync.WaitGroup
			group.Go(func() {
				for ticker := time.NewTicker(10 * time.Millisecond); ; {
					select {
					case <-ticker.C:
						command.Process.Signal(signal) //nolint:errcheck // it may have ended just now
					case <-done:
						return
					}
				}
			})
			for lines.Scan() {
				said += lines.Text() + "\n"
			}
			close(done)
			group.Wait()
			if err := command.Wait(); err != nil || !strings.Contains(said, " spans sent, ") || !strings.Contains(said, "interrupted") {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// Spans and metrics are sent beside each other at the end of a run: this backend
// takes no span before it has the metrics.
func TestMetricsDoNotWaitForSpans(t *testing.T) {
	metrics := make(chan struct{})
	var once sync.Once
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/metrics" {
			once.Do(func() { close(metrics) })
		}
		io.Copy(io.Discard, r.Body) //nolint:errcheck // so that the end of the request is seen
		select {
		case <-metrics:
		case <-r.Context().Done():
		}
	}))
	defer backend.Close()
	run := execute(t, t.TempDir(), []string{"OTEL_METRIC_EXPORT_INTERVAL=3600000"}, accscope, "run", "--no-summary", "--device", "sim", "-o", "t.db", "--otlp", "--otlp-timeout", "10m", "--endpoint", backend.URL, "--",
		build(t, "pipeline"), "4", "4096").must(t)
	if !strings.Contains(run.stderr, "sent trace") {
		t.Errorf("the run says\n%s", run.stderr)
	}
}

// A time that nothing can be sent in is refused before the program starts.
func TestNegativeTimeoutIsRefused(t *testing.T) {
	folder := t.TempDir()
	run := invoke(t, folder, "run", "--otlp", "--otlp-timeout", "-1s", "--", "/bin/true")
	if files, _ := filepath.Glob(filepath.Join(folder, "*")); run.status != exitUsage || !strings.Contains(run.stderr, "--otlp-timeout") || len(files) > 0 {
		t.Errorf("status %d, files %v:\n%s", run.status, files, run.stderr)
	}
}
