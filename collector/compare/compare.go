// Package compare sets runs of a program side by side, before and after a change: by
// construct, kernel, variable, queue and rank, matched over moved lines, with the
// chance that a difference of times is none; and it decides conditions on the
// differences, for continuous integration.
package compare

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// Comparison is the runs of two sides, the base first.
type Comparison struct {
	sides      [2][]*run
	names      [2]string
	only       *report.RankChoice
	asked      []*Condition
	Conditions []*Condition      // that were decided
	moved      map[thing]int64   // by what is on the other side: its line in the base
	programs   map[string]string // of the other side: those of the base that they have become of
}

// New begins a comparison of two sides that are called so, limited to ranks of the runs, of which
// no others are read; nil: of all. Conditions to be decided are asked of the runs while they are
// read, whose sums are not kept.
func New(names [2]string, only *report.RankChoice, conditions ...*Condition) *Comparison {
	return &Comparison{names: names, only: only, asked: conditions}
}

// Add reads a run of a side: 0 is the base, 1 the other one. Nothing has been read of its trace
// where the comparison is limited to ranks; one that has none of them is an error.
func (c *Comparison) Add(side int, trace *store.Trace) error {
	r, err := readRun(trace, c.only, c.asked)
	if err == nil {
		c.sides[side], c.moved = append(c.sides[side], r), nil
	}
	return err
}

// Simulated says whether a run's times are those of a simulated device.
func (c *Comparison) Simulated() bool {
	return slices.ContainsFunc(slices.Concat(c.sides[0], c.sides[1]), func(r *run) bool { return r.simulated })
}

// Cautions are what to know before times are compared.
func (c *Comparison) Cautions() (list []string) {
	if c.Simulated() {
		list = append(list, report.SimulatedTimes)
	}
	for _, r := range slices.Concat(c.sides[0], c.sides[1]) {
		if r.cut > 0 {
			list = append(list, fmt.Sprintf("%s has %d spans that were cut off: they last until their program ended, or is known of it", r.name, r.cut))
		}
	}
	return list
}

// line is one thing on both sides: a sum for each run.
type line struct {
	thing
	title string   // its name, with its program where others have such a kernel
	lines [2]int64 // of the source, 0: not there
	runs  [2][]sums
	there [2]bool
}

// collect gives the lines of a dimension.
func (c *Comparison) collect(d dimension) []*line {
	if c.moved == nil {
		c.match()
	}
	lines := map[thing]*line{}
	var order []*line
	for side, runs := range c.sides {
		for i, r := range runs {
			for at, s := range r.things {
				if at.dimension != d {
					continue
				}
				matched := c.inBase(side, at)
				matched.line = c.lineOf(side, matched)
				l := lookup.Make(lines, matched, func() *line {
					order = append(order, &line{thing: matched, runs: [2][]sums{make([]sums, len(c.sides[0])), make([]sums, len(c.sides[1]))}})
					return order[len(order)-1]
				})
				l.there[side], l.lines[side] = true, at.line
				l.runs[side][i] = *s
			}
		}
	}
	entitle(order)
	return order
}

// entitle calls kernels by their programs, too, where several programs have one of that name.
func entitle(list []*line) {
	programs := map[thing]map[string]bool{}
	alike := func(l *line) thing { return thing{dimension: l.dimension, name: l.name, symbol: l.symbol} }
	for _, l := range list {
		lookup.Make(programs, alike(l), func() map[string]bool { return map[string]bool{} })[l.program] = true
	}
	for _, l := range list {
		if l.title = l.name; len(programs[alike(l)]) > 1 {
			l.title += " (" + path.Base(l.program) + ")"
		}
	}
}

func valuesOf(runs []sums, value func(sums) int64) []int64 {
	values := make([]int64, len(runs))
	for i, s := range runs {
		values[i] = value(s)
	}
	return values
}

// growth is the change from one value to another as a fraction, nil from 0.
func growth(from, to int64) any {
	if from == 0 {
		return nil
	}
	return float64(to-from) / float64(from)
}

// columns are those of all tables.
var columns = []report.Column{
	{Title: "name", Key: "name", Unit: report.Text},
	{Title: "at", Key: "place", Unit: report.Text},
	{Title: "is", Key: "change", Unit: report.Text},
	{Title: "count", Key: "base_count", Unit: report.Count},
	{Title: "then", Key: "count", Unit: report.Count},
	{Title: "bytes", Key: "base_bytes", Unit: report.Bytes},
	{Title: "then", Key: "bytes", Unit: report.Bytes},
	{Title: "time", Key: "base_time_ns", Unit: report.Nanoseconds},
	{Title: "spread", Key: "base_spread_ns", Unit: report.Nanoseconds},
	{Title: "then", Key: "time_ns", Unit: report.Nanoseconds},
	{Title: "spread", Key: "spread_ns", Unit: report.Nanoseconds},
	{Title: "change", Key: "time_change", Unit: report.Fraction},
	{Title: "times differ", Key: "significance", Unit: report.Text},
}

// titles of the dimensions' tables.
var titles = map[dimension]string{byConstruct: "Constructs", byKernel: "Kernels", byVariable: "Variables", byQueue: "Queues", byRank: "Ranks"}

// Document is the comparison as tables; top rows each, 0: all.
func (c *Comparison) Document(top int) *report.Document {
	d := &report.Document{Title: "accscope compare", Facts: []report.Fact{{Name: "base", Value: c.names[0]}, {Name: "then", Value: c.names[1]}}}
	d.Warnings = c.Cautions()
	if few := c.TooFewRuns(); few != "" {
		d.Facts = append(d.Facts, report.Fact{Name: "times", Value: few})
	}
	if len(c.Conditions) > 0 {
		d.Tables = append(d.Tables, conditionTable(c.Conditions))
	}
	for _, by := range []dimension{byConstruct, byKernel, byVariable, byQueue, byRank} {
		d.Tables = append(d.Tables, c.table(by, top))
	}
	return d
}

// fewestRuns are needed on each side: the exact test tells nothing of fewer.
const fewestRuns = 4

// chance is the level of significance.
const chance = 0.05

func (c *Comparison) fewRuns() bool { return min(len(c.sides[0]), len(c.sides[1])) < fewestRuns }

// TooFewRuns says so where there are too few to tell whether times differ, else "".
func (c *Comparison) TooFewRuns() string {
	if !c.fewRuns() {
		return ""
	}
	return fmt.Sprintf("too few runs to tell what is chance: %d and %d, four a side are needed", len(c.sides[0]), len(c.sides[1]))
}

// table has a row for each line, what changed most in time first.
func (c *Comparison) table(by dimension, top int) *report.Table {
	t := &report.Table{Key: by.String(), Title: titles[by], Columns: slices.Clone(columns)}
	t.Columns[0].Title = by.String()
	for i := range t.Columns { // people are spared what says the same in each row
		switch column := &t.Columns[i]; column.Title {
		case "at":
			if by != byConstruct && by != byKernel {
				column.Title = ""
			}
		case "spread":
			if len(c.sides[0])+len(c.sides[1]) == 2 {
				column.Title = ""
			}
		case "times differ":
			if c.fewRuns() {
				column.Title = ""
			}
		}
	}
	if by == byConstruct {
		t.Note = "time is the host's, without what is nested inside"
	} else {
		t.Note = "time is the device's; a queue's and a rank's is the sum of its operations"
	}
	type row struct {
		cells  []any
		change int64
		name   string
	}
	var rows []row
	for _, l := range c.collect(by) {
		cells, change := c.row(l)
		rows = append(rows, row{cells, max(change, -change), fmt.Sprint(cells[0], cells[1])})
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.change, a.change), cmp.Compare(a.name, b.name)) })
	for _, r := range rows {
		t.Rows = append(t.Rows, r.cells)
	}
	if top > 0 && len(t.Rows) > top {
		t.Omitted = len(t.Rows) - top
		t.Rows = t.Rows[:top]
	}
	return t
}

// row gives a line's cells and the change of its time.
func (c *Comparison) row(l *line) (cells []any, change int64) {
	cells = []any{l.title, l.place(), nil}
	var figures [2]struct{ count, bytes, time, spread int64 }
	var times [2][]int64
	for side, runs := range l.runs {
		f := &figures[side]
		f.count = report.Median(valuesOf(runs, func(s sums) int64 { return s.count }))
		f.bytes = report.Median(valuesOf(runs, func(s sums) int64 { return s.bytes }))
		times[side] = valuesOf(runs, func(s sums) int64 { return s.time })
		f.time, f.spread = report.Median(times[side]), slices.Max(times[side])-slices.Min(times[side])
	}
	a, b := figures[0], figures[1]
	switch {
	case !l.there[0]:
		cells[2] = "new"
	case !l.there[1]:
		cells[2] = "gone"
	case a.count != b.count || a.bytes != b.bytes:
		cells[2] = "changed"
	}
	cells = append(cells, a.count, b.count, a.bytes, b.bytes, a.time, a.spread, b.time, b.spread, growth(a.time, b.time))
	var significance any
	switch {
	case a.time == 0 && b.time == 0:
	case c.fewRuns():
		significance = "too few runs to tell"
	default:
		significance = "not significant"
		if p := mannWhitney(times[0], times[1]); p <= chance {
			significance = fmt.Sprintf("significant, p = %.3f", p)
		}
	}
	return append(cells, significance), b.time - a.time
}

// place is file:line, with both lines where it moved.
func (l *line) place() any {
	switch {
	case l.file == "":
		return nil
	case l.lines[0] > 0 && l.lines[1] > 0 && l.lines[0] != l.lines[1]:
		return fmt.Sprintf("%s:%d -> %d", l.file, l.lines[0], l.lines[1])
	}
	return report.ShowPlace(l.file, max(l.lines[0], l.lines[1]), l.function)
}
