package openacc

import (
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// release performs the exit actions of a region: detach, decrement everything,
// copy back what is left without references, remove it (OpenACC 3.3 §2.7.2). It
// notes the transfers in the scratch space. d.mu is held. q is the region's queue.
func (t *lifetimes) release(d *Device, list []undo, q *Queue) {
	s := t.scratch
	for i := range list {
		if list[i].attach {
			t.detachIn(list[i].mapping, list[i].host, list[i].extent, false)
		}
	}
	for i := range list {
		if u := &list[i]; !u.attach && u.mapping.Structured > 0 {
			u.mapping.Structured--
		}
	}
	for i := range list {
		u := &list[i]
		switch {
		case u.attach:
			continue
		case live(u.mapping):
			blockOf(u.mapping).usedBy(q)
			continue
		case u.copyout:
			if excluded, skip := within(list, i, !q.synchronous()); !skip {
				s.downloads = appendPieces(s.downloads, u.mapping, u.host, u.size, excluded)
			}
		}
		if d.table.Holds(u.mapping) {
			t.remove(d, u.mapping)
		}
	}
}

// within finds what must not be copied back with variable i, because later
// variables inside it say so: those without copyout and attached pointers. Of a
// procedure's hidden frame, nothing but the variables in it may be copied while
// the host goes on.
func within(list []undo, i int, async bool) (excluded []hostRange, skip bool) {
	u := &list[i]
	pointers := false
	for j := range list {
		other := &list[j]
		if j == i || other.host < u.host || other.host+other.size > u.host+u.size || other.size == u.size {
			continue
		}
		if other.attach {
			pointers = true
		}
		if j > i && !other.copyout || other.attach {
			excluded = append(excluded, hostRange{low: other.host, high: other.host + other.size})
		}
	}
	return excluded, u.frame && async && !pointers
}

// exitData performs the exit actions of an exit data directive. d.mu is held.
func (t *lifetimes) exitData(d *Device, items []goacc.Item) *device.Error {
	s := t.scratch
	for i := range items {
		if items[i].Action == goacc.ActionDetach {
			t.detachPointer(d, items[i].Host, items[i].Extent, items[i].Finalize)
		}
	}
	s.undo = s.undo[:0]
	for i := range items {
		item := &items[i]
		if item.Action != goacc.ActionRelease {
			continue
		}
		m, presence := d.table.Find(item.Host, item.Size)
		switch presence {
		case dataenv.Absent:
			continue
		case dataenv.Partly:
			if item.Cell {
				continue
			}
			return t.lacks(d, lack{entry: item.Entry, host: item.Host, bytes: item.Size}, outside(item.Host, item.Size))
		}
		if m.Infinite || m.Dynamic == 0 {
			continue
		}
		references := m.Dynamic
		if item.Cell {
			if references = min(references, blockOf(m).cells[item.Host]); references == 0 {
				continue
			}
		}
		if !item.Finalize {
			references = 1
		}
		if item.Cell {
			blockOf(m).cells[item.Host] -= references
		}
		m.Dynamic -= references
		t.found(m)
		s.undo = append(s.undo, undo{mapping: m, host: item.Host, size: item.Size, copyout: item.Copyout})
	}
	for i := range s.undo {
		u := &s.undo[i]
		if u.copyout && !live(u.mapping) {
			excluded, _ := within(s.undo, i, false)
			s.downloads = appendPieces(s.downloads, u.mapping, u.host, u.size, excluded)
		}
	}
	for i := range s.undo {
		if m := s.undo[i].mapping; !live(m) && d.table.Holds(m) {
			t.remove(d, m)
		}
	}
	s.undo = s.undo[:0]
	return nil
}
