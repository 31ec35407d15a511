package write

import "github.com/accscope/accscope/collector/model"

// WriteContent takes in the hash of what a transfer moved.
func (w *Writer) WriteContent(x *model.Content) error {
	return w.execute("INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?)", int64(x.Thread), int64(x.Sequence), int64(x.Hash), orNull(int64(x.Overwritten), x.Known))
}
