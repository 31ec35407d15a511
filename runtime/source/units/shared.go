package units

import (
	"bytes"
	"debug/dwarf"
)

// What several units have in common may stand in a partial unit (DWARF 5 §3.1.1), which
// they import; what several programs have in common, in the units and texts of a file
// that they share (DWARF 5 §7.3.6, before it an extension of GNU; the command dwz).

// A sharedOffset is a reference to an entry in the .debug_info of the shared file.
type sharedOffset uint64

// sharedIndex reads the units of the shared file, nil where there is none.
func (ix *Index) sharedIndex() *Index {
	if ix.sharedSought || ix.openShared == nil {
		return ix.shared
	}
	ix.sharedSought = true
	f := ix.openShared()
	if f == nil {
		return nil
	}
	// A file that cannot be read leaves what it has unknown.
	if shared, err := NewIndex(ix.program, f, ix.Symbols, nil); err == nil {
		shared.sharedBy = ix
		ix.shared = shared
	}
	return ix.shared
}

// next reads an entry. Texts of the shared file are put in their places, references to
// it get a type of their own.
func (u *Unit) next(r *dwarf.Reader) (*dwarf.Entry, error) {
	e, err := r.Next()
	if err != nil || e == nil {
		return e, err
	}
	for i := range e.Field {
		f := &e.Field[i]
		var offset uint64
		switch v := f.Val.(type) {
		case int64: // DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt
			offset = uint64(v)
		case uint32: // DW_FORM_ref_sup4, DW_FORM_strp_sup
			offset = uint64(v)
		case uint64:
			offset = v
		default:
			continue
		}
		switch f.Class {
		case dwarf.ClassString, dwarf.ClassStringAlt:
			f.Class, f.Val = dwarf.ClassString, u.Index.sharedText(offset)
		case dwarf.ClassReference, dwarf.ClassReferenceAlt:
			f.Class, f.Val = dwarf.ClassReferenceAlt, sharedOffset(offset)
		}
	}
	return e, nil
}

// sharedText is a text of the shared file, "" where there is none.
func (ix *Index) sharedText(offset uint64) string {
	shared := ix.sharedIndex()
	if shared == nil {
		return ""
	}
	text := from(shared.sections.str, offset)
	return string(text[:max(bytes.IndexByte(text, 0), 0)])
}

// Outermost lists the scopes that hold what stands outside of all functions: that of the
// unit, and those of the units that it imports.
func (u *Unit) Outermost() (list []*Scope) {
	units, seen := []*Unit{u}, map[place]bool{u.place(u.root): true}
	for len(units) > 0 {
		v := units[0]
		units = units[1:]
		if v.Tree() != nil {
			continue
		}
		list = append(list, v.Top)
		for _, e := range v.imports {
			if w, root := v.Refer(e, dwarf.AttrImport); root != nil && !seen[w.place(root)] {
				seen[w.place(root)] = true
				units = append(units, w)
			}
		}
	}
	return list
}

// place tells entries of all units apart.
type place struct {
	index  *Index
	offset uint64 // in .debug_info
}

func (u *Unit) place(e *dwarf.Entry) place { return place{u.Index, u.Offset + uint64(e.Offset)} }
