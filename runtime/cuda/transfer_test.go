package cuda

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// Sizes on both sides of each way that a transfer can go.
var sizes = []int{1, 8, 64 << 10, 64<<10 + 1, 1 << 20, 4<<20 - 1, 4 << 20, 4<<20 + 1, 23<<20 + 17}

func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestTransferSizes(t *testing.T) {
	d := open(t, nil, nil)
	for _, now := range []bool{true, false} {
		for _, n := range sizes {
			q := newQueue(t, d)
			sent, back := random(n), make([]byte, n)
			a, err := d.Alloc(uint64(n))
			check(t, err)
			check(t, devicetest.Upload(q, 1, a, unsafe.Pointer(&sent[0]), uint64(n), now))
			check(t, devicetest.Download(q, 2, unsafe.Pointer(&back[0]), a, uint64(n), now))
			check(t, q.Synchronize())
			if !slices.Equal(sent, back) {
				t.Errorf("%d bytes, now %v: came back changed", n, now)
			}
			check(t, d.Free(a))
			check(t, q.Close())
		}
	}
}

// Operations on no bytes are operations of their queue and are reported like any
// other; the driver, which would refuse their addresses, hears nothing of them.
func TestTransfersOfNothing(t *testing.T) {
	for name, now := range map[string]bool{"later": false, "now": true} {
		t.Run(name, func(t *testing.T) {
			reported := make(chan device.Activity, 4)
			d := open(t, map[string]string{"ACCSCOPE_ACTIVITY": "runtime"}, func(a device.Activity, _ bool) { reported <- a }).(*cudaDevice)
			q := newQueue(t, d)
			host := unsafe.Pointer(new([8]byte))
			all := func(n uint64) []error {
				return []error{
					devicetest.Download(q, 0, host, 0, n, now),
					devicetest.Upload(q, 1, 0, host, n, now), // which the download is before
					devicetest.Copy(q, 2, d, 0, 0, n, now),
					devicetest.Fill(q, 3, 0, 1, n, now),
				}
			}
			d.Observe(true)
			for _, err := range all(0) {
				check(t, err)
			}
			check(t, q.Synchronize())
			d.Flush()
			d.Observe(false)
			if len(reported) != cap(reported) {
				t.Fatalf("%d operations reported, want %d", len(reported), cap(reported))
			}
			for i, kind := range []device.ActivityKind{device.ActivityDownload, device.ActivityUpload, device.ActivityCopy, device.ActivityFill} {
				if r := <-reported; r.Correlation != uint64(i) || r.Kind != kind || r.Bytes != 0 || r.End < r.Start {
					t.Errorf("reported %+v, want operation %d, kind %v", r, i, kind)
				}
			}
			for _, err := range all(8) {
				wantError(t, err, device.InvalidArgument, 1, "CUDA_ERROR_INVALID_VALUE")
			}
		})
	}
}

// pinnedOrNot is what to open a device with that has pinned memory, and one that has none.
func pinnedOrNot() map[string]map[string]string {
	var none []string
	for n := range 99 {
		none = append(none, fmt.Sprintf("cuMemHostAlloc:%d:2", n+1))
	}
	return map[string]map[string]string{"pinned": nil, "no pinned memory": faulty(strings.Join(none, ","))}
}

// However many downloads to several places wait behind a kernel, and whatever pinned memory
// there is for them, all come.
func TestScatterWaits(t *testing.T) {
	for name, variables := range pinnedOrNot() {
		t.Run(name, func(t *testing.T) {
			d := open(t, variables, nil)
			q := newQueue(t, d)
			const words, parts, many = 500, 40, 200 // 4 KB of the 256 that the queue has, each
			sent, back := make([]int64, words), make([][parts]int64, many)
			for i := range sent {
				sent[i] = int64(i + 1)
			}
			a, err := d.Alloc(8 * words)
			check(t, err)
			check(t, devicetest.Upload(q, 1, a, unsafe.Pointer(&sent[0]), 8*words, true))
			if name == "pinned" { // else the caller waits
				gate, err := d.Kernel(kernels().Gate)
				check(t, err)
				flags := newFlags()
				check(t, devicetest.Launch(q, 2, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
				defer func() {
					if idle, err := q.Idle(); !idle || err != nil {
						t.Errorf("in the end Idle() = %v, %v", idle, err)
					}
				}()
				time.AfterFunc(20*time.Millisecond, func() { setFlag(&flags[0]) })
			}
			for i := range back {
				var to [parts]device.Part
				for j := range to {
					to[j] = device.Part{Host: devicetest.HostAddress(unsafe.Pointer(&back[i][j])), Offset: uint64(8 * (i + j)), Bytes: 8}
				}
				check(t, devicetest.Scatter(q, 3, to[:], a, 8*words, i%4 == 3))
			}
			check(t, q.Synchronize())
			for i := range back {
				for j, got := range back[i] {
					if got != sent[i+j] {
						t.Fatalf("download %d, part %d: %d, want %d", i, j, got, sent[i+j])
					}
				}
			}
		})
	}
}

// What a queue reads from the host is what it wrote there before, whichever way
// the transfers go.
func TestHostMemoryInOrder(t *testing.T) {
	for name, variables := range pinnedOrNot() {
		t.Run(name, func(t *testing.T) { inOrder(t, open(t, variables, nil)) })
	}
}

func inOrder(t *testing.T, d device.Device) {
	for _, n := range []int{8, 64 << 10, 1 << 20, 9 << 20} {
		q, other := newQueue(t, d), newQueue(t, d)
		a, err := d.Alloc(uint64(n))
		check(t, err)
		b, err := d.Alloc(uint64(n))
		check(t, err)
		middle, back := make([]byte, n), make([]byte, n)
		for round := range byte(10) {
			check(t, devicetest.Fill(q, 1, a, round+1, uint64(n), false))
			check(t, devicetest.Download(q, 2, unsafe.Pointer(&middle[0]), a, uint64(n), round%2 == 0))
			m, err := q.Record()
			check(t, err)
			check(t, other.Wait(m))
			m.Release()
			if now := round%5 == 3; round < 5 {
				check(t, devicetest.Upload(other, 3, b, unsafe.Pointer(&middle[0]), uint64(n), now))
			} else {
				check(t, devicetest.Gather(other, 3, b, []device.Part{
					{Host: devicetest.HostAddress(unsafe.Pointer(&back[0])), Bytes: uint64(n)},
					{Host: devicetest.HostAddress(unsafe.Pointer(&middle[n/2])), Offset: uint64(n / 2), Bytes: uint64(n - n/2)},
					{Host: devicetest.HostAddress(unsafe.Pointer(&middle[0])), Bytes: uint64(n / 2)},
				}, uint64(n), now))
			}
			check(t, devicetest.Download(other, 4, unsafe.Pointer(&back[0]), b, uint64(n), round%2 == 1))
			check(t, other.Synchronize())
			if back[0] != round+1 || back[n-1] != round+1 {
				t.Errorf("%d bytes, round %d: came back %d and %d", n, round, back[0], back[n-1])
			}
		}
		check(t, q.Close())
		check(t, other.Close())
	}
}

// Queues may wait for one another without end: released marks share few events of
// the driver.
func TestMarksAreReused(t *testing.T) {
	d := open(t, faulty("cuEventCreate:40:2"), nil)
	q, other := newQueue(t, d), newQueue(t, d)
	for range 1000 {
		m, err := q.Record()
		check(t, err)
		check(t, other.Wait(m))
		m.Release()
	}
	check(t, other.Synchronize())
}

// Asynchronous transfers do not block the caller, however large: the queue is
// blocked by a kernel until all are enqueued.
func TestAsynchronousTransfersDoNotBlock(t *testing.T) {
	d := open(t, nil, nil)
	q := newQueue(t, d)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	flags := newFlags()
	const n = 33 << 20
	sent, back := random(n), make([]byte, n)
	a, err := d.Alloc(n)
	check(t, err)
	check(t, devicetest.Launch(q, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
	small := make([]int64, 1000)
	for i := range small {
		check(t, devicetest.Download(q, 2, unsafe.Pointer(&small[i]), a, 8, false))
	}
	check(t, devicetest.Upload(q, 3, a, unsafe.Pointer(&sent[0]), n, false))
	check(t, devicetest.Download(q, 4, unsafe.Pointer(&back[0]), a, n, false))
	if idle, err := q.Idle(); idle || err != nil {
		t.Errorf("Idle() = %v, %v", idle, err)
	}
	setFlag(&flags[0])
	check(t, q.Synchronize())
	if !slices.Equal(sent, back) {
		t.Error("came back changed")
	}
}

// A queue can be tested while another thread waits for a transfer on it.
func TestIdleDuringTransfer(t *testing.T) {
	d := open(t, nil, nil)
	q := newQueue(t, d).(*queue)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	flags := newFlags()
	const n = 9 << 20
	back := make([]byte, n)
	a, err := d.Alloc(n)
	check(t, err)
	check(t, devicetest.Launch(q, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, q, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
	transferred := make(chan error)
	go func() { transferred <- devicetest.Download(q, 2, unsafe.Pointer(&back[0]), a, n, true) }()
	staging := (*uint32)(unsafe.Pointer(&q.c.Load().staging))
	for atomic.LoadUint32(staging) == 0 {
		runtime.Gosched()
	}
	tested := make(chan struct{})
	go func() {
		defer close(tested)
		if idle, err := q.Idle(); idle || err != nil {
			t.Errorf("Idle() = %v, %v", idle, err)
		}
	}()
	select {
	case <-tested:
	case <-time.After(time.Minute):
		t.Error("the test of a queue waits for a transfer")
	}
	setFlag(&flags[0])
	check(t, <-transferred)
	check(t, q.Synchronize())
	if idle, err := q.Idle(); !idle || err != nil {
		t.Errorf("after the wait Idle() = %v, %v", idle, err)
	}
}

// CUPTI's record of a kernel finds its operation, however many others were begun
// and ended meanwhile.
func TestActivityOfLongKernel(t *testing.T) {
	const rounds, others = 20, 16
	var mutex sync.Mutex
	seen := map[uint64]device.Activity{}
	// Calls are numbered so that each 64th comes to the same place.
	d := open(t, map[string]string{"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti, "ACCSCOPE_STANDIN_CUPTI_CALLS": "4096"}, func(a device.Activity, _ bool) {
		mutex.Lock()
		seen[a.Correlation] = a
		mutex.Unlock()
	}).(*cudaDevice)
	d.Observe(true)
	blocked, q := newQueue(t, d), newQueue(t, d)
	gate, err := d.Kernel(kernels().Gate)
	check(t, err)
	flags := newFlags()
	a, err := d.Alloc(8)
	check(t, err)
	check(t, devicetest.Launch(blocked, 1, gate, device.Geometry{}, devicetest.Arguments(t, d, blocked, device.Address(uintptr(unsafe.Pointer(&flags[0]))), device.Address(uintptr(unsafe.Pointer(&flags[1])))), false))
	for round := range uint64(rounds) {
		for i := range uint64(others) {
			check(t, devicetest.Fill(q, 100+round*others+i, a, 0, 8, false))
		}
		check(t, q.Synchronize())
		d.Flush()
	}
	setFlag(&flags[0])
	check(t, blocked.Synchronize())
	d.Flush()
	mutex.Lock()
	defer mutex.Unlock()
	if seen[1].Kind != device.ActivityKernel || len(seen) != 1+rounds*others {
		t.Errorf("%d operations reported, want %d; the long one is %+v", len(seen), 1+rounds*others, seen[1])
	}
}

// Where CUPTI has no times, events measure.
func TestActivityWithoutTimes(t *testing.T) {
	reported := make(chan device.Activity, 1)
	d := open(t, map[string]string{"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti, "ACCSCOPE_STANDIN_CUPTI_FAIL": "timestamp"}, func(a device.Activity, _ bool) {
		reported <- a
	}).(*cudaDevice)
	d.Observe(true)
	if d.records.tracing() {
		t.Fatal("CUPTI measures")
	}
	q := newQueue(t, d)
	a, err := d.Alloc(8)
	check(t, err)
	check(t, devicetest.Fill(q, 1, a, 0, 8, false))
	check(t, q.Synchronize())
	d.Flush()
	if a := <-reported; a.Correlation != 1 || a.End < a.Start {
		t.Errorf("reported: %+v", a)
	}
}

// An observed transfer spans the copies by the device, and the times of one
// queue's operations do not overlap, whoever measures.
func TestActivityOfOneQueue(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"events": {"ACCSCOPE_ACTIVITY": "runtime"},
		"CUPTI":  {"ACCSCOPE_ACTIVITY": "cupti", "ACCSCOPE_CUPTI": cupti},
	} {
		t.Run(name, func(t *testing.T) {
			// The device's clock is set against the host's by reading both: it is off
			// where this process waits for a processor in between.
			overlap := ""
			for range 20 {
				if overlap = activityOfOneQueue(t, variables, name == "CUPTI"); overlap == "" {
					return
				}
			}
			t.Error(overlap)
		})
	}
}

// activityOfOneQueue says which operation of a queue began before the one before it ended.
func activityOfOneQueue(t *testing.T, variables map[string]string, tracing bool) (overlap string) {
	var mutex sync.Mutex
	var seen []device.Activity
	d := open(t, variables, func(a device.Activity, _ bool) {
		mutex.Lock()
		seen = append(seen, a)
		mutex.Unlock()
	}).(*cudaDevice)
	d.Observe(true)
	if d.records.tracing() != tracing {
		t.Fatalf("CUPTI measures: %v", d.records.tracing())
	}
	q := newQueue(t, d)
	const n = 9 << 20
	host := make([]byte, n)
	a, err := d.Alloc(n)
	check(t, err)
	for i := range uint64(6) {
		check(t, devicetest.Upload(q, 2*i+1, a, unsafe.Pointer(&host[0]), n, i%2 == 0))
		check(t, devicetest.Download(q, 2*i+2, unsafe.Pointer(&host[0]), a, n, i%3 == 0))
	}
	check(t, devicetest.Download(q, 13, unsafe.Pointer(&host[0]), a, 0, false))
	check(t, q.Synchronize())
	d.Flush()
	mutex.Lock()
	defer mutex.Unlock()
	if len(seen) != 13 {
		t.Fatalf("%d operations reported, want 13", len(seen))
	}
	slices.SortFunc(seen, func(a, b device.Activity) int { return cmp.Compare(a.Correlation, b.Correlation) })
	for i, s := range seen[:12] {
		if s.Correlation != uint64(i+1) || s.Bytes != n || s.End <= s.Start {
			t.Errorf("operation %d: %+v", i, s)
		}
		if i > 0 && s.Start < seen[i-1].End {
			overlap = fmt.Sprintf("operation %d starts at %d, before the end of the last at %d", i, s.Start, seen[i-1].End)
		}
	}
	if last := seen[12]; last.Kind != device.ActivityDownload || last.Bytes != 0 {
		t.Errorf("a download of nothing: %+v", last)
	}
	return overlap
}
