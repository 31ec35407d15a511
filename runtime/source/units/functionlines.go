package units

import (
	"debug/dwarf"

	"github.com/accscope/accscope/runtime/source/linkage"
)

// CallerOf is the function or inlined call around an inlined call.
func CallerOf(s *Scope) *Scope {
	for s = s.Parent; s != nil; s = s.Parent {
		if s.Entry.Tag == dwarf.TagInlinedSubroutine || s.Entry.Tag == dwarf.TagSubprogram {
			return s
		}
	}
	return nil
}

// OutlinedIn turns the outlined function of a compute construct into the
// function that its author wrote around the construct.
func OutlinedIn(s *Scope) *Scope {
	if s == nil || s.Entry.Tag != dwarf.TagSubprogram || !linkage.IsOutlined(s.Unit.Text(s.Entry, dwarf.AttrName)) {
		return s
	}
	if p := s.Parent.Function(); p != nil {
		return p
	}
	return s
}

// FunctionLines gives the line of a function's declaration and the highest
// line of its file that has code in it: in its own code, in every inlined copy
// in the unit, and in the functions outlined from it.
func (u *Unit) FunctionLines(s *Scope) (first, last int) {
	if s == nil {
		return 0, 0
	}
	first = int(u.number(s.Entry, dwarf.AttrDeclLine))
	file := u.DeclaredIn(s.Entry)
	if (first == 0 || file == "") && len(s.Ranges) > 0 {
		// A lambda is declared nowhere: its first line with code must do.
		if r, ok := u.Lines().At(s.Ranges[0][0]); ok {
			file = u.Lines().Name(r.File)
			first, _ = u.OwnLines(s, file, 0)
		}
	}
	if first == 0 || file == "" {
		return 0, 0
	}
	identity := u.identity(s.Entry)
	last = first
	next := u.nextFunction(first, file, identity)
	var visit func(*Scope, bool)
	visit = func(c *Scope, inside bool) {
		inlined := c.Entry.Tag == dwarf.TagInlinedSubroutine
		switch {
		case inlined:
			inside = u.identity(c.Entry) == identity
		case c.Entry.Tag == dwarf.TagSubprogram:
			inside = inside && linkage.IsOutlined(u.Text(c.Entry, dwarf.AttrName)) || u.identity(c.Entry) == identity
		}
		if inside && len(c.Ranges) > 0 && (inlined || c.Entry.Tag == dwarf.TagSubprogram) {
			limit := 0
			if inlined {
				limit = next
			}
			_, high := u.OwnLines(c, file, limit)
			last = max(last, high)
		}
		for _, child := range c.Children {
			visit(child, inside)
		}
	}
	visit(u.Top, false)
	return first, last
}

// Declared is the file and line of a function's declaration, "" and 0 where it has none; next: the line of
// the first function below it, 0 where there is none.
func (u *Unit) Declared(s *Scope) (file string, line, next int) {
	file, line = u.DeclaredIn(s.Entry), int(u.number(s.Entry, dwarf.AttrDeclLine))
	if file == "" || line == 0 {
		return "", 0, 0
	}
	return file, line, u.nextFunction(line, file, u.identity(s.Entry))
}

// nextFunction is the line of the first function that is declared in a file
// below a line, 0 when there is none. The code of an inlined function is mixed
// with its surroundings, whose lines are no lines of its own.
func (u *Unit) nextFunction(line int, file string, identity place) (next int) {
	var visit func(*Scope)
	visit = func(c *Scope) {
		if c.Entry.Tag == dwarf.TagSubprogram {
			if c.Unit.identity(c.Entry) == identity {
				return // functions in the function end it no sooner
			}
			n := int(c.Unit.number(c.Entry, dwarf.AttrDeclLine))
			if n > line && (next == 0 || n < next) && c.Unit.DeclaredIn(c.Entry) == file {
				next = n
			}
		}
		for _, child := range c.Children {
			visit(child)
		}
	}
	for _, top := range u.Outermost() {
		visit(top)
	}
	return next
}

// identity is the entry that all instances of a function share.
func (u *Unit) identity(e *dwarf.Entry) place {
	for range 8 {
		v, o := u.Refer(e, dwarf.AttrAbstractOrigin)
		if o == nil {
			break
		}
		u, e = v, o
	}
	return u.place(e)
}

// OwnLines gives the lowest and highest line of a file among the rows of a
// scope, without the code of calls that were inlined into it and without lines
// from a limit on, unless that is 0.
func (u *Unit) OwnLines(s *Scope, file string, limit int) (low, high int) {
	t := u.Lines()
	for _, r := range s.Ranges {
		t.span(r[0], r[1], func(x row) {
			if t.Name(x.File) != file || inlinedInto(s, max(x.address, r[0])) {
				return
			}
			line := int(x.Line)
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
func inlinedInto(s *Scope, pc uint64) bool {
	for c := s.Innermost(pc); c != nil && c != s; c = c.Parent {
		if c.Entry.Tag == dwarf.TagInlinedSubroutine {
			return true
		}
	}
	return false
}
