package store

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Work is everything of a device activity that repeats.
type Work struct {
	ID                       int64
	KindCode                 int32
	Kind                     string // kernel, upload, download, copy, fill
	Pageable                 bool   // of transfers: the host's memory was
	Process                  model.ProcessID
	Device                   model.DeviceID
	Queue                    model.QueueID
	Async                    int64
	AsyncQueue               int64
	Name                     string // as people are to see it
	Title                    string // of a kernel (Description)
	Symbol                   string // as the activity has it
	Program                  string // of a kernel (Description)
	name                     model.Name
	deviceType, deviceNumber int32
	unseen                   *Site // stands for an enqueue that was not seen
}

// Work reads what repeats of an activity.
func (t *Trace) Work(id int64) (*Work, error) {
	if w := t.works[id]; w != nil {
		return w, nil
	}
	chosen, err := t.chosenWork(id)
	if err != nil {
		return nil, err
	}
	if !chosen {
		return &Work{ID: id}, nil
	}
	if err := t.learnNames(); err != nil {
		return nil, err
	}
	first, last := neighbours(id)
	err = t.each(`SELECT w.id, w.kind, d.process, w.device, w.queue, w.async, q.number, n.text, w.name, d.type, d.number FROM work w
		JOIN device d ON d.id = w.device JOIN queue q ON q.id = w.queue JOIN string n ON n.id = w.name WHERE w.id BETWEEN ? AND ? AND `+t.ChosenSQL("d.process"), []any{first, last}, func(r *sqlite.Stmt) error {
		if t.works[r.ColumnInt64(0)] != nil {
			return nil
		}
		w := &Work{ID: r.ColumnInt64(0), KindCode: r.ColumnInt32(1) &^ schema.Pageable, Pageable: r.ColumnInt32(1)&schema.Pageable != 0, Process: model.ProcessID(r.ColumnInt64(2)),
			Device: model.DeviceID(r.ColumnInt64(3)), Queue: model.QueueID(r.ColumnInt64(4)), Async: r.ColumnInt64(5),
			AsyncQueue: r.ColumnInt64(6), Name: t.readable(r.ColumnText(7)), Symbol: r.ColumnText(7), name: model.Name(r.ColumnInt64(8)),
			deviceType: r.ColumnInt32(9), deviceNumber: r.ColumnInt32(10)}
		w.Kind = model.ActivityName(w.KindCode)
		if w.Kind == "kernel" {
			if err := t.program(w.Process, &w.Program); err != nil {
				return err
			}
			w.Title, w.Name = t.title(w.Program, w.Symbol)
		}
		t.works[w.ID] = w
		return nil
	})
	if err != nil {
		return nil, err
	}
	w := t.works[id]
	if w == nil {
		w = &Work{ID: id}
		t.works[id] = w
	}
	return w, nil
}
