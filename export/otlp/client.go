package otlp

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
)

// probeLimit is how long a backend that took nothing is looked at.
const probeLimit = 500 * time.Millisecond

// The protocols of OTLP.
const (
	GRPC = "grpc"
	HTTP = "http/protobuf"
)

// Target is where spans go to.
type Target struct {
	// Endpoint is a base URL (http://host:4318), as OTEL_EXPORTER_OTLP_ENDPOINT
	// is; "" leaves it to the OTEL_ variables, else to the local default.
	Endpoint string
	// Protocol is GRPC, HTTP or "http" for short; "" leaves it to
	// OTEL_EXPORTER_OTLP_TRACES_PROTOCOL and OTEL_EXPORTER_OTLP_PROTOCOL, else the
	// port 4317 means GRPC and everything else HTTP.
	Protocol string
}

// resolve fills in what the environment says about a signal ("traces",
// "metrics"). endpoint is where it goes to; the resolved target's is "" where the
// exporters take it from the environment themselves.
func (t Target) resolve(signal string) (resolved Target, endpoint string, err error) {
	upper := strings.ToUpper(signal)
	variable := func(name string) string {
		return cmp.Or(os.Getenv("OTEL_EXPORTER_OTLP_"+upper+"_"+name), os.Getenv("OTEL_EXPORTER_OTLP_"+name))
	}
	source := "--protocol"
	if t.Protocol == "" {
		t.Protocol, source = variable("PROTOCOL"), "OTEL_EXPORTER_OTLP_PROTOCOL"
	}
	endpoint = cmp.Or(t.Endpoint, variable("ENDPOINT"))
	var port string
	if endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return t, "", fmt.Errorf("OTLP endpoint %q: expected a URL such as http://localhost:4318", endpoint)
		}
		port = u.Port()
	}
	switch t.Protocol {
	case "":
		t.Protocol = HTTP
		if port == "4317" {
			t.Protocol = GRPC
		}
	case "http":
		t.Protocol = HTTP
	case GRPC, HTTP:
	default:
		return t, "", fmt.Errorf("%s %q: allowed are grpc and http/protobuf", source, t.Protocol)
	}
	if endpoint == "" {
		t.Endpoint = "http://localhost:4318"
		if t.Protocol == GRPC {
			t.Endpoint = "http://localhost:4317"
		}
		endpoint = t.Endpoint
	}
	return t, endpoint, nil
}

// options are those of an exporter of a signal: that for its endpoint by a protocol, if there is one.
func options[O any](t Target, with func(url string) O, path string) []O {
	if t.Endpoint == "" {
		return nil
	}
	if path != "" {
		t.Endpoint = strings.TrimSuffix(t.Endpoint, "/") + path
	}
	return []O{with(t.Endpoint)}
}

// String says where spans go.
func (t Target) String() string {
	resolved, endpoint, err := t.resolve("traces")
	if err != nil {
		return t.Endpoint
	}
	return endpoint + " by " + resolved.Protocol
}

// Client makes a client that honours the OTEL_EXPORTER_OTLP_ variables
// (headers, compression, certificates, timeout), retries what may be retried,
// and has not connected yet. The caller starts and stops it.
func (t Target) Client() (otlptrace.Client, error) {
	t, _, err := t.resolve("traces")
	if err != nil {
		return nil, err
	}
	if t.Protocol == GRPC {
		return otlptracegrpc.NewClient(options(t, otlptracegrpc.WithEndpointURL, "")...), nil
	}
	return otlptracehttp.NewClient(options(t, otlptracehttp.WithEndpointURL, "/v1/traces")...), nil
}

// Explain adds what to do to an error of sending to a backend that speaks the
// other protocol.
func (t Target) Explain(err error) error {
	if err == nil {
		return nil
	}
	resolved, endpoint, wrong := t.resolve("traces")
	switch {
	case wrong != nil:
	case resolved.Protocol == HTTP && speaksHTTP2(endpoint):
		return fmt.Errorf("%w; the endpoint speaks gRPC: --protocol grpc", err)
	case resolved.Protocol == GRPC && strings.Contains(err.Error(), "looked like an HTTP/1.1 header"):
		return fmt.Errorf("%w; the endpoint speaks HTTP: --protocol http", err)
	}
	return err
}

// speaksHTTP2 says whether who listens at an endpoint begins with the settings of
// HTTP/2 (RFC 9113 §3.4), as a server of gRPC alone does.
func speaksHTTP2(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return false
	}
	connection, err := net.DialTimeout("tcp", u.Host, probeLimit)
	if err != nil {
		return false
	}
	defer connection.Close()
	const settings = 4 // type of a frame
	var frame [9]byte
	if err := connection.SetReadDeadline(time.Now().Add(probeLimit)); err != nil {
		return false
	}
	_, err = io.ReadFull(connection, frame[:])
	return err == nil && frame[3] == settings && binary.BigEndian.Uint32(frame[5:]) == 0
}

// SendTo sends a trace to a target.
func SendTo(ctx context.Context, target Target, send func(Uploader) (Result, error)) (result Result, err error) {
	client, err := target.Client()
	if err != nil {
		return result, err
	}
	if err := client.Start(ctx); err != nil {
		return result, fmt.Errorf("connecting to %s: %w", target, err)
	}
	result, err = send(client)
	err = target.Explain(err)
	if stop := client.Stop(context.WithoutCancel(ctx)); err == nil && stop != nil {
		err = stop
	}
	return result, err
}

// MetricExporter makes an exporter of metrics to the target, with the same
// variables (METRICS_ in place of TRACES_).
func (t Target) MetricExporter(ctx context.Context) (metric.Exporter, error) {
	t, _, err := t.resolve("metrics")
	if err != nil {
		return nil, err
	}
	if t.Protocol == GRPC {
		return otlpmetricgrpc.New(ctx, options(t, otlpmetricgrpc.WithEndpointURL, "")...)
	}
	return otlpmetrichttp.New(ctx, options(t, otlpmetrichttp.WithEndpointURL, "/v1/metrics")...)
}

// NoMetrics says whether an error of a metrics exporter is that of a backend
// that takes no metrics at all, as Jaeger does.
func NoMetrics(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "code = Unimplemented") || strings.Contains(text, ": 404 ") || strings.Contains(text, ": 405 ")
}
