package openacc

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A Construct is one directive as GCC-compiled code hands it over.
type Construct struct {
	OnHost    bool // an if clause was false
	Function  uintptr
	Arguments goacc.Arguments
	Geometry  device.Geometry
	Async     int
	Waits     []int32
}

// prepare starts a construct's work on the scratch space.
func (t *Thread) prepare() {
	s := t.scratch
	s.fills, s.uploads, s.stores, s.downloads = s.fills[:0], s.uploads[:0], s.stores[:0], s.downloads[:0]
	s.undo, s.created, s.removed = s.undo[:0], s.created[:0], s.removed[:0]
	s.pending, s.exits, s.staging = s.pending[:0], s.exits[:0], s.staging[:0]
	s.names, s.unnamed, s.arrivals, s.landings = s.names[:0], false, s.arrivals[:0], s.landings[:0]
	s.late, s.suspects, s.recalled, s.again = s.late[:0], s.suspects[:0], nil, false
	t.entered++
}

func (t *Thread) checkAsync(async int) bool {
	if !validAsync(async) {
		t.fail(t.invalidAsync("async argument", async))
		return false
	}
	return true
}

// malformed reports sections and map kinds that a directive cannot have.
func (t *Thread) malformed(err error) {
	if _, ok := err.(*goacc.SectionError); ok {
		t.fail(t.errorf(errorInvalidDataSection, "%v", err))
		return
	}
	t.fail(device.Errorf(device.Other, 0, "%v", err))
}

// Parallel is a compute construct: parallel, kernels or serial, which GCC's call
// does not tell apart (OpenACC 3.3 §2.5).
func (t *Thread) Parallel(c *Construct) {
	t.enter("compute construct", callbacks.Parallel, AsyncSync)
	t.function = c.Function
	t.context.parent = t.written(c, callbacks.Parallel)
	d := t.use()
	if d == nil {
		return
	}
	if c.OnHost {
		d = t.rt.device(DeviceHost, 0)
		t.initialise(d, false)
		t.context.device = d
	} else if !t.checkAsync(c.Async) {
		return
	}
	if !d.Shared {
		t.context.offloads = true
		t.offload(d, c)
		t.endCompute()
		return
	}
	t.begin(callbacks.ComputeConstructStart)
	if !c.OnHost {
		t.waitClause(d, nil, c.Waits)
	}
	t.runOn(d, c)
	t.end()
	t.carryOut()
}

// runOn runs the outlined function on a device that shares the host's memory.
func (t *Thread) runOn(d *Device, c *Construct) {
	k, err := d.kernel(c.Function)
	if err != nil {
		t.fail(t.fromDevice(err))
		return
	}
	s := t.scratch
	s.hosts = append(s.hosts[:0], c.Arguments.Hosts...)
	block := device.ArgumentBlock{Address: device.Address(unsafe.Pointer(unsafe.SliceData(s.hosts)))}
	q := t.synchronousQueue(d)
	if q == nil {
		return
	}
	one := device.Geometry{Gangs: 1, Workers: 1, Vector: 1}
	t.notify(d, k, c, one)
	// A call of the host's own code is no enqueue, and no device's activity.
	if err := t.planKernel(q, 0, &k, one, block); err != nil {
		t.fail(t.fromDevice(err))
	}
	t.carryOut()
	runtime.KeepAlive(s.hosts)
	if err := q.driver.Synchronize(); err != nil {
		t.fail(t.fromDevice(err))
	}
}

// offload is a compute construct on a device with a memory of its own. The async-value
// is that of the call, whatever callbacks of its first event set.
func (t *Thread) offload(d *Device, c *Construct) {
	async := t.mapAsync(c.Async)
	q := t.queue(d, async)
	if q == nil {
		return
	}
	t.context.async, t.context.queue = async, q
	if len(c.Waits) > 0 {
		t.planCompute(computeStart)
		t.carryOut()
		if q = t.queue(d, async); q == nil {
			return
		}
		t.context.queue, t.context.implicit = q, 1
		t.waitClause(d, q, c.Waits)
	}
	for done := false; !done && q != nil; {
		t.context.queue, t.context.implicit = q, 1
		t.planComputes(computeStart, enterStart)
		t.prepare()
		if done = t.offloadTo(d, q, c); !done {
			q = t.queue(d, async)
		}
	}
}

// offloadTo does a compute construct on q, whose first events are planned. False: a
// callback of these called the runtime, what it has set holds for this construct, and
// nothing has happened yet.
func (t *Thread) offloadTo(d *Device, q *Queue, c *Construct) bool {
	s := t.scratch
	p := planner{t: t, d: d, structured: true, queue: q}
	start := t.plan.mark()
	k, steady := d.knownKernel(c.Function)
	if steady = steady && !t.unsteady.has(t.site()) && t.enterSteady(&p, c, &k); !steady {
		if !t.carryOutAll() {
			return false
		}
		if !t.enterCompute(&p, c, &k) {
			return true
		}
	}
	block, err := t.planArguments(d, q, &k)
	if err != nil {
		t.fail(t.fromDevice(err))
		return true
	}
	if steady {
		p.keep(c, &k)
	} else {
		t.settle(d, q, false)
	}
	geometry := k.code.Resolve(c.Geometry)
	t.notify(d, k, c, geometry)
	t.planLaunch(q, &k, geometry, block.ArgumentBlock)
	if steady {
		t.planSteadyEnd(q)
	}
	if !t.advance() {
		if steady && t.plan.isWithin(start) {
			q.arguments.Launched(block) // it will never be
			t.drop(computeStart)
			t.leaveSteady(d, q)
			return false
		}
		t.drop(waitStart)
		t.refresh()
		t.carryOut()
		steady = false
	}
	if block.Contents != nil {
		q.arguments.Stored(block)
	}
	q.arguments.Launched(block)
	if steady && q.synchronous() {
		t.endSteady(q)
	}

	d.mu.Lock()
	t.release(d, s.undo, q)
	own := t.leave(d, q)
	d.mu.Unlock()
	if steady && t.isOver(q) {
		return true
	}
	t.enqueueExits(d, q, own)
	t.planCompute(exitEnd)
	t.context.implicit = 0
	t.planCompute(computeEnd)
	t.carryOut()
	return true
}

// enterCompute performs the entry actions of a compute construct and finds its kernel,
// if k is none yet; false: it has failed.
func (t *Thread) enterCompute(p *planner, c *Construct, k *kernelCode) bool {
	d, s := p.d, t.scratch
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, true, load); err != nil {
		t.malformed(err)
		return false
	}
	t.nameDirective(c.Arguments)
	s.block.Begin(len(c.Arguments.Hosts))
	d.mu.Lock()
	mapped, failure := p.mapVariables(s.items)
	d.mu.Unlock()
	if failure != nil {
		t.failMapping(d, failure)
		return false
	}
	t.unsteady.note(t.site(), len(s.created) == 0)
	if len(s.suspects) > 0 && !t.warnOfHostPointers(d, c) {
		return false
	}
	if !mapped { // the addresses are garbage: the function reads none of them
		s.block.Begin(len(c.Arguments.Hosts))
		for i, host := range c.Arguments.Hosts {
			s.block.SetAddress(i, device.Address(host))
		}
	}
	t.enqueueUploads(d, p.queue)
	if k.code == nil {
		if *k, err = d.kernel(c.Function); err != nil {
			t.fail(t.fromDevice(err))
			return false
		}
	}
	return true
}

// notify prints PGI's ACC_NOTIFY line.
func (t *Thread) notify(d *Device, k kernelCode, c *Construct, g device.Geometry) {
	if !t.rt.environment.notify {
		return
	}
	name := d.name(&k)
	if name == "" {
		name = fmt.Sprintf("%#x", c.Function)
	}
	// A closed standard output is the program's own affair.
	_, _ = fmt.Fprintf(t.rt.options.Output, "launch kernel  function=%s device=%s queue=%d num_gangs=%d num_workers=%d vector_length=%d\n",
		name, d, t.context.async, g.Gangs, g.Workers, g.Vector)
}

// DataStart is the entry of a data construct, a host_data construct or a Fortran
// procedure with declare directives (OpenACC 3.3 §2.6.5, §2.8, §2.13). Device
// addresses for host_data are written to the construct's host addresses.
func (t *Thread) DataStart(c *Construct) {
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
func (t *Thread) pushRegion(d *Device, parent construct) {
	n := len(t.regions)
	if n == cap(t.regions) {
		t.regions = append(t.regions, region{})
	}
	t.regions = t.regions[:n+1]
	r := &t.regions[n]
	r.device, r.generation, r.parent, r.undo = d, d.generation.Load(), parent, r.undo[:0]
	r.begin = t.place.ReturnAddress
}

func (t *Thread) popRegion() {
	n := len(t.regions) - 1
	clear(t.regions[n].undo)
	t.regions = t.regions[:n]
}

func (t *Thread) enterRegion(d *Device, c *Construct) {
	q := t.queue(d, AsyncSync)
	if q == nil {
		return
	}
	t.context.queue = q
	t.prepare()
	s := t.scratch
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, false, load); err != nil {
		t.malformed(err)
		return
	}
	t.nameDirective(c.Arguments)
	p := planner{t: t, d: d, structured: true, hosts: c.Arguments.Hosts}
	d.mu.Lock()
	_, failure := p.mapVariables(s.items)
	d.mu.Unlock()
	if failure != nil {
		t.failMapping(d, failure)
		return
	}
	t.unsteady.note(t.site(), len(s.created) == 0)
	last := &t.regions[len(t.regions)-1]
	last.undo = append(last.undo, s.undo...)
	t.enqueueUploads(d, q)
	t.settle(d, q, true)
	if len(s.removed) > 0 {
		t.discard(d, q)
	}
}

// DataEnd is the exit of the innermost construct that DataStart entered.
func (t *Thread) DataEnd() {
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
	ended := !q.busy() && d.keeps(r.undo)
	if ended {
		t.end()
	}
	if !t.wholePlan() {
		ended = false
	}
	t.prepare()
	d.mu.Lock()
	t.release(d, r.undo, q)
	own := t.leave(d, q)
	d.mu.Unlock()
	t.enqueueExits(d, q, own)
	if !ended {
		t.end()
	}
	t.carryOut()
}

// standalone begins a directive without a region: its device and queue, nil
// where there is nothing to do.
func (t *Thread) standalone(c *Construct, start callbacks.Event, work func(*Device, *Queue)) {
	d := t.use()
	if d == nil || !t.checkAsync(c.Async) {
		return
	}
	if c.OnHost {
		d = t.rt.device(DeviceHost, 0)
		t.context.device = d
	}
	var q *Queue
	if !d.Shared {
		if q = t.queue(d, c.Async); q == nil {
			return
		}
		t.context.queue = q
	}
	t.begin(start)
	if !c.OnHost && len(c.Waits) > 0 {
		t.waitClause(d, q, c.Waits)
	}
	if q != nil {
		t.prepare()
		work(d, q)
	}
	t.end()
	t.carryOut()
}

// decode makes the items of a directive that stands alone, and says whether they could be
// made.
func (t *Thread) decode(c *Construct, items func([]goacc.Item, goacc.Arguments) ([]goacc.Item, error)) bool {
	var err error
	if t.scratch.items, err = items(t.scratch.items, c.Arguments); err != nil {
		t.malformed(err)
		return false
	}
	t.nameDirective(c.Arguments)
	return true
}

// EnterData is an enter data directive (OpenACC 3.3 §2.6.6).
func (t *Thread) EnterData(c *Construct) {
	t.enter("enter data directive", callbacks.EnterData, c.Async)
	t.standalone(c, callbacks.EnterDataStart, func(d *Device, q *Queue) {
		if !t.decode(c, goacc.EnterData) {
			return
		}
		t.beginLifetimes(d, q, &planner{t: t, d: d})
	})
}

// beginLifetimes performs the entry actions of the items in the scratch space.
func (t *Thread) beginLifetimes(d *Device, q *Queue, p *planner) {
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
	if len(s.removed) > 0 {
		t.discard(d, q)
	}
}

// ExitData is an exit data directive (OpenACC 3.3 §2.6.6).
func (t *Thread) ExitData(c *Construct) {
	t.enter("exit data directive", callbacks.ExitData, c.Async)
	t.standalone(c, callbacks.ExitDataStart, func(d *Device, q *Queue) {
		if !t.decode(c, goacc.ExitData) {
			return
		}
		t.endLifetimes(d, q)
	})
}

func (t *Thread) endLifetimes(d *Device, q *Queue) {
	d.mu.Lock()
	failure := t.exitData(d, t.scratch.items)
	own := t.leave(d, q)
	d.mu.Unlock()
	if failure != nil {
		if own != nil {
			d.left(own)
		}
		t.fail(failure)
		return
	}
	t.awaitBlocks(d, q)
	t.enqueueExits(d, q, own)
}
