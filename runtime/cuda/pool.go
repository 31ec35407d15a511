package cuda

import (
	"sync"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/blocks"
)

const (
	// chunkBytes is what the pool takes from the driver at a time.
	chunkBytes = 64 << 20
	// granule is what the driver's allocations are multiples of.
	granule = 2 << 20
)

// source is where a pool's memory comes from. Its calls may wait for everything
// that is on the device's queues, functions that release memory included.
type source interface {
	take(bytes uint64) (device.Address, error)
	giveBack(device.Address) error
}

// A pool hands out parts of large allocations of the driver's, whose own calls
// are too slow to make for each variable.
type pool struct {
	source  source
	keep    uint64 // bytes of unused chunks to keep
	observe atomic.Pointer[func(taken bool, address device.Address, bytes uint64)]

	// calls is held around calls of the source, and mutex is not: it is locked
	// within calls, and by release.
	calls sync.Mutex

	mutex  sync.Mutex // guards what follows
	blocks blocks.Set
	chunks map[device.Address]*blocks.Block // first block of each
	excess atomic.Bool
}

func newPool(s source, keep uint64) *pool {
	return &pool{source: s, keep: max(keep, chunkBytes), blocks: blocks.Set{InUse: map[uint64]*blocks.Block{}}, chunks: map[device.Address]*blocks.Block{}}
}

// noMemory is the most that can be asked for without overflow.
const noMemory = 1 << 48

func (p *pool) alloc(bytes uint64) (device.Address, error) {
	if bytes > noMemory {
		return 0, device.Errorf(device.OutOfMemory, 0, "no device has %d bytes of memory", bytes)
	}
	size := blocks.RoundUp(max(bytes, 1))
	p.mutex.Lock()
	b := p.blocks.Find(size)
	if b == nil {
		p.mutex.Unlock()
		var err error
		if b, err = p.grow(size); err != nil {
			return 0, err
		}
		p.mutex.Lock()
	}
	defer p.mutex.Unlock()
	p.blocks.Use(b, size)
	return device.Address(b.Address), nil
}

// grow takes a chunk from the driver and returns it as one block in use, or one
// that has become free meanwhile.
func (p *pool) grow(size uint64) (*blocks.Block, error) {
	p.calls.Lock()
	defer p.calls.Unlock()
	p.mutex.Lock()
	b := p.blocks.Find(size)
	p.mutex.Unlock()
	if b != nil {
		return b, nil
	}
	if _, err := p.trim(p.keep); err != nil {
		return nil, err
	}
	bytes := uint64(chunkBytes)
	if size > chunkBytes/2 {
		bytes = (size + granule - 1) &^ (granule - 1)
	}
	address, err := p.source.take(bytes)
	if err != nil {
		some, failure := p.trim(0)
		if failure != nil {
			return nil, device.Also(err, failure)
		}
		if some {
			address, err = p.source.take(bytes)
		}
	}
	if err != nil && bytes > size {
		bytes = (size + granule - 1) &^ (granule - 1)
		address, err = p.source.take(bytes)
	}
	if err != nil {
		return nil, err
	}
	b = &blocks.Block{Address: uint64(address), Size: bytes}
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
	b := p.blocks.InUse[uint64(address)]
	if b == nil {
		return false
	}
	p.blocks.Release(b)
	if p.blocks.Unused > p.keep {
		p.excess.Store(true)
	}
	return true
}

// trimExcess gives unused chunks back to the driver if there are too many.
func (p *pool) trimExcess() error {
	if !p.excess.Load() {
		return nil
	}
	p.calls.Lock()
	defer p.calls.Unlock()
	_, err := p.trim(p.keep)
	return err
}

// trim gives unused chunks back until no more than keep bytes are unused, and
// says whether there were any. p.calls is held.
func (p *pool) trim(keep uint64) (some bool, err error) {
	p.excess.Store(false)
	for {
		b := p.takeUnused(keep)
		if b == nil {
			return some, nil
		}
		address := device.Address(b.Address)
		if err := p.source.giveBack(address); err != nil {
			p.mutex.Lock()
			p.chunks[address] = b
			p.blocks.Put(b)
			p.mutex.Unlock()
			return some, err
		}
		p.notify(false, address, b.Size)
		some = true
	}
}

// takeUnused takes an unused chunk out of the pool, nil if no more than keep bytes
// are unused.
func (p *pool) takeUnused(keep uint64) *blocks.Block {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.blocks.Unused <= keep {
		return nil
	}
	for address, b := range p.chunks {
		if b.Free && b.Above == nil {
			p.blocks.Remove(b)
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
	return p.blocks.Free
}

// close gives all chunks back, whatever is in use.
func (p *pool) close() error {
	p.calls.Lock()
	defer p.calls.Unlock()
	p.mutex.Lock()
	chunks := p.chunks
	p.chunks, p.blocks.InUse = map[device.Address]*blocks.Block{}, map[uint64]*blocks.Block{}
	p.mutex.Unlock()
	var first error
	for address, b := range chunks {
		bytes := uint64(0)
		for ; b != nil; b = b.Above {
			bytes += b.Size
		}
		if err := p.source.giveBack(address); err != nil && first == nil {
			first = err
		}
		p.notify(false, address, bytes)
	}
	return first
}
