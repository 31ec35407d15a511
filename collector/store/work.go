package store

import (
	"cmp"
	"strings"

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
	Name                     string         // as people are to see it
	Title                    string         // of a kernel (Description)
	Symbol                   string         // as the activity has it
	Program                  string         // of a kernel (Description)
	By                       Givers         // of a kernel
	Peer                     model.DeviceID // that a copy went to, 0: it stayed on its device
	File                     string         // where a copy to Peer was asked for, "" where it is not known
	Line                     int32
	name                     model.Name
	deviceType, deviceNumber int32
	peerNumber               int32
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
	err = t.each(`SELECT w.id, w.kind, d.process, w.device, w.queue, w.async, q.number, n.text, w.name, d.type, d.number,
		y.gangs_by, y.workers_by, y.vector_by, y.peer, f.text, y.line, p.number FROM work w
		JOIN device d ON d.id = w.device JOIN queue q ON q.id = w.queue JOIN string n ON n.id = w.name
		LEFT JOIN work_detail y ON y.work = w.id LEFT JOIN string f ON f.id = y.file LEFT JOIN device p ON p.id = y.peer WHERE w.id BETWEEN ? AND ? AND `+t.ChosenSQL("d.process"), []any{first, last}, func(r *sqlite.Stmt) error {
		if t.works[r.ColumnInt64(0)] != nil {
			return nil
		}
		w := &Work{ID: r.ColumnInt64(0), KindCode: r.ColumnInt32(1) &^ schema.Pageable, Pageable: r.ColumnInt32(1)&schema.Pageable != 0, Process: model.ProcessID(r.ColumnInt64(2)),
			Device: model.DeviceID(r.ColumnInt64(3)), Queue: model.QueueID(r.ColumnInt64(4)), Async: r.ColumnInt64(5),
			AsyncQueue: r.ColumnInt64(6), Name: t.readable(r.ColumnText(7)), Symbol: r.ColumnText(7), name: model.Name(r.ColumnInt64(8)),
			deviceType: r.ColumnInt32(9), deviceNumber: r.ColumnInt32(10), By: Givers{r.ColumnText(11), r.ColumnText(12), r.ColumnText(13)},
			Peer: model.DeviceID(r.ColumnInt64(14)), File: r.ColumnText(15), Line: r.ColumnInt32(16), peerNumber: r.ColumnInt32(17)}
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

// Givers say who gave the gangs, workers and vector length of a launch: compiler, clause,
// environment or chosen; "": that is not known.
type Givers [3]string

// String is the one word where all are of the same, else one for each, as the numbers of a
// geometry are written; "" where nothing is known.
func (by Givers) String() string {
	if by == (Givers{}) || by[0] == by[1] && by[1] == by[2] {
		return by[0]
	}
	words := by
	for i := range words {
		words[i] = cmp.Or(words[i], "-")
	}
	return strings.Join(words[:], " x ")
}

// ReadGivers fills in who gave the geometry of launches, by their sites.
func (t *Trace) ReadGivers(sites map[int64]Givers) error {
	return t.query(`SELECT DISTINCT x.site, y.gangs_by, y.workers_by, y.vector_by FROM work_detail y JOIN work_total x ON x.work = y.work
		WHERE coalesce(y.gangs_by, y.workers_by, y.vector_by) IS NOT NULL`, nil, func(s *sqlite.Stmt) error {
		if _, wanted := sites[s.ColumnInt64(0)]; wanted {
			sites[s.ColumnInt64(0)] = Givers{s.ColumnText(1), s.ColumnText(2), s.ColumnText(3)}
		}
		return nil
	})
}

// Number is that of the device.
func (w *Work) Number() int64 { return int64(w.deviceNumber) }

// PeerNumber is that of the device that a copy went to.
func (w *Work) PeerNumber() int64 { return int64(w.peerNumber) }

// CopiesBetween says whether there are copies between devices.
func (t *Trace) CopiesBetween() (bool, error) {
	n, err := schema.Integer(t.conn, "SELECT EXISTS (SELECT 1 FROM work_detail WHERE peer <> 0)")
	return n != 0, err
}

// Route says from which device to which a copy went, "" of what stayed on one.
func (w *Work) Route() string {
	if w.Peer == 0 {
		return ""
	}
	return w.DeviceTitle() + " to " + w.PeerTitle()
}

// DeviceTitle is the device that worked, as lists show it.
func (w *Work) DeviceTitle() string {
	return (&model.DeviceInfo{Type: w.deviceType, Number: w.deviceNumber}).Title()
}

// PeerTitle is the device that a copy went to, as lists show it.
func (w *Work) PeerTitle() string {
	return (&model.DeviceInfo{Type: w.deviceType, Number: w.peerNumber}).Title()
}
