package write

import "github.com/accscope/accscope/collector/store"

// WriteClock notes what a host's clock is set by at a time.
func (w *Writer) WriteClock(c store.Clock) error {
	return w.execute("INSERT OR REPLACE INTO clock VALUES (?, ?, ?, ?)", c.Host, c.Time, c.Offset, orNull(c.Uncertainty, c.Uncertainty >= 0))
}
