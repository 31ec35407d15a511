package source

import "debug/dwarf"

// debug/dwarf does not tell whether a reference counts from the unit or from
// the start of .debug_info; link-time optimisation uses the latter. The form
// is in the abbreviations.

const (
	formBlock      = 0x09
	formRefAddr    = 0x10
	formImplicit   = 0x21
	maxAbbrevCodes = 1 << 20
)

// usesFarReferences tells whether any abbreviation of the table has a
// reference across units.
func usesFarReferences(abbrev []byte, at uint64) bool {
	far := false
	walkAbbreviations(abbrev, at, func(_, _, form uint64) bool {
		far = far || form == formRefAddr
		return !far
	})
	return far
}

// isFar tells whether the entry's attribute is a reference across units.
func (u *unit) isFar(e *dwarf.Entry, attribute dwarf.Attr) bool {
	if !u.farRefs {
		return false
	}
	info := u.image.units.info[u.offset : u.offset+u.size]
	if uint64(e.Offset) >= uint64(len(info)) {
		return false
	}
	code, _ := uleb(info[e.Offset:])
	far := false
	walkAbbreviations(u.image.units.sections.abbrev, u.abbrev, func(c, a, form uint64) bool {
		if c == code && a == uint64(attribute) {
			far = form == formRefAddr
			return false
		}
		return true
	})
	return far
}

func walkAbbreviations(b []byte, at uint64, visit func(code, attribute, form uint64) bool) {
	if at >= uint64(len(b)) {
		return
	}
	b = b[at:]
	next := func() uint64 {
		v, n := uleb(b)
		b = b[n:]
		return v
	}
	for n := 0; n < maxAbbrevCodes && len(b) > 0; n++ {
		code := next()
		if code == 0 {
			return
		}
		next() // tag
		if len(b) == 0 {
			return
		}
		b = b[1:] // has children
		for len(b) > 0 {
			attribute, form := next(), next()
			if form == formImplicit {
				next()
			}
			if attribute == 0 && form == 0 {
				break
			}
			if !visit(code, attribute, form) {
				return
			}
		}
	}
}

// uleb decodes an unsigned LEB128 number and tells its length, len(b) when the
// number is cut off.
func uleb(b []byte) (uint64, int) {
	var v uint64
	for i := 0; i < len(b); i++ {
		if i < 10 {
			v |= uint64(b[i]&0x7f) << (7 * i)
		}
		if b[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	return v, len(b)
}

// sleb decodes a signed LEB128 number.
func sleb(b []byte) (int64, int) {
	var v int64
	for i := 0; i < len(b); i++ {
		if i < 10 {
			v |= int64(b[i]&0x7f) << (7 * i)
		}
		if b[i]&0x80 == 0 {
			if shift := 7 * (i + 1); shift < 64 && b[i]&0x40 != 0 {
				v |= -1 << shift
			}
			return v, i + 1
		}
	}
	return v, len(b)
}
