package sim

import (
	"fmt"
	"math/bits"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/device"
)

const (
	alignment = 256
	// guard is the least number of bytes between two blocks.
	guard = 64
	// commitStep is how much of the arena becomes accessible at a time.
	commitStep = 4 << 20

	// Both patterns make NaN of a float or a double, and a large number of an
	// integer.
	freshPattern = 0x7ff7a5a57ff7a5a5
	freedPattern = 0x7ff7deaf7ff7deaf

	// A free block is in the bin of its size: classes powers of two, each
	// divided evenly into divisions.
	divisionBits = 3
	divisions    = 1 << divisionBits
	classes      = 64
)

// arena is a device's memory: an address range that holds nothing else, so that
// a stray access to it can be told from one to host memory. It is reserved whole
// and becomes accessible from the start as far as blocks reach.
//
// Free blocks are kept in bins by size; allocating takes one from the smallest
// bin that fits and freeing joins neighbours, both in constant time.
type arena struct {
	mutex     sync.Mutex
	memory    uint64 // what may be allocated
	used      uint64 // what is, rounded up to the alignment
	limit     uint64 // injected fault: no more than this; 0: none
	poison    bool
	reserved  uint64  // bytes of address space
	base      uintptr // its start
	closed    bool
	fills     sync.WaitGroup // poison being written, outside mutex; none begins when closed
	committed uint64         // bytes accessible from base

	blocks   map[uint64]*block // in use, by offset
	occupied uint64            // bit per class: some division has a block
	division [classes]uint8    // bit per division
	bins     [classes][divisions]*block
	spare    *block // block structs for reuse, linked by next
}

// block is a part of the arena, free or in use.
type block struct {
	offset, size uint64 // multiples of the alignment
	asked        uint64 // bytes in use, 0 if free
	free         bool
	below, above *block // neighbours by address
	prior, next  *block // in the bin
}

// newArena reserves the address space. Guards and alignment cost address space
// only, so twice the memory holds any mix of blocks that fits.
func newArena(memory, limit uint64, poison bool) (*arena, error) {
	reserved := 2*memory + commitStep
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(reserved), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %s of address space: %w", formatBytes(reserved), err)
	}
	a := &arena{memory: memory, limit: limit, poison: poison, reserved: reserved, base: uintptr(base), blocks: map[uint64]*block{}}
	a.put(&block{size: reserved &^ (alignment - 1)})
	return a, nil
}

func (a *arena) close() error {
	a.mutex.Lock()
	if a.closed {
		a.mutex.Unlock()
		return nil
	}
	a.closed = true
	a.mutex.Unlock()
	a.fills.Wait()
	return unix.MunmapPtr(a.pointer(0), uintptr(a.reserved))
}

func (a *arena) pointer(offset uint64) unsafe.Pointer {
	// Not a Go pointer: memory that mmap gave.
	return unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&a.base)), offset)
}

func (a *arena) bytes(offset, size uint64) []byte {
	return unsafe.Slice((*byte)(a.pointer(offset)), size)
}

// contains says whether [address, address+size) lies inside the arena.
func (a *arena) contains(address device.Address, size uint64) bool {
	offset := uint64(address) - uint64(a.base)
	return offset < a.reserved && size <= a.reserved-offset
}

func (a *arena) freeMemory() uint64 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.memory - a.used
}

func roundUp(n uint64) uint64 { return (n + alignment - 1) &^ (alignment - 1) }

func (a *arena) alloc(asked uint64) (device.Address, error) {
	asked = max(asked, 1)
	b, err := a.allocBlock(asked)
	if err != nil {
		return 0, err
	}
	if a.poison {
		fill(a.bytes(b.offset, asked), &freshBytes)
		a.fills.Done()
	}
	return device.Address(uint64(a.base) + b.offset), nil
}

func (a *arena) allocBlock(asked uint64) (*block, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.closed {
		return nil, device.Errorf(device.DeviceShutdown, 0, "allocate %d bytes: the sim device is shut down", asked)
	}
	charge := roundUp(asked)
	if asked > a.memory || charge > a.memory-a.used {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free; free some, or set ACCSCOPE_SIM_MEMORY higher",
			asked, a.memory-a.used, a.memory)
	}
	if a.limit != 0 && a.used+charge > a.limit {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but ACCSCOPE_SIM_FAULT allows no more than %d",
			asked, a.memory-a.used, a.memory, a.limit)
	}
	b := a.take(roundUp(asked + guard))
	if b == nil {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but not in one piece; free some, or set ACCSCOPE_SIM_MEMORY higher",
			asked, a.memory-a.used, a.memory)
	}
	if err := a.commit(b.offset + b.size); err != nil {
		a.put(b)
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but the system gives no memory for them: %v",
			asked, a.memory-a.used, a.memory, err)
	}
	b.asked = asked
	a.blocks[b.offset] = b
	a.used += charge
	if a.poison {
		a.fills.Add(1)
	}
	return b, nil
}

func (a *arena) free(address device.Address) error {
	a.mutex.Lock()
	if a.closed {
		a.mutex.Unlock()
		return device.Errorf(device.DeviceShutdown, 0, "free device memory at %#x: the sim device is shut down", address)
	}
	offset := uint64(address) - uint64(a.base)
	b := a.blocks[offset]
	if b == nil {
		err := a.unknown(address, offset)
		a.mutex.Unlock()
		return err
	}
	delete(a.blocks, offset)
	if a.poison {
		// Nobody else knows of the block now, and it may be large.
		a.fills.Add(1)
		a.mutex.Unlock()
		fill(a.bytes(offset, b.asked), &freedBytes)
		a.fills.Done()
		a.mutex.Lock()
	}
	a.used -= roundUp(b.asked)
	b.asked = 0
	a.put(b)
	a.mutex.Unlock()
	return nil
}

// unknown explains why address cannot be freed.
func (a *arena) unknown(address device.Address, offset uint64) error {
	if offset < a.reserved {
		for start, b := range a.blocks {
			if offset > start && offset-start < b.asked {
				return device.Errorf(device.InvalidArgument, 0, "free device memory at %#x: this is %d bytes into the block of %d bytes at %#x; pass the start of the block",
					address, offset-start, b.asked, uint64(a.base)+start)
			}
		}
		return device.Errorf(device.InvalidArgument, 0, "free device memory at %#x: nothing is allocated there; it was freed already, or never allocated", address)
	}
	return device.Errorf(device.InvalidArgument, 0, "free device memory at %#x: not an address of this device", address)
}

// commit makes the first size bytes of the arena accessible.
func (a *arena) commit(size uint64) error {
	if size <= a.committed {
		return nil
	}
	size = min((size+commitStep-1)/commitStep*commitStep, a.reserved)
	if err := unix.Mprotect(a.bytes(a.committed, size-a.committed), unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	a.committed = size
	return nil
}

// bin is the bin of blocks of this size.
func bin(size uint64) (class, division int) {
	units := size / alignment
	class = bits.Len64(units) - 1
	if class >= divisionBits {
		return class, int(units>>(class-divisionBits)) & (divisions - 1)
	}
	return class, int(units<<(divisionBits-class)) & (divisions - 1)
}

// take finds a free block of at least size bytes and cuts it to size; nil if
// there is none.
func (a *arena) take(size uint64) *block {
	class, division := bin(size)
	b := a.bins[class][division]
	for b != nil && b.size < size { // in its own bin a block may be too small
		b = b.next
	}
	if b == nil {
		larger := a.division[class] >> (division + 1) << (division + 1)
		if larger == 0 {
			above := a.occupied >> (class + 1) << (class + 1)
			if above == 0 {
				return nil
			}
			class = bits.TrailingZeros64(above)
			larger = a.division[class]
		}
		b = a.bins[class][bits.TrailingZeros8(larger)]
	}
	a.unlink(b)
	if b.size > size {
		rest := a.spare
		if rest != nil {
			a.spare = rest.next
		} else {
			rest = new(block)
		}
		*rest = block{offset: b.offset + size, size: b.size - size, below: b, above: b.above}
		if rest.above != nil {
			rest.above.below = rest
		}
		b.above, b.size = rest, size
		a.link(rest)
	}
	return b
}

// put joins a block with its free neighbours and puts the result into its bin.
func (a *arena) put(b *block) {
	if above := b.above; above != nil && above.free {
		a.unlink(above)
		b.size += above.size
		a.remove(above)
	}
	if below := b.below; below != nil && below.free {
		a.unlink(below)
		below.size += b.size
		a.remove(b)
		b = below
	}
	a.link(b)
}

// remove takes a block out of the address order.
func (a *arena) remove(b *block) {
	if b.above != nil {
		b.above.below = b.below
	}
	b.below.above = b.above
	*b = block{next: a.spare}
	a.spare = b
}

func (a *arena) link(b *block) {
	class, division := bin(b.size)
	head := &a.bins[class][division]
	b.free, b.prior, b.next = true, nil, *head
	if *head != nil {
		(*head).prior = b
	}
	*head = b
	a.division[class] |= 1 << division
	a.occupied |= 1 << class
}

func (a *arena) unlink(b *block) {
	class, division := bin(b.size)
	if b.prior != nil {
		b.prior.next = b.next
	} else {
		a.bins[class][division] = b.next
		if b.next == nil {
			a.division[class] &^= 1 << division
			if a.division[class] == 0 {
				a.occupied &^= 1 << class
			}
		}
	}
	if b.next != nil {
		b.next.prior = b.prior
	}
	b.free, b.prior, b.next = false, nil, nil
}

var freshBytes, freedBytes = repeated(freshPattern), repeated(freedPattern)

func repeated(pattern uint64) (page [4096]byte) {
	for i := range page {
		page[i] = byte(pattern >> (i % 8 * 8))
	}
	return page
}

func fill(memory []byte, page *[4096]byte) {
	for len(memory) > 0 {
		memory = memory[copy(memory, page[:]):]
	}
}
