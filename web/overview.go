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
	Sampled     []sampledThread  `json:"sampled"`     // tracks of /api/samples; none where no processors were sampled
	Counted     bool             `json:"counted"`     // it has what kernels did inside: /api/kernels
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
	a.Warnings = someWarnings(list(&err, func() ([]string, error) { return report.Warnings(r.trace) }))
	read(func() (err error) { a.Meta, err = r.trace.Meta(); return })
	peaks := map[model.DeviceID]int64{}
	read(func() (err error) { peaks, err = r.trace.Peaks(); return })
	a.Processes, a.Threads, a.Lanes = list(&err, r.trace.Processes), list(&err, r.trace.Threads), list(&err, r.trace.Lanes().All)
	a.Devices, a.Queues, a.Figures = []deviceInfo{}, []queueInfo{}, []figureInfo{}
	for _, d := range list(&err, r.trace.Devices) {
		a.Devices = append(a.Devices, deviceInfo{d, export.DeviceName(&d), peaks[d.ID], d.Requested()})
	}
	for _, q := range list(&err, r.trace.Queues) {
		a.Queues = append(a.Queues, queueInfo{q, callbacks.AsyncName(q.Number)})
	}
	a.Losses = list(&err, r.trace.Losses)
	if only := r.trace.LimitedTo(); only != nil {
		a.Losses = slices.DeleteFunc(a.Losses, func(l store.Loss) bool { return !slices.Contains(only, l.Process) })
	}
	for _, c := range list(&err, r.trace.Sampled().Counters) {
		title := ""
		if c.Process == 0 {
			title = c.GPUTitle()
		}
		a.Figures = append(a.Figures, figureInfo{c, title})
	}
	a.Annotations = list(&err, func() ([]annotationInfo, error) { return annotationsOf(r.trace) })
	a.Sampled = list(&err, func() ([]sampledThread, error) { return sampledThreads(r) })
	read(func() (err error) { a.CallStacks, err = r.trace.HasHostStacks(); return })
	read(func() (err error) { a.Counted, err = r.counted(); return })
	if err != nil {
		return nil, err
	}
	a.Meta.First, a.Meta.Last = bounded(a.Meta.First), bounded(a.Meta.Last)
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

// list reads a list, an empty one after an error.
func list[T any](err *error, read func() ([]T, error)) (found []T) {
	if *err == nil {
		found, *err = read()
	}
	return present(found)
}

// present makes no list an empty one: null is not what a client expects.
func present[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
