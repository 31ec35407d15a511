package source

import (
	"encoding/binary"
	"testing"
)

// TestPartsApart follows a function of which the compiler has put a part elsewhere, below
// its entry: what that ends with, a call that never returns, does not lead into the entry.
func TestPartsApart(t *testing.T) {
	const apart, entry, call = 0x1000, 0x2000, 0x200b
	f := newFlow(X8664, X8664.calledState())
	below := []byte{0xe8, 0, 0, 0, 0} // call
	function := []byte{
		0x48, 0x89, 0xfd, // mov %rdi, %rbp
		0x0f, 0x82, 0, 0, 0, 0, // jb to the part apart
		0x31, 0xff, // xor %edi, %edi
		0xe8, 0, 0, 0, 0, // call
		0xc3, // ret
	}
	binary.LittleEndian.PutUint32(function[5:], (apart-(entry+9))&(1<<32-1))
	if !f.decode(below, apart) || !f.decode(function, entry) {
		t.Fatal("instructions are not decoded")
	}
	f.first = f.index[entry]
	f.solve()
	visited := false
	f.visit(call, call+1, func(pc uint64, s *state) bool {
		visited = true
		if s.registers[6] != enteredWith(5) {
			t.Errorf("%%rbp holds %+v at the call, want what %%rdi held at the entry", s.registers[6])
		}
		return true
	})
	if !visited {
		t.Error("the call is not reached")
	}
}

// TestSplitLocations reads a location list of a split unit of DWARF 4 as GCC writes it: the
// range of one byte behind a call has the length -1, and ends before the next begins.
func TestSplitLocations(t *testing.T) {
	addresses := binary.LittleEndian.AppendUint64(nil, 0x273a)
	addresses = binary.LittleEndian.AppendUint64(addresses, 0x273b)
	u := &unit{image: &Image{units: &unitIndex{}}}
	u.image.units.sections.addr = addresses
	list := u.locationListSplit([]byte{
		3, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0x55, // from the first address on: in %rdi
		3, 1, 0x10, 0, 0, 0, 1, 0, 0x56, // from the second on, 16 bytes: in %rbp
		0,
	})
	for pc, want := range map[uint64]byte{0x2739: 0, 0x273a: 0x55, 0x273b: 0x56, 0x274a: 0x56, 0x274b: 0} {
		var got byte
		if code := at(list, pc); len(code) == 1 {
			got = code[0]
		}
		if got != want {
			t.Errorf("at %#x expression %#x, want %#x", pc, got, want)
		}
	}
}
