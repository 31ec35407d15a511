package blocks

import (
	"math/rand/v2"
	"testing"
)

// check holds the bins to what they say, and the blocks of a range to cover it in order,
// without two free neighbours.
func (s *Set) check(t *testing.T, first *Block, begin, size uint64) {
	t.Helper()
	free := uint64(0)
	for class := range s.bins {
		for division, b := range s.bins[class] {
			if (b != nil) != (s.division[class]&(1<<division) != 0) || (s.division[class] != 0) != (s.occupied&(1<<class) != 0) {
				t.Fatalf("bin %d.%d: the bits are wrong", class, division)
			}
			for ; b != nil; b = b.next {
				if c, d := bin(b.Size); !b.Free || c != class || d != division {
					t.Fatalf("bin %d.%d holds %+v", class, division, b)
				}
				free += b.Size
			}
		}
	}
	if free != s.Free {
		t.Fatalf("%d bytes are free, told %d", free, s.Free)
	}
	for first.Below != nil {
		first = first.Below
	}
	at, before := begin, false
	for b := first; b != nil; b = b.Above {
		if b.Address != at || before && b.Free || b.Size == 0 || b.Above != nil && b.Above.Below != b {
			t.Fatalf("block %+v at %d, behind a free one: %v", b, at, before)
		}
		if !b.Free && s.InUse[b.Address] != b {
			t.Fatalf("block %+v is lost", b)
		}
		at, before = at+b.Size, b.Free
	}
	if at != begin+size {
		t.Fatalf("the blocks end at %d of %d", at, begin+size)
	}
}

// TestSet takes and releases blocks of one range: one is found as long as one fits, and in
// the end all is one block.
func TestSet(t *testing.T) {
	const begin, size = 1 << 30, 1 << 20
	random := rand.New(rand.NewPCG(5, 6))
	s := Set{InUse: map[uint64]*Block{}}
	s.Put(&Block{Address: begin, Size: size})
	var inUse []*Block
	for range 20_000 {
		if asked := RoundUp(random.Uint64N(32<<10) + 1); random.IntN(2) == 0 {
			fits := false
			for class := range s.bins {
				for _, b := range s.bins[class] {
					for ; b != nil; b = b.next {
						fits = fits || b.Size >= asked
					}
				}
			}
			b := s.Find(asked)
			if (b != nil) != fits {
				t.Fatalf("%d bytes: found %+v, a block fits: %v", asked, b, fits)
			}
			if b != nil {
				s.Use(b, asked)
				inUse = append(inUse, b)
			}
		} else if len(inUse) > 0 {
			i := random.IntN(len(inUse))
			s.Release(inUse[i])
			inUse[i] = inUse[len(inUse)-1]
			inUse = inUse[:len(inUse)-1]
		}
		if len(inUse) > 0 {
			s.check(t, inUse[0], begin, size)
		}
	}
	for _, b := range inUse {
		s.Release(b)
	}
	if len(s.InUse) > 0 || s.Free != size || s.Unused != size {
		t.Errorf("%d blocks in use, %d bytes free, %d unused", len(s.InUse), s.Free, s.Unused)
	}
	if b := s.Find(size); b == nil || b.Address != begin {
		t.Errorf("the free blocks did not grow together: %+v", b)
	}
}
