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

// A step fits into the operands.
var _ [unsafe.Sizeof(device.Operands{}) - C.sizeof_struct_accscope_cuda_step]byte

var runStep = uintptr(C.accscope_cuda_run)

func (q *queue) Prepare(o *device.Operation) error {
	s := (*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands))
	s.gate, s.queue = (*C.uint32_t)(q.using.Address()), q.c.Load()
	s.peer, s.stamps, s.answer.result = nil, false, 0
	o.Run = runStep
	if o.Kind == device.Await {
		return nil
	}
	if s.queue == nil || q.device.closed.Load() {
		return q.device.shutDown(o.Doing())
	}
	switch o.Kind {
	case device.ActivityKernel:
		return q.launch(o, s)
	case device.Store:
		return nil
	case device.ActivityCopy:
		other, ok := o.To.(*cudaDevice)
		if !ok {
			return device.Errorf(device.InvalidArgument, 0, "copy: the memory belongs to a device of another kind")
		}
		if other != q.device {
			context, err := q.device.reach(other)
			s.peer = context
			return err
		}
	}
	if q.device.records.pays() {
		q.device.records.traceFromNow() // CUPTI measures transfers at a lower cost
	}
	return nil
}

func (q *queue) launch(o *device.Operation, s *C.struct_accscope_cuda_step) error {
	code, ok := o.Kernel.(*kernel)
	if !ok || code.device != q.device {
		return device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	o.Geometry = code.Resolve(o.Geometry)
	o.Source, s.stamps = uintptr(unsafe.Pointer(code.function)), C.bool(code.stamps)
	if err := code.Check(code.name, "cuda", q.device.number, o.Geometry); err != nil {
		return err
	}
	q.device.stack.launched(code)
	return nil
}

func (q *queue) Outcome(o *device.Operation) error {
	s := (*C.struct_accscope_cuda_step)(unsafe.Pointer(o.Operands))
	if o.Kind == device.Await {
		return q.synchronized(s.answer)
	}
	switch s.answer.result {
	case 0:
		return nil
	case C.ACCSCOPE_CUDA_CLOSED:
		return q.device.shutDown(o.Doing())
	}
	return q.device.answer(s.answer, o.Doing())
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
