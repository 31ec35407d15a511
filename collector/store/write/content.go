package write

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
)

// WriteContent takes in the hash of what a transfer moved.
func (w *Writer) WriteContent(x *model.Content) error {
	var overwritten any
	if x.Known {
		overwritten = int64(x.Overwritten)
	}
	return w.change(func() error {
		return schema.Execute(w.conn, "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?)", int64(x.Thread), int64(x.Sequence), int64(x.Hash), overwritten)
	})
}
