package cuda

/*
#include "cuda.h"
#cgo noescape accscope_cuda_launch
#cgo nocallback accscope_cuda_launch
#cgo noescape accscope_cuda_upload
#cgo noescape accscope_cuda_store
#cgo nocallback accscope_cuda_store
#cgo noescape accscope_cuda_download
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// queue is a CUDA stream.
type queue struct {
	device *cudaDevice
	handle unsafe.Pointer
	c      atomic.Pointer[C.struct_accscope_cuda_queue] // nil when closed

	// using is held for reading while the queue is in use, for writing while it
	// is released.
	using sync.RWMutex
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
	q := &queue{device: d, handle: unsafe.Pointer(c.stream)}
	q.c.Store(c)
	d.queues[q] = struct{}{}
	return q, nil
}

// use keeps the queue from being released until done is called.
func (q *queue) use(doing string) (*C.struct_accscope_cuda_queue, error) {
	q.using.RLock()
	if c := q.c.Load(); c != nil && !q.device.closed.Load() {
		return c, nil
	}
	q.using.RUnlock()
	return nil, q.device.shutDown(doing)
}

func (q *queue) done() { q.using.RUnlock() }

// useToTransfer is use for an operation that CUPTI would measure at a lower cost.
func (q *queue) useToTransfer(doing string) (*C.struct_accscope_cuda_queue, error) {
	c, err := q.use(doing)
	if err != nil || !q.device.records.due() {
		return c, err
	}
	q.done()
	q.device.records.prefer()
	return q.use(doing)
}

// tryLockQueues keeps all queues from being used, if none of them is.
func (d *cudaDevice) tryLockQueues() bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	for q := range d.queues {
		if !q.using.TryLock() {
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
		q.using.Unlock()
	}
	d.locked = d.locked[:0]
}

func cBool(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

func (q *queue) Upload(correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, now bool) error {
	c, err := q.useToTransfer("upload")
	if err != nil {
		return err
	}
	defer q.done()
	err = q.device.answer(C.accscope_cuda_upload(c, C.uint64_t(correlation), C.CUdeviceptr(dst), C.uintptr_t(uintptr(src)), C.size_t(n), cBool(now)), "upload")
	runtime.KeepAlive(src)
	return err
}

func (q *queue) Download(correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, now bool) error {
	c, err := q.useToTransfer("download")
	if err != nil {
		return err
	}
	defer q.done()
	err = q.device.answer(C.accscope_cuda_download(c, C.uint64_t(correlation), C.uintptr_t(uintptr(dst)), C.CUdeviceptr(src), C.size_t(n), cBool(now)), "download")
	runtime.KeepAlive(dst)
	return err
}

func (q *queue) Copy(correlation uint64, dst, src device.Address, n uint64, _ bool) error {
	c, err := q.useToTransfer("copy")
	if err != nil {
		return err
	}
	defer q.done()
	return q.device.answer(C.accscope_cuda_copy(c, C.uint64_t(correlation), C.CUdeviceptr(dst), C.CUdeviceptr(src), C.size_t(n)), "copy")
}

func (q *queue) Fill(correlation uint64, dst device.Address, value byte, n uint64, _ bool) error {
	c, err := q.useToTransfer("fill")
	if err != nil {
		return err
	}
	defer q.done()
	return q.device.answer(C.accscope_cuda_fill(c, C.uint64_t(correlation), C.CUdeviceptr(dst), C.uchar(value), C.size_t(n)), "fill")
}

func (q *queue) Store(dst device.Address, contents []byte, _ bool) error {
	c, err := q.use("store")
	if err != nil {
		return err
	}
	defer q.done()
	return q.device.answer(C.accscope_cuda_store(c, C.CUdeviceptr(dst), unsafe.Pointer(unsafe.SliceData(contents)), C.size_t(len(contents))), "store")
}

func (q *queue) Launch(correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, _ bool) error {
	_, err := q.LaunchAnnounced(correlation, k, g, b, nil)
	return err
}

func (q *queue) LaunchAnnounced(correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, a *device.Announcement) (announced bool, err error) {
	code, ok := k.(*kernel)
	if !ok || code.device != q.device {
		return false, device.Errorf(device.InvalidArgument, 0, "launch: the kernel belongs to another device")
	}
	g = code.Resolve(g)
	if err := code.check(g); err != nil {
		return false, err
	}
	c, err := q.use("launch")
	if err != nil {
		return false, err
	}
	defer q.done()
	answer := C.accscope_cuda_launch(c, C.uint64_t(correlation), code.function, cBool(code.stamps), C.uint(g.Gangs), C.uint(g.Workers), C.uint(g.Vector),
		C.CUdeviceptr(b.Address), (*C.struct_accscope_cuda_announcement)(unsafe.Pointer(a)))
	if answer.result == C.ACCSCOPE_CUDA_UNANNOUNCED {
		return false, nil
	}
	if answer.result == 0 {
		return true, nil
	}
	return true, q.device.answer(answer, "launch "+code.name)
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
func (m *mark) Done() bool {
	d := m.device
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.closed.Load() {
		return true
	}
	return C.accscope_cuda_event_query(d.c, m.event).result != C.CUDA_ERROR_NOT_READY
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
	answer := C.accscope_cuda_synchronize(c)
	q.device.records.waited(q)
	q.device.pool.trimExcess()
	if answer.result == 0 {
		return nil
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
	q.using.Lock()
	defer q.using.Unlock()
	c := q.c.Swap(nil)
	if c == nil {
		return nil
	}
	return q.device.ending(C.accscope_cuda_queue_close(c), "close a queue")
}
