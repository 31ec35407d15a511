package source

import (
	"debug/dwarf"
	"strings"
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

	pointers []*dataType // types of the pointers that led to the range
	root     *dataType   // type of the variable that fits best
}

// A component of an element of an array in a component of a variable is six deep.
const maxSearchDepth = 6

// among looks among the variables of one scope. The name is empty, with a fit,
// when several fit equally well.
func (s *search) among(list []Variable) (name string, best fit) {
	s.budget, s.pointers, s.root = 4096, nil, nil
	best = noMatch
	for _, v := range list {
		n, fit := s.variable(v)
		switch {
		case fit < best:
			name, best, s.root = n, fit, v.typ
		case fit == best && fit != noMatch && n != name:
			name = ""
		}
	}
	return name, best
}

func (s *search) variable(v Variable) (string, fit) {
	if v.typ == nil {
		if v.inPlace && v.Address == s.address {
			return v.Name, isRange
		}
		return "", noMatch
	}
	if v.typ.kind == pointerType {
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

func (s *search) object(name string, a uint64, t *dataType, depth int) (string, fit) {
	if s.budget--; s.budget < 0 || depth > maxSearchDepth || t == nil {
		return "", noMatch
	}
	switch t.kind {
	case pointerType:
		v, ok := s.f.pointer(a)
		if !ok {
			v = 0
		}
		return s.pointer(name, a, v, true, t, depth)
	case structureType:
		return s.structure(name, a, t, t.separator("."), depth)
	case descriptorType:
		return s.descriptor(name, a, t, depth)
	case arrayType:
		return s.array(name, a, t, depth)
	}
	if s.address == a && (t.size == 0 || s.size <= t.size) {
		return name, isRange
	}
	if s.inside(a, t.size) {
		return name, holdsRange
	}
	return "", noMatch
}

// separator is what stands between a variable and its member.
func (t *dataType) separator(c string) string {
	if isFortranLanguage(t.unit.language) {
		return "%"
	}
	return c
}

func (s *search) pointer(name string, a, v uint64, inPlace bool, t *dataType, depth int) (string, fit) {
	target := t.target()
	if t.isReference() {
		return s.object(name, v, target, depth+1)
	}
	if inPlace && s.address == a && s.size <= 8 {
		return name, isRange
	}
	if v == 0 {
		return "", noMatch
	}
	structure := target != nil && target.kind == structureType && target.size > 0
	if s.address == v {
		s.pointers = append(s.pointers, t)
	}
	if s.address == v && !(structure && s.size < target.size && !s.whole) {
		return name, pointsTo
	}
	if !structure || depth >= maxSearchDepth {
		if s.address == v {
			return name, pointsTo
		}
		return "", noMatch
	}
	n, f := s.structure(name, v, target, target.separator("->"), depth+1)
	switch f {
	case isRange, holdsRange:
		f = targetHolds
	case noMatch:
	default:
		f = memberPointer
	}
	return n, f
}

func (s *search) structure(name string, a uint64, t *dataType, separator string, depth int) (string, fit) {
	if s.address == a && (s.size == t.size || s.whole) {
		return name, isRange
	}
	t.fill()
	prefix := name + separator
	if name == "this" {
		prefix = ""
	}
	within := s.inside(a, t.size)
	best, bestName := noMatch, ""
	for _, m := range t.members {
		if s.budget--; s.budget < 0 {
			break
		}
		mt := t.unit.typeOf(m.entry)
		full := prefix + m.name
		if m.name == "" || m.entry.Tag == dwarf.TagInheritance {
			full = name
		}
		n, f := "", noMatch
		if within {
			if mt == nil || s.inside(a+m.offset, max(mt.size, 1)) {
				n, f = s.object(full, a+m.offset, mt, depth+1)
			}
		} else if mt != nil && (mt.kind == pointerType || mt.kind == descriptorType || mt.kind == structureType) {
			if n, f = s.object(full, a+m.offset, mt, depth+1); f == noMatch {
				continue
			}
			f = memberPointer
		}
		switch {
		case f < best:
			best, bestName = f, n
		case f == best && f != noMatch && n != bestName:
			bestName = ""
		}
	}
	if within {
		if best != noMatch && bestName != "" {
			return bestName, holdsRange
		}
		if s.address == a {
			return name, isRange
		}
		return name, holdsRange
	}
	return bestName, best
}

// descriptor looks at a Fortran array that a descriptor describes.
func (s *search) descriptor(name string, a uint64, t *dataType, depth int) (string, fit) {
	if s.inside(a, t.size) {
		if s.address == a {
			return name, isRange
		}
		return name, holdsRange
	}
	if t.indirect {
		if d, ok := s.f.pointer(a); ok && d != 0 && s.inside(d, 40+24*uint64(len(t.dimensions))) {
			return name, pointsTo
		}
	}
	base, ok := s.f.typeExpression(t.entry.Val(dwarf.AttrDataLocation), t, a)
	if !ok || base == 0 {
		return "", noMatch
	}
	whole := s.f.descriptorSpan(t, a)
	if n, f := s.elements(name, uint64(base), whole, s.f.layout(t, a), t.target(), depth); f != noMatch {
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
func (f *Frame) typeExpression(attribute any, t *dataType, object uint64) (int64, bool) {
	switch v := attribute.(type) {
	case int64:
		return v, true
	case uint64:
		return int64(v), true
	case []byte:
		m := f.machine(false)
		m.object = number(int64(object))
		p, ok := m.evaluate(v)
		return p.v.n, ok && p.v.root == constant
	case dwarf.Offset:
		e := t.unit.entryAt(v)
		if e == nil {
			return 0, false
		}
		vt := t.unit.typeOf(e)
		code := at(t.unit.locations(e, dwarf.AttrLocation), f.pc)
		if vt == nil || code == nil {
			return 0, false
		}
		p, ok := f.machine(false).evaluate(code)
		if !ok || p.v.root != constant {
			return 0, false
		}
		if p.content {
			return p.v.n, true
		}
		if vt.size != 4 && vt.size != 8 {
			return 0, false
		}
		n := f.load(p.v, int(vt.size))
		return n.n, n.root == constant
	}
	return 0, false
}

// arraySize is the size of an array whose bounds are variables, 0 when they
// are unknown.
func (f *Frame) arraySize(t *dataType, object uint64) uint64 {
	element := t.target()
	if element == nil || element.size == 0 || len(t.dimensions) == 0 {
		return 0
	}
	n := element.size
	for _, d := range t.dimensions {
		count, ok := f.typeExpression(d.count, t, object)
		if !ok {
			upper, known := f.typeExpression(d.upper, t, object)
			if !known {
				return 0
			}
			lower := t.defaultLower()
			if d.lower != nil {
				if lower, known = f.typeExpression(d.lower, t, object); !known {
					return 0
				}
			}
			count = upper - lower + 1
		}
		if count <= 0 || uint64(count) > (1<<47)/n {
			return 0
		}
		n *= uint64(count)
	}
	return n
}

// descriptorSpan is how many bytes lie between the first and the last element
// of an array with a descriptor, 0 when that is unknown or runs backwards.
func (f *Frame) descriptorSpan(t *dataType, object uint64) uint64 {
	element := t.target()
	if element == nil || element.size == 0 {
		return 0
	}
	n := element.size
	for _, d := range t.dimensions {
		lower := t.defaultLower()
		ok := true
		if d.lower != nil {
			lower, ok = f.typeExpression(d.lower, t, object)
		}
		upper, ok2 := f.typeExpression(d.upper, t, object)
		stride, ok3 := f.typeExpression(d.stride, t, object)
		if !ok || !ok2 || !ok3 || upper < lower || stride <= 0 || uint64(upper-lower) > (1<<47)/uint64(stride) {
			return 0
		}
		n += uint64(upper-lower) * uint64(stride)
	}
	return n
}

// displayVariable makes the linkage name of static data readable.
func displayVariable(linkage string, fortran bool) string {
	if m := moduleEntity.FindStringSubmatch(linkage); m != nil {
		return m[2]
	}
	name := displayOf(linkage, false)
	if fortran && strings.HasSuffix(name, "_") {
		return "/" + strings.TrimRight(name, "_") + "/"
	}
	return name
}
