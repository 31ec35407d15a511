// Package blocks divides ranges of a device's memory into blocks, free or in use. Free ones
// are kept in bins by size: a block is taken from the smallest bin that fits, and a freed
// one joined with its neighbours, both in constant time.
package blocks

import "math/bits"

// Alignment is what addresses and sizes are multiples of.
const Alignment = 256

// RoundUp is the size of a block for so many bytes.
func RoundUp(bytes uint64) uint64 { return (bytes + Alignment - 1) &^ (Alignment - 1) }

// A free block is in the bin of its size: powers of two, each divided evenly.
const (
	classes      = 64
	divisionBits = 3
	divisions    = 1 << divisionBits
)

// A Block is a part of a range, free or in use.
type Block struct {
	Address, Size uint64
	Asked         uint64 // of one in use, for whoever has it
	Free          bool
	Below, Above  *Block // neighbours in the range
	prior, next   *Block // in the bin
}

// A Set is the blocks of some ranges.
type Set struct {
	InUse    map[uint64]*Block // by address
	Free     uint64            // bytes in free blocks
	Unused   uint64            // bytes of ranges that are one free block
	occupied uint64            // bit per class: some division has a block
	division [classes]uint8    // bit per division
	bins     [classes][divisions]*Block
	spare    *Block // block structs for reuse, linked by next
}

func bin(size uint64) (class, division int) {
	class = bits.Len64(size) - 1
	return class, int(size>>(class-divisionBits)) & (divisions - 1)
}

// Put makes a block free as it is, such as a range that is new.
func (s *Set) Put(b *Block) {
	class, division := bin(b.Size)
	head := &s.bins[class][division]
	b.Free, b.prior, b.next = true, nil, *head
	if *head != nil {
		(*head).prior = b
	}
	*head = b
	s.division[class] |= 1 << division
	s.occupied |= 1 << class
	s.Free += b.Size
	if b.Below == nil && b.Above == nil {
		s.Unused += b.Size
	}
}

// Remove takes a block out of the free ones.
func (s *Set) Remove(b *Block) {
	class, division := bin(b.Size)
	if b.prior != nil {
		b.prior.next = b.next
	} else if s.bins[class][division] = b.next; b.next == nil {
		if s.division[class] &^= 1 << division; s.division[class] == 0 {
			s.occupied &^= 1 << class
		}
	}
	if b.next != nil {
		b.next.prior = b.prior
	}
	b.Free, b.prior, b.next = false, nil, nil
	s.Free -= b.Size
	if b.Below == nil && b.Above == nil {
		s.Unused -= b.Size
	}
}

// few are the blocks of the size's own bin that are looked at before larger ones.
const few = 4

// Find takes out a free block of at least size bytes, nil if there is none.
func (s *Set) Find(size uint64) *Block {
	// Some blocks of the size's own bin may be large enough; all of larger ones are.
	class, division := bin(size)
	own := s.bins[class][division]
	for looked := 0; own != nil && own.Size < size && looked < few; looked++ {
		own = own.next
	}
	b := own
	if b == nil || b.Size < size {
		b = s.larger(class, division)
	}
	for ; b == nil && own != nil; own = own.next { // rather than none
		if own.Size >= size {
			b = own
		}
	}
	if b != nil {
		s.Remove(b)
	}
	return b
}

// larger is a block of the next bin above one that has any.
func (s *Set) larger(class, division int) *Block {
	fitting := s.division[class] >> (division + 1) << (division + 1)
	if fitting == 0 {
		above := s.occupied >> (class + 1) << (class + 1)
		if above == 0 {
			return nil
		}
		class = bits.TrailingZeros64(above)
		fitting = s.division[class]
	}
	return s.bins[class][bits.TrailingZeros8(fitting)]
}

// Use gives size bytes of a block that was found to whoever asked, and frees the rest.
func (s *Set) Use(b *Block, size uint64) {
	if b.Size > size {
		rest := s.spare
		if rest != nil {
			s.spare = rest.next
		} else {
			rest = new(Block)
		}
		*rest = Block{Address: b.Address + size, Size: b.Size - size, Below: b, Above: b.Above}
		if rest.Above != nil {
			rest.Above.Below = rest
		}
		b.Size, b.Above = size, rest
		s.Put(rest)
	}
	s.InUse[b.Address] = b
}

// Release joins a block that was in use with its free neighbours.
func (s *Set) Release(b *Block) {
	delete(s.InUse, b.Address)
	b.Asked = 0
	if above := b.Above; above != nil && above.Free {
		s.Remove(above)
		s.join(b, above)
	}
	if below := b.Below; below != nil && below.Free {
		s.Remove(below)
		s.join(below, b)
		b = below
	}
	s.Put(b)
}

// join makes a block and the one above it one.
func (s *Set) join(b, above *Block) {
	b.Size += above.Size
	if b.Above = above.Above; b.Above != nil {
		b.Above.Below = b
	}
	*above = Block{next: s.spare}
	s.spare = above
}
