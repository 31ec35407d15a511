package units

import (
	"debug/dwarf"
	"errors"
)

var errRanges = errors.New("damaged list of ranges")

// A list of more ranges is damage.
const maxRanges = 10000

// ranges gives the code of an entry. The lists of split units count from the address
// that their skeleton has, which debug/dwarf cannot see.
func (u *Unit) ranges(e *dwarf.Entry) (list [][2]uint64, err error) {
	f := e.AttrField(dwarf.AttrRanges)
	if u.skeleton == nil || f == nil {
		return u.data.Ranges(e)
	}
	offset := uint64(SectionOffset(f.Val))
	if offset >= uint64(len(u.rangeLists)) {
		return nil, errRanges
	}
	in := u.list(u.rangeLists[offset:], true)
	for len(list) < maxRanges {
		kind, low, high := in.next()
		switch {
		case in.Bad:
			return nil, errRanges
		case kind == endOfList:
			return list, nil
		case low < high:
			list = append(list, [2]uint64{low, high})
		}
	}
	return nil, errRanges
}
