package compare

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// dimension is what things are compared by.
type dimension int

const (
	byConstruct dimension = iota
	byKernel
	byVariable
	byQueue
	byRank
	bySource
	byKind
)

var dimensions = [...]string{"construct", "kernel", "variable", "queue", "rank", "source", "kind"}

func (d dimension) String() string { return dimensions[d] }

// thing is a construct, kernel, variable, queue or rank of a program, a line of its source,
// or a kind of span.
type thing struct {
	dimension
	name           string
	symbol         string // the linker's name of a kernel that is called by it
	program        string // of a kernel (run.program)
	file, function string // "" where the name is all
	line           int64
}

// sums are what a run says about a thing: times are nanoseconds, that of the host without
// what is nested inside, and that which its tables show.
type sums struct {
	count, bytes, time, host int64
	shown                    string // a kernel's name with its place
}

// run is what is compared of a trace.
type run struct {
	name      string // of its file
	things    map[thing]*sums
	values    []value                    // of what conditions ask
	ranks     map[int64]int64            // by process
	alike     map[string]map[string]bool // programs by their files' names
	variable  func(*store.Site) string
	peak      int64 // bytes of the device that had most in use
	wall      int64
	simulated bool
	cut       int64 // spans that were cut off
}

func readRun(trace *store.Trace, only *report.RankChoice, asked []*Condition) (*run, error) {
	if err := report.LimitTo(trace, only); err != nil {
		return nil, err
	}
	r := &run{name: filepath.Base(trace.Path()), things: map[thing]*sums{}, ranks: map[int64]int64{}, alike: map[string]map[string]bool{}, variable: trace.Variable}
	var err error
	summary, err := report.Summarize(trace, report.Filter{Ranks: only})
	if err != nil {
		return nil, err
	}
	r.peak, r.wall, r.simulated = summary.Peak.Bytes, summary.Wall, summary.Simulated
	for s, err := range trace.Rows("reading ranks", "SELECT process, rank FROM processes WHERE rank IS NOT NULL") {
		if err != nil {
			return nil, err
		}
		r.ranks[s.ColumnInt64(0)] = s.ColumnInt64(1)
	}
	for s, err := range trace.Rows("reading programs", "SELECT DISTINCT program FROM processes WHERE program IS NOT NULL") {
		if err != nil {
			return nil, err
		}
		program := s.ColumnText(0)
		lookup.Make(r.alike, path.Base(program), func() map[string]bool { return map[string]bool{} })[program] = true
	}
	if err := r.addUnseen(trace); err != nil {
		return nil, err
	}
	for _, condition := range asked {
		r.values = append(r.values, value{condition: condition})
	}
	err = trace.Sums().Each(store.Filter{}, func(t *store.Total) error {
		for i := range r.values {
			r.values[i].take(r, t)
		}
		bytes := int64(0)
		if transfer(t.Site) {
			bytes = t.Bytes
		}
		count := int64(0)
		if reached(t.Site) {
			count = t.Count
		}
		r.cut += t.Cut
		if t.Ended > 0 {
			r.add(construct(t.Site), sums{count: count, bytes: bytes, time: t.Exclusive(), host: t.Exclusive()})
		}
		if all := (sums{count: t.Count, bytes: bytes, time: t.Device.Time, host: t.Exclusive()}); !t.Site.Own() {
			r.add(thing{dimension: bySource, name: t.Site.Place()}, all)
			r.add(thing{dimension: byKind, name: t.Site.Kind}, all)
		}
		if t.Site.Kind == "enqueue_launch" || transfer(t.Site) {
			for _, at := range r.operated(t.Site) {
				r.add(at, sums{count: t.Count, bytes: bytes, time: t.Device.Time, host: t.Exclusive(), shown: t.Site.Name})
			}
		}
		return nil
	})
	for i := range r.values {
		r.values[i].end(r)
	}
	return r, err
}

// addUnseen adds what devices did that was enqueued before capture.
func (r *run) addUnseen(trace *store.Trace) error {
	works, err := trace.Sums().UnseenTotals()
	for i := range works {
		w := &works[i]
		at := thing{dimension: byVariable, name: w.Name()}
		if w.Work.Kind == "kernel" {
			at = kernel(cmp.Or(w.Work.Title, w.Name()), w.Symbol(), r.program(w.Work.Program))
		}
		r.add(at, sums{time: w.Time, shown: w.Name()})
	}
	return err
}

func (r *run) add(at thing, more sums) {
	if at.name == "" {
		return
	}
	s := lookup.Make(r.things, at, func() *sums { return &sums{shown: more.shown} })
	s.count, s.bytes, s.time, s.host = s.count+more.count, s.bytes+more.bytes, s.time+more.time, s.host+more.host
}

func transfer(s *store.Site) bool { return s.Kind == "enqueue_upload" || s.Kind == "enqueue_download" }

// reached says whether a span counts how often its construct was reached: each
// construct has one such span, a data region that at its begin.
func reached(s *store.Site) bool {
	return s.Outermost() && (s.Kind != "exit_data" || s.Construct == "exit_data")
}

// construct is what a span counts for. A device begins and ends in whatever construct
// comes first or last, so that is a thing of its own.
func construct(s *store.Site) thing {
	name := s.Construct
	if s.Kind == "device_init" || s.Kind == "device_shutdown" {
		name = s.Kind
	}
	return thing{dimension: byConstruct, name: name}.placed(s)
}

// placed is a thing with the site's place, if it has one.
func (t thing) placed(s *store.Site) thing {
	t.function = s.Function
	if s.File != "" {
		t.file, t.line = path.Base("/"+s.File), int64(s.Line)
	}
	return t
}

// program is what a program is known by: the name of its file, which lies elsewhere in another run,
// or where several of the run have that, its path.
func (r *run) program(file string) string {
	if name := path.Base(file); file != "" && len(r.alike[name]) < 2 {
		return name
	}
	return file
}

// kernel is a kernel of a program as people see it, and as the linker does.
func kernel(name, symbol, program string) thing {
	if place, rest, found := strings.Cut(name, " "); found && name != symbol && strings.Contains(place, ":") {
		return thing{dimension: byKernel, name: rest, program: program} // its place may move
	}
	return thing{dimension: byKernel, name: cmp.Or(name, "(no name)"), symbol: symbol, program: program}
}

// operated are the things that an enqueue, of a kernel or a transfer, counts for.
func (r *run) operated(s *store.Site) []thing {
	var list []thing
	switch {
	case s.Kind == "enqueue_launch":
		list = append(list, kernel(cmp.Or(s.Title, s.Name), s.Symbol, r.program(s.Program)).placed(s))
	case transfer(s):
		list = append(list, thing{dimension: byVariable, name: r.variable(s)})
	}
	list = append(list, thing{dimension: byQueue, name: report.DeviceName(int64(s.DeviceType), int64(s.DeviceNumber)) + " " + callbacks.AsyncName(s.AsyncQueue)})
	if rank, has := r.ranks[int64(s.Process)]; has {
		list = append(list, thing{dimension: byRank, name: fmt.Sprintf("rank %d", rank)})
	}
	return list
}
