package openacc

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

type construct = callbacks.Construct

// An Attributor fills in the source position of an event: where the program
// called, and for a compute construct the function outlined from it (else 0).
type Attributor interface {
	Attribute(place Place, function uintptr, info *callbacks.Info)
}

// A context is what the events of one call have in common.
type context struct {
	parent   construct
	async    int // as given
	mapped   int // the queue it is mapped to
	implicit int32
	device   *Device
	queue    *Queue
}

// An eventPair is a _start event and its _end event. The zero value is ready.
type eventPair struct {
	pair   *callbacks.Pair
	thread *Thread
}

// release ends the pair; without a _start event it does nothing.
func (e *eventPair) release() {
	if e.pair != nil {
		e.pair.Release()
		e.thread.pairs = append(e.thread.pairs, e.pair)
		e.pair = nil
	}
}

// take gives the pair memory that C may see, if it has none yet.
func (e *eventPair) take(t *Thread) *callbacks.Pair {
	if e.pair == nil {
		e.thread = t
		if n := len(t.pairs); n > 0 {
			e.pair, t.pairs = t.pairs[n-1], t.pairs[:n-1]
		} else {
			e.pair = new(callbacks.Pair)
		}
	}
	return e.pair
}

// An eventFrame is the memory of one event being raised. A callback may raise
// further events on its thread, so there is one for each level.
type eventFrame struct {
	info  callbacks.Info
	event callbacks.EventInfo
	api   callbacks.APIInfo
	dims  [2]uint64 // acc_launch_event_info.num_gangs_per_dim
}

func (t *Thread) wanted(event callbacks.Event) bool { return t.rt.registry.Wanted(event) }

// begin prepares an event of the call in progress; send raises it.
func (t *Thread) begin(event callbacks.Event) *eventFrame {
	if t.depth == len(t.frames) {
		t.frames = append(t.frames, new(eventFrame))
	}
	f := t.frames[t.depth]
	t.depth++
	c := &t.context
	f.info = callbacks.Info{EventType: event, LineNo: -1, EndLineNo: -1, FuncLineNo: -1, FuncEndLineNo: -1,
		Async: int64(c.async), AsyncQueue: int64(c.mapped)}
	f.api = callbacks.APIInfo{Vendor: callbacks.Vendor}
	f.event.Reset()
	f.event.EventType, f.event.ParentConstruct, f.event.Implicit = event, c.parent, c.implicit
	if d := c.device; d != nil {
		f.onDevice(d)
		if q := c.queue; q != nil && d.isOpen() {
			f.api.AsyncHandle = q.handle()
		}
	} else {
		f.info.DeviceType = callbacks.DeviceType(t.requested())
		f.info.DeviceNumber = int32(t.deviceNumber)
		f.api.DeviceType = f.info.DeviceType
	}
	return f
}

func (f *eventFrame) onDevice(d *Device) {
	f.info.DeviceType, f.info.DeviceNumber = callbacks.DeviceType(d.Type), int32(d.Number)
	f.api.DeviceType = f.info.DeviceType
	if d.isOpen() {
		f.api.DeviceAPI = callbacks.API(d.handles.API)
		if !d.handles.StandIns {
			f.api.DeviceHandle = uintptr(d.handles.Device)
			f.api.ContextHandle = uintptr(d.handles.Context)
		}
	}
}

func (t *Thread) send(f *eventFrame, pair *callbacks.Pair) {
	if t.rt.options.Attributor != nil {
		t.attribute(&f.info)
	}
	t.nest()
	t.rt.registry.Dispatch(t.events, pair, &f.info, &f.event, &f.api)
	t.unnest()
	t.depth--
}

// attributed is the source position of the call in progress, which its events
// have in common.
type attributed struct {
	at   site
	done bool
	info callbacks.Info // the source fields
}

func (t *Thread) attribute(info *callbacks.Info) {
	at := site{t.place.ReturnAddress, t.function}
	a := &t.attributed
	if !a.done || a.at != at {
		t.rt.options.Attributor.Attribute(t.place, t.function, info)
		a.at, a.done, a.info = at, true, *info
		return
	}
	info.SrcFile, info.FuncName = a.info.SrcFile, a.info.FuncName
	info.LineNo, info.EndLineNo = a.info.LineNo, a.info.EndLineNo
	info.FuncLineNo, info.FuncEndLineNo = a.info.FuncLineNo, a.info.FuncEndLineNo
}

// raise raises an event that has no fields of its own.
func (t *Thread) raise(event callbacks.Event, pair *eventPair) {
	if t.wanted(event) {
		f := t.begin(event)
		if event == callbacks.ComputeConstructStart {
			// The construct has not come to the device's interface yet.
			f.api.DeviceAPI, f.api.DeviceHandle, f.api.ContextHandle, f.api.AsyncHandle = callbacks.APINone, 0, 0, 0
		}
		t.send(f, pair.take(t))
	}
}

// raiseInit raises the events around a device's initialisation. Until it is
// initialised, the device type is the one that the program asked for.
func (t *Thread) raiseInit(event callbacks.Event, pair *eventPair, d *Device, requested device.Type, explicit bool) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	f.info.DeviceType, f.info.DeviceNumber = callbacks.DeviceType(requested), int32(d.Number)
	f.info.Async, f.info.AsyncQueue = AsyncSync, AsyncSync
	f.api = callbacks.APIInfo{Vendor: callbacks.Vendor, DeviceType: f.info.DeviceType}
	f.event.Implicit = 1
	if explicit {
		f.event.Implicit = 0
	} else if t.context.parent == callbacks.RuntimeAPI && t.function == 0 {
		f.event.ParentConstruct = callbacks.RuntimeAPI
	}
	t.initialising++
	t.send(f, pair.take(t))
	t.initialising--
}

func (t *Thread) raiseShutdown(event callbacks.Event, pair *eventPair, d *Device, parent construct) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	f.onDevice(d)
	f.info.Async, f.info.AsyncQueue = AsyncSync, AsyncSync
	f.event.ParentConstruct = parent
	t.send(f, pair.take(t))
}

func (t *Thread) raiseWait(event callbacks.Event, pair *eventPair, q *Queue, implicit bool) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	f.onDevice(q.device)
	if !q.synchronous() {
		f.info.Async, f.info.AsyncQueue = int64(q.async), int64(q.async)
	}
	f.api.AsyncHandle = q.handle()
	f.event.Implicit = 0
	if implicit {
		f.event.Implicit = 1
	}
	t.send(f, pair.take(t))
}

// raiseData raises an event about size bytes; pair is nil for create, delete,
// alloc and free.
func (t *Thread) raiseData(event callbacks.Event, pair *eventPair, size, host uintptr, address device.Address, name string) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	t.sendData(f, pair, size, host, address, name)
}

// raiseDataOn is raiseData outside a construct, for a given device.
func (t *Thread) raiseDataOn(d *Device, event callbacks.Event, parent construct, size, host uintptr, address device.Address, name string) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	f.onDevice(d)
	f.event.ParentConstruct = parent
	t.sendData(f, nil, size, host, address, name)
}

func (t *Thread) sendData(f *eventFrame, pair *eventPair, size, host uintptr, address device.Address, name string) {
	data := f.event.Data()
	data.Bytes, data.HostPtr, data.DevicePtr = uint64(size), host, uintptr(address)
	if name != "" {
		data.VarName = cString(name)
	}
	if pair == nil {
		t.send(f, nil)
		return
	}
	t.send(f, pair.take(t))
}

func (t *Thread) raiseLaunch(event callbacks.Event, pair *eventPair, k kernelCode, g device.Geometry) {
	if !t.wanted(event) {
		return
	}
	f := t.begin(event)
	launch := f.event.Launch()
	if name := t.context.device.name(&k); name != "" {
		launch.KernelName = cString(name)
	}
	launch.NumGangs, launch.NumWorkers, launch.VectorLength = uint64(g.Gangs), uint64(g.Workers), uint64(g.Vector)
	f.dims = [2]uint64{1, uint64(g.Gangs)}
	launch.NumGangsPerDim = uintptr(unsafe.Pointer(&f.dims))
	f.event.Implicit = 1
	t.send(f, pair.take(t))
}
