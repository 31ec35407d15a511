package cuda

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/blocks"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// heap is a source of chunks with a limit.
type heap struct {
	limit, used uint64
	next        device.Address
	chunks      map[device.Address]uint64
}

func newHeap(limit uint64) *heap {
	return &heap{limit: limit, next: 1 << 30, chunks: map[device.Address]uint64{}}
}

var errFull = errors.New("full")

func (h *heap) take(bytes uint64) (device.Address, error) {
	if h.used+bytes > h.limit {
		return 0, errFull
	}
	a := h.next
	h.next += device.Address(bytes + granule)
	h.used += bytes
	h.chunks[a] = bytes
	return a, nil
}

func (h *heap) giveBack(a device.Address) error {
	if _, ok := h.chunks[a]; !ok {
		return errors.New("no such chunk")
	}
	h.used -= h.chunks[a]
	delete(h.chunks, a)
	return nil
}

// TestPool allocates and frees at random and compares with what must be true.
func TestPool(t *testing.T) {
	h := newHeap(1 << 30)
	p := newPool(h, 0)
	balance := uint64(0)
	observe := func(taken bool, _ device.Address, bytes uint64) {
		if taken {
			balance += bytes
		} else {
			balance -= bytes
		}
	}
	p.observe.Store(&observe)
	r := rand.New(rand.NewPCG(3, 4))
	live := map[device.Address]uint64{}
	for range 20_000 {
		if r.IntN(2) == 0 {
			size := uint64(1) << r.IntN(26)
			size += r.Uint64N(size)
			a, err := p.alloc(size)
			if err != nil {
				continue
			}
			live[a] = size
		}
		for a := range live { // any one
			if r.IntN(2) == 0 {
				if !p.release(a) {
					t.Fatal("not known")
				}
				delete(live, a)
			}
			break
		}
		if balance != h.used {
			t.Fatalf("%d bytes reported, %d taken", balance, h.used)
		}
	}
	type span struct{ low, high device.Address }
	var spans []span
	for a, size := range live {
		spans = append(spans, span{a, a + device.Address(size)})
	}
	for i, s := range spans {
		if s.low%blocks.Alignment != 0 {
			t.Errorf("%#x is not aligned", s.low)
		}
		inside := false
		for c, bytes := range h.chunks {
			inside = inside || s.low >= c && s.high <= c+device.Address(bytes)
		}
		if !inside {
			t.Errorf("%+v is in no chunk", s)
		}
		for _, o := range spans[:i] {
			if s.low < o.high && o.low < s.high {
				t.Errorf("%+v and %+v overlap", s, o)
			}
		}
	}
	for a := range live {
		p.release(a)
	}
	if p.blocks.Free != h.used || p.blocks.Unused != h.used {
		t.Errorf("all is free: %d of %d bytes free, %d in unused chunks", p.blocks.Free, h.used, p.blocks.Unused)
	}
	p.trimExcess()
	if h.used > p.keep {
		t.Errorf("%d bytes kept, want at most %d", h.used, p.keep)
	}
	if p.release(12345) {
		t.Error("freed what was not allocated")
	}
	if err := p.close(); err != nil || h.used != 0 || balance != 0 {
		t.Errorf("after close %v: %d bytes taken, %d reported", err, h.used, balance)
	}
}

// A full device gets its unused chunks back before an allocation fails.
func TestPoolUnderPressure(t *testing.T) {
	h := newHeap(3 * chunkBytes)
	p := newPool(h, 1<<40)
	a, err := p.alloc(3 * chunkBytes / 2)
	if err != nil {
		t.Fatal(err)
	}
	p.release(a)
	if _, err := p.alloc(2 * chunkBytes); err != nil {
		t.Errorf("with %d of %d bytes in use: %v", 0, h.limit, err)
	}
	if _, err := p.alloc(2 * chunkBytes); err != errFull {
		t.Errorf("on a full device: %v", err)
	}
	if _, err := p.alloc(3 * granule); err != nil {
		t.Errorf("less than a chunk is left: %v", err)
	}
}

// busyHeap is a heap whose calls wait for what is on the device's queues.
type busyHeap struct {
	*heap
	queued func()
}

func (h *busyHeap) wait() {
	done := make(chan struct{})
	go func() { h.queued(); close(done) }()
	<-done
}

func (h *busyHeap) take(bytes uint64) (device.Address, error) { h.wait(); return h.heap.take(bytes) }
func (h *busyHeap) giveBack(a device.Address) error           { h.wait(); return h.heap.giveBack(a) }

// Queued functions release memory while a thread is in the driver, which waits
// for them.
func TestPoolReleaseDuringCalls(t *testing.T) {
	h := &busyHeap{heap: newHeap(1 << 30), queued: func() {}}
	p := newPool(h, 0)
	alloc := func(bytes uint64) device.Address {
		a, err := p.alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var small []device.Address
	for range 8 {
		small = append(small, alloc(8))
	}
	released := 0
	h.queued = func() {
		if released < len(small) && p.release(small[released]) {
			released++
		}
	}
	large := []device.Address{alloc(2 * chunkBytes), alloc(2 * chunkBytes)} // two calls
	for _, a := range large {
		p.release(a)
	}
	p.trimExcess()                                                   // two
	if _, err := p.alloc(1 << 31); err != errFull || released != 5 { // one
		t.Errorf("%v after %d calls", err, released)
	}
	if err := p.close(); err != nil || h.used != 0 {
		t.Errorf("after close %v: %d bytes taken", err, h.used)
	}
}

// The same on a device: the driver waits for a queue before it takes memory away.
func TestQueuedFree(t *testing.T) {
	d := open(t, nil, nil).(*cudaDevice)
	blocked, other := newQueue(t, d), newQueue(t, d)
	small, err := d.Alloc(8)
	check(t, err)
	large, err := d.Alloc(300 << 20) // more than the pool keeps
	check(t, err)
	check(t, d.Free(large))
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	flags := newFlags()
	check(t, devicetest.Launch(blocked, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, blocked, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
	freed := make(chan error, 1)
	check(t, blocked.Then(func() { freed <- d.Free(small) }))
	done := make(chan error)
	go func() { done <- other.Synchronize() }()
	for d.pool.calls.TryLock() {
		d.pool.calls.Unlock()
		runtime.Gosched()
	}
	setFlag(&flags[0])
	check(t, <-freed)
	check(t, <-done)
}

func BenchmarkPool(b *testing.B) {
	p := newPool(newHeap(1<<40), 0)
	for b.Loop() {
		a, err := p.alloc(64)
		if err != nil {
			b.Fatal(err)
		}
		p.release(a)
	}
}
