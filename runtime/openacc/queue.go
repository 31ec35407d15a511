package openacc

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/arguments"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/hostwrites"
)

// A Queue is one activity queue of a device: that of an async value, or the
// synchronous one of a host thread (OpenACC 3.3 §2.16).
type Queue struct {
	device *Device
	driver device.Queue
	async  int // the async value: 0 and up, or AsyncSync

	arguments arguments.Store // of the kernels launched; under device.mu

	// enqueued counts operations, each after it was put onto the queue; finished
	// is how many of them are known to be done. So a host thread that finds them
	// equal has nothing of its own left on the queue.
	enqueued, finished *atomic.Uint64 // in C's memory: plans count them

	mu        sync.Mutex
	writes    hostwrites.Writes // of queued downloads
	mark      device.Mark       // set some time ago to see how far the queue has come, nil if none
	marked    uint64            // writes.Added when it was
	unpruned  int               // downloads since prune last ended
	reads     [][]byte          // what queued uploads will read
	readBytes int               // of reads
	spare     []spare
}

func newQueue(d *Device, driver device.Queue, async int) *Queue {
	memory := callbacks.Allocate(unsafe.Sizeof(counters{}))
	c := (*counters)(memory)
	q := &Queue{device: d, driver: driver, async: async, enqueued: &c.enqueued, finished: &c.finished}
	runtime.AddCleanup(q, callbacks.Deallocate, memory)
	return q
}

// counters are those of one queue, which shares no line of the cache with another one's.
type counters struct {
	enqueued, finished atomic.Uint64
	_                  [48]byte
}

// pruneEvery is after how many downloads the queue looks what it can forget.
const pruneEvery = 64

// holdLimit is how much of reads makes the queue itself release it, rather than
// the next wait.
const holdLimit = 1 << 20

// A hostRange is [low, high) of the host's memory.
type hostRange struct{ low, high uintptr }

// synchronous says whether q belongs to one host thread, which waits for it at
// the end of every construct.
func (q *Queue) synchronous() bool { return q.async == AsyncSync }

// busy says whether operations may be left on q since it was last waited for.
func (q *Queue) busy() bool { return q.enqueued.Load() != q.finished.Load() }

func validAsync(async int) bool { return async >= AsyncDefault }

// handle is the driver's own queue, for acc_api_info.
func (q *Queue) handle() uintptr {
	if q.device.handles.StandIns {
		return 0
	}
	return uintptr(q.driver.Handle())
}

// existing finds the queue of a mapped async value, nil if it was never used.
func (d *Device) existing(async int) *Queue {
	if q, ok := d.byAsync.Load(async); ok {
		return q.(*Queue)
	}
	return nil
}

// all lists the queues of d that async values are mapped to, in the order of
// those values.
func (d *Device) all() []*Queue {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sortedQueues()
}

// willWrite says whether q still has to write host memory in the range.
func (q *Queue) willWrite(host, bytes uintptr) bool {
	_, will := q.lastWrite(host, bytes)
	return will
}

// lastWrite finds the last write to host memory in the range that q still has to
// make; scalar is set if it is that of a scalar which is the range.
func (q *Queue) lastWrite(host, bytes uintptr) (_ *hostwrites.Scalar, will bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.writes.Len() == 0 {
		return nil, false
	}
	if q.idle() {
		q.forget()
	}
	return q.writes.Last(host, host+bytes)
}

// idle says whether nothing is left to do on q, where nobody can be told of an error.
func (q *Queue) idle() bool {
	idle, err := q.driver.Idle()
	q.device.keep(err)
	return idle && err == nil
}

// willWrite says whether a queue of d still has to write host memory in the range.
func (d *Device) willWrite(host, bytes uintptr) bool {
	return d.downloads.Load() != 0 && d.writes(host, bytes)
}

// writes is willWrite where some download is on its way.
func (d *Device) writes(host, bytes uintptr) (will bool) {
	d.byAsync.Range(func(_, value any) bool {
		q := value.(*Queue)
		will = q.busy() && q.willWrite(host, bytes)
		return !will
	})
	return will
}

// noteWrite notes the host memory that an operation which is on the queue now will
// write.
func (q *Queue) noteWrite(writes hostwrites.Write) {
	q.mu.Lock()
	q.change(func(w *hostwrites.Writes) { w.Add(writes) })
	q.unpruned++
	prune := q.unpruned == pruneEvery // one thread at a time: prune sets it back
	q.mu.Unlock()
	if prune {
		q.prune()
	}
}

// willRead keeps what an operation which is on the queue now will read; nil is nothing.
func (q *Queue) willRead(reads []byte) {
	if q.synchronous() || reads == nil {
		return
	}
	q.mu.Lock()
	var release [][]byte
	q.reads = append(q.reads, reads)
	if q.readBytes += cap(reads); q.readBytes > holdLimit {
		release, q.reads, q.readBytes = q.reads, nil, 0
	}
	q.mu.Unlock()
	if release == nil {
		return
	}
	if err := q.driver.Then(func() { runtime.KeepAlive(release) }); err != nil {
		// The queue fails: nothing on it will read this memory for certain.
		q.device.keep(err)
		q.mu.Lock()
		q.reads = append(q.reads, release...)
		q.mu.Unlock()
	}
}

// drained notes that q was waited for when it had come to number.
func (q *Queue) drained(number uint64) {
	for {
		known := q.finished.Load()
		if known >= number || q.finished.CompareAndSwap(known, number) {
			break
		}
	}
	if q.synchronous() {
		return
	}
	q.mu.Lock()
	if q.enqueued.Load() == number {
		q.forget()
	}
	q.mu.Unlock()
}

// await blocks until what is on q now is done.
func (q *Queue) await() error {
	number := q.enqueued.Load()
	err := q.device.kept(q.driver.Synchronize())
	if err == nil {
		q.drained(number)
	}
	return err
}

// change changes q.writes, of which the device counts the pieces. q.mu is held.
func (q *Queue) change(do func(*hostwrites.Writes)) {
	before := q.writes.Len()
	do(&q.writes)
	q.device.downloads.Add(int64(q.writes.Len() - before))
}

// forget drops what concerns operations that are done, when all are. q.mu is
// held.
func (q *Queue) forget() {
	q.change(func(w *hostwrites.Writes) { w.Forget(w.Added()) })
	clear(q.reads)
	q.reads, q.readBytes = q.reads[:0], 0
}

// prune drops the writes that are done on a queue that is never found idle.
func (q *Queue) prune() {
	q.mu.Lock()
	old, upTo, now := q.mark, q.marked, q.writes.Added()
	q.mu.Unlock()
	done := true
	var err error
	if old != nil {
		done, err = old.Done()
		q.device.keep(err)
	}
	var mark device.Mark
	if done && err == nil {
		if mark, err = q.driver.Record(); err != nil {
			q.device.keep(err)
			mark = nil
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.unpruned = 0
	if !done {
		return
	}
	if old != nil {
		old.Release()
		q.change(func(w *hostwrites.Writes) { w.Forget(upTo) })
	}
	q.mark, q.marked = mark, now
}

// inherit makes q treat what other still has to write as its own, because q now
// waits for it.
func (q *Queue) inherit(other *Queue) {
	if q.synchronous() {
		return // its host thread waits before it goes on
	}
	other.mu.Lock()
	pieces := other.writes.Pieces()
	other.mu.Unlock()
	if len(pieces) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.change(func(w *hostwrites.Writes) { w.Inherit(pieces) })
}

func (d *Device) sortedQueues() []*Queue {
	return slices.SortedFunc(maps.Values(d.queues), func(a, b *Queue) int { return cmp.Compare(a.async, b.async) })
}
