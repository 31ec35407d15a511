package snapshot

import (
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/source/machine"
)

// FuzzSnapshot reads any bytes as a snapshot, and whatever memory that says it has.
func FuzzSnapshot(f *testing.F) {
	local := [4]uint64{1, 2, 3, 4}
	call := Call{Entries: []Entry{{Address: 8, Size: 16, Follows: true}, {Structure: true}}}
	call.Registers.Set(machine.Own().StackPointer, uint64(uintptr(unsafe.Pointer(&local))))
	f.Add(call.Append(nil, nil))
	f.Add(make([]byte, headSize+16*8))
	more := make([]byte, headSize+32*8)
	more[12] = 32
	f.Add(more)
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Read(b)
		if err != nil {
			return
		}
		var word [8]byte
		for _, v := range c.Registers.value {
			if c.Memory(v, word[:]) == nil && len(b) < len(word) {
				t.Error("more memory than there are bytes")
			}
		}
	})
}
