package units

import (
	"bytes"
	"debug/dwarf"
)

// Kind tells types apart by where their data lie.
type Kind uint8

const (
	Scalar Kind = iota
	Pointer
	Array
	Descriptor // Fortran array with a descriptor: its data lie elsewhere
	Structure
	other
)

// Type is the type of a variable, qualifiers and names of types removed.
type Type struct {
	Unit  *Unit
	Entry *dwarf.Entry
	Kind  Kind
	Size  uint64 // bytes, 0 when unknown or not constant

	// indirect: the object holds the address of the descriptor.
	Indirect bool

	Members    []member
	Dimensions []dimension
	filled     bool
}

type member struct {
	Name   string
	Offset uint64
	Entry  *dwarf.Entry
}

// dimension is one dimension of an array: bounds as DWARF has them, int64,
// []byte expression or reference to a variable of the unit; nil when absent.
type dimension struct {
	Lower, Upper, Count, Stride any
}

// TypeOf gives the type of a variable, member or pointer, nil when unknown.
func (u *Unit) TypeOf(e *dwarf.Entry) *Type {
	t, known := u.typeOfEntry[e.Offset]
	if !known {
		t = u.followType(e)
		u.typeOfEntry[e.Offset] = t
	}
	return t
}

func (u *Unit) followType(e *dwarf.Entry) *Type {
	for n := 0; n < 32; n++ {
		ou, o := u.Origin(e, dwarf.AttrType)
		if o == nil {
			return nil
		}
		u, e = ou.Refer(o, dwarf.AttrType)
		if e == nil {
			return nil
		}
		switch e.Tag {
		case dwarf.TagTypedef, dwarf.TagConstType, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
			continue
		}
		return u.NewType(e)
	}
	return nil
}

// NewType is the type that an entry describes.
func (u *Unit) NewType(e *dwarf.Entry) *Type {
	if t := u.typeCache[e.Offset]; t != nil {
		return t
	}
	t := &Type{Unit: u, Entry: e, Kind: other}
	u.typeCache[e.Offset] = t
	if n, ok := e.Val(dwarf.AttrByteSize).(int64); ok && n > 0 {
		t.Size = uint64(n)
	}
	switch e.Tag {
	case dwarf.TagBaseType, dwarf.TagEnumerationType, dwarf.TagStringType:
		t.Kind = Scalar
	case dwarf.TagPointerType, dwarf.TagReferenceType, dwarf.TagRvalueReferenceType:
		t.Kind, t.Size = Pointer, 8
	case dwarf.TagStructType, dwarf.TagClassType, dwarf.TagUnionType:
		t.Kind = Structure
	case dwarf.TagArrayType:
		t.Kind = Array
		if e.Val(dwarf.AttrDataLocation) != nil {
			t.Kind = Descriptor
		}
		t.Fill()
		switch where, _ := e.Val(dwarf.AttrDataLocation).([]byte); {
		case t.Kind == Array:
			t.Size = t.constantSize()
		case bytes.HasPrefix(where, []byte{0x97, 0x06, 0x06}): // object address, deref, deref
			t.Indirect, t.Size = true, 8
		default:
			t.Size = 40 + 24*uint64(len(t.Dimensions))
		}
	}
	return t
}

// Target is what a pointer points to, or an array's element.
func (t *Type) Target() *Type { return t.Unit.TypeOf(t.Entry) }

// Data is where the data of a Descriptor lie, as DWARF has it.
func (t *Type) Data() any { return t.Entry.Val(dwarf.AttrDataLocation) }

// IsReference tells whether a name of this type stands for what it refers to.
func (t *Type) IsReference() bool {
	return t.Entry.Tag == dwarf.TagReferenceType || t.Entry.Tag == dwarf.TagRvalueReferenceType
}

// ToConst tells whether what a pointer of this type points to is declared to stay as it is.
func (t *Type) ToConst() bool {
	u, e := t.Unit, t.Entry
	for n := 0; n < 32; n++ {
		ou, o := u.Origin(e, dwarf.AttrType)
		if o == nil {
			return false
		}
		if u, e = ou.Refer(o, dwarf.AttrType); e == nil {
			return false
		}
		switch e.Tag {
		case dwarf.TagConstType:
			return true
		case dwarf.TagTypedef, dwarf.TagVolatileType, dwarf.TagRestrictType, dwarf.TagAtomicType:
		default:
			return false
		}
	}
	return false
}

// IsUnion tells whether the members of a structure lie in one place.
func (t *Type) IsUnion() bool { return t.Entry.Tag == dwarf.TagUnionType }

const maxMembers = 4096

// Fill reads members and dimensions.
func (t *Type) Fill() {
	if t.filled {
		return
	}
	t.filled = true
	if !t.Entry.Children {
		return
	}
	r := t.Unit.data.Reader()
	r.Seek(t.Entry.Offset)
	if _, err := r.Next(); err != nil {
		return
	}
	for len(t.Members) < maxMembers && len(t.Dimensions) < 64 {
		e, err := t.Unit.next(r)
		if err != nil || e == nil || e.Tag == 0 {
			return
		}
		switch e.Tag {
		case dwarf.TagMember, dwarf.TagInheritance:
			name, _ := e.Val(dwarf.AttrName).(string)
			offset, constant := e.Val(dwarf.AttrDataMemberLoc).(int64)
			declared, _ := e.Val(dwarf.AttrDeclaration).(bool)
			external, _ := e.Val(dwarf.AttrExternal).(bool) // static member
			if (constant || t.IsUnion()) && offset >= 0 && !declared && !external {
				t.Members = append(t.Members, member{name, uint64(offset), e})
			}
		case dwarf.TagSubrangeType:
			t.Dimensions = append(t.Dimensions, dimension{
				Lower: t.bound(e, dwarf.AttrLowerBound), Upper: t.bound(e, dwarf.AttrUpperBound),
				Count: t.bound(e, dwarf.AttrCount), Stride: t.bound(e, dwarf.AttrStride),
			})
		}
		if e.Children {
			r.SkipChildren()
		}
	}
}

// elsewhere is a bound that another unit's entry tells: what is there has no place in a frame.
type elsewhere struct{}

// bound is what an entry says of a dimension.
func (t *Type) bound(e *dwarf.Entry, attribute dwarf.Attr) any {
	if t.Unit.isFar(e, attribute) {
		return elsewhere{}
	}
	return e.Val(attribute)
}

// DefaultLower is the lower bound that the language implies.
func (t *Type) DefaultLower() int64 {
	if IsFortran(t.Unit.Language) {
		return 1
	}
	return 0
}

func (t *Type) constantSize() uint64 {
	element := t.Target()
	if element == nil || len(t.Dimensions) == 0 {
		return 0
	}
	n := element.Size
	for _, d := range t.Dimensions {
		count, ok := d.Count.(int64)
		if !ok {
			upper, isConstant := d.Upper.(int64)
			if !isConstant {
				return 0
			}
			lower := t.DefaultLower()
			if d.Lower != nil {
				if lower, ok = d.Lower.(int64); !ok {
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

// Separator is what stands between a variable and its member.
func (t *Type) Separator(c string) string {
	if IsFortran(t.Unit.Language) {
		return "%"
	}
	return c
}
