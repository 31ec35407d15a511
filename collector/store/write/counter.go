package write

import (
	"math"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

// SaveCounter gives a counter its number: that which it has in the trace already, or
// the next.
func (w *Writer) SaveCounter(c *store.Counter) error {
	var process, gpu, gpuName any
	if c.Process != 0 {
		process = int64(c.Process)
	}
	if c.GPU >= 0 {
		gpu, gpuName = c.GPU, c.GPUName
	}
	return w.change(func() (err error) {
		c.ID, err = schema.Integer(w.conn, "SELECT id FROM counter WHERE host = ? AND process IS ? AND gpu IS ? AND name = ?", c.Host, process, gpu, c.Name)
		if err != nil || c.ID != 0 {
			return err
		}
		if err := schema.Execute(w.conn, "INSERT INTO counter VALUES (NULL, ?, ?, ?, ?, ?, ?)", c.Host, process, gpu, gpuName, c.Name, c.Unit); err != nil {
			return err
		}
		c.ID = w.conn.LastInsertRowID()
		return nil
	})
}

// WriteCounter notes a counter's value from a time on.
func (w *Writer) WriteCounter(counter int64, v store.CounterValue) error {
	return w.change(func() error {
		return schema.Execute(w.conn, "INSERT OR REPLACE INTO counter_value VALUES (?, ?, ?)", counter, v.Time, v.Value)
	})
}

// mergeCounters takes over the counters of a trace that is merged into this one, whose hosts and
// processes have other numbers in it.
func (w *Writer) mergeCounters(t *store.Trace, hosts map[int64]int64, processes map[model.ProcessID]model.ProcessID, shift int64) error {
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
		if err := t.CounterValues(old, math.MinInt64, math.MaxInt64, func(v store.CounterValue) error {
			return w.WriteCounter(c.ID, store.CounterValue{Time: v.Time + shift, Value: v.Value})
		}); err != nil {
			return err
		}
	}
	return nil
}
