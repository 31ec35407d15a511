package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/structure"
)

// neverReturned finds data under copyin that a kernel writes and that are deleted without having
// come back, where the host reads them next, or where nothing else comes back of what the kernel
// did: its work is lost.
var neverReturned = &rule{
	name:  "never-returned",
	about: "A kernel writes data under copyin, and they are deleted without having come back.",
	prepare: func(seen *shown) string {
		if len(seen.lost) == 0 {
			return ""
		}
		slices.Sort(seen.lost)
		var records []string
		for _, record := range seen.lost[:min(len(seen.lost), mostLostInAll)] {
			records = append(records, fmt.Sprint(record))
		}
		return `SELECT variable AS subject, source_file, line, function, process, thread, device, -2 AS async_queue, bytes,
  start, start AS end, 0 AS device_start, 0 AS device_end, '' AS detail FROM allocations WHERE record IN (` + strings.Join(records, ", ") + `)`
	},
	confidence: Possible,
	subject:    aVariable,
	relies:     []int32{model.Create, model.Delete, model.EnqueueLaunchStart, model.EnqueueDownloadStart, model.EnterDataStart},
	timeless:   true,
	wrong:      true,
	refuted: func(seen *shown, sources *report.Sources, g *group) bool {
		d := directiveAt(sources, g.file, g.line)
		next, sure := d.hostNext(g.subject), seen.writtenUnderCopyin(sources, g, g.subject)
		switch {
		case next.known && next.line == 0, !sure && d.writtenInside(g.subject) == 0:
			return true
		case next.known && sure:
			return false
		}
		return d.returnsElse() || !sure && !next.known
	},
	explain: func(f *Finding, g *group, d *written) {
		next, sure := d.hostNext(f.Variable), d.run.writtenUnderCopyin(d.source.sources, g, f.Variable)
		f.What = fmt.Sprintf("%s is written on the device, and was deleted %s without having come back", named(f.Variable), times(g.count))
		if !sure {
			f.What = fmt.Sprintf("%s may be written on the device, by what the kernel calls, and was deleted %s without having come back", named(f.Variable), times(g.count))
		}
		f.Why = "what the kernel wrote is lost"
		if next.line > 0 {
			f.Why = fmt.Sprintf("what the kernel wrote is lost: the host reads the old values at line %d", next.line)
		}
		if sure && next.line > 0 && !d.returnsElse() {
			f.Confidence = Likely
		}
		other := d.clone()
		item, found := other.take(f.Variable, "copyin", "pcopyin", "present_or_copyin")
		switch {
		case !found:
		case strings.HasPrefix(d.name, "enter data"):
			f.Instead = fmt.Sprintf("%s exit data copyout(%s) where its data lifetime ends", d.sentinel, item)
		default:
			other.add("copy", item)
			f.Instead = other.String()
		}
		f.refuse("it changes what the host gets, as it has to where that is to be what the kernel wrote")
	},
}

// hostUse is what the host does next with data, behind a construct. line 0: it does not read what
// is in them.
type hostUse struct {
	line  int
	known bool
}

// hostNext is what the host does with a variable behind the directive's construct, or where their
// data lifetime ends, in the turns of loops around it, too: known where that is in the procedure.
func (d *written) hostNext(variable string) (next hostUse) {
	t := d.source
	if t == nil || t.directive == nil || !structure.IsName(variable) {
		return next
	}
	p := structure.At(t.procedures, t.directive.Line)
	if p == nil || p.Unread != "" {
		return next
	}
	name, from := lower(variable, p.Fortran), t.directive.Line
	if strings.HasPrefix(d.name, "enter data") {
		from = 0
		structure.All(p.Body, func(s *structure.Statement) bool {
			if s.ACC != nil && s.ACC.Name == "exit data" && mentionsItem(s.ACC, name) {
				from = s.First
			}
			return true
		})
		if from == 0 {
			return next
		}
	}
	look := func(list []*structure.Statement) {
		structure.All(list, func(s *structure.Statement) bool {
			if !next.known && s.Kind != structure.Construct && s.Kind != structure.Directive {
				next = t.use(s, name)
			}
			return !next.known && (s.Kind != structure.Construct || !s.ACC.Compute())
		})
	}
	path := p.Path(from)
	for i := len(path) - 1; i >= 0 && !next.known; i-- {
		siblings := p.Body
		if i > 0 {
			siblings = path[i-1].Body
		}
		at := slices.Index(siblings, path[i])
		if at < 0 {
			return hostUse{}
		}
		look(siblings[at+1:])
		if i > 0 && path[i-1].Kind == structure.Loop {
			look(path[i-1].Body) // in the next turn
		}
	}
	if !next.known && !p.Fortran {
		structure.All(p.Body, func(s *structure.Statement) bool {
			// Memory that only this name is known to have is of no use behind the procedure.
			next.known = next.known || slices.Contains(declaredIn(s), name) && (allocates(s.Tokens) || !slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "=" || t.Text == "*" }))
			return true
		})
	}
	return next
}

// use is what a statement of the host's does with data, known where it has their name: it reads
// them, or writes them first, or gives them to what may do so.
func (t *text) use(s *structure.Statement, name string) hostUse {
	declares := slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return t.Text == "::" })
	releases := slices.ContainsFunc(s.Tokens, func(t structure.Token) bool { return slices.Contains([]string{"free", "delete", "deallocate"}, t.Text) })
	if declares && t.fortran || releases || slices.Contains(declaredIn(s), name) || !t.names(s.Tokens, name) {
		return hostUse{}
	}
	for _, at := range structure.Indexes(s.Tokens, name) {
		if structure.Writes(s.Tokens, at) || address(s.Tokens, at) {
			return hostUse{known: true}
		}
	}
	for _, call := range structure.Calls(s.Tokens) {
		for i, argument := range call.Arguments {
			given := len(argument) > 0 && argument[len(argument)-1].Text == name
			if given && !call.Method && !t.pure(call.Name) && !t.uninvolved(call.Name) && !t.reads(call.Name, i) {
				return hostUse{known: true}
			}
		}
	}
	return hostUse{s.First, true}
}

// reads says whether a procedure of the file only reads what it is given for a parameter.
func (t *text) reads(procedure string, parameter int) bool {
	for _, p := range t.procedures {
		names, ok := p.Parameters()
		if p.Name != procedure || p.Unread != "" || !ok || parameter >= len(names) {
			continue
		}
		reads := true
		structure.All(p.Body, func(s *structure.Statement) bool {
			reads = reads && !t.mayWrite(s.Tokens, target{name: names[parameter], local: true})
			return reads
		})
		return reads
	}
	return false
}

// returnsElse says whether anything may come back of what kernels did in the directive's construct.
func (d *written) returnsElse() bool {
	returns := func(name string) bool {
		name = strings.ToLower(name)
		return name == "reduction" || name == "present" || name == "deviceptr" || name == "self" || name == "host" || slices.Contains(copying, name) && !strings.HasSuffix(name, "copyin")
	}
	for _, c := range d.clauses {
		if returns(c.Name) {
			return true
		}
	}
	construct := d.inside()
	if construct == nil {
		return true
	}
	found := false
	structure.All([]*structure.Statement{construct}, func(s *structure.Statement) bool {
		if s.ACC != nil {
			for _, c := range s.ACC.Clauses {
				found = found || returns(c.Name)
			}
		}
		return !found
	})
	return found
}

// losses watches for data under copyin that are deleted without having come back though kernels
// have run.
type losses struct {
	*pass
	may  map[*store.Description]bool // whether the directive's text has the variable in copyin
	live map[int64]*mayLose          // by the record that made it
	on   map[deviceData][]*mayLose
	down map[model.ProcessID]bool
	told map[keptAt]int
}

type mayLose struct {
	low, high     int64
	used, brought bool
}

// largestDescriptor are the bytes of GCC's largest array descriptor (15 dimensions), which is mapped beside the array under
// its name, and never comes back.
const largestDescriptor = 400

// mostLost is how many rows of a process's place are shown, and mostLostInAll how many of all.
const mostLost, mostLostInAll = 100, 20_000

func (p *pass) losses() watcher {
	return &losses{pass: p, may: map[*store.Description]bool{}, live: map[int64]*mayLose{}, on: map[deviceData][]*mayLose{}, down: map[model.ProcessID]bool{}, told: map[keptAt]int{}}
}

func (w *losses) interrupted(process model.ProcessID) {
	for of := range w.on {
		if of.process == process {
			for _, m := range w.on[of] {
				m.brought = true
			}
		}
	}
}

func (w *losses) take(h *happening) {
	of := deviceData{h.Site.Process, h.Site.Device}
	switch {
	case h.Site.KindCode == model.Create:
		if int64(h.Bytes) > largestDescriptor && lookup.Make(w.may, h.Site.Description, func() bool { return w.copiesIn(h.Site) }) {
			m := &mayLose{low: int64(h.Host), high: int64(h.Host + h.Bytes), brought: within(w.exposed, int64(h.Host), int64(h.Bytes))}
			w.live[h.ID], w.on[of] = m, append(w.on[of], m)
		}
	case h.Site.KindCode == model.Delete:
		m := w.live[h.Opener]
		if m == nil {
			return
		}
		delete(w.live, h.Opener)
		w.on[of] = slices.DeleteFunc(w.on[of], func(other *mayLose) bool { return other == m })
		at := keptAt{of, keyOf(h.Site.Symbol, h.Site.Description)}
		if m.used && !m.brought && !w.down[h.Site.Process] && w.told[at] < mostLost {
			w.told[at]++
			w.lost = append(w.lost, h.Opener)
		}
	case h.Span && h.Site.Kind == "device_shutdown":
		w.down[h.Site.Process] = true
	case h.kernel():
		for _, m := range w.on[of] {
			m.used = true
		}
	case h.download() && !h.byAddress():
		for _, m := range w.on[of] {
			m.brought = m.brought || int64(h.Host) < m.high && m.low < int64(h.Host+h.Bytes)
		}
	case h.byAddress(), h.Span && h.Site.Kind == "enter_data" && h.Site.Construct == "host_data":
		for _, m := range w.on[of] {
			m.brought = true // what gets the address may use them
		}
	}
}

// copiesIn says whether a directive names in copyin what it maps.
func (w *losses) copiesIn(s *store.Site) bool {
	if s.File == "" || s.Line <= 0 || s.Symbol == "" {
		return false
	}
	_, found := takeApart(w.sources.Directive(s.File, int64(s.Line))).take(s.Symbol, "copyin", "pcopyin", "present_or_copyin")
	return found
}

func (*losses) end() {}
