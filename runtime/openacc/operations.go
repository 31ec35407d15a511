package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/activity"
	"github.com/accscope/accscope/runtime/device"
)

// An enqueuer makes operations of queues steps of the plan, with the tickets by which
// devices report them.
type enqueuer struct{ raiser }

// put adds an operation of q to the plan, unless it cannot be prepared.
func (t *enqueuer) put(q *Queue, operands device.Operands) error {
	return t.putWith(q, nil, nil, operands)
}

// putWith is put for a launch of a kernel, or a copy to another device's memory.
func (t *enqueuer) putWith(q *Queue, k device.Kernel, to device.Device, operands device.Operands) error {
	t.makeRoom(1)
	s, n := t.step()
	p := t.plan
	o := &p.operations[p.prepared]
	o.queue, o.step, o.Kernel, o.To = q, n, k, to
	operands.Now = q.synchronous()
	*o.Operands = operands
	s.Operate(addressOf(o.Operands), addressOf(q.enqueued))
	if err := q.driver.Prepare(&o.Operation); err != nil {
		p.Count--
		return err
	}
	p.prepared++
	return nil
}

// planAwait adds that the thread waits for what is on q by then.
func (t *enqueuer) planAwait(q *Queue) {
	if err := t.put(q, device.Operands{Kind: device.Await}); err != nil {
		t.fail(t.fromDevice(err))
		return
	}
	o := &t.plan.operations[t.plan.prepared-1]
	t.plan.Step[o.step].Await(addressOf(o.Operands), addressOf(q.enqueued), addressOf(q.finished))
}

// correlate numbers the next operation on q (context.correlation) and gives the ticket by
// which its device is to report it, 0 if nobody is to be told; with is what only operations
// of its kind tell. One that no event tells of either needs no number.
func (t *enqueuer) correlate(q *Queue, with activity.Enqueued) (ticket uint64) {
	t.context.correlation = t.rt.correlations.Add(1)
	if !t.rt.activity.Wanted() {
		return 0
	}
	with.Async, with.Queue = int64(t.context.async), int64(q.async)
	return t.rt.activity.Ticket(t.context.correlation, with)
}

// enqueue puts an operation that has no events onto its queue; false: it has failed, as
// err says if it could not be prepared.
func (t *enqueuer) enqueue(err error) bool {
	t.carryOut()
	t.context.correlation = 0
	if err != nil {
		t.fail(t.fromDevice(err))
	}
	return err == nil
}

// zero puts the zeroing of device memory onto q. OpenACC 3.3 chapter 5 has no
// event for it; it is device activity.
func (t *enqueuer) zero(q *Queue, f *fill) {
	ticket := t.correlate(q, activity.Enqueued{})
	t.enqueue(t.put(q, device.Operands{Kind: device.ActivityFill, Correlation: ticket, Destination: uintptr(f.device), Bytes: uint64(f.size)}))
}

// planStore adds a copy of contents to device memory that is a part of a launch. They
// are read when it is carried out.
func (t *enqueuer) planStore(q *Queue, to device.Address, contents []byte) error {
	return t.put(q, device.Operands{Kind: device.Store, Destination: uintptr(to), Source: addressOf(unsafe.SliceData(contents)), Bytes: uint64(len(contents))})
}

// planLaunch adds the launch of a kernel for a construct that asks for a geometry, between
// the end of the construct's entry and the start of its exit.
func (t *enqueuer) planLaunch(q *Queue, k *kernelCode, asked, g device.Geometry, b device.ArgumentBlock) {
	name, ticket := "", uint64(0)
	tells := t.concerns(callbacks.EnterDataEnd) || t.concerns(callbacks.EnqueueLaunchStart) || t.concerns(callbacks.EnqueueLaunchEnd)
	if tells {
		name = t.composeLaunch(k, g)
	} else if t.rt.activity.Wanted() {
		name = t.kernelName(k)
	}
	if tells || t.rt.activity.Wanted() {
		with := activity.Enqueued{Name: name}
		if t.rt.activity.Wanted() {
			for i, by := range k.givers(asked) {
				with.By[i] = uint8(by)
			}
		}
		ticket = t.correlate(q, with)
	}
	if e := t.context.events; tells {
		e.steps[launchStart].Correlation, e.steps[launchEnd].Correlation = t.context.correlation, t.context.correlation
	}
	t.planComputes(enterEnd, launchStart)
	err := t.putWith(q, k.code, nil, device.Operands{Kind: device.ActivityKernel, Correlation: ticket, Destination: uintptr(b.Address), Bytes: b.Size, Geometry: g})
	if err != nil {
		t.planCompute(launchEnd)
		t.context.correlation = 0
		t.fail(t.fromDevice(err))
		return
	}
	t.planComputes(launchEnd, exitStart)
	t.context.correlation = 0
}

// composeLaunch fills in what the events of a launch say, and gives the kernel's name.
func (t *enqueuer) composeLaunch(k *kernelCode, g device.Geometry) string {
	e := t.compute()
	like := launched{k, g, t.version}
	if e.launched == like {
		return e.kernel
	}
	if e.launched.kernel != like.kernel || e.launched.version != like.version {
		t.carryOut() // the name may have to be read from debug information
		e.changed()
	}
	e.launched = like
	launch := e.launch.Launch()
	launch.KernelName = 0
	if e.kernel = t.kernelName(k); e.kernel != "" {
		launch.KernelName = callbacks.Intern(e.kernel)
	}
	launch.NumGangs, launch.NumWorkers, launch.VectorLength = uint64(g.Gangs), uint64(g.Workers), uint64(g.Vector)
	e.dims = [2]uint64{1, uint64(g.Gangs)}
	launch.NumGangsPerDim = addressOf(&e.dims)
	return e.kernel
}

// kernelName is what events call the kernel of the construct in progress.
func (t *enqueuer) kernelName(k *kernelCode) string {
	if n := t.rt.options.Namer; n != nil {
		if name := n.NameKernel(t.place, t.function); name != "" {
			return name
		}
	}
	return t.context.device.name(k)
}
