package units

import (
	"debug/dwarf"
	"encoding/binary"
	"errors"

	"github.com/accscope/accscope/runtime/source/leb128"
)

var errRanges = errors.New("damaged list of ranges")

// A list of more ranges is damage.
const maxRanges = 10000

// ranges gives the code of an entry. The lists of split units count from the address
// that their skeleton has, which debug/dwarf cannot see.
func (u *Unit) ranges(e *dwarf.Entry) ([][2]uint64, error) {
	f := e.AttrField(dwarf.AttrRanges)
	if u.skeleton == nil || f == nil {
		return u.data.Ranges(e)
	}
	offset := uint64(SectionOffset(f.Val))
	if offset >= uint64(len(u.rangeLists)) {
		return nil, errRanges
	}
	if u.version >= 5 {
		return u.rangeList5(u.rangeLists[offset:])
	}
	return u.rangeList4(u.rangeLists[offset:])
}

// rangeList4 decodes a list of .debug_ranges (DWARF 4 §2.17.3).
func (u *Unit) rangeList4(b []byte) (list [][2]uint64, err error) {
	base := u.low
	for ; len(b) >= 16 && len(list) < maxRanges; b = b[16:] {
		low, high := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		switch {
		case low == 0 && high == 0:
			return list, nil
		case low == ^uint64(0):
			base = high
		case low < high:
			list = append(list, [2]uint64{base + low, base + high})
		}
	}
	return nil, errRanges
}

// rangeList5 decodes a list of .debug_rnglists (DWARF 5 §7.25).
func (u *Unit) rangeList5(b []byte) (list [][2]uint64, err error) {
	base := u.low
	number := func() uint64 {
		v, n := leb128.Unsigned(b)
		b = b[n:]
		return v
	}
	indexed := func() uint64 {
		v, ok := u.IndexedAddress(number())
		if !ok {
			err = errRanges
		}
		return v
	}
	address := func() uint64 {
		if len(b) < 8 {
			b, err = nil, errRanges
			return 0
		}
		v := binary.LittleEndian.Uint64(b)
		b = b[8:]
		return v
	}
	for len(b) > 0 && err == nil && len(list) < maxRanges {
		kind := b[0]
		b = b[1:]
		var low, high uint64
		switch kind {
		case 0:
			return list, nil
		case 1:
			base = indexed()
		case 2:
			low = indexed()
			high = indexed()
		case 3:
			low = indexed()
			high = low + number()
		case 4:
			low = base + number()
			high = base + number()
		case 5:
			base = address()
		case 6:
			low = address()
			high = address()
		case 7:
			low = address()
			high = low + number()
		default:
			return nil, errRanges
		}
		if low < high {
			list = append(list, [2]uint64{low, high})
		}
	}
	return nil, errRanges
}
