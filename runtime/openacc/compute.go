package openacc

import (
	"fmt"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// A launcher does compute constructs (OpenACC 3.3 §2.5).
type launcher struct{ lifetimes }

// Parallel is a compute construct: parallel, kernels or serial, which GCC's call
// does not tell apart (OpenACC 3.3 §2.5). It gives the device, which shares the host's
// memory, on which its caller is to run the construct: to raise the construct's events,
// and to call BeforeLocal and the construct's function between them. Nil: it is done. The
// function is called from no Go code, since it may end its thread or jump out of the call.
func (t *launcher) Parallel(c *Construct) (local *Device) {
	t.enterParallel(c)
	d := t.use()
	if d == nil || !t.checkAsync(c.Async) {
		return nil
	}
	local = d
	if c.OnHost {
		local = t.rt.device(DeviceHost, 0)
		if !t.open(local) {
			return nil
		}
	}
	if local.Shared {
		return local
	}
	t.context.offloads = true
	t.offload(d, c)
	return nil
}

func (t *launcher) enterParallel(c *Construct) {
	t.enter("compute construct", callbacks.Parallel, AsyncSync)
	t.function = c.Function
	t.context.parent = t.written(c, callbacks.Parallel)
}

// BeforeLocal has the host thread wait, before it runs a construct itself, for the
// operations of its current device that come before the construct: what is on the queues
// of its wait clause (OpenACC 3.3 §2.16.2), and on the queue that it would have been put
// onto (§2.16).
func (t *launcher) BeforeLocal(c *Construct) {
	d := t.current
	if d == nil || !d.isOpen() { // the callback of the construct's first event has shut it down
		return
	}
	t.enterParallel(c)
	t.context.device = d
	t.waitClause(d, nil, c.Waits)
	if own := t.mapAsync(c.Async); own != AsyncSync {
		if q := d.existing(own); q != nil && q.busy() {
			t.await(q, true, waitTold)
		}
	}
	if t.rt.environment.notify {
		t.notifyLocal(d, c)
	}
}

// notifyLocal prints ACC_NOTIFY's line of a construct that the host thread runs itself.
func (t *launcher) notifyLocal(d *Device, c *Construct) {
	if c.OnHost {
		d = t.rt.device(DeviceHost, 0)
	}
	k, err := d.kernel(c.Function)
	if err != nil {
		t.fail(t.fromDevice(err))
		return
	}
	t.sayLaunch(d, k, c, device.Geometry{Gangs: 1, Workers: 1, Vector: 1})
}

// offload is a compute construct on a device with a memory of its own. The async-value
// is that of the call, whatever callbacks of its first event set.
func (t *launcher) offload(d *Device, c *Construct) {
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
		t.clearScratch()
		if done = t.offloadTo(d, q, c); !done {
			q = t.queue(d, async)
		}
	}
}

// offloadTo does a compute construct on q, whose first events are planned. False: a
// callback of these called the runtime, what it has set holds for this construct, and
// nothing has happened yet.
func (t *launcher) offloadTo(d *Device, q *Queue, c *Construct) bool {
	s := t.scratch
	p := mapper{t: &t.lifetimes, d: d, structured: true, queue: q}
	start := t.plan.mark()
	r := t.launch(c)
	k := r.knownKernel(d, c.Function)
	steady := k != nil
	if steady && t.callbacksMayWrite(1<<callbacks.ComputeConstructStart|1<<callbacks.EnterDataStart) && !t.carryOutAll() {
		return false // values are read behind them
	}
	if steady = steady && !t.here().unsteady && t.enterSteady(&p, c, k, r); !steady {
		if !t.carryOutAll() {
			return false
		}
		if k = t.enterCompute(&p, c, k); k == nil {
			return true
		}
	}
	if err := t.planArguments(d, q, k); err != nil {
		t.fail(t.fromDevice(err))
		return true
	}
	if steady {
		t.noteRecall(&p, c)
	} else {
		t.settle(d, q, false)
	}
	geometry := k.resolve(c)
	t.notify(d, k, c, geometry)
	t.planLaunch(q, k, c.Geometry, geometry, s.stored.ArgumentBlock)
	if steady {
		t.planSteadyEnd(q)
	}
	if !t.advance() {
		if steady && t.plan.isWithin(start) {
			t.drop(computeStart)
			t.undoSteady(d, q)
			return false
		}
		t.drop(t.undecided())
		t.refresh()
		t.carryOut()
		steady = false
	}
	if steady {
		t.finish(q, waitOver)
	}

	d.mu.Lock()
	q.arguments.Launched(s.stored)
	t.release(d, s.undo, q)
	own := t.beginCopyBack(d, q)
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

// undecided is the first event that may have to be another one, behind that of the plan
// whose callback called the runtime: a wait that has begun ends, too.
func (t *launcher) undecided() int {
	if last := t.plan.Step[t.plan.Done-1]; isFrom(last, waitStart) {
		return exitEnd
	}
	return waitStart
}

// enterCompute performs the entry actions of a compute construct and finds its kernel,
// if k is none yet; nil: it has failed.
func (t *launcher) enterCompute(p *mapper, c *Construct, k *kernelCode) *kernelCode {
	d, s := p.d, t.scratch
	s.arguments = c.Arguments
	var err error
	if s.items, err = goacc.Region(s.items, c.Arguments, true, load); err != nil {
		t.malformed(err)
		return nil
	}
	t.nameDirective(c.Arguments)
	s.block.Begin(len(c.Arguments.Hosts))
	s.varies = t.here().values.changes
	d.mu.Lock()
	mapped, failure := p.mapVariables(s.items)
	d.mu.Unlock()
	if failure != nil {
		t.failMapping(d, failure)
		return nil
	}
	t.here().unsteady = len(s.created) > 0
	if len(s.suspects) > 0 && !t.warnOfHostPointers(d, c) {
		return nil
	}
	if !mapped { // the addresses are garbage: the function reads none of them
		s.block.Begin(len(c.Arguments.Hosts))
		for i, host := range c.Arguments.Hosts {
			s.block.SetAddress(i, device.Address(host))
		}
	}
	made := len(s.created) > 0
	t.enqueueUploads(d, p.queue)
	if made && t.callbacksMayWrite(creationEvents) {
		t.readValues(d)
	}
	if k == nil {
		if k, err = d.kernel(c.Function); err != nil {
			t.fail(t.fromDevice(err))
			return nil
		}
	}
	if mapped && d.hostCoded != nil && !t.warnOfInner(p, k, c) {
		return nil
	}
	return k
}

// notify prints PGI's ACC_NOTIFY line, where the environment asks for it.
func (t *launcher) notify(d *Device, k *kernelCode, c *Construct, g device.Geometry) {
	if t.rt.environment.notify {
		t.sayLaunch(d, k, c, g)
	}
}

func (t *launcher) sayLaunch(d *Device, k *kernelCode, c *Construct, g device.Geometry) {
	name := d.name(k)
	if name == "" {
		name = fmt.Sprintf("%#x", c.Function)
	}
	// A closed standard output is the program's own affair.
	_, _ = fmt.Fprintf(t.rt.options.Output, "launch kernel  function=%s device=%s queue=%d num_gangs=%d num_workers=%d vector_length=%d\n",
		name, d, t.context.async, g.Gangs, g.Workers, g.Vector)
}
