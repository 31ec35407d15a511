package sim

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// queueThreads counts the threads of this process that run queues.
func queueThreads(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, task := range tasks {
		// A thread may end between the two calls.
		if name, err := os.ReadFile("/proc/self/task/" + task.Name() + "/comm"); err == nil && len(name) > 3 && string(name[:3]) == "sim" && name[3] != '.' {
			count++
		}
	}
	return count
}

// gone waits until the kernel has removed threads that were joined.
func gone(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); queueThreads(t) > 0; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d threads of queues are left", queueThreads(t))
		}
	}
}

func TestThreadsEndWithDevice(t *testing.T) {
	gone(t)
	goroutines := runtime.NumGoroutine()
	for range 3 {
		b := with(t, func(o *Options) { o.Queues = 4 })
		d, err := b.Open(0, func(device.Activity) {})
		fine(t, "open", err)
		d.Observe(true)
		a, err := d.Alloc(8)
		fine(t, "alloc", err)
		if n := queueThreads(t); n != 0 {
			t.Errorf("%d threads before any queue is used", n)
		}
		var host [8]byte
		for range 10 {
			q, err := d.NewQueue()
			fine(t, "queue", err)
			fine(t, "upload", q.Upload(1, a, unsafe.Pointer(&host[0]), 8, true))
		}
		if n := queueThreads(t); n != 0 {
			t.Errorf("%d threads after operations that needed none", n)
		}
		for range 10 {
			q, err := d.NewQueue()
			fine(t, "queue", err)
			fine(t, "upload", q.Upload(1, a, unsafe.Pointer(&host[0]), 8, false))
		}
		if n := queueThreads(t); n != 4 {
			t.Errorf("%d threads for 4 hardware queues", n)
		}
		fine(t, "close", d.Close())
		gone(t)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), goroutines)
		}
	}
}

func count(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestShortLivedThreads uses a device from 10,000 threads that end, each with a
// queue of its own: nothing is left of them.
func TestShortLivedThreads(t *testing.T) {
	d, err := with(t, nil).Open(0, nil)
	fine(t, "open", err)
	defer d.Close()
	k, err := d.Kernel(devicetest.HostKernels().Nothing)
	fine(t, "kernel", err)
	use := func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		q, err := d.NewQueue()
		fine(t, "queue", err)
		a, err := d.Alloc(64)
		fine(t, "alloc", err)
		var host [64]byte
		fine(t, "upload", q.Upload(1, a, unsafe.Pointer(&host[0]), 64, false))
		fine(t, "launch", q.Launch(2, k, device.Geometry{}, []device.Address{a}, false))
		fine(t, "synchronize", q.Synchronize())
		fine(t, "free", d.Free(a))
		fine(t, "close", q.Close())
	}
	many := func(n int) {
		for range n / 10 {
			var wait sync.WaitGroup
			for range 10 {
				wait.Go(use)
			}
			wait.Wait()
		}
	}
	many(1000)
	files, queues := count(t, "/proc/self/fd"), queueThreads(t)
	many(9000)
	if got := count(t, "/proc/self/fd"); got > files+1 {
		t.Errorf("%d descriptors after 10,000 threads, %d after 1,000", got, files)
	}
	if got := queueThreads(t); got != queues || got > 32 {
		t.Errorf("%d threads of queues after 10,000 threads, %d after 1,000", got, queues)
	}
	simulated := d.(*simDevice)
	if len(simulated.queues) != 0 || simulated.arena.freeMemory() != simulated.arena.memory || len(simulated.arena.blocks) != 0 {
		t.Errorf("left behind: %d queues, %d blocks", len(simulated.queues), len(simulated.arena.blocks))
	}
}
