package web

import (
	"net/http"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

type traceInfo struct {
	Number  int    `json:"number"`
	Name    string `json:"name"`
	Growing bool   `json:"growing"`
}

func (s *reader) listTraces(w http.ResponseWriter, _ *http.Request) {
	list := make([]traceInfo, len(s.files))
	for i, f := range s.files {
		list[i] = traceInfo{i, f.name(), f.isGrowing()}
	}
	writeJSON(w, list)
}

// overviewAnswer is what a page needs before it draws.
type overviewAnswer struct {
	Name      string             `json:"name"`
	Damage    string             `json:"damage"`  // what a check of the file found, "" if nothing
	Running   bool               `json:"running"` // /api/live follows the program
	Meta      store.Meta         `json:"meta"`
	Processes []store.Process    `json:"processes"`
	Threads   []model.ThreadInfo `json:"threads"`
	Devices   []model.DeviceInfo `json:"devices"`
	Queues    []model.QueueInfo  `json:"queues"`
	Lanes     []store.Lane       `json:"lanes"`
	Losses    []store.Loss       `json:"losses"`
}

func overview(r *request) (any, error) {
	a := overviewAnswer{Name: r.file.name(), Damage: r.file.damaged(),
		Running: r.reader.running.Load() && r.file == r.reader.files[0]}
	var err error
	read := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	read(func() (err error) { a.Meta, err = r.trace.Meta(); return })
	read(func() (err error) { a.Processes, err = r.trace.Processes(); return })
	read(func() (err error) { a.Threads, err = r.trace.Threads(); return })
	read(func() (err error) { a.Devices, err = r.trace.Devices(); return })
	read(func() (err error) { a.Queues, err = r.trace.Queues(); return })
	read(func() (err error) { a.Lanes, err = r.trace.Lanes(); return })
	read(func() (err error) { a.Losses, err = r.trace.Losses(); return })
	if err != nil {
		return nil, err
	}
	a.Meta.First, a.Meta.Last = bounded(a.Meta.First), bounded(a.Meta.Last)
	a.Processes, a.Threads, a.Devices = present(a.Processes), present(a.Threads), present(a.Devices)
	a.Queues, a.Lanes, a.Losses = present(a.Queues), present(a.Lanes), present(a.Losses)
	for i := range a.Processes {
		a.Processes[i].Arguments = present(a.Processes[i].Arguments)
	}
	return &a, nil
}

// present makes no list an empty one: null is not what a client expects.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
