package store

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// NoGPUFigures is the fact that says why GPUs that were used have no counters.
const NoGPUFigures = "no_gpu_figures"

// Counter is a figure that was sampled while the programs ran.
type Counter struct {
	ID      int64           `json:"counter"`
	Host    int64           `json:"host"`
	On      string          `json:"on"`       // the host's name
	Process model.ProcessID `json:"process"`  // whose it is; 0: a GPU's
	GPU     int             `json:"gpu"`      // number on its host as the driver counts, -1: a process's
	GPUName string          `json:"gpu_name"` // "" of a process
	Name    string          `json:"name"`     // cpu, resident_memory; utilization, memory_used, power, …
	Unit    string          `json:"unit"`     // %, B, mW, Cel, MHz

	severalHosts bool // the trace has
}

// Where is " on HOST" in a trace of several hosts, whose GPUs and processes may have
// equal numbers, else "".
func (c *Counter) Where() string {
	if !c.severalHosts || c.On == "" {
		return ""
	}
	return " on " + c.On
}

// GPUTitle is what to call a counter's GPU: its number and model, and where it is.
func (c *Counter) GPUTitle() string {
	return strings.TrimSpace(fmt.Sprintf("GPU %d %s", c.GPU, c.GPUName)) + c.Where()
}

// CounterValue is a counter's value from a time on.
type CounterValue struct {
	Time  int64 `json:"time"`
	Value int64 `json:"value"`
}

// Counters reads what was sampled: the processes' figures first.
func (t Sampled) Counters() ([]Counter, error) {
	var list []Counter
	err := t.trace.each(`SELECT c.id, c.host, coalesce(c.process, 0), coalesce(c.gpu, -1), c.gpu_name, c.name, c.unit, h.name, (SELECT count(*) FROM host) > 1
		FROM counter c LEFT JOIN host h ON h.id = c.host WHERE c.process IS NULL OR `+t.trace.ChosenSQL("c.process")+` ORDER BY c.process IS NULL, c.process, c.host, c.gpu, c.id`, nil, func(s *sqlite.Stmt) error {
		list = append(list, Counter{ID: s.ColumnInt64(0), Host: s.ColumnInt64(1), Process: model.ProcessID(s.ColumnInt64(2)), GPU: s.ColumnInt(3),
			GPUName: s.ColumnText(4), Name: s.ColumnText(5), Unit: s.ColumnText(6), On: s.ColumnText(7), severalHosts: s.ColumnInt64(8) != 0})
		return nil
	})
	return list, err
}

// CounterValues calls f for the values of a counter in [from, to), in their order.
func (t Sampled) CounterValues(counter, from, to int64, f func(CounterValue) error) error {
	return t.trace.query("SELECT time, value FROM counter_value WHERE counter = ? AND time >= ? AND time < ? ORDER BY time", []int64{counter, from, to},
		func(s *sqlite.Stmt) error { return f(CounterValue{s.ColumnInt64(0), s.ColumnInt64(1)}) })
}

// CounterBefore is the last value of a counter before a time; known says whether there
// is one.
func (t Sampled) CounterBefore(counter, time int64) (v CounterValue, known bool, err error) {
	err = t.trace.query("SELECT time, value FROM counter_value WHERE counter = ? AND time < ? ORDER BY time DESC LIMIT 1", []int64{counter, time},
		func(s *sqlite.Stmt) error {
			v, known = CounterValue{s.ColumnInt64(0), s.ColumnInt64(1)}, true
			return nil
		})
	return v, known, err
}

// CounterCurve gives a counter in [from, to) at a width in pixels: the values of a pixel
// together. The first point is what it was at from, where that is known.
func (t Sampled) CounterCurve(counter, from, to int64, pixels int) ([]MemoryPoint, error) {
	if to <= from || pixels < 1 {
		return nil, nil
	}
	var points []MemoryPoint
	if v, known, err := t.CounterBefore(counter, from); err != nil {
		return nil, err
	} else if known {
		points = append(points, MemoryPoint{from, from, v.Value, v.Value, v.Value})
	}
	pixel, last := max((to-from)/int64(pixels), 1), int64(-1)
	err := t.CounterValues(counter, from, to, func(v CounterValue) error {
		if at := (v.Time - from) / pixel; at == last {
			p := &points[len(points)-1]
			p.End, p.Low, p.High, p.Last = v.Time, min(p.Low, v.Value), max(p.High, v.Value), v.Value
		} else {
			last = at
			points = append(points, MemoryPoint{v.Time, v.Time, v.Value, v.Value, v.Value})
		}
		return nil
	})
	return points, err
}
