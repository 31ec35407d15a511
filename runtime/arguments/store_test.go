package arguments

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/accscope/accscope/runtime/device"
)

// memory hands out device addresses and counts what was taken.
type memory struct {
	next  device.Address
	taken int
}

func (m *memory) allocate(bytes uint64) (device.Address, error) {
	m.taken++
	m.next += 1 << 20
	return m.next, nil
}

func block(address device.Address, values ...uint32) *Block {
	b := new(Block)
	b.Begin(1 + len(values))
	b.SetAddress(0, address)
	for i, v := range values {
		binary.NativeEndian.PutUint32(b.AddValue(1+i, 4, 2), v)
	}
	return b
}

func launch(t *testing.T, s *Store, b *Block, m *memory) (_ *Stored, stored bool) {
	t.Helper()
	p, contents, err := s.Place(b, m.allocate)
	if err != nil {
		t.Fatal(err)
	}
	s.Launched(p)
	return p, contents != nil
}

func TestBlockHoldsAddressesThenValues(t *testing.T) {
	b := new(Block)
	b.Begin(3)
	b.SetAddress(0, 0xabc)
	copy(b.AddValue(2, 1, 0), []byte{7})
	copy(b.AddValue(1, 16, 4), "0123456789abcdef")
	p, contents, err := new(Store).Place(b, new(memory).allocate)
	if err != nil {
		t.Fatal(err)
	}
	word := func(i int) device.Address { return device.Address(binary.NativeEndian.Uint64(contents[8*i:])) }
	if word(0) != 0xabc {
		t.Errorf("argument 0 is %#x, want abc", word(0))
	}
	if word(2) != p.Address+24 || contents[24] != 7 {
		t.Errorf("argument 2 is at %#x of a block at %#x: % x", word(2), p.Address, contents)
	}
	if word(1) != p.Address+32 || string(contents[32:48]) != "0123456789abcdef" {
		t.Errorf("argument 1 is at %#x of a block at %#x, where its alignment of 16 puts it to 32: % x", word(1), p.Address, contents)
	}
	if p.Size != 48 || b.Values() != 2 || b.Pointers() != 0 {
		t.Errorf("%d bytes with %d values, %d of them pointers", p.Size, b.Values(), b.Pointers())
	}
}

func TestPointersLieAmongTheValues(t *testing.T) {
	b := new(Block)
	b.Begin(2)
	copy(b.AddValue(0, 4, 2), "abcd")
	b.AddPointer(1, 0x1234)
	p, contents, err := new(Store).Place(b, new(memory).allocate)
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int) device.Address { return device.Address(binary.NativeEndian.Uint64(contents[at:])) }
	if word(8) != p.Address+24 || word(24) != 0x1234 || b.Values() != 2 || b.Pointers() != 1 {
		t.Errorf("the pointer is at %#x of a block at %#x, among %d values, %d of them pointers: % x", word(8), p.Address, b.Values(), b.Pointers(), contents)
	}
}

// TestLinks: what points to a descriptor in the block points to where the block lies.
func TestLinks(t *testing.T) {
	b := new(Block)
	b.Begin(3)
	copy(b.AddDescriptor(0, 16, 3), "0123456789abcdef")
	b.AddInside(1, 8, 0x1234)
	b.AddLink(2)
	p, contents, err := new(Store).Place(b, new(memory).allocate)
	if err != nil {
		t.Fatal(err)
	}
	word := func(at int) device.Address { return device.Address(binary.NativeEndian.Uint64(contents[at:])) }
	if p.Address == 0 || word(0) != p.Address+24 || word(32) != 0x1234 || word(16) != p.Address+40 || word(40) != p.Address+24 {
		t.Errorf("a block at %#x, with a descriptor at 24 and the link to it at 40: % x", p.Address, contents)
	}
	if b.Links(0) || b.Links(1) || !b.Links(2) || b.Pointers() != 3 {
		t.Errorf("links %v %v %v, %d pointers", b.Links(0), b.Links(1), b.Links(2), b.Pointers())
	}
}

func TestSameBlockIsStoredOnce(t *testing.T) {
	var s Store
	var m memory
	first, stored := launch(t, &s, block(1, 2, 3), &m)
	if !stored {
		t.Fatal("the first block was not stored")
	}
	for name, c := range map[string]struct {
		block  *Block
		stored bool
	}{
		"the same":                {block(1, 2, 3), false},
		"another address":         {block(2, 2, 3), true},
		"another value":           {block(1, 2, 4), true},
		"an argument more":        {block(1, 2, 3, 0), true},
		"the same, as a last one": {block(1, 2, 3), false},
	} {
		if p, stored := launch(t, &s, c.block, &m); stored != c.stored || !stored && p.Address != first.Address {
			t.Errorf("%s: stored %v at %#x, want %v; the first is at %#x", name, stored, p.Address, c.stored, first.Address)
		}
	}
}

func TestUniqueBlockIsNeverFound(t *testing.T) {
	var s Store
	var m memory
	launch(t, &s, block(1, 2), &m)
	unique := block(1, 2)
	unique.Unique()
	if _, stored := launch(t, &s, unique, &m); !stored {
		t.Error("a unique block used that of another launch")
	}
	unique = block(1, 9)
	unique.Unique()
	launch(t, &s, unique, &m)
	if _, stored := launch(t, &s, block(1, 9), &m); !stored {
		t.Error("another launch used a unique block")
	}
}

// A block that was placed but whose contents are not on the queue must not serve
// another thread's launch.
func TestBlockIsFoundOnceStored(t *testing.T) {
	var s Store
	var m memory
	mine, _, err := s.Place(block(1, 2), m.allocate)
	if err != nil {
		t.Fatal(err)
	}
	if other, stored := launch(t, &s, block(1, 2), &m); !stored || other.Address == mine.Address {
		t.Error("a block was used before its contents were stored")
	}
}

// A block that found no memory is placed again, as a launch does that tries to take what
// it had the last time first.
func TestBlockThatFoundNoMemory(t *testing.T) {
	var s Store
	var m memory
	full := errors.New("no memory")
	b := block(1, 2)
	for range 2 {
		if _, _, err := s.Place(b, func(uint64) (device.Address, error) { return 0, full }); err != full {
			t.Errorf("error %v, want %v", err, full)
		}
	}
	if _, stored := launch(t, &s, b, &m); !stored {
		t.Error("the block was not stored")
	}
	if _, stored := launch(t, &s, b, &m); stored {
		t.Error("the block was stored twice")
	}
}

func TestMemoryIsUsedAgain(t *testing.T) {
	var s Store
	var m memory
	held, _, err := s.Place(block(1, 0), m.allocate)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(10 * firstChunk / 128) {
		p, _ := launch(t, &s, block(1, i+1), &m)
		if p.Address == held.Address {
			t.Fatalf("launch %d took the memory of a block whose launch is still to come", i)
		}
	}
	if m.taken != 2 {
		t.Errorf("memory was taken %d times, want 2: one chunk is held, the other is used again", m.taken)
	}
	s.Launched(held)
	if _, stored := launch(t, &s, block(1, 200), &m); !stored {
		t.Error("a block was found in memory that was used again since")
	}
	if p, _ := launch(t, &s, block(1, make([]uint32, firstChunk)...), &m); p.Size <= firstChunk || m.taken != 3 {
		t.Errorf("a block of %d bytes, memory taken %d times", p.Size, m.taken)
	}
}

func TestForgottenBlocksAreStoredAgain(t *testing.T) {
	var s Store
	var m memory
	launch(t, &s, block(1, 2), &m)
	s.Forget()
	if _, stored := launch(t, &s, block(1, 2), &m); !stored || m.taken != 1 {
		t.Errorf("stored %v, memory taken %d times; want true, once", stored, m.taken)
	}
}

func TestNoMemory(t *testing.T) {
	var s Store
	if _, _, err := s.Place(block(1), func(uint64) (device.Address, error) { return 0, errors.New("none") }); err == nil {
		t.Error("no error where there is no memory")
	}
	var none Block
	none.Begin(0)
	p, contents, err := s.Place(&none, nil)
	if err != nil || contents != nil || p.Address != 0 {
		t.Errorf("a kernel without arguments: %+v, %v", p, err)
	}
	s.Launched(p)
}

// TestBlockKnowsWhereItLay: a block that is placed again uses its last place only for as
// long as that holds it, and only on its own queue.
func TestBlockKnowsWhereItLay(t *testing.T) {
	var m memory
	for name, c := range map[string]struct {
		between func(s *Store, b *Block) *Store // where the block is placed then
		stored  bool
	}{
		"nothing":           {func(s *Store, _ *Block) *Store { return s }, false},
		"another value":     {func(s *Store, b *Block) *Store { b.SetValue(0, []byte{9, 0, 0, 0}); return s }, true},
		"another queue":     {func(*Store, *Block) *Store { return new(Store) }, true},
		"it is made unique": {func(s *Store, b *Block) *Store { b.Unique(); return s }, true},
		"all is forgotten":  {func(s *Store, _ *Block) *Store { s.Forget(); return s }, true},
		"the memory is used again": {func(s *Store, _ *Block) *Store {
			for i := range uint32(firstChunk / 128) {
				launch(t, s, block(1, 100+i), &m)
			}
			return s
		}, true},
	} {
		s, b := new(Store), block(1, 2)
		launch(t, s, b, &m)
		if _, stored := launch(t, c.between(s, b), b, &m); stored != c.stored {
			t.Errorf("%s: stored %v, want %v", name, stored, c.stored)
		}
	}
}
