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

// copiesAgain says whether the device's copy of a descriptor, in m, is to be made again: where
// this call has just made the room for it, where the array was not allocated when it was copied,
// or for the attach action of a component, which includes the bounds (OpenACC 3.3 §2.6.4).
func (p *mapper) copiesAgain(items []goacc.Item, item *goacc.Item, m *dataenv.Mapping) bool {
	b := blockOf(m)
	return b.null || p.t.made(m) && b.pending.Load() || slices.ContainsFunc(items, func(other goacc.Item) bool {
		return other.Action == goacc.ActionAttach && other.Host == item.Host
	})
}

// descriptor makes the device copy of a Fortran array descriptor, maybe again.
func (p *mapper) descriptor(item *goacc.Item) (device.Address, *device.Error) {
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Cell && presence != dataenv.Present {
		return omit(item)
	}
	copyin := true
	if presence == dataenv.Present {
		p.count(m, item)
		b, allocated := blockOf(m), word(item.Host) != 0
		copyin = allocated || p.t.made(m) && b.pending.Load()
		b.null = b.null && !allocated
	} else {
		if presence == dataenv.Partly && !p.evict(item) {
			return 0, p.lacksItem("", item.Entry, item.Host, item.Size)
		}
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

// pointee is what the device's copy of a pointer is to hold; it reports false where what it
// points to is not there.
func (p *mapper) pointee(items []goacc.Item, i int) (device.Address, bool) {
	item := &items[i]
	value := word(item.Host)
	if value == 0 {
		return 0, true
	}
	if address, ok := p.d.target(value, item.Bias); ok {
		return address, true
	}
	leader := &goacc.Item{Action: goacc.ActionMap} // of none
	if item.Leader >= 0 {
		leader = &items[item.Leader]
	}
	switch dropped := leader.Action == goacc.ActionNone; {
	case dropped && leader.Host == 0:
		// Nothing is allocated. A dummy's pointer to the pointer that says so is there.
		return 0, true
	case dropped || p.d.global(value):
		return device.Address(value), true
	case item.Leader == i-1 && p.entered(leader) != 0:
		// GCC leaves the descriptor of an allocatable array that it passes by its data
		// alone unwritten, and passes where that has its pointer all the same.
		return p.entered(leader) - device.Address(item.Bias), true
	}
	return 0, false
}

// pointer makes the device copy of a pointer to mapped data.
func (p *mapper) pointer(items []goacc.Item, i int) (device.Address, *device.Error) {
	item := &items[i]
	stored, ok := p.pointee(items, i)
	if !ok {
		return 0, p.lacksItem(targetRole, item.Entry, word(item.Host)+item.Bias, 1)
	}
	if !p.absent(item) && !p.evict(item) {
		return 0, p.lacksItem("", item.Entry, item.Host, item.Size)
	}
	m, failure := p.fresh(item)
	if failure != nil {
		return 0, failure
	}
	p.stage(m, item.Host, uintptr(stored))
	return m.DeviceOf(item.Host), nil
}

// holdPointer counts the mapping of a pointer that is on the device. One inside of a descriptor
// that this call copies is put into that.
func (p *mapper) holdPointer(items []goacc.Item, i int, m *dataenv.Mapping) {
	item := &items[i]
	if !item.Inside || p.queue != nil {
		p.count(m, item)
	}
	uploads := p.t.scratch.uploads
	for n := len(uploads) - 1; n >= 0; n-- {
		u := &uploads[n]
		if u.staged == nil || item.Host < u.host || item.Host+8 > u.host+u.size {
			continue
		}
		stored, _ := p.pointee(items, i)
		binary.LittleEndian.PutUint64(u.staged[item.Host-u.host:], uint64(stored))
		if item.Host == u.host {
			blockOf(m).null = stored == 0
		}
		return
	}
}

// entered is where the data of an item are that the directive has entered, 0 where there are none.
func (p *mapper) entered(item *goacc.Item) device.Address {
	m, presence := p.d.table.Find(item.Host, item.Size)
	if item.Action != goacc.ActionMap && item.Action != goacc.ActionPresent || presence != dataenv.Present {
		return 0
	}
	return m.DeviceOf(item.Host)
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
