package source

import (
	"debug/dwarf"

	"github.com/accscope/accscope/runtime/source/units"
)

// declared gives the type of the variable that a name means at the call; member: it is one
// of the class whose function it is in.
func (f *Frame) declared(name string) (t *units.Type, member, ok bool) {
	var found *planned
	var this *units.Type
	for i := range f.plan {
		p := &f.plan[i]
		if p.name == name && (found == nil || p.depth < found.depth) {
			found = p
		}
		if p.name == "this" && this == nil && p.typ != nil && p.typ.Kind == units.Pointer {
			this = p.typ.Target()
		}
	}
	if found != nil && (!found.static || this == nil) {
		return found.typ, false, true
	}
	if t, ok := component(this, name); ok {
		return t, true, true
	}
	if found != nil {
		return found.typ, false, true
	}
	return nil, false, false
}

// component gives the type of a component of a structure, or of one that is pointed to.
func component(t *units.Type, name string) (*units.Type, bool) {
	for n := 0; t != nil && t.Kind != units.Structure && n < 8; n++ {
		t = t.Target()
	}
	if t == nil || t.Kind != units.Structure {
		return nil, false
	}
	return componentOf(t, name, 0)
}

// polymorphic says whether a type is that of a polymorphic variable.
func polymorphic(t *units.Type) bool {
	for n := 0; t != nil && t.Kind != units.Structure && n < 8; n++ {
		t = t.Target()
	}
	if t == nil || t.Kind != units.Structure || !units.IsFortran(t.Unit.Language) {
		return false
	}
	t.Fill()
	return len(t.Members) > 0 && t.Members[0].Name == polymorphicData
}

func componentOf(t *units.Type, name string, depth int) (*units.Type, bool) {
	t.Fill()
	for _, m := range t.Members {
		if m.Name == name && m.Entry.Tag != dwarf.TagInheritance {
			return t.Unit.TypeOf(m.Entry), true
		}
	}
	for _, m := range t.Members {
		base := t.Unit.TypeOf(m.Entry)
		hidden := m.Name == "" || m.Entry.Tag == dwarf.TagInheritance || units.IsFortran(t.Unit.Language) && unwritten(m.Name, m.Offset, base)
		if !hidden || depth > maxSearchDepth {
			continue
		}
		if base != nil && m.Name == polymorphicData && base.Kind == units.Pointer {
			base = base.Target()
		}
		if base != nil && base.Kind == units.Structure { // a base class, or without a name
			if found, ok := componentOf(base, name, depth+1); ok {
				return found, true
			}
		}
	}
	return nil, false
}
