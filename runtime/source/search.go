package source

import (
	"debug/dwarf"

	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/units"
)

// fit grades how a variable accounts for a range of memory; lower is better.
type fit uint8

const (
	isRange       fit = iota // the range begins where the variable does
	holdsRange               // the range lies inside the variable
	pointsTo                 // the variable points to the range
	targetHolds              // the range lies inside the structure pointed to
	memberPointer            // a member points to the range
	noMatch
)

// search looks for a range in variables, their members and what they point to.
type search struct {
	f             *Frame
	address, size uint64
	whole         bool // the range is all of a structure that begins there
	budget        int  // members and pointers still to be looked at

	pointers []*units.Type // types of the pointers that led to the range
	root     *units.Type   // type of the variable that fits best
}

// A component of an element of an array in a component of a variable is six deep.
const maxSearchDepth = 6

// among looks among the variables of one scope. The name is empty, with a fit,
// when several fit equally well.
func (s *search) among(list []Variable) (name string, best fit) {
	s.budget, s.pointers, s.root = 4096, nil, nil
	c := choice{fit: noMatch}
	for _, v := range list {
		if c.offer(s.variable(v)) {
			s.root = v.typ
		}
	}
	return c.name, c.fit
}

// choice is the name that fits best of several. It is empty, with a fit, when two of them
// fit equally well.
type choice struct {
	name string
	fit  fit
}

// offer takes a name in and tells whether it fits better than all before.
func (c *choice) offer(name string, f fit) bool {
	better := f < c.fit
	switch {
	case better:
		c.name, c.fit = name, f
	case f == c.fit && f != noMatch && name != c.name:
		c.name = ""
	}
	return better
}

func (s *search) variable(v Variable) (string, fit) {
	if v.typ == nil {
		if v.inPlace && v.Address == s.address {
			return v.Name, isRange
		}
		return "", noMatch
	}
	if v.typ.Kind == units.Pointer {
		return s.pointer(v.Name, v.Address, v.Value, v.inPlace, v.typ, 0)
	}
	if !v.inPlace {
		return "", noMatch
	}
	return s.object(v.Name, v.Address, v.typ, 0)
}

// inside tells whether the range lies in n bytes at a.
func (s *search) inside(a, n uint64) bool {
	return s.address >= a && s.address-a < n && s.size <= n-(s.address-a)
}

func (s *search) object(name string, a uint64, t *units.Type, depth int) (string, fit) {
	if s.budget--; s.budget < 0 || depth > maxSearchDepth || t == nil {
		return "", noMatch
	}
	switch t.Kind {
	case units.Pointer:
		v, ok := s.f.pointer(a)
		if !ok {
			v = 0
		}
		return s.pointer(name, a, v, true, t, depth)
	case units.Structure:
		return s.structure(name, a, t, t.Separator("."), depth)
	case units.Descriptor:
		return s.descriptor(name, a, t, depth)
	case units.Array:
		return s.array(name, a, t, depth)
	}
	if s.address == a && (t.Size == 0 || s.size <= t.Size) {
		return name, isRange
	}
	if s.inside(a, t.Size) {
		return name, holdsRange
	}
	return "", noMatch
}

func (s *search) pointer(name string, a, v uint64, inPlace bool, t *units.Type, depth int) (string, fit) {
	target := t.Target()
	if t.IsReference() {
		return s.object(name, v, target, depth+1)
	}
	if inPlace && s.address == a && s.size <= 8 {
		return name, isRange
	}
	if v == 0 {
		return "", noMatch
	}
	structure := target != nil && target.Kind == units.Structure && target.Size > 0
	if s.address == v {
		s.pointers = append(s.pointers, t)
	}
	if s.address == v && !(structure && s.size < target.Size && !s.whole) {
		return name, pointsTo
	}
	if !structure || depth >= maxSearchDepth {
		if s.address == v {
			return name, pointsTo
		}
		return "", noMatch
	}
	n, f := s.structure(name, v, target, target.Separator("->"), depth+1)
	switch f {
	case isRange, holdsRange:
		f = targetHolds
	case noMatch:
	default:
		f = memberPointer
	}
	return n, f
}

// polymorphicData is what gfortran calls the component of a polymorphic variable, class(t),
// that points to the value of its type.
const polymorphicData = "_data"

// unwritten says whether a component of a Fortran structure is one that names of what is in it
// leave out: that of a polymorphic variable, or the parent of an extended type, which is its
// first component and has the name of its type.
func unwritten(name string, offset uint64, t *units.Type) bool {
	if t == nil || name == "" {
		return false
	}
	of, _ := t.Entry.Val(dwarf.AttrName).(string)
	return name == polymorphicData || offset == 0 && t.Kind == units.Structure && name == of
}

func (s *search) structure(name string, a uint64, t *units.Type, separator string, depth int) (string, fit) {
	if s.address == a && (s.size == t.Size || s.whole) {
		return name, isRange
	}
	t.Fill()
	prefix := name + separator
	if name == "this" && separator != "%" {
		prefix = ""
	}
	within := s.inside(a, t.Size)
	best := choice{fit: noMatch}
	for _, m := range t.Members {
		if s.budget--; s.budget < 0 {
			break
		}
		mt := t.Unit.TypeOf(m.Entry)
		full := prefix + m.Name
		if m.Name == "" || m.Entry.Tag == dwarf.TagInheritance || separator == "%" && unwritten(m.Name, m.Offset, mt) {
			full = name
		}
		n, f := "", noMatch
		if within {
			if mt == nil || s.inside(a+m.Offset, max(mt.Size, 1)) {
				n, f = s.object(full, a+m.Offset, mt, depth+1)
			}
		} else if mt != nil && (mt.Kind == units.Pointer || mt.Kind == units.Descriptor || mt.Kind == units.Structure ||
			mt.Kind == units.Array && mt.Target() != nil && mt.Target().Kind == units.Structure) {
			if n, f = s.object(full, a+m.Offset, mt, depth+1); f == noMatch {
				continue
			}
			f = memberPointer
		}
		best.offer(n, f)
	}
	if within {
		if best.name != "" {
			return best.name, holdsRange
		}
		if s.address == a {
			return name, isRange
		}
		return name, holdsRange
	}
	return best.name, best.fit
}

// descriptor looks at a Fortran array that a descriptor describes.
func (s *search) descriptor(name string, a uint64, t *units.Type, depth int) (string, fit) {
	if s.inside(a, t.Size) {
		if s.address == a {
			return name, isRange
		}
		return name, holdsRange
	}
	if t.Indirect {
		if d, ok := s.f.pointer(a); ok && d != 0 && s.inside(d, 40+24*uint64(len(t.Dimensions))) {
			return name, pointsTo
		}
	}
	base, ok := s.f.typeExpression(t.Entry.Val(dwarf.AttrDataLocation), t, a)
	if !ok || base == 0 {
		return "", noMatch
	}
	axes := s.f.layout(t, a)
	whole := span(axes, t)
	if n, f := s.elements(name, uint64(base), whole, axes, t.Target(), depth); f != noMatch {
		return n, f
	}
	if s.address == uint64(base) {
		return name, isRange
	}
	if whole != 0 && s.inside(uint64(base), whole) {
		return name, holdsRange
	}
	return "", noMatch
}

// typeExpression evaluates a bound, stride or data location of a type for the
// object at an address: a constant, an expression, or a variable that holds it.
func (f *Frame) typeExpression(attribute any, t *units.Type, object uint64) (int64, bool) {
	switch v := attribute.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), true
	case []byte:
		m := f.machine(false)
		m.Object = machine.Number(int64(object))
		p, ok := m.Evaluate(v)
		return p.Value.N, ok && p.Value.Root == machine.Constant
	case dwarf.Offset:
		e := t.Unit.EntryAt(v)
		if e == nil {
			return 0, false
		}
		vt := t.Unit.TypeOf(e)
		code := units.ExpressionAt(t.Unit.Locations(e, dwarf.AttrLocation), f.pc)
		if vt == nil || code == nil {
			return 0, false
		}
		p, ok := f.machine(false).Evaluate(code)
		if !ok || p.Value.Root != machine.Constant {
			return 0, false
		}
		if p.Content {
			return p.Value.N, true
		}
		if vt.Size != 4 && vt.Size != 8 {
			return 0, false
		}
		n := f.load(p.Value, int(vt.Size))
		return n.N, n.Root == machine.Constant
	}
	return 0, false
}
