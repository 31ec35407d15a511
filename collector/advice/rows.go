package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// rows is which kernels follow one another on the synchronous queue, and what else a thread
// does behind one: what has to be known to put them onto a queue without a change of results.
type rows struct {
	constructs map[constructPlace]*rowConstruct
	queues     map[int64]bool // async queues that the program has
	launches   map[model.ProcessID]model.ThreadID
	threaded   bool // several threads of a process launch kernels: how they wait for one another is not seen
}

func newRows() *rows {
	return &rows{constructs: map[constructPlace]*rowConstruct{}, queues: map[int64]bool{}, launches: map[model.ProcessID]model.ThreadID{}}
}

type (
	// constructPlace is a directive: what a template's instances and the places that a
	// function is inlined at have in common. Without a line it is the function.
	constructPlace struct {
		file, function string
		line           int64
	}
	rowConstruct struct {
		constructPlace
		next    map[*rowConstruct]bool // constructs whose kernels follow, with nothing in between
		ends    map[rowEnd]bool        // what else the thread does behind it
		scalars map[string]bool        // that it copies in and out by itself
		queued  bool                   // it is on an async queue, too
	}
	// rowEnd is what comes behind a row. own: the construct itself goes on, with a download or
	// with its data.
	rowEnd struct {
		own  bool
		what string
		at   constructPlace
	}
)

// endOfData is what ends a row at the end of a data region, which has the place of its begin.
const endOfData = "the end of the data region"

// endAt is what a site is as the end of a row; around: the site of the span around it, nil: none.
func endAt(s, around *store.Site) rowEnd {
	end := rowEnd{at: placeOf(s)}
	switch {
	case s.KindCode == model.MPIStart:
		end.what = s.Name
	case s.KindCode == model.EnqueueLaunchStart:
		end.what = "the construct"
	case around != nil && around.Kind == "exit_data" && s.Construct == "data":
		end.what = endOfData
	case s.Construct == "" || s.Construct == "runtime_api":
		end.what = "the call"
	default:
		end.what = "the " + strings.ReplaceAll(s.Construct, "_", " ")
	}
	return end
}

func placeOf(s *store.Site) constructPlace {
	if s.File == "" || s.Line <= 0 {
		return constructPlace{s.File, s.Function, 0}
	}
	return constructPlace{s.File, "", int64(s.Line)}
}

// of is the construct of a site.
func (r *rows) of(s *store.Site) *rowConstruct {
	return lookup.Make(r.constructs, placeOf(s), func() *rowConstruct {
		return &rowConstruct{constructPlace: placeOf(s), next: map[*rowConstruct]bool{}, ends: map[rowEnd]bool{}, scalars: map[string]bool{}}
	})
}

// by notes who launches kernels.
func (r *rows) by(s *store.Site) {
	if thread, known := r.launches[s.Process]; known && thread != s.Thread {
		r.threaded = true
	}
	r.launches[s.Process] = s.Thread
}

// free is an async queue that the program does not use.
func (r *rows) free() int64 {
	for queue := int64(1); ; queue++ {
		if !r.queues[queue] {
			return queue
		}
	}
}

func (c *rowConstruct) copiesBack(names string) {
	for name := range strings.SplitSeq(names, ", ") {
		c.scalars[name] = true
	}
}

func (c *rowConstruct) endsAt(e rowEnd) { c.ends[e] = true }

// kernelRow is a row as it could be: all its constructs on a queue.
type kernelRow struct {
	queue      int64
	constructs []*queuedConstruct // in order of their places
	sources    *report.Sources
	files      []string // that the trace names
}

// queuedConstruct is a construct of a row: its directive, the scalars that have to be given it
// by value, and whether the host waits for it, as it brings something.
type queuedConstruct struct {
	*rowConstruct
	directive *written
	byValue   []string
	waits     bool
}

// joinRows joins what is found of the constructs of each row. It is left out where the order
// cannot be told: of several threads, of data whose device address the program has, and of
// constructs that are on other queues, too.
func (seen *shown) joinRows(sources *report.Sources, groups []*group) (list []*group) {
	if seen.rows.threaded || len(seen.exposed) > 0 {
		return nil
	}
	known := map[*rowConstruct]*queuedConstruct{}
	at := func(c *rowConstruct) *queuedConstruct {
		return lookup.Make(known, c, func() *queuedConstruct { return queuedAt(sources, c) })
	}
	found, of := map[*rowConstruct][]*group{}, map[*group]*rowConstruct{}
	for _, g := range groups {
		place := constructPlace{g.file, "", g.line}
		if g.file == "" || g.line <= 0 {
			place = constructPlace{g.file, g.function, 0}
		}
		if c := seen.rows.constructs[place]; c != nil {
			found[c], of[g] = append(found[c], g), c
		}
	}
	done := map[*rowConstruct]bool{}
	for _, g := range groups {
		c := of[g]
		if c == nil || done[c] || at(c).waits {
			continue
		}
		row := seen.rows.from(c, at)
		var parts []*group
		for _, q := range row {
			done[q.rowConstruct] = true
			if !q.waits {
				parts = append(parts, found[q.rowConstruct]...)
			}
		}
		if slices.ContainsFunc(row, func(q *queuedConstruct) bool { return q.queued }) {
			continue
		}
		whole := joined(parts)
		whole.row = &kernelRow{seen.rows.free(), row, sources, seen.files}
		list = append(list, whole)
	}
	return list
}

// from is the row that a construct is in: those that follow it, and those that it follows.
func (r *rows) from(c *rowConstruct, at func(*rowConstruct) *queuedConstruct) (row []*queuedConstruct) {
	before := map[*rowConstruct][]*rowConstruct{}
	for _, other := range r.constructs {
		for next := range other.next {
			if !at(other).waits {
				before[next] = append(before[next], other)
			}
		}
	}
	in := map[*rowConstruct]bool{c: true}
	for left := []*rowConstruct{c}; len(left) > 0; {
		one := left[0]
		left = left[1:]
		near := before[one]
		if !at(one).waits {
			near = slices.AppendSeq(slices.Clone(near), maps.Keys(one.next))
		}
		for _, other := range near {
			if !in[other] {
				in[other] = true
				left = append(left, other)
			}
		}
		row = append(row, at(one))
	}
	slices.SortFunc(row, (*queuedConstruct).place)
	return row
}

// place orders constructs by where they are.
func (q *queuedConstruct) place(other *queuedConstruct) int {
	return cmp.Or(cmp.Compare(q.file, other.file), cmp.Compare(q.line, other.line), cmp.Compare(q.function, other.function))
}

// queuedAt is what a construct has to be on a queue. One that copies scalars back which it
// cannot be given by value has to be waited for.
func queuedAt(sources *report.Sources, c *rowConstruct) *queuedConstruct {
	q := &queuedConstruct{rowConstruct: c, directive: directiveAt(sources, c.file, c.line)}
	q.queued = q.queued || q.directive.has("async")
	q.waits = c.ends[rowEnd{own: true}]
	for _, name := range slices.Sorted(maps.Keys(c.scalars)) {
		// A kernels construct has no firstprivate clause.
		if !q.directive.known() || strings.HasPrefix(q.directive.name, "kernels") || !q.directive.onlyReads(name) {
			q.waits = true
			return q
		}
		q.byValue = append(q.byValue, name)
	}
	return q
}

// has says whether a directive has a clause.
func (d *written) has(name string) bool {
	for _, c := range d.clauses {
		if strings.EqualFold(c.Name, name) {
			return true
		}
	}
	return false
}

// onlyReads says whether the construct reads a scalar and does nothing else with it, as far as
// its text shows.
func (d *written) onlyReads(name string) bool {
	construct := d.inside()
	if construct == nil || !structure.IsName(name) {
		return false
	}
	only := true
	structure.All([]*structure.Statement{construct}, func(s *structure.Statement) bool {
		reduced := s.ACC != nil && slices.ContainsFunc(s.ACC.Clauses, func(c directive.Clause) bool { return strings.EqualFold(c.Name, "reduction") })
		only = only && !reduced && !d.source.mayWrite(s.Tokens, target{name: lower(name, d.source.fortran), scalar: true})
		return only
	})
	return only
}

// givenByValue is the construct's directive with its scalars by value.
func (c *queuedConstruct) givenByValue() *written {
	other := c.directive.clone()
	if len(c.byValue) > 0 {
		other.add("firstprivate", strings.Join(c.byValue, ", "))
	}
	return other
}

// onQueue is the construct's directive as it could be.
func (c *queuedConstruct) onQueue(queue int64) *written {
	other := c.givenByValue()
	other.add("async", fmt.Sprint(queue))
	return other
}

// behindQueue is the directive of a construct that brings the host something, as it could be: it waits
// for what is on the queue, and the host for it. On a queue GCC would copy a scalar back before its kernel ran.
func (c *queuedConstruct) behindQueue(queue int64) *written {
	other := c.directive.clone()
	if !slices.ContainsFunc(other.clauses, func(of directive.Clause) bool { return strings.EqualFold(of.Name, "wait") && !of.Has }) {
		other.add("wait", fmt.Sprint(queue))
	}
	return other
}

func (r *kernelRow) places() (list []Place) {
	for _, c := range r.constructs {
		list = append(list, Place{c.file, c.function, c.line})
	}
	return list
}

// where names a place, by its line alone where the file is the one that is spoken of.
func (p constructPlace) where(file string) string {
	switch {
	case p.line <= 0:
		return cmp.Or(p.function, "a place that is not known")
	case p.file == file:
		return fmt.Sprintf("line %d", p.line)
	}
	return report.ShowPlace(p.file, p.line, "")
}

// instead is what to write: async on all constructs of the row, and where to wait for them.
func (r *kernelRow) instead(file string, d *written) string {
	var text []string
	sentinel := cmp.Or(d.sentinel, sentinelOf(file))
	wait := fmt.Sprintf("%s wait(%d)", sentinel, r.queue)
	ends := map[rowEnd]bool{}
	for _, c := range r.constructs {
		line := c.where(file) + ": "
		if len(r.constructs) == 1 {
			line = ""
		}
		switch {
		case c.waits && c.directive.known():
			line += c.behindQueue(r.queue).String()
		case c.waits:
			line += fmt.Sprintf("wait(%d) on the construct", r.queue)
		case c.directive.known():
			line += c.onQueue(r.queue).String()
		default:
			line += fmt.Sprintf("async(%d) on the construct", r.queue)
		}
		text = append(text, line)
		if !c.waits {
			maps.Copy(ends, c.ends)
		}
	}
	if places := endPlaces(ends, file); len(places) > 0 {
		text = append(text, fmt.Sprintf("and before %s: %s", strings.Join(places, ", before "), wait))
	} else if !slices.ContainsFunc(r.constructs, func(c *queuedConstruct) bool { return c.waits }) {
		text = append(text, "and before the host needs a result: "+wait)
	}
	return strings.Join(text, "\n")
}

// endPlaces names what comes behind rows, in order.
func endPlaces(ends map[rowEnd]bool, file string) []string {
	places := map[string]bool{}
	for e := range ends {
		switch {
		case e.own:
		case e.at.line > 0:
			places[fmt.Sprintf("%s at %s", e.what, e.at.where(file))] = true
		default:
			places["what each function does with the device next"] = true
		}
	}
	return slices.Sorted(maps.Keys(places))
}
