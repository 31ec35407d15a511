package devicetest

/*
#include <stdint.h>

extern void accscopeTestAsk (void);

// no slots
static void
ask (const uintptr_t *slots)
{
  (void) slots;
  accscopeTestAsk ();
}

static uintptr_t address_of_ask (void) { return (uintptr_t) ask; }
*/
import "C"

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// images: a device that runs code of its own refuses what is none for it, and an
// image that it does not have can be unloaded.
func images(t *testing.T, f *fixture) {
	taker, ok := f.device.(device.ImageDevice)
	if _, needs := f.backend.(device.ImageBackend); needs != ok {
		t.Fatalf("the backend takes images: %v, its device: %v", needs, ok)
	}
	if !ok {
		t.Skip("the device runs the host's code")
	}
	var table [4]unsafe.Pointer
	var failure *device.Error
	foreign := goacc.Image{Type: int32(f.backend.Type()) + 1, Table: unsafe.Pointer(&table), Data: unsafe.Pointer(&table)}
	if _, err := taker.LoadImage(foreign); !errors.As(err, &failure) {
		t.Errorf("an image for another type of device: %v is no *device.Error", err)
	}
	if err := taker.UnloadImage(foreign); err != nil {
		t.Errorf("unload an image that is not loaded: %v", err)
	}
}

// asked is called by the kernel ask on the thread that runs it.
var asked atomic.Pointer[func()]

//export accscopeTestAsk
func accscopeTestAsk() { (*asked.Load())() }

// inside: a kernel of a device that runs host code is inside, and nobody else.
func inside(t *testing.T, f *fixture) {
	coded, ok := f.device.(device.HostCoded)
	if !ok {
		t.Skip("kernels cannot call the runtime")
	}
	within := false
	note := func() { within = coded.Inside() }
	asked.Store(&note)
	q := f.queue(t)
	for _, now := range []bool{true, false} {
		within = false
		check(t, Launch(q, 1, f.kernel(t, uintptr(C.address_of_ask())), device.Geometry{}, device.ArgumentBlock{}, now))
		check(t, q.Synchronize())
		if !within {
			t.Errorf("a kernel is not inside, now %v", now)
		}
		if coded.Inside() {
			t.Error("the caller is inside a kernel")
		}
	}
}

// watching: a kernel that uses one byte behind an allocation fails.
func watching(t *testing.T, f *fixture) {
	watches, ok := f.device.(device.Watching)
	if !ok || !watches.Watches() {
		t.Skip("kernels may use all of the device's memory")
	}
	if c, ok := f.device.(device.Checking); ok && c.Checks() {
		t.Skip("the device tells of it, and goes on")
	}
	_, _, err := leave(t, f)
	var failure *device.Error
	if !errors.As(err, &failure) || failure.Code != device.Execution {
		t.Errorf("a kernel that leaves an allocation: %v", err)
	}
}

// leave launches a kernel that uses one value behind an allocation, and gives that.
func leave(t *testing.T, f *fixture) (behind device.Address, q device.Queue, err error) {
	t.Helper()
	q = f.queue(t)
	add := f.kernel(t, f.kernels.Add)
	const n = 32 // all of an allocation, with its alignment
	values, parameters := make([]int64, n), []int64{n + 1, 2}
	src, size := pointer(values)
	from, few := pointer(parameters)
	a, p := f.alloc(t, size), f.alloc(t, few)
	check(t, Upload(q, 1, a, src, size, true))
	check(t, Upload(q, 2, p, from, few, true))
	if err = Launch(q, 3, add, add.Resolve(device.Geometry{}), Arguments(t, f.device, q, a, p, p+8), true); err == nil {
		err = q.Synchronize()
	}
	return a + device.Address(size), q, err
}

// checking: what leaves an allocation, and what nothing has written, is told; nothing else is, nor
// what others may have written.
func checking(t *testing.T, f *fixture) {
	checks, ok := f.device.(device.Checking)
	if !ok || !checks.Checks() {
		t.Skip("the device does not check its memory")
	}
	var mutex sync.Mutex
	found := map[device.FindingKind][]device.Finding{}
	checks.ObserveFindings(func(f device.Finding) {
		mutex.Lock()
		defer mutex.Unlock()
		found[f.Kind] = append(found[f.Kind], f)
	})
	behind, q, err := leave(t, f)
	if err != nil {
		t.Errorf("a kernel that leaves an allocation: %v, and it was to go on", err)
	}
	values := make([]int64, 8)
	to, size := pointer(values)
	fresh, given := f.alloc(t, size), f.alloc(t, size)
	checks.GiveOut(given, size)
	check(t, Download(q, 4, to, given, size, true))
	check(t, Download(q, 5, to, fresh, size, true))
	check(t, q.Synchronize())
	mutex.Lock()
	defer mutex.Unlock()
	// The value behind is read, and written.
	if outside := found[device.FindingOutOfBounds]; len(outside) != 2 || outside[0].Address != behind || outside[1].Address != behind || outside[0].Store == outside[1].Store {
		t.Errorf("told of a kernel that leaves an allocation: %+v", outside)
	}
	if unwritten := found[device.FindingUninitialised]; len(unwritten) != 1 || unwritten[0].Address != fresh {
		t.Errorf("told of memory that nothing has written, at %#x: %+v", fresh, unwritten)
	}
	if len(found) != 2 {
		t.Errorf("told: %+v", found)
	}
}

// profiling: what a kernel came to is told when the device closes.
func profiling(t *testing.T, f *fixture) {
	counting, ok := f.device.(device.Profiling)
	if !ok || !counting.Counts() {
		t.Skip("the device does not count")
	}
	var told []device.KernelCounts
	counting.ObserveCounts(func(k device.KernelCounts) { told = append(told, k) })
	q, add := f.queue(t), f.kernel(t, f.kernels.Add)
	values, parameters := []int64{1, 2, 3, 4}, []int64{4, 2}
	src, size := pointer(values)
	from, few := pointer(parameters)
	a, p := f.alloc(t, size), f.alloc(t, few)
	check(t, Upload(q, 1, a, src, size, true))
	check(t, Upload(q, 2, p, from, few, true))
	for range 2 {
		check(t, Launch(q, 3, add, add.Resolve(device.Geometry{}), Arguments(t, f.device, q, a, p, p+8), true))
	}
	check(t, q.Synchronize())
	check(t, f.device.Close())
	f.open(t) // for whoever closes it
	if len(told) != 1 || told[0].Values["launches"] != 2 || len(told[0].Lines) == 0 {
		t.Fatalf("told of a kernel that ran twice: %+v", told)
	}
	if card := counting.Card(); card.Name == "" || card.Values["multiprocessors"] == 0 || told[0].Estimates["registers"] == 0 || told[0].Estimates["resident_gangs"] == 0 {
		t.Errorf("estimates %v for %+v", told[0].Estimates, card)
	}
	bytes := int64(0)
	for _, l := range told[0].Lines {
		bytes += l.Values["store_bytes"]
	}
	if want := 2 * int64(size); bytes != want {
		t.Errorf("stores of %d bytes were counted, want %d", bytes, want)
	}
}

// pool: what a device takes from its driver covers what is allocated, and it gives
// back what it took, once.
func pool(t *testing.T, f *fixture) {
	pooled, ok := f.device.(device.Pooled)
	if !ok {
		t.Skip("the device has no pool")
	}
	var mu sync.Mutex
	taken := map[device.Address]uint64{}
	pooled.ObservePool(func(took bool, address device.Address, bytes uint64) {
		mu.Lock()
		defer mu.Unlock()
		if before, known := taken[address]; took == known || !took && before != bytes {
			t.Errorf("pool: taken %v, %d bytes at %#x, %d before", took, bytes, address, before)
		}
		if taken[address] = bytes; !took {
			delete(taken, address)
		}
	})
	var addresses []device.Address
	const size = 1 << 20
	for range 100 {
		addresses = append(addresses, f.alloc(t, size))
	}
	mu.Lock()
	for _, a := range addresses {
		covered := false
		for from, bytes := range taken {
			covered = covered || a >= from && uint64(a-from)+size <= bytes
		}
		if !covered {
			t.Errorf("memory at %#x is in nothing that was taken", a)
		}
	}
	mu.Unlock()
	for _, a := range addresses {
		check(t, f.device.Free(a))
	}
}

// adopting: a queue of the program's own works as one of the device's, and outlives
// it.
func adopting(t *testing.T, f *fixture) {
	adopter, ok := f.device.(device.QueueAdopter)
	if !ok {
		t.Skip("the device adopts no queues")
	}
	own := f.queue(t)
	a, values := f.alloc(t, 8), []int64{7}
	src, size := pointer(values)
	for round := range 3 {
		adopted, err := adopter.AdoptQueue(own.Handle())
		check(t, err)
		if adopted.Handle() != own.Handle() {
			t.Errorf("round %d: the adopted queue is another one", round)
		}
		check(t, Upload(adopted, 1, a, src, size, false))
		check(t, adopted.Synchronize())
		values[0] = 0
		check(t, Download(adopted, 2, src, a, size, true))
		check(t, adopted.Synchronize())
		if values[0] != 7 {
			t.Errorf("round %d: the adopted queue brought %d, want 7", round, values[0])
		}
		check(t, adopted.Close())
	}
	check(t, Upload(own, 3, a, src, size, false))
	check(t, own.Synchronize())
}

// flushing: what has finished on an idle queue is reported when Flush returns, and
// again nothing where nothing is observed.
func flushing(t *testing.T, f *fixture) {
	flusher, ok := f.device.(device.Flusher)
	if !ok {
		t.Skip("the device reports at once")
	}
	flusher.Flush()
	f.device.Observe(true)
	q := f.queue(t)
	a, values := f.alloc(t, 8), []int64{1}
	src, size := pointer(values)
	for n := 1; n <= 50; n++ {
		check(t, Upload(q, uint64(n), a, src, size, n%2 == 0))
		check(t, q.Synchronize())
		flusher.Flush()
		f.mutex.Lock()
		reported := len(f.activities)
		f.mutex.Unlock()
		if reported != n {
			t.Fatalf("%d operations reported of %d that have finished", reported, n)
		}
	}
	f.device.Observe(false)
	flusher.Flush()
}

// freeMemory: a backend that has to be asked knows of no device that is not there, and
// gives no more than a device has.
func freeMemory(t *testing.T, f *fixture) {
	teller, ok := f.backend.(device.FreeMemoryTeller)
	if !ok {
		t.Skip("the backend's properties have it")
	}
	count, err := f.backend.Count()
	check(t, err)
	if _, err := teller.FreeMemory(count); err == nil {
		t.Errorf("device %d of %d has free memory", count, count)
	}
	p, err := f.backend.Properties(0)
	check(t, err)
	free, err := teller.FreeMemory(0)
	check(t, err)
	if free == 0 || free > p.Memory {
		t.Errorf("%d of %d bytes are free", free, p.Memory)
	}
}
