// Package metrics makes figures of a running program's state for monitoring:
// device memory, queue depth, transfers and kernel time, as Prometheus text and
// as OTLP metrics. docs/opentelemetry.md lists them.
package metrics

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
)

// Metric is a figure with a value for each device, queue or direction.
type Metric struct {
	Name    string // in OTLP
	Unit    string // UCUM, as OTLP has it
	About   string
	Counter bool // only grows
	Points  []Point
}

// Point is one value.
type Point struct {
	Labels [][2]string
	Value  int64
}

// Of reads the metrics from the state of a trace at a time.
func Of(s *state.State) []*Metric {
	used := &Metric{Name: "accscope.device.memory.used", Unit: "By", About: "Device memory in use"}
	peak := &Metric{Name: "accscope.device.memory.peak", Unit: "By", About: "Most device memory in use so far"}
	depth := &Metric{Name: "accscope.queue.depth", Unit: "{operation}", About: "Operations in an async queue that are not known to be done"}
	transferred := &Metric{Name: "accscope.transfer.bytes", Unit: "By", About: "Bytes transferred between host and device", Counter: true}
	transfers := &Metric{Name: "accscope.transfer.count", Unit: "{transfer}", About: "Transfers between host and device", Counter: true}
	kernelTime := &Metric{Name: "accscope.kernel.time", Unit: "ns", About: "Time of kernels on the device, where the runtime measures it", Counter: true}
	launches := &Metric{Name: "accscope.kernel.launches", Unit: "{launch}", About: "Kernel launches", Counter: true}
	processes := map[model.ProcessID]*model.ProcessInfo{}
	for i := range s.Processes {
		processes[s.Processes[i].ID] = &s.Processes[i]
	}
	for i := range s.Devices {
		d := &s.Devices[i]
		labels := [][2]string{{"device", d.Title()}}
		labels = append(labels, labelsOf(processes[d.Process])...)
		with := func(key, value string) [][2]string {
			return append(labels[:len(labels):len(labels)], [2]string{key, value})
		}
		used.add(labels, d.Used)
		peak.add(labels, d.Peak)
		for j := range d.Queues {
			depth.add(with("queue", callbacks.AsyncName(d.Queues[j].Number)), d.Queues[j].Depth)
		}
		transferred.add(with("direction", "upload"), d.Uploads.Bytes)
		transferred.add(with("direction", "download"), d.Downloads.Bytes)
		transfers.add(with("direction", "upload"), d.Uploads.Count)
		transfers.add(with("direction", "download"), d.Downloads.Count)
		kernelTime.add(labels, d.KernelTime)
		launches.add(labels, d.Launches)
	}
	return append([]*Metric{used, peak, depth, transferred, transfers, kernelTime, launches}, sampled(s, processes)...)
}

// figures are what is sampled, by its name in a trace.
var figures = map[string]Metric{
	"cpu":                {Name: "accscope.process.cpu", Unit: "%", About: "Processor time of the program, of one processor"},
	"resident_memory":    {Name: "accscope.process.memory", Unit: "By", About: "Memory of the program in RAM"},
	"utilization":        {Name: "accscope.gpu.utilization", Unit: "%", About: "Share of time in which the GPU ran a kernel, as its driver tells"},
	"memory_utilization": {Name: "accscope.gpu.memory.utilization", Unit: "%", About: "Share of time in which the GPU's memory was read or written, as its driver tells"},
	"memory_used":        {Name: "accscope.gpu.memory.used", Unit: "By", About: "Memory of the GPU in use, whoever uses it"},
	"power":              {Name: "accscope.gpu.power", Unit: "mW", About: "Power that the GPU draws"},
	"temperature":        {Name: "accscope.gpu.temperature", Unit: "Cel", About: "Temperature of the GPU"},
	"sm_clock":           {Name: "accscope.gpu.clock", Unit: "MHz", About: "Clock of the GPU's processors"},
	"memory_clock":       {Name: "accscope.gpu.memory.clock", Unit: "MHz", About: "Clock of the GPU's memory"},
}

// sampled are the metrics of processes and GPUs that were sampled from outside.
func sampled(s *state.State, processes map[model.ProcessID]*model.ProcessInfo) []*Metric {
	var list []*Metric
	known := map[string]*Metric{}
	for i := range s.Counters {
		c := &s.Counters[i]
		figure, documented := figures[c.Name]
		if !documented {
			continue
		}
		m := lookup.Make(known, c.Name, func() *Metric {
			list = append(list, &figure)
			return &figure
		})
		labels := labelsOf(processes[c.Process])
		if labels == nil {
			labels = [][2]string{{"host", c.On}, {"gpu", strconv.Itoa(c.GPU)}, {"name", c.GPUName}}
		}
		m.add(labels, c.Value)
	}
	return list
}

// labelsOf are what names a process, nil of none.
func labelsOf(p *model.ProcessInfo) (labels [][2]string) {
	if p == nil {
		return nil
	}
	labels = [][2]string{{"host", p.Host}, {"pid", strconv.Itoa(p.PID)}}
	if p.Rank >= 0 {
		labels = append(labels, [2]string{"rank", strconv.Itoa(p.Rank)})
	}
	return labels
}

func (m *Metric) add(labels [][2]string, value int64) {
	m.Points = append(m.Points, Point{labels, value})
}

// WritePrometheus writes the metrics in Prometheus's text format, version 0.0.4,
// by its conventions: base units, counters end in _total.
func WritePrometheus(w io.Writer, list []*Metric) error {
	var b strings.Builder
	for _, m := range list {
		name, kind, scale := strings.ReplaceAll(m.Name, ".", "_"), "gauge", 1.0
		switch {
		case m.Unit == "By" && !strings.HasSuffix(name, "_bytes"):
			name += "_bytes"
		case m.Unit == "ns":
			name, scale = name+"_seconds", 1e-9
		case m.Unit == "%":
			name, scale = name+"_ratio", 0.01
		case m.Unit == "mW":
			name, scale = name+"_watts", 1e-3
		case m.Unit == "Cel":
			name += "_celsius"
		case m.Unit == "MHz":
			name, scale = name+"_hertz", 1e6
		}
		if m.Counter {
			name, kind = name+"_total", "counter"
		}
		fmt.Fprintf(&b, "# HELP %s %s.\n# TYPE %s %s\n", name, m.About, name, kind)
		for _, p := range m.Points {
			b.WriteString(name)
			for i, l := range p.Labels {
				b.WriteByte("{,"[min(i, 1)])
				fmt.Fprintf(&b, `%s="%s"`, l[0], escape.Replace(l[1]))
			}
			if len(p.Labels) > 0 {
				b.WriteByte('}')
			}
			fmt.Fprintf(&b, " %s\n", strconv.FormatFloat(float64(p.Value)*scale, 'g', -1, 64))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
