package cuda

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/nvidia"
)

// wantError checks an error's code, driver number and parts of its message.
func wantError(t *testing.T, err error, code device.Code, driver uint64, parts ...string) {
	t.Helper()
	var failure *device.Error
	if !errors.As(err, &failure) {
		t.Fatalf("%v is no *device.Error", err)
	}
	if failure.Code != code || failure.Driver != driver {
		t.Errorf("code %d and driver's error %d, want %d and %d: %v", failure.Code, failure.Driver, code, driver, err)
	}
	for _, part := range parts {
		if !strings.Contains(failure.Message, part) {
			t.Errorf("%q does not say %q", failure.Message, part)
		}
	}
}

func TestUnavailable(t *testing.T) {
	for name, c := range map[string]struct {
		library   string
		variables map[string]string
		driver    uint64
		says      string
	}{
		"no library":     {"libno-such-cuda.so.1", nil, 0, "install NVIDIA's driver"},
		"no functions":   {"libm.so.6", nil, 0, "libm.so.6 has no function cuInit"},
		"no GPU":         {standin, map[string]string{"ACCSCOPE_STANDIN_FAIL": "cuInit:1:100"}, 100, "CUDA_ERROR_NO_DEVICE"},
		"driver too old": {standin, map[string]string{"ACCSCOPE_STANDIN_VERSION": "9020"}, 0, "the driver offers CUDA 9.2, needed is 10.0"},
		"no devices":     {standin, map[string]string{"ACCSCOPE_STANDIN_DEVICES": "0"}, 0, "sees no GPU"},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range c.variables {
				t.Setenv(name, value)
			}
			n, err := New(Options{Library: c.library}).Count()
			if n != 0 {
				t.Errorf("%d devices", n)
			}
			wantError(t, err, device.Unavailable, c.driver, "there is no cuda device", c.says)
		})
	}
}

// A user without rights is told which files are denied.
func TestForbidden(t *testing.T) {
	real := forbidden
	defer func() { forbidden = real }()
	forbidden = func() string { return "/dev/nvidia0, /dev/nvidiactl" }
	t.Setenv("ACCSCOPE_STANDIN_FAIL", "cuInit:1:304")
	_, err := New(Options{Library: standin}).Count()
	wantError(t, err, device.Unavailable, 304, "there is no cuda device", "this user may not use /dev/nvidia0, /dev/nvidiactl")
	if denied := real(); denied != "" && os.Getuid() == 0 {
		t.Errorf("root may not use %s", denied)
	}
}

// TestFreeMemory: what is free is asked of the driver, before a device's first use and after.
func TestFreeMemory(t *testing.T) {
	const total, taken = 1 << 30, 700 << 20
	b := with(t, map[string]string{"ACCSCOPE_STANDIN_TAKEN": "734003200", "ACCSCOPE_STANDIN_FAIL": "cuMemGetInfo_v2:2:2"})
	teller := b.(device.FreeMemoryTeller)
	free, err := teller.FreeMemory(0)
	check(t, err)
	if free != total-taken {
		t.Errorf("%d bytes are free, want %d", free, total-taken)
	}
	_, err = teller.FreeMemory(0)
	wantError(t, err, device.Unavailable, 2, "cuda device 0 does not say how much memory is free", "CUDA_ERROR_OUT_OF_MEMORY")
	_, err = teller.FreeMemory(1)
	wantError(t, err, device.Unavailable, 0, "there is no cuda device 1")
	if p, err := b.Properties(0); err != nil || p.Memory != total {
		t.Errorf("%+v, %v", p, err)
	}
	d, err := b.Open(0, nil)
	check(t, err)
	if free := d.Properties().FreeMemory; free > total-taken || free < total/8 {
		t.Errorf("%d bytes are free on the open device", free)
	}
	check(t, d.Close())
}

// Code for other GPUs, or for a newer driver, is refused before it is linked.
func TestImageForOthers(t *testing.T) {
	for name, c := range map[string]struct {
		code      string
		variables map[string]string
		driver    uint64
		says      string
	}{
		"runs":         {".version 6.0\n.target sm_80 // GCC's\n", nil, 0, ""},
		"says nothing": {"// no directives\n", nil, 0, ""},
		"newer GPU":    {".version 6.0\n.target sm_100\n", nil, 209, "is for sm_100 and newer, cuda device 0 is sm_90; compile with -foffload-options=nvptx-none=-misa=sm_90"},
		"older GPU":    {".version 6.0\n.target sm_80\n", map[string]string{"ACCSCOPE_STANDIN_CAPABILITY": "70"}, 209, "is for sm_80 and newer, cuda device 0 is sm_70"},
		"older driver": {".version 8.5\n.target sm_80\n", nil, 222, "is PTX 8.5, the driver takes PTX up to 8.4 (CUDA 12.4); install a newer driver"},
		"oldest":       {".version 7.0\n.target sm_30\n", map[string]string{"ACCSCOPE_STANDIN_VERSION": "10020"}, 222, "is PTX 7.0, the driver takes PTX up to 6.5 (CUDA 10.2)"},
	} {
		t.Run(name, func(t *testing.T) {
			b := with(t, c.variables)
			image := build.Image(nil, nil, c.code)
			d, err := b.Open(0, nil)
			check(t, err)
			defer d.Close()
			_, loaded := d.(*cudaDevice).LoadImage(image)
			for _, err := range []error{b.(*backend).Accepts(image), loaded} {
				if c.says == "" {
					check(t, err)
				} else {
					wantError(t, err, device.Execution, c.driver, c.says)
				}
			}
		})
	}
}

// open opens device 0 with the contract's kernels.
func open(t *testing.T, variables map[string]string, observe func(device.Activity, bool)) device.Device {
	t.Helper()
	d, err := loaded{Backend: with(t, variables)}.Open(0, observe)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close the device: %v", err)
		}
	})
	return d
}

func faulty(text string) map[string]string { return map[string]string{"ACCSCOPE_STANDIN_FAIL": text} }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newQueue(t *testing.T, d device.Device) device.Queue {
	t.Helper()
	q, err := d.NewQueue()
	check(t, err)
	return q
}

func TestOpenFails(t *testing.T) {
	_, err := with(t, faulty("cuDevicePrimaryCtxRetain:1:2")).Open(0, nil)
	wantError(t, err, device.DeviceInit, 2, "initialise on cuda device 0", "cuDevicePrimaryCtxRetain", "CUDA_ERROR_OUT_OF_MEMORY")
	t.Setenv(nvidia.GeometryVariable, "many")
	_, err = New(Options{Library: standin}).Open(0, nil)
	wantError(t, err, device.DeviceInit, 0, `GOMP_OPENACC_DIM="many"`, "gangs:workers:vector")
}

// TestNoStream: the driver makes one stream less, that of the device, of a queue or of what
// stages memory that is not pinned. The first two are errors, without the third one uploads
// go on.
func TestNoStream(t *testing.T) {
	const bytes = 64 << 20
	host := make([]byte, bytes)
	_, err := with(t, faulty("cuStreamCreate:1:2")).Open(0, nil)
	wantError(t, err, device.DeviceInit, 2, "cuStreamCreate")

	d := open(t, faulty("cuStreamCreate:2:2,cuStreamCreate:4:2"), nil)
	_, err = d.NewQueue()
	wantError(t, err, device.OutOfMemory, 2, "cuStreamCreate")
	q := newQueue(t, d)
	a, err := d.Alloc(bytes)
	check(t, err)
	for i := range 2 {
		host[bytes-1] = byte(i + 1)
		check(t, devicetest.Upload(q, 1, a, unsafe.Pointer(&host[0]), bytes, false))
		check(t, q.Synchronize())
		back := make([]byte, bytes)
		check(t, devicetest.Download(q, 2, unsafe.Pointer(&back[0]), a, bytes, true))
		check(t, q.Synchronize())
		if back[bytes-1] != byte(i+1) {
			t.Errorf("upload %d brought %d", i, back[bytes-1])
		}
	}
	check(t, q.Close())
}

func TestDriverErrors(t *testing.T) {
	d := open(t, faulty("cuMemcpyHtoDAsync_v2:1:1,cuLaunchKernel:1:701,cuMemAlloc_v2:2:2,cuStreamQuery:1:4242"), nil)
	q := newQueue(t, d)
	a, err := d.Alloc(8)
	check(t, err)
	value := []int64{7}
	err = devicetest.Upload(q, 1, a, unsafe.Pointer(&value[0]), 8, true)
	wantError(t, err, device.InvalidArgument, 1, "upload on cuda device 0", "cuMemcpyHtoDAsync", "CUDA_ERROR_INVALID_VALUE (1, invalid argument)")
	k, err := d.Kernel(devicetest.HostKernels().Nothing)
	check(t, err)
	wantError(t, devicetest.Launch(q, 2, k, device.Geometry{}, device.ArgumentBlock{}, true), device.Execution, 701, "launch nothing", "num_workers")
	_, err = d.Alloc(1 << 40)
	wantError(t, err, device.OutOfMemory, 2, "allocate device memory", "map less")
	check(t, devicetest.Upload(q, 3, a, unsafe.Pointer(&value[0]), 8, true))
	_, err = q.Idle()
	wantError(t, err, device.Other, 4242, "CUDA error 4242")
	check(t, q.Synchronize())
}

// A device that no longer works says so in full, whoever asks.
func TestStickyError(t *testing.T) {
	d := open(t, faulty("kernel:1:719"), nil)
	q := newQueue(t, d)
	k, err := d.Kernel(devicetest.HostKernels().Nothing)
	check(t, err)
	check(t, devicetest.Launch(q, 1, k, device.Geometry{}, device.ArgumentBlock{}, false))
	wantError(t, q.Synchronize(), device.Execution, 719, "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed: it called abort")
	for _, err := range []error{q.Synchronize(), devicetest.Launch(q, 1, k, device.Geometry{}, device.ArgumentBlock{}, false)} {
		wantError(t, err, device.Execution, 719, "cuda device 0 is out of use: ", "CUDA_ERROR_LAUNCH_FAILED", "a kernel failed: it called abort")
	}
}

func TestImageErrors(t *testing.T) {
	var variable int64
	host := uintptr(unsafe.Pointer(&variable))
	add := devicetest.HostKernels().Add
	fewer := build.Image([]build.Function{{Name: "add", Host: add}}, nil, "")
	fewer.Functions = nil
	for name, c := range map[string]struct {
		image  goacc.Image
		fault  string
		driver uint64
		says   string
	}{
		"no device data":   {image: goacc.Image{Type: 5, Functions: []uintptr{add}}, says: "offload image without device data"},
		"counts differ":    {image: fewer, says: "0 functions and 0 variables on the host, 1 and 0 on the device"},
		"PTX refused":      {image: build.Image(nil, nil, "invalid ptxas: line 5: unknown instruction\n"), driver: 218, says: "ptxas: line 5: unknown instruction"},
		"function missing": {image: build.Image([]build.Function{{Name: "add", Host: add}}, nil, ""), fault: "cuModuleGetFunction:1:500", driver: 500, says: "find the kernel add"},
		"size differs":     {image: build.Image([]build.Function{{Name: "add", Host: add}}, []build.Variable{{Name: "v", Host: host, Size: 8, Bytes: 16}}, ""), says: "the variable v has 8 bytes on the host and 16 on cuda device 0"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := with(t, faulty(c.fault)).Open(0, nil)
			check(t, err)
			defer d.Close()
			_, err = d.(*cudaDevice).LoadImage(c.image)
			wantError(t, err, device.Execution, c.driver, c.says)
			_, err = d.Kernel(add)
			wantError(t, err, device.WrongType, 0, "there is no code")
		})
	}
	d := open(t, nil, nil)
	_, err := d.Kernel(1)
	wantError(t, err, device.WrongType, 0, "-foffload=nvptx-none")
}

// The driver is asked for no variable that the code has not got: its tools tell of that.
func TestSettingsOfOthers(t *testing.T) {
	for _, c := range []struct {
		variables []build.Variable
		says      string
	}{
		{nil, ""},
		{[]build.Variable{{Name: "__gomp_device_num", Size: 4}}, "set __gomp_device_num"},
	} {
		d := open(t, faulty("cuModuleGetGlobal_v2:1:999"), nil)
		_, err := d.(*cudaDevice).LoadImage(build.Image(nil, c.variables, ""))
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%d variables: %v, want %q", len(c.variables), err, c.says)
		}
	}
}

func TestVariables(t *testing.T) {
	var plain, linked [4]int64
	image := build.Image(nil, []build.Variable{
		{Name: "plain", Host: uintptr(unsafe.Pointer(&plain)), Size: 32},
		{Name: "linked$linkptr", Host: uintptr(unsafe.Pointer(&linked)), Size: 32, Bytes: 8, Link: true},
		{Name: "__gomp_device_num", Size: 4},
	}, "")
	d := open(t, nil, nil)
	addresses, err := d.(*cudaDevice).LoadImage(image)
	check(t, err)
	if len(addresses) != 3 || addresses[0] == 0 || addresses[1] == 0 {
		t.Fatalf("addresses %x", addresses)
	}
	q := newQueue(t, d)
	sent, back := []int64{1, 2, 3, 4}, make([]int64, 4)
	check(t, devicetest.Upload(q, 1, addresses[0], unsafe.Pointer(&sent[0]), 32, true))
	check(t, devicetest.Download(q, 2, unsafe.Pointer(&back[0]), addresses[0], 32, true))
	check(t, q.Synchronize())
	if back[3] != 4 {
		t.Errorf("the variable is %v, want %v", back, sent)
	}
	if _, err := d.(*cudaDevice).LoadImage(image); err == nil {
		t.Error("one image was loaded twice")
	}
	check(t, d.(*cudaDevice).UnloadImage(image))
	if _, err := d.(*cudaDevice).LoadImage(image); err != nil {
		t.Errorf("load it again: %v", err)
	}
}

// What other threads still ask of a device that is being closed is answered, or
// refused.
func TestUseWhileClosing(t *testing.T) {
	for range 20 {
		d, err := loaded{Backend: with(t, nil)}.Open(0, func(device.Activity, bool) {})
		check(t, err)
		d.Observe(true)
		add, err := d.Kernel(devicetest.HostKernels().Add)
		check(t, err)
		var others sync.WaitGroup
		var began atomic.Int32
		closed := make(chan struct{})
		uses := []func(int) bool{
			func(int) bool { return d.Properties().Name == "stand-in GPU" },
			func(int) bool { return d.Clock().Drift == drift },
			func(int) bool { d.(*cudaDevice).Flush(); return true },
			func(n int) bool { return add.Resolve(device.Geometry{Gangs: uint32(n + 1)}).Vector == nvidia.Warp },
			func(n int) bool {
				a, err := d.Alloc(chunkBytes)
				return (err != nil) == (a == 0)
			},
		}
		for _, use := range uses {
			others.Go(func() {
				for n := 0; ; n++ {
					if !use(n) {
						t.Errorf("use %d is answered wrongly", n)
						return
					}
					began.Add(1)
					select {
					case <-closed:
						return
					default:
					}
				}
			})
		}
		for began.Load() < 100 {
			runtime.Gosched()
		}
		check(t, d.Close())
		close(closed)
		others.Wait()
	}
}

// At the end of a process the driver may be gone before its devices are closed:
// that is no error.
func TestDriverShutDown(t *testing.T) {
	t.Setenv("ACCSCOPE_STANDIN_FAIL", "cuStreamSynchronize:1:4")
	d := open(t, nil, nil)
	q := newQueue(t, d)
	a, err := d.Alloc(8)
	check(t, err)
	check(t, devicetest.Fill(q, 1, a, 0, 8, false))
	check(t, q.Synchronize())
	wantError(t, devicetest.Fill(q, 1, a, 0, 8, false), device.DeviceShutdown, 4, "the process is ending")
	check(t, q.Close())
}
