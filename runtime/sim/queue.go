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

// prepare begins an operation that is to be run later.
func (q *queue) prepare(o *device.Operation, doing string, kind C.int, correlation uint64, dst, src uintptr, n uint64, now bool) (*C.struct_accscope_sim_step, error) {
	stream := q.stream.Load()
	if stream == nil {
		return nil, q.device.shutDown(doing)
	}
	o.Doing = doing
	s := (*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands))
	s.stream, s.kind, s.correlation = stream, kind, C.uint64_t(correlation)
	s.destination, s.source, s.bytes = C.uintptr_t(dst), C.uintptr_t(src), C.uint64_t(n)
	s.answer.error, s.answer.wake = 0, 0
	s.fail, s.now, s.parts = false, C.bool(now), 0
	o.Run = runStep
	return s, nil
}

var runStep = uintptr(C.accscope_sim_run_step)

// transfer is prepare for what touches n bytes of device memory.
func (q *queue) transfer(o *device.Operation, doing string, kind C.int, correlation uint64, memory device.Address, dst, src uintptr, n uint64, now bool) error {
	if err := q.device.checkRange(doing, memory, n); err != nil {
		return err
	}
	_, err := q.prepare(o, doing, kind, correlation, dst, src, n, now)
	return err
}

func (q *queue) Upload(o *device.Operation, correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, now bool) error {
	return q.transfer(o, "upload", C.ACCSCOPE_SIM_UPLOAD, correlation, dst, uintptr(dst), uintptr(src), n, now)
}

func (q *queue) Download(o *device.Operation, correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, now bool) error {
	return q.transfer(o, "download", C.ACCSCOPE_SIM_DOWNLOAD, correlation, src, uintptr(dst), uintptr(src), n, now)
}

func (q *queue) Gather(o *device.Operation, correlation uint64, dst device.Address, parts []device.Part, n uint64, now bool) error {
	return inParts(o, parts, q.Upload(o, correlation, dst, unsafe.Pointer(unsafe.SliceData(parts)), n, now))
}

func (q *queue) Scatter(o *device.Operation, correlation uint64, parts []device.Part, src device.Address, n uint64, now bool) error {
	return inParts(o, parts, q.Download(o, correlation, unsafe.Pointer(unsafe.SliceData(parts)), src, n, now))
}

// inParts has a transfer, which was prepared with or without an error, take the host's memory
// for a list of parts.
func inParts(o *device.Operation, parts []device.Part, err error) error {
	if err == nil {
		(*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands)).parts = C.uint(len(parts))
	}
	return err
}

func (q *queue) Copy(o *device.Operation, correlation uint64, to device.Device, dst, src device.Address, n uint64, now bool) error {
	var other *simDevice
	switch to := to.(type) {
	case hostCoded:
		other = to.simDevice
	case *codeDevice:
		other = to.simDevice
		if other != q.device && other.checks != nil {
			to.memory.Written(uintptr(dst), n) // what its own operations do is not seen beside this
		}
	default:
		return device.Errorf(device.InvalidArgument, 0, "copy: the memory belongs to a device of another kind")
	}
	if err := other.checkRange("copy to", dst, n); err != nil {
		return err
	}
	if err := q.device.checkRange("copy from", src, n); err != nil {
		return err
	}
	_, err := q.prepare(o, "copy", C.ACCSCOPE_SIM_COPY, correlation, uintptr(dst), uintptr(src), n, now)
	return err
}

func (q *queue) Fill(o *device.Operation, correlation uint64, dst device.Address, value byte, n uint64, now bool) error {
	return q.transfer(o, "fill", C.ACCSCOPE_SIM_FILL, correlation, dst, uintptr(dst), uintptr(value), n, now)
}

func (q *queue) Store(o *device.Operation, dst device.Address, contents []byte, now bool) error {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(contents)))
	return q.transfer(o, "store", C.ACCSCOPE_SIM_STORE, 0, dst, uintptr(dst), from, uint64(len(contents)), now)
}

func (q *queue) Launch(o *device.Operation, correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, now bool) error {
	var code *kernel
	switch k := k.(type) {
	case *kernel:
		code = k
	case *codeKernel:
		code = &k.kernel
		if err := k.Check(k.name, "sim", q.device.number, g); err != nil {
			return err
		}
	default:
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	if err := q.device.checkRange("launch with", b.Address, b.Size); b.Size > 0 && err != nil {
		return err
	}
	s, err := q.prepare(o, "launch", C.ACCSCOPE_SIM_KERNEL, correlation, uintptr(b.Address), uintptr(code.function), b.Size, now)
	if err != nil {
		return err
	}
	s.fail = C.bool(code.fails)
	s.geometry = C.struct_accscope_sim_geometry{gangs: C.uint32_t(g.Gangs), workers: C.uint32_t(g.Workers), vector: C.uint32_t(g.Vector)}
	return nil
}

func (q *queue) Await(o *device.Operation) {
	o.Doing = "wait for a queue"
	*(*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands)) = C.struct_accscope_sim_step{
		stream: q.stream.Load(), kind: C.ACCSCOPE_SIM_AWAIT}
	o.Run = runStep
}

func (q *queue) Outcome(o *device.Operation) error {
	q.device.heard(nil)
	return q.answer((*C.struct_accscope_sim_step)(unsafe.Pointer(o.Operands)).answer, o.Doing)
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
