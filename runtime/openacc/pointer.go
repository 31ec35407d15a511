package openacc

import (
	"encoding/binary"
	"slices"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// stage notes the copy of one pointer-sized value to the device copy of host.
func (p *mapper) stage(m *dataenv.Mapping, host, value uintptr) {
	p.t.stageStore(m, host, value)
}

func (t *lifetimes) stageStore(m *dataenv.Mapping, host, value uintptr) {
	binary.LittleEndian.PutUint64(t.stageBytes(m, host, 8), uint64(value))
}

// stageBytes notes the copy of size bytes, which the caller fills in.
func (t *lifetimes) stageBytes(m *dataenv.Mapping, host, size uintptr) []byte {
	buffer := t.staging(int(size))
	t.scratch.stores = append(t.scratch.stores,
		transfer{host: host, device: m.DeviceOf(host), size: size, staged: buffer, mapping: m})
	return buffer
}

// staging gives n bytes that stay as they are while the construct runs; what an
// asynchronous queue reads later is copied again.
func (t *lifetimes) staging(n int) []byte {
	s := t.scratch
	if cap(s.staging)-len(s.staging) < n {
		s.staging = make([]byte, 0, max(1024, n))
	}
	at := len(s.staging)
	s.staging = s.staging[:at+n]
	return s.staging[at : at+n : at+n]
}

// target finds the device address that a pointer's copy must hold: that of the
// section that starts bias bytes after the pointer's value. The end of a mapping
// counts, for empty sections.
func (d *Device) target(value, bias uintptr) (device.Address, bool) {
	start := value + bias
	m, presence := d.table.Find(start, 0)
	if presence != dataenv.Present {
		if m, presence = d.table.Find(start-1, 0); presence != dataenv.Present || m.End() != start {
			return 0, false
		}
	}
	m.Used = true
	return m.DeviceOf(start) - device.Address(bias), true
}

// isUnwanted says whether a descriptor or pointer belongs to an absent array of a
// no_create clause. A pointer to an array that is not allocated is wanted: it says so.
func (p *mapper) isUnwanted(items []goacc.Item, item *goacc.Item) bool {
	if item.Leader < 0 {
		return false
	}
	leader := &items[item.Leader]
	if !leader.Optional || leader.Host == 0 && item.Action == goacc.ActionPointer {
		return false
	}
	if leader.Action == goacc.ActionIfPresent { // its turn may be still to come
		_, presence := p.d.table.Find(leader.Host, leader.Size)
		return presence != dataenv.Present
	}
	return leader.Action == goacc.ActionNone
}

// descriptor makes the device copy of a Fortran array descriptor. One that serves the kernel
// alone travels with the arguments.
func (p *mapper) descriptor(items []goacc.Item, i int) (device.Address, *device.Error) {
	item := &items[i]
	if p.isUnwanted(items, item) {
		return omit(item)
	}
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Cell && presence != dataenv.Present {
		return omit(item)
	}
	if i+2 < len(items) && items[i+2].Link && !p.absent(&items[i+2]) {
		item.Value = false // what is on the device points to memory of its own
	}
	if item.Value = item.Value && presence == dataenv.Absent; item.Value {
		p.putDescriptor(item)
		return 0, nil
	}
	if presence == dataenv.Partly {
		if !p.evict(item) {
			return 0, p.lacksItem("", item.Entry, item.Host, item.Size)
		}
		presence = dataenv.Absent
	}
	copyin := true
	if presence == dataenv.Present {
		p.count(m, item)
		b := blockOf(m)
		// Copied again only if this call just made the room for it, if the array was not
		// allocated when it was copied, or for the attach action of a component, which
		// includes the bounds (OpenACC 3.3 §2.6.4).
		copyin = p.t.made(m) && b.pending.Load() || b.null && word(item.Host) != 0 ||
			word(item.Host) != 0 && slices.ContainsFunc(items, func(other goacc.Item) bool {
				return other.Action == goacc.ActionAttach && other.Host == item.Host
			})
		if b.null && word(item.Host) != 0 {
			b.null = false
		}
	} else {
		var failure *device.Error
		if m, failure = p.fresh(item); failure != nil {
			return 0, failure
		}
	}
	if copyin && m.Attach[item.Host-m.Host] == 0 {
		buffer := p.t.staging(int(item.Size))
		copy(buffer, bytesAt(item.Host, item.Size))
		p.t.scratch.uploads = append(p.t.scratch.uploads, transfer{
			host: item.Host, device: m.DeviceOf(item.Host), size: item.Size, staged: buffer, mapping: m})
	}
	return m.DeviceOf(item.Host), nil
}

// pointer makes the device copy of a pointer to mapped data. Where it serves the kernel
// alone, it travels with the arguments.
func (p *mapper) pointer(items []goacc.Item, i int) (device.Address, *device.Error) {
	item := &items[i]
	if p.isUnwanted(items, item) {
		return omit(item)
	}
	if item.Link = item.Link && items[i-2].Value; item.Link {
		p.t.scratch.block.AddLink(item.Entry)
		return 0, nil
	}
	var leader *goacc.Item
	if item.Leader >= 0 {
		leader = &items[item.Leader]
	}
	dropped := leader != nil && leader.Action == goacc.ActionNone
	value := word(item.Host)
	var stored uintptr
	if value != 0 {
		address, ok := p.d.target(value, item.Bias)
		switch {
		case ok:
			stored = uintptr(address)
		case dropped && leader.Host == 0:
			// Nothing is allocated. A dummy's pointer to the pointer that says so
			// is found in the case above.
		case dropped || p.d.global(value):
			stored = value
		case item.Leader == i-1 && p.entered(leader) != 0:
			// GCC leaves the descriptor of an allocatable array that it passes by its data
			// alone unwritten, and passes where that has its pointer all the same.
			stored = uintptr(p.entered(leader) - device.Address(item.Bias))
		default:
			return 0, p.lacksItem(targetRole, item.Entry, value+item.Bias, 1)
		}
	}
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Value = item.Value && presence == dataenv.Absent; item.Value {
		p.putPointer(items, i, device.Address(stored))
		return 0, nil
	}
	switch presence {
	case dataenv.Partly:
		if !p.evict(item) {
			return 0, p.lacksItem("", item.Entry, item.Host, item.Size)
		}
	case dataenv.Present:
		if !item.Inside || p.queue != nil {
			p.count(m, item)
		}
		m.Used = m.Used || p.queue != nil
		// The descriptor that this call copies gets the pointer inside.
		for i := len(p.t.scratch.uploads) - 1; i >= 0; i-- {
			u := &p.t.scratch.uploads[i]
			if u.staged != nil && item.Host >= u.host && item.Host+8 <= u.host+u.size {
				binary.LittleEndian.PutUint64(u.staged[item.Host-u.host:], uint64(stored))
				if item.Host == u.host {
					blockOf(m).null = stored == 0
				}
				break
			}
		}
		return m.DeviceOf(item.Host), nil
	}
	m, failure := p.fresh(item)
	if failure != nil {
		return 0, failure
	}
	p.stage(m, item.Host, stored)
	return m.DeviceOf(item.Host), nil
}

// entered is where the data of an item are that the directive has entered, 0 where there are none.
func (p *mapper) entered(item *goacc.Item) device.Address {
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Action != goacc.ActionMap && item.Action != goacc.ActionPresent || presence != dataenv.Present {
		return 0
	}
	return m.DeviceOf(item.Host)
}

// putDescriptor puts a descriptor into the argument block, as the host has it.
func (p *mapper) putDescriptor(item *goacc.Item) {
	copy(p.t.scratch.block.AddDescriptor(item.Entry, int(item.Size), item.Alignment), bytesAt(item.Host, item.Size))
}

// putPointer puts a pointer to device memory into the argument block, in its place in the
// descriptor before it if it is inside that.
func (p *mapper) putPointer(items []goacc.Item, i int, to device.Address) {
	item := &items[i]
	if item.Inside {
		p.t.scratch.block.AddInside(item.Entry, int(item.Host-items[i-1].Host), to)
	} else {
		p.t.scratch.block.AddPointer(item.Entry, to)
	}
}

// attach performs the attach action (OpenACC 3.3 §2.7.2).
func (p *mapper) attach(items []goacc.Item, item *goacc.Item) {
	if p.isUnwanted(items, item) {
		// A kernel is to find the array where it is on the host.
		if m, presence := p.d.table.Find(item.Host, item.Size); p.queue != nil && presence == dataenv.Present && p.made(item) {
			p.stage(m, item.Host, word(item.Host))
		}
		return
	}
	if p.t.attachPointer(p.d, item.Host, item.Bias) && p.structured {
		m, _ := p.d.table.Find(item.Host, item.Size)
		p.t.scratch.undo = append(p.t.scratch.undo, undo{mapping: m, host: item.Host, size: item.Size, attach: true, extent: item.Extent})
	}
}

// attachPointer attaches the pointer at host. It reports false where no action
// is taken: the pointer or what it points to is not present. d.mu is held.
func (t *lifetimes) attachPointer(d *Device, host, bias uintptr) bool {
	m, presence := d.table.Find(host, 8)
	if presence != dataenv.Present || blockOf(m).identity {
		return false
	}
	t.found(m)
	value := word(host)
	if value == 0 {
		t.stageStore(m, host, 0)
		return false
	}
	address, ok := d.target(value, bias)
	if !ok {
		return false
	}
	b, offset := blockOf(m), host-m.Host
	if m.Attach[offset] > 0 && b.targets[host] == address {
		m.Attach[offset]++
		return true
	}
	if m.Attach == nil {
		m.Attach = map[uintptr]int{}
	}
	if b.targets == nil {
		b.targets = map[uintptr]device.Address{}
	}
	m.Attach[offset], b.targets[host] = 1, address
	t.stageStore(m, host, uintptr(address))
	return true
}

// detachPointer performs the detach action, or with finalize the immediate
// detach action, on a pointer of so many bytes. d.mu is held.
func (t *lifetimes) detachPointer(d *Device, host, extent uintptr, finalize bool) {
	m, presence := d.table.Find(host, 8)
	if presence != dataenv.Present {
		return
	}
	t.detachIn(m, host, extent, finalize)
}

// detachIn gives the pointer the value that it has on the host, of a Fortran array with its
// bounds, as they were attached (OpenACC 3.3 §2.6.4): so neighbours go as one.
func (t *lifetimes) detachIn(m *dataenv.Mapping, host, extent uintptr, finalize bool) {
	offset := host - m.Host
	count := m.Attach[offset]
	if count == 0 {
		return
	}
	if count > 1 && !finalize {
		m.Attach[offset] = count - 1
		return
	}
	delete(m.Attach, offset)
	delete(blockOf(m).targets, host)
	extent = min(extent, m.End()-host)
	copy(t.stageBytes(m, host, extent), bytesAt(host, extent))
}
