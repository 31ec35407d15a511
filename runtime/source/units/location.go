package units

import (
	"debug/dwarf"
	"encoding/binary"

	"github.com/accscope/accscope/runtime/source/leb128"
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
		if u.version >= 5 {
			return u.locationList5(u.lists[offset:])
		}
		if u.skeleton != nil {
			return u.locationListSplit(u.lists[offset:])
		}
		return u.locationList4(u.lists[offset:])
	}
	return nil
}

// locationList4 decodes a list of .debug_loc (DWARF 4 §2.6.2).
func (u *Unit) locationList4(b []byte) (list []LocationRange) {
	base := u.low
	for len(b) >= 16 && len(list) < maxLocations {
		low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		b = b[16:]
		if low == 0 && high == 0 {
			break
		}
		if low == ^uint64(0) {
			base = high
			continue
		}
		if len(b) < 2 {
			break
		}
		n := int(binary.LittleEndian.Uint16(b))
		if n > len(b)-2 {
			break
		}
		if low < high {
			list = append(list, LocationRange{Low: base + low, High: base + high, Expression: b[2 : 2+n]})
		}
		b = b[2+n:]
	}
	return list
}

// unbracketed is the length that GCC writes in such a list for a range of one byte at the
// end of a call: the assembler is given .LVL1-.LVL1-1 for .LVL1-(.LVL1-1). Taken for a
// length it would hold for the rest of the program.
const unbracketed = 1<<32 - 1

// locationListSplit decodes a list of .debug_loc.dwo, of split units of DWARF 4: like
// those of DWARF 5, but for lengths and offsets of a fixed size.
func (u *Unit) locationListSplit(b []byte) (list []LocationRange) {
	base := u.low
	address := func() uint64 {
		index, n := leb128.Unsigned(b)
		b = b[n:]
		v, _ := u.IndexedAddress(index)
		return v
	}
	fixed := func(n int) uint64 {
		if len(b) < n {
			b = nil
			return 0
		}
		var v uint64
		for i := range n {
			v |= uint64(b[i]) << (8 * i)
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 && len(list) < maxLocations {
		kind := b[0]
		b = b[1:]
		r := LocationRange{}
		switch kind {
		case 1:
			base = address()
			continue
		case 2:
			r.Low = address()
			r.High = address()
		case 3:
			r.Low = address()
			length := fixed(4)
			if length == unbracketed {
				length = 1
			}
			r.High = r.Low + length
		case 4:
			r.Low = base + fixed(4)
			r.High = base + fixed(4)
		default: // 0 is the end
			return list
		}
		n := fixed(2)
		if n > uint64(len(b)) {
			return list
		}
		r.Expression = b[:n]
		b = b[n:]
		if r.Low < r.High {
			list = append(list, r)
		}
	}
	return list
}

// locationList5 decodes a list of .debug_loclists (DWARF 5 §7.7.3).
func (u *Unit) locationList5(b []byte) (list []LocationRange) {
	base := u.low
	number := func() uint64 {
		v, n := leb128.Unsigned(b)
		b = b[n:]
		return v
	}
	address := func() uint64 {
		if len(b) < 8 {
			b = nil
			return 0
		}
		v := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return v
	}
	for len(b) > 0 && len(list) < maxLocations {
		kind := b[0]
		b = b[1:]
		r := LocationRange{}
		switch kind {
		case 0:
			return list
		case 1:
			base, _ = u.IndexedAddress(number())
			continue
		case 2:
			r.Low, _ = u.IndexedAddress(number())
			r.High, _ = u.IndexedAddress(number())
		case 3:
			r.Low, _ = u.IndexedAddress(number())
			r.High = r.Low + number()
		case 4:
			r.Low = base + number()
			r.High = base + number()
		case 5:
			r.Always = true
		case 6:
			base = address()
			continue
		case 7:
			r.Low = address()
			r.High = address()
		case 8:
			r.Low = address()
			r.High = r.Low + number()
		case 9: // view numbers, a GNU extension
			number()
			number()
			continue
		default:
			return list
		}
		n := number()
		if n > uint64(len(b)) {
			return list
		}
		r.Expression = b[:n]
		b = b[n:]
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
