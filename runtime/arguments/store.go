package arguments

import (
	"bytes"
	"hash/maphash"
	"maps"
	"sync"

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
// from its beginning. The zero Store is ready; its methods may be called from any
// thread.
type Store struct {
	mutex   sync.Mutex
	chunks  []*chunk
	current *chunk
	known   map[uint64]known // by hash
}

// A chunk is a piece of device memory for blocks.
type chunk struct {
	address device.Address
	size    int
	used    int
	shadow  []byte // the blocks' contents, as they were put together
	pinned  int    // blocks whose launch is not on the queue yet
}

// known is where a block lies that may be used again.
type known struct {
	hash   uint64 // of its contents; 0: it may not
	chunk  *chunk
	offset int
	size   int
}

func (k *known) shadow() []byte { return k.chunk.shadow[k.offset : k.offset+k.size] }

func (k *known) block() device.ArgumentBlock {
	return device.ArgumentBlock{Address: k.chunk.address + device.Address(k.offset), Size: uint64(k.size)}
}

var seed = maphash.MakeSeed()

// A Placed block has its place in device memory.
type Placed struct {
	device.ArgumentBlock
	// Contents are what is to be stored there before the launch, nil if they are
	// there already. They are the Block's memory, until its next Begin.
	Contents []byte
	known
}

// Place finds device memory that holds b on its queue, or room for it, which allocate
// gives if there is none. The place is kept until Launched is called; Stored is to be
// called in between where there were Contents.
func (s *Store) Place(b *Block, allocate func(bytes uint64) (device.Address, error)) (Placed, error) {
	if len(b.contents) == 0 {
		return Placed{}, nil
	}
	place := known{size: len(b.contents)}
	if !b.unique {
		place.hash = maphash.Bytes(seed, b.contents)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if at, ok := s.known[place.hash]; ok && !b.unique && bytes.Equal(at.shadow(), b.contents) {
		at.chunk.pinned++
		return Placed{ArgumentBlock: at.block(), known: at}, nil
	}
	var err error
	if place.chunk, err = s.room(place.size, allocate); err != nil {
		return Placed{}, err
	}
	place.offset = place.chunk.used
	place.chunk.used += (place.size + 1<<placeAlignment - 1) &^ (1<<placeAlignment - 1)
	place.chunk.pinned++
	if b.unique {
		place.hash = 0
	} else {
		copy(place.shadow(), b.contents)
	}
	p := Placed{ArgumentBlock: place.block(), known: place}
	b.placed = b.AppendAt(b.placed[:0], p.Address)
	p.Contents = b.placed
	return p, nil
}

// Stored notes that the contents of a block are on the queue, where launches after it
// may use them.
func (s *Store) Stored(p Placed) {
	if p.hash == 0 {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil {
		s.known = map[uint64]known{}
	}
	s.known[p.hash] = p.known
}

// Launched notes that the launch for which a block was placed is on the queue, or
// will never be.
func (s *Store) Launched(p Placed) {
	if p.chunk == nil {
		return
	}
	s.mutex.Lock()
	p.chunk.pinned--
	s.mutex.Unlock()
}

// Forget has every block stored again, as for a queue that nobody has used. No launch
// may be under way.
func (s *Store) Forget() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
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
	s.current = &chunk{address: address, size: bytes, shadow: make([]byte, bytes)}
	s.chunks = append(s.chunks, s.current)
	return s.current, nil
}

func (s *Store) forget(c *chunk) {
	c.used = 0
	maps.DeleteFunc(s.known, func(_ uint64, k known) bool { return k.chunk == c })
}
