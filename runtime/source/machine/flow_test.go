package machine

import (
	"encoding/binary"
	"testing"
)

// TestPartsApart follows a function of which the compiler has put a part elsewhere, below
// its entry: what that ends with, a call that never returns, does not lead into the entry.
func TestPartsApart(t *testing.T) {
	const apart, entry, call = 0x1000, 0x2000, 0x200b
	f := NewFlow(X8664, X8664.CalledState())
	below := []byte{0xe8, 0, 0, 0, 0} // call
	function := []byte{
		0x48, 0x89, 0xfd, // mov %rdi, %rbp
		0x0f, 0x82, 0, 0, 0, 0, // jb to the part apart
		0x31, 0xff, // xor %edi, %edi
		0xe8, 0, 0, 0, 0, // call
		0xc3, // ret
	}
	binary.LittleEndian.PutUint32(function[5:], (apart-(entry+9))&(1<<32-1))
	if !f.Decode(below, apart) || !f.Decode(function, entry) {
		t.Fatal("instructions are not decoded")
	}
	f.Solve(entry)
	visited := false
	f.Visit(call, call+1, func(pc uint64, s *State) bool {
		visited = true
		if s.Registers[6] != EnteredWith(5) {
			t.Errorf("%%rbp holds %+v at the call, want what %%rdi held at the entry", s.Registers[6])
		}
		return true
	})
	if !visited {
		t.Error("the call is not reached")
	}
}
