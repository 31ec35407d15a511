package store

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

//go:embed counter.sql
var counterSQL string

//go:embed counter_view.sql
var counterViewSQL string

// withoutCounters is the last version whose traces have no counters. It is read as if
// there were none in it.
const withoutCounters = 2

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

// SaveCounter gives a counter its number: that which it has in the trace already, or
// the next.
func (w *Writer) SaveCounter(c *Counter) error {
	var process, gpu, gpuName any
	if c.Process != 0 {
		process = int64(c.Process)
	}
	if c.GPU >= 0 {
		gpu, gpuName = c.GPU, c.GPUName
	}
	return w.change(func() (err error) {
		c.ID, err = integer(w.conn, "SELECT id FROM counter WHERE host = ? AND process IS ? AND gpu IS ? AND name = ?", c.Host, process, gpu, c.Name)
		if err != nil || c.ID != 0 {
			return err
		}
		if err := execute(w.conn, "INSERT INTO counter VALUES (NULL, ?, ?, ?, ?, ?, ?)", c.Host, process, gpu, gpuName, c.Name, c.Unit); err != nil {
			return err
		}
		c.ID = w.conn.LastInsertRowID()
		return nil
	})
}

// WriteCounter notes a counter's value from a time on.
func (w *Writer) WriteCounter(counter int64, v CounterValue) error {
	return w.change(func() error {
		return execute(w.conn, "INSERT OR REPLACE INTO counter_value VALUES (?, ?, ?)", counter, v.Time, v.Value)
	})
}

// Counters reads what was sampled: the processes' figures first.
func (t *Trace) Counters() ([]Counter, error) {
	var list []Counter
	err := t.each(`SELECT c.id, c.host, coalesce(c.process, 0), coalesce(c.gpu, -1), c.gpu_name, c.name, c.unit, h.name, (SELECT count(*) FROM host) > 1
		FROM counter c LEFT JOIN host h ON h.id = c.host ORDER BY c.process IS NULL, c.process, c.host, c.gpu, c.id`, nil, func(s *sqlite.Stmt) error {
		list = append(list, Counter{ID: s.ColumnInt64(0), Host: s.ColumnInt64(1), Process: model.ProcessID(s.ColumnInt64(2)), GPU: s.ColumnInt(3),
			GPUName: s.ColumnText(4), Name: s.ColumnText(5), Unit: s.ColumnText(6), On: s.ColumnText(7), severalHosts: s.ColumnInt64(8) != 0})
		return nil
	})
	return list, err
}

// CounterValues calls f for the values of a counter in [from, to), in their order.
func (t *Trace) CounterValues(counter, from, to int64, f func(CounterValue) error) error {
	return t.query("SELECT time, value FROM counter_value WHERE counter = ? AND time >= ? AND time < ? ORDER BY time", []int64{counter, from, to},
		func(s *sqlite.Stmt) error { return f(CounterValue{s.ColumnInt64(0), s.ColumnInt64(1)}) })
}

// CounterBefore is the last value of a counter before a time; known says whether there
// is one.
func (t *Trace) CounterBefore(counter, time int64) (v CounterValue, known bool, err error) {
	err = t.query("SELECT time, value FROM counter_value WHERE counter = ? AND time < ? ORDER BY time DESC LIMIT 1", []int64{counter, time},
		func(s *sqlite.Stmt) error {
			v, known = CounterValue{s.ColumnInt64(0), s.ColumnInt64(1)}, true
			return nil
		})
	return v, known, err
}

// CounterCurve gives a counter in [from, to) at a width in pixels: the values of a pixel
// together. The first point is what it was at from, where that is known.
func (t *Trace) CounterCurve(counter, from, to int64, pixels int) ([]MemoryPoint, error) {
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

// addCounters gives a connection to a trace without counters empty tables for them,
// of its own.
func addCounters(conn *sqlite.Conn) error {
	return sqlitex.ExecuteScript(conn, strings.ReplaceAll(counterSQL, "CREATE TABLE ", "CREATE TEMP TABLE "), nil)
}

// upgrade makes a trace of an earlier version, which more is to be written to, one of
// this version.
func upgrade(conn *sqlite.Conn, version int) error {
	if version == Version {
		return nil
	}
	if version < withoutCounters {
		return fmt.Errorf("it has schema version %d, this program writes %d; import the session again, with another -o", version, Version)
	}
	tables := "ALTER TABLE site ADD COLUMN own INTEGER NOT NULL DEFAULT 0;"
	if version <= withoutCounters {
		tables += counterSQL + counterViewSQL
	}
	return sqlitex.ExecuteScript(conn, tables+fmt.Sprintf("PRAGMA user_version = %d;", Version), nil)
}

// mergeCounters takes over the counters of a trace that is merged into this one, whose hosts and
// processes have other numbers in it.
func (w *Writer) mergeCounters(t *Trace, hosts map[int64]int64, processes map[model.ProcessID]model.ProcessID, shift int64) error {
	counters, err := t.Counters()
	if err != nil {
		return err
	}
	for _, c := range counters {
		old := c.ID
		c.Host, c.Process = hosts[c.Host], processes[c.Process]
		if err := w.SaveCounter(&c); err != nil {
			return err
		}
		if err := t.CounterValues(old, math.MinInt64, math.MaxInt64, func(v CounterValue) error {
			return w.WriteCounter(c.ID, CounterValue{v.Time + shift, v.Value})
		}); err != nil {
			return err
		}
	}
	return nil
}
