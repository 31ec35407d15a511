package otf2

import (
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
	"github.com/accscope/accscope/export/otf2/archive"
)

// memory writes the devices' memory in use, each device's on a location of its group.
func (e *exporter) memory() error {
	type meter struct {
		stream *archive.Stream
		metric archive.Ref
	}
	meters := map[model.DeviceID]*meter{}
	for s, err := range e.trace.Memory().Changes(e.options.Filter.From, e.options.Filter.To) {
		if err != nil {
			return err
		}
		d := e.devices[s.Device]
		if d == nil {
			continue // of a process that is not exported
		}
		m := meters[s.Device]
		if m == nil {
			group := d.group
			if group == archive.None {
				group = d.process.group
			}
			name := "memory of " + export.DeviceName(&d.info)
			m = &meter{stream: e.out.Location(name, archive.Metric, group)}
			m.metric = e.out.Instance("memory in use", "B", m.stream, archive.ScopeGroup, group)
			meters[s.Device] = m
		}
		if err := m.stream.Metric(e.at(s.Time), m.metric, s.Used); err != nil {
			return err
		}
	}
	return nil
}

// counters writes what was sampled: of a process on a location of its group, of a GPU on
// one in the group of the first process of its host.
func (e *exporter) counters() error {
	gpus := map[export.GPU]archive.Ref{}
	return e.options.Counters(e.trace, func(c *store.Counter) (func(store.CounterValue) error, error) {
		owner := e.processes[c.Process]
		name := export.CounterName(c)
		if c.Process == 0 {
			owner = e.onHost(c.Host)
			name = c.GPUTitle() + ": " + name
		}
		if owner == nil {
			return func(store.CounterValue) error { return nil }, nil
		}
		stream := e.out.Location(name, archive.Metric, owner.group)
		scope, of := archive.ScopeGroup, owner.group
		if c.Process == 0 {
			scope, of = archive.ScopeNode, lookup.Make(gpus, export.GPUOf(c), func() archive.Ref {
				return e.out.Node(c.GPUTitle(), "GPU", archive.Device, e.nodes[c.Host])
			})
		}
		metric := e.out.Instance(export.CounterName(c), c.Unit, stream, scope, of)
		return func(v store.CounterValue) error { return stream.Metric(e.at(v.Time), metric, v.Value) }, nil
	})
}

// onHost is the first exported process on a host; nil: none.
func (e *exporter) onHost(host int64) *process {
	for _, p := range e.order {
		if p.info.On.ID == host {
			return p
		}
	}
	return nil
}
