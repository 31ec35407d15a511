package devicetest

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// Run checks a backend that has at least one device against the contract of
// package device.
func Run(t *testing.T, b device.Backend, k Kernels) {
	count, err := b.Count()
	if err != nil || count < 1 {
		t.Fatalf("Count() = %d, %v", count, err)
	}
	if b.Name() == "" {
		t.Error("the backend has no name")
	}
	for _, c := range []struct {
		name string
		test func(*testing.T, *fixture)
	}{
		{"properties", properties},
		{"memory", memory},
		{"transfers", transfers},
		{"gather", gather},
		{"scatter", scatter},
		{"peers", peers},
		{"order", order},
		{"then", then},
		{"marks", marks},
		{"kernels", kernels},
		{"activity", activity},
		{"threads", threads},
		{"images", images},
		{"inside", inside},
		{"watching", watching},
		{"checking", checking},
		{"profiling", profiling},
		{"pool", pool},
		{"free memory", freeMemory},
		{"adopting", adopting},
		{"flushing", flushing},
		{"closing", closing},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fixture{backend: b, kernels: k}
			f.open(t)
			defer func() {
				if err := f.device.Close(); err != nil {
					t.Errorf("close the device: %v", err)
				}
			}()
			c.test(t, f)
		})
	}
	for _, number := range []int{-1, count} {
		var failure *device.Error
		if _, err := b.Properties(number); !errors.As(err, &failure) {
			t.Errorf("Properties(%d): %v is no *device.Error", number, err)
		}
		if _, err := b.Open(number, nil); !errors.As(err, &failure) {
			t.Errorf("Open(%d): %v is no *device.Error", number, err)
		}
	}
}

// fixture is an open device with what it reported.
type fixture struct {
	backend device.Backend
	kernels Kernels
	device  device.Device

	mutex      sync.Mutex
	activities []device.Activity
}

func (f *fixture) open(t testing.TB) {
	t.Helper()
	d, err := f.backend.Open(0, func(a device.Activity, _ bool) {
		f.mutex.Lock()
		f.activities = append(f.activities, a)
		f.mutex.Unlock()
	})
	if err != nil {
		t.Fatal(err)
	}
	f.device = d
}

func (f *fixture) queue(t testing.TB) device.Queue {
	t.Helper()
	q, err := f.device.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func (f *fixture) alloc(t testing.TB, bytes uint64) device.Address {
	t.Helper()
	a, err := f.device.Alloc(bytes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (f *fixture) kernel(t testing.TB, function uintptr) device.Kernel {
	t.Helper()
	if function == 0 {
		t.Skip("the device has no such kernel")
	}
	k, err := f.device.Kernel(function)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pointer[T any](s []T) (unsafe.Pointer, uint64) {
	return unsafe.Pointer(&s[0]), uint64(len(s)) * uint64(unsafe.Sizeof(s[0]))
}

func properties(t *testing.T, f *fixture) {
	p := f.device.Properties()
	if p.Memory == 0 || p.FreeMemory > p.Memory || p.Name == "" || p.Vendor == "" || p.Driver == "" {
		t.Errorf("properties: %+v", p)
	}
}

func memory(t *testing.T, f *fixture) {
	before := f.device.Properties().FreeMemory
	type block struct{ start, size uint64 }
	var blocks []block
	for _, size := range []uint64{1, 255, 256, 257, 4096, 1 << 20, 0} {
		a := f.alloc(t, size)
		if a == 0 || a%256 != 0 {
			t.Errorf("Alloc(%d) = %#x: not aligned to 256 bytes", size, a)
		}
		for _, b := range blocks {
			if uint64(a) < b.start+b.size && b.start < uint64(a)+size {
				t.Errorf("Alloc(%d) = %#x overlaps %+v", size, a, b)
			}
		}
		blocks = append(blocks, block{uint64(a), size})
	}
	for _, b := range blocks {
		check(t, f.device.Free(device.Address(b.start)))
	}
	if after := f.device.Properties().FreeMemory; !f.device.Properties().SharedMemory && after != before {
		t.Errorf("%d bytes free before, %d after", before, after)
	}
	var failure *device.Error
	if _, err := f.device.Alloc(1 << 62); !errors.As(err, &failure) || failure.Code != device.OutOfMemory {
		t.Errorf("Alloc(2^62): %v", err)
	}
}

func transfers(t *testing.T, f *fixture) {
	q := f.queue(t)
	for _, now := range []bool{true, false} {
		const n = 1000
		from, to := make([]int64, n), make([]int64, n)
		for i := range from {
			from[i] = int64(i) * 3
		}
		src, size := pointer(from)
		dst, _ := pointer(to)
		a, b := f.alloc(t, size), f.alloc(t, size)
		check(t, Upload(q, 1, a, src, size, now))
		check(t, Fill(q, 2, b, 0x55, size, now))
		check(t, Copy(q, 3, f.device, b+8, a+16, size-24, now))
		check(t, Download(q, 4, dst, b, size, now))
		check(t, Upload(q, 5, a, src, 0, now))
		check(t, Fill(q, 6, b, 0xaa, 0, now))
		check(t, Gather(q, 9, a, []device.Part{{}}, 0, now))
		check(t, Scatter(q, 9, []device.Part{{}}, a, 0, now))
		check(t, Copy(q, 7, f.device, b, a, 0, now))
		check(t, Download(q, 8, dst, a, 0, now))
		check(t, Await(q))
		if idle, err := q.Idle(); !idle || err != nil {
			t.Errorf("now %v: after Await Idle() = %v, %v", now, idle, err)
		}
		for i := range to {
			want := int64(i+1) * 3
			if i == 0 || i == n-2 || i == n-1 {
				want = 0x5555555555555555
			}
			if to[i] != want {
				t.Fatalf("now %v: element %d is %d, want %d", now, i, to[i], want)
			}
		}
		check(t, f.device.Free(a))
		check(t, f.device.Free(b))
	}
	check(t, q.Close())
}

// order puts synchronous and asynchronous operations onto one queue.
func order(t *testing.T, f *fixture) {
	q := f.queue(t)
	const steps = 500
	a := f.alloc(t, 8)
	from, seen := make([]int64, steps), make([]int64, steps)
	for i := range steps {
		from[i] = int64(i)
		check(t, Upload(q, 1, a, unsafe.Pointer(&from[i]), 8, i%7 == 0))
		check(t, Download(q, 2, unsafe.Pointer(&seen[i]), a, 8, i%5 == 0))
	}
	check(t, q.Synchronize())
	for i := range steps {
		if seen[i] != from[i] {
			t.Fatalf("step %d saw %d", i, seen[i])
		}
	}
	check(t, q.Close())
}

func then(t *testing.T, f *fixture) {
	q := f.queue(t)
	a := f.alloc(t, 8)
	from, to := []int64{42}, []int64{0}
	src, size := pointer(from)
	dst, _ := pointer(to)
	results := make(chan int64, 10)
	check(t, Upload(q, 1, a, src, size, false))
	check(t, Download(q, 2, dst, a, size, false))
	check(t, q.Then(func() { results <- to[0] }))
	for i := range 9 {
		check(t, q.Then(func() { results <- int64(i) }))
	}
	for _, want := range []int64{42, 0, 1, 2, 3, 4, 5, 6, 7, 8} {
		if got := <-results; got != want {
			t.Fatalf("the functions ran in the wrong order: %d, want %d", got, want)
		}
	}
	check(t, q.Close())
}

func isDone(t *testing.T, m device.Mark) bool {
	t.Helper()
	done, err := m.Done()
	check(t, err)
	return done
}

// marks holds one queue up with a kernel that waits for the host.
func marks(t *testing.T, f *fixture) {
	first, second := f.queue(t), f.queue(t)
	m, err := first.Record()
	check(t, err)
	check(t, second.Wait(m))
	check(t, second.Synchronize())
	if !isDone(t, m) {
		t.Error("the mark of an idle queue is not done")
	}
	m.Release()
	if f.device.Properties().SharedMemory {
		return // operations are done when their calls return
	}
	gate := f.kernel(t, f.kernels.Gate)
	var open, here atomic.Int64
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&open)
	pin.Pin(&here)
	a, b := f.alloc(t, 8), []int64{7}
	src, size := pointer(b)
	seen := []int64{0}
	dst, _ := pointer(seen)
	check(t, Launch(first, 1, gate, device.Geometry{}, Arguments(t, f.device, first, device.Address(uintptr(unsafe.Pointer(&open))), device.Address(uintptr(unsafe.Pointer(&here)))), false))
	for here.Load() == 0 {
		runtime.Gosched()
	}
	check(t, Upload(first, 2, a, src, size, false))
	m, err = first.Record()
	check(t, err)
	waited, err := first.Record()
	check(t, err)
	check(t, second.Wait(waited))
	waited.Release()
	if idle, err := second.Idle(); idle || err != nil {
		t.Errorf("the second queue waits for a mark, and Idle() = %v, %v", idle, err)
	}
	check(t, Download(second, 3, dst, a, size, true))
	passed := make(chan struct{})
	check(t, second.Then(func() { close(passed) }))
	for name, q := range map[string]device.Queue{"first": first, "second": second} {
		if idle, err := q.Idle(); idle || err != nil {
			t.Errorf("the %s queue is held up, and Idle() = %v, %v", name, idle, err)
		}
	}
	if isDone(t, m) {
		t.Error("the mark is done and what is before it is not")
	}
	third := f.queue(t)
	check(t, Fill(third, 4, f.alloc(t, 8), 1, 8, false))
	later, err := third.Record() // where the released mark was, maybe
	check(t, err)
	check(t, third.Synchronize())
	later.Release()
	select {
	case <-passed:
		t.Error("the second queue did not wait")
	default:
	}
	open.Store(1)
	<-passed
	check(t, second.Synchronize())
	if !isDone(t, m) || seen[0] != 7 {
		t.Errorf("after the wait: mark done %v, value %d, want 7", isDone(t, m), seen[0])
	}
	m.Release()
}

func kernels(t *testing.T, f *fixture) {
	q := f.queue(t)
	add := f.kernel(t, f.kernels.Add)
	if g := add.Resolve(device.Geometry{}); g.Gangs == 0 || g.Workers == 0 || g.Vector == 0 {
		t.Errorf("Resolve leaves %+v open", g)
	} else if counting, ok := add.(device.Counting); ok {
		if without := counting.ResolveFor(device.Geometry{}, &goacc.Arguments{}); without != g {
			t.Errorf("without values ResolveFor gives %+v, Resolve %+v", without, g)
		}
	}
	if giving, ok := add.(device.Giving); ok {
		if by := giving.Givers(device.Geometry{Gangs: 2}); slices.Contains(by[:], 0) || by[0] != device.GivenByClause && by[0] != device.GivenByCompiler {
			t.Errorf("of a construct that asks for gangs the geometry is given by %v", by)
		}
	}
	const n, rounds = 100, 50
	values, parameters := make([]int64, n), []int64{n, 2}
	src, size := pointer(values)
	from, few := pointer(parameters)
	a, p := f.alloc(t, size), f.alloc(t, few)
	check(t, Upload(q, 1, a, src, size, false))
	check(t, Upload(q, 2, p, from, few, false))
	for i := range rounds {
		slots := make([]device.Address, 3, 80)
		slots[0], slots[1], slots[2] = a, p, p+8
		if i%3 == 0 {
			slots = slots[:80]
		}
		check(t, Launch(q, 3, add, add.Resolve(device.Geometry{Gangs: 2}), Arguments(t, f.device, q, slots...), i%2 == 0))
	}
	check(t, Download(q, 4, src, a, size, true))
	check(t, q.Synchronize())
	for i, v := range values {
		if v != 2*rounds {
			t.Fatalf("value %d is %d, want %d", i, v, 2*rounds)
		}
	}
	if _, err := f.device.Kernel(0); err == nil {
		t.Error("there is a kernel at address 0")
	}
	if f.kernels.Thread == 0 {
		return
	}
	// What is put onto an idle queue to be done now is done by the caller.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	where, thread := f.kernel(t, f.kernels.Thread), []int64{0}
	dst, _ := pointer(thread)
	check(t, Launch(q, 5, where, device.Geometry{}, Arguments(t, f.device, q, a), true))
	check(t, Download(q, 6, dst, a, 8, true))
	check(t, q.Synchronize())
	if thread[0] != int64(unix.Gettid()) {
		t.Errorf("thread %d ran the kernel, want the caller's %d", thread[0], unix.Gettid())
	}
}

// flush has the device report what has finished.
func (f *fixture) flush() {
	if d, ok := f.device.(device.Flusher); ok {
		d.Flush()
	}
}

func activity(t *testing.T, f *fixture) {
	q := f.queue(t)
	a := f.alloc(t, 64)
	host := make([]byte, 64)
	src, size := pointer(host)
	check(t, Upload(q, 1, a, src, size, true))
	check(t, q.Synchronize())
	if len(f.activities) != 0 {
		t.Errorf("reported before Observe: %v", f.activities)
	}
	f.device.Observe(true)
	before := f.device.Clock()
	const rounds = 400
	for i := range uint64(rounds) {
		now := i%2 == 0
		check(t, Upload(q, 10*i+2, a, src, size, now))
		check(t, Fill(q, 10*i+3, a, 1, 16, now))
		check(t, Copy(q, 10*i+4, f.device, a+32, a, 8, now))
		check(t, Download(q, 10*i+5, src, a, size, now))
		if f.kernels.Nothing != 0 {
			check(t, Launch(q, 10*i+6, f.kernel(t, f.kernels.Nothing), device.Geometry{}, device.ArgumentBlock{}, now))
		}
	}
	check(t, q.Synchronize())
	f.flush()
	after := f.device.Clock()
	if after.Device-before.Device != after.Host-before.Host && after.Drift == 0 && before.Drift == 0 {
		t.Errorf("the clock runs at another rate than the host's: %+v, %+v", before, after)
	}
	f.mutex.Lock()
	got := f.activities
	f.mutex.Unlock()
	want := []device.Activity{{Kind: device.ActivityUpload, Bytes: 64}, {Kind: device.ActivityFill, Bytes: 16}, {Kind: device.ActivityCopy, Bytes: 8}, {Kind: device.ActivityDownload, Bytes: 64}}
	if f.kernels.Nothing != 0 {
		want = append(want, device.Activity{Kind: device.ActivityKernel})
	}
	if len(got) != rounds*len(want) {
		t.Fatalf("%d operations reported after Synchronize, want %d", len(got), rounds*len(want))
	}
	// A clock that is related to the host's is so to within microseconds.
	slack := int64(0)
	if before.Drift != 0 {
		slack = 100_000
	}
	seen := map[uint64]bool{}
	for _, g := range got {
		w := want[(g.Correlation%10)-2]
		if seen[g.Correlation] || g.Kind != w.Kind || g.Bytes != w.Bytes {
			t.Errorf("reported %+v, want %+v, once", g, w)
		}
		if g.Start > g.End || g.Start < before.Device-slack || g.End > after.Device {
			t.Errorf("reported %+v, between %d and %d", g, before.Device, after.Device)
		}
		seen[g.Correlation] = true
	}
	f.device.Observe(false)
	check(t, Upload(q, 1, a, src, size, false))
	check(t, q.Synchronize())
	f.flush()
	if len(f.activities) != len(got) {
		t.Error("reported after Observe(false)")
	}
}

// threads uses one queue from many goroutines, and each has one of its own.
func threads(t *testing.T, f *fixture) {
	shared := f.queue(t)
	f.device.Observe(true)
	const workers, rounds = 16, 100
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			errs <- func() error {
				own, err := f.device.NewQueue()
				if err != nil {
					return err
				}
				for i := range rounds {
					a, err := f.device.Alloc(8)
					if err != nil {
						return err
					}
					v, back := []int64{int64(w*rounds + i)}, []int64{0}
					src, size := pointer(v)
					dst, _ := pointer(back)
					if err := Upload(own, 1, a, src, size, i%2 == 0); err != nil {
						return err
					}
					m, err := own.Record()
					if err != nil {
						return err
					}
					if err := shared.Wait(m); err != nil {
						return err
					}
					m.Release()
					if err := Download(shared, 2, dst, a, size, i%3 == 0); err != nil {
						return err
					}
					if err := shared.Synchronize(); err != nil {
						return err
					}
					if back[0] != v[0] {
						return errors.New("a value came back wrong")
					}
					if err := f.device.Free(a); err != nil {
						return err
					}
				}
				return own.Close()
			}()
		}()
	}
	for range workers {
		check(t, <-errs)
	}
	f.flush()
	if len(f.activities) != 2*workers*rounds {
		t.Errorf("%d operations reported, want %d", len(f.activities), 2*workers*rounds)
	}
}

// closing leaves a queue open, and work on it.
func closing(t *testing.T, f *fixture) {
	q := f.queue(t)
	a, values := f.alloc(t, 8), []int64{5}
	src, size := pointer(values)
	for range 100 {
		check(t, Upload(q, 1, a, src, size, false))
	}
	check(t, f.device.Close())
	check(t, f.device.Close())
	var failure *device.Error
	if err := Upload(q, 1, a, src, size, true); !errors.As(err, &failure) || failure.Code != device.DeviceShutdown {
		t.Errorf("upload to a closed device: %v", err)
	}
	if _, err := f.device.NewQueue(); !errors.As(err, &failure) || failure.Code != device.DeviceShutdown {
		t.Errorf("queue of a closed device: %v", err)
	}
	if _, err := f.device.Alloc(1); !errors.As(err, &failure) || failure.Code != device.DeviceShutdown {
		t.Errorf("memory of a closed device: %v", err)
	}
	check(t, Await(q))
	check(t, q.Close())
	check(t, Await(q))
	f.open(t) // once more
}
