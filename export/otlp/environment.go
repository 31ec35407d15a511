package otlp

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// limits are those of OTEL_SPAN_*_LIMIT and OTEL_ATTRIBUTE_*_LIMIT; -1 is none.
type limits struct {
	attributes int // of a span
	length     int // of a string, characters
	events     int // of a span; -1 unless the variable is set
	links      int
	ofEvent    int // attributes of an event
}

func limitsFromEnvironment() *limits {
	l := sdktrace.NewSpanLimits()
	result := &limits{attributes: l.AttributeCountLimit, length: l.AttributeValueLengthLimit, events: -1,
		links: l.LinkCountLimit, ofEvent: l.AttributePerEventCountLimit}
	if os.Getenv("OTEL_SPAN_EVENT_COUNT_LIMIT") != "" {
		result.events = l.EventCountLimit
	}
	return result
}

// forEvents are the limits of the attributes of an event.
func (l *limits) forEvents() *limits { return &limits{attributes: l.ofEvent, length: l.length} }

// Disabled says why the environment wants nothing sent, "" if it does not.
func Disabled() string {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return "OTEL_SDK_DISABLED is true"
	}
	if exporter := os.Getenv("OTEL_TRACES_EXPORTER"); exporter != "" && !strings.Contains(exporter, "otlp") {
		return "OTEL_TRACES_EXPORTER is " + exporter
	}
	return ""
}

// sampled asks OTEL_TRACES_SAMPLER about a trace; without it the caller decides
// for those that join it.
func sampled(id TraceID, parent TraceParent) (bool, error) {
	name, argument := os.Getenv("OTEL_TRACES_SAMPLER"), os.Getenv("OTEL_TRACES_SAMPLER_ARG")
	base, byParent := strings.CutPrefix(strings.ToLower(strings.TrimSpace(name)), "parentbased_")
	if (byParent || base == "") && parent.Valid() {
		return parent.Sampled(), nil
	}
	switch base {
	case "", "always_on":
		return true, nil
	case "always_off":
		return false, nil
	case "traceidratio":
		ratio := 1.0
		if argument != "" {
			var err error
			if ratio, err = strconv.ParseFloat(argument, 64); err != nil || ratio < 0 || ratio > 1 {
				return false, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG %q: expected a number from 0 to 1", argument)
			}
		}
		answer := sdktrace.TraceIDRatioBased(ratio).ShouldSample(sdktrace.SamplingParameters{TraceID: trace.TraceID(id)})
		return answer.Decision == sdktrace.RecordAndSample, nil
	}
	return false, fmt.Errorf("OTEL_TRACES_SAMPLER %q: allowed are always_on, always_off, traceidratio, each also with parentbased_ before it", name)
}

// positiveFromEnvironment reads a number that must be positive.
func positiveFromEnvironment(name string, otherwise int) (int, error) {
	text := os.Getenv(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s %q: expected a positive number", name, text)
	}
	return n, nil
}
