package otlp

import (
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

// processResource describes a process; what the environment says goes first.
func processResource(ids *identity, p *store.Process, environment map[string]string, limits *limits) *resourcepb.Resource {
	a := &attributes{limits: limits}
	text := func(key, value string) {
		if _, given := environment[key]; !given && value != "" {
			a.text(key, value)
		}
	}
	name := filepath.Base(p.Program)
	if p.Program == "" {
		name = "unknown_service"
	}
	instance := ids.span(ofProcess, int64(p.ID))
	text("service.name", name)
	text("service.instance.id", hex.EncodeToString(instance[:]))
	host := p.On.Name
	if host == "" {
		host = p.Host
	}
	text("host.name", host)
	a.number("process.pid", int64(p.PID))
	a.positive("process.parent_pid", int64(p.ParentPID))
	text("process.executable.path", p.Program)
	text("process.executable.name", name)
	if len(p.Arguments) > 0 {
		a.texts("process.command_args", p.Arguments)
	}
	if p.Rank >= 0 {
		a.number("accscope.rank", int64(p.Rank))
		a.positive("accscope.ranks", int64(p.Ranks))
	}
	for _, key := range sortedKeys(environment) {
		a.text(key, environment[key])
	}
	return &resourcepb.Resource{Attributes: a.list}
}

// deviceResource describes a device of a process.
func deviceResource(of *resourcepb.Resource, d *model.DeviceInfo, limits *limits) *resourcepb.Resource {
	a := &attributes{limits: limits, list: append([]*commonpb.KeyValue(nil), of.Attributes...)}
	a.text("accscope.device.type", export.DeviceType(d.Type))
	a.number("accscope.device.number", int64(d.Number))
	if d.Name != "" {
		a.text("accscope.device.name", d.Name)
	}
	a.positive("accscope.device.memory", d.Capacity)
	return &resourcepb.Resource{Attributes: a.list}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
