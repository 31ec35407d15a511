package advice

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/patch"
	"github.com/accscope/accscope/collector/structure"
)

// updatedPart is the part of an array that an update needs to move.
type updatedPart struct {
	share   float64 // of all of the array
	because string  // what shows it
	updates []changedUpdate
	rests   []patch.Edit // directives that it is right by
}

// changedUpdate is an update directive with what it could be: GCC has a variable once in a directive.
type changedUpdate struct {
	of    *written
	after []*written
}

// mostPieces is how many pieces a clause is given of an array, and mostShare how much of it at most.
const (
	mostPieces = 4
	mostShare  = 0.5
)

// partOf is the part that an update of a whole array needs to move, as the text of its procedure
// proves it; nil where it does not:
//   - up: what the host changes while the data are on the device, where no kernel changes them;
//     or since an update has brought all of them, just before;
//   - down: what the host uses while they are, and behind it if nothing brings them; or what
//     kernels change, where the host changes nothing.
func (d *written) partOf(variable string, up bool, bytes int64) *updatedPart {
	t := d.source
	if t == nil || t.directive == nil || !d.updates() || d.run == nil {
		return nil
	}
	p := structure.At(t.procedures, t.directive.Line)
	if p == nil || p.Unread != "" {
		return nil
	}
	around := p.Path(t.directive.Line)
	of := d.itemsOf([]string{variable})[0]
	if len(around) == 0 || around[len(around)-1].Kind != structure.Directive || !structure.IsName(of.name) || path(baseName(of.item)) {
		return nil
	}
	u := &update{written: d, procedure: p, path: around, variable: variable, name: of.name, item: of.item, bytes: bytes}
	l := u.lifetime()
	if l == nil {
		if !up {
			return nil
		}
		return u.sinceBrought()
	}
	var part *updatedPart
	if up {
		if part = u.changedByHost(l); part == nil {
			return u.sinceBrought()
		}
	} else if part = u.usedByHost(l); part == nil {
		part = u.changedByKernels(l)
	}
	if part != nil {
		for _, s := range l.bounds {
			part.rests = append(part.rests, patch.Edit{File: t.path, First: s.ACC.Line, Last: s.ACC.Last})
		}
	}
	return part
}

// update is an update directive with what it moves.
type update struct {
	*written
	procedure  *structure.Procedure
	path       []*structure.Statement
	variable   string // as the trace has it
	name, item string
	bytes      int64
	before     *structure.Statement // the update that brought all of it
}

// lifetime is while data are on the device.
type lifetime struct {
	body    []*structure.Statement
	outside []*structure.Statement // around the body
	bounds  []*structure.Statement // directives that begin and end it
	clause  string                 // of the first one
	item    string
	sends   bool // all of it goes to the device in its beginning
	brings  bool // all of it comes back at its end
	after   []*structure.Statement
}

// lifetime finds a data region around the update, or enter data and exit data in a list of
// statements that it is in; nil for none.
func (u *update) lifetime() *lifetime {
	fortran := u.procedure.Fortran
	var found *lifetime
	for i, s := range u.path {
		list := u.procedure.Body
		if i > 0 {
			list = u.path[i-1].Body
		}
		at := slices.Index(list, s)
		if s.Kind == structure.Construct && found == nil {
			if s.ACC.Compute() || conditional(s.ACC) {
				return nil
			}
			if clause, item, other := clauseOf(s.ACC, u.name, fortran); other {
				return nil
			} else if clause != "" && clause != "present" {
				found = &lifetime{body: s.Body, outside: u.path[:i+1], bounds: []*structure.Statement{s}, clause: clause, item: item, brings: clause == "copy" || clause == "copyout"}
			}
		}
		enter := slices.IndexFunc(list[:max(at, 0)], func(s *structure.Statement) bool { return u.namedBy(s, "enter data") })
		if enter < 0 || found != nil {
			continue
		}
		clause, item, _ := clauseOf(list[enter].ACC, u.name, fortran)
		found = &lifetime{outside: u.path[:i], bounds: []*structure.Statement{list[enter]}, clause: clause, item: item}
		end := len(list)
		for k := at + 1; k < len(list); k++ {
			if u.namedBy(list[k], "exit data") {
				end = k
				c, _, _ := clauseOf(list[k].ACC, u.name, fortran)
				found.brings = c == "copyout"
				break
			}
		}
		found.body = list[enter+1 : end]
		if end < len(list) {
			found.bounds = append(found.bounds, list[end])
			found.after = list[end+1:]
		}
	}
	if found == nil || found.clause == "" || !sameItem(found.item, u.item) {
		return nil
	}
	// Data that were there already are neither sent nor brought by what a clause says.
	found.sends = (found.clause == "copy" || found.clause == "copyin") && u.moved(found.bounds[0], model.EnqueueUploadStart)
	found.brings = found.brings && u.moved(found.bounds[len(found.bounds)-1], model.EnqueueDownloadStart)
	if !found.brings {
		found.behind(u.procedure)
	}
	return found
}

// behind takes in what may follow the end of the lifetime.
func (l *lifetime) behind(p *structure.Procedure) {
	for i, s := range l.outside {
		list := p.Body
		if i > 0 {
			list = l.outside[i-1].Body
		}
		if s.Kind == structure.Loop {
			l.after = append(l.after, s)
			return
		}
		l.after = append(l.after, list[slices.Index(list, s)+1:]...)
	}
}

// moved says whether the variable was moved by a directive in the run.
func (u *update) moved(by *structure.Statement, kind int32) bool {
	for key := range u.run.moves {
		if key.kind == kind && key.file == u.source.path && key.line >= int64(by.ACC.Line) && key.line <= int64(by.ACC.Last) && strings.EqualFold(key.subject, u.variable) {
			return true
		}
	}
	return false
}

func (u *update) namedBy(s *structure.Statement, directive string) bool {
	return s.ACC != nil && s.ACC.Name == directive && mentionsItem(s.ACC, u.name)
}

// sameItem says whether an update moves all that a directive has mapped.
func sameItem(mapped, moved string) bool {
	spaceless := func(item string) string {
		item = strings.ToLower(strings.Join(strings.Fields(item), ""))
		for _, whole := range []string{"(:)", "(:,:)", "(:,:,:)"} {
			item = strings.TrimSuffix(item, whole)
		}
		return item
	}
	return spaceless(mapped) == spaceless(moved) || baseName(moved) == strings.TrimSpace(moved) || baseName(mapped) == strings.TrimSpace(mapped)
}

// coverage begins with no use of the array; nil where the text does not say what shape that has.
func (u *update) coverage(l *lifetime) *coverage {
	e := &coverage{text: u.source, procedure: u.procedure, name: lower(u.name, u.procedure.Fortran), names: map[string]bool{}, around: u.path}
	item := u.item
	if l != nil && strings.ContainsAny(l.item, "[(") {
		item = l.item
	}
	if !e.shape(item) {
		return nil
	}
	return e
}

// uses looks at what else a list of statements does with the array, but at some of them; the host's
// use of its elements is the coverage's.
func (u *update) uses(e *coverage, list []*structure.Statement, exempt ...*structure.Statement) *uses {
	of := newUses(u.source, u.procedure, []*resident{{name: u.name, item: u.item}}, nil)
	of.exempt, of.constant, of.elements = exempt, true, u.name
	for name := range e.names {
		of.sizes[name] = true
	}
	if len(of.same) > 1 {
		of.refuse("%s has other names, too", u.name)
	}
	structure.All(list, of.statement)
	if of.why == "" && e.why != "" {
		of.why = e.why
	}
	return of
}

// host takes in the elements that the host uses in a list of statements, or writes.
func (e *coverage) host(list []*structure.Statement, writes bool) {
	structure.Paths(list, func(path []*structure.Statement) {
		for _, s := range path {
			if s.Kind == structure.Construct && s.ACC.Compute() {
				return
			}
		}
		e.take(path, writes)
	})
}

// kernels takes in the elements that compute constructs write.
func (e *coverage) kernels(list []*structure.Statement) {
	structure.Paths(list, func(path []*structure.Statement) {
		for i, s := range path {
			if s.Kind != structure.Construct || !s.ACC.Compute() || i == len(path)-1 {
				continue
			}
			last := path[len(path)-1]
			if before := len(e.pieces); slices.Contains(declaredIn(last), e.name) {
				e.refuse("%s is declared in a construct at line %d", e.name, last.First)
			} else if e.take(path, true); len(e.pieces) == before && e.text.mayWrite(last.Tokens, target{name: e.name, local: declaresName(e.procedure, e.name)}) {
				e.refuse("line %d may write %s", last.First, e.name)
			}
			return
		}
	})
}

// changedByHost is what the host writes in the lifetime, where the device has the same as the host
// in its beginning and no kernel writes.
func (u *update) changedByHost(l *lifetime) *updatedPart {
	e := u.coverage(l)
	if e == nil {
		return nil
	}
	if !l.sends {
		return nil
	}
	e.host(l.body, true)
	of := u.uses(e, l.body, u.path[len(u.path)-1])
	if of.why == "" && of.mapping(u.name).written {
		of.refuse("a kernel writes %s", u.name)
	}
	if of.why != "" {
		return nil
	}
	return u.part(e, "the host changes %s of it alone")
}

// sinceBrought is what the host writes behind an update that has brought all of the array, in the
// same list of statements.
func (u *update) sinceBrought() *updatedPart {
	list := u.procedure.Body
	if n := len(u.path); n > 1 {
		list = u.path[n-2].Body
	}
	at := slices.Index(list, u.path[len(u.path)-1])
	before := at - 1
	u.before = nil
	for before >= 0 && list[before].Kind != structure.Construct && !(list[before].ACC != nil && list[before].ACC.Name == "update" && mentionsItem(list[before].ACC, u.name)) {
		before--
	}
	if before < 0 || list[before].Kind == structure.Construct || !u.brings(list[before]) || len(itemsIn(u.written, "async", "if")) > 0 {
		return nil
	}
	e := u.coverage(nil)
	if e == nil {
		return nil
	}
	between := list[before+1 : at]
	e.host(between, true)
	if of := u.uses(e, between); of.why != "" {
		return nil
	}
	u.before = list[before]
	part := u.part(e, "the host changes %s of it alone since it came back")
	if part != nil {
		part.rests = []patch.Edit{{File: u.source.path, First: u.before.First, Last: u.before.Last}}
	}
	return part
}

// brings says whether a directive brings all of what the update moves, and the host waits for it.
func (u *update) brings(s *structure.Statement) bool {
	other := directiveAt(u.source.sources, u.source.path, int64(s.First))
	if len(itemsIn(other, "async", "if", "device")) > 0 {
		return false
	}
	for _, c := range itemsIn(other, "self", "host") {
		if slices.ContainsFunc(c, func(item string) bool { return of(item, u.name) && item == u.item }) {
			return true
		}
	}
	return false
}

// itemsIn are the items of a directive's clauses of some names.
func itemsIn(d *written, names ...string) (list [][]string) {
	for i := range d.clauses {
		if slices.Contains(names, strings.ToLower(d.clauses[i].Name)) {
			list = append(list, d.clauses[i].Items())
		}
	}
	return list
}

// usedByHost is what the host uses in the lifetime, and behind it where nothing brings it.
func (u *update) usedByHost(l *lifetime) *updatedPart {
	e := u.coverage(l)
	if e == nil {
		return nil
	}
	e.host(l.body, false)
	if !l.brings {
		if !isProgram(u.procedure) && !declaresName(u.procedure, u.name) || slices.Contains(parametersOf(u.procedure), u.name) {
			return nil
		}
		e.host(l.after, false)
	}
	own := u.path[len(u.path)-1]
	exempt := []*structure.Statement{own}
	var back *updatedPart
	structure.All(l.body, func(s *structure.Statement) bool {
		if s == own || s.Kind != structure.Directive || !u.namedBy(s, "update") || back != nil {
			return true
		}
		d := directiveAt(u.source.sources, u.source.path, int64(s.First))
		other := &update{written: d, procedure: u.procedure, path: u.procedure.Path(s.First), variable: u.variable, name: u.name, item: u.item, bytes: u.bytes}
		if back = other.sinceBrought(); other.before != own {
			back = nil
		}
		if back != nil {
			exempt = append(exempt, s)
		}
		return true
	})
	if of := u.uses(e, l.body, exempt...); of.why != "" {
		return nil
	}
	if !l.brings {
		if of := u.uses(e, l.after, exempt...); of.why != "" {
			return nil
		}
	}
	part := u.part(e, "the host uses %s of it alone")
	if part != nil && back != nil {
		part.updates = append(part.updates, back.updates...)
	}
	return part
}

func parametersOf(p *structure.Procedure) []string {
	names, _ := p.Parameters()
	return names
}

// changedByKernels is what kernels write in the lifetime, where the device has the same as the host
// in its beginning and the host writes nothing.
func (u *update) changedByKernels(l *lifetime) *updatedPart {
	e := u.coverage(l)
	if e == nil {
		return nil
	}
	if !l.sends {
		return nil
	}
	e.kernels(l.body)
	of := u.uses(e, l.body, u.path[len(u.path)-1])
	structure.All(l.body, func(s *structure.Statement) bool {
		if s.Kind == structure.Construct && s.ACC.Compute() {
			return false
		}
		if u.source.mayWrite(s.Tokens, target{name: e.name}) {
			of.refuse("the host may write %s at line %d", u.name, s.First)
		}
		return true
	})
	if of.why != "" {
		return nil
	}
	return u.part(e, "kernels change %s of it alone")
}

// part is what the update could be of; because names the pieces and lines that show it.
func (u *update) part(e *coverage, because string) *updatedPart {
	pieces := merged(e.pieces)
	if len(pieces) == 0 || len(pieces) > mostPieces {
		return nil
	}
	share := 0.0
	for _, s := range pieces {
		length := s.length()
		part, known := e.share(length, u.bytes)
		if !known {
			return nil
		}
		share += part
	}
	if share > mostShare {
		return nil
	}
	items := e.items(u.item, pieces)
	var after []*written
	for _, item := range items {
		other := u.clone()
		for i := range u.clauses {
			if name := u.clauses[i].Name; slices.Contains([]string{"device", "self", "host"}, strings.ToLower(name)) {
				if len(after) > 0 {
					other.without("device", "self", "host")
				} else if _, found := other.take(u.name, strings.ToLower(name)); !found {
					continue
				}
				other.add(name, item)
				break
			}
		}
		after = append(after, other)
	}
	slices.Sort(e.lines)
	var lines []string
	for _, line := range e.lines[:min(len(e.lines), mostLines)] {
		lines = append(lines, strconv.Itoa(line))
	}
	shown := "line " + lines[0]
	if len(lines) > 1 {
		shown = "lines " + strings.Join(lines, ", ")
	}
	return &updatedPart{share: share, because: fmt.Sprintf(because, strings.Join(items, ", ")) + " (" + shown + ")", updates: []changedUpdate{{u.written, after}}}
}
