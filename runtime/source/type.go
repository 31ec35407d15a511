package source

import (
	"bytes"
	"debug/dwarf"
)

type typeKind uint8

const (
	scalarType typeKind = iota
	pointerType
	arrayType
	descriptorType // Fortran array with a descriptor: its data lie elsewhere
	structureType
	otherType
)

// dataType is the type of a variable, qualifiers and names of types removed.
type dataType struct {
	unit  *unit
	entry *dwarf.Entry
	kind  typeKind
	size  uint64 // bytes, 0 when unknown or not constant

	// indirect: the object holds the address of the descriptor.
	indirect bool

	members    []member
	dimensions []dimension
	filled     bool
}

type member struct {
	name   string
	offset uint64
	entry  *dwarf.Entry
}

// dimension is one dimension of an array: bounds as DWARF has them, int64,
// []byte expression or reference to a variable; nil when absent.
type dimension struct {
	lower, upper, count, stride any
	entry                       *dwarf.Entry
}

// typeOf gives the type of a variable, member or pointer, nil when unknown.
func (u *unit) typeOf(e *dwarf.Entry) *dataType {
	for n := 0; n < 32; n++ {
		ou, o := u.origin(e, dwarf.AttrType)
		if o == nil {
			return nil
		}
		u, e = ou.refer(o, dwarf.AttrType)
		if e == nil {
			return nil
		}
		switch e.Tag {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
			continue
		}
		return u.newType(e)
	}
	return nil
}

// typeReference names a type in a way that can be kept: a type itself keeps its
// decoded unit in memory.
type typeReference struct {
	image *Image // nil: no type
	unit  uint64
	entry dwarf.Offset
}

func (t *dataType) reference() typeReference {
	if t == nil {
		return typeReference{}
	}
	return typeReference{t.unit.image, t.unit.offset, t.entry.Offset}
}

// resolve decodes the type again, nil when there is none any more.
func (r typeReference) resolve() (t *dataType) {
	if r.image == nil {
		return nil
	}
	r.image.mu.Lock()
	defer r.image.mu.Unlock()
	if r.image.closed || r.image.units == nil {
		return nil
	}
	// Damage leaves the variable without a type.
	_ = guard(r.image.path, func() error {
		u, err := r.image.units.decode(r.image, r.unit)
		if err != nil {
			return err
		}
		if e := u.entryAt(r.entry); e != nil {
			t = u.newType(e)
		}
		return nil
	})
	return t
}

func (u *unit) newType(e *dwarf.Entry) *dataType {
	if t := u.typeCache[e.Offset]; t != nil {
		return t
	}
	t := &dataType{unit: u, entry: e, kind: otherType}
	u.typeCache[e.Offset] = t
	if n, ok := e.Val(dwarf.AttrByteSize).(int64); ok && n > 0 {
		t.size = uint64(n)
	}
	switch e.Tag {
	case dwarf.TagBaseType, dwarf.TagEnumerationType, dwarf.TagStringType:
		t.kind = scalarType
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.kind, t.size = pointerType, 8
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		t.kind = structureType
	case dwarf.TagArrayType:
		t.kind = arrayType
		if e.Val(dwarf.AttrDataLocation) != nil {
			t.kind = descriptorType
		}
		t.fill()
		switch where, _ := e.Val(dwarf.AttrDataLocation).([]byte); {
		case t.kind == arrayType:
			t.size = t.constantSize()
		case bytes.HasPrefix(where, []byte{0x97, 0x06, 0x06}): // object address, deref, deref
			t.indirect, t.size = true, 8
		default:
			t.size = 40 + 24*uint64(len(t.dimensions))
		}
	}
	return t
}

// target is what a pointer points to, or an array's element.
func (t *dataType) target() *dataType { return t.unit.typeOf(t.entry) }

// isReference tells whether a name of this type stands for what it refers to.
func (t *dataType) isReference() bool {
	return t.entry.Tag == dwarf.TagReferenceType || t.entry.Tag == dwarf.TagRvalueReferenceType
}

const maxMembers = 4096

// fill reads members and dimensions.
func (t *dataType) fill() {
	if t.filled {
		return
	}
	t.filled = true
	if !t.entry.Children {
		return
	}
	r := t.unit.data.Reader()
	r.Seek(t.entry.Offset)
	if _, err := r.Next(); err != nil {
		return
	}
	for len(t.members) < maxMembers && len(t.dimensions) < 64 {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == 0 {
			return
		}
		switch e.Tag {
		case dwarf.TagMember, dwarf.TagInheritance:
			name, _ := e.Val(dwarf.AttrName).(string)
			offset, constant := e.Val(dwarf.AttrDataMemberLoc).(int64)
			union := t.entry.Tag == dwarf.TagUnionType
			declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
			external, _ := e.Val(dwarf.AttrExternal).(bool) // static member
			if (constant || union) && offset >= 0 && !declared && !external {
				t.members = append(t.members, member{name, uint64(offset), e})
			}
		case dwarf.TagSubrangeType:
			t.dimensions = append(t.dimensions, dimension{
				lower: e.Val(dwarf.AttrLowerBound), upper: e.Val(dwarf.AttrUpperBound),
				count: e.Val(dwarf.AttrCount), stride: e.Val(dwarf.AttrStride), entry: e,
			})
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}

// defaultLower is the lower bound that the language implies.
func (t *dataType) defaultLower() int64 {
	if isFortranLanguage(t.unit.language) {
		return 1
	}
	return 0
}

func (t *dataType) constantSize() uint64 {
	element := t.target()
	if element == nil || len(t.dimensions) == 0 {
		return 0
	}
	n := element.size
	for _, d := range t.dimensions {
		count, ok := d.count.(int64)
		if !ok {
			upper, isConstant := d.upper.(int64)
			if !isConstant {
				return 0
			}
			lower := t.defaultLower()
			if d.lower != nil {
				if lower, ok = d.lower.(int64); !ok {
					return 0
				}
			}
			count = upper - lower + 1
		}
		if count <= 0 || n > 0 && uint64(count) > (1<<47)/n {
			return 0
		}
		n *= uint64(count)
	}
	return n
}
