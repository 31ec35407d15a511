package store

import (
	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// dependencies reads the waits between queues in the order they were recorded;
// strings are numbered as names has it.
func (t *Trace) dependencies(names map[int64]model.Name) ([]model.Dependency, error) {
	var list []model.Dependency
	err := t.each(`SELECT d.process, d.type, d.number, q.number, a.number, x.time, x.time + x.delay, x.file, x.line
		FROM dependency x JOIN queue q ON q.id = x.queue JOIN queue a ON a.id = x.awaited JOIN device d ON d.id = q.device
		ORDER BY x.time + x.delay, x.id`, nil, func(s *sqlite.Stmt) error {
		list = append(list, model.Dependency{Process: model.ProcessID(s.ColumnInt64(0)), Dependency: capture.Dependency{
			DeviceType: s.ColumnInt32(1), DeviceNumber: s.ColumnInt32(2), Queue: s.ColumnInt64(3), Awaited: s.ColumnInt64(4),
			Time: s.ColumnInt64(5), Recorded: s.ColumnInt64(6), SourceFile: names[s.ColumnInt64(7)], Line: s.ColumnInt32(8)}})
		return nil
	})
	return list, err
}
