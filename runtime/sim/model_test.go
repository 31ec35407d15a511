package sim

import (
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// modelled opens a device with round figures and gives its activities by
// correlation when asked.
func modelled(t *testing.T) (device.Device, func() map[uint64]device.Activity) {
	t.Helper()
	b := with(t, func(o *Options) {
		o.Model = true
		o.H2DBandwidth, o.H2DLatency = 1e9, 10*time.Microsecond // 1 ns a byte
		o.D2HBandwidth, o.D2HLatency = 500e6, 20*time.Microsecond
		o.LaunchLatency = 30 * time.Microsecond
	})
	var mutex sync.Mutex
	seen := map[uint64]device.Activity{}
	d, err := b.Open(0, func(a device.Activity, _ bool) {
		mutex.Lock()
		seen[a.Correlation] = a
		mutex.Unlock()
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Observe(true)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d, func() map[uint64]device.Activity {
		d.(hostCoded).Flush()
		mutex.Lock()
		defer mutex.Unlock()
		return seen
	}
}

// TestModel checks the device clock's arithmetic, which does not depend on how
// late the machine is.
func TestModel(t *testing.T) {
	d, seen := modelled(t)
	var queues [2]device.Queue
	for i := range queues {
		queues[i], _ = d.NewQueue()
	}
	const n = 100000
	host := make([]byte, n)
	a, err := d.Alloc(n)
	fine(t, "alloc", err)
	k, err := d.Kernel(devicetest.HostKernels().Nothing)
	fine(t, "kernel", err)

	// An operation starts when what it depends on has ended, or when it was
	// submitted, if that was later: at a time within its window.
	type window struct{ from, to int64 }
	windows := map[uint64]window{}
	submit := func(id uint64, operation func() error) {
		from := d.Clock().Device
		fine(t, "submit", operation())
		windows[id] = window{from, d.Clock().Device}
	}
	up := func(q int, id uint64, bytes uint64) {
		submit(id, func() error { return devicetest.Upload(queues[q], id, a, unsafe.Pointer(&host[0]), bytes, false) })
	}
	// Two queues share the link up; the link down is another one.
	for id := range uint64(4) {
		up(int(id%2), id, n)
	}
	submit(10, func() error { return devicetest.Download(queues[0], 10, unsafe.Pointer(&host[0]), a, n/2, false) })
	submit(11, func() error {
		return devicetest.Launch(queues[0], 11, k, device.Geometry{}, device.ArgumentBlock{}, false)
	})
	mark, err := queues[0].Record()
	fine(t, "record", err)
	fine(t, "wait", queues[1].Wait(mark))
	mark.Release()
	up(1, 12, 0)
	for _, q := range queues {
		fine(t, "synchronize", q.Synchronize())
	}
	now := d.Clock().Device
	got := seen()
	duration := func(id uint64) int64 { return got[id].End - got[id].Start }
	for id := range uint64(4) {
		if duration(id) != 110000 {
			t.Errorf("upload %d took %d ns, want 110000", id, duration(id))
		}
	}
	link := []device.Activity{got[0], got[1], got[2], got[3]}
	slices.SortFunc(link, func(a, b device.Activity) int { return int(a.Start - b.Start) })
	began := func(id uint64, after int64) {
		t.Helper()
		w := windows[id]
		if start := got[id].Start; start < max(after, w.from) || start > max(after, w.to) {
			t.Errorf("operation %d began at %d: it was submitted between %d and %d, and had to wait until %d", id, start, w.from, w.to, after)
		}
	}
	began(link[0].Correlation, 0)
	for i := range 3 {
		began(link[i+1].Correlation, link[i].End)
	}
	began(10, got[2].End)
	began(11, got[10].End)
	began(12, max(got[11].End, got[3].End))
	if got[2].Start < got[0].End || got[3].Start < got[1].End {
		t.Errorf("a queue is out of order: %v", got)
	}
	if duration(10) != 120000 || duration(12) != 10000 || duration(11) < 30000 {
		t.Errorf("the download took %d ns, want 120000; the empty upload %d, want 10000; the kernel %d, want 30000 or more", duration(10), duration(12), duration(11))
	}
	if last := got[12].End; now < last {
		t.Errorf("Synchronize returned at %d, before the modelled end %d", now, last)
	}
}

// TestModelSynchronous: the thread that runs an operation itself waits for the
// modelled end, too.
func TestModelSynchronous(t *testing.T) {
	d, seen := modelled(t)
	q, _ := d.NewQueue()
	a, _ := d.Alloc(8)
	var host [8]byte
	before := d.Clock()
	fine(t, "upload", devicetest.Upload(q, 1, a, unsafe.Pointer(&host[0]), 8, true))
	after := d.Clock()
	fine(t, "synchronize", q.Synchronize())
	got := seen()[1]
	if got.End-got.Start != 10008 || got.Start < before.Device || got.End > after.Device {
		t.Errorf("the upload ran from %d to %d, want 10008 ns between %d and %d", got.Start, got.End, before.Device, after.Device)
	}
}
