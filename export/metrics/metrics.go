// Package metrics makes figures of a running program's state for monitoring:
// device memory, queue depth, transfers and kernel time, as Prometheus text and
// as OTLP metrics. docs/opentelemetry.md lists them.
package metrics

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/export"
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
		labels := [][2]string{{"device", fmt.Sprintf("%s %d", export.DeviceType(d.Type), d.Number)}}
		if p := processes[d.Process]; p != nil {
			labels = append(labels, [2]string{"host", p.Host}, [2]string{"pid", strconv.Itoa(p.PID)})
			if p.Rank >= 0 {
				labels = append(labels, [2]string{"rank", strconv.Itoa(p.Rank)})
			}
		}
		with := func(key, value string) [][2]string {
			return append(labels[:len(labels):len(labels)], [2]string{key, value})
		}
		used.add(labels, d.Used)
		peak.add(labels, d.Peak)
		for j := range d.Queues {
			depth.add(with("queue", export.QueueLabel(d.Queues[j].Number)), d.Queues[j].Depth)
		}
		transferred.add(with("direction", "upload"), d.Uploads.Bytes)
		transferred.add(with("direction", "download"), d.Downloads.Bytes)
		transfers.add(with("direction", "upload"), d.Uploads.Count)
		transfers.add(with("direction", "download"), d.Downloads.Count)
		kernelTime.add(labels, d.KernelTime)
		launches.add(labels, d.Launches)
	}
	return []*Metric{used, peak, depth, transferred, transfers, kernelTime, launches}
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
