package openacc

import (
	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A Construct is one directive as GCC-compiled code hands it over.
type Construct struct {
	OnHost    bool // an if clause was false; no wait directive's, which is not called then
	Function  uintptr
	Arguments goacc.Arguments
	Geometry  device.Geometry
	Async     int
	Waits     []int32
}

// A region is an open data construct: what its end has to undo.
type region struct {
	device     *Device
	generation uint64
	parent     construct
	begin      uintptr // return address of the call that opened it
	undo       []undo
}

// directives are those that are no compute constructs.
type directives struct {
	launcher
	declared []hostRange // variables of declare directives that were present before
}

// malformed reports sections and map kinds that a directive cannot have.
func (t *raiser) malformed(err error) {
	if e, ok := err.(*goacc.SectionError); ok {
		t.fail(t.about(e.Entry, e.Host, 0, t.errorf(errorInvalidDataSection, "%v", err)))
		return
	}
	t.fail(device.Errorf(device.Other, 0, "%v", err))
}

// DataStart is the entry of a data construct, a host_data construct or a Fortran
// procedure with declare directives (OpenACC 3.3 §2.6.5, §2.8, §2.13). Device
// addresses for host_data are written to the construct's host addresses.
func (t *directives) DataStart(c *Construct) {
	parent := callbacks.Data
	for i := range c.Arguments.Kinds {
		switch goacc.Kind(c.Arguments.Kinds[i]) {
		case goacc.UseDevice, goacc.UseDeviceIfPresent:
			parent = callbacks.HostData
		}
	}
	t.enter("data construct", parent, AsyncSync)
	t.context.parent = t.written(c, parent)
	if parent == callbacks.HostData {
		t.routine = "host_data construct"
	}
	d := t.use()
	if d == nil {
		return
	}
	if c.OnHost {
		d = t.rt.device(DeviceHost, 0)
		t.context.device = d
	}
	if !d.Shared {
		if t.context.queue = t.queue(d, AsyncSync); t.context.queue == nil {
			return
		}
	}
	if parent == callbacks.Data && !d.Shared && t.enterSteadyRegion(d, c) {
		return
	}
	t.begin(callbacks.EnterDataStart)
	t.pushRegion(d, t.context.parent)
	if !d.Shared {
		t.enterRegion(d, c)
	}
	t.end()
	t.carryOut()
}

// pushRegion opens a region, in the memory of one that was closed before.
func (t *directives) pushRegion(d *Device, parent construct) {
	n := len(t.regions)
	if n == cap(t.regions) {
		t.regions = append(t.regions, region{})
	}
	t.regions = t.regions[:n+1]
	r := &t.regions[n]
	r.device, r.generation, r.parent, r.undo = d, d.generation.Load(), parent, r.undo[:0]
	r.begin = t.place.ReturnAddress
}

func (t *directives) popRegion() {
	n := len(t.regions) - 1
	clear(t.regions[n].undo)
	t.regions = t.regions[:n]
}

func (t *directives) enterRegion(d *Device, c *Construct) {
	q := t.queue(d, AsyncSync)
	if q == nil {
		return
	}
	t.context.queue = q
	t.clearScratch()
	s := t.scratch
	s.arguments = c.Arguments
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, false, load); err != nil {
		t.malformed(err)
		return
	}
	t.nameDirective(c.Arguments)
	p := mapper{t: &t.lifetimes, d: d, structured: true, hosts: c.Arguments.Hosts}
	d.mu.Lock()
	_, failure := p.mapVariables(s.items)
	d.mu.Unlock()
	if failure != nil {
		t.failMapping(d, failure)
		return
	}
	t.here().unsteady = len(s.created) > 0
	last := &t.regions[len(t.regions)-1]
	last.undo = append(last.undo, s.undo...)
	t.enqueueUploads(d, q)
	t.settle(d, q, true)
	t.giveUp(d, q)
}

// DataEnd is the exit of the innermost construct that DataStart entered.
func (t *directives) DataEnd() {
	t.enter("data construct", callbacks.Data, AsyncSync)
	if len(t.regions) == 0 {
		t.fail(t.errorf(device.Other, "a data region ends that this host thread did not begin"))
		return
	}
	r := t.regions[len(t.regions)-1]
	defer t.popRegion()
	t.context.parent, t.context.device = r.parent, r.device
	// Its events are the construct's, whose line is the one where it begins.
	t.place.ReturnAddress = r.begin
	if r.device.Shared || len(r.undo) == 0 || r.device.generation.Load() != r.generation {
		// Nothing to undo: shared memory, host_data, or a device shut down since.
		t.planBegin(callbacks.ExitDataStart)
		t.end()
		t.carryOut()
		return
	}
	d := r.device
	q := t.queue(d, AsyncSync)
	if q == nil {
		return
	}
	t.context.queue = q
	t.planBegin(callbacks.ExitDataStart)
	ended := !q.busy() && d.allStay(r.undo)
	if ended {
		t.end()
	}
	if !t.carryOutAll() {
		ended = false
	}
	t.clearScratch()
	d.mu.Lock()
	t.release(d, r.undo, q)
	own := t.beginCopyBack(d, q)
	d.mu.Unlock()
	t.enqueueExits(d, q, own)
	if !ended {
		t.end()
	}
	t.carryOut()
}

// standalone does a directive without a region: what there is to do on a device with a
// memory of its own. Where an if clause is false that is nothing, but a wait clause holds:
// OpenACC 3.3 §2.16.2 leaves it open, and a program may count on it.
func (t *directives) standalone(c *Construct, start callbacks.Event, work func(*Device, *Queue)) {
	d := t.use()
	if d == nil || !t.checkAsync(c.Async) {
		return
	}
	works := !d.Shared && !c.OnHost
	if c.OnHost {
		t.context.device = t.rt.device(DeviceHost, 0)
	}
	var q *Queue
	if works || !d.Shared && len(c.Waits) > 0 {
		if q = t.queue(d, c.Async); q == nil {
			return
		}
	}
	if works {
		t.context.queue = q
	}
	t.begin(start)
	if len(c.Waits) > 0 {
		t.waitClause(d, q, c.Waits)
	}
	if works {
		t.clearScratch()
		work(d, q)
	}
	t.end()
	t.carryOut()
}

// decode makes the items of a directive that stands alone, and says whether they could be
// made.
func (t *directives) decode(c *Construct, items func([]goacc.Item, goacc.Arguments) ([]goacc.Item, error)) bool {
	t.scratch.arguments = c.Arguments
	var err error
	if t.scratch.items, err = items(t.scratch.items, c.Arguments); err != nil {
		t.malformed(err)
		return false
	}
	t.nameDirective(c.Arguments)
	return true
}

// EnterData is an enter data directive (OpenACC 3.3 §2.6.6).
func (t *directives) EnterData(c *Construct) {
	t.enter("enter data directive", callbacks.EnterData, c.Async)
	t.standalone(c, callbacks.EnterDataStart, func(d *Device, q *Queue) {
		if !t.decode(c, goacc.EnterData) {
			return
		}
		t.beginLifetimes(d, q, &mapper{t: &t.lifetimes, d: d})
	})
}

// ExitData is an exit data directive (OpenACC 3.3 §2.6.6).
func (t *directives) ExitData(c *Construct) {
	t.enter("exit data directive", callbacks.ExitData, c.Async)
	t.standalone(c, callbacks.ExitDataStart, func(d *Device, q *Queue) {
		if !t.decode(c, goacc.ExitData) {
			return
		}
		t.endLifetimes(d, q)
	})
}
