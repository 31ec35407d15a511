package arguments

import (
	"bytes"
	"hash/maphash"
	"maps"

	"github.com/accscope/accscope/runtime/device"
)

const (
	// placeAlignment is the base-two logarithm of the alignment of every block.
	placeAlignment = 7
	// firstChunk is the device memory that a queue's first launch takes, in bytes;
	// more is taken where that does not do.
	firstChunk = 16 << 10
)

// A Store is the device memory for the argument blocks of one queue. Operations of a
// queue run one after the other, so what is stored there from now on comes after
// every launch that uses an earlier block: when a chunk is full, it is used again
// from its beginning. The zero Store is ready; calls are serialised by the caller.
type Store struct {
	chunks  []*chunk
	current *chunk
	known   map[uint64]*Stored // by hash
}

// A chunk is a piece of device memory for blocks.
type chunk struct {
	address device.Address
	size    int
	used    int
	shadow  []byte   // the blocks' contents, as they were put together
	stored  []Stored // of the blocks; never moved
	pinned  int      // blocks whose launch is not on the queue yet
}

// A Stored is a block in device memory.
type Stored struct {
	device.ArgumentBlock
	chunk *chunk
	hash  uint64 // of its contents
	known bool   // they are on the queue, and launches after it may use them
}

// holds says whether a block of such contents may be used here.
func (p *Stored) holds(contents []byte) bool {
	return p.known && bytes.Equal(p.shadow(), contents)
}

func (p *Stored) shadow() []byte {
	offset := p.Address - p.chunk.address
	return p.chunk.shadow[offset : offset+device.Address(p.Size)]
}

var (
	seed    = maphash.MakeSeed()
	nowhere Stored // of an empty block
)

// Place finds device memory that holds b on its queue, or room for it, which allocate
// gives if there is none: then contents are what is to be stored there before the launch,
// in b's memory, until its next Begin or Place. The place is kept until Launched or Dropped
// is called.
func (s *Store) Place(b *Block, allocate func(bytes uint64) (device.Address, error)) (p *Stored, contents []byte, err error) {
	if len(b.contents) == 0 {
		return &nowhere, nil, nil
	}
	if p = s.find(b); p == nil {
		if p, err = s.put(b, allocate); err != nil {
			return nil, nil, err
		}
		b.placed = b.AppendAt(b.placed[:0], p.Address)
		contents = b.placed
	}
	p.chunk.pinned++
	return p, contents, nil
}

// find is the place that holds b already, if there is one: where it was last, nearly always.
func (s *Store) find(b *Block) *Stored {
	if b.unique {
		return nil
	}
	if b.in == s && b.at.holds(b.contents) {
		return b.at
	}
	b.in, b.hash = nil, maphash.Bytes(seed, b.contents)
	if at := s.known[b.hash]; at != nil && at.holds(b.contents) {
		b.in, b.at = s, at
		return at
	}
	return nil
}

// put makes a place for b.
func (s *Store) put(b *Block, allocate func(bytes uint64) (device.Address, error)) (*Stored, error) {
	size := len(b.contents)
	c, err := s.room(size, allocate)
	if err != nil {
		return nil, err
	}
	c.stored = append(c.stored, Stored{
		ArgumentBlock: device.ArgumentBlock{Address: c.address + device.Address(c.used), Size: uint64(size)}, chunk: c})
	p := &c.stored[len(c.stored)-1]
	c.used += (size + 1<<placeAlignment - 1) &^ (1<<placeAlignment - 1)
	if !b.unique {
		copy(p.shadow(), b.contents)
		p.hash, b.in, b.at = b.hash, s, p
	}
	return p, nil
}

// Launched notes that the launch for which a block was placed is on the queue, and what
// was to be stored before it.
func (s *Store) Launched(p *Stored) {
	if p.hash != 0 && !p.known {
		if s.known == nil {
			s.known = map[uint64]*Stored{}
		}
		p.known, s.known[p.hash] = true, p
	}
	s.Dropped(p)
}

// Dropped notes that the launch for which a block was placed will never be.
func (s *Store) Dropped(p *Stored) {
	if p.chunk != nil {
		p.chunk.pinned--
	}
}

// Forget has every block stored again, as for a queue that nobody has used. No launch
// may be under way.
func (s *Store) Forget() {
	for _, c := range s.chunks {
		s.forget(c)
	}
}

// room is a chunk with size bytes free.
func (s *Store) room(size int, allocate func(bytes uint64) (device.Address, error)) (*chunk, error) {
	if c := s.current; c != nil && size <= c.size-c.used {
		return c, nil
	}
	bytes := firstChunk
	for _, c := range s.chunks {
		// A block that another thread has found is not to change before its launch.
		if c.pinned == 0 && size <= c.size {
			s.forget(c)
			s.current = c
			return c, nil
		}
		bytes = 2 * c.size
	}
	for bytes < size {
		bytes *= 2
	}
	address, err := allocate(uint64(bytes))
	if err != nil {
		return nil, err
	}
	s.current = &chunk{address: address, size: bytes, shadow: make([]byte, bytes), stored: make([]Stored, 0, bytes>>placeAlignment)}
	s.chunks = append(s.chunks, s.current)
	return s.current, nil
}

func (s *Store) forget(c *chunk) {
	maps.DeleteFunc(s.known, func(_ uint64, p *Stored) bool { return p.chunk == c })
	clear(c.stored)
	c.used, c.stored = 0, c.stored[:0]
}
