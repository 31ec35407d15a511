package units

import (
	"debug/dwarf"
	"encoding/binary"
)

// LocationRange is one entry of a location list: where the expression holds.
// An expression that holds everywhere has always set.
type LocationRange struct {
	Low, High  uint64
	Expression []byte
	Always     bool
}

// A list of more entries is cut.
const maxLocations = 10000

// Locations gives where an attribute that describes a location holds.
func (u *Unit) Locations(e *dwarf.Entry, attribute dwarf.Attr) []LocationRange {
	f := e.AttrField(attribute)
	if f == nil {
		return nil
	}
	switch v := f.Val.(type) {
	case []byte:
		if len(v) == 0 {
			return nil
		}
		return []LocationRange{{Expression: v, Always: true}}
	case int64, uint64:
		offset := uint64(SectionOffset(v))
		if f.Class == dwarf.ClassLocList { // loclistx: an index into the unit's offsets
			at := u.listBase + 4*offset
			if at+4 > uint64(len(u.lists)) || at < u.listBase {
				return nil
			}
			offset = u.listBase + uint64(binary.LittleEndian.Uint32(u.lists[at:]))
		} else if f.Class != dwarf.ClassLocListPtr {
			return nil
		}
		if offset >= uint64(len(u.lists)) {
			return nil
		}
		return u.locationList(u.lists[offset:])
	}
	return nil
}

func (u *Unit) locationList(content []byte) (list []LocationRange) {
	in := u.list(content, false)
	for len(list) < maxLocations {
		r := LocationRange{}
		var kind uint64
		kind, r.Low, r.High = in.next()
		switch r.Always = kind == defaultLocation; kind {
		case endOfList:
			return list
		case baseIndexed, baseAddress, viewPair:
			continue
		}
		var length uint64
		if u.version >= 5 {
			length = in.Unsigned()
		} else {
			length = in.Fixed(2)
		}
		if r.Expression = in.Block(length); r.Expression == nil {
			return list
		}
		if r.Always || r.Low < r.High {
			list = append(list, r)
		}
	}
	return list
}

// IndexedAddress is an entry of .debug_addr.
func (u *Unit) IndexedAddress(index uint64) (uint64, bool) {
	t := u.Index.sections.addr
	if index > uint64(len(t)) {
		return 0, false
	}
	at := u.addrBase + 8*index
	if at+8 > uint64(len(t)) || at+8 < at {
		return 0, false
	}
	return binary.LittleEndian.Uint64(t[at:]), true
}

// ExpressionAt gives the expression in force at pc.
func ExpressionAt(list []LocationRange, pc uint64) []byte {
	var always []byte
	for _, r := range list {
		if r.Always {
			always = r.Expression
		} else if pc >= r.Low && pc < r.High {
			return r.Expression
		}
	}
	return always
}
