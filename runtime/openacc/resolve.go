package openacc

import (
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A use is what becomes of an item of a directive, as the present table is.
type use struct {
	how
	mapping *dataenv.Mapping // that the item lies in; of a pointer of a present clause that is carried, what it points to
	address device.Address   // that the kernel gets; of a pointer that is carried, what it holds
}

type how uint8

const (
	leaves  how = iota // nothing: it is left out, the kernel gets the host's address
	holds              // a mapping counts it
	carries            // it travels with the kernel's arguments
	makes              // something else on the device has to change
)

// resolve finds what becomes of an item, behind those before it, and notes whether it is a
// value. Nothing on the device changes. d.mu is held.
func (p *mapper) resolve(items []goacc.Item, i int) use {
	item := &items[i]
	u := p.look(items, i)
	item.Value = u.how == carries
	return u
}

func (p *mapper) look(items []goacc.Item, i int) use {
	item := &items[i]
	switch item.Action {
	case goacc.ActionNone:
		return use{address: device.Address(item.Host)}
	case goacc.ActionMap, goacc.ActionPresent, goacc.ActionIfPresent:
	case goacc.ActionDescriptor, goacc.ActionPointer:
		if p.isUnwanted(items, item) {
			return use{address: device.Address(item.Host)}
		}
		if item.Link = item.Link && items[i-2].Value; item.Link {
			return use{how: carries}
		}
	default:
		return use{how: makes}
	}
	m, presence := p.d.table.Find(item.Host, item.Size)
	switch {
	case presence == dataenv.Present && p.stays(items, i, m):
		return use{how: holds, mapping: m, address: m.DeviceOf(item.Host)}
	case presence == dataenv.Absent && item.Value && !item.Cell:
		return p.carried(items, i)
	}
	return use{how: makes}
}

// stays says whether what the device has of an item, in m, stays as it is.
func (p *mapper) stays(items []goacc.Item, i int, m *dataenv.Mapping) bool {
	item := &items[i]
	switch b := blockOf(m); item.Action {
	case goacc.ActionMap: // not what is left over from an earlier call of the function
		return !p.declared || !b.scope
	case goacc.ActionDescriptor:
		return !p.copiesAgain(items, item, m)
	case goacc.ActionPointer:
		_, ok := p.pointee(items, i)
		return ok
	}
	return true
}

// carried is what becomes of an absent item that may travel with the kernel's arguments.
func (p *mapper) carried(items []goacc.Item, i int) use {
	item := &items[i]
	u := use{how: carries}
	ok := true
	switch item.Action {
	case goacc.ActionMap: // a checked device is to see the changes of what may be an array
		ok = p.d.checking == nil || item.Size <= 8
	case goacc.ActionPresent:
		u.address, u.mapping = p.target(item)
		ok = u.mapping != nil
	case goacc.ActionDescriptor: // what is on the device points to memory of its own
		ok = i+2 >= len(items) || !items[i+2].Link || p.absent(&items[i+2])
	case goacc.ActionPointer:
		u.address, ok = p.pointee(items, i)
	}
	if !ok {
		return use{how: makes}
	}
	return u
}

// take has the construct use what resolve has found, and gives the address that the kernel
// gets where nothing is carried. d.mu is held.
func (p *mapper) take(items []goacc.Item, i int, u *use) device.Address {
	item, s := &items[i], p.t.scratch
	switch u.how {
	case leaves:
		item.Action = goacc.ActionNone
	case holds:
		if item.Action == goacc.ActionPointer {
			p.holdPointer(items, i, u.mapping)
		} else {
			p.count(u.mapping, item)
		}
	case carries:
		switch {
		case item.Action == goacc.ActionMap:
			p.value(item)
		case item.Action == goacc.ActionPresent:
			p.t.found(u.mapping)
			s.block.AddPointer(item.Entry, u.address)
		case item.Action == goacc.ActionDescriptor:
			copy(s.block.AddDescriptor(item.Entry, int(item.Size), item.Alignment), bytesAt(item.Host, item.Size))
		case item.Link:
			s.block.AddLink(item.Entry)
		case item.Inside:
			s.block.AddInside(item.Entry, int(item.Host-items[i-1].Host), u.address)
		default:
			s.block.AddPointer(item.Entry, u.address)
		}
	}
	return u.address
}

// give has the kernel get the address of what an item comes to.
func (p *mapper) give(item *goacc.Item, address device.Address) {
	if p.queue != nil && !item.Value {
		p.t.scratch.block.SetAddress(item.Entry, address)
	}
}

// resolveAll resolves the items of a construct on q, and says whether it is steady: each is
// on the device, is there to be used and stays there, or travels with the launch as a value
// that is known now. d.mu is held.
func (p *mapper) resolveAll(items []goacc.Item, q *Queue) bool {
	s := p.t.scratch
	s.uses = s.uses[:0]
	marked := p.queue == nil
	for i := range items {
		u := p.resolve(items, i)
		if u.how == makes && !marked {
			if !p.t.prober.readable(items, p.t.place.StackPointer) {
				return false
			}
			goacc.MarkValues(items, word)
			for j := range i {
				items[j].Value = false // it is on the device
			}
			marked, u = true, p.resolve(items, i)
		}
		if u.how == makes {
			return false
		}
		s.uses = append(s.uses, u)
	}
	return p.areReady(items, s.uses, q) && (p.queue == nil || !marked || !p.suspects(items))
}

// areReady says whether what items use can be used on q at once: without waiting for other
// threads, and for what an operation has still to write on the host.
func (p *mapper) areReady(items []goacc.Item, uses []use, q *Queue) bool {
	for i := range uses {
		u := &uses[i]
		if u.mapping != nil && !(live(u.mapping) && blockOf(u.mapping).isReady(p.t, q)) ||
			u.how == carries && p.d.willWrite(items[i].Host, items[i].Size) {
			return false
		}
	}
	return true
}

// takeAll takes what resolveAll has found.
func (p *mapper) takeAll(items []goacc.Item) {
	uses := p.t.scratch.uses
	for i := range uses {
		p.give(&items[i], p.take(items, i, &uses[i]))
	}
}

// suspects says whether one of the values may be a host's pointer that is to be warned of.
func (p *mapper) suspects(items []goacc.Item) bool {
	s := p.t.scratch
	if p.d.hostCoded != nil {
		p.suspectHostPointers(items)
	}
	found := len(s.suspects) > 0
	s.suspects = s.suspects[:0]
	return found
}

// isReady says whether t can use b on q without waiting for other threads.
func (b *block) isReady(t *lifetimes, q *Queue) bool {
	if b.creator == t.identity || b.creator == 0 {
		return true
	}
	return !b.pending.Load() && (b.arrival == nil || b.arrival == q || b.arrival.finished.Load() >= b.number)
}
