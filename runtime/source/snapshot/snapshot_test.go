package snapshot

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/source/machine"
	"golang.org/x/sys/unix"
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

// callIn is a call whose frame and static variables lie in memory of the test's, among
// numbers pointers to many small objects, most of which share pages, and some that lead nowhere.
func callIn(t testing.TB) (Call, [][2]uint64) {
	t.Helper()
	const frame, statics, heap = 16 << 10, 16 << 10, 256 << 10
	memory, err := unix.Mmap(-1, 0, frame+statics+heap, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	base := uint64(uintptr(unsafe.Pointer(&memory[0])))
	random := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < frame+statics; at += 8 {
		value := uint64(random.IntN(1000))
		switch random.IntN(8) {
		case 0: // an object of the heap
			value = base + frame + statics + uint64(random.IntN(heap/64/4))*64
		case 1: // the frame itself
			value = base + uint64(random.IntN(frame/8))*8
		case 2:
			value = uint64(random.Uint32())
		}
		binary.LittleEndian.PutUint64(memory[at:], value)
	}
	for at := frame + statics; at < len(memory); at++ {
		memory[at] = byte(at * 7)
	}
	var c Call
	c.Registers.Set(machine.Own().StackPointer, base)
	c.Registers.Set(machine.Own().FramePointer, base+frame)
	return c, [][2]uint64{{base + frame, base + frame + statics}}
}

func BenchmarkAppend(b *testing.B) {
	c, static := callIn(b)
	var to []byte
	for b.Loop() {
		to = c.Append(to[:0], static)
	}
	b.ReportMetric(float64(len(to)), "bytes")
	b.ReportMetric(float64(binary.LittleEndian.Uint32(to[8:])), "pieces")
}

// What a call's frame and static variables point to is kept, each page's objects together
// where they lie side by side, and reads as the memory does.
func TestTargets(t *testing.T) {
	c, static := callIn(t)
	b := c.Append(nil, static)
	if pieces := binary.LittleEndian.Uint32(b[8:]); pieces > 70 {
		t.Errorf("%d pieces", pieces)
	}
	read, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	sp, _ := c.Registers.Get(machine.Own().StackPointer)
	heap := static[0][1]
	seen := map[uint64]bool{}
	for at := sp; len(seen) < maxTargets/2; at += 8 {
		var word, want, got [8]byte
		if err := OwnMemory(at, word[:]); err != nil {
			t.Fatal(err)
		}
		target := binary.LittleEndian.Uint64(word[:])
		if target < heap || target >= heap+256<<10 {
			continue
		}
		seen[target] = true
		for _, offset := range []uint64{0, 24, targetBytes - 8} {
			if err := errors.Join(OwnMemory(target+offset, want[:]), read.Memory(target+offset, got[:])); err != nil || got != want {
				t.Fatalf("%#x of the object at %#x, which %#x points to: %x, want %x (%v)", offset, target, at, got, want, err)
			}
		}
	}
}
