// Package dataenv is the data environment of one device: the present table,
// which says what host memory has a copy in device memory, with the reference
// and attachment counters of each mapping (OpenACC 3.3 §2.6.3 to §2.6.8).
//
// It knows addresses and counters, not what to do about them: allocating,
// transferring and raising events is the runtime core's work.
//
// The index lives in C memory, so that the thin C library answers
// acc_is_present, acc_deviceptr and acc_hostptr without entering Go: see
// present.h.
package dataenv

// #include "present.h"
// #cgo noescape accscope_present_insert
// #cgo nocallback accscope_present_insert
// #cgo noescape accscope_present_remove
// #cgo nocallback accscope_present_remove
// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
import "C"

import (
	"fmt"
	"iter"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// Mapping is one host address range with its copy in device memory.
//
// Host, Size and Device must not change while the mapping is in a Table.
type Mapping struct {
	Host, Size uintptr        // bytes [Host, Host+Size); Size may be 0
	Device     device.Address // where Host is on the device

	Structured int  // structured reference counter (§2.6.7)
	Dynamic    int  // dynamic reference counter (§2.6.7)
	Infinite   bool // mapped for the program's life or by acc_map_data: counters do not delete it

	// Attach counts the attachments of pointers inside the mapping (§2.6.8),
	// by the byte offset of the pointer from Host. Nil when there are none.
	Attach map[uintptr]int

	Declared bool  // made by a declare directive
	Used     bool  // a kernel may have read or written the data, or whatever has its device address
	Told     bool  // its delete event is raised by the shutdown of its device
	Block    any   // what the runtime keeps about the device memory
	Created  int64 // CLOCK_MONOTONIC, nanoseconds

	name atomic.Pointer[string]
}

// Name is the variable's name, "" where unknown. Unlike the rest of a mapping it
// may be read and set without the table's lock.
func (m *Mapping) Name() string {
	if name := m.name.Load(); name != nil {
		return *name
	}
	return ""
}

// SetName notes the variable's name.
func (m *Mapping) SetName(name string) { m.name.Store(&name) }

// End is the address of the first byte after the mapping.
func (m *Mapping) End() uintptr { return m.Host + m.Size }

// DeviceOf is the device address of a host address inside the mapping.
func (m *Mapping) DeviceOf(host uintptr) device.Address {
	return m.Device + device.Address(host-m.Host)
}

// HostOf is the host address of a device address inside the mapping.
func (m *Mapping) HostOf(address device.Address) uintptr {
	return m.Host + uintptr(address-m.Device)
}

// Presence says how much of a host address range has a device copy.
type Presence int

// The possible presences. Data counts as present only if one mapping holds all
// of it (§2.6.3); anything else that shares a byte with a mapping is Partly.
const (
	Absent Presence = iota
	Present
	Partly
)

func (p Presence) String() string {
	switch p {
	case Absent:
		return "absent"
	case Present:
		return "present"
	case Partly:
		return "partly present"
	}
	return fmt.Sprintf("Presence(%d)", int(p))
}

// Table is the present table of one device: an index over disjoint host address
// ranges. Zero-length mappings are kept apart; one may lie anywhere, even inside
// another mapping, which then hides it from Find.
//
// Changes, and look-ups from Go, are serialised by the caller. C code may look
// up at any time (present.h); for its sake the memory of a Table is never
// returned: make one for each device and keep it for the life of the process.
type Table struct {
	store    *C.struct_accscope_present_store
	mappings []*Mapping // by the index that C keeps for each entry
	unused   []uintptr  // indexes free for use
	// aliased are the mappings whose device memory overlaps that of another
	// one, which only acc_map_data can bring about.
	aliased []*Mapping
	length  int
	changes uint64
}

// NewTable makes an empty table. It panics when the system has no memory left.
func NewTable() *Table {
	store := C.accscope_present_new()
	if store == nil {
		panic("dataenv: no memory for a present table")
	}
	return &Table{store: store}
}

// Len is the number of mappings.
func (t *Table) Len() int { return t.length }

// Version counts the changes: where it is what it was, every look-up finds what it found.
func (t *Table) Version() uint64 { return t.changes }

// Published is the struct accscope_present that C code looks up in. It
// is valid for the life of the process.
func (t *Table) Published() unsafe.Pointer { return unsafe.Pointer(&t.store.published) }

func (t *Table) ranges() *C.uintptr_t  { return &t.store.published.ranges }
func (t *Table) points() *C.uintptr_t  { return &t.store.published.points }
func (t *Table) devices() *C.uintptr_t { return &t.store.published.devices }

// Find looks up the host range [host, host+size). It returns Present and the
// mapping that holds all of it, Partly and the first mapping that holds a part,
// or Absent and nil. For size 0 it asks whether host lies inside a mapping or,
// failing that, at a zero-length one; the answer is never Partly.
func (t *Table) Find(host, size uintptr) (*Mapping, Presence) {
	at := before(t.ranges(), host)
	if at.ok() && at.covers(host) {
		if size <= at.size()-(host-at.key()) {
			return t.at(at), Present
		}
		return t.at(at), Partly
	}
	if size == 0 {
		if at := before(t.points(), host); at.ok() && at.key() == host {
			return t.at(at), Present
		}
		return nil, Absent
	}
	if at := after(t.ranges(), host); at.ok() && at.key() <= last(host, size) {
		return t.at(at), Partly
	}
	return nil, Absent
}

// Overlapping lists the mappings that share a byte with [host, host+size), in
// address order. For size 0 it is the one that Find finds, if any.
func (t *Table) Overlapping(host, size uintptr) []*Mapping {
	m, _ := t.Find(host, size)
	if m == nil {
		return nil
	}
	found := []*Mapping{m}
	if size == 0 {
		return found
	}
	for {
		at := after(t.ranges(), m.Host)
		if !at.ok() || at.key() > last(host, size) {
			return found
		}
		m = t.at(at)
		found = append(found, m)
	}
}

// Insert adds a mapping. It is an error if it shares a byte with another one,
// or is as empty and at the same address, if it reaches past the end of the
// address space, or if the system has no memory left.
func (t *Table) Insert(m *Mapping) error {
	tree := t.ranges()
	if m.Size == 0 {
		tree = t.points()
		if at := before(tree, m.Host); at.ok() && at.key() == m.Host {
			return fmt.Errorf("insert a mapping of 0 bytes at %#x: there is one already", m.Host)
		}
	} else {
		if m.Host+(m.Size-1) < m.Host {
			return fmt.Errorf("insert a mapping of %d bytes at %#x: it reaches past the end of the address space", m.Size, m.Host)
		}
		if other, presence := t.Find(m.Host, m.Size); presence != Absent {
			return fmt.Errorf("insert a mapping of %d bytes at %#x: it overlaps the one of %d bytes at %#x", m.Size, m.Host, other.Size, other.Host)
		}
	}
	index := t.index(m)
	aliased := m.Size > 0 && t.deviceOverlap(m)
	if C.accscope_present_insert(t.store, tree, C.bool(m.Size > 0 && !aliased), C.uintptr_t(m.Host), C.uintptr_t(m.Device), C.uintptr_t(m.Size), C.uintptr_t(index)) != 0 {
		t.release(index)
		return fmt.Errorf("insert a mapping of %d bytes at %#x: no memory for the present table", m.Size, m.Host)
	}
	if aliased {
		t.aliased = append(t.aliased, m)
	}
	t.length++
	t.changes++
	return nil
}

// treeOf is where m has its place.
func (t *Table) treeOf(m *Mapping) *C.uintptr_t {
	if m.Size == 0 {
		return t.points()
	}
	return t.ranges()
}

// Holds says whether m is in the table.
func (t *Table) Holds(m *Mapping) bool {
	at := before(t.treeOf(m), m.Host)
	return at.ok() && t.at(at) == m
}

// Remove takes a mapping out of the table. One that is not in it is ignored.
func (t *Table) Remove(m *Mapping) {
	tree := t.treeOf(m)
	at := before(tree, m.Host)
	if !at.ok() || t.at(at) != m {
		return
	}
	index := at.index()
	byDevice := m.Size > 0 && !t.dropAliased(m)
	C.accscope_present_remove(t.store, tree, C.bool(byDevice), C.uintptr_t(m.Host), C.uintptr_t(m.Device))
	t.release(index)
	t.length--
	t.changes++
}

// Expose notes for C that the program asked for the device address of a mapping and that
// all who want to know of it have been told: C answers from then on, for as long as the
// mapping is in the table.
func (t *Table) Expose(m *Mapping) {
	tree := t.ranges()
	if m.Size == 0 {
		tree = t.points()
	}
	if at := before(tree, m.Host); at.ok() && t.at(at) == m {
		at.expose()
	}
}

// ExposeAll has C answer for all mappings, from now on: who want to know which ones the
// program asked for want to know of no more.
func (t *Table) ExposeAll() {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&t.store.published.all_exposed)), 1)
}

// FindDevice is the look-up from the device's side: the mapping that holds all
// of the device range [address, address+size), or for size 0 the one address
// lies in, nil if there is none. O(log n), but for device memory that
// acc_map_data mapped more than once: then one of its mappings is found.
func (t *Table) FindDevice(address device.Address, size uintptr) *Mapping {
	at := before(t.devices(), uintptr(address))
	if at.ok() && at.covers(uintptr(address)) {
		if size <= at.size()-(uintptr(address)-at.key()) {
			return t.at(at)
		}
	}
	for _, m := range t.aliased {
		offset := uintptr(address - m.Device)
		if address >= m.Device && offset < m.Size && size <= m.Size-offset {
			return m
		}
	}
	return nil
}

// All yields the mappings in the order of their host addresses, a zero-length
// one before the one that begins at the same address. The body may change the
// table: what it removes is not yielded later, what it inserts is if its address
// has not been passed.
func (t *Table) All() iter.Seq[*Mapping] {
	return func(yield func(*Mapping) bool) {
		point, span := first(t.points()), first(t.ranges())
		for point.ok() || span.ok() {
			if point.ok() && (!span.ok() || point.key() <= span.key()) {
				m := t.at(point)
				if !yield(m) {
					return
				}
				point = after(t.points(), m.Host)
				span = from(t.ranges(), m.Host)
			} else {
				m := t.at(span)
				if !yield(m) {
					return
				}
				point = after(t.points(), m.Host)
				span = after(t.ranges(), m.Host)
			}
		}
	}
}

func (t *Table) at(c cursor) *Mapping { return t.mappings[c.index()] }

func (t *Table) index(m *Mapping) uintptr {
	if n := len(t.unused); n > 0 {
		index := t.unused[n-1]
		t.unused = t.unused[:n-1]
		t.mappings[index] = m
		return index
	}
	t.mappings = append(t.mappings, m)
	return uintptr(len(t.mappings) - 1)
}

func (t *Table) release(index uintptr) {
	t.mappings[index] = nil
	t.unused = append(t.unused, index)
}

// deviceOverlap says whether m's device memory shares a byte with that of a
// mapping that is in the index by device address.
func (t *Table) deviceOverlap(m *Mapping) bool {
	start := uintptr(m.Device)
	if at := before(t.devices(), start); at.ok() && at.covers(start) {
		return true
	}
	at := after(t.devices(), start)
	return at.ok() && at.key() <= last(start, m.Size)
}

func (t *Table) dropAliased(m *Mapping) bool {
	for i, other := range t.aliased {
		if other == m {
			t.aliased = append(t.aliased[:i], t.aliased[i+1:]...)
			return true
		}
	}
	return false
}

// last is the address of the last byte of a range of at least one byte, or the
// end of the address space if it reaches past that.
func last(start, size uintptr) uintptr {
	if end := start + (size - 1); end >= start {
		return end
	}
	return ^uintptr(0)
}
