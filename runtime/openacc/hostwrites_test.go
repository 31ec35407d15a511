package openacc

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// TestHostWrites compares random writes and questions with a list that knows the
// last write of every byte.
func TestHostWrites(t *testing.T) {
	const size = 100
	random := rand.New(rand.NewPCG(1, 2))
	var writes hostWrites
	var bytes [size]hostRange
	any := func() (low, high uintptr) {
		low = uintptr(random.IntN(size))
		return low, low + 1 + uintptr(random.IntN(min(12, size-int(low))))
	}
	for step := range 20000 {
		low, high := any()
		r := hostRange{low: low, high: high, number: uint64(step + 1)}
		switch random.IntN(8) {
		case 0: // a thread was overtaken, or another queue is waited for
			r.number -= min(uint64(step), random.Uint64N(20))
		case 1:
			r.scalar = &scalar{}
		case 2:
			writes.forget(writes.added)
			for i := range bytes {
				if s := bytes[i].scalar; s == nil || s.landed.Load() {
					bytes[i] = hostRange{}
				}
			}
			continue
		case 3:
			if s := bytes[low].scalar; s != nil {
				s.landed.Store(true)
			}
		}
		writes.add(r)
		for i := low; i < high; i++ {
			if bytes[i].number <= r.number {
				bytes[i] = r
			}
		}
		low, high = any()
		if random.IntN(2) == 0 {
			low, high = r.low, r.high
		}
		got, will := writes.last(low, high)
		want, exact, some := bytes[low].scalar, true, false
		for i := low; i < high; i++ {
			some = some || bytes[i].number != 0
			exact = exact && bytes[i] == bytes[low] && bytes[i].low == low && bytes[i].high == high
		}
		if !exact {
			want = nil
		}
		if got != want || will != some {
			t.Fatalf("step %d: [%d, %d) is %p, %v; want %p, %v", step, low, high, got, will, want, some)
		}
	}
}

// TestHostWritesForgetInOrder: what was added after the point that the queue has
// reached is kept, and so is what a later one with a lower number lies under.
func TestHostWritesForgetInOrder(t *testing.T) {
	var writes hostWrites
	writes.add(hostRange{low: 0, high: 10, number: 1})
	writes.add(hostRange{low: 20, high: 30, number: 5})
	reached := writes.added
	writes.add(hostRange{low: 40, high: 50, number: 6})
	writes.add(hostRange{low: 20, high: 30, number: 4})
	writes.forget(reached)
	for low, want := range map[uintptr]bool{0: false, 20: true, 40: true} {
		if _, will := writes.last(low, low+1); will != want {
			t.Errorf("a write to %d is expected: %v, want %v", low, will, want)
		}
	}
}

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
	thread := newProgram(t, nil, nil).NewThread()
	defer thread.Close()
	values := hostMemory(64, 1)
	thread.Create(pointerTo(values), uintptr(len(values)), AsyncSync)
	q, release := heldQueue(t, thread)
	defer release()
	for range 1000 {
		updateSelf(thread, values)
	}
	if n := q.writes.len(); n != 1 {
		t.Errorf("%d writes to come are kept for one range", n)
	}
	if n := q.device.downloads.Load(); n != 1 {
		t.Errorf("the device counts %d writes, want 1", n)
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
	thread := newProgram(t, nil, nil).NewThread()
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
	if n := q.writes.len(); n != pruneEvery {
		t.Errorf("%d writes to come, want %d", n, pruneEvery)
	}
	release()
	for !q.mark.Done() {
		runtime.Gosched()
	}
	q, release = heldQueue(t, thread)
	defer release()
	update(pruneEvery, 2*pruneEvery)
	if n := q.writes.len(); n != pruneEvery {
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
			thread := newProgram(b, nil, quiet).NewThread()
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
