package write

import "github.com/accscope/accscope/collector/model"

// WriteDependency takes in that a queue was made to wait for another one.
func (w *Writer) WriteDependency(d *model.Dependency, queue, awaited model.QueueID) error {
	return w.execute("INSERT INTO dependency (queue, awaited, time, delay, file, line) VALUES (?, ?, ?, ?, ?, ?)",
		int64(queue), int64(awaited), d.Time, d.Recorded-d.Time, int64(d.SourceFile), d.Line)
}
