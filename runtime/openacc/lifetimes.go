package openacc

import (
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// lifetimes are those of data on a device: what begins and ends them, for constructs
// and routines (OpenACC 3.3 §2.6, §2.7.2).
type lifetimes struct {
	warner
	prober prober
}

// awaitBlocks waits for mappings and ranges that other threads are still busy
// with, and lets q wait for uploads that others have put onto their queues. A
// thread only ever waits for work planned before its own.
func (t *lifetimes) awaitBlocks(d *Device, q *Queue) {
	s := t.scratch
	for _, b := range s.pending {
		d.ready.await(&b.pending)
		if b.arrival != nil && b.arrival != q && b.arrival.finished.Load() < b.number {
			t.follow(q, b.arrival)
		}
	}
	for _, l := range s.copyBacks {
		d.ready.await(&l.pending)
	}
	clear(s.pending)
	clear(s.copyBacks)
	s.pending, s.copyBacks = s.pending[:0], s.copyBacks[:0]
}

// settle ends the entry half of a construct: other threads may use the mappings
// made as soon as what they were created with is in place, or on an asynchronous
// queue on its way. Only with wait does the host thread wait for it; else it may
// have to call settle again when it has.
func (t *lifetimes) settle(d *Device, q *Queue, wait bool) {
	if wait {
		t.finish(q, waitTold)
	}
	if len(t.scratch.created) == 0 {
		return
	}
	if q.synchronous() && !wait && q.busy() {
		idle, err := q.driver.Idle()
		if err = q.device.kept(err); err != nil {
			t.fail(t.fromDevice(err))
		}
		if !idle || err != nil {
			return
		}
	}
	t.scratch.markReady(d, q)
}

// beginLifetimes performs the entry actions of the items in the scratch space.
func (t *lifetimes) beginLifetimes(d *Device, q *Queue, p *mapper) {
	s := t.scratch
	d.mu.Lock()
	_, failure := p.mapVariables(s.items)
	d.mu.Unlock()
	if failure != nil {
		t.failMapping(d, failure)
		return
	}
	t.enqueueUploads(d, q)
	t.settle(d, q, true)
	t.giveUp(d, q)
}

func (t *lifetimes) endLifetimes(d *Device, q *Queue) {
	d.mu.Lock()
	failure := t.exitData(d, t.scratch.items)
	own := t.beginCopyBack(d, q)
	d.mu.Unlock()
	if failure != nil {
		if own != nil {
			d.endCopyBack(own)
		}
		t.fail(failure)
		return
	}
	t.awaitBlocks(d, q)
	t.enqueueExits(d, q, own)
}

// failMapping is fail for a construct whose variables could not all be mapped: what was
// allocated and created before is told of, and other threads need not wait for it.
func (t *lifetimes) failMapping(d *Device, failure *device.Error) {
	t.planCreated(d)
	t.scratch.markReady(d, nil)
	t.fail(failure)
}

// enqueueUploads puts the planned fills and uploads onto q, whole variables before
// pointers, and raises the events of the mappings made.
func (t *lifetimes) enqueueUploads(d *Device, q *Queue) {
	s := t.scratch
	if len(s.pending)+len(s.copyBacks) > 0 {
		t.awaitBlocks(d, q)
	}
	t.planCreated(d)
	if len(s.fills) > 0 || t.callbacksMayWrite(1<<callbacks.Alloc|1<<callbacks.Create) {
		t.carryOut()
	}
	for i := range s.fills {
		t.zero(q, &s.fills[i])
	}
	t.uploadAll(q)
	if len(s.created) > 0 {
		t.carryOut() // before other threads use what was created
	}
	s.fills = s.fills[:0]
}

// planCreated adds the events of the mappings made.
func (t *lifetimes) planCreated(d *Device) {
	for _, m := range t.scratch.created {
		if memory := blockOf(m).memory; memory != nil && !memory.reported {
			memory.reported = true
			t.planAllocation(d, callbacks.Alloc, memory.size, memory.address, memory.one(m))
		}
		t.planData(callbacks.Create, nil, m.Size, m.Host, m.Device, t.nameIn(callbacks.Create, callbacks.Create, m.Host, m.Size, m))
	}
}

// enqueueExits puts the planned downloads onto q and gives up the mappings
// removed. Their memory goes back once the queue has come that far. A pointer that is
// detached in memory which goes is stored only if it is copied back. The next event
// must follow at once.
func (t *lifetimes) enqueueExits(d *Device, q *Queue, own *copyBack) {
	s := t.scratch
	t.outlive(q)
	s.stores = slices.DeleteFunc(s.stores, func(u transfer) bool {
		return slices.Contains(s.removed, u.mapping) && !overlaps(s.downloads, &u)
	})
	t.uploadAll(q)
	t.downloadAll(q)
	t.finish(q, waitOver)
	t.settle(d, q, true)
	if own != nil {
		d.endCopyBack(own)
	}
	t.discard(d, q)
}

// giveUp is discard where nothing is copied back: it waits for the memory's users.
func (t *lifetimes) giveUp(d *Device, q *Queue) {
	t.outlive(q)
	t.discard(d, q)
}

// discard raises the events of the removed mappings, frees their memory and has
// scalars written back.
func (t *lifetimes) discard(d *Device, q *Queue) {
	s := t.scratch
	var later []device.Address
	for _, m := range s.removed {
		t.planDelete(m)
		memory := blockOf(m).drop()
		if memory == nil {
			continue
		}
		t.planAllocation(d, callbacks.Free, memory.size, memory.address, memory.one(m))
		t.carryOut() // before others use this memory
		if t.function != 0 && q.keepSpare(memory) {
			continue
		}
		if q.synchronous() {
			if err := d.driver.Free(memory.address); err != nil {
				t.fail(t.fromDevice(err))
			}
		} else {
			later = append(later, memory.address)
		}
	}
	clear(s.removed)
	s.removed = s.removed[:0]
	landings := slices.Clone(s.landings)
	clear(s.landings)
	s.landings = s.landings[:0]
	if len(later)+len(landings) == 0 {
		return
	}
	t.carryOut()
	driver := d.driver
	err := q.driver.Then(func() {
		for _, l := range landings {
			l.Land()
		}
		for _, address := range later {
			d.keep(driver.Free(address))
		}
	})
	if err != nil {
		t.fail(t.fromDevice(err))
	}
	if len(landings) > 0 {
		q.enqueued.Add(1) // whoever waits from now on has what lands, too
	}
}

// planDelete adds the delete event of a mapping that is removed, unless the shutdown of its
// device has come to it: in the callback for that event, or on another thread.
func (t *lifetimes) planDelete(m *dataenv.Mapping) {
	if !m.Told {
		t.planData(callbacks.Delete, nil, m.Size, m.Host, m.Device, t.nameIn(callbacks.Delete, callbacks.Delete, m.Host, m.Size, m))
	}
}

// beginCopyBack announces that t is about to copy back ranges whose mappings are gone.
// d.mu is held.
func (t *lifetimes) beginCopyBack(d *Device, q *Queue) *copyBack {
	s := t.scratch
	if !q.synchronous() || len(s.downloads) == 0 || len(s.removed) == 0 {
		return nil
	}
	low, high := ^uintptr(0), uintptr(0)
	for _, u := range s.downloads {
		low, high = min(low, u.host), max(high, u.host+u.size)
	}
	own := &copyBack{host: low, size: high - low, thread: t}
	own.pending.Store(true)
	d.copyBacks = append(d.copyBacks, own)
	return own
}

// endCopyBack ends what beginCopyBack began.
func (d *Device) endCopyBack(own *copyBack) {
	d.mu.Lock()
	d.copyBacks = slices.DeleteFunc(d.copyBacks, func(l *copyBack) bool { return l == own })
	d.mu.Unlock()
	own.pending.Store(false)
	d.ready.announce()
}
