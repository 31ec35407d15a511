package openacc

import (
	"math"
	"slices"
	"time"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// CurrentDevice stands for the device number that a routine without a dev_num
// argument does not have. No int of a program is it.
const CurrentDevice = math.MinInt

// asyncRoutines are those about queues (OpenACC 3.3 §3.2.9 to §3.2.14).
type asyncRoutines struct{ deviceRoutines }

// numbered finds the device that a routine's dev_num argument names: of the
// current type; CurrentDevice is the current device. Nil without an error means
// that it is not initialised, so its queues are empty.
func (t *asyncRoutines) numbered(number int) (d *Device, ok bool) {
	if number == CurrentDevice {
		d = t.use()
		return d, d != nil
	}
	kind := t.rt.resolve(t.deviceType)
	count, err := t.rt.count(kind)
	if err != nil || count == 0 {
		t.fail(t.typeUnavailable("the current device type", kind, err))
		return nil, false
	}
	if number < 0 || number >= count {
		t.fail(t.numberUnavailable("dev_num", number, kind, count))
		return nil, false
	}
	d = t.rt.device(kind, number)
	if !d.isOpen() {
		return nil, true
	}
	t.context.device = d
	return d, true
}

// deviceForm names a routine or its _device form.
func deviceForm(routine string, number int) string {
	if number == CurrentDevice {
		return routine
	}
	return routine + "_device"
}

// valid fails where an argument is no async value.
func (t *asyncRoutines) valid(argument string, async int) bool {
	if !validAsync(async) {
		t.fail(t.invalidAsync(argument, async))
		return false
	}
	return true
}

// beginOn begins a routine about the queues of a device that its dev_num argument names: nil
// where that has none.
func (t *asyncRoutines) beginOn(routine string, async, number int) *Device {
	t.enter(deviceForm(routine, number), callbacks.RuntimeAPI, async)
	if !t.valid("wait_arg", async) {
		return nil
	}
	if d, ok := t.numbered(number); ok && d != nil && !d.Shared {
		return d
	}
	return nil
}

// AsyncTest is acc_async_test and acc_async_test_device (OpenACC 3.3 §3.2.9).
func (t *asyncRoutines) AsyncTest(async, number int) bool {
	d := t.beginOn("acc_async_test", async, number)
	if d == nil {
		return true
	}
	q := d.existing(t.mapAsync(async))
	return q == nil || t.idle(q)
}

// AsyncTestAll is acc_async_test_all and acc_async_test_all_device (OpenACC 3.3
// §3.2.9).
func (t *asyncRoutines) AsyncTestAll(number int) bool {
	d := t.beginOn("acc_async_test_all", AsyncSync, number)
	return d == nil || !slices.ContainsFunc(d.all(), func(q *Queue) bool { return !t.idle(q) })
}

// WaitFor is acc_wait and acc_wait_device (OpenACC 3.3 §3.2.10).
func (t *asyncRoutines) WaitFor(async, number int) {
	d := t.beginOn("acc_wait", async, number)
	if d == nil {
		return
	}
	if q := d.existing(t.mapAsync(async)); q != nil {
		t.await(q, false, waitTold)
	}
}

// WaitAny is acc_wait_any and acc_wait_any_device (OpenACC 3.3 §3.2.12): the
// index of a queue, among count async values at list, that is empty; -1 if there
// are none but acc_async_sync.
func (t *asyncRoutines) WaitAny(count int, values *int32, number int) int {
	t.enter(deviceForm("acc_wait_any", number), callbacks.RuntimeAPI, AsyncSync)
	switch {
	case count < 0:
		t.fail(t.errorf(device.InvalidArgument, "count is %d; pass the length of wait_arg, 0 or more", count))
		return -1
	case count > 0 && values == nil:
		t.fail(t.errorf(errorInvalidNullPointer, "wait_arg is a null pointer, and count is %d; "+
			"pass an array of async values, or a count of 0", count))
		return -1
	}
	list := unsafe.Slice(values, count)
	for _, async := range list {
		if !t.valid("an element of wait_arg", int(async)) {
			return -1
		}
	}
	d, ok := t.numbered(number)
	if !ok {
		return -1
	}
	first := -1
	var queues []*Queue
	var index []int
	for i, async := range list {
		if async == AsyncSync || t.mapAsync(int(async)) == AsyncSync {
			continue
		}
		if first < 0 {
			first = i
		}
		if d == nil || d.Shared {
			continue
		}
		q := d.existing(t.mapAsync(int(async)))
		if q == nil {
			return i
		}
		queues, index = append(queues, q), append(index, i)
	}
	if len(queues) == 0 {
		return first
	}
	if len(queues) == 1 {
		if queues[0].busy() {
			t.await(queues[0], false, waitTold)
		}
		return index[0]
	}
	for i, q := range queues {
		if t.idle(q) {
			return index[i]
		}
	}
	done := make(chan int, len(queues))
	for i, q := range queues {
		if err := q.driver.Then(func() { done <- i }); err != nil {
			t.fail(t.fromDevice(err))
			return -1
		}
	}
	ticker := time.NewTicker(failurePeriod)
	defer ticker.Stop()
	for {
		select {
		case i := <-done:
			t.await(queues[i], false, waitTold)
			return index[i]
		case <-ticker.C:
			for _, q := range queues {
				t.idle(q) // fails if the queue does
			}
		}
	}
}

// failurePeriod is how often WaitAny looks whether a queue has failed, which then
// calls nobody back.
const failurePeriod = 10 * time.Millisecond

// WaitAll is acc_wait_all and acc_wait_all_device (OpenACC 3.3 §3.2.10).
func (t *asyncRoutines) WaitAll(number int) {
	d := t.beginOn("acc_wait_all", AsyncSync, number)
	if d == nil {
		return
	}
	for _, q := range d.all() {
		if q.busy() {
			t.await(q, false, waitTold)
		}
	}
}

// WaitAsync is acc_wait_async and acc_wait_device_async (OpenACC 3.3 §3.2.11).
func (t *asyncRoutines) WaitAsync(waitFor, async, number int) {
	t.enter(deviceForm("acc_wait", number)+"_async", callbacks.RuntimeAPI, async)
	if !t.valid("wait_arg", waitFor) {
		return
	}
	t.enqueueWait(async, number, func(d *Device) []*Queue {
		if q := d.existing(t.mapAsync(waitFor)); q != nil {
			return []*Queue{q}
		}
		return nil
	})
}

// WaitAllAsync is acc_wait_all_async and acc_wait_all_device_async (OpenACC 3.3
// §3.2.11).
func (t *asyncRoutines) WaitAllAsync(async, number int) {
	t.enter(deviceForm("acc_wait_all", number)+"_async", callbacks.RuntimeAPI, async)
	t.enqueueWait(async, number, (*Device).all)
}

// enqueueWait makes a queue of the current device wait for queues of a numbered
// one. Marks do not reach across devices: there the host thread waits.
func (t *asyncRoutines) enqueueWait(async, number int, others func(*Device) []*Queue) {
	if !t.valid("async_arg", async) {
		return
	}
	from, ok := t.numbered(number)
	if !ok {
		return
	}
	d := t.use()
	if d == nil || from == nil || d.Shared {
		return
	}
	waited := others(from)
	if len(waited) == 0 {
		return // nor is a queue made that was never used
	}
	var q *Queue
	if t.mapAsync(async) != AsyncSync && d == from {
		if q = t.queue(d, async); q == nil {
			return
		}
	}
	for _, other := range waited {
		t.waitOne(q, other)
	}
}

// DefaultAsync is acc_get_default_async (OpenACC 3.3 §3.2.13): the number of a
// queue, callbacks.DefaultQueue where the program has set none, or acc_async_sync.
func (t *asyncRoutines) DefaultAsync() int { return t.defaultAsync }

// SetDefaultAsync is acc_set_default_async (OpenACC 3.3 §3.2.14);
// acc_async_default restores the initial value. acc_async_noval has no effect: §2.14.3
// says so of the directive, which the routine is equivalent to.
func (t *asyncRoutines) SetDefaultAsync(async int) {
	t.enter("acc_set_default_async", callbacks.RuntimeAPI, async)
	if !t.valid("async_arg", async) {
		return
	}
	t.defaultAsync = t.mapAsync(async)
}
