package web

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/export"
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
	Damage    string             `json:"damage"`   // what a check of the file found, "" if nothing
	Running   bool               `json:"running"`  // /api/live follows the program, and then how far its trace is
	Warnings  []string           `json:"warnings"` // what is missing from the trace, or may mislead
	Meta      store.Meta         `json:"meta"`
	Clocks    string             `json:"clocks"` // how far off times of different hosts may be, "" where all are of one clock
	Ranks     shownRanks         `json:"ranks"`  // what the lists below are of
	Processes []store.Process    `json:"processes"`
	Threads   []model.ThreadInfo `json:"threads"`
	Devices   []deviceInfo       `json:"devices"`
	Queues    []queueInfo        `json:"queues"`
	Lanes     []store.Lane       `json:"lanes"`
	Losses    []store.Loss       `json:"losses"`
	Figures   []figureInfo       `json:"figures"` // sampled while the programs ran
	// Annotations are the names of ranges and frames of the program's own.
	Annotations []annotationInfo `json:"annotations"`
	CallStacks  bool             `json:"call_stacks"` // the trace has whole call stacks of the host
}

type figureInfo struct {
	store.Counter
	Title string `json:"title"` // what to call its GPU, "" of a process
}

type deviceInfo struct {
	model.DeviceInfo
	Title string `json:"title"` // what to call it: its type, number and name
	// Peak is the most memory that was in use, bytes; 0 where none ever was.
	Peak int64 `json:"peak"`
	// Requested: a program asked for it before the runtime chose a device.
	Requested bool `json:"requested"`
}

type queueInfo struct {
	model.QueueInfo
	Name string `json:"name"` // as callbacks.AsyncName has it
}

func overview(r *request) (any, error) {
	a := overviewAnswer{Name: r.file.name(), Damage: r.file.damaged(),
		Running: !r.reader.complete() && r.file == r.reader.files[0]}
	job, shown, err := r.limitRanks()
	if err != nil {
		return nil, err
	}
	a.Ranks, a.Clocks = shown, job.clocks
	read := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	read(func() (err error) {
		a.Warnings, err = report.Warnings(r.trace)
		a.Warnings = someWarnings(a.Warnings)
		return
	})
	read(func() (err error) { a.Meta, err = r.trace.Meta(); return })
	read(func() (err error) { a.Processes, err = r.trace.Processes(); return })
	read(func() (err error) { a.Threads, err = r.trace.Threads(); return })
	read(func() error {
		devices, err := r.trace.Devices()
		if err != nil {
			return err
		}
		peaks, err := r.trace.Peaks()
		for _, d := range devices {
			a.Devices = append(a.Devices, deviceInfo{d, export.DeviceName(&d), peaks[d.ID], d.Requested()})
		}
		return err
	})
	read(func() error {
		queues, err := r.trace.Queues()
		for _, q := range queues {
			a.Queues = append(a.Queues, queueInfo{q, callbacks.AsyncName(q.Number)})
		}
		return err
	})
	read(func() (err error) { a.Lanes, err = r.trace.Lanes(); return })
	read(func() (err error) {
		a.Losses, err = r.trace.Losses()
		if only := r.trace.LimitedTo(); only != nil {
			a.Losses = slices.DeleteFunc(a.Losses, func(l store.Loss) bool { return !slices.Contains(only, l.Process) })
		}
		return
	})
	read(func() error {
		list, err := r.trace.Counters()
		for _, c := range list {
			title := ""
			if c.Process == 0 {
				title = c.GPUTitle()
			}
			a.Figures = append(a.Figures, figureInfo{c, title})
		}
		return err
	})
	read(func() (err error) { a.Annotations, err = annotationsOf(r.trace); return })
	read(func() (err error) { a.CallStacks, err = r.trace.HasHostStacks(); return })
	if err != nil {
		return nil, err
	}
	a.Meta.First, a.Meta.Last = bounded(a.Meta.First), bounded(a.Meta.Last)
	a.Processes, a.Threads, a.Devices = present(a.Processes), present(a.Threads), present(a.Devices)
	a.Queues, a.Lanes, a.Losses, a.Warnings = present(a.Queues), present(a.Lanes), present(a.Losses), present(a.Warnings)
	a.Figures = present(a.Figures)
	for i := range a.Processes {
		a.Processes[i].Arguments = present(a.Processes[i].Arguments)
	}
	return &a, nil
}

// mostWarnings is how many warnings are shown: of many ranks, each may give one.
const mostWarnings = 100

func someWarnings(list []string) []string {
	if more := len(list) - mostWarnings; more > 0 {
		return append(list[:mostWarnings:mostWarnings], fmt.Sprintf("%d more such warnings: accscope report lists them", more))
	}
	return list
}

// present makes no list an empty one: null is not what a client expects.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
