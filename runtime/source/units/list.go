package units

import "github.com/accscope/accscope/runtime/source/cursor"

// What an entry of a list of locations begins with (DW_LLE_…, DWARF 5 §7.7.3).
const (
	endOfList = iota
	baseIndexed
	indexedPair
	indexedLength
	offsetPair
	defaultLocation
	baseAddress
	addressPair
	addressLength
	viewPair // an extension of GNU
)

// listReader reads the entries of a list of locations, or of ranges.
type listReader struct {
	cursor.Cursor
	u        *Unit
	base     uint64
	pairs    bool // of two addresses, without a kind before them (DWARF 4 §2.6.2, §2.17.3)
	ofRanges bool
}

func (u *Unit) list(content []byte, ofRanges bool) listReader {
	// Before DWARF 5 entries have kinds only in location lists of split units.
	pairs := u.version < 5 && (u.skeleton == nil || ofRanges)
	return listReader{cursor.Cursor{Rest: content}, u, u.low, pairs, ofRanges}
}

// unbracketed is the length that GCC writes in a split unit of DWARF 4 for a range of one
// byte at the end of a call: the assembler is given .LVL1-.LVL1-1 for .LVL1-(.LVL1-1). Taken
// for a length it would hold for the rest of the program.
const unbracketed = 1<<32 - 1

// distance is a length, or how far an address is from the base.
func (r *listReader) distance() uint64 {
	if r.u.version >= 5 {
		return r.Unsigned()
	}
	v := r.Fixed(4)
	if v == unbracketed {
		v = 1
	}
	return v
}

// address is one that stands in .debug_addr.
func (r *listReader) address() uint64 {
	v, ok := r.u.IndexedAddress(r.Unsigned())
	r.Bad = r.Bad || !ok
	return v
}

// next reads an entry, of a location without its expression: its kind, and the addresses
// of one that has some. What is no entry ends the list, as damage.
func (r *listReader) next() (kind, low, high uint64) {
	if r.pairs {
		low, high = r.Fixed(8), r.Fixed(8)
		switch {
		case low == 0 && high == 0:
			return endOfList, 0, 0
		case low == ^uint64(0):
			r.base = high
			return baseAddress, 0, 0
		}
		return offsetPair, r.base + low, r.base + high
	}
	kind = r.Fixed(1)
	if r.ofRanges && kind >= defaultLocation { // there is none: DW_RLE_…, DWARF 5 §7.25
		kind++
	}
	switch kind {
	case endOfList, defaultLocation:
	case baseIndexed:
		r.base = r.address()
	case indexedPair:
		low, high = r.address(), r.address()
	case indexedLength:
		low = r.address()
		high = low + r.distance()
	case offsetPair:
		low, high = r.base+r.distance(), r.base+r.distance()
	case baseAddress:
		r.base = r.Fixed(8)
	case addressPair:
		low, high = r.Fixed(8), r.Fixed(8)
	case addressLength:
		low = r.Fixed(8)
		high = low + r.distance()
	case viewPair:
		r.Unsigned()
		r.Unsigned()
	default:
		r.Bad = true
		return endOfList, 0, 0
	}
	return kind, low, high
}
