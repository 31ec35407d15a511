package openacc

import (
	"github.com/accscope/accscope/callbacks"
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
	if !p.resolveAll(s.items, p.queue) || p.hasInner(s.items, k) {
		return false
	}
	p.takeAll(s.items)
	s.version = p.d.table.Version()
	return true
}

// undoSteady undoes enterSteady: a callback of the construct's first events called the
// runtime. What it has deleted goes now.
func (t *launcher) undoSteady(d *Device, q *Queue) {
	s := t.scratch
	for i := range s.undo {
		s.undo[i].copyout = false // the construct has not begun
	}
	d.mu.Lock()
	if s.stored != nil {
		q.arguments.Dropped(s.stored)
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
	steady := p.resolveAll(s.items, q)
	if steady {
		p.takeAll(s.items)
	}
	d.mu.Unlock()
	if !steady {
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
