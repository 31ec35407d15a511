package sim

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
)

// queueThreads counts the threads of this process that run queues: those that
// are called so and block SIGUSR1. Threads that Go starts from one of them have
// the name, too, but block nothing.
func queueThreads(t *testing.T) int {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, task := range tasks {
		status, err := os.ReadFile("/proc/self/task/" + task.Name() + "/status")
		if err != nil {
			continue // it has ended meanwhile
		}
		fields := regexp.MustCompile(`(?s)^Name:\tsim\d.*\nSigBlk:\t([0-9a-f]+)\n`).FindSubmatch(status)
		if fields == nil {
			continue
		}
		blocked, err := strconv.ParseUint(string(fields[1]), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if blocked&(1<<(syscall.SIGUSR1-1)) != 0 {
			count++
		}
	}
	return count
}

// wantThreads waits until there are so many, for a thread that was joined is
// gone a little later, and one that Go starts blocks all signals at first.
func wantThreads(t *testing.T, when string, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); queueThreads(t) != want; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %d threads of queues, want %d", when, queueThreads(t), want)
		}
	}
}

func TestThreadsEndWithDevice(t *testing.T) {
	wantThreads(t, "at first", 0)
	goroutines := runtime.NumGoroutine()
	for range 3 {
		b := with(t, func(o *Options) { o.Queues = 4 })
		d, err := b.Open(0, func(device.Activity, bool) {})
		fine(t, "open", err)
		defer d.Close()
		d.Observe(true)
		a, err := d.Alloc(8)
		fine(t, "alloc", err)
		wantThreads(t, "before any queue is used", 0)
		var host [8]byte
		for range 10 {
			q, err := d.NewQueue()
			fine(t, "queue", err)
			fine(t, "upload", devicetest.Upload(q, 1, a, unsafe.Pointer(&host[0]), 8, true))
		}
		wantThreads(t, "after operations that need none", 0)
		for range 10 {
			q, err := d.NewQueue()
			fine(t, "queue", err)
			fine(t, "upload", devicetest.Upload(q, 1, a, unsafe.Pointer(&host[0]), 8, false))
		}
		wantThreads(t, "with 4 hardware queues in use", 4)
		fine(t, "close", d.Close())
		wantThreads(t, "after closing", 0)
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > goroutines; runtime.Gosched() {
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
		fine(t, "upload", devicetest.Upload(q, 1, a, unsafe.Pointer(&host[0]), 64, false))
		fine(t, "launch", devicetest.Launch(q, 2, k, device.Geometry{}, device.ArgumentBlock{Address: a, Size: 8}, false))
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
	files := count(t, "/proc/self/fd")
	wantThreads(t, "after 1,000 threads", 32)
	many(9000)
	if got := count(t, "/proc/self/fd"); got > files+1 {
		t.Errorf("%d descriptors after 10,000 threads, %d after 1,000", got, files)
	}
	wantThreads(t, "after 10,000 threads", 32)
	simulated := d.(hostCoded)
	if len(simulated.queues) != 0 || simulated.arena.freeMemory() != simulated.arena.memory || len(simulated.arena.blocks.InUse) != 0 {
		t.Errorf("left behind: %d queues, %d blocks", len(simulated.queues), len(simulated.arena.blocks.InUse))
	}
}
