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

// listReader reads the entries of a location list. Beyond its end there are zeroes.
type listReader struct{ rest []byte }

func (r *listReader) number() uint64 {
	v, n := leb128.Unsigned(r.rest)
	r.rest = r.rest[n:]
	return v
}

// fixed is a number of so many bytes.
func (r *listReader) fixed(bytes int) (v uint64) {
	if len(r.rest) < bytes {
		r.rest = nil
		return 0
	}
	for i, b := range r.rest[:bytes] {
		v |= uint64(b) << (8 * i)
	}
	r.rest = r.rest[bytes:]
	return v
}

// expression is what follows an entry; false: it is cut off.
func (r *listReader) expression(bytes uint64) ([]byte, bool) {
	if bytes > uint64(len(r.rest)) {
		return nil, false
	}
	e := r.rest[:bytes]
	r.rest = r.rest[bytes:]
	return e, true
}

// locationListSplit decodes a list of .debug_loc.dwo, of split units of DWARF 4: like
// those of DWARF 5, but for lengths and offsets of a fixed size.
func (u *Unit) locationListSplit(b []byte) (list []LocationRange) {
	base, in := u.low, listReader{b}
	address := func() uint64 {
		v, _ := u.IndexedAddress(in.number())
		return v
	}
	for len(in.rest) > 0 && len(list) < maxLocations {
		r := LocationRange{}
		switch in.fixed(1) {
		case 1:
			base = address()
			continue
		case 2:
			r.Low = address()
			r.High = address()
		case 3:
			r.Low = address()
			length := in.fixed(4)
			if length == unbracketed {
				length = 1
			}
			r.High = r.Low + length
		case 4:
			r.Low = base + in.fixed(4)
			r.High = base + in.fixed(4)
		default: // 0 is the end
			return list
		}
		var whole bool
		if r.Expression, whole = in.expression(in.fixed(2)); !whole {
			return list
		}
		if r.Low < r.High {
			list = append(list, r)
		}
	}
	return list
}

// locationList5 decodes a list of .debug_loclists (DWARF 5 §7.7.3).
func (u *Unit) locationList5(b []byte) (list []LocationRange) {
	base, in := u.low, listReader{b}
	address := func() uint64 {
		v, _ := u.IndexedAddress(in.number())
		return v
	}
	for len(in.rest) > 0 && len(list) < maxLocations {
		r := LocationRange{}
		switch in.fixed(1) {
		case 1:
			base = address()
			continue
		case 2:
			r.Low = address()
			r.High = address()
		case 3:
			r.Low = address()
			r.High = r.Low + in.number()
		case 4:
			r.Low = base + in.number()
			r.High = base + in.number()
		case 5:
			r.Always = true
		case 6:
			base = in.fixed(8)
			continue
		case 7:
			r.Low = in.fixed(8)
			r.High = in.fixed(8)
		case 8:
			r.Low = in.fixed(8)
			r.High = r.Low + in.number()
		case 9: // view numbers, a GNU extension
			in.number()
			in.number()
			continue
		default: // 0 is the end
			return list
		}
		var whole bool
		if r.Expression, whole = in.expression(in.number()); !whole {
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
