package units

import (
	"debug/dwarf"
	"strings"

	"github.com/accscope/accscope/runtime/source/linkage"
)

const fortran = 0x23 // DW_LANG_Fortran08

// IsFortran tells Fortran's language codes (DWARF 5 §7.12).
func IsFortran(l int64) bool {
	switch l {
	case 0x07, 0x08, 0x0e, 0x22, fortran, 0x2d:
		return true
	}
	return false
}

func isCxx(l int64) bool {
	switch l {
	case 0x04, 0x1a, 0x21, 0x2b:
		return true
	}
	return false
}

// Linkage is the name of a function in the symbol table.
func (u *Unit) Linkage(s *Scope) string {
	if s == nil {
		return ""
	}
	for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMipsLinkageName} {
		if n := u.Text(s.Entry, a); n != "" {
			return n
		}
	}
	name := u.Text(s.Entry, dwarf.AttrName)
	if IsFortran(u.languageOf(s.Entry)) && u.isMain(s.Entry) {
		return "MAIN__"
	}
	return name
}

// languageOf is the language that an entry was written in: after link-time
// optimisation a unit has functions of units in several.
func (u *Unit) languageOf(e *dwarf.Entry) int64 {
	if ou, o := u.Origin(e, dwarf.AttrName); o != nil {
		return ou.Language
	}
	return u.Language
}

// isMain tells whether an entry is that of Fortran's main program.
func (u *Unit) isMain(e *dwarf.Entry) bool {
	_, o := u.Origin(e, attrMainSubprogram)
	if o == nil {
		return false
	}
	main, _ := o.Val(attrMainSubprogram).(bool)
	return main
}

const (
	attrMipsLinkageName = dwarf.Attr(0x2007)
	attrMainSubprogram  = dwarf.Attr(0x6a)
)

// Display is the readable name of a function.
func (u *Unit) Display(s *Scope) string {
	if s == nil {
		return ""
	}
	name := u.Text(s.Entry, dwarf.AttrName)
	language := u.languageOf(s.Entry)
	switch {
	case IsFortran(language):
		if linkage.IsOutlined(name) {
			return linkage.Display(name, true)
		}
		if name == "MAIN__" {
			return "main" // a main program without a name, or of this name
		}
		return u.qualifier(s) + name
	case isCxx(language):
		if l := u.Linkage(s); strings.HasPrefix(l, "_Z") {
			return linkage.Display(l, false)
		}
		if len(s.Ranges) > 0 && !linkage.IsOutlined(name) {
			// Local classes have no linkage name in DWARF, but a symbol.
			t := u.Index.Symbols()
			if sym, ok := t.Containing(s.Ranges[0][0], false); ok && strings.HasPrefix(t.NameOf(sym), "_Z") {
				return linkage.Display(t.NameOf(sym), false)
			}
		}
		if name != "" && !linkage.IsOutlined(name) {
			// One that was inlined everywhere has no symbol where only its file sees it.
			name = u.namespaces(s) + name
		}
		return linkage.Display(name, false)
	}
	return linkage.Display(name, false)
}

// qualifier is the chain of Fortran modules and host procedures around a
// procedure, each followed by "::". The main program is no part of it.
func (u *Unit) qualifier(s *Scope) string {
	q := ""
	for p := u.around(s); p != nil; p = p.Parent {
		switch p.Entry.Tag {
		case dwarf.TagModule, dwarf.TagSubprogram:
			if p.Unit.isMain(p.Entry) {
				continue
			}
			if n := p.Unit.Text(p.Entry, dwarf.AttrName); n != "" {
				q = n + "::" + q
			}
		}
	}
	return q
}

// namespaces is the chain of namespaces of C++ around a function that has no linkage
// name, as compilers' readable names have it.
func (u *Unit) namespaces(s *Scope) string {
	q := ""
	for p := u.around(s); p != nil && p.Entry.Tag == dwarf.TagNamespace; p = p.Parent {
		n := p.Unit.Text(p.Entry, dwarf.AttrName)
		if n == "" {
			n = "(anonymous namespace)"
		}
		q = n + "::" + q
	}
	return q
}

// around is the scope that a function was written in.
func (u *Unit) around(s *Scope) *Scope {
	around := s.Parent
	if ou, o := u.Origin(s.Entry, dwarf.AttrName); o != nil && o != s.Entry && ou.Tree() == nil {
		// A concrete copy stands outside the module; its origin stands in it, after
		// link-time optimisation in another unit.
		if as := ou.Top.Find(o.Offset); as != nil {
			around = as.Parent
		}
	}
	return around
}

// Find gives the scope whose entry is at the offset.
func (s *Scope) Find(offset dwarf.Offset) *Scope {
	if s.Entry.Offset == offset {
		return s
	}
	for _, c := range s.Children {
		if f := c.Find(offset); f != nil {
			return f
		}
	}
	return nil
}
