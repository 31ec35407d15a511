package openacc

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// smallCopy is the size, in bytes, of the largest variable whose copy goes together with
// others of its directive: scalars, pointers and array descriptors, but no arrays that
// a reader of the events would look for.
const smallCopy = 256

// smallStructure is the size, in bytes, of the largest structure whose members lie among
// small variables.
const smallStructure = 4 << 10

// blockAlignment is that of device memory for a variable; small ones have their own.
const blockAlignment = 256

// An allocation is a piece of device memory for the blocks that a directive makes
// together. It is freed with the last of them.
type allocation struct {
	address  device.Address
	size     uintptr
	several  bool         // it has room for more than one block
	leading  uintptr      // bytes at its beginning for the construct's argument block, 0: none
	blocks   atomic.Int32 // in use
	reported bool         // its alloc event was raised
}

// one is m if the allocation is for that mapping alone, else nil.
func (a *allocation) one(m *dataenv.Mapping) *dataenv.Mapping {
	if a.several {
		return nil
	}
	return m
}

// A reservation is room in an allocation for what an item will create.
type reservation struct {
	host, size uintptr
	alignment  uintptr
	order      int // by what is copied, so that what goes together lies together
	offset     uintptr
	room       uintptr // up to the next one, padding included
}

// reserve takes device memory in one piece for all that items will create on entry to
// a construct: it lives as long as the construct, as a rule. Of what lives on behind an
// enter data directive only small variables lie together, since each of them may go by
// itself. Where the device has no such piece, or one variable needs it, each takes its
// own. The argument block of a launch that carries values lies before small variables
// that are copied in, to go with them. d.mu is held.
func (p *mapper) reserve(items []goacc.Item) {
	s := p.t.scratch
	s.reserved = s.reserved[:0]
	p.together = nil
	if p.d.watching {
		return
	}
	members := 0
	for i := range items {
		item := &items[i]
		if members > 0 {
			members--
			continue
		}
		made := reservation{host: item.Host, size: item.Size, alignment: 1 << item.Alignment}
		switch {
		case item.Action == goacc.ActionStruct:
			of := items[i+1 : i+1+item.Members]
			members = item.Members
			if !slices.ContainsFunc(of, func(member goacc.Item) bool { return p.makes(items, &member) }) {
				continue
			}
			made.host, made.size = extent(of)
			made.alignment = blockAlignment
		case !p.makes(items, item):
			continue
		}
		if !p.structured && made.size > smallCopy {
			continue
		}
		if _, presence := p.d.table.Find(made.host, made.size); made.size == 0 || presence != dataenv.Absent ||
			slices.ContainsFunc(s.reserved, func(r reservation) bool { return made.host < r.host+r.size && r.host < made.host+made.size }) {
			continue
		}
		made.order = copyOrder(item, made.size)
		if made.size > smallCopy {
			made.alignment = blockAlignment
		}
		s.reserved = append(s.reserved, made)
	}
	slices.SortStableFunc(s.reserved, func(a, b reservation) int { return cmp.Compare(a.order, b.order) })
	leading := p.leading(items)
	if len(s.reserved) < 2 && leading == 0 {
		s.reserved = s.reserved[:0]
		return
	}
	size := leading
	for i := range s.reserved {
		r := &s.reserved[i]
		r.offset = (size + r.alignment - 1) &^ (r.alignment - 1)
		size = r.offset + r.size
		if r.room = r.size; i > 0 {
			s.reserved[i-1].room = r.offset - s.reserved[i-1].offset
		}
	}
	address, err := p.d.alloc(p.queue, size)
	if err != nil {
		s.reserved = s.reserved[:0]
		return
	}
	p.together = &allocation{address: address, size: size, several: len(s.reserved) > 1, leading: leading}
}

// mostLeading is the size, in bytes, of the largest argument block that goes with variables.
const mostLeading = 1 << 10

// leading is how much room the argument block takes before the places, in their order, with
// what may turn out to be mapped; 0 where none of them is copied in, or no value may go, or
// values that are the same from launch to launch are on the device already.
func (p *mapper) leading(items []goacc.Item) uintptr {
	s := p.t.scratch
	if !s.varies || len(s.reserved) == 0 || s.reserved[0].order > lastCopiedIn {
		return 0
	}
	bytes, carries := s.block.Bytes(), false
	for i := range items {
		if item := &items[i]; item.Value && !item.Inside {
			bytes = arguments.After(bytes, int(item.Size), max(item.Alignment, 3)) // as pointers are
			carries = carries || item.Action == goacc.ActionMap
		}
	}
	if !carries || bytes > mostLeading {
		return 0
	}
	return uintptr(bytes)
}

// lastCopiedIn is the last of copyOrder that is copied in, of small variables.
const lastCopiedIn = 1

// copyOrder puts small variables first: those that are copied in, then those that are
// copied both ways, then those that are copied out. Members of a structure are among them:
// most are pointers and descriptors.
func copyOrder(item *goacc.Item, size uintptr) int {
	in := item.Copyin || item.Action == goacc.ActionPointer
	switch {
	case size > smallCopy && (item.Action != goacc.ActionStruct || size > smallStructure):
		return 4
	case item.Action == goacc.ActionStruct || in && item.Copyout:
		return 1
	case in:
		return 0
	case item.Copyout:
		return 2
	}
	return 3
}

// reserved is the block that was reserved for what an item creates, nil if none was.
func (p *mapper) reserved(host, size uintptr) *block {
	if p.together == nil {
		return nil
	}
	for _, r := range p.t.scratch.reserved {
		if r.host == host && r.size == size {
			p.together.blocks.Add(1)
			b := p.t.newBlock(p.together, p.together.address+device.Address(r.offset), host, size)
			b.room = r.room
			return b
		}
	}
	return nil
}

// giveBack frees what was reserved if nothing was created in it.
func (p *mapper) giveBack() {
	if p.together != nil && p.together.blocks.Load() == 0 {
		p.d.keep(p.d.driver.Free(p.together.address))
	}
}

// extent is the host memory from the first member of a structure that needs any to the
// last.
func extent(members []goacc.Item) (host, size uintptr) {
	low, high := ^uintptr(0), uintptr(0)
	for i := range members {
		if m := &members[i]; m.Action != goacc.ActionNone && m.Action != goacc.ActionAttach {
			low, high = min(low, m.Host), max(high, m.Host+m.Size)
		}
	}
	if high == 0 {
		return 0, 0
	}
	// The device addresses keep the alignment of the host's.
	low &^= blockAlignment - 1
	return low, high - low
}
