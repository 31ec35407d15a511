package openacc

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// smallCopy is the size, in bytes, of the largest variable whose copy goes together with
// others of its directive: scalars, pointers and array descriptors, but no arrays that
// a reader of the events would look for.
const smallCopy = 256

// blockAlignment is that of device memory for a variable; small ones have their own.
const blockAlignment = 256

// An allocation is a piece of device memory for the blocks that a directive makes
// together. It is freed with the last of them.
type allocation struct {
	address  device.Address
	size     uintptr
	several  bool         // it has room for more than one block
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

// A place is room in an allocation for what an item will create.
type place struct {
	host, size uintptr
	alignment  uintptr
	order      int // by what is copied, so that what goes together lies together
	offset     uintptr
}

// reserve takes device memory in one piece for all that items will create on entry to
// a construct: it lives as long as the construct, as a rule. Of what lives on behind an
// enter data directive only small variables lie together, since each of them may go by
// itself. Where the device has no such piece, or one variable needs it, each takes its
// own. d.mu is held.
func (p *planner) reserve(items []goacc.Item) {
	s := p.t.scratch
	s.places = s.places[:0]
	p.together = nil
	members := 0
	for i := range items {
		item := &items[i]
		if members > 0 {
			members--
			continue
		}
		made := place{host: item.Host, size: item.Size, alignment: 1 << item.Alignment}
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
			slices.ContainsFunc(s.places, func(r place) bool { return made.host < r.host+r.size && r.host < made.host+made.size }) {
			continue
		}
		made.order = copyOrder(item, made.size)
		if made.size > smallCopy {
			made.alignment = blockAlignment
		}
		s.places = append(s.places, made)
	}
	if len(s.places) < 2 {
		s.places = s.places[:0]
		return
	}
	slices.SortStableFunc(s.places, func(a, b place) int { return cmp.Compare(a.order, b.order) })
	var size uintptr
	for i := range s.places {
		r := &s.places[i]
		r.offset = (size + r.alignment - 1) &^ (r.alignment - 1)
		size = r.offset + r.size
	}
	address, err := p.d.alloc(p.queue, size)
	if err != nil {
		s.places = s.places[:0]
		return
	}
	p.together = &allocation{address: address, size: size, several: true}
}

// copyOrder puts small variables first: those that are copied in, then those that are
// copied both ways, then those that are copied out.
func copyOrder(item *goacc.Item, size uintptr) int {
	in := item.Copyin || item.Action == goacc.ActionPointer
	switch {
	case size > smallCopy:
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
func (p *planner) reserved(host, size uintptr) *block {
	if p.together == nil {
		return nil
	}
	for _, r := range p.t.scratch.places {
		if r.host == host && r.size == size {
			p.together.blocks.Add(1)
			return p.t.newBlock(p.together, p.together.address+device.Address(r.offset), host, size)
		}
	}
	return nil
}

// giveBack frees what was reserved if nothing was created in it.
func (p *planner) giveBack() {
	if p.together != nil && p.together.blocks.Load() == 0 {
		// It was never used; a failure to return it shows elsewhere.
		_ = p.d.driver.Free(p.together.address)
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

// A group is small copies of one directive, between the host and a piece of device
// memory that it made, as one transfer.
type group struct {
	copies    []transfer
	low, high device.Address
	came      []byte // what was downloaded and is not in its places yet
}

// begin empties the group.
func (g *group) begin() *group {
	clear(g.copies)
	g.copies, g.came = g.copies[:0], nil
	return g
}

// land brings what came from the device to its places on the host.
func (g *group) land() {
	if g.came == nil {
		return
	}
	for i := range g.copies {
		u := &g.copies[i]
		copy(bytesAt(u.host, u.size), g.came[u.device-g.low:])
	}
	g.came = nil
}

// add takes a copy in if it can go with the others: beside them, or with between also if
// there is something between it and them, which is copied too.
func (g *group) add(u *transfer, between bool) bool {
	if u.mapping == nil {
		return false
	}
	b := blockOf(u.mapping)
	if b.size > smallCopy || b.memory == nil || !b.memory.several || len(g.copies) > 0 && blockOf(g.copies[0].mapping).memory != b.memory {
		return false
	}
	end := u.device + device.Address(u.size)
	if len(g.copies) == 0 {
		g.low, g.high = u.device, end
	}
	if !between && len(g.copies) > 0 && u.device != g.high && end != g.low {
		return false
	}
	g.low, g.high = min(g.low, u.device), max(g.high, end)
	g.copies = append(g.copies, *u)
	return true
}

// made says whether the mapping was made by the directive in progress, so that its memory
// and what lies beside it there hold nothing yet.
func (t *transfers) made(m *dataenv.Mapping) bool {
	return m != nil && blockOf(m).creator == t.identity && blockOf(m).call == t.entered
}

// bytes is the sum of the copies' sizes.
func (g *group) bytes() (sum uintptr) {
	for i := range g.copies {
		sum += g.copies[i].size
	}
	return sum
}
