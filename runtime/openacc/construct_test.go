package openacc

import (
	"encoding/binary"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// words is host memory for n 64-bit values.
func words(values ...int64) []byte {
	b := hostMemory(8*len(values), 0)
	for i, v := range values {
		put(b, i, v)
	}
	return b
}

func put(b []byte, i int, v int64) { binary.LittleEndian.PutUint64(b[8*i:], uint64(v)) }
func get(b []byte, i int) int64    { return int64(binary.LittleEndian.Uint64(b[8*i:])) }
func span8(kind goacc.Kind, b []byte) entry {
	return entry{kind, address(b), uintptr(len(b))}
}

// adding is a compute construct that adds more to each of values, which has the
// map kind given; the other arguments are firstprivate.
func adding(async int, kind goacc.Kind, values, count, more []byte) *Construct {
	c := directive(async, span8(kind, values), span8(goacc.To, count), span8(goacc.To, more))
	c.Function = devicetest.HostKernels().Add
	return c
}

// TestEventOrder: the events of directives and routines, in order, with the
// bytes of data events and async values.
func TestEventOrder(t *testing.T) {
	values, count, more := words(1, 2, 3), words(3), words(10)
	for _, c := range []struct {
		name string
		do   func(*Thread)
		want string
	}{
		{"synchronous compute construct", func(t *Thread) { t.Parallel(adding(AsyncSync, goacc.ToFrom, values, count, more)) }, `
compute_construct_start
enter_data_start
alloc 24
create 24
enqueue_upload_start 24
enqueue_upload_end 24
enqueue_upload_start 16
enqueue_upload_end 16
enter_data_end
enqueue_launch_start
enqueue_launch_end
exit_data_start
enqueue_download_start 24
enqueue_download_end 24
wait_start
wait_end
delete 24
free 24
exit_data_end
compute_construct_end`},
		{"asynchronous compute construct and wait", func(t *Thread) {
			t.EnterData(directive(3, span8(goacc.To, values)))
			c := adding(3, goacc.ForcePresent, values, count, more)
			c.Arguments = argumentsOf(span8(goacc.ForcePresent, values), span8(goacc.ForcePresent, values), span8(goacc.ForcePresent, values))
			c.Function = devicetest.HostKernels().Nothing
			t.Parallel(c)
			t.Wait(&Construct{Async: AsyncSync, Waits: []int32{3}})
			t.ExitData(directive(AsyncSync, span8(goacc.Release, values)))
		}, `
enter_data_start async 3
alloc 24 async 3
create 24 async 3
enqueue_upload_start 24 async 3
enqueue_upload_end 24 async 3
enter_data_end async 3
compute_construct_start async 3
enter_data_start async 3
enter_data_end async 3
enqueue_launch_start async 3
enqueue_launch_end async 3
exit_data_start async 3
exit_data_end async 3
compute_construct_end async 3
wait_start async 3
wait_end async 3
exit_data_start
delete 24
free 24
exit_data_end`},
		{"update", func(t *Thread) {
			t.Create(pointerTo(values), 24, AsyncSync)
			t.Update(directive(AsyncSync, entry{goacc.ForceTo, address(values) + 8, 8}))
			t.Delete(pointerTo(values), 24, AsyncSync, false)
		}, `
alloc 24
create 24
update_start
enqueue_upload_start 8
enqueue_upload_end 8
wait_start
wait_end
update_end
delete 24
free 24`},
		{"host_data", func(t *Thread) {
			t.Create(pointerTo(values), 24, AsyncSync)
			t.DataStart(directive(AsyncSync, entry{goacc.UseDevice, address(values), 0}))
			t.DataEnd()
			t.Delete(pointerTo(values), 24, AsyncSync, false)
		}, `
alloc 24
create 24
enter_data_start
enter_data_end
exit_data_start
exit_data_end
delete 24
free 24`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			thread.Init(DeviceSim)
			p.newThread().InitDevice(0, DeviceHost) // so that only the construct's events follow
			var events recorder
			events.register(p, callbacks.Events()...)
			if line := failure(func() { c.do(thread) }); line != "" {
				t.Fatal(line)
			}
			if got := events.take(); got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("events:\n%s", got)
			}
		})
	}
}

// TestComputeResults: kernels work on the device copy, and what comes back is
// what the kinds say.
func TestComputeResults(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(1, 2, 3), words(3), words(10)
	thread.Parallel(adding(AsyncSync, goacc.ToFrom, values, count, more))
	if get(values, 0) != 11 || get(values, 2) != 13 {
		t.Errorf("copy: %d %d", get(values, 0), get(values, 2))
	}
	thread.Parallel(adding(AsyncSync, goacc.To, values, count, more))
	if get(values, 0) != 11 {
		t.Errorf("copyin: %d", get(values, 0))
	}

	// A firstprivate variable may change as soon as the call returns.
	for i := int64(1); i <= 50; i++ {
		put(more, 0, i)
		thread.Parallel(adding(1, goacc.ToFrom, values, count, more))
		put(more, 0, 1000)
	}
	thread.WaitFor(1, CurrentDevice)
	if want := int64(11 + 50*51/2); get(values, 0) != want {
		t.Errorf("50 asynchronous constructs: %d, want %d", get(values, 0), want)
	}

	// Queue 2 waits for queue 1 and works on what it has copied back.
	put(more, 0, 1)
	before := get(values, 1)
	thread.Parallel(adding(1, goacc.ToFrom, values, count, more))
	next := adding(2, goacc.ToFrom, values, count, more)
	next.Waits = []int32{1}
	thread.Parallel(next)
	thread.WaitAll(CurrentDevice)
	if get(values, 1) != before+2 {
		t.Errorf("two queues in order: %d, want %d", get(values, 1), before+2)
	}
}

// TestScalarsOfQueues: GCC copies scalars of a data region in and out of each
// asynchronous construct in it, through a temporary that it sets again without
// waiting. Constructs get what it was set to, and what constructs change adds up.
func TestScalarsOfQueues(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, total, count, k := words(0, 0, 0), words(5), words(3), words(0)
	one, step := words(1), words(100)
	adds := func(async int, values entry, count, more []byte, kind goacc.Kind) *Construct {
		c := directive(async, values, span8(goacc.To, count), span8(kind, more))
		c.Function = devicetest.HostKernels().Add
		return c
	}
	thread.DataStart(directive(AsyncSync, span8(goacc.ToFrom, values)))
	for i := range int64(40) {
		put(k, 0, i/2)
		thread.Parallel(adds(1, span8(goacc.ForcePresent, values), count, k, goacc.ToFrom))
		queue := 1 + int(i)%2
		next := adds(queue, span8(goacc.ToFrom, total), one, step, goacc.To)
		next.Waits = []int32{1, 2}
		thread.Parallel(next)
	}
	put(k, 0, 77)
	thread.WaitAll(CurrentDevice)
	thread.DataEnd()
	if want := int64(2 * 19 * 20 / 2); get(values, 0) != want || get(values, 2) != want {
		t.Errorf("a scalar set before each construct: %d and %d, want %d", get(values, 0), get(values, 2), want)
	}
	if get(total, 0) != 5+40*100 {
		t.Errorf("a scalar that constructs add to: %d, want %d", get(total, 0), 5+40*100)
	}
	if get(k, 0) != 77 {
		t.Errorf("a scalar that no construct changed was written back: %d", get(k, 0))
	}
}

// TestUnwrittenPointer: where a pointer has not been given the address of the data before it,
// as GCC leaves a descriptor that no kernel uses, the device's copy leads to these data.
func TestUnwrittenPointer(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	data, other := words(7, 8, 9), words(1)
	pointer := words(int64(address(other)))
	for _, kind := range []goacc.Kind{goacc.To, goacc.ForcePresent} {
		if kind == goacc.ForcePresent {
			thread.EnterData(directive(AsyncSync, span8(goacc.To, data)))
		}
		thread.DataStart(directive(AsyncSync, span8(kind, data), entry{goacc.Pointer, address(pointer), 0}))
		into := hostMemory(8, 0)
		thread.MemcpyFromDevice(pointerTo(into), thread.DevicePtr(pointerTo(pointer)), 8, AsyncSync)
		if got := get(into, 0); got != int64(uintptr(thread.DevicePtr(pointerTo(data)))) {
			t.Errorf("%v: the pointer is %#x, not the device address of the data before it", kind, got)
		}
		thread.DataEnd()
	}
	thread.ExitData(directive(AsyncSync, span8(goacc.Release, data)))
}

// TestAttach: a pointer member holds the device address while it is attached,
// whatever order the variables come in, and the host's afterwards.
func TestAttach(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	data := words(7, 8, 9)
	object := words(42, int64(address(data)), 43) // the second member points to data
	member := address(object) + 8

	deviceCopy := func() []byte {
		into := hostMemory(len(object), 0)
		thread.MemcpyFromDevice(pointerTo(into), thread.DevicePtr(pointerTo(object)), uintptr(len(object)), AsyncSync)
		return into
	}
	// GCC emits the pointer before the object that holds it.
	thread.EnterData(directive(AsyncSync, span8(goacc.To, data), entry{goacc.Attach, member, 0}, span8(goacc.To, object)))
	if got := get(deviceCopy(), 1); got != int64(uintptr(thread.DevicePtr(pointerTo(data)))) {
		t.Errorf("attached pointer is %#x, not the device address of its target", got)
	}
	// Whole-object updates leave attached pointers alone, on both sides.
	put(object, 0, 50)
	thread.Update(directive(AsyncSync, span8(goacc.ForceTo, object)))
	thread.Update(directive(AsyncSync, span8(goacc.ForceFrom, object)))
	if get(object, 1) != int64(address(data)) {
		t.Error("update self overwrote a pointer of the host with a device address")
	}
	if got := deviceCopy(); get(got, 0) != 50 || get(got, 1) != int64(uintptr(thread.DevicePtr(pointerTo(data)))) {
		t.Error("update device did not keep the attached pointer")
	}
	thread.Attach(at(member), AsyncSync)
	thread.Detach(at(member), AsyncSync, false)
	if got := get(deviceCopy(), 1); got == int64(address(data)) {
		t.Error("detached while its attachment counter was 1")
	}
	thread.ExitData(directive(AsyncSync, entry{goacc.Detach, member, 0}))
	if got := get(deviceCopy(), 1); got != int64(address(data)) {
		t.Errorf("detached pointer is %#x, not the host's", got)
	}
	thread.ExitData(directive(AsyncSync, span8(goacc.Release, data), span8(goacc.From, object)))
	if list, _ := p.Mappings(DeviceSim, 0); len(list) != 0 {
		t.Errorf("%d mappings left", len(list))
	}
}

// TestAttachedMembers: each pointer of a structure counts its own attachments, so a region
// inside another moves nothing; and what the outer one detaches in memory that goes is
// stored nowhere.
func TestAttachedMembers(t *testing.T) {
	thread, events := togetherProgram(t)
	one, two := hostMemory(1000, 1), hostMemory(1000, 2)
	object := words(int64(address(one)), int64(address(two)))
	cells := [2]uintptr{address(object), address(object) + 8}
	region := directive(AsyncSync, entry{goacc.Struct, cells[0], 2}, entry{goacc.Alloc, cells[0], 8}, entry{goacc.Alloc, cells[1], 8},
		span8(goacc.ToFrom, one), entry{goacc.Attach, cells[0], 0}, span8(goacc.ToFrom, two), entry{goacc.Attach, cells[1], 0})
	thread.DataStart(region)
	events.take()
	for range 2 {
		thread.DataStart(region)
		thread.DataEnd()
	}
	if got := events.take(); got != "" {
		t.Errorf("the inner regions:\n%s\nwant nothing moved", got)
	}
	for i, data := range [][]byte{one, two} {
		into := words(0)
		thread.MemcpyFromDevice(pointerTo(into), thread.DevicePtr(at(cells[i])), 8, AsyncSync)
		if got, want := get(into, 0), int64(uintptr(thread.DevicePtr(pointerTo(data)))); got != want {
			t.Errorf("pointer %d is %#x after them, want the device address %#x", i, got, want)
		}
	}
	events.take()
	thread.DataEnd()
	if got := events.take(); strings.Contains(got, "upload") {
		t.Errorf("the outer region ends with\n%s", got)
	}
}

// TestStructMembers: members of one structure keep their distances on the
// device; a member cannot be added outside the block later.
func TestStructMembers(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	object := words(1, 2, 3, 4)
	member := func(i int) entry { return entry{goacc.To, address(object) + uintptr(8*i), 8} }
	thread.EnterData(directive(AsyncSync, entry{goacc.Struct, address(object), 2}, member(0), member(2)))
	first := uintptr(thread.DevicePtr(pointerTo(object)))
	if third := uintptr(thread.DevicePtr(pointerTo(object[16:]))); third != first+16 {
		t.Errorf("members at %#x and %#x", first, third)
	}
	if thread.IsPresent(pointerTo(object[8:]), 8) {
		t.Error("the member between counts as present")
	}
	line := failure(func() {
		thread.EnterData(directive(AsyncSync, entry{goacc.Struct, address(object), 2}, member(2), member(3)))
	})
	if !strings.Contains(line, "structure element when other mapped elements") {
		t.Errorf("line %q", line)
	}
}

// TestSeveralCopyouts: of several variables in one mapping each is copied back,
// but not what a later one of them keeps from being copied.
func TestSeveralCopyouts(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	frame := words(1, 2, 3, 4)
	part := func(kind goacc.Kind, i int) entry { return entry{kind, address(frame) + uintptr(8*i), 8} }
	thread.DataStart(directive(AsyncSync, span8(goacc.ToFrom, frame), part(goacc.To, 1), part(goacc.ToFrom, 2)))
	fill := words(10, 20, 30, 40)
	thread.MemcpyToDevice(thread.DevicePtr(pointerTo(frame)), pointerTo(fill), 32, AsyncSync)
	thread.DataEnd()
	for i, want := range []int64{10, 2, 30, 40} {
		if get(frame, i) != want {
			t.Errorf("value %d is %d, want %d", i, get(frame, i), want)
		}
	}
}

// TestGarbageAddresses: GCC leaves a construct's addresses unset when its
// function reads none of them.
func TestGarbageAddresses(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	c := directive(AsyncSync, entry{goacc.ToFrom, 0x10001, 64}, entry{goacc.To, 8, 4}, entry{goacc.To, 0, 8})
	c.Function = devicetest.HostKernels().Nothing
	if line := failure(func() { thread.Parallel(c) }); line != "" {
		t.Error(line)
	}
	if list, _ := p.Mappings(DeviceSim, 0); len(list) != 0 {
		t.Errorf("%d mappings left", len(list))
	}
}

// TestShutdownAndRestart: a device that was shut down is initialised again by its
// next use, with the registrations kept; the runtime itself ends with the program,
// once, and after that no callback is called.
func TestShutdownAndRestart(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	x := hostMemory(16, 1)
	var events recorder
	events.register(p, callbacks.DeviceInitStart, callbacks.DeviceInitEnd, callbacks.DeviceShutdownStart,
		callbacks.DeviceShutdownEnd, callbacks.RuntimeShutdown, callbacks.Delete, callbacks.Free)
	for range 2 {
		thread.Create(pointerTo(x), 16, AsyncSync)
		thread.Malloc(64)
		thread.Init(DeviceSim) // no action
		thread.Shutdown(DeviceSim)
		thread.Shutdown(DeviceSim) // no action
		want := "device_init_start\ndevice_init_end\ndevice_shutdown_start\ndelete 16\nfree 16\nfree 64\ndevice_shutdown_end"
		if got := events.take(); got != want {
			t.Errorf("events:\n%s", got)
		}
	}
	if thread.IsPresent(pointerTo(x), 16) {
		t.Error("data outlived the device")
	}
	events.take()
	thread.EndProgram()
	thread.Create(pointerTo(x), 16, AsyncSync)
	thread.EndProgram()
	if got, want := events.take(), "device_shutdown_start\ndevice_shutdown_end\nruntime_shutdown"; got != want {
		t.Errorf("events at the end of the program:\n%s\nwant:\n%s", got, want)
	}
}

// TestEndWithoutDevice: the runtime ends at the end of a program that has shut down
// its devices by itself.
func TestEndWithoutDevice(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	var events recorder
	events.register(p, callbacks.RuntimeShutdown)
	thread.EndProgram()
	if got := events.take(); got != "" {
		t.Errorf("events of a runtime that was not used:\n%s", got)
	}
	thread.Init(DeviceSim)
	thread.Shutdown(DeviceSim)
	if got := events.take(); got != "" {
		t.Errorf("events of acc_shutdown:\n%s", got)
	}
	thread.EndProgram()
	if got := events.take(); got != "runtime_shutdown" {
		t.Errorf("events at the end of the program:\n%s", got)
	}
}

// TestActivity: every operation is reported once, with the number that its
// enqueue events saw.
func TestActivity(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	var records []callbacks.ActivityRecord
	number := p.Subscribe(0, func(r *callbacks.ActivityRecord) { records = append(records, *r) })
	var seen []uint64
	note := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		seen = append(seen, thread.events.Correlation)
	})
	for _, e := range []callbacks.Event{callbacks.EnqueueUploadStart, callbacks.EnqueueLaunchEnd, callbacks.EnqueueDownloadStart} {
		if err := p.registry.Register(nil, e, note, callbacks.Reg); err != nil {
			t.Fatal(err)
		}
	}
	values, count, more := hostMemory(8*100, 0), words(3), words(10) // values are too many to be a part of the launch
	thread.Parallel(adding(5, goacc.ToFrom, values, count, more))
	thread.WaitFor(5, CurrentDevice)
	condition := adding(AsyncSync, goacc.ToFrom, values, count, more)
	condition.OnHost = true // is no enqueue
	thread.Parallel(condition)
	p.Flush()
	if !p.Unsubscribe(number, false) {
		t.Error("no such subscription")
	}
	var kinds []string
	for i, r := range records {
		kinds = append(kinds, strings.TrimPrefix(r.Kind.String(), "accscope_activity_"))
		if r.Async != 5 || !slices.Contains(seen, r.Correlation) || r.DeviceEnd < r.DeviceStart {
			t.Errorf("record %d: %+v, enqueue events saw %v", i, r, seen)
		}
	}
	if got := strings.Join(kinds, " "); got != "upload kernel download" {
		t.Errorf("records: %s", got)
	}
	thread.Parallel(adding(5, goacc.ToFrom, values, count, more))
	thread.WaitFor(5, CurrentDevice)
	if len(records) != 3 {
		t.Error("records after the end of the subscription")
	}
}

// TestActivityTellsWaitsBetweenQueues: a queue that was made to wait for another
// one is reported with both; a wait of the thread is not, it has events.
func TestActivityTellsWaitsBetweenQueues(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	var records []callbacks.ActivityRecord
	number := p.Subscribe(1<<callbacks.ActivityWait, func(r *callbacks.ActivityRecord) { records = append(records, *r) })
	x, y := hostMemory(16, 1), hostMemory(16, 2)
	thread.Copyin(pointerTo(x), 16, 5)
	thread.Copyin(pointerTo(y), 16, 6)
	thread.WaitAsync(5, 6, CurrentDevice)
	thread.WaitFor(6, CurrentDevice)
	p.Flush()
	p.Unsubscribe(number, false)
	if len(records) != 1 {
		t.Fatalf("%d records: %+v", len(records), records)
	}
	if r := records[0]; r.Kind != callbacks.ActivityWait || r.AsyncQueue != 6 || r.AwaitedQueue != 5 || r.Correlation == 0 ||
		r.HostStart == 0 || r.HostEnd != r.HostStart {
		t.Errorf("%+v", r)
	}
}

// TestDefaultAsync: async without a value goes to acc-default-async-var.
func TestDefaultAsync(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	x := hostMemory(16, 1)
	if initial := thread.DefaultAsync(); initial != callbacks.DefaultQueue {
		t.Errorf("initially %d, want %d", initial, callbacks.DefaultQueue)
	}
	thread.SetDefaultAsync(7)
	thread.SetDefaultAsync(AsyncNoval) // no effect
	thread.Copyin(pointerTo(x), 16, AsyncNoval)
	queues, _ := p.Queues(DeviceSim, 0)
	if len(queues) != 1 || queues[0].Async != 7 {
		t.Errorf("queues %+v, want queue 7", queues)
	}
	thread.SetDefaultAsync(AsyncDefault)
	if got := thread.DefaultAsync(); got != callbacks.DefaultQueue {
		t.Errorf("reset to %d, want %d", got, callbacks.DefaultQueue)
	}
	thread.SetDefaultAsync(7)
	thread.Copyin(pointerTo(hostMemory(16, 2)), 16, AsyncDefault)
	if queues, _ := p.Queues(DeviceSim, 0); len(queues) != 2 || queues[0].Async != callbacks.DefaultQueue && queues[1].Async != callbacks.DefaultQueue {
		t.Errorf("queues %+v, want the initial default queue beside 7", queues)
	}
	if got := thread.WaitAny(2, &[]int32{AsyncSync, 7}[0], CurrentDevice); got != 1 {
		t.Errorf("acc_wait_any gives %d, want 1", got)
	}
	if got := thread.WaitAny(1, &[]int32{AsyncSync}[0], CurrentDevice); got != -1 {
		t.Errorf("acc_wait_any of acc_async_sync gives %d, want -1", got)
	}
}

// TestWaitForTheDefaultQueue: the directive wait(acc_async_noval) waits for the default
// queue, 3, while 5 is still busy (OpenACC 3.3 §2.16.3).
func TestWaitForTheDefaultQueue(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	open, come := words(0), words(0)
	release := func() { atomic.StoreInt64((*int64)(pointerTo(open)), 1) }
	thread.SetDefaultAsync(3)
	on := func(async int, function uintptr, entries ...entry) {
		c := directive(async, entries...)
		c.Function = function
		thread.Parallel(c)
	}
	on(AsyncNoval, devicetest.HostKernels().Nothing)
	on(5, devicetest.HostKernels().Gate, entry{goacc.ZeroLength, address(open), 0}, entry{goacc.ZeroLength, address(come), 0})
	var waited []int64
	note := p.callback(func(i *callbacks.Info, _ *callbacks.EventInfo, _ *callbacks.APIInfo) {
		waited = append(waited, i.AsyncQueue)
		if i.AsyncQueue == 5 {
			release() // or it would wait for ever
		}
	})
	if err := p.registry.Register(nil, callbacks.WaitStart, note, callbacks.Reg); err != nil {
		t.Fatal(err)
	}
	thread.Wait(&Construct{Async: AsyncSync, Waits: []int32{AsyncNoval}})
	if !slices.Equal(waited, []int64{3}) || thread.AsyncTest(5, CurrentDevice) {
		t.Errorf("waited for queues %v, want 3 alone", waited)
	}
	release()
	thread.WaitAll(CurrentDevice)
}

// TestHostIsShared: on the host device routines give back what they got.
func TestHostIsShared(t *testing.T) {
	p := newProgram(t, map[string]string{"ACC_DEVICE_TYPE": "host"}, nil)
	thread := p.newThread()
	defer thread.Close()
	x := hostMemory(16, 1)
	if thread.Copyin(pointerTo(x), 16, AsyncSync) != pointerTo(x) || !thread.IsPresent(pointerTo(x), 16) ||
		thread.DevicePtr(pointerTo(x)) != pointerTo(x) || thread.IsPresent(nil, 1) {
		t.Error("not shared")
	}
	values, count, more := words(1), words(1), words(10)
	if local := thread.Parallel(adding(3, goacc.ToFrom, values, count, more)); local == nil || local.Type != DeviceHost {
		t.Errorf("the construct is to run on %v", local)
	}
}
