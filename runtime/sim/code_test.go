package sim

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/goacc"
)

// What the contract's kernels are as GPU code, and one that leaves its array.
const contractCode = `
.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter[2] = {5, 6};
.entry nothing (.param .u64 %in) { ret; }
.entry add (.param .u64 %in)
{
 .reg .u64 %slots, %array, %n, %by, %v, %at, %step; .reg .u32 %x, %y, %z; .reg .pred %p;
 ld.param.u64 %slots,[%in];
 ld.u64 %array,[%slots];
 ld.u64 %n,[%slots+8];
 ld.u64 %n,[%n];
 ld.u64 %by,[%slots+16];
 ld.u64 %by,[%by];
 mov.u32 %x,%ctaid.x;
 mov.u32 %y,%ntid.x;
 mov.u32 %z,%tid.x;
 mad.lo.u32 %x,%x,%y,%z;
 cvt.u64.u32 %at,%x;
 mov.u32 %z,%tid.y;
 setp.ne.u32 %p,%z,0;
 @%p ret;
 mov.u32 %z,%nctaid.x;
 mul.wide.u32 %step,%y,%z;
L:
 setp.ge.u64 %p,%at,%n;
 @%p bra E;
 shl.b64 %v,%at,3;
 add.u64 %v,%v,%array;
 { .reg .u64 %w; ld.u64 %w,[%v]; add.u64 %w,%w,%by; st.u64 [%v],%w; }
 add.u64 %at,%at,%step;
 bra L;
E:
 ret;
}
`

func codeImage() (goacc.Image, devicetest.Kernels) {
	host := devicetest.HostKernels()
	image := build.ImageOf(contractCode, []build.Function{{Name: "nothing", Host: host.Nothing}, {Name: "add", Host: host.Add}},
		[]build.Variable{{Name: "counter", Host: 0x1000, Size: 8}})
	return image, devicetest.Kernels{Nothing: host.Nothing, Add: host.Add}
}

// withImage opens devices that have the contract's image.
type withImage struct{ codeBackend }

func (b withImage) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	d, err := b.codeBackend.Open(number, observe)
	if err != nil {
		return nil, err
	}
	image, _ := codeImage()
	_, err = d.(device.ImageDevice).LoadImage(image)
	return d, err
}

// TestCodeContract: a device that runs GPU code keeps what all devices promise.
func TestCodeContract(t *testing.T) {
	_, kernels := codeImage()
	for name, change := range map[string]func(*Options){
		"unchecked": func(*Options) {},
		"checked":   func(o *Options) { o.Check = true },
		"counted":   func(o *Options) { o.Counters = true },
		"both":      func(o *Options) { o.Check, o.Counters = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, withImage{with(t, func(o *Options) { o.Code, o.As = CodeGPU, TypeNVIDIA; change(o) }).(codeBackend)}, kernels)
		})
	}
}

// TestCodeFaults: a kernel fails by the name that its GPU code has, and by that of its host
// function; a heap that is larger than the memory is said.
func TestCodeFaults(t *testing.T) {
	image, kernels := codeImage()
	for name, fails := range map[string]bool{"nothing": true, "host.nothing": true, "nothing@1": false, "add": false} {
		faults, err := ParseFaults("kernel=" + name)
		fine(t, "parse", err)
		d, err := with(t, func(o *Options) {
			o.Code, o.As, o.Faults = CodeGPU, TypeNVIDIA, faults
			o.KernelName = func(host uintptr) string { return map[uintptr]string{kernels.Nothing: "host.nothing"}[host] }
		}).Open(0, func(device.Activity, bool) {})
		fine(t, "open", err)
		_, err = d.(device.ImageDevice).LoadImage(image)
		fine(t, "load", err)
		k, err := d.Kernel(kernels.Nothing)
		fine(t, "find the kernel", err)
		q, err := d.NewQueue()
		fine(t, "make a queue", err)
		memory, err := d.Alloc(8)
		fine(t, "allocate", err)
		err = devicetest.Launch(q, 1, k, device.Geometry{Gangs: 1, Workers: 1, Vector: 32}, device.ArgumentBlock{Address: memory, Size: 8}, true)
		if !fails {
			fine(t, name, err)
		} else {
			wants(t, name, err, device.Execution, "ACCSCOPE_SIM_FAULT asks for it (kernel="+name+")")
		}
		fine(t, "close", d.Close())
	}
	_, err := with(t, func(o *Options) { o.Code, o.As, o.Memory, o.Heap = CodeGPU, TypeNVIDIA, 1<<20, 2<<20 }).Open(0, func(device.Activity, bool) {})
	wants(t, "open", err, device.DeviceInit, "ACCSCOPE_SIM_HEAP, 2MiB")
}

// TestCodeImage: variables have their values, an image can be loaded once at a time, and
// what it lacks is said.
func TestCodeImage(t *testing.T) {
	d, err := with(t, func(o *Options) { o.Code, o.As = CodeGPU, TypeNVIDIA }).Open(0, func(device.Activity, bool) {})
	fine(t, "open", err)
	defer d.Close()
	loader := d.(device.ImageDevice)
	image, kernels := codeImage()
	for range 2 {
		addresses, err := loader.LoadImage(image)
		fine(t, "load", err)
		counter := unsafe.Slice((*byte)(d.(*codeDevice).arena.at(addresses[0])), 8)
		if a, b := binary.LittleEndian.Uint32(counter), binary.LittleEndian.Uint32(counter[4:]); a != 5 || b != 6 {
			t.Errorf("counter is {%d, %d}, want {5, 6}", a, b)
		}
		if _, err := loader.LoadImage(image); err == nil {
			t.Error("the image is loaded twice")
		}
		if _, err := d.Kernel(kernels.Add); err != nil {
			t.Error(err)
		}
		fine(t, "unload", loader.UnloadImage(image))
		if _, err := d.Kernel(kernels.Add); err == nil {
			t.Error("a kernel of an image that is not loaded is found")
		}
	}
	if _, hostCode := d.(device.HostCoded); hostCode {
		t.Error("the device says that it runs the host's code")
	}
}
