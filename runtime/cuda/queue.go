package cuda

// #include "cuda.h"
import "C"

import (
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// queue is a CUDA stream.
type queue struct {
	device *cudaDevice
	handle unsafe.Pointer
	c      atomic.Pointer[C.struct_accscope_cuda_queue] // nil when closed

	using *device.Gate // keeps c from being released
}

func (d *cudaDevice) NewQueue() (device.Queue, error) { return d.newQueue(nil) }

// AdoptQueue makes a queue of a stream that the program made, and keeps
// (acc_set_cuda_stream).
func (d *cudaDevice) AdoptQueue(handle unsafe.Pointer) (device.Queue, error) {
	return d.newQueue(handle)
}

func (d *cudaDevice) newQueue(handle unsafe.Pointer) (device.Queue, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed.Load() {
		return nil, d.shutDown("make a queue")
	}
	var c *C.struct_accscope_cuda_queue
	if err := d.answer(C.accscope_cuda_queue_open(d.c, C.CUstream(handle), &c), "make a queue"); err != nil {
		return nil, err
	}
	q := &queue{device: d, handle: unsafe.Pointer(c.stream), using: device.NewGate()}
	q.c.Store(c)
	d.queues[q] = struct{}{}
	return q, nil
}

// use keeps the queue from being released until done is called.
func (q *queue) use(doing string) (*C.struct_accscope_cuda_queue, error) {
	if q.using.Enter() {
		if c := q.c.Load(); c != nil && !q.device.closed.Load() {
			return c, nil
		}
		q.using.Leave()
	}
	return nil, q.device.shutDown(doing)
}

func (q *queue) done() { q.using.Leave() }

// tryLockQueues keeps all queues from being used, if none of them is.
func (d *cudaDevice) tryLockQueues() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for q := range d.queues {
		if !q.using.TryHold() {
			d.unlock()
			return false
		}
		d.locked = append(d.locked, q)
	}
	return true
}

func (d *cudaDevice) unlockQueues() {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.unlock()
}

// unlock gives the locked queues back; d.mutex is held.
func (d *cudaDevice) unlock() {
	for _, q := range d.locked {
		q.using.Release()
	}
	d.locked = d.locked[:0]
}

// prepare begins an operation that is to be run later.
func (q *queue) prepare(o *device.Operation, doing string, kind C.int, correlation uint64, memory device.Address, other uintptr, n uint64, now bool) (*C.struct_accscope_cuda_step, error) {
	c := q.c.Load()
	if c == nil || q.device.closed.Load() {
		return nil, q.device.shutDown(doing)
	}
	o.Doing = doing
	s := (*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands))
	*s = C.struct_accscope_cuda_step{gate: (*C.uint32_t)(q.using.Address()), queue: c, correlation: C.uint64_t(correlation),
		device: C.CUdeviceptr(memory), other: C.uintptr_t(other), bytes: C.size_t(n), kind: C.uint8_t(kind), now: C.bool(now)}
	o.Run = runStep
	return s, nil
}

var runStep = uintptr(C.accscope_cuda_run)

// transfer is prepare for an operation that CUPTI would measure at a lower cost.
func (q *queue) transfer(o *device.Operation, doing string, kind C.int, correlation uint64, memory device.Address, other uintptr, n uint64, now bool) error {
	if q.device.records.pays() {
		q.device.records.traceFromNow()
	}
	_, err := q.prepare(o, doing, kind, correlation, memory, other, n, now)
	return err
}

func (q *queue) Upload(o *device.Operation, correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, now bool) error {
	return q.transfer(o, "upload", C.ACCSCOPE_CUDA_UPLOAD, correlation, dst, uintptr(src), n, now)
}

func (q *queue) Download(o *device.Operation, correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, now bool) error {
	return q.transfer(o, "download", C.ACCSCOPE_CUDA_DOWNLOAD, correlation, src, uintptr(dst), n, now)
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
		(*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands)).parts = C.uint(len(parts))
	}
	return err
}

func (q *queue) Copy(o *device.Operation, correlation uint64, to device.Device, dst, src device.Address, n uint64, now bool) error {
	other, ok := to.(*cudaDevice)
	if !ok {
		return device.Errorf(device.InvalidArgument, 0, "copy: the memory belongs to a device of another kind")
	}
	if other == q.device {
		return q.transfer(o, "copy", C.ACCSCOPE_CUDA_COPY, correlation, dst, uintptr(src), n, now)
	}
	context, err := q.device.reach(other)
	if err != nil {
		return err
	}
	s, err := q.prepare(o, "copy to another device", C.ACCSCOPE_CUDA_COPY, correlation, dst, uintptr(src), n, now)
	if err == nil {
		s.peer = context
	}
	return err
}

func (q *queue) Fill(o *device.Operation, correlation uint64, dst device.Address, value byte, n uint64, now bool) error {
	return q.transfer(o, "fill", C.ACCSCOPE_CUDA_FILL, correlation, dst, uintptr(value), n, now)
}

func (q *queue) Store(o *device.Operation, dst device.Address, contents []byte, now bool) error {
	_, err := q.prepare(o, "store", C.ACCSCOPE_CUDA_STORE, 0, dst, uintptr(unsafe.Pointer(unsafe.SliceData(contents))), uint64(len(contents)), now)
	return err
}

func (q *queue) Launch(o *device.Operation, correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, now bool) error {
	code, ok := k.(*kernel)
	if !ok || code.device != q.device {
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	g = code.Resolve(g)
	if err := code.Check(code.name, "cuda", q.device.number, g); err != nil {
		return err
	}
	s, err := q.prepare(o, code.launching, C.ACCSCOPE_CUDA_KERNEL, correlation, b.Address, 0, 0, now)
	if err != nil {
		return err
	}
	s.function, s.stamps = code.function, C.bool(code.stamps)
	s.gangs, s.workers, s.vector = C.uint(g.Gangs), C.uint(g.Workers), C.uint(g.Vector)
	return nil
}

func (q *queue) Await(o *device.Operation) {
	o.Doing = "wait for a queue"
	*(*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands)) = C.struct_accscope_cuda_step{
		gate: (*C.uint32_t)(q.using.Address()), queue: q.c.Load(), kind: C.ACCSCOPE_CUDA_AWAIT}
	o.Run = runStep
}

func (q *queue) Outcome(o *device.Operation) error {
	s := (*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands))
	if s.kind == C.ACCSCOPE_CUDA_AWAIT {
		return q.synchronized(s.answer)
	}
	switch s.answer.result {
	case 0:
		return nil
	case C.ACCSCOPE_CUDA_CLOSED:
		return q.device.shutDown(o.Doing)
	}
	return q.device.answer(s.answer, o.Doing)
}

func (q *queue) Then(f func()) error {
	c, err := q.use("call back")
	if err != nil {
		return err
	}
	defer q.done()
	handle := cgo.NewHandle(f)
	err = q.device.answer(C.accscope_cuda_then(c, C.uintptr_t(handle)), "call back")
	if err != nil {
		handle.Delete()
	}
	return err
}

//export accscope_cuda_run_then
func accscope_cuda_run_then(handle C.uintptr_t) {
	h := cgo.Handle(handle)
	f := h.Value().(func())
	h.Delete()
	f()
}

// mark is a recorded event.
type mark struct {
	device *cudaDevice
	event  C.CUevent
	writes C.int // what it marks may write host memory
}

func (q *queue) Record() (device.Mark, error) {
	c, err := q.use("mark")
	if err != nil {
		return nil, err
	}
	defer q.done()
	m := &mark{device: q.device}
	if err := q.device.answer(C.accscope_cuda_record(c, &m.event, &m.writes), "mark"); err != nil {
		return nil, err
	}
	return m, nil
}

// Done is true for a mark of a device that failed or was closed: nothing will
// come of waiting.
func (m *mark) Done() (bool, error) {
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed.Load() {
		return true, nil
	}
	answer := C.accscope_cuda_event_query(d.c, m.event)
	if answer.result == C.CUDA_ERROR_NOT_READY {
		return false, nil
	}
	return true, d.ending(answer, "test a mark")
}

// Release leaves the event to the next mark: what waits for it waits for what it
// had recorded by then.
func (m *mark) Release() {
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.closed.Load() {
		C.accscope_cuda_event_release(d.c, m.event)
	}
}

func (q *queue) Wait(to device.Mark) error {
	m, ok := to.(*mark)
	if !ok || m.device != q.device {
		return device.Errorf(device.InvalidArgument, 0, "wait: the mark belongs to another device")
	}
	c, err := q.use("wait")
	if err != nil {
		return err
	}
	defer q.done()
	return q.device.answer(C.accscope_cuda_wait(c, m.event, m.writes), "wait")
}

func (q *queue) Idle() (bool, error) {
	c, err := q.use("test a queue")
	if err != nil {
		return true, nil
	}
	defer q.done()
	answer := C.accscope_cuda_idle(c)
	if answer.result == C.CUDA_ERROR_NOT_READY {
		return false, nil
	}
	return true, q.device.ending(answer, "test a queue")
}

func (q *queue) Synchronize() error {
	if _, err := q.use("wait for a queue"); err != nil {
		return nil // closed: nothing is left to wait for
	}
	defer q.done()
	return q.synchronize()
}

func (q *queue) synchronize() error {
	c := q.c.Load()
	if c == nil {
		return nil
	}
	return q.synchronized(C.accscope_cuda_synchronize(c))
}

// synchronized is behind each wait for the queue.
func (q *queue) synchronized(answer C.struct_accscope_cuda_answer) error {
	q.device.records.waited(q)
	err := q.device.pool.trimExcess()
	if answer.result == 0 {
		return err
	}
	return q.device.ending(answer, "wait for a queue")
}

func (q *queue) Handle() unsafe.Pointer { return q.handle }

// Close waits for the queue and gives the error that nobody has heard of yet.
// It is harmless to close twice.
func (q *queue) Close() error {
	if _, err := q.use("close a queue"); err != nil {
		return nil
	}
	err := q.synchronize()
	d := q.device
	d.records.finish(q)
	q.done()
	d.mutex.Lock()
	_, mine := d.queues[q]
	delete(d.queues, q)
	d.mutex.Unlock()
	if !mine {
		return err // closed by another thread, or with the device
	}
	if failure := q.release(); err == nil {
		err = failure
	}
	return err
}

// release frees the C side.
func (q *queue) release() error {
	q.using.Close()
	c := q.c.Swap(nil)
	if c == nil {
		return nil
	}
	return q.device.ending(C.accscope_cuda_queue_close(c), "close a queue")
}
