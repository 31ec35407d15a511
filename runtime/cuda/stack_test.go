package cuda

import (
	"fmt"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// imageCalling is an image of two kernels, of which "deep" has some code before its end, and so many
// threads in a block at most.
func imageCalling(code, functions string, threads int) goacc.Image {
	k := devicetest.HostKernels()
	of := []build.Function{{Name: "deep", Host: k.Nothing, Dimensions: [3]uint16{1, 1, 32}}, {Name: "plain", Host: k.Add}}
	text := fmt.Sprintf("// function deep %#x %d\n// function plain %#x 1024\n\t.version 6.0\n\t.target sm_80\n\t.address_size 64\n", k.Nothing, threads, k.Add)
	text += ".entry deep (.param.u64 %in_ar0)\n{\n" + code + "\tret;\n}\n.entry plain (.param.u64 %in_ar0)\n{\n\tret;\n}\n" + functions
	return build.ImageOf(text, of, nil)
}

// An error that may be a stack's is blamed on it first where a kernel was launched whose
// functions call themselves, by their addresses, or have more local variables than there is
// stack.
func TestStackNamed(t *testing.T) {
	const recursive = ".func deep_down\n{\n\t.local .align 8 .b8 %frame_ar[256];\n\tcall deep_down;\n\tret;\n}\n"
	const data = "; a kernel used memory that is not on the device: look for a variable without data clause"
	for name, c := range map[string]struct {
		code, functions string
		kernel          uintptr
		fault           string
		driver          uint64
		variables       map[string]string
		says            []string
		never           string
	}{
		"itself": {"\tcall deep_down;\n", recursive, devicetest.HostKernels().Nothing, "kernel:1:700", 700, nil,
			[]string{"an illegal memory access was encountered); perhaps the stack of deep overflowed, which has 1024 bytes for each thread (deep_down calls itself, with 256 bytes of local variables a turn",
				"no more than 4 turns fit): set ACCSCOPE_CUDA_STACK=BYTES to more, up to 524288; each KiB takes 264 MiB of the GPU's memory" + data}, ""},
		"in turns": {"\tcall f;\n", ".func f\n{\n\tcall g;\n\tret;\n}\n.func g\n{\n\tcall f;\n\tret;\n}\n", devicetest.HostKernels().Nothing, "kernel:1:719", 719, nil,
			[]string{"(f calls itself by way of g): set ACCSCOPE_CUDA_STACK", "; a kernel failed: it called abort"}, "turns fit"},
		"by address": {"\t.reg.u64 %r1;\n\t{\n\t\tp: .callprototype _ ();\n\t\tcall %r1, p;\n\t}\n", "", devicetest.HostKernels().Nothing, "kernel:1:714", 714, nil,
			[]string{"(deep calls functions by their addresses"}, ""},
		"large": {"\t.local .align 8 .b8 %frame_ar[40000];\n", "", devicetest.HostKernels().Nothing, "kernel:1:700", 700, nil,
			[]string{"(its local variables take 40000 bytes)"}, ""},
		"more stack": {"\tcall deep_down;\n", recursive, devicetest.HostKernels().Nothing, "kernel:1:700", 700, map[string]string{stackVariable: " 8 KiB "},
			[]string{"which has 8192 bytes", "no more than 32 turns fit"}, ""},
		"more stack, of which the driver does not tell": {"\tcall deep_down;\n", recursive, devicetest.HostKernels().Nothing, "cuCtxGetLimit:1:1,kernel:1:700", 700, map[string]string{stackVariable: "8k"},
			[]string{"which has 8192 bytes"}, ""},
		"the driver does not tell": {"\tcall deep_down;\n", recursive, devicetest.HostKernels().Nothing, "cuCtxGetLimit:1:1,kernel:1:700", 700, nil,
			[]string{"which has 1024 bytes"}, ""},
		"large enough": {"\t.local .align 8 .b8 %frame_ar[40000];\n", "", devicetest.HostKernels().Nothing, "kernel:1:700", 700, map[string]string{stackVariable: "64k"},
			[]string{data}, "stack"},
		"another kernel's": {"\tcall deep_down;\n", recursive, devicetest.HostKernels().Add, "kernel:1:700", 700, nil, []string{data}, "stack"},
		"no memory": {"\t.local .align 8 .b8 %frame_ar[40000];\n", "", devicetest.HostKernels().Nothing, "cuLaunchKernel:1:2", 2, nil,
			[]string{"; the local variables of deep, 40000 bytes for each thread, take up to 10.1 GiB of it; the device has no more memory"}, ""},
		"no memory, as asked": {"", "", devicetest.HostKernels().Nothing, "cuLaunchKernel:1:2", 2, map[string]string{stackVariable: "65536"},
			[]string{"; ACCSCOPE_CUDA_STACK=65536 takes up to 16.5 GiB of it; the device has no more memory"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			variables := faulty(c.fault)
			for name, value := range c.variables {
				variables[name] = value
			}
			d, err := with(t, variables).Open(0, nil)
			check(t, err)
			t.Cleanup(func() { _ = d.Close() })
			_, err = d.(*cudaDevice).LoadImage(imageCalling(c.code, c.functions, 1024))
			check(t, err)
			q := newQueue(t, d)
			k, err := d.Kernel(c.kernel)
			check(t, err)
			err = devicetest.Launch(q, 1, k, device.Geometry{Gangs: 1, Workers: 1}, device.ArgumentBlock{}, false)
			if err == nil {
				err = q.Synchronize()
			}
			wantError(t, err, map[bool]device.Code{true: device.OutOfMemory, false: device.Execution}[c.driver == 2], c.driver, c.says...)
			if c.never != "" && strings.Contains(err.Error(), c.never) {
				t.Errorf("%v says %q", err, c.never)
			}
		})
	}
}

// Of ACCSCOPE_CUDA_STACK what is no size, or none that a thread can have, is refused, and so
// is what the driver cannot give.
func TestStackRefused(t *testing.T) {
	for _, text := range []string{"lots", "-1", "1023", "524289", "1024KiB", "1m", "99999999999999999999", "8 KiB of it"} {
		_, err := with(t, map[string]string{stackVariable: text}).Open(0, nil)
		wantError(t, err, device.DeviceInit, 0, stackVariable+`="`+text+`"`, "give bytes from 1024 to 524288, such as 65536 or 64KiB")
	}
	b := with(t, map[string]string{stackVariable: "512KiB", "ACCSCOPE_STANDIN_FAIL": "cuCtxSetLimit:1:2"})
	_, err := b.Open(0, nil)
	wantError(t, err, device.DeviceInit, 2, "initialise on cuda device 0: cuCtxSetLimit failed", "ACCSCOPE_CUDA_STACK=524288 takes up to 132.0 GiB of it")
	_, err = with(t, map[string]string{stackVariable: "512KiB", "ACCSCOPE_STANDIN_FAIL": "cuCtxSetLimit:1:1"}).Open(0, nil)
	wantError(t, err, device.DeviceInit, 1, "the driver gives no stack of ACCSCOPE_CUDA_STACK=524288 bytes for each of 270336 threads: set it to less")
	for range 2 { // the device is as if nobody had tried
		d, err := b.Open(0, nil)
		check(t, err)
		check(t, d.Close())
	}
}

// A kernel that was not launched is not to blame for what the next one does.
func TestStackNotLaunched(t *testing.T) {
	d, err := with(t, faulty("kernel:1:700")).Open(0, nil)
	check(t, err)
	t.Cleanup(func() { _ = d.Close() })
	_, err = d.(*cudaDevice).LoadImage(imageCalling("\tcall f;\n", ".func f\n{\n\tcall f;\n\tret;\n}\n", 16))
	check(t, err)
	q := newQueue(t, d)
	launch := func(code uintptr) error {
		k, err := d.Kernel(code)
		check(t, err)
		return devicetest.Launch(q, 1, k, device.Geometry{Gangs: 1, Workers: 1}, device.ArgumentBlock{}, false)
	}
	wantError(t, launch(devicetest.HostKernels().Nothing), device.Execution, 0, "the kernel can have 16")
	if err = launch(devicetest.HostKernels().Add); err == nil {
		err = q.Synchronize()
	}
	wantError(t, err, device.Execution, 700, "look for a variable without data clause")
	if strings.Contains(err.Error(), "stack of deep") {
		t.Errorf("%v", err)
	}
}
