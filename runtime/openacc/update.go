package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// Update is an update directive (OpenACC 3.3 §2.14.4).
func (t *directives) Update(c *Construct) {
	t.enter("update directive", callbacks.Update, c.Async)
	t.standalone(c, callbacks.UpdateStart, func(d *Device, q *Queue) {
		s := t.scratch
		if !t.decode(c, goacc.Update) {
			return
		}
		if opposed(s.items) {
			t.updateInTurn(d, q, c.Arguments)
		} else {
			t.updateItems(d, q, s.items, true)
		}
		if d.hostCoded != nil && len(c.Arguments.Kinds) == 0 { // GCC takes whole variables at file scope out
			s.suspects = append(s.suspects, hostPointer{})
		}
		if len(s.suspects) > 0 {
			t.warnOfUpdates(d, c.Arguments)
		}
	})
}

// updateInTurn performs the items of a directive whose order matters, as the program
// has it. GCC passes the clauses of C and C++ from the last to the first, those of
// Fortran as they stand: what Fortran has two names for is known by a descriptor.
func (t *lifetimes) updateInTurn(d *Device, q *Queue, a goacc.Arguments) {
	items := slices.Clone(t.scratch.items)
	if !slices.ContainsFunc(a.Kinds, func(kind uint16) bool { return goacc.Kind(kind) == goacc.Descriptor }) {
		slices.Reverse(items)
	}
	for i := range items {
		// The next item may read what this one writes.
		if !t.updateItems(d, q, items[i:i+1], false) {
			return
		}
	}
}

// opposed says whether two items of an update copy the same memory, one to the device
// and one from it, so that their order matters: by two names, as a compiler takes
// each name once.
func opposed(items []goacc.Item) bool {
	for i := range items {
		for j := range items[:i] {
			a, b := &items[i], &items[j]
			self := a.Action == goacc.ActionUpdateSelf
			if self == (b.Action == goacc.ActionUpdateSelf) || !self && a.Action != goacc.ActionUpdateDevice ||
				self && b.Action != goacc.ActionUpdateDevice {
				continue
			}
			if a.Host < b.Host+b.Size && b.Host < a.Host+a.Size {
				return true
			}
		}
	}
	return false
}

// updateItems puts the copies of items onto q and waits if it is synchronous; false if
// it cannot. The next event must follow at once; the wait comes with it if these are the
// last items.
func (t *lifetimes) updateItems(d *Device, q *Queue, items []goacc.Item, last bool) bool {
	s := t.scratch
	s.uploads, s.stores, s.downloads = s.uploads[:0], s.stores[:0], s.downloads[:0]
	d.mu.Lock()
	failure := t.planUpdate(d, items)
	d.mu.Unlock()
	if failure != nil {
		t.fail(failure)
		return false
	}
	if len(s.pending) > 0 {
		t.awaitBlocks(d, q)
	}
	t.uploadAll(q)
	t.downloadAll(q)
	until := waitOver
	if last {
		until = waitPlanned
	}
	t.finish(q, until)
	return true
}

func (t *lifetimes) planUpdate(d *Device, items []goacc.Item) *device.Error {
	s := t.scratch
	for i := range items {
		item := &items[i]
		switch item.Action {
		case goacc.ActionUpdateDevice, goacc.ActionUpdateSelf, goacc.ActionUpdatePointer:
		default:
			continue
		}
		m, presence := d.table.Find(item.Host, item.Size)
		if item.Action == goacc.ActionUpdatePointer {
			if presence == dataenv.Present {
				t.renew(d, m, item)
			}
			continue
		}
		switch presence {
		case dataenv.Partly:
			return t.lacksOfUpdate(d, item)
		case dataenv.Absent:
			if d.global(item.Host) {
				t.suspectUpdate(d, item)
				continue
			}
			if item.Optional {
				continue
			}
			return t.lacksOfUpdate(d, item)
		}
		if blockOf(m).identity {
			t.suspectUpdate(d, item)
		}
		t.found(m)
		switch {
		case item.Action == goacc.ActionUpdateDevice:
			s.uploads = appendPieces(s.uploads, m, item.Host, item.Size, nil)
		case item.Size == 8 && m.Attach[item.Host-m.Host] > 0:
			// The pointer itself is asked for, attached as it is.
			s.downloads = append(s.downloads, transfer{host: item.Host, device: m.DeviceOf(item.Host), size: 8, mapping: m})
		default:
			s.downloads = appendPieces(s.downloads, m, item.Host, item.Size, nil)
		}
	}
	return nil
}

func (t *lifetimes) lacksOfUpdate(d *Device, item *goacc.Item) *device.Error {
	return t.lacks(d, lack{entry: item.Entry, host: item.Host, bytes: item.Size}, outside(item.Host, item.Size))
}

// renew stores the device address of a pointer member whose section was updated,
// unless the pointer is attached: then it holds that value already.
func (t *lifetimes) renew(d *Device, m *dataenv.Mapping, item *goacc.Item) {
	if blockOf(m).identity || m.Attach[item.Host-m.Host] > 0 {
		return
	}
	if address, ok := d.target(word(item.Host), item.Bias); ok {
		t.stageStore(m, item.Host, uintptr(address))
	}
}

// Wait is a wait directive (OpenACC 3.3 §2.16.3): the host thread waits, or with
// an async value that queue does, for the queues in the list or, where there is
// none, for all. Unlike in a clause, acc_async_noval is known from no argument.
func (t *directives) Wait(c *Construct) {
	t.enter("wait directive", callbacks.Wait, c.Async)
	d := t.use()
	if d == nil || !t.checkAsync(c.Async) {
		return
	}
	if !t.checkWaits(c.Waits) || d.Shared {
		return
	}
	var q *Queue
	if t.mapAsync(c.Async) != AsyncSync {
		if q = t.queue(d, c.Async); q == nil {
			return
		}
	}
	if len(c.Waits) == 0 {
		t.waitForAll(d, q)
		return
	}
	t.waitForEach(d, q, c.Waits)
}
