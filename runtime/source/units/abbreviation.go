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

// usesFarReferences tells whether any abbreviation of the table has a
// reference across units.
func usesFarReferences(abbrev []byte, at uint64) bool {
	far := false
	walkAbbreviations(abbrev, at, func(_, _, form uint64, _ int) bool {
		far = far || form == formRefAddr
		return !far
	})
	return far
}

// isFar tells whether the entry's attribute is a reference across units.
func (u *Unit) isFar(e *dwarf.Entry, attribute dwarf.Attr) bool {
	if !u.farRefs {
		return false
	}
	info := u.Index.info[u.Offset : u.Offset+u.size]
	if uint64(e.Offset) >= uint64(len(info)) {
		return false
	}
	at := cursor.Cursor{Rest: info[e.Offset:]}
	code := at.Unsigned()
	far := false
	walkAbbreviations(u.Index.sections.abbrev, u.abbrev, func(c, a, form uint64, _ int) bool {
		if c == code && a == uint64(attribute) {
			far = form == formRefAddr
			return false
		}
		return true
	})
	return far
}

// withoutExtensions gives the abbreviations with the indexed forms of DWARF 5 in place
// of those that split debug information of DWARF 4 has for the same, in as many bytes:
// debug/dwarf knows only the former.
func withoutExtensions(abbrev []byte, at uint64) []byte {
	abbrev = slices.Clone(abbrev)
	walkAbbreviations(abbrev, at, func(_, _, form uint64, position int) bool {
		switch form {
		case formAddressIndex:
			copy(abbrev[position:], []byte{0x80 | formAddrx, 0})
		case formStringIndex:
			copy(abbrev[position:], []byte{0x80 | formStrx, 0})
		}
		return true
	})
	return abbrev
}

// walkAbbreviations visits the attributes of a table until visit is false. position is
// where in b the form stands.
func walkAbbreviations(b []byte, at uint64, visit func(code, attribute, form uint64, position int) bool) {
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
			if !visit(code, attribute, form, position) {
				return
			}
		}
	}
}
