package cuda

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
)

const (
	alignment = 256
	// chunkBytes is what the pool takes from the driver at a time.
	chunkBytes = 64 << 20
	// granule is what the driver's allocations are multiples of.
	granule = 2 << 20

	// A free block is in the bin of its size: powers of two, each divided evenly.
	divisionBits = 3
	divisions    = 1 << divisionBits
)

// source is where a pool's memory comes from. Its calls may wait for everything
// that is on the device's queues, functions that release memory included.
type source interface {
	take(bytes uint64) (device.Address, error)
	giveBack(device.Address) error
}

// A pool hands out parts of large allocations of the driver's, whose own calls
// are too slow to make for each variable. It takes the smallest free block that
// fits and joins neighbours when one is freed, both in constant time.
type pool struct {
	source  source
	keep    uint64 // bytes of unused chunks to keep
	observe atomic.Pointer[func(taken bool, address device.Address, bytes uint64)]

	// calls is held around calls of the source, and mutex is not: it is locked
	// within calls, and by release.
	calls sync.Mutex

	mutex    sync.Mutex                // guards what follows
	blocks   map[device.Address]*block // in use
	chunks   map[device.Address]*block // first block of each
	free     uint64                    // bytes in free blocks
	unused   uint64                    // bytes in chunks of one free block
	occupied uint64                    // bit per class: some division has a block
	division [64]uint8                 // bit per division
	bins     [64][divisions]*block
	spare    *block // block structs for reuse, linked by next
	excess   atomic.Bool
}

// block is a part of a chunk, free or in use.
type block struct {
	address      device.Address
	size         uint64
	free         bool
	below, above *block // neighbours in the chunk
	prior, next  *block // in the bin
}

func newPool(s source, keep uint64) *pool {
	return &pool{source: s, keep: max(keep, chunkBytes), blocks: map[device.Address]*block{}, chunks: map[device.Address]*block{}}
}

// bin is where a free block of a size belongs.
func bin(size uint64) (class, division int) {
	class = bits.Len64(size) - 1
	return class, int(size>>(class-divisionBits)) & (divisions - 1)
}

func (p *pool) put(b *block) {
	b.free = true
	class, division := bin(b.size)
	head := &p.bins[class][division]
	b.prior, b.next = nil, *head
	if *head != nil {
		(*head).prior = b
	}
	*head = b
	p.division[class] |= 1 << division
	p.occupied |= 1 << class
	p.free += b.size
	if b.below == nil && b.above == nil {
		p.unused += b.size
	}
}

func (p *pool) remove(b *block) {
	class, division := bin(b.size)
	if b.prior != nil {
		b.prior.next = b.next
	} else if p.bins[class][division] = b.next; b.next == nil {
		if p.division[class] &^= 1 << division; p.division[class] == 0 {
			p.occupied &^= 1 << class
		}
	}
	if b.next != nil {
		b.next.prior = b.prior
	}
	b.prior, b.next, b.free = nil, nil, false
	p.free -= b.size
	if b.below == nil && b.above == nil {
		p.unused -= b.size
	}
}

// find takes out a free block of at least size bytes, nil if there is none.
func (p *pool) find(size uint64) *block {
	// Some blocks of the size's own bin may be large enough; all of the next
	// bin up are.
	class, division := bin(size)
	for b, looked := p.bins[class][division], 0; b != nil && looked < 4; b, looked = b.next, looked+1 {
		if b.size >= size {
			p.remove(b)
			return b
		}
	}
	class, division = bin(size + 1<<(class-divisionBits) - 1)
	if fitting := p.division[class] >> division << division; fitting != 0 {
		division = bits.TrailingZeros8(fitting)
	} else {
		higher := p.occupied >> (class + 1) << (class + 1)
		if higher == 0 {
			return nil
		}
		class = bits.TrailingZeros64(higher)
		division = bits.TrailingZeros8(p.division[class])
	}
	b := p.bins[class][division]
	p.remove(b)
	return b
}

func (p *pool) newBlock() *block {
	if b := p.spare; b != nil {
		p.spare = b.next
		b.next = nil
		return b
	}
	return new(block)
}

// noMemory is the most that can be asked for without overflow.
const noMemory = 1 << 48

func (p *pool) alloc(bytes uint64) (device.Address, error) {
	if bytes > noMemory {
		return 0, device.Errorf(device.OutOfMemory, 0, "no device has %d bytes of memory", bytes)
	}
	size := (max(bytes, 1) + alignment - 1) &^ (alignment - 1)
	p.mutex.Lock()
	b := p.find(size)
	if b == nil {
		p.mutex.Unlock()
		var err error
		if b, err = p.grow(size); err != nil {
			return 0, err
		}
		p.mutex.Lock()
	}
	defer p.mutex.Unlock()
	if rest := b.size - size; rest >= alignment {
		r := p.newBlock()
		*r = block{address: b.address + device.Address(size), size: rest, below: b, above: b.above}
		if r.above != nil {
			r.above.below = r
		}
		b.size, b.above = size, r
		p.put(r)
	}
	p.blocks[b.address] = b
	return b.address, nil
}

// grow takes a chunk from the driver and returns it as one block in use, or one
// that has become free meanwhile.
func (p *pool) grow(size uint64) (*block, error) {
	p.calls.Lock()
	defer p.calls.Unlock()
	p.mutex.Lock()
	b := p.find(size)
	p.mutex.Unlock()
	if b != nil {
		return b, nil
	}
	p.trim(p.keep)
	bytes := uint64(chunkBytes)
	if size > chunkBytes/2 {
		bytes = (size + granule - 1) &^ (granule - 1)
	}
	address, err := p.source.take(bytes)
	if err != nil && p.trim(0) {
		address, err = p.source.take(bytes)
	}
	if err != nil && bytes > size {
		bytes = (size + granule - 1) &^ (granule - 1)
		address, err = p.source.take(bytes)
	}
	if err != nil {
		return nil, err
	}
	b = &block{address: address, size: bytes}
	p.mutex.Lock()
	p.chunks[address] = b
	p.mutex.Unlock()
	p.notify(true, address, bytes)
	return b, nil
}

func (p *pool) notify(taken bool, address device.Address, bytes uint64) {
	if observe := p.observe.Load(); observe != nil {
		(*observe)(taken, address, bytes)
	}
}

// release returns a block. It neither calls the driver nor waits for a thread that
// does, because it runs in the driver's callbacks as well; trim does that later.
func (p *pool) release(address device.Address) bool {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	b := p.blocks[address]
	if b == nil {
		return false
	}
	delete(p.blocks, address)
	if above := b.above; above != nil && above.free {
		p.remove(above)
		b.size += above.size
		if b.above = above.above; b.above != nil {
			b.above.below = b
		}
		*above = block{next: p.spare}
		p.spare = above
	}
	if below := b.below; below != nil && below.free {
		p.remove(below)
		below.size += b.size
		if below.above = b.above; below.above != nil {
			below.above.below = below
		}
		*b = block{next: p.spare}
		p.spare = b
		b = below
	}
	p.put(b)
	if p.unused > p.keep {
		p.excess.Store(true)
	}
	return true
}

// trimExcess gives unused chunks back to the driver if there are too many.
func (p *pool) trimExcess() {
	if p.excess.Load() {
		p.calls.Lock()
		p.trim(p.keep)
		p.calls.Unlock()
	}
}

// trim gives unused chunks back until no more than keep bytes are unused, and
// says whether there were any. p.calls is held.
func (p *pool) trim(keep uint64) (some bool) {
	p.excess.Store(false)
	for {
		b := p.takeUnused(keep)
		if b == nil {
			return some
		}
		if err := p.source.giveBack(b.address); err != nil {
			p.mutex.Lock()
			p.chunks[b.address] = b
			p.put(b)
			p.mutex.Unlock()
			return some // the device failed, and says so at the next operation
		}
		p.notify(false, b.address, b.size)
		some = true
	}
}

// takeUnused takes an unused chunk out of the pool, nil if no more than keep bytes
// are unused.
func (p *pool) takeUnused(keep uint64) *block {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.unused <= keep {
		return nil
	}
	for address, b := range p.chunks {
		if b.free && b.above == nil {
			p.remove(b)
			delete(p.chunks, address)
			return b
		}
	}
	return nil
}

// freeBytes is what the pool could hand out without the driver.
func (p *pool) freeBytes() uint64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.free
}

// close gives all chunks back, whatever is in use.
func (p *pool) close() error {
	p.calls.Lock()
	defer p.calls.Unlock()
	p.mutex.Lock()
	chunks := p.chunks
	p.chunks, p.blocks = map[device.Address]*block{}, map[device.Address]*block{}
	p.mutex.Unlock()
	var first error
	for address, b := range chunks {
		bytes := uint64(0)
		for ; b != nil; b = b.above {
			bytes += b.size
		}
		if err := p.source.giveBack(address); err != nil && first == nil {
			first = err
		}
		p.notify(false, address, bytes)
	}
	return first
}
