package sim

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/blocks"
)

func arenaOf(t testing.TB, memory, limit uint64, poison bool) *arena {
	t.Helper()
	a, err := newArena(memory, limit, poison, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

// FuzzArena allocates and frees as the bytes say: every block keeps what was
// written into it, is as far from its neighbours as it should be, and the
// arena is one free block in the end.
func FuzzArena(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		program := make([]byte, 1000)
		for i := range program {
			program[i] = byte(random.Uint32())
		}
		f.Add(program)
	}
	f.Fuzz(func(t *testing.T, program []byte) {
		const memory = 32 << 10
		a := arenaOf(t, memory, 0, true)
		type held struct {
			address device.Address
			size    uint64
			mark    byte
		}
		var inUse []held
		var charged uint64
		for i := 0; i+2 <= min(len(program), 1000); i += 2 {
			if program[i]%3 != 0 {
				size := uint64(program[i+1])<<(program[i]%7) + uint64(program[i]%7)
				address, err := a.alloc(size)
				size = max(size, 1)
				if err != nil {
					if charged+blocks.RoundUp(size) <= memory {
						t.Fatalf("alloc(%d) with %d of %d in use: %v", size, charged, memory, err)
					}
					continue
				}
				charged += blocks.RoundUp(size)
				bytes := a.bytes(uint64(address)-uint64(a.base), size)
				for k, b := range bytes {
					if b != freshBytes[k%4096] {
						t.Fatalf("byte %d of a fresh block is %#x", k, b)
					}
					bytes[k] = byte(i)
				}
				inUse = append(inUse, held{address, size, byte(i)})
			} else if len(inUse) > 0 {
				k := int(program[i+1]) % len(inUse)
				b := inUse[k]
				bytes := a.bytes(uint64(b.address)-uint64(a.base), b.size)
				if i := slices.IndexFunc(bytes, func(x byte) bool { return x != b.mark }); i >= 0 {
					t.Fatalf("byte %d of a block was overwritten", i)
				}
				if err := a.free(b.address); err != nil {
					t.Fatal(err)
				}
				if bytes[0] != freedBytes[0] {
					t.Fatal("freed memory is not poisoned")
				}
				charged -= blocks.RoundUp(b.size)
				inUse = slices.Delete(inUse, k, k+1)
			}
			if a.freeMemory() != memory-charged {
				t.Fatalf("%d bytes free, want %d", a.freeMemory(), memory-charged)
			}
		}
		for _, b := range inUse {
			if err := a.free(b.address); err != nil {
				t.Fatal(err)
			}
		}
		if b := a.blocks.Find(a.reserved &^ (blocks.Alignment - 1)); b == nil {
			t.Fatal("the free blocks did not grow together")
		}
	})
}

func TestArenaErrors(t *testing.T) {
	a := arenaOf(t, 1<<20, 0, false)
	address, err := a.alloc(1000)
	if err != nil {
		t.Fatal(err)
	}
	var local int
	for _, c := range []struct {
		address device.Address
		want    string
	}{
		{address + 8, "this is 8 bytes into the block of 1000 bytes"},
		{address + 4096, "nothing is allocated there"},
		{device.Address(uintptr(unsafe.Pointer(&local))), "not an address of this device"},
		{0, "not an address of this device"},
	} {
		var failure *device.Error
		if err := a.free(c.address); !errors.As(err, &failure) || failure.Code != device.InvalidArgument || !strings.Contains(err.Error(), c.want) {
			t.Errorf("free(%#x): %v, want %q", c.address, err, c.want)
		}
	}
	if err := a.free(address); err != nil {
		t.Fatal(err)
	}
	if err := a.free(address); err == nil || !strings.Contains(err.Error(), "freed already") {
		t.Errorf("free twice: %v", err)
	}
	if _, err := a.alloc(1<<20 + 1); err == nil || !strings.Contains(err.Error(), "1048577 bytes asked for, 1048576 of 1048576 free") {
		t.Errorf("too much: %v", err)
	}
	if _, err := a.alloc(1 << 20); err != nil {
		t.Errorf("exactly all of it: %v", err)
	}
}

// TestReserved shows that memory is taken as it is used: an arena far larger
// than this machine's memory can be opened.
func TestReserved(t *testing.T) {
	a := arenaOf(t, 4<<40, 0, true)
	address, err := a.alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	if got := *(*uint64)(a.pointer(uint64(address) - uint64(a.base))); got != freshPattern {
		t.Errorf("fresh memory holds %#x", got)
	}
	if a.committed > commitStep {
		t.Errorf("%d bytes are accessible for 100 in use", a.committed)
	}
}

func BenchmarkArena(b *testing.B) {
	for name, poison := range map[string]bool{"plain": false, "poison": true} {
		b.Run(name, func(b *testing.B) {
			a := arenaOf(b, 16<<30, 0, poison)
			held := make([]device.Address, 100000)
			for i := range held {
				held[i], _ = a.alloc(uint64(64 + i%5*300))
			}
			for i := 0; b.Loop(); i++ {
				k := i * 7919 % len(held)
				if err := a.free(held[k]); err != nil {
					b.Fatal(err)
				}
				var err error
				if held[k], err = a.alloc(64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
