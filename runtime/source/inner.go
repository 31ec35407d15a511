package source

import (
	"strconv"
	"strings"

	"github.com/accscope/accscope/runtime/source/machine"
	"github.com/accscope/accscope/runtime/source/snapshot"
	"github.com/accscope/accscope/runtime/source/units"
)

// Inner is a pointer in each element of the data whose address a slot has: a component
// of structures, or what an array of pointers consists of.
type Inner struct {
	Offset   int64  // of that in the first element, from the beginning of the data
	Stride   uint64 // from an element to the next
	Target   bool   // the data are what the pointer at that address points to
	Followed bool   // the function is seen to reach memory by it; else it may only hand it on
	Certain  bool   // it does so by that of the first element, whichever way it goes

	variable, member string // its name, before and behind the index of its element
	first            int64  // index of the first element
	pointer          bool   // the variable points to the elements
	fortran          bool
	unnamed          bool // no section of what it points to is right for sure
}

// A kernel's data have so many inner pointers that are looked at, so deep in structures.
const (
	maxInner      = 64
	maxInnerDepth = 6
)

// Name is that of the pointer in the n-th of so many elements, as the language writes it.
func (p *Inner) Name(n int64, count uint64) string {
	alone := count <= 1 && p.first == 0 && p.member != ""
	switch index := strconv.FormatInt(p.first+n, 10); {
	case alone && p.pointer && !p.fortran:
		return p.variable + "->" + strings.TrimPrefix(p.member, ".")
	case alone:
		return p.variable + p.member
	case p.fortran:
		return p.variable + "(" + index + ")" + p.member
	default:
		return p.variable + "[" + index + "]" + p.member
	}
}

// Variable is the variable that the pointer lies in, or that points to it.
func (p *Inner) Variable() string { return p.variable }

// Section is an example of a section of what a pointer of that name points to, "" where
// none is right.
func (p *Inner) Section(name string) string {
	switch {
	case p.unnamed:
		return ""
	case p.fortran:
		return name
	}
	return name + "[0:n]"
}

// section is an example of a section of what the pointer with a name points to. None is right
// where the elements are pointers, which would be the host's still, where they have no size,
// and of strings, whose length no variable has.
func section(name string, pointer *units.Type) string {
	to := pointer.Target()
	switch {
	case to == nil || to.Kind != units.Scalar && to.Kind != units.Structure && to.Kind != units.Array || to.Size <= 1 && (to.Size == 0 || pointer.ToConst()):
		return ""
	case units.IsFortran(pointer.Unit.Language):
		return name
	case name == "this":
		return "this[0:1]"
	}
	return name + "[0:n]"
}

// Inner lists such pointers that the kernel of a call may load, by the call's entries, which
// have these names. starts are the addresses that the pointers of sections hold, 0 where the
// directive does not tell.
func (p *Process) Inner(c snapshot.Call, names []string, starts []uint64) map[int][]Inner {
	// Of damaged debug information, what there is counts.
	k, _ := p.Kernel(c.Function)
	list := map[int][]Inner{}
	for _, s := range k.Variables {
		list[s.Index] = s.Inner
	}
	frame, _ := p.Frame(c.ReturnAddress, c.Registers, c.Memory)
	im, _, at, _ := p.resolve(c.Function, true)
	if frame == nil || im != frame.image {
		return list
	}
	_ = im.read(func() error {
		_, f, err := im.functionAtLocked(at)
		if f == nil {
			return err
		}
		_, fl := im.outlinedFlow(f)
		for i, name := range names {
			if _, described := list[i]; described || name == "" {
				continue
			}
			s := Slot{Index: i, Name: name, typ: frame.typeOf(name)}
			if t := s.typ; t != nil && t.Kind == units.Pointer && !t.IsReference() {
				s.Address = c.Entries[i].Size == 8
				if s.Pointer = !s.Address; starts[i] != 0 {
					s.Bias = int64(starts[i] - c.Entries[i].Address)
				}
			}
			list[i] = innerPointers(&s, fl)
		}
		return nil
	})
	return list
}

// typeOf is the type of the variable with a name, the innermost of those in scope.
func (f *Frame) typeOf(name string) *units.Type {
	for _, p := range f.plan {
		if p.name == name {
			return p.typ
		}
	}
	return nil
}

// innerPointers lists the pointers in a slot's data that the function may load.
func innerPointers(s *Slot, fl *machine.Flow) (list []Inner) {
	if fl == nil || s.typ == nil {
		return nil
	}
	in := inside{slot: s, flow: fl}
	element, at := s.typ, s.Bias
	switch t := s.typ; {
	case s.Pointer && t.Kind == units.Pointer:
		element = t.Target()
	case s.Address && t.Target() != nil && (t.Target().Kind == units.Structure || t.Target().Kind == units.Pointer):
		in.target, element, at = true, t.Target(), 0
	case t.Kind == units.Pointer && t.IsReference() && t.Target() != nil && t.Target().Kind == units.Structure:
		in.target, element, at = true, t.Target(), 0
	case t.Kind == units.Array:
		element, in.first = t.Target(), t.DefaultLower()
	case t.Kind != units.Structure:
		return nil
	}
	if element == nil || element.Size == 0 {
		return nil
	}
	in.stride = element.Size
	if s.Pointer { // a section may begin behind what the variable points to
		skipped := -s.Bias / int64(element.Size)
		in.first, at = skipped, s.Bias+skipped*int64(element.Size)
	}
	in.add("", element, at, 0)
	return in.list
}

// inside collects them.
type inside struct {
	slot   *Slot
	flow   *machine.Flow
	target bool // that the pointer in it points to
	stride uint64
	first  int64
	list   []Inner
}

// add looks at what has a name and a type and lies so far behind the slot's address.
func (in *inside) add(name string, t *units.Type, at int64, depth int) {
	if t == nil || len(in.list) >= maxInner || depth > maxInnerDepth {
		return
	}
	switch {
	case t.Kind == units.Pointer, t.Kind == units.Descriptor && !t.Indirect:
		if read, followed := in.flow.Inside(in.slot.Index, in.target, at, int64(in.stride)); read {
			in.list = append(in.list, Inner{Offset: at, Stride: in.stride, Target: in.target, Followed: followed,
				Certain: in.flow.CertainInside(in.slot.Index, in.target, at), unnamed: t.Kind == units.Pointer && section("p", t) == "",
				variable: in.slot.Name, member: name, first: in.first, pointer: in.slot.typ.Kind == units.Pointer && !in.slot.typ.IsReference(),
				fortran: units.IsFortran(t.Unit.Language)})
		}
	case t.Kind == units.Structure && !t.IsUnion():
		t.Fill()
		for _, m := range t.Members {
			if strings.HasPrefix(m.Name, "_vptr") {
				continue // leads to the functions of the class
			}
			whole := name
			if m.Name != "" {
				whole += t.Separator(".") + m.Name
			}
			in.add(whole, t.Unit.TypeOf(m.Entry), at+int64(m.Offset), depth+1)
		}
	case t.Kind == units.Array && len(t.Dimensions) == 1 && t.Target() != nil && t.Target().Size > 0:
		element, lower := t.Target(), t.DefaultLower()
		for i := int64(0); i*int64(element.Size) < int64(t.Size) && len(in.list) < maxInner && i < maxInner; i++ {
			index := "[" + strconv.FormatInt(lower+i, 10) + "]"
			if units.IsFortran(t.Unit.Language) {
				index = "(" + strconv.FormatInt(lower+i, 10) + ")"
			}
			in.add(name+index, element, at+i*int64(element.Size), depth+1)
		}
	}
}
