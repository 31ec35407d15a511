package source

import (
	"debug/dwarf"
	"errors"
)

// Location is where an address lies in the program. Unknown parts are empty.
type Location struct {
	File   string // absolute when the compiler recorded its folder
	Line   int    // from 1
	Column int    // from 1

	Function          string // for display: demangled, Fortran as module::procedure
	LinkageName       string // as the linker knows it
	FunctionFirstLine int    // of its declaration
	FunctionLastLine  int    // the highest line that has code in the function
	Inlined           []Call // calls around the location that the compiler inlined, innermost first

	Module string // path of the file that holds the address
	Offset uint64 // address in the terms of the file
}

// Call is one inlined call: where, and from which function.
type Call struct {
	File        string
	Line        int
	Function    string // the function that calls
	LinkageName string
}

// LookupReturn resolves the return address of a call to the call.
func (im *Image) LookupReturn(pc uint64) (Location, error) {
	l, err := im.Lookup(pc - 1)
	l.Offset = pc
	return l, err
}

// Lookup resolves an address in the terms of the file. An address without
// debug information gets its symbol's name, one without symbol its module and
// offset only; neither is an error. The error tells of damaged or unreadable
// debug information, and the location holds what could be found nevertheless.
func (im *Image) Lookup(pc uint64) (Location, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	l := Location{Module: im.path, Offset: pc}
	if im.closed {
		return l, errors.New(im.path + ": closed")
	}
	err := guard(im.path, func() error { return im.lookupLocked(pc, &l) })
	if l.Function == "" {
		if e := guard(im.path, func() error { im.nameBySymbol(pc, &l); return nil }); err == nil {
			err = e
		}
	}
	return l, err
}

func (im *Image) nameBySymbol(pc uint64, l *Location) {
	t := im.symbolsLocked()
	if s, ok := t.containing(pc, false); ok {
		l.LinkageName = t.nameOf(s)
		l.Function = displayOf(l.LinkageName, im.isFortran())
	}
}

func (im *Image) lookupLocked(pc uint64, l *Location) error {
	u, err := im.unitAtLocked(pc)
	if errors.Is(err, errNoUnit) {
		return nil
	}
	if err != nil {
		return err
	}
	if r, ok := u.lines().at(pc); ok {
		l.File, l.Line, l.Column = u.lines().name(r.file), int(r.line), int(r.column)
	}
	if err := u.tree(); err != nil {
		return err
	}
	f := u.functionAt(pc)
	if f == nil {
		return nil
	}
	in := f.innermost(pc)
	named := f
	for s := in; s != nil && s != f; s = s.parent {
		if s.entry.Tag != dwarf.TagInlinedSubroutine {
			continue
		}
		if named == f {
			named = s
		}
		caller := callerOf(s)
		l.Inlined = append(l.Inlined, Call{
			File:     u.fileName(sectionOffset(s.entry.Val(dwarf.AttrCallFile))),
			Line:     int(sectionOffset(s.entry.Val(dwarf.AttrCallLine))),
			Function: u.display(outlinedIn(caller)), LinkageName: u.linkage(outlinedIn(caller)),
		})
	}
	named = outlinedIn(named)
	l.Function, l.LinkageName = u.display(named), u.linkage(named)
	l.FunctionFirstLine, l.FunctionLastLine = u.functionLines(named)
	return nil
}

// callerOf is the function or inlined call around an inlined call.
func callerOf(s *scope) *scope {
	for s = s.parent; s != nil; s = s.parent {
		if s.entry.Tag == dwarf.TagInlinedSubroutine || s.entry.Tag == dwarf.TagSubprogram {
			return s
		}
	}
	return nil
}

// outlinedIn turns the outlined function of a compute construct into the
// function that its author wrote around the construct.
func outlinedIn(s *scope) *scope {
	if s == nil || s.entry.Tag != dwarf.TagSubprogram || !isOutlined(s.unit.text(s.entry, dwarf.AttrName)) {
		return s
	}
	if p := s.parent.function(); p != nil {
		return p
	}
	return s
}

// functionLines gives the line of a function's declaration and the highest
// line of its file that has code in it: in its own code, in every inlined copy
// in the unit, and in the functions outlined from it.
func (u *unit) functionLines(s *scope) (first, last int) {
	if s == nil {
		return 0, 0
	}
	first = int(u.number(s.entry, dwarf.AttrDeclLine))
	file := u.declaredIn(s.entry)
	if (first == 0 || file == "") && len(s.ranges) > 0 {
		// A lambda is declared nowhere: its first line with code must do.
		if r, ok := u.lines().at(s.ranges[0][0]); ok {
			file = u.lines().name(r.file)
			first, _ = u.ownLines(s, file, 0)
		}
	}
	if first == 0 || file == "" {
		return 0, 0
	}
	identity := u.identity(s.entry)
	last = first
	next := u.nextFunction(first, file, identity)
	var visit func(*scope, bool)
	visit = func(c *scope, inside bool) {
		inlined := c.entry.Tag == dwarf.TagInlinedSubroutine
		switch {
		case inlined:
			inside = u.identity(c.entry) == identity
		case c.entry.Tag == dwarf.TagSubprogram:
			inside = inside && isOutlined(u.text(c.entry, dwarf.AttrName)) || u.identity(c.entry) == identity
		}
		if inside && len(c.ranges) > 0 && (inlined || c.entry.Tag == dwarf.TagSubprogram) {
			limit := 0
			if inlined {
				limit = next
			}
			_, high := u.ownLines(c, file, limit)
			last = max(last, high)
		}
		for _, child := range c.children {
			visit(child, inside)
		}
	}
	visit(u.top, false)
	return first, last
}

// nextFunction is the line of the first function that is declared in a file
// below a line, 0 when there is none. The code of an inlined function is mixed
// with its surroundings, whose lines are no lines of its own.
func (u *unit) nextFunction(line int, file string, identity dwarf.Offset) (next int) {
	var visit func(*scope)
	visit = func(c *scope) {
		if c.entry.Tag == dwarf.TagSubprogram {
			if u.identity(c.entry) == identity {
				return // functions in the function end it no sooner
			}
			n := int(u.number(c.entry, dwarf.AttrDeclLine))
			if n > line && (next == 0 || n < next) && u.declaredIn(c.entry) == file {
				next = n
			}
		}
		for _, child := range c.children {
			visit(child)
		}
	}
	visit(u.top)
	return next
}

// identity is the offset of the entry that all instances of a function share.
func (u *unit) identity(e *dwarf.Entry) dwarf.Offset {
	for n := 0; n < 8; n++ {
		v, o := u.refer(e, dwarf.AttrAbstractOrigin)
		if v == u && o != nil {
			e = o
			continue
		}
		break
	}
	return e.Offset
}

// ownLines gives the lowest and highest line of a file among the rows of a
// scope, without the code of calls that were inlined into it and without lines
// from a limit on, unless that is 0.
func (u *unit) ownLines(s *scope, file string, limit int) (low, high int) {
	t := u.lines()
	for _, r := range s.ranges {
		t.span(r[0], r[1], func(x row) {
			if t.name(x.file) != file || inlinedInto(s, max(x.address, r[0])) {
				return
			}
			line := int(x.line)
			if limit > 0 && line >= limit {
				return
			}
			if low == 0 || line < low {
				low = line
			}
			high = max(high, line)
		})
	}
	return low, high
}

// inlinedInto tells whether the code at pc came into s by an inlined call.
func inlinedInto(s *scope, pc uint64) bool {
	for c := s.innermost(pc); c != nil && c != s; c = c.parent {
		if c.entry.Tag == dwarf.TagInlinedSubroutine {
			return true
		}
	}
	return false
}
