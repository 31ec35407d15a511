package sim

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/blocks"
)

const (
	// guard is the least number of bytes between two blocks.
	guard = 64
	// leastGap is that where blocks are to be apart.
	leastGap = 4096
	// commitStep is how much of the arena becomes accessible at a time.
	commitStep = 4 << 20

	// Both patterns make NaN of a float or a double, and a large number of an
	// integer.
	freshPattern = 0x7ff7a5a57ff7a5a5
	freedPattern = 0x7ff7deaf7ff7deaf
)

// arena is a device's memory: an address range that holds nothing else, so that
// a stray access to it can be told from one to host memory. It is reserved whole
// and becomes accessible from the start as far as blocks reach.
type arena struct {
	mutex     sync.Mutex
	memory    uint64 // what may be allocated
	used      uint64 // what is, rounded up to the alignment
	limit     uint64 // injected fault: no more than this; 0: none
	poison    bool
	apart     bool    // blocks have gaps as large as they are, so that who leaves one meets no other
	reserved  uint64  // bytes of address space
	base      uintptr // its start
	closed    bool
	fills     sync.WaitGroup // poison being written, outside mutex; none begins when closed
	committed uint64         // bytes accessible from base

	blocks blocks.Set // their addresses count from base
}

// newArena reserves the address space. Guards and alignment cost address space
// only, so twice the memory holds any mix of blocks that fits, and four times where they are
// to be apart.
func newArena(memory, limit uint64, poison, apart bool) (*arena, error) {
	reserved := 2*memory + commitStep
	if apart {
		reserved *= 2
	}
	base, err := unix.MmapPtr(-1, 0, nil, uintptr(reserved), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("reserve %s of address space: %w", formatBytes(reserved), err)
	}
	a := &arena{memory: memory, limit: limit, poison: poison, apart: apart, reserved: reserved, base: uintptr(base), blocks: blocks.Set{InUse: map[uint64]*blocks.Block{}}}
	a.blocks.Put(&blocks.Block{Size: reserved &^ (blocks.Alignment - 1)})
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

// at is where an address is in the host's memory.
func (a *arena) at(address device.Address) unsafe.Pointer {
	return a.pointer(uint64(address) - uint64(a.base))
}

func (a *arena) bytes(offset, size uint64) []byte {
	return unsafe.Slice((*byte)(a.pointer(offset)), size)
}

// sizeOf is how many bytes were asked for at an address, 0 where nothing is allocated.
func (a *arena) sizeOf(address device.Address) uint64 {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if b := a.blocks.InUse[uint64(address)-uint64(a.base)]; b != nil {
		return b.Asked
	}
	return 0
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

func (a *arena) alloc(asked uint64) (device.Address, error) {
	asked = max(asked, 1)
	b, err := a.allocBlock(asked)
	if err != nil {
		return 0, err
	}
	if a.poison {
		fill(a.bytes(b.Address, asked), &freshBytes)
		a.fills.Done()
	}
	return device.Address(uint64(a.base) + b.Address), nil
}

func (a *arena) allocBlock(asked uint64) (*blocks.Block, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.closed {
		return nil, device.Errorf(device.DeviceShutdown, 0, "allocate %d bytes: the sim device is shut down", asked)
	}
	charge := blocks.RoundUp(asked)
	if asked > a.memory || charge > a.memory-a.used {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free; free some, or set ACCSCOPE_SIM_MEMORY higher",
			asked, a.memory-a.used, a.memory)
	}
	if a.limit != 0 && a.used+charge > a.limit {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but ACCSCOPE_SIM_FAULT allows no more than %d",
			asked, a.memory-a.used, a.memory, a.limit)
	}
	size := blocks.RoundUp(asked + a.gap(asked))
	b := a.blocks.Find(size)
	if b == nil {
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but not in one piece; free some, or set ACCSCOPE_SIM_MEMORY higher",
			asked, a.memory-a.used, a.memory)
	}
	a.blocks.Use(b, size)
	if err := a.commit(b.Address + size); err != nil {
		a.blocks.Release(b)
		return nil, device.Errorf(device.OutOfMemory, 0, "out of device memory: %d bytes asked for, %d of %d free, but the system gives no memory for them: %v",
			asked, a.memory-a.used, a.memory, err)
	}
	b.Asked = asked
	a.used += charge
	if a.poison {
		a.fills.Add(1)
	}
	return b, nil
}

// gap is how many bytes at least are nobody's behind a block.
func (a *arena) gap(asked uint64) uint64 {
	if a.apart {
		return max(asked, leastGap)
	}
	return guard
}

func (a *arena) free(address device.Address) error {
	a.mutex.Lock()
	if a.closed {
		a.mutex.Unlock()
		return device.Errorf(device.DeviceShutdown, 0, "free device memory at %#x: the sim device is shut down", address)
	}
	offset := uint64(address) - uint64(a.base)
	b := a.blocks.InUse[offset]
	if b == nil {
		err := a.unknown(address, offset)
		a.mutex.Unlock()
		return err
	}
	delete(a.blocks.InUse, offset)
	if a.poison {
		// Nobody else knows of the block now, and it may be large.
		a.fills.Add(1)
		a.mutex.Unlock()
		fill(a.bytes(offset, b.Asked), &freedBytes)
		a.fills.Done()
		a.mutex.Lock()
	}
	a.used -= blocks.RoundUp(b.Asked)
	a.blocks.Release(b)
	a.mutex.Unlock()
	return nil
}

// unknown explains why address cannot be freed.
func (a *arena) unknown(address device.Address, offset uint64) error {
	if offset < a.reserved {
		for start, b := range a.blocks.InUse {
			if offset > start && offset-start < b.Asked {
				return device.Errorf(device.InvalidArgument, 0, "free device memory at %#x: this is %d bytes into the block of %d bytes at %#x; pass the start of the block",
					address, offset-start, b.Asked, uint64(a.base)+start)
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
