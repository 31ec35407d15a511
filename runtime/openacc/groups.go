package openacc

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

const (
	// mostStaged is the size, in bytes, of the largest structure that is put together on
	// the host with the pointers that are attached in it.
	mostStaged = 64 << 10
	// mostBetween is how many bytes between two small copies may go with them.
	mostBetween = 1 << 10
)

// A group is copies of one directive, between the host and a piece of device memory, as
// one transfer.
type group struct {
	copies    []transfer // what begins first on the device comes first, and what lies inside behind
	low, high device.Address
}

// groups are the copies of one directive in one direction, gathered into as few transfers
// as the device memory between them allows.
type groups struct {
	copies []transfer // by where they lie on the device
	list   []group
	taken  []bool // by transfer.number
}

// begin empties g.
func (g *groups) begin() *groups {
	clear(g.copies)
	clear(g.list)
	g.copies, g.list = g.copies[:0], g.list[:0]
	return g
}

// gather makes groups of the copies for which movable is true, and leaves in the lists, in
// their order, what is in none. Two copies are of a group if they share device memory, or
// where beside says so of two that follow one another. A large one is in no group but that
// of what lies in it. One copy is a group where small variables lie together: whether there
// are more of them does not change the order.
func (g *groups) gather(movable func(*transfer) bool, beside func(before, behind *transfer) bool, lists ...*[]transfer) {
	sorted := true
	for _, list := range lists {
		for i := range *list {
			u := &(*list)[i]
			u.number = len(g.copies)
			sorted = sorted && (u.number == 0 || g.copies[u.number-1].end() <= u.device)
			g.copies = append(g.copies, *u)
		}
	}
	if !sorted { // they are, as a rule
		slices.SortStableFunc(g.copies, func(a, b transfer) int {
			return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(b.size, a.size))
		})
	}
	var last *group    // that what comes next may belong to
	var edge *transfer // of it, the one that ends last
	for i := 0; i < len(g.copies); {
		// What shares memory goes together or, in the order of the lists, not at all.
		first, outer := &g.copies[i], &g.copies[i]
		next, all, small := i, true, true
		for ; next < len(g.copies) && (next == i || g.copies[next].device < outer.end()); next++ {
			u := &g.copies[next]
			if u.end() > outer.end() {
				outer = u
			}
			all = all && u.mapping != nil && movable(u)
			small = small && u.size <= smallCopy
		}
		switch {
		case !all || !small && (next == i+1 || outer.end()-first.device > mostStaged):
			last = nil
		case small && last != nil && beside(edge, first):
			last.copies, last.high = g.copies[i-len(last.copies):next], outer.end()
			edge = outer
		default:
			g.list = append(g.list, group{copies: g.copies[i:next], low: first.device, high: outer.end()})
			if last, edge = &g.list[len(g.list)-1], outer; !small {
				last = nil
			}
		}
		i = next
	}
	g.list = slices.DeleteFunc(g.list, func(of group) bool { return len(of.copies) == 1 && !amongOthers(of.copies[0].mapping) })
	g.take(lists)
}

// take takes from the lists what is in a group.
func (g *groups) take(lists []*[]transfer) {
	switch {
	case len(g.list) == 0:
		return
	case len(g.list) == 1 && len(g.list[0].copies) == len(g.copies):
		for _, list := range lists {
			*list = (*list)[:0]
		}
		return
	}
	g.taken = append(g.taken[:0], make([]bool, len(g.copies))...)
	for i := range g.list {
		for j := range g.list[i].copies {
			g.taken[g.list[i].copies[j].number] = true
		}
	}
	for _, list := range lists {
		*list = slices.DeleteFunc(*list, func(u transfer) bool { return g.taken[u.number] })
	}
}

// outermost calls f for each copy that lies in no other, with the bytes that it adds.
func (g *group) outermost(f func(u *transfer, adds uintptr)) {
	reached := g.low
	for i := range g.copies {
		if u := &g.copies[i]; u.end() > reached {
			f(u, uintptr(u.end()-max(reached, u.device)))
			reached = u.end()
		}
	}
}

// whole is what an event tells of the group: the piece of the device, and as many bytes as
// are copied; of a group that is one variable with what lies in it, also which.
func (g *group) whole() (u transfer) {
	variables := 0
	g.outermost(func(of *transfer, adds uintptr) {
		variables++
		u.host, u.mapping = of.host, of.mapping
		u.size += adds
	})
	u.device = g.low
	if variables > 1 {
		u.host, u.mapping = 0, nil
	}
	return u
}

func (u *transfer) end() device.Address { return u.device + device.Address(u.size) }

// together says whether two mappings' memory was taken, and is freed, in one piece.
func together(a, b *dataenv.Mapping) bool {
	one, other := blockOf(a), blockOf(b)
	return one == other || one.memory != nil && one.memory == other.memory
}

// amongOthers says whether a mapping's memory has room for others.
func amongOthers(m *dataenv.Mapping) bool {
	memory := blockOf(m).memory
	return memory != nil && (memory.several || memory.leading > 0)
}

// near says whether both lie in one piece of device memory, with so little between them
// that it costs less to read that too than to begin a second transfer.
func near(before, behind *transfer) bool {
	return together(before.mapping, behind.mapping) && behind.device < before.end()+mostBetween
}

// besideOnDevice says whether what is uploaded to the memory between two copies does no harm:
// there is none, it is padding, or the directive in progress made it.
func (t *transfers) besideOnDevice(before, behind *transfer) bool {
	if !near(before, behind) {
		return false
	}
	b := blockOf(before.mapping)
	return behind.device == before.end() || t.made(before.mapping) && t.made(behind.mapping) ||
		before.end() == b.address+device.Address(b.size) && behind.device == b.address+device.Address(b.room)
}

// made says whether the mapping was made by the directive in progress, so that its memory
// and what lies beside it there hold nothing yet.
func (t *transfers) made(m *dataenv.Mapping) bool {
	return m != nil && blockOf(m).creator == t.identity && blockOf(m).call == t.entered
}
