package write

import (
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

// WriteClock notes what a host's clock is set by at a time.
func (w *Writer) WriteClock(c store.Clock) error {
	var uncertainty any
	if c.Uncertainty >= 0 {
		uncertainty = c.Uncertainty
	}
	return w.change(func() error {
		return schema.Execute(w.conn, "INSERT OR REPLACE INTO clock VALUES (?, ?, ?, ?)", c.Host, c.Time, c.Offset, uncertainty)
	})
}
