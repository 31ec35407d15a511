package source

import (
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/units"
)

// axis is one dimension of an array in memory.
type axis struct {
	lower  int64
	count  uint64
	stride uint64 // bytes from one element to the next
}

// maxElements is how many elements of an array of structures are looked at for a
// pointer to a range.
const maxElements = 256

// layout gives the dimensions of an array, nil where they are not known or run
// backwards. object is the array, or its descriptor.
func (f *Frame) layout(t *units.Type, object uint64) []axis {
	element := t.Target()
	if element == nil || element.Size == 0 {
		return nil
	}
	axes := make([]axis, len(t.Dimensions))
	for i, d := range t.Dimensions {
		lower, upper := t.DefaultLower(), int64(0)
		ok := true
		if d.Lower != nil {
			lower, ok = f.typeExpression(d.Lower, t, object)
		}
		count, counted := f.typeExpression(d.Count, t, object)
		if !counted {
			upper, counted = f.typeExpression(d.Upper, t, object)
			count = upper - lower + 1
		}
		if !ok || !counted || count <= 0 || count > 1<<40 {
			return nil
		}
		axes[i] = axis{lower: lower, count: uint64(count)}
		if d.Stride != nil {
			stride, ok := f.typeExpression(d.Stride, t, object)
			if !ok || stride <= 0 {
				return nil
			}
			axes[i].stride = uint64(stride)
		}
	}
	// Without strides an array is dense: Fortran's first index is the fastest, C's last.
	dense := element.Size
	for i := range axes {
		if !units.IsFortran(t.Unit.Language) {
			i = len(axes) - 1 - i
		}
		if axes[i].stride == 0 {
			axes[i].stride = dense
		}
		if axes[i].count > (1<<47)/dense {
			return nil
		}
		dense *= axes[i].count
	}
	return axes
}

// span is how many bytes lie from the first element of an array to the end of its last one,
// 0 when that is unknown.
func span(axes []axis, t *units.Type) uint64 {
	if axes == nil {
		return 0
	}
	n := t.Target().Size
	for _, x := range axes {
		if x.count > (1<<47)/x.stride {
			return 0
		}
		n += (x.count - 1) * x.stride
	}
	return n
}

// index gives the element that holds an address, its indices as the language writes
// them, and how far it is from the first one.
func index(axes []axis, fortran bool, offset uint64) (text string, element uint64, ok bool) {
	indices := make([]string, len(axes))
	for range axes {
		// The slowest of those that are left.
		at := -1
		for i := range axes {
			if indices[i] == "" && (at < 0 || axes[i].stride > axes[at].stride) {
				at = i
			}
		}
		k := offset / axes[at].stride
		if k >= axes[at].count {
			return "", 0, false
		}
		offset -= k * axes[at].stride
		element += k * axes[at].stride
		indices[at] = strconv.FormatInt(axes[at].lower+int64(k), 10)
	}
	if fortran {
		return "(" + strings.Join(indices, ",") + ")", element, true
	}
	return "[" + strings.Join(indices, "][") + "]", element, true
}

// array looks at an array whose place is known.
func (s *search) array(name string, a uint64, t *units.Type, depth int) (string, fit) {
	axes := s.f.layout(t, a)
	size := t.Size
	if size == 0 {
		size = span(axes, t)
	}
	if n, f := s.elements(name, a, size, axes, t.Target(), depth); f != noMatch {
		return n, f
	}
	if s.address == a && (size == 0 || s.size <= size) {
		return name, isRange
	}
	if size != 0 && s.inside(a, size) {
		return name, holdsRange
	}
	return "", noMatch
}

// elements looks at the components of the structures that an array of so many bytes
// consists of: of the one that holds the range, or for a pointer to it; at pointers that it
// consists of, too.
func (s *search) elements(name string, base, bytes uint64, axes []axis, element *units.Type, depth int) (string, fit) {
	rows := element != nil && element.Kind == units.Pointer && !element.IsReference() && !s.inside(base, bytes)
	if element == nil || element.Kind != units.Structure && !rows || len(axes) == 0 || bytes == 0 || depth >= maxSearchDepth {
		return "", noMatch
	}
	fortran := units.IsFortran(element.Unit.Language)
	if s.inside(base, bytes) {
		text, at, ok := index(axes, fortran, s.address-base)
		if !ok || s.size >= element.Size || !s.inside(base+at, element.Size) {
			return "", noMatch // elements rather than a component of one
		}
		n, f := s.structure(name+text, base+at, element, element.Separator("."), depth+1)
		if f != noMatch {
			f = holdsRange
		}
		return n, f
	}
	best := choice{fit: noMatch}
	count := uint64(1)
	for _, x := range axes {
		count *= x.count
	}
	if count > maxElements {
		return "", noMatch
	}
	for at := uint64(0); at < bytes && s.budget > 0; at += element.Size {
		text, exact, ok := index(axes, fortran, at)
		if !ok || exact != at {
			continue
		}
		if rows {
			if v, ok := s.f.pointer(base + at); ok && v == s.address {
				s.pointers = append(s.pointers, element)
				best.offer(name+text, memberPointer)
			}
			s.budget--
			continue
		}
		best.offer(s.structure(name+text, base+at, element, element.Separator("."), depth+1))
	}
	return best.name, best.fit
}
