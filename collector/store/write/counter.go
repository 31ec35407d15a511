package write

import (
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

// SaveCounter gives a counter its number: that which it has in the trace already, or
// the next.
func (w *Writer) SaveCounter(c *store.Counter) error {
	process, gpu, gpuName := orNull(int64(c.Process), c.Process != 0), orNull(c.GPU, c.GPU >= 0), orNull(c.GPUName, c.GPU >= 0)
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
	return w.execute("INSERT OR REPLACE INTO counter_value VALUES (?, ?, ?)", counter, v.Time, v.Value)
}
