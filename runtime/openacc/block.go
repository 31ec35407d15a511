package openacc

import (
	"slices"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// A block is a piece of device memory with the mappings in it: one, or several
// when they are members of one structure and have to keep their distances.
type block struct {
	address  device.Address
	size     uintptr
	room     uintptr // size with the padding behind it, which is nobody's; 0: there is none
	host     uintptr // host address that address stands for
	members  atomic.Int32
	memory   *allocation // that it lies in; nil: not the runtime's to free
	own      allocation  // memory, if nothing else lies in it
	identity bool        // a global that kernels reach by its host address
	scope    bool        // made by a declare directive in a block scope
	null     bool        // a descriptor or pointer copied while it was null

	// pending is set until the first upload is under way, for other threads
	// that find the mapping before. creator is the identity of the thread, 0 for
	// none, and call identifies the construct that made it.
	pending atomic.Bool
	creator uint64
	call    uint64
	origin  origin

	// arrival is the asynchronous queue that the first upload is on, nil if the
	// upload was waited for, and number that queue's count then. Valid once
	// pending is false.
	arrival *Queue
	number  uint64

	// targets are the device addresses that attached pointers hold, by the
	// pointer's host address.
	targets map[uintptr]device.Address

	// cells is how many of the dynamic references come from directives that name data
	// behind a pointer which lies here, by the pointer's host address.
	cells map[uintptr]int

	// users are the queues of constructs that have ended, for this block, while
	// their kernels may still run, and those of other devices that copy into it: its
	// memory must outlive those. Guarded by Device.mu.
	users []*Queue

	first dataenv.Mapping // the mapping that most blocks have only one of
}

// A copyBack is a range that a host thread copies back for a mapping that is no
// longer in the table; a new mapping of it has to wait.
type copyBack struct {
	host, size uintptr
	thread     *lifetimes
	pending    atomic.Bool
}

// undo is what the end of a region does for one variable.
type undo struct {
	mapping *dataenv.Mapping
	host    uintptr
	size    uintptr
	copyout bool
	frame   bool    // hidden frame: may hold variables the region does not own
	attach  bool    // a pointer: detach it
	extent  uintptr // goacc.Item.Extent
}

// A transfer is one upload or download to come.
type transfer struct {
	host    uintptr
	device  device.Address
	size    uintptr
	staged  []byte // the bytes to upload, where they are not those at host
	mapping *dataenv.Mapping
	number  int // among those of the directive (groups)
}

// A fill is device memory to be zeroed.
type fill struct {
	device device.Address
	size   uintptr
}

// covers says whether host memory has its place in b; nothing has in a null one.
func (b *block) covers(host, size uintptr) bool {
	return b != nil && host >= b.host && host+size <= b.host+b.size
}

// countCell notes that a directive counts a mapping in b by the pointer at host.
func (b *block) countCell(host uintptr) {
	if b.cells == nil {
		b.cells = map[uintptr]int{}
	}
	b.cells[host]++
}

// usedBy notes a construct whose work on b is on q.
func (b *block) usedBy(q *Queue) {
	if !slices.Contains(b.users, q) {
		b.users = append(b.users, q)
	}
}

func blockOf(m *dataenv.Mapping) *block { return m.Block.(*block) }

// live is the number of references that keep a mapping.
func live(m *dataenv.Mapping) bool { return m.Infinite || m.Structured > 0 || m.Dynamic > 0 }

// markReady lets other threads use the mappings that were made in this call.
func (s *scratch) markReady(d *Device, q *Queue) {
	for _, m := range s.created {
		b := blockOf(m)
		if q != nil && !q.synchronous() {
			b.arrival, b.number = q, q.enqueued.Load()
		}
		b.pending.Store(false)
	}
	d.ready.announce()
	clear(s.created)
	s.created = s.created[:0]
}

// allocate takes device memory for size bytes, for a construct on q or nil. d.mu is held.
func (t *lifetimes) allocate(d *Device, q *Queue, host, size uintptr) (*block, *device.Error) {
	address, err := d.alloc(q, size)
	if err != nil {
		return nil, t.outOfMemory(host, size, err)
	}
	b := t.newBlock(nil, address, host, size)
	b.memory = &b.own
	b.own.address, b.own.size = address, size
	b.own.blocks.Store(1)
	return b, nil
}

// newBlock is a block that memory counts already.
func (t *lifetimes) newBlock(memory *allocation, address device.Address, host, size uintptr) *block {
	b := &block{address: address, size: size, host: host, memory: memory, creator: t.identity, call: t.entered, origin: t.origin()}
	b.pending.Store(true)
	return b
}

// drop takes a mapping out of b, and gives the memory that nothing uses any more, nil
// where something does.
func (b *block) drop() *allocation {
	if b.memory == nil || b.members.Add(-1) != 0 || b.memory.blocks.Add(-1) != 0 {
		return nil
	}
	return b.memory
}

// insert makes a mapping of [host, host+size) in b. d.mu is held.
func (t *lifetimes) insert(d *Device, b *block, host, size uintptr) (*dataenv.Mapping, *device.Error) {
	m := &b.first
	if b.members.Load() > 0 {
		m = new(dataenv.Mapping)
	}
	*m = dataenv.Mapping{
		Host: host, Size: size, Device: b.address + device.Address(host-b.host),
		Block: b, Created: monotonic(),
	}
	if err := d.table.Insert(m); err != nil {
		return nil, t.errorf(device.System, "%v", err)
	}
	d.checkMapping(m, true)
	t.learn(m)
	b.members.Add(1)
	if len(d.links) > 0 {
		t.storeLinks(d, m)
	}
	for _, l := range d.copyBacks {
		if l.thread != t && host < l.host+l.size && l.host < host+size {
			t.scratch.copyBacks = append(t.scratch.copyBacks, l)
		}
	}
	t.scratch.created = append(t.scratch.created, m)
	return m, nil
}

// found notes that t uses a mapping that another thread made, and whose first
// upload may not have been made.
func (t *lifetimes) found(m *dataenv.Mapping) {
	if b := blockOf(m); b.creator != t.identity && b.creator != 0 {
		t.scratch.pending = append(t.scratch.pending, b)
	}
}

// remove takes a mapping without references out of the table. d.mu is held.
func (t *lifetimes) remove(d *Device, m *dataenv.Mapping) {
	d.table.Remove(m)
	d.depart(m, t.origin())
	if d.rt.activity.Wanted() {
		d.rt.usage.over(m)
	}
	t.scratch.removed = append(t.scratch.removed, m)
}
