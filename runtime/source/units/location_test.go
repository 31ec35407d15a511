package units

import (
	"encoding/binary"
	"testing"
)

// TestSplitLocations reads a location list of a split unit of DWARF 4 as GCC writes it: the
// range of one byte behind a call has the length -1, and ends before the next begins.
func TestSplitLocations(t *testing.T) {
	addresses := binary.LittleEndian.AppendUint64(nil, 0x273a)
	addresses = binary.LittleEndian.AppendUint64(addresses, 0x273b)
	u := &Unit{Index: &Index{}, version: 4, skeleton: &Unit{}}
	u.Index.sections.addr = addresses
	list := u.locationList([]byte{
		3, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0x55, // from the first address on: in %rdi
		3, 1, 0x10, 0, 0, 0, 1, 0, 0x56, // from the second on, 16 bytes: in %rbp
		0,
	})
	for pc, want := range map[uint64]byte{0x2739: 0, 0x273a: 0x55, 0x273b: 0x56, 0x274a: 0x56, 0x274b: 0} {
		var got byte
		if code := ExpressionAt(list, pc); len(code) == 1 {
			got = code[0]
		}
		if got != want {
			t.Errorf("at %#x expression %#x, want %#x", pc, got, want)
		}
	}
}
