package units

import (
	"debug/dwarf"
	"slices"

	"github.com/accscope/accscope/runtime/source/cursor"
)

// debug/dwarf does not tell whether a reference counts from the unit or from
// the start of .debug_info; link-time optimisation uses the latter. The form
// is in the abbreviations.

const (
	formRefAddr    = 0x10
	formImplicit   = 0x21
	formStrx       = 0x1a
	formAddrx      = 0x1b
	maxAbbrevCodes = 1 << 20

	// Extensions, of two bytes each.
	formAddressIndex = 0x1f01 // DW_FORM_GNU_addr_index
	formStringIndex  = 0x1f02 // DW_FORM_GNU_str_index
)

// farReferences lists the attributes of each abbreviation of a table that refer across
// units, by its code. It is nil where none does.
func farReferences(abbrev []byte, at uint64) map[uint64][]dwarf.Attr {
	var far map[uint64][]dwarf.Attr
	walkAbbreviations(abbrev, at, func(code, attribute, form uint64, _ int) {
		if form == formRefAddr {
			if far == nil {
				far = map[uint64][]dwarf.Attr{}
			}
			far[code] = append(far[code], dwarf.Attr(attribute))
		}
	})
	return far
}

// isFar tells whether the entry's attribute is a reference across units.
func (u *Unit) isFar(e *dwarf.Entry, attribute dwarf.Attr) bool {
	if u.far == nil {
		return false
	}
	info := u.Index.info[u.Offset : u.Offset+u.size]
	if uint64(e.Offset) >= uint64(len(info)) {
		return false
	}
	at := cursor.Cursor{Rest: info[e.Offset:]}
	return slices.Contains(u.far[at.Unsigned()], attribute)
}

// withoutExtensions gives the abbreviations with the indexed forms of DWARF 5 in place
// of those that split debug information of DWARF 4 has for the same, in as many bytes:
// debug/dwarf knows only the former.
func withoutExtensions(abbrev []byte, at uint64) []byte {
	abbrev = slices.Clone(abbrev)
	walkAbbreviations(abbrev, at, func(_, _, form uint64, position int) {
		switch form {
		case formAddressIndex:
			copy(abbrev[position:], []byte{0x80 | formAddrx, 0})
		case formStringIndex:
			copy(abbrev[position:], []byte{0x80 | formStrx, 0})
		}
	})
	return abbrev
}

// Tags of what describes variables: their types, or where these are.
const (
	tagBaseType     = 0x24
	tagPointerType  = 0x0f
	tagImportedUnit = 0x3d
	tagSkeletonUnit = 0x4a
)

// DescribesVariables says whether units with these abbreviations, all tables of a file, may
// tell of variables: those that a compiler wrote for lines alone have no types.
func DescribesVariables(abbrev []byte) bool {
	found := false
	in := cursor.Cursor{Rest: abbrev}
	for n := 0; n < maxAbbrevCodes && len(in.Rest) > 0 && !found; n++ {
		if in.Unsigned() == 0 {
			continue // the end of a table
		}
		switch in.Unsigned() {
		case tagBaseType, tagPointerType, tagImportedUnit, tagSkeletonUnit:
			found = true
		}
		in.Fixed(1) // has children
		for len(in.Rest) > 0 {
			attribute, form := in.Unsigned(), in.Unsigned()
			if form == formImplicit {
				in.Unsigned()
			}
			if attribute == 0 && form == 0 {
				break
			}
			found = found || dwarf.Attr(attribute) == attrDwoName || dwarf.Attr(attribute) == attrGNUDwoName
		}
	}
	return found
}

// walkAbbreviations visits the attributes of a table. position is where in b the form
// stands.
func walkAbbreviations(b []byte, at uint64, visit func(code, attribute, form uint64, position int)) {
	if at >= uint64(len(b)) {
		return
	}
	in := cursor.Cursor{Rest: b[at:]}
	for n := 0; n < maxAbbrevCodes && len(in.Rest) > 0; n++ {
		code := in.Unsigned()
		if code == 0 {
			return
		}
		in.Unsigned() // tag
		in.Fixed(1)   // has children
		for len(in.Rest) > 0 {
			attribute := in.Unsigned()
			position := len(b) - len(in.Rest)
			form := in.Unsigned()
			if form == formImplicit {
				in.Unsigned()
			}
			if attribute == 0 && form == 0 {
				break
			}
			visit(code, attribute, form, position)
		}
	}
}
