package openacc

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A compute construct is steady where all that it names is on the device and stays
// there, or travels with the launch as a value: nothing but reference counters changes.
// So everything from its first event to its last is one plan.

// enterSteady decodes the variables of a compute construct, and does what its entry has
// to if it is steady; else nothing has changed.
func (t *launcher) enterSteady(p *mapper, c *Construct, k *kernelCode, r *recalled) bool {
	if t.rt.environment.notify || !t.knowsNames(c.Arguments) {
		return false
	}
	if t.recall(p, c, k, r) {
		return true
	}
	s := t.scratch
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, true, load); err != nil {
		return false
	}
	t.nameLater(c.Arguments)
	s.block.Begin(len(c.Arguments.Hosts))
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if p.stays(s.items, p.queue) && !p.hasInner(s.items, k) {
		s.version = p.d.table.Version()
		return true
	}
	p.uncount()
	return false
}

// stays counts the mappings of items, and for a launch puts their addresses and values
// into the argument block, as far as it goes; it reports whether the construct, on q, is
// steady. d.mu is held.
func (p *mapper) stays(items []goacc.Item, q *Queue) bool {
	s, launches := p.t.scratch, p.queue != nil
	s.absent = s.absent[:0]
	for i := range items {
		item := &items[i]
		address := device.Address(item.Host)
		switch item.Action {
		case goacc.ActionNone:
		case goacc.ActionMap, goacc.ActionPresent:
			m, presence := p.d.table.Find(item.Host, item.Size)
			switch {
			case presence == dataenv.Present && live(m) && blockOf(m).isReady(p.t, q):
				p.count(m, item)
				address = m.DeviceOf(item.Host)
			case launches && presence == dataenv.Absent && (item.Private || item.Action == goacc.ActionPresent):
				s.absent = append(s.absent, i)
				continue
			default:
				return false
			}
		case goacc.ActionDescriptor, goacc.ActionPointer:
			m, presence := p.d.table.Find(item.Host, item.Size)
			switch {
			case presence == dataenv.Present && live(m) && blockOf(m).isReady(p.t, q) && p.leadsThere(items, item, m):
				p.count(m, item)
				address = m.DeviceOf(item.Host)
			case launches && presence == dataenv.Absent:
				s.absent = append(s.absent, i)
				continue
			default:
				return false
			}
		default:
			return false
		}
		if launches {
			s.block.SetAddress(item.Entry, address)
		}
	}
	return len(s.absent) == 0 || p.putValues(items) && !p.suspects(items)
}

// putValues puts the absent items into the argument block, if all of them can travel as
// values that are known now.
func (p *mapper) putValues(items []goacc.Item) bool {
	s := p.t.scratch
	if !p.t.prober.readable(items, p.t.place.StackPointer) {
		return false
	}
	goacc.MarkValues(items, word)
	next := 0
	for i := range items {
		item := &items[i]
		if next == len(s.absent) || s.absent[next] != i {
			item.Value = false
			continue
		}
		next++
		if !item.Value || p.d.willWrite(item.Host, item.Size) {
			return false
		}
		switch item.Action {
		case goacc.ActionMap:
			p.value(item)
		case goacc.ActionPresent:
			address, data := p.target(item)
			if data == nil || !live(data) || !blockOf(data).isReady(p.t, p.queue) {
				return false
			}
			p.t.scratch.block.AddPointer(item.Entry, address)
		case goacc.ActionDescriptor:
			p.putDescriptor(item)
		default:
			if item.Link = item.Link && items[i-2].Value; item.Link {
				p.t.scratch.block.AddLink(item.Entry)
				continue
			}
			address, ok := p.follows(items, item)
			if !ok {
				return false
			}
			p.putPointer(items, i, address)
		}
	}
	return true
}

// follows is where a pointer to the variable before it, which is present, leads on the
// device; it reports false for any other.
func (p *mapper) follows(items []goacc.Item, item *goacc.Item) (device.Address, bool) {
	if item.Leader < 0 {
		return 0, false
	}
	leader := &items[item.Leader]
	if start := word(item.Host) + item.Bias; start != leader.Host || leader.Action == goacc.ActionNone {
		return 0, false
	}
	return p.d.target(word(item.Host), item.Bias)
}

// leadsThere says whether what the device has of a descriptor, or of a pointer, in m, stays
// as it is for the array that the construct names.
func (p *mapper) leadsThere(items []goacc.Item, item *goacc.Item, m *dataenv.Mapping) bool {
	if item.Action == goacc.ActionDescriptor {
		return !blockOf(m).null
	}
	m.Used = m.Used || p.queue != nil
	_, ok := p.follows(items, item)
	return ok
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

// undoSteady undoes enterSteady: a callback of the construct's first events called the
// runtime. What it has deleted goes now.
func (t *launcher) undoSteady(d *Device, q *Queue) {
	s := t.scratch
	for i := range s.undo {
		s.undo[i].copyout = false // the construct has not begun
	}
	d.mu.Lock()
	if s.place != nil {
		q.arguments.Dropped(s.place)
	}
	t.release(d, s.undo, q)
	d.mu.Unlock()
	t.giveUp(d, q)
	t.carryOut()
}

// planSteadyEnd adds what comes behind the launch of a steady construct; the wait for a
// synchronous queue only where events tell of it (waiter.await).
func (t *launcher) planSteadyEnd(q *Queue) {
	if q.synchronous() {
		t.planCompute(waitStart)
		if t.plan.raises {
			t.planAwait(q)
		}
		t.planComputes(waitEnd, computeEnd)
		return
	}
	t.planComputes(exitEnd, computeEnd)
}

// isOver says whether nothing is left to do at the end of a steady construct, nor to tell.
func (t *launcher) isOver(q *Queue) bool {
	s := t.scratch
	return t.context.planned == computeSteps && !t.plan.pending() && !(q.synchronous() && q.busy()) &&
		len(s.removed)+len(s.stores)+len(s.downloads) == 0
}

// enterSteadyRegion is DataStart for a data construct that changes nothing but reference
// counters, on a queue that need not be waited for. False: it is to be entered as any other.
func (t *directives) enterSteadyRegion(d *Device, c *Construct) bool {
	q := t.context.queue
	if q.busy() || t.here().unsteady || !t.knowsNames(c.Arguments) {
		return false
	}
	t.clearScratch()
	s := t.scratch
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, false, load); err != nil {
		return false
	}
	t.nameLater(c.Arguments)
	p := mapper{t: &t.lifetimes, d: d, structured: true}
	d.mu.Lock()
	stays := p.stays(s.items, q)
	if !stays {
		p.uncount()
	}
	d.mu.Unlock()
	if !stays {
		return false
	}
	t.pushRegion(d, t.context.parent)
	r := &t.regions[len(t.regions)-1]
	r.undo = append(r.undo, s.undo...)
	t.planBegin(callbacks.EnterDataStart)
	t.end()
	if t.carryOutAll() {
		return true
	}
	// The region begins behind what the callback has done.
	t.popRegion()
	t.undoSteady(d, q)
	t.pushRegion(d, t.context.parent)
	t.enterRegion(d, c)
	t.end()
	t.carryOut()
	return true
}

// uncount takes back what count has counted.
func (p *mapper) uncount() {
	s := p.t.scratch
	for i := range s.undo {
		s.undo[i].mapping.Structured--
	}
	clear(s.undo)
	s.undo, s.pending = s.undo[:0], s.pending[:0]
}

// allStay says whether all of a region's mappings stay when it ends.
func (d *Device) allStay(list []undo) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	stay, n := true, 0
	for ; n < len(list) && stay; n++ {
		if list[n].attach || list[n].mapping.Structured == 0 {
			stay = false
			break
		}
		list[n].mapping.Structured--
		stay = live(list[n].mapping)
	}
	for i := range n {
		list[i].mapping.Structured++
	}
	return stay
}
