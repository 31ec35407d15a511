package compare

import (
	"fmt"
	"path"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/callbacks"
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
)

func (d dimension) String() string {
	return [...]string{"construct", "kernel", "variable", "queue", "rank"}[d]
}

// thing is a construct, kernel, variable, queue or rank of a program.
type thing struct {
	dimension
	name           string
	file, function string // "" where the name is all
	line           int64
}

// sums are what a run says about a thing: times are nanoseconds.
type sums struct{ count, bytes, time int64 }

// run is what is compared of a trace.
type run struct {
	things    map[thing]*sums
	totals    []store.Total
	ranks     map[int64]int64 // by process
	variable  func(*store.Site) string
	peak      int64 // bytes of the device that had most in use
	wall      int64
	simulated bool
}

func readRun(trace *store.Trace) (*run, error) {
	r := &run{things: map[thing]*sums{}, ranks: map[int64]int64{}, variable: trace.Variable}
	var err error
	if r.totals, err = trace.Totals(store.Filter{}); err != nil {
		return nil, err
	}
	summary, err := report.Summarize(trace)
	if err != nil {
		return nil, err
	}
	r.peak, r.wall, r.simulated = summary.Peak.Bytes, summary.Wall, summary.Simulated
	err = sqlitex.Execute(trace.Conn(), "SELECT process, rank FROM processes WHERE rank IS NOT NULL", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		r.ranks[s.ColumnInt64(0)] = s.ColumnInt64(1)
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("reading ranks: %w", err)
	}
	for i := range r.totals {
		t := &r.totals[i]
		bytes := int64(0)
		if transfer(t.Site) {
			bytes = t.Bytes
		}
		count := int64(0)
		if reached(t.Site) {
			count = t.Count
		}
		if t.Ended > 0 {
			r.add(construct(t.Site), count, bytes, t.Exclusive())
		}
		if t.Site.Kind == "enqueue_launch" || transfer(t.Site) {
			for _, at := range r.operated(t.Site) {
				r.add(at, t.Count, bytes, t.Device.Time)
			}
		}
	}
	return r, nil
}

func (r *run) add(at thing, count, bytes, time int64) {
	if at.name == "" {
		return
	}
	s := r.things[at]
	if s == nil {
		s = &sums{}
		r.things[at] = s
	}
	s.count, s.bytes, s.time = s.count+count, s.bytes+bytes, s.time+time
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
	return thing{byConstruct, name, path.Base("/" + s.File), s.Function, int64(s.Line)}.placed(s)
}

// placed is a thing without a place where the site has none.
func (t thing) placed(s *store.Site) thing {
	if s.File == "" {
		t.file, t.line = "", 0
	}
	return t
}

// operated are the things that an enqueue, of a kernel or a transfer, counts for.
func (r *run) operated(s *store.Site) []thing {
	var list []thing
	switch {
	case s.Kind == "enqueue_launch":
		name := s.Name
		if place, rest, found := strings.Cut(name, " "); found && s.Name != s.Symbol && strings.Contains(place, ":") {
			name = rest // its place may move
		}
		list = append(list, thing{byKernel, name, path.Base("/" + s.File), s.Function, int64(s.Line)}.placed(s))
	case transfer(s):
		list = append(list, thing{dimension: byVariable, name: r.variable(s)})
	}
	list = append(list, thing{dimension: byQueue, name: report.DeviceName(int64(s.DeviceType), int64(s.DeviceNumber)) + " " + callbacks.AsyncName(s.AsyncQueue)})
	if rank, has := r.ranks[int64(s.Process)]; has {
		list = append(list, thing{dimension: byRank, name: fmt.Sprintf("rank %d", rank)})
	}
	return list
}
