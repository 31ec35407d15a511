package openacc

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// heldQueue is the queue of async value 1 with a kernel on it that runs until
// release is called.
func heldQueue(t testing.TB, thread *Thread) (q *Queue, release func()) {
	t.Helper()
	d := thread.use()
	q = thread.queue(d, 1)
	gate, err := d.driver.Kernel(devicetest.HostKernels().Gate)
	if err != nil {
		t.Fatal(err)
	}
	var pin runtime.Pinner
	open, here := new(atomic.Int64), new(atomic.Int64)
	pin.Pin(open)
	pin.Pin(here)
	t.Cleanup(pin.Unpin)
	block := devicetest.Arguments(t, d.driver, q.driver, device.Address(uintptr(unsafe.Pointer(open))), device.Address(uintptr(unsafe.Pointer(here))))
	if err := devicetest.Launch(q.driver, 0, gate, device.Geometry{}, block, false); err != nil {
		t.Fatal(err)
	}
	return q, func() { open.Store(1) }
}

func updateSelf(thread *Thread, values []byte) {
	thread.Update(directive(1, entry{goacc.ForceFrom, address(values), uintptr(len(values))}))
}

// TestWritesOfOneRange: what the host is ahead of the device by does not show.
func TestWritesOfOneRange(t *testing.T) {
	thread := newProgram(t, nil, nil).newThread()
	defer thread.Close()
	values := hostMemory(64, 1)
	thread.Create(pointerTo(values), uintptr(len(values)), AsyncSync)
	q, release := heldQueue(t, thread)
	defer release()
	for range 1000 {
		updateSelf(thread, values)
	}
	if n := q.writes.Len(); n != 1 {
		t.Errorf("%d writes to come are kept for one range", n)
	}
	if n := q.device.downloads.Load(); n != 1 {
		t.Errorf("the device counts %d writes, want 1", n)
	}
}

// TestLandingIsWaitedFor: a scalar that comes to the host behind its download is an operation
// to wait for, also where another thread has waited for the queue in between.
func TestLandingIsWaitedFor(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread, other := p.newThread(), p.newThread()
	defer thread.Close()
	defer other.Close()
	const async = 1
	q := thread.queue(thread.use(), async)
	waited := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		other.WaitFor(async, CurrentDevice)
		if q.busy() {
			t.Error("the queue is busy when it was waited for")
		}
	})
	if err := p.registry.Register(nil, callbacks.Delete, waited, callbacks.Reg); err != nil {
		t.Fatal(err)
	}
	thread.Parallel(adding(async, goacc.ToFrom, words(0), words(1), words(10)))
	if !q.busy() {
		t.Error("nobody would wait for the scalar that is on its way")
	}
}

// countedMarks counts the marks of a queue that were not given back.
type countedMarks struct {
	device.Queue
	held int
}

type countedMark struct {
	device.Mark
	queue *countedMarks
}

func (q *countedMarks) Record() (device.Mark, error) {
	mark, err := q.Queue.Record()
	q.held++
	return countedMark{mark, q}, err
}

func (m countedMark) Release() {
	m.queue.held--
	m.Mark.Release()
}

// TestWritesDone: a queue that is never found idle forgets what it has done.
func TestWritesDone(t *testing.T) {
	thread := newProgram(t, nil, nil).newThread()
	defer thread.Close()
	values := hostMemory(16*pruneEvery, 1)
	thread.Create(pointerTo(values), uintptr(len(values)), AsyncSync)
	update := func(from, to int) {
		for i := from; i < to; i++ {
			updateSelf(thread, values[8*i:8*i+8])
		}
	}
	q, release := heldQueue(t, thread)
	marks := &countedMarks{Queue: q.driver}
	q.driver = marks
	update(0, pruneEvery)
	if n := q.writes.Len(); n != pruneEvery {
		t.Errorf("%d writes to come, want %d", n, pruneEvery)
	}
	release()
	for done := false; !done; done, _ = q.mark.Done() {
		runtime.Gosched()
	}
	q, release = heldQueue(t, thread)
	defer release()
	update(pruneEvery, 2*pruneEvery)
	if n := q.writes.Len(); n != pruneEvery {
		t.Errorf("%d writes to come after the first %d were done, want the other %d", n, pruneEvery, pruneEvery)
	}
	if q.willWrite(address(values), 8) || !q.willWrite(address(values)+8*pruneEvery, 8) {
		t.Error("the first write is still to come, or one after the kernel is not")
	}
	if marks.held != 1 {
		t.Errorf("the queue holds %d marks, want the last", marks.held)
	}
}

// BenchmarkAhead times pairs of update self and update device of different
// ranges while the host is so many pairs ahead of the device.
func BenchmarkAhead(b *testing.B) {
	for _, ahead := range []int{0, 1000, 16000} {
		b.Run(fmt.Sprint(ahead), func(b *testing.B) {
			thread := newProgram(b, nil, quiet).newThread()
			defer thread.Close()
			values, others := hostMemory(8*16384, 1), hostMemory(8, 1)
			thread.Create(pointerTo(values), uintptr(len(values)), AsyncSync)
			thread.Create(pointerTo(others), uintptr(len(others)), AsyncSync)
			upload := directive(1, span8(goacc.ForceTo, others))
			at := 0
			pair := func() {
				updateSelf(thread, values[at:at+8])
				at = (at + 8) % len(values)
				thread.Update(upload)
			}
			_, release := heldQueue(b, thread)
			for range ahead {
				pair()
			}
			b.ReportAllocs()
			for b.Loop() {
				pair()
			}
			release()
			thread.WaitAll(CurrentDevice)
		})
	}
}
