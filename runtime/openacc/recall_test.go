package openacc

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// launchesBefore is how many launches it takes for the last of them to be recalled: one that finds
// the kernel, and two that come to the same.
const launchesBefore = 4

// TestRecall: a construct that was launched again and again with the same variables does
// what it would have done the first time, whatever has changed between two launches.
func TestRecall(t *testing.T) {
	const queue, sum = 1, launchesBefore * 10 // what the launches before have added
	type launches struct {
		*Thread
		values, count, more, other []byte
	}
	launch := func(l *launches) { l.Parallel(adding(queue, goacc.ForcePresent, l.values, l.count, l.more)) }
	device := func(l *launches, i int) int64 {
		l.Wait(&Construct{Async: AsyncSync, Waits: []int32{queue}})
		l.Update(directive(AsyncSync, span8(goacc.ForceFrom, l.values)))
		return get(l.values, i)
	}
	for _, c := range []struct {
		name   string
		change func(*launches)
		want   int64  // first of the values on the device after another launch
		error  string // that the launch ends in
	}{
		{"nothing", func(*launches) {}, sum + 10, ""},
		{"a value", func(l *launches) { put(l.more, 0, 100) }, sum + 100, ""},
		{"a value comes to be present", func(l *launches) {
			put(l.more, 0, 1000)
			l.Create(pointerTo(l.more), 8, AsyncSync)
			l.Update(directive(AsyncSync, span8(goacc.ForceTo, l.more)))
			put(l.more, 0, 5) // which the device does not get
		}, sum + 1000, ""},
		{"a value is partly present", func(l *launches) { l.Create(pointerTo(l.more), 4, AsyncSync) }, 0, "already mapped"},
		{"the data went and came elsewhere", func(l *launches) {
			l.Delete(pointerTo(l.values), 16, AsyncSync, true)
			l.Create(pointerTo(l.other), 4096, AsyncSync) // where they were, perhaps
			put(l.values, 0, 7)
			l.Copyin(pointerTo(l.values), 16, AsyncSync)
		}, 7 + 10, ""},
		{"the data went", func(l *launches) { l.Delete(pointerTo(l.values), 16, AsyncSync, true) }, 0, "present"},
		{"the data have no more references, while a region holds them", func(l *launches) {
			l.DataStart(directive(AsyncSync, span8(goacc.ToFrom, l.values)))
			l.Delete(pointerTo(l.values), 16, AsyncSync, true)
		}, sum + 10, ""},
		{"a queue writes a value yet", func(l *launches) {
			// A kernel makes 10 of 3, which comes back to the host behind it.
			l.Copyin(pointerTo(l.other), 8, AsyncSync)
			l.Parallel(adding(queue, goacc.ForcePresent, l.other[:8], l.count, l.more))
			c := directive(queue, span8(goacc.From, l.other[:8]))
			l.ExitData(c)
			l.Parallel(adding(queue, goacc.ForcePresent, l.values, l.count, l.other[:8]))
		}, sum + 10 + 10, ""},
		{"the device was shut down", func(l *launches) {
			l.Wait(&Construct{Async: AsyncSync, Waits: []int32{queue}})
			l.Shutdown(DeviceSim)
			put(l.values, 0, 1)
			l.Copyin(pointerTo(l.values), 16, AsyncSync)
		}, 1 + 10, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			l := &launches{Thread: p.newThread(), values: words(0, 0), count: words(2), more: words(10), other: words(make([]int64, 512)...)}
			defer l.Close()
			l.Copyin(pointerTo(l.values), 16, AsyncSync)
			for range launchesBefore {
				launch(l)
			}
			if !l.scratch.again {
				t.Fatal("the last launch is not recalled")
			}
			failed := failure(func() {
				c.change(l)
				launch(l)
			})
			if c.error != "" {
				if !strings.Contains(failed, c.error) {
					t.Errorf("the launch ends in %q, want an error with %q", failed, c.error)
				}
				return
			}
			if failed != "" {
				t.Fatal(failed)
			}
			if got := device(l, 0); got != c.want {
				t.Errorf("the device has %d, want %d", got, c.want)
			}
			runtime.KeepAlive(l)
		})
	}
}

// TestForgetful: with sites switched off no launch is one that was before, and each does what
// it would.
func TestForgetful(t *testing.T) {
	p := newProgram(t, map[string]string{"ACCSCOPE_SITES": "0"}, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(0, 0), words(2), words(10)
	thread.Copyin(pointerTo(values), 16, AsyncSync)
	for range launchesBefore {
		if thread.Parallel(adding(AsyncSync, goacc.ForcePresent, values, count, more)); thread.scratch.again {
			t.Fatal("a launch is recalled")
		}
	}
	if got := onDevice(thread, address(values), 8); get(got, 0) != launchesBefore*10 {
		t.Errorf("the device has %d, want %d", get(got, 0), launchesBefore*10)
	}
}

// TestRecallPointer: the pointer that GCC passes beside the data of a present clause is
// looked at in each launch.
func TestRecallPointer(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	first, second, pointer := words(1, 2), words(3, 4), words(0)
	thread.Copyin(pointerTo(first), 16, AsyncSync)
	thread.Copyin(pointerTo(second), 16, AsyncSync)
	put(pointer, 0, int64(address(first)))
	c := directive(AsyncSync, span8(goacc.ForcePresent, first), entry{goacc.Pointer, address(pointer), 0})
	c.Function = devicetest.HostKernels().Nothing
	for range launchesBefore {
		thread.Parallel(c)
	}
	if !thread.scratch.again {
		t.Fatal("the last launch is not recalled")
	}
	put(pointer, 0, int64(address(second)))
	thread.Parallel(c)
	if thread.scratch.again {
		t.Error("a launch is recalled whose pointer points elsewhere")
	}
	runtime.KeepAlive(unsafe.Pointer(&first[0]))
	runtime.KeepAlive(unsafe.Pointer(&second[0]))
}

// TestRecallDescriptor: so is a descriptor, be it in the argument block, of which every word
// counts, or on the device, where the pointer in it must lead to the data still.
func TestRecallDescriptor(t *testing.T) {
	for name, c := range map[string]struct {
		mapped  bool
		dummy   bool
		changed int // word of the descriptor
		recalls bool
	}{
		"a bound":                      {false, false, 6, false},
		"the pointer":                  {false, false, 0, false},
		"nothing that the launch gets": {false, false, 8, true},
		"a bound, on the device":       {true, false, 6, true},
		"the pointer, on the device":   {true, false, 0, false},
		"a bound of a dummy argument":  {false, true, 6, false},
		"its pointer":                  {false, true, 0, false},
		"no word of its":               {false, true, 8, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			defer thread.Close()
			first, second := words(1, 2), words(3, 4)
			descriptor := words(int64(address(first)), 1, 2, 3, 4, 5, 6, 7, 8) // eight words, and one behind
			thread.Copyin(pointerTo(first), 16, AsyncSync)
			thread.Copyin(pointerTo(second), 16, AsyncSync)
			entries := []entry{span8(goacc.ForcePresent, first), {goacc.Descriptor, address(descriptor), 64}, {goacc.Pointer, address(descriptor), 0}}
			if c.mapped {
				thread.EnterData(directive(AsyncSync, span8(goacc.To, first), entries[1], entries[2]))
			}
			dummy := words(int64(address(descriptor)))
			if c.dummy {
				entries = append(entries, entry{goacc.Pointer, address(dummy), 0})
			}
			launch := directive(AsyncSync, entries...)
			launch.Function = devicetest.HostKernels().Nothing
			var events recorder
			events.register(p, callbacks.Create, callbacks.Alloc, callbacks.EnqueueUploadStart)
			for range launchesBefore {
				thread.Parallel(launch)
			}
			if !thread.scratch.again {
				t.Fatal("the last launch is not recalled")
			}
			if got := events.take(); got != "" {
				t.Errorf("launches raise\n%s\nwant no event of a descriptor", got)
			}
			if c.changed == 0 {
				put(descriptor, 0, int64(address(second)))
			} else {
				put(descriptor, c.changed, 99)
			}
			thread.Parallel(launch)
			if thread.scratch.again != c.recalls {
				t.Errorf("recalled %v, want %v", thread.scratch.again, c.recalls)
			}
			runtime.KeepAlive(second)
			runtime.KeepAlive(dummy)
		})
	}
}

// TestPointerToADescriptor: a descriptor travels with the arguments only with the pointer to
// it that a dummy argument is; where that is on the device, the descriptor is mapped.
func TestPointerToADescriptor(t *testing.T) {
	for _, mapped := range []bool{false, true} {
		p := newProgram(t, nil, nil)
		thread := p.newThread()
		defer thread.Close()
		array := words(1, 2)
		descriptor := words(int64(address(array)), 1, 2, 3, 4, 5, 6, 7)
		dummy := words(int64(address(descriptor)))
		thread.Copyin(pointerTo(array), 16, AsyncSync)
		want := ""
		if mapped {
			thread.Create(pointerTo(dummy), 8, AsyncSync)
			want = "create 64\ndelete 64"
		}
		launch := directive(AsyncSync, span8(goacc.ForcePresent, array), entry{goacc.Descriptor, address(descriptor), 64},
			entry{goacc.Pointer, address(descriptor), 0}, entry{goacc.Pointer, address(dummy), 0})
		launch.Function = devicetest.HostKernels().Nothing
		for i := range launchesBefore {
			var events recorder
			events.register(p, callbacks.Create, callbacks.Delete)
			thread.Parallel(launch)
			if got := events.take(); got != want {
				t.Errorf("launch %d, pointer mapped %v: %q, want %q", i, mapped, got, want)
			}
		}
	}
}

// TestDescriptorOfNothing: a descriptor that came to the device before its array was allocated
// goes there again, though all that the launch names is present.
func TestDescriptorOfNothing(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	array, descriptor := words(1, 2), words(0, 1, 2, 3, 4, 5, 6, 7)
	launch := directive(AsyncSync)
	launch.Function = devicetest.HostKernels().Nothing
	thread.Parallel(launch) // so that the kernel is known
	entries := []entry{{goacc.ToFrom, 0, 0}, {goacc.Descriptor, address(descriptor), 64}, {goacc.Pointer, address(descriptor), 0}}
	thread.DataStart(directive(AsyncSync, entries...))
	thread.Copyin(pointerTo(array), 16, AsyncSync)
	put(descriptor, 0, int64(address(array)))
	put(descriptor, 6, 66)
	entries[0] = span8(goacc.ForcePresent, array)
	launch.Arguments = argumentsOf(entries...)
	thread.Parallel(launch)
	want := words(deviceWord(thread, array), 1, 2, 3, 4, 5, 66, 7)
	if got := onDevice(thread, address(descriptor), 64); !bytes.Equal(got, want) {
		t.Errorf("the device's descriptor is %x, want %x", got, want)
	}
	thread.DataEnd()
}

// TestPresentBesideValues: data of the size of a pointer that are present are what the kernel
// gets, also where values travel with its arguments.
func TestPresentBesideValues(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(0), words(1), words(10)
	thread.Copyin(pointerTo(values), 8, AsyncSync)
	for range launchesBefore {
		thread.Parallel(adding(AsyncSync, goacc.ForcePresent, values, count, more))
	}
	if got := onDevice(thread, address(values), 8); get(got, 0) != launchesBefore*10 {
		t.Errorf("the device has %d, want %d", get(got, 0), launchesBefore*10)
	}
}

// TestRecallBehindPending: what a launch came to while a queue had still to bring one of its
// values is not recalled: the block would be stored again for each launch.
func TestRecallBehindPending(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(0, 0), words(2), words(10)
	thread.Copyin(pointerTo(values), 16, AsyncSync)
	q, release := heldQueue(t, thread)
	thread.MemcpyFromDevice(pointerTo(more), thread.DevicePtr(pointerTo(values)), 8, q.async)
	launch := func() { thread.Parallel(adding(1, goacc.ForcePresent, values, count, more)) }
	for range launchesBefore {
		launch()
	}
	release()
	thread.WaitAll(CurrentDevice)
	for range launchesBefore {
		launch()
	}
	var events recorder
	events.register(p, callbacks.EnqueueUploadStart)
	if launch(); events.take() != "" {
		t.Error("the values are sent again, which were the same in the launch before")
	}
}

// TestRecallPending: a value that the queue has still to bring, by a copy which changes nothing
// of what is present, comes to the launch behind it.
func TestRecallPending(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(0, 0), words(2), words(10)
	thread.Copyin(pointerTo(values), 16, AsyncSync)
	launch := func() { thread.Parallel(adding(1, goacc.ForcePresent, values, count, more)) }
	for range launchesBefore {
		launch()
	}
	if !thread.scratch.again {
		t.Fatal("the last launch is not recalled")
	}
	q, release := heldQueue(t, thread)
	thread.MemcpyFromDevice(pointerTo(more), thread.DevicePtr(pointerTo(values)), 8, q.async)
	launch()
	release()
	thread.WaitAll(CurrentDevice)
	if got := onDevice(thread, address(values), 8); get(got, 0) != 2*launchesBefore*10 {
		t.Errorf("the device has %d, want twice the %d that it had", get(got, 0), launchesBefore*10)
	}
}

// TestRecallInUse: a callback writes a value, and launches the very construct that is being
// recalled around it: each launch has the values that it was called with.
func TestRecallInUse(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	defer thread.Close()
	values, count, more := words(0, 0), words(2), words(10)
	thread.Copyin(pointerTo(values), 16, AsyncSync)
	launch := func() { thread.Parallel(adding(1, goacc.ForcePresent, values, count, more)) }
	for range launchesBefore {
		launch()
	}
	again, inside := false, false
	note := p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		if inside {
			return
		}
		inside, again = true, thread.levels[0].scratch.again
		put(more, 0, 1000)
		launch()
	})
	if err := p.registry.Register(nil, callbacks.EnqueueUploadStart, note, callbacks.Reg); err != nil {
		t.Fatal(err)
	}
	put(more, 0, 100)
	launch()
	if !again {
		t.Error("the launch around the callback is not recalled")
	}
	thread.WaitAll(CurrentDevice)
	if got, want := get(onDevice(thread, address(values), 8), 0), int64(launchesBefore*10+100+1000); got != want {
		t.Errorf("the device has %d, want %d", got, want)
	}
}
