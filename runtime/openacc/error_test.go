package openacc

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/sim"
)

// TestErrors raises the errors of routines and directives: each gives its code
// to acc_ev_error, then one line that names the routine and a remedy.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Thread, []byte)
		code string
		line string // part of the message
	}{
		{"copyin of a null pointer", func(t *Thread, x []byte) { t.Copyin(nil, 16, AsyncSync) },
			"invalid_null_pointer", "acc_copyin: data_arg is a null pointer"},
		{"copyin that overlaps", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 8, AsyncSync)
			t.Copyin(pointerTo(x[4:]), 8, AsyncSync)
		}, "partly_present", "acc_copyin: data_arg"},
		{"copyin that does not fit", func(t *Thread, x []byte) { t.Create(pointerTo(x), 1<<40, AsyncSync) },
			"out_of_memory", "acc_create: "},
		{"copyin with a bad async value", func(t *Thread, x []byte) { t.Copyin(pointerTo(x), 16, -4) },
			"invalid_async", "acc_copyin_async: async_arg is -4"},
		{"delete of partly present data", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 8, AsyncSync)
			t.Delete(pointerTo(x), 9, AsyncSync, true)
		}, "partly_present", "+9] outside mapped block"},
		{"update of absent data", func(t *Thread, x []byte) { t.UpdateSelf(pointerTo(x), 16, AsyncSync) },
			"not_present", "acc_update_self: "},
		{"update directive of absent data", func(t *Thread, x []byte) {
			t.Update(directive(AsyncSync, entry{goacc.ForceTo, address(x), 16}))
		}, "not_present", "update directive: "},
		{"present clause of absent data", func(t *Thread, x []byte) {
			t.DataStart(directive(AsyncSync, entry{goacc.ForcePresent, address(x), 16}))
		}, "not_present", "data construct: "},
		{"present clause of partly present data", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 8, AsyncSync)
			t.DataStart(directive(AsyncSync, entry{goacc.ForcePresent, address(x), 16}))
		}, "partly_present", "Trying to map into device"},
		{"host_data of absent data", func(t *Thread, x []byte) {
			t.DataStart(directive(AsyncSync, entry{goacc.UseDevice, address(x), 0}))
		}, "not_present", "host_data construct: "},
		{"enter data with a bad async value", func(t *Thread, x []byte) {
			t.EnterData(directive(-9, entry{goacc.To, address(x), 16}))
		}, "invalid_async", "enter data directive: async argument is -9"},
		{"wait directive with a bad queue", func(t *Thread, x []byte) {
			t.Wait(&Construct{Async: AsyncSync, Waits: []int32{-5}})
		}, "invalid_async", "wait directive: wait argument is -5"},
		{"map_data without bytes", func(t *Thread, x []byte) { t.MapData(pointerTo(x), pointerTo(x), 0) },
			"invalid_argument", "is a bad map"},
		{"map_data of present data", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 16, AsyncSync)
			t.MapData(pointerTo(x), t.Malloc(16), 16)
		}, "present", "host address"},
		{"map_data of mapped device memory", func(t *Thread, x []byte) {
			t.MapData(pointerTo(x[8:]), t.Create(pointerTo(x), 8, AsyncSync), 8)
		}, "present", "device address"},
		{"unmap_data of what acc_create made", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 16, AsyncSync)
			t.UnmapData(pointerTo(x))
		}, "invalid_argument", "that has not been mapped by 'acc_map_data'"},
		{"free of mapped memory", func(t *Thread, x []byte) { t.Free(t.Create(pointerTo(x), 16, AsyncSync)) },
			"invalid_argument", "that is still mapped at"},
		{"free of the middle of a block", func(t *Thread, x []byte) { t.Free(unsafe.Add(t.Malloc(64), 32)) },
			"invalid_argument", "error in freeing device memory in acc_free"},
		{"memcpy to a null pointer", func(t *Thread, x []byte) { t.MemcpyToDevice(nil, pointerTo(x), 16, AsyncSync) },
			"invalid_null_pointer", "invalid device address"},
		{"memcpy that runs over", func(t *Thread, x []byte) { t.MemcpyToDevice(t.Malloc(8), pointerTo(x), 16, AsyncSync) },
			"invalid_argument", "invalid size"},
		{"memcpy_d2d of absent data", func(t *Thread, x []byte) {
			t.Create(pointerTo(x), 8, AsyncSync)
			t.MemcpyD2D(pointerTo(x), pointerTo(x[8:]), 8, 0, 0, AsyncSync)
		}, "not_present", "acc_memcpy_d2d: data_arg_src"},
		{"memcpy_d2d with a bad device", func(t *Thread, x []byte) {
			t.MemcpyD2D(pointerTo(x), pointerTo(x[8:]), 8, 0, 3, AsyncSync)
		}, "device_unavailable", "dev_num_src is 3"},
		{"attach of a null pointer", func(t *Thread, x []byte) { t.Attach(nil, AsyncSync) },
			"invalid_null_pointer", "acc_attach: ptr_addr"},
		{"unknown device type", func(t *Thread, x []byte) { t.Init(99) },
			"device_type_unavailable", "acc_init: unknown device type 99"},
		{"device type without devices", func(t *Thread, x []byte) { t.SetDeviceType(DeviceNVIDIA) },
			"device_type_unavailable", "; ACCSCOPE_SIM_AS=nvidia has the simulated device answer to it"},
		{"device number too high", func(t *Thread, x []byte) { t.SetDeviceNum(1, DeviceSim) },
			"device_unavailable", "acc_set_device_num: dev_num is 1"},
		{"wait for a bad queue", func(t *Thread, x []byte) { t.WaitFor(-4, CurrentDevice) },
			"invalid_async", "acc_wait: wait_arg is -4"},
		{"wait on a bad device", func(t *Thread, x []byte) { t.WaitFor(1, 7) },
			"device_unavailable", "acc_wait_device: dev_num is 7"},
		{"wait_any with a negative count", func(t *Thread, x []byte) { t.WaitAny(-1, nil, CurrentDevice) },
			"invalid_argument", "acc_wait_any: count is -1"},
		{"shutdown of a device that is not there", func(t *Thread, x []byte) { t.ShutdownDevice(2, DeviceSim) },
			"device_unavailable", "acc_shutdown_device: dev_num is 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			var events recorder
			events.register(p, callbacks.Error)
			thread := p.newThread()
			line := failure(func() { c.do(thread, hostMemory(16, 1)) })
			if !strings.HasPrefix(line, "accscope: ") || !strings.Contains(line, c.line) || strings.Count(line, "\n") != 1 {
				t.Errorf("line %q, want %q in it", line, c.line)
			}
			if got := events.take(); !strings.HasPrefix(got, "error "+c.code) {
				t.Errorf("event %q, want code %s", got, c.code)
			}
		})
	}
}

// TestAbsentData: acc_copyout and acc_delete report data that is not present and
// take no action; a callback may run into the same again, and into another error.
func TestAbsentData(t *testing.T) {
	p := newProgram(t, nil, nil)
	var events recorder
	events.register(p, callbacks.Error, callbacks.EnqueueDownloadStart, callbacks.Delete)
	thread := p.newThread()
	x := hostMemory(16, 1)
	for _, async := range []int{AsyncSync, 3} {
		for _, finalize := range []bool{false, true} {
			if line := failure(func() {
				thread.Copyout(pointerTo(x), 16, async, finalize)
				thread.Delete(pointerTo(x), 16, async, finalize)
			}); line != "" {
				t.Fatalf("the program ended: %s", line)
			}
			want := "error not_present\nerror not_present"
			if async != AsyncSync {
				want = "error not_present async 3\nerror not_present async 3"
			}
			if got := events.take(); got != want {
				t.Errorf("async %d, finalize %v: events %q, want %q", async, finalize, got, want)
			}
		}
	}
	if line := p.errors.take(); line != "" {
		t.Errorf("the default callback wrote %q", line)
	}

	calls, nested := 0, func() { thread.Delete(pointerTo(x), 16, AsyncSync, false) }
	err := p.registry.Register(nil, callbacks.Error, p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		if calls++; calls == 1 {
			nested()
		}
	}), callbacks.Reg)
	if err != nil {
		t.Fatal(err)
	}
	if line := failure(func() { thread.Copyout(pointerTo(x), 16, AsyncSync, false) }); line != "" || calls != 1 {
		t.Errorf("line %q, %d calls; want none and one", line, calls)
	}
	calls, nested = 0, func() { thread.UpdateSelf(pointerTo(x), 16, AsyncSync) }
	if line := failure(func() { thread.Copyout(pointerTo(x), 16, AsyncSync, false) }); !strings.Contains(line, "acc_update_self: ") || calls != 2 {
		t.Errorf("line %q, %d calls; want that of acc_update_self and two", line, calls)
	}
}

// TestErrorCallback: the callback may use acc_get_property and acc_shutdown.
func TestErrorCallback(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	var memory uint64
	err := p.registry.Register(nil, callbacks.Error, p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		memory = thread.Property(0, DeviceCurrent, PropertyMemory)
		thread.Shutdown(DeviceSim)
	}), callbacks.Reg)
	if err != nil {
		t.Fatal(err)
	}
	x := hostMemory(16, 1)
	thread.Create(pointerTo(x), 16, AsyncSync)
	if line := failure(func() { thread.Copyout(pointerTo(x), 32, AsyncSync, false) }); line == "" {
		t.Error("no error")
	}
	if open := p.device(DeviceSim, 0).Open(); memory != 64<<20 || open {
		t.Errorf("memory %d, device open: %v", memory, open)
	}
}

// TestErrorInErrorCallback: an error that the callback runs into calls it no second
// time, and the line is that of the first one.
func TestErrorInErrorCallback(t *testing.T) {
	p := newProgram(t, nil, nil)
	thread := p.newThread()
	calls := 0
	err := p.registry.Register(nil, callbacks.Error, p.callback(func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
		calls++
		thread.WaitFor(-5, CurrentDevice)
	}), callbacks.Reg)
	if err != nil {
		t.Fatal(err)
	}
	if line := failure(func() { thread.Init(99) }); !strings.Contains(line, "acc_init: unknown device type 99") || strings.Count(line, "\n") != 1 || calls != 1 {
		t.Errorf("line %q, %d calls; want that of acc_init and one", line, calls)
	}
}

// TestEnvironment reads the variables of OpenACC 3.3 chapter 4 and PGI's.
func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		variables map[string]string
		kind      device.Type
		line      string
	}{
		{nil, DeviceSim, ""},
		{map[string]string{"ACC_DEVICE_TYPE": " HOST\t"}, DeviceHost, ""},
		{map[string]string{"ACC_DEVICE": "Sim"}, DeviceSim, ""},
		{map[string]string{"ACC_DEVICE_TYPE": "not_host", "ACC_DEVICE": "host"}, DeviceSim, ""},
		{map[string]string{"ACC_DEVICE_TYPE": "gpu"}, 0, `ACC_DEVICE_TYPE="gpu" names no device type; allowed values: sim, host, default, not_host`},
		{map[string]string{"ACC_DEVICE_TYPE": "RADEON"}, 0, "ACC_DEVICE_TYPE: no device of type radeon is available; there are: sim (1), host (1)"},
		{map[string]string{"ACC_DEVICE_TYPE": "none"}, 0, `ACC_DEVICE_TYPE="none" names no device type`},
		{map[string]string{"ACC_DEVICE_NUM": "x"}, 0, `ACC_DEVICE_NUM="x" is no device number; allowed values: 0 and up`},
		{map[string]string{"ACC_DEVICE_NUM": "4"}, 0, "ACC_DEVICE_NUM is 4: device sim 4 is not available; valid numbers are 0 to 0"},
		{map[string]string{"ACC_NOTIFY": "loud"}, 0, `ACC_NOTIFY="loud" is no number`},
		{map[string]string{"ACCSCOPE_SITES": "some"}, 0, `ACCSCOPE_SITES="some" is no choice; allowed values: 1 `},
	} {
		p := newProgram(t, c.variables, nil)
		var kind device.Type
		line := failure(func() { kind = p.newThread().DeviceType() })
		if kind != c.kind || !strings.Contains(line, c.line) || (c.line == "") != (line == "") {
			t.Errorf("%v: device type %d, line %q; want %d, %q", c.variables, kind, line, c.kind, c.line)
		}
	}
}

// TestInitFailure: a device that cannot be initialised raises its own error.
func TestInitFailure(t *testing.T) {
	faults, err := sim.ParseFaults("init")
	if err != nil {
		t.Skip(err)
	}
	p := newProgram(t, nil, func(o *sim.Options) { o.Faults = faults })
	var events recorder
	events.register(p, callbacks.Error, callbacks.DeviceInitStart, callbacks.DeviceInitEnd)
	if line := failure(func() { p.newThread().Init(DeviceSim) }); !strings.Contains(line, "acc_init: cannot initialise device sim 0") {
		t.Errorf("line %q", line)
	}
	if got, want := events.take(), "device_init_start\ndevice_init_end\nerror device_init"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

// TestEventsOfAFailure: what was allocated and created before an error is told of, and
// the spans that it interrupts end.
func TestEventsOfAFailure(t *testing.T) {
	values, absent := words(1, 2, 3), words(4)
	mapped := []entry{span8(goacc.ToFrom, values), span8(goacc.ForcePresent, absent)}
	compute := func(async int, function uintptr, entries ...entry) *Construct {
		c := directive(async, entries...)
		c.Function = function
		return c
	}
	nothing := devicetest.HostKernels().Nothing
	for _, c := range []struct {
		name string
		do   func(*Thread)
		want string
	}{
		{"data", func(t *Thread) { t.DataStart(directive(AsyncSync, mapped...)) },
			"enter_data_start, alloc 24, create 24, error not_present, enter_data_end"},
		{"enter data", func(t *Thread) { t.EnterData(directive(3, mapped...)) },
			"enter_data_start async 3, alloc 24 async 3, create 24 async 3, error not_present async 3, enter_data_end async 3"},
		{"parallel", func(t *Thread) { t.Parallel(compute(AsyncSync, nothing, mapped...)) },
			"compute_construct_start, enter_data_start, alloc 24, create 24, error not_present, enter_data_end, compute_construct_end"},
		{"parallel for the second time", func(t *Thread) {
			t.Parallel(compute(AsyncSync, nothing))
			t.Parallel(compute(AsyncSync, nothing, mapped...))
		}, "compute_construct_start, enter_data_start, enter_data_end, enqueue_launch_start, enqueue_launch_end, exit_data_start, " +
			"wait_start, wait_end, exit_data_end, compute_construct_end, " +
			"compute_construct_start, enter_data_start, alloc 24, create 24, error not_present, enter_data_end, compute_construct_end"},
		{"parallel with an argument that is none", func(t *Thread) { t.Parallel(compute(AsyncSync, nothing, entry{0x60, address(values), 24})) },
			"compute_construct_start, enter_data_start, error other, enter_data_end, compute_construct_end"},
		{"update", func(t *Thread) { t.Update(directive(AsyncSync, span8(goacc.ForceTo, absent))) },
			"update_start, error not_present, update_end"},
		{"acc_update_self", func(t *Thread) { t.UpdateSelf(pointerTo(absent), 8, AsyncSync) },
			"update_start, error not_present, update_end"},
		{"exit data", func(t *Thread) {
			t.Create(pointerTo(values), 16, AsyncSync)
			t.ExitData(directive(AsyncSync, span8(goacc.From, values)))
		}, "alloc 16, create 16, exit_data_start, error partly_present, exit_data_end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t, nil, nil)
			thread := p.newThread()
			thread.Init(DeviceSim)
			var events recorder
			events.register(p, callbacks.Events()...)
			if line := failure(func() { c.do(thread) }); line == "" {
				t.Error("no error")
			}
			if got := strings.ReplaceAll(events.take(), "\n", ", "); got != c.want {
				t.Errorf("events: %s\nwant    %s", got, c.want)
			}
		})
	}
}

// TestFailureOfArguments: the arguments of a launch fail behind others of the construct,
// whose end of the entry is planned by then. The error comes before it, as it does where
// the construct is launched for the first time.
func TestFailureOfArguments(t *testing.T) {
	faults, err := sim.ParseFaults("download=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, launches := range []int{0, 1, 2} {
		p := newProgram(t, nil, func(o *sim.Options) { o.Faults = faults })
		thread := p.newThread()
		var events recorder
		events.register(p, callbacks.Events()...)
		values, others := words(1, 2), words(3, 4)
		launch := func(present []byte) {
			c := directive(1, span8(goacc.ForcePresent, present))
			c.Function = devicetest.HostKernels().Nothing
			thread.Parallel(c)
		}
		thread.Create(pointerTo(values), 16, AsyncSync)
		thread.Create(pointerTo(others), 16, AsyncSync)
		for range launches {
			launch(others)
		}
		thread.UpdateSelf(pointerTo(values), 16, 1) // it fails, as is told to what comes next on its queue
		for pending := true; pending; {
			queues, _ := p.Queues(DeviceSim, 0)
			pending = slices.ContainsFunc(queues, func(q callbacks.ActivityQueue) bool { return q.Pending > 0 })
		}
		events.take()
		if line := failure(func() { launch(values) }); !strings.Contains(line, "download 1 on") {
			t.Errorf("after %d launches: line %q", launches, line)
		}
		want := []string{"compute_construct_start", "enter_data_start", "error execution", "enter_data_end", "compute_construct_end"}
		if got := strings.Split(strings.ReplaceAll(events.take(), " async 1", ""), "\n"); !slices.Equal(got, want) {
			t.Errorf("after %d launches: events %q, want %q", launches, got, want)
		}
	}
}

// TestFailureOfAWait: the device is lost while a directive waits for it at its end. The
// error comes behind the wait, and the end of the directive's span behind the error,
// whichever events are wanted.
func TestFailureOfAWait(t *testing.T) {
	faults, err := sim.ParseFaults("lost=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"update_start, wait_start, wait_end, error device_unavailable, update_end",
		"update_start, wait_start, error device_unavailable, update_end",
	} {
		p := newProgram(t, nil, func(o *sim.Options) { o.Faults = faults })
		thread, other := p.newThread(), p.newThread()
		var events recorder
		for _, e := range callbacks.Events() {
			if strings.Contains(want, strings.TrimPrefix(e.String(), "acc_ev_")) {
				events.register(p, e)
			}
		}
		values := words(1, 2)
		thread.Create(pointerTo(values), 16, AsyncSync)
		before := ""
		lose := func(*callbacks.Info, *callbacks.EventInfo, *callbacks.APIInfo) {
			before = events.take()
			lost := make(chan string)
			go func() { lost <- failure(func() { other.UpdateSelf(pointerTo(values), 16, AsyncSync) }) }()
			if line := <-lost; !strings.Contains(line, "download: sim device 0 is lost") {
				t.Errorf("line %q of the other thread", line)
			}
			events.take() // the other thread's
		}
		if err := p.registry.Register(nil, callbacks.WaitStart, p.callback(lose), callbacks.Reg); err != nil {
			t.Fatal(err)
		}
		if line := failure(func() { thread.UpdateSelf(pointerTo(values), 16, AsyncSync) }); !strings.Contains(line, "wait for a queue: sim device 0 is lost") {
			t.Errorf("line %q", line)
		}
		if got := strings.ReplaceAll(before+"\n"+events.take(), "\n", ", "); got != want {
			t.Errorf("events %s\nwant   %s", got, want)
		}
	}
}
