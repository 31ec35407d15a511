package units

import (
	"debug/dwarf"
	"fmt"
)

// Scope is a piece of the program that has names of its own: a function, an
// inlined call, a block, a module, a namespace, a common block, the unit.
type Scope struct {
	Unit      *Unit
	Entry     *dwarf.Entry
	Parent    *Scope
	Children  []*Scope
	Variables []*dwarf.Entry // variables and parameters declared here
	Imports   []*dwarf.Entry // modules used here
	Ranges    [][2]uint64
}

// Deeper nesting than this is damage.
const maxDepth = 200

// Holds says whether an address is in the scope's code.
func (s *Scope) Holds(pc uint64) bool {
	for _, r := range s.Ranges {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// code is the number of bytes of code in the scope.
func (s *Scope) code() uint64 {
	var n uint64
	for _, r := range s.Ranges {
		n += r[1] - r[0]
	}
	return n
}

// EntryAddress is where a function that has code is entered: the compiler lists
// that part of it first.
func (s *Scope) EntryAddress() uint64 { return s.Ranges[0][0] }

// Function is the innermost function around s, s included, nil when there is
// none. An inlined call is not a function here.
func (s *Scope) Function() *Scope {
	for ; s != nil; s = s.Parent {
		if s.Entry.Tag == dwarf.TagSubprogram {
			return s
		}
	}
	return nil
}

// Tree decodes the unit's scopes. Types are skipped.
func (u *Unit) Tree() error {
	if u.treeBuilt {
		return nil
	}
	r := u.data.Reader()
	root, err := u.next(r)
	if err != nil || root == nil {
		return fmt.Errorf("unit at offset 0x%x: %v", u.Offset, err)
	}
	u.Top = &Scope{Unit: u, Entry: root}
	u.functions, u.imports = nil, nil
	at := u.Top
	depth := 0
	if !root.Children {
		u.treeBuilt = true
		return nil
	}
	for {
		e, err := u.next(r)
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if e.Tag == 0 {
			if at = at.Parent; at == nil {
				break
			}
			depth--
			continue
		}
		tag := e.Tag
		if (tag == dwarf.TagStructType || tag == dwarf.TagClassType) && e.Children && at.Function() != nil && isCxx(u.Language) {
			tag = dwarf.TagNamespace // a local class, perhaps a lambda: its functions have code here
		}
		switch tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock, dwarf.TagModule,
			dwarf.TagNamespace, dwarf.TagCommonDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			s := &Scope{Unit: u, Entry: e, Parent: at}
			if s.Ranges, err = u.ranges(e); err != nil {
				s.Ranges = nil
			}
			at.Children = append(at.Children, s)
			if e.Tag == dwarf.TagSubprogram && len(s.Ranges) > 0 {
				u.functions = append(u.functions, s)
			}
			if e.Children {
				at = s
				if depth++; depth > maxDepth {
					return fmt.Errorf("unit at offset 0x%x nests too deep", u.Offset)
				}
			}
			continue
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			at.Variables = append(at.Variables, e)
		case dwarf.TagImportedModule, dwarf.TagImportedDeclaration:
			at.Imports = append(at.Imports, e)
		case dwarf.TagImportedUnit:
			u.imports = append(u.imports, e)
		}
		if e.Children {
			r.SkipChildren()
		}
	}
	u.treeBuilt = true
	return nil
}

// FunctionAt gives the function whose code holds pc.
func (u *Unit) FunctionAt(pc uint64) *Scope {
	var found *Scope
	for _, f := range u.functions {
		if f.Holds(pc) && (found == nil || f.code() < found.code()) {
			found = f
		}
	}
	return found
}

// Innermost descends from a function to the block or inlined call at pc.
func (s *Scope) Innermost(pc uint64) *Scope {
	for {
		var next *Scope
		for _, c := range s.Children {
			if c.Entry.Tag != dwarf.TagSubprogram && c.Holds(pc) {
				next = c
				break
			}
		}
		if next == nil {
			return s
		}
		s = next
	}
}

// EntryAt gives the entry at an offset of the unit, nil when there is none.
func (u *Unit) EntryAt(offset dwarf.Offset) *dwarf.Entry {
	if uint64(offset) >= u.size {
		return nil
	}
	r := u.data.Reader()
	r.Seek(offset)
	e, err := u.next(r)
	if err != nil {
		return nil
	}
	return e
}

// Refer follows a reference attribute of an entry, perhaps into another unit, or into the
// shared file.
func (u *Unit) Refer(e *dwarf.Entry, attribute dwarf.Attr) (*Unit, *dwarf.Entry) {
	ix, offset := u.Index, uint64(0)
	switch v := e.Val(attribute).(type) {
	case dwarf.Offset:
		if !u.isFar(e, attribute) {
			return u, u.EntryAt(v)
		}
		offset = uint64(v)
	case sharedOffset:
		ix, offset = ix.sharedIndex(), uint64(v)
	default:
		return nil, nil
	}
	if ix == nil {
		return nil, nil
	}
	other, err := ix.unitOf(offset, u.Language)
	if err != nil {
		return nil, nil
	}
	return other, other.EntryAt(dwarf.Offset(offset - other.Offset))
}

// Refers gives the scope that an attribute of a scope refers to, nil where there is none.
func (s *Scope) Refers(attribute dwarf.Attr) *Scope {
	v, e := s.Unit.Refer(s.Entry, attribute)
	if e == nil || v.Tree() != nil {
		return nil
	}
	return v.Top.Find(e.Offset)
}

// Origin follows abstract origins and specifications to the first entry that
// has the attribute.
func (u *Unit) Origin(e *dwarf.Entry, attribute dwarf.Attr) (*Unit, *dwarf.Entry) {
	for n := 0; n < 8 && e != nil; n++ {
		if e.AttrField(attribute) != nil {
			return u, e
		}
		next, ne := u.Refer(e, dwarf.AttrAbstractOrigin)
		if ne == nil {
			next, ne = u.Refer(e, dwarf.AttrSpecification)
		}
		u, e = next, ne
	}
	return nil, nil
}

// Text is an attribute that is a text, of an entry or its origin; "" where there is none.
func (u *Unit) Text(e *dwarf.Entry, attribute dwarf.Attr) string {
	if _, o := u.Origin(e, attribute); o != nil {
		s, _ := o.Val(attribute).(string)
		return s
	}
	return ""
}

func (u *Unit) number(e *dwarf.Entry, attribute dwarf.Attr) int64 {
	if _, o := u.Origin(e, attribute); o != nil {
		return SectionOffset(o.Val(attribute))
	}
	return 0
}

// DeclaredIn names the file of an entry's declaration.
func (u *Unit) DeclaredIn(e *dwarf.Entry) string {
	if ou, o := u.Origin(e, dwarf.AttrDeclFile); o != nil {
		return ou.FileName(SectionOffset(o.Val(dwarf.AttrDeclFile)))
	}
	return ""
}
