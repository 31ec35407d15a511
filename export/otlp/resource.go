package otlp

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"go.opentelemetry.io/otel/sdk/resource"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
)

// resourceFromEnvironment reads OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
func resourceFromEnvironment() (map[string]string, error) {
	r, err := resource.New(context.Background(), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	result := map[string]string{}
	for _, a := range r.Attributes() {
		result[string(a.Key)] = a.Value.String()
	}
	return result, nil
}

// service begins a resource with what all have in common; what the environment
// says goes first. text adds a string that the environment does not give.
func service(p *store.Process, environment map[string]string, version string, limits *limits) (a *attributes, text func(key, value string)) {
	a = &attributes{limits: limits}
	text = func(key, value string) {
		if _, given := environment[key]; !given {
			a.text(key, value)
		}
	}
	text("service.name", filepath.Base(cmp.Or(p.Program, "unknown_service")))
	text("telemetry.sdk.name", "accscope")
	text("telemetry.sdk.language", "go")
	text("telemetry.sdk.version", version)
	return a, text
}

// given adds what the environment says, which ends a resource.
func (a *attributes) given(environment map[string]string) *resourcepb.Resource {
	for _, key := range slices.Sorted(maps.Keys(environment)) {
		a.text(key, environment[key])
	}
	return &resourcepb.Resource{Attributes: a.list}
}

// runResource describes the processes of a run together.
func runResource(p *store.Process, environment map[string]string, version string, limits *limits) *resourcepb.Resource {
	a, _ := service(p, environment, version, limits)
	return a.given(environment)
}

// processResource describes a process.
func processResource(ids *identity, p *store.Process, environment map[string]string, version string, limits *limits) *resourcepb.Resource {
	a, text := service(p, environment, version, limits)
	instance := ids.span(ofProcess, int64(p.ID))
	text("service.instance.id", hex.EncodeToString(instance[:]))
	text("host.name", cmp.Or(p.On.Name, p.Host))
	a.number("process.pid", int64(p.PID))
	a.positive("process.parent_pid", int64(p.ParentPID))
	text("process.executable.path", p.Program)
	if p.Program != "" {
		text("process.executable.name", filepath.Base(p.Program))
	}
	if len(p.Arguments) > 0 {
		a.texts("process.command_args", p.Arguments)
	}
	if p.Rank >= 0 {
		a.number("accscope.rank", int64(p.Rank))
		a.positive("accscope.ranks", int64(p.Ranks))
	}
	return a.given(environment)
}

// deviceResource describes a device of a process: a service of its own, so that a
// backend's graph of services shows who uses it.
func deviceResource(of *resourcepb.Resource, d *model.DeviceInfo, limits *limits) *resourcepb.Resource {
	a := &attributes{limits: limits}
	for _, attribute := range of.Attributes {
		if attribute.Key == "service.name" {
			name := attribute.Value.GetStringValue() + " " + d.Title()
			attribute = &commonpb.KeyValue{Key: attribute.Key, Value: textValue(cut(name, limits.length))}
		}
		a.list = append(a.list, attribute)
	}
	a.text("accscope.device.type", export.DeviceType(d.Type))
	a.number("accscope.device.number", int64(d.Number))
	a.text("accscope.device.name", d.Name)
	a.positive("accscope.device.memory", d.Capacity)
	return &resourcepb.Resource{Attributes: a.list}
}
