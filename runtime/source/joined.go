package source

import (
	"cmp"
	"debug/dwarf"
	"slices"
	"strings"

	"github.com/accscope/accscope/runtime/source/directive"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// A compiler may let branches that differ in what a directive is about share one call of the
// runtime. What this is about differs from one call to the next, and the text of the directive
// whose line it has tells nothing of the other's.

// others are the directives beside that of its line that a call may be of, as far as code, lines
// and texts tell; nil stands for one whose text is not known.
func (p *Process) others(f *Frame, at Position) []*Directive {
	return p.shared.get(f.bias+f.pc, func() (list []*Directive, _ bool) {
		// Without code or lines it is not known to have any.
		_ = f.image.read(func() error {
			j := joint{process: p, frame: f, at: at}
			if f.unit != nil {
				j.enter()
				j.takeIn()
			}
			list = j.others
			return nil
		})
		return list, true
	})
}

// A joint is a call that branches may share.
type joint struct {
	process *Process
	frame   *Frame
	at      Position
	others  []*Directive
}

func (j *joint) add(d *Directive) {
	if !slices.Contains(j.others, d) {
		j.others = append(j.others, d)
	}
}

// enter adds the directives of the name whose code leads into that of the call; nil where no text
// is known, and code of other lines does.
func (j *joint) enter() {
	fl, lines, d := j.frame.state().fl, j.frame.unit.Lines(), j.at.Directive
	call, ok := lines.At(j.frame.pc)
	if !ok || fl == nil {
		return
	}
	for _, pc := range fl.Joined(j.frame.pc+1, func(pc uint64) bool {
		r, ok := lines.At(pc)
		return ok && r.File == call.File && int(r.Line) >= j.at.Line && int(r.Line) <= max(j.at.Line, j.at.EndLine)
	}) {
		r, ok := lines.At(pc)
		if !ok {
			continue
		}
		if d.Routine() { // in its argument's place may be any expression
			j.add(nil)
			return
		}
		other := j.process.Directive(j.frame.image.path, Position{File: lines.Name(r.File), Line: int(r.Line)}, false)
		if d == nil || other != nil && other.Name == d.Name {
			j.add(other)
		}
	}
}

// alternatives are the directives of a file, or the calls of routines where the call is one of
// these.
func (j *joint) alternatives(file string) (list []*Directive) {
	if j.at.Directive.Routine() {
		return j.process.routinesOf(j.frame.image.path, file)
	}
	for line, d := range j.process.directivesOf(j.frame.image.path, file) {
		if d.Line == line {
			list = append(list, d)
		}
	}
	return list
}

// A declared is a function that has code in that of another one: how often, and what of its
// file is its source.
type declared struct {
	file       string
	line       int
	last, next int // the last line with code, and that of the next function, 0 for none
	instances  int
}

// takeIn adds the directives that the call may be for as they have none of their own in the
// function's code, or fewer than there are copies of their function in that.
func (j *joint) takeIn() {
	f, d := j.frame, j.at.Directive
	if d == nil || f.function == nil {
		return
	}
	functions := map[string][]*declared{} // by file
	j.declared(f.function, functions)
	for file, list := range functions {
		for _, other := range j.alternatives(file) {
			if other == d || !mayShare(d, other) || sameItems(d, other) {
				continue
			}
			for _, fn := range list {
				here := j.at.File == file && fn.has(d, j.at)
				may := !here || !d.Routine() && d.Excludes(other) || d.Routine() && d.Apart(other)
				if may && fn.has(other, j.at) && j.lacksCall(fn, other) {
					j.add(other)
				}
			}
		}
	}
}

// declared adds a function and the copies of others in it.
func (j *joint) declared(s *units.Scope, functions map[string][]*declared) {
	if s.Entry.Tag == dwarf.TagSubprogram || s.Entry.Tag == dwarf.TagInlinedSubroutine {
		u := j.frame.unit
		file, line, next := u.Declared(s)
		if len(j.alternatives(file)) > 0 {
			at := slices.IndexFunc(functions[file], func(of *declared) bool { return of.line == line })
			if at < 0 {
				_, last := u.FunctionLines(s)
				at = len(functions[file])
				functions[file] = append(functions[file], &declared{file: file, line: line, last: last, next: next})
			}
			functions[file][at].instances++
		}
	}
	for _, c := range s.Children {
		if c.Entry.Tag != dwarf.TagSubprogram {
			j.declared(c, functions)
		}
	}
}

// has says whether a directive stands in the function: up to its last line with code, or in one
// part of the file with the call.
func (fn *declared) has(d *Directive, call Position) bool {
	return d.Line >= fn.line && (d.Line <= fn.last ||
		call.File == fn.file && call.Directive.Part == d.Part && call.Line >= fn.line && (fn.next == 0 || d.Line < fn.next))
}

// lacksCall says whether a directive of a function has fewer calls in the code than the function
// has copies there, and may have the one in question.
func (j *joint) lacksCall(fn *declared, d *Directive) bool {
	f := j.frame
	lines := f.unit.Lines()
	within := func(pc uint64) bool { return f.function.Holds(pc) }
	stands := lines.Has(fn.file, d.Line, d.Last, within)
	own := 0
	if fl := f.state().fl; fl != nil {
		calls, same := fl.Calls(f.pc + 1)
		for i, pc := range calls {
			r, ok := lines.At(pc)
			if !ok || lines.Name(r.File) != fn.file || int(r.Line) < d.Line || int(r.Line) > d.Last {
				continue
			}
			if d.Routine() && d.MadeAt(int(r.Line), int(r.Column)) || !d.Routine() && (same[i] || d.Name != j.at.Directive.Name) {
				own++
			}
		}
	} else if stands {
		own = fn.instances
	}
	switch {
	case own >= fn.instances:
		return false
	case own == 0 && stands:
	case own == 0 && d.Conditional[0] > 0 && !lines.Has(fn.file, d.Conditional[0], d.Conditional[1], func(uint64) bool { return true }):
		return false // not compiled
	case own == 0 && lines.Has(fn.file, d.Line, d.Last, func(pc uint64) bool { return !within(pc) && j.isOther(fn, pc) }):
		return false
	}
	return alike(j.at.Directive, d)
}

// isOther says whether an address is in another function of the source, which stands inside of a
// function, as a lambda does.
func (j *joint) isOther(fn *declared, pc uint64) bool {
	u := j.frame.unit
	s := u.FunctionAt(pc)
	if s == nil {
		return false
	}
	for s = s.Innermost(pc); s.Entry.Tag != dwarf.TagSubprogram && s.Entry.Tag != dwarf.TagInlinedSubroutine; {
		s = s.Parent
	}
	file, line, _ := u.Declared(s)
	return file != fn.file || line != fn.line
}

// callers are the directives that call the same function, of some versions of GCC.
var callers = map[string]string{"exit data": "enter data", "host_data": "data"}

// mayShare says whether two directives may share a call.
func mayShare(d, other *Directive) bool {
	return (d.Routine() || aboutData[d.Name]) && cmp.Or(callers[d.Name], d.Name) == cmp.Or(callers[other.Name], other.Name)
}

// sameItems says whether two directives name the same data in one order.
func sameItems(d, other *Directive) bool {
	if d.Routine() {
		one, known := d.HostArgument()
		two, ok := other.HostArgument()
		return known && ok && one == two
	}
	a, known := d.Items()
	b, ok := other.Items()
	return known && ok && slices.EqualFunc(a, b, func(x, y directive.Item) bool {
		one, _ := x.Written()
		two, _ := y.Written()
		return one == two
	})
}

// alike says whether one call with the same constants may be of either of two directives: they
// list data that may have as many entries, and agree in clauses about anything else.
func alike(d, other *Directive) bool {
	a, known := d.Items()
	b, ok := other.Items()
	if !known || !ok {
		return true
	}
	several := func(i directive.Item) bool { return len(i.Steps) > 1 }
	return (len(a) == len(b) || d.Fortran() || slices.ContainsFunc(append(a, b...), several)) && slices.Equal(d.Others(), other.Others())
}

// of gives the directive of several that a call is of, nil where it may be another one: what it
// lists lies where the call's data do, and what each other one lists elsewhere.
func (f *Frame) of(directives []*Directive, entries []snapshot.Entry) (only *Directive) {
	for _, d := range directives {
		items, ok := d.Items()
		l := listed{frame: f, entries: entries, fortran: f.unit != nil && units.IsFortran(f.unit.Language)}
		if !ok || !l.group() {
			return nil
		}
		is, possible := true, true
		for _, i := range items {
			found, elsewhere := false, true
			for _, g := range l.groups {
				here, known := l.liesIn(i, entries[g.first])
				found, elsewhere = found || known && here, elsewhere && known && !here
			}
			is, possible = is && found, possible && !elsewhere
		}
		switch {
		case !possible:
		case !is || only != nil:
			return nil
		default:
			only = d
		}
	}
	return only
}

// liesIn says whether what an item stands for is where an entry's data are, if both are known.
func (l *listed) liesIn(i directive.Item, e snapshot.Entry) (is, known bool) {
	name, constant := i.Written()
	if !constant || e.Size == 0 || e.Address == 0 || e.Role == snapshot.Attach {
		return false, false
	}
	w := walk{f: l.frame, entry: e}
	o, ok := w.object(name, nil)
	subscripts := i.Steps[len(i.Steps)-1].Subscripts
	switch {
	case !ok || o.Base == 0 || throughPointers(w.typ, subscripts):
		return false, false
	case o.Bytes > 0:
		return e.Address >= o.Base && e.Address+e.Size <= o.Base+o.Bytes, true
	case len(subscripts) == 0 && l.fortran:
		return e.Address == o.Base, true
	case len(subscripts) == 1 && !l.fortran:
		first, _, section := strings.Cut(subscripts[0], ":")
		first = strings.TrimSpace(first)
		return e.Address == o.Base, section && (first == "" || first == "0")
	}
	return false, false
}
