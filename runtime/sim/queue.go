package sim

// #include "queue.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

type queue struct {
	device *simDevice
	stream atomic.Pointer[C.struct_accscope_sim_stream] // nil when closed
}

func (d *simDevice) NewQueue() (device.Queue, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed.Load() {
		return nil, d.shutDown("make a queue")
	}
	number := (d.next.Add(1) - 1) % uint32(d.backend.options.Queues)
	stream := C.accscope_sim_stream_open(d.c, C.uint(number))
	if stream == nil {
		return nil, device.Errorf(device.System, 0, "make a queue: no host memory left")
	}
	q := &queue{device: d}
	q.stream.Store(stream)
	d.queues[q] = struct{}{}
	return q, nil
}

func (q *queue) answer(a C.struct_accscope_sim_answer, doing string) error {
	if a.wake != 0 {
		q.device.records.wake()
	}
	if a.error != 0 {
		return q.device.failure(a.error, doing)
	}
	return nil
}

// A step fits into the operands.
var _ [unsafe.Sizeof(device.Operands{}) - C.sizeof_struct_accscope_sim_step]byte

var runStep = uintptr(C.accscope_sim_run_step)

func (q *queue) Prepare(o *device.Operation) error {
	s := (*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands))
	s.fail, s.answer.error, s.answer.wake = false, 0, 0
	o.Run = runStep
	if s.stream = q.stream.Load(); s.stream == nil && o.Kind != device.Await {
		return q.device.shutDown(o.Doing())
	}
	switch o.Kind {
	case device.Await:
		return nil
	case device.ActivityKernel:
		return q.launch(o, s)
	case device.ActivityCopy:
		return q.copies(o)
	}
	memory := o.Destination
	if o.Kind == device.ActivityDownload {
		memory = o.Source
	}
	return q.device.checkRange(o.Doing(), device.Address(memory), o.Bytes)
}

func (q *queue) copies(o *device.Operation) error {
	var other *simDevice
	switch to := o.To.(type) {
	case hostCoded:
		other = to.simDevice
	case *codeDevice:
		other = to.simDevice
		if other != q.device && other.checks != nil {
			to.memory.Written(o.Destination, o.Bytes) // what its own operations do is not seen beside this
		}
	default:
		return device.Errorf(device.InvalidArgument, 0, "copy: the memory belongs to a device of another kind")
	}
	if err := other.checkRange("copy to", device.Address(o.Destination), o.Bytes); err != nil {
		return err
	}
	return q.device.checkRange("copy from", device.Address(o.Source), o.Bytes)
}

func (q *queue) launch(o *device.Operation, s *C.struct_accscope_sim_step) error {
	var code *kernel
	switch k := o.Kernel.(type) {
	case *kernel:
		code = k
	case *codeKernel:
		code = &k.kernel
		if err := k.Check(k.name, "sim", q.device.number, o.Geometry); err != nil {
			return err
		}
	default:
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	o.Source, s.fail = uintptr(code.function), C.bool(code.fails)
	if o.Bytes == 0 {
		return nil
	}
	return q.device.checkRange("launch with", device.Address(o.Destination), o.Bytes)
}

func (q *queue) Outcome(o *device.Operation) error {
	q.device.heard(nil)
	a := (*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands)).answer
	if a.error == 0 {
		return q.answer(a, "")
	}
	return q.answer(a, o.Doing())
}

func (q *queue) Then(f func()) error {
	stream := q.stream.Load()
	if stream == nil {
		return q.device.shutDown("call back")
	}
	handle := cgo.NewHandle(f)
	err := q.answer(C.accscope_sim_then(stream, C.uintptr_t(handle)), "call back")
	if err != nil {
		handle.Delete()
	}
	return err
}

//export accscope_sim_run_then
func accscope_sim_run_then(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	f := h.Value().(func())
	h.Delete()
	f()
}

// mark is a point in a hardware queue.
type mark struct {
	device *simDevice // keeps the C side of the queues
	c      *C.struct_accscope_sim_mark
}

func (q *queue) Record() (device.Mark, error) {
	stream := q.stream.Load()
	if stream == nil {
		return nil, q.device.shutDown("mark a queue")
	}
	c := C.accscope_sim_record(stream)
	if c == nil {
		return nil, device.Errorf(device.System, 0, "mark a queue: no host memory left")
	}
	return &mark{q.device, c}, nil
}

func (m *mark) Done() (bool, error) {
	is := atomicLoad(&m.c.hardware.completed) >= uint64(m.c.sequence)
	if is {
		m.device.heard(func() { C.accscope_sim_heard_of(m.c) })
	}
	return is, nil
}

func (m *mark) Release() { C.accscope_sim_mark_release(m.c) }

func (q *queue) Wait(on device.Mark) error {
	m, ok := on.(*mark)
	if !ok || m.device != q.device {
		return device.Errorf(device.InvalidArgument, 0, "wait: the mark belongs to another device")
	}
	stream := q.stream.Load()
	if stream == nil {
		return q.device.shutDown("wait")
	}
	return q.answer(C.accscope_sim_wait(stream, m.c), "wait")
}

// done says whether all operations have finished, and none failed.
func done(stream *C.struct_accscope_sim_stream) (idle, failed bool) {
	idle = atomicLoad(&stream.hardware.completed) >= atomicLoad(&stream.last)
	failed = atomicLoad(&stream.error) != 0 || atomicLoad(&stream.hardware.device.lost) != 0
	return idle, failed
}

func (q *queue) Idle() (bool, error) {
	stream := q.stream.Load()
	if stream == nil {
		return true, nil
	}
	idle, failed := done(stream)
	if failed {
		return idle, q.device.failure(C.accscope_sim_error(stream), "test a queue")
	}
	if idle {
		q.device.heard(func() { C.accscope_sim_heard_all(stream) })
	}
	return idle, nil
}

func (q *queue) Synchronize() error {
	stream := q.stream.Load()
	if stream == nil {
		return nil
	}
	if idle, failed := done(stream); !idle || failed {
		return q.device.failure(C.accscope_sim_synchronize(stream), "wait for a queue")
	}
	q.device.heard(func() { C.accscope_sim_heard_all(stream) })
	return nil
}

// Handle stands for a CUDA stream where the device answers as a CUDA device.
func (q *queue) Handle() unsafe.Pointer {
	if q.device.backend.options.As != TypeNVIDIA {
		return nil
	}
	return unsafe.Pointer(q.stream.Load())
}

// Close waits for the queue and gives the error that nobody has heard of yet.
// It is harmless to close twice.
func (q *queue) Close() error {
	err := q.Synchronize()
	d := q.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	delete(d.queues, q)
	q.release()
	return err
}

func (q *queue) release() {
	if stream := q.stream.Swap(nil); stream != nil {
		C.accscope_sim_stream_close(stream)
		q.device.remains.streams = append(q.device.remains.streams, stream)
	}
}

// atomicLoad reads what C code writes atomically.
func atomicLoad[T C.uint64_t | C.uint](place *T) uint64 {
	if unsafe.Sizeof(*place) == 8 {
		return atomic.LoadUint64((*uint64)(unsafe.Pointer(place)))
	}
	return uint64(atomic.LoadUint32((*uint32)(unsafe.Pointer(place))))
}
