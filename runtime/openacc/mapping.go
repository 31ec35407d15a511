package openacc

import (
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/loaded"
)

// A mapper begins or continues the data lifetimes of one directive's variables:
// it changes the present table and notes the transfers in the thread's scratch
// space. d.mu is held throughout.
type mapper struct {
	t          *lifetimes
	d          *Device
	structured bool      // which reference counter
	queue      *Queue    // of a compute construct
	declared   bool      // a declare directive in a block scope
	hosts      []uintptr // where host_data's results go

	last device.Address // of the last item

	together *allocation // for what it creates, nil for none

	group     *block // of the structure whose members come next
	remaining int    // members still to come
}

// mapVariables performs the entry actions of all items (OpenACC 3.3 §2.7.2). It
// reports false, with nothing changed, when the items' addresses are garbage.
func (p *mapper) mapVariables(items []goacc.Item) (bool, *device.Error) {
	t := p.t
	if p.queue != nil && p.mustRead(items) {
		if !t.prober.readable(items, t.place.StackPointer) {
			return false, nil
		}
		goacc.MarkValues(items, word)
	}
	if len(items) > 1 && !p.declared {
		p.reserve(items)
		defer p.giveBack()
	}
	for i := range items {
		address, failure := p.item(items, i)
		if failure != nil {
			return true, failure
		}
		p.last = address
		p.give(&items[i], address)
	}
	// Pointers come last: what they point to may follow them in the list.
	for i := range items {
		if items[i].Action == goacc.ActionAttach {
			p.attach(items, &items[i])
		}
	}
	if p.queue != nil && p.d.hostCoded != nil {
		p.suspectHostPointers(items)
	}
	return true, nil
}

// mustRead says whether items would make the runtime read the program's memory.
func (p *mapper) mustRead(items []goacc.Item) bool {
	for i := range items {
		if p.reads(&items[i]) {
			return true
		}
	}
	return false
}

func (p *mapper) reads(item *goacc.Item) bool {
	switch item.Action {
	case goacc.ActionPointer, goacc.ActionDevicePointer, goacc.ActionAttach, goacc.ActionDescriptor:
		return true
	case goacc.ActionMap:
		if !item.Copyin && !item.Copyout {
			return false
		}
		return p.absent(item)
	case goacc.ActionPresent:
		return item.Size == 8 && p.absent(item) // a pointer, perhaps
	}
	return false
}

func (p *mapper) absent(item *goacc.Item) bool {
	_, presence := p.d.table.Find(item.Host, item.Size)
	return presence == dataenv.Absent
}

func (p *mapper) item(items []goacc.Item, i int) (device.Address, *device.Error) {
	item := &items[i]
	if p.remaining > 0 {
		p.remaining--
	} else {
		p.group = nil
	}
	if u := p.resolve(items, i); u.how != makes {
		return p.take(items, i, &u), nil
	}
	switch item.Action {
	case goacc.ActionMap:
		return p.create(item)
	case goacc.ActionPresent:
		return p.present(item)
	case goacc.ActionIfPresent:
		p.suspectAbsent(item)
		return omit(item)
	case goacc.ActionDescriptor:
		return p.descriptor(item)
	case goacc.ActionPointer:
		return p.pointer(items, i)
	case goacc.ActionDevicePointer:
		item.Copyin = true
		return p.create(item)
	case goacc.ActionStruct:
		return p.structure(items, i)
	case goacc.ActionUseDevice:
		return p.useDevice(item)
	case goacc.ActionAttach:
		if m, presence := p.d.table.Find(item.Host, item.Size); presence == dataenv.Present {
			m.Used = m.Used || p.queue != nil
			return m.DeviceOf(item.Host), nil
		}
	}
	return device.Address(item.Host), nil
}

// omit takes an item out of the directive: the kernel gets its host address.
func omit(item *goacc.Item) (device.Address, *device.Error) {
	item.Action, item.Value = goacc.ActionNone, false
	return device.Address(item.Host), nil
}

// makes says whether an item of which no part is present gets device memory.
func (p *mapper) makes(items []goacc.Item, item *goacc.Item) bool {
	switch item.Action {
	case goacc.ActionMap, goacc.ActionDevicePointer:
		return !item.Value && !item.Cell
	case goacc.ActionDescriptor, goacc.ActionPointer:
		return !item.Value && !item.Cell && !p.isUnwanted(items, item)
	}
	return false
}

// target is the mapped data that an absent pointer of a present clause points to, and their
// device address. The kernel gets a translated copy of such a pointer.
func (p *mapper) target(item *goacc.Item) (device.Address, *dataenv.Mapping) {
	if item.Action != goacc.ActionPresent || item.Size != 8 || p.d.global(item.Host) {
		return 0, nil
	}
	value, ok := load(item.Host)
	if !ok || value == 0 {
		return 0, nil
	}
	m, presence := p.d.table.Find(value, 0)
	if presence != dataenv.Present {
		return 0, nil
	}
	m.Used = true
	return m.DeviceOf(value), m
}

// count increments the reference counter of a mapping that item lies in.
func (p *mapper) count(m *dataenv.Mapping, item *goacc.Item) {
	p.t.found(m)
	if p.queue != nil {
		m.Used = true
	}
	if p.structured {
		p.t.scratch.undo = append(p.t.scratch.undo, undo{})
		u := &p.t.scratch.undo[len(p.t.scratch.undo)-1]
		u.mapping, u.host, u.size, u.frame = m, item.Host, item.Size, item.Frame
		u.copyout = item.Copyout && !loaded.ReadOnly(item.Host)
	}
	if item.Cell {
		blockOf(m).countCell(item.Host)
	}
	switch {
	case p.structured:
		m.Structured++
	case !m.Infinite:
		m.Dynamic++
	}
}

// create is the create or copyin action.
func (p *mapper) create(item *goacc.Item) (device.Address, *device.Error) {
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Cell && presence != dataenv.Present && !p.group.covers(item.Host, item.Size) {
		return omit(item)
	}
	if presence == dataenv.Partly {
		if item.Frame {
			return omit(item)
		}
		if !p.evict(item) {
			return 0, p.lacksItem("", item.Entry, item.Host, item.Size)
		}
		presence = dataenv.Absent
	}
	if presence == dataenv.Present {
		p.count(m, item)
		if p.declared && blockOf(m).scope { // left over from an earlier call of the function
			p.fill(m, item)
		}
		return m.DeviceOf(item.Host), nil
	}
	m, failure := p.fresh(item)
	if failure != nil {
		return 0, failure
	}
	p.fill(m, item)
	return m.DeviceOf(item.Host), nil
}

// value puts a variable that the kernel gets as a value into the argument block. What
// an operation on a queue has still to write to it is not known yet: it is uploaded
// into the block in the queue's order.
func (p *mapper) value(item *goacc.Item) {
	s := p.t.scratch
	memory := s.block.AddValue(item.Entry, int(item.Size), item.Alignment)
	if p.d.willWrite(item.Host, item.Size) {
		s.block.Unique()
		s.late = append(s.late, lateValue{item.Host, item.Size, s.block.Values() - 1})
		return
	}
	copy(memory, bytesAt(item.Host, item.Size))
}

// fill notes what item's memory begins with: the host's bytes, zeroes (the
// modifier zero, OpenACC 3.3 §2.7.8 and §2.7.9) or what it may hold.
func (p *mapper) fill(m *dataenv.Mapping, item *goacc.Item) {
	switch {
	case item.Copyin:
		p.upload(m, item.Host, item.Size)
	case item.Zero:
		p.t.scratch.fills = append(p.t.scratch.fills, fill{device: m.DeviceOf(item.Host), size: item.Size})
	}
}

// fresh makes a mapping for an absent variable and counts it.
func (p *mapper) fresh(item *goacc.Item) (*dataenv.Mapping, *device.Error) {
	b := p.group
	if b == nil {
		b = p.reserved(item.Host, item.Size)
	}
	if b == nil {
		var failure *device.Error
		if b, failure = p.t.allocate(p.d, p.queue, item.Host, item.Size); failure != nil {
			return nil, failure
		}
		b.scope = p.declared
	} else if !b.covers(item.Host, item.Size) {
		return nil, p.t.structSplit(item)
	}
	m, failure := p.t.insert(p.d, b, item.Host, item.Size)
	if failure != nil {
		return nil, failure
	}
	p.count(m, item)
	return m, nil
}

// evict removes the mappings in the way of item if a declare directive left them
// behind: GCC never ends those of copyin clauses, nor those of a library that is
// closed.
func (p *mapper) evict(item *goacc.Item) bool {
	var stale []*dataenv.Mapping
	for _, m := range p.d.table.Overlapping(item.Host, item.Size) {
		switch {
		case unloaded(m):
			p.d.table.Remove(m)
		case !blockOf(m).scope || m.Structured > 0 || m.Dynamic > 1 || m.Infinite:
			return false
		default:
			stale = append(stale, m)
		}
	}
	for _, m := range stale {
		p.t.remove(p.d, m)
	}
	return true
}

// upload notes the copy of a range of the host to its mapping; attached pointers
// keep their device values.
func (p *mapper) upload(m *dataenv.Mapping, host, size uintptr) {
	p.t.scratch.uploads = appendPieces(p.t.scratch.uploads, m, host, size, nil)
}

// present performs the present clause for what is not there.
func (p *mapper) present(item *goacc.Item) (device.Address, *device.Error) {
	if !p.absent(item) {
		return 0, p.lacksItem(presentRole, item.Entry, item.Host, item.Size)
	}
	if p.d.global(item.Host) {
		// Kernels compiled for the host use a global itself.
		return omit(item)
	}
	if target, data := p.target(item); data != nil {
		p.t.found(data)
		m, failure := p.fresh(item)
		if failure != nil {
			return 0, failure
		}
		p.stage(m, item.Host, uintptr(target))
		return m.DeviceOf(item.Host), nil
	}
	return 0, p.lacksItem(presentRole, item.Entry, item.Host, item.Size)
}

// structure prepares the block that the members of a structure share.
func (p *mapper) structure(items []goacc.Item, i int) (device.Address, *device.Error) {
	item := &items[i]
	members := items[i+1 : i+1+item.Members]
	p.remaining = item.Members
	var known *dataenv.Mapping
	makes := false
	for j := range members {
		member := &members[j]
		switch member.Action {
		case goacc.ActionNone, goacc.ActionAttach:
			continue
		}
		if m, presence := p.d.table.Find(member.Host, member.Size); presence == dataenv.Present {
			known = m
		} else if _, data := p.target(member); p.makes(items, member) || data != nil {
			makes = true
		}
	}
	low, size := extent(members)
	switch {
	case size == 0:
	case known != nil:
		p.group = blockOf(known)
		return known.Device - device.Address(known.Host-item.Host), nil
	case makes:
		b := p.reserved(low, size)
		if b == nil {
			var failure *device.Error
			if b, failure = p.t.allocate(p.d, p.queue, low, size); failure != nil {
				return 0, failure
			}
		}
		p.group = b
		return b.address - device.Address(low-item.Host), nil
	}
	return device.Address(item.Host), nil
}

// useDevice performs host_data's use_device clause.
func (p *mapper) useDevice(item *goacc.Item) (device.Address, *device.Error) {
	m, presence := p.d.table.Find(item.Host, 0)
	if presence == dataenv.Present {
		p.t.found(m)
		m.Used = true
		p.d.giveOut(m)
		address := m.DeviceOf(item.Host)
		p.hosts[item.Entry] = uintptr(address)
		return address, nil
	}
	if item.Optional || item.Host == 0 || p.d.global(item.Host) {
		return device.Address(item.Host), nil
	}
	return 0, p.lacksItem(deviceRole, item.Entry, item.Host, 1)
}
