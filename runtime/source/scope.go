package source

import (
	"debug/dwarf"
	"fmt"
)

// scope is a piece of the program that has names of its own: a function, an
// inlined call, a block, a module, a namespace, a common block, the unit.
type scope struct {
	unit      *unit
	entry     *dwarf.Entry
	parent    *scope
	children  []*scope
	variables []*dwarf.Entry // variables and parameters declared here
	imports   []*dwarf.Entry // modules used here
	ranges    [][2]uint64
}

// Deeper nesting than this is damage.
const maxDepth = 200

func (s *scope) holds(pc uint64) bool {
	for _, r := range s.ranges {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// code is the number of bytes of code in the scope.
func (s *scope) code() uint64 {
	var n uint64
	for _, r := range s.ranges {
		n += r[1] - r[0]
	}
	return n
}

// entryAddress is where a function that has code is entered: the compiler lists
// that part of it first.
func (s *scope) entryAddress() uint64 { return s.ranges[0][0] }

// function is the innermost function around s, s included, nil when there is
// none. An inlined call is not a function here.
func (s *scope) function() *scope {
	for ; s != nil; s = s.parent {
		if s.entry.Tag == dwarf.TagSubprogram {
			return s
		}
	}
	return nil
}

// tree decodes the unit's scopes. Types are skipped.
func (u *unit) tree() error {
	if u.treeBuilt {
		return nil
	}
	r := u.data.Reader()
	root, err := r.Next()
	if err != nil || root == nil {
		return fmt.Errorf("unit at offset 0x%x: %v", u.offset, err)
	}
	u.top = &scope{unit: u, entry: root}
	u.functions = nil
	at := u.top
	depth := 0
	if !root.Children {
		u.treeBuilt = true
		return nil
	}
	for {
		e, err := r.Next()
		if err != nil {
			return err
		}
		if e == nil {
			break
		}
		if e.Tag == 0 {
			if at = at.parent; at == nil {
				break
			}
			depth--
			continue
		}
		tag := e.Tag
		if (tag == dwarf.TagStructType || tag == dwarf.TagClassType) && e.Children && at.function() != nil && isCxxLanguage(u.language) {
			tag = dwarf.TagNamespace // a local class, perhaps a lambda: its functions have code here
		}
		switch tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagLexDwarfBlock, dwarf.TagModule,
			dwarf.TagNamespace, dwarf.TagCommonDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock:
			s := &scope{unit: u, entry: e, parent: at}
			if s.ranges, err = u.ranges(e); err != nil {
				s.ranges = nil
			}
			at.children = append(at.children, s)
			if e.Tag == dwarf.TagSubprogram && len(s.ranges) > 0 {
				u.functions = append(u.functions, s)
			}
			if e.Children {
				at = s
				if depth++; depth > maxDepth {
					return fmt.Errorf("unit at offset 0x%x nests too deep", u.offset)
				}
			}
			continue
		case dwarf.TagVariable, dwarf.TagFormalParameter:
			at.variables = append(at.variables, e)
		case dwarf.TagImportedModule, dwarf.TagImportedDeclaration:
			at.imports = append(at.imports, e)
		}
		if e.Children {
			r.SkipChildren()
		}
	}
	u.treeBuilt = true
	return nil
}

// functionAt gives the function whose code holds pc.
func (u *unit) functionAt(pc uint64) *scope {
	var found *scope
	for _, f := range u.functions {
		if f.holds(pc) && (found == nil || f.code() < found.code()) {
			found = f
		}
	}
	return found
}

// innermost descends from a function to the block or inlined call at pc.
func (s *scope) innermost(pc uint64) *scope {
	for {
		var next *scope
		for _, c := range s.children {
			if c.entry.Tag != dwarf.TagSubprogram && c.holds(pc) {
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

// entryAt gives the entry at an offset of the unit, nil when there is none.
func (u *unit) entryAt(offset dwarf.Offset) *dwarf.Entry {
	if uint64(offset) >= u.size {
		return nil
	}
	r := u.data.Reader()
	r.Seek(offset)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}

// refer follows a reference attribute of an entry, perhaps into another unit.
func (u *unit) refer(e *dwarf.Entry, attribute dwarf.Attr) (*unit, *dwarf.Entry) {
	offset, ok := e.Val(attribute).(dwarf.Offset)
	if !ok {
		return nil, nil
	}
	if u.isFar(e, attribute) {
		other, err := u.image.units.unitOf(u.image, uint64(offset))
		if err != nil {
			return nil, nil
		}
		return other, other.entryAt(offset - dwarf.Offset(other.offset))
	}
	return u, u.entryAt(offset)
}

// origin follows abstract origins and specifications to the first entry that
// has the attribute.
func (u *unit) origin(e *dwarf.Entry, attribute dwarf.Attr) (*unit, *dwarf.Entry) {
	for n := 0; n < 8 && e != nil; n++ {
		if e.AttrField(attribute) != nil {
			return u, e
		}
		next, ne := u.refer(e, dwarf.AttrAbstractOrigin)
		if ne == nil {
			next, ne = u.refer(e, dwarf.AttrSpecification)
		}
		u, e = next, ne
	}
	return nil, nil
}

func (u *unit) text(e *dwarf.Entry, attribute dwarf.Attr) string {
	if _, o := u.origin(e, attribute); o != nil {
		s, _ := o.Val(attribute).(string)
		return s
	}
	return ""
}

func (u *unit) number(e *dwarf.Entry, attribute dwarf.Attr) int64 {
	if _, o := u.origin(e, attribute); o != nil {
		return sectionOffset(o.Val(attribute))
	}
	return 0
}

// declaredIn names the file of an entry's declaration.
func (u *unit) declaredIn(e *dwarf.Entry) string {
	if ou, o := u.origin(e, dwarf.AttrDeclFile); o != nil {
		return ou.fileName(sectionOffset(o.Val(dwarf.AttrDeclFile)))
	}
	return ""
}
