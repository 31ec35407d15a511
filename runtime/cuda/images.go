package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/nvidia"
)

// images are the device code loaded on one device.
type images struct {
	device *cudaDevice

	mutex   sync.Mutex
	modules map[unsafe.Pointer]C.CUmodule // by the image's device side
	kernels map[uintptr]*kernel           // by host address
	clocked sync.Once                     // clock
}

func (i *images) init(d *cudaDevice) {
	i.device = d
	i.modules = map[unsafe.Pointer]C.CUmodule{}
	i.kernels = map[uintptr]*kernel{}
}

// LoadImage links an image of the program and says where its variables are; for
// a declare link variable, that is the device's pointer to it.
func (d *cudaDevice) LoadImage(image goacc.Image) ([]device.Address, error) {
	if device.Type(image.Type) != Type {
		return nil, device.Errorf(device.InvalidArgument, 0, "the image is for device type %d, and cuda device %d takes %d", image.Type, d.number, Type)
	}
	return d.images.load(image)
}

func (i *images) load(image goacc.Image) ([]device.Address, error) {
	d := i.device
	code, err := image.PTX()
	if err != nil {
		return nil, device.Errorf(device.Execution, 0, "load the program's device code: %v", err)
	}
	if err := d.backend.accepts(d.number, code); err != nil {
		return nil, device.Errorf(device.Execution, driverNumber(err), "load the program's device code: %v", err)
	}
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if d.closed.Load() {
		return nil, d.shutDown("load an image")
	}
	if _, loaded := i.modules[image.Data]; loaded {
		return nil, device.Errorf(device.InvalidArgument, 0, "the image is loaded on cuda device %d already", d.number)
	}
	module, about, err := i.link(code)
	if err != nil {
		return nil, err
	}
	i.modules[image.Data] = module
	addresses, err := i.enter(module, about, image, code)
	if err != nil {
		err = device.Also(err, i.forget(image))
	}
	return addresses, err
}

// link has the driver compile the code: while somebody observes, such that its
// kernels take their own times. Whatever is wrong with code that was changed, the
// program's own will tell.
func (i *images) link(code goacc.PTX) (module C.CUmodule, about facts, err error) {
	d := i.device
	as := form{stamps: d.records.stamps.Load(), reductions: rewrites(d.backend.options.Environment) && d.capability >= nvidia.ReductionTarget}
	for {
		module, about, err = i.compile(code, as)
		switch {
		case err == nil || d.lost.Load() != nil:
			return module, about, err
		case about.Reductions > 0:
			as.reductions = false
		case len(about.Stamped) > 0:
			as.stamps = false
		default:
			return module, about, err
		}
	}
}

// clock gives the device the kernel that reads the GPU's clock. Without it kernels are
// measured in other ways.
func (i *images) clock() {
	i.clocked.Do(func() {
		module, _, err := i.compile(goacc.PTX{Objects: unsafe.Pointer(&C.accscope_cuda_clock_code), Count: 1}, form{})
		if err == nil && C.accscope_cuda_clocks_take(i.device.c, module) == 0 {
			C.accscope_cuda_unload(i.device.c, module)
		}
	})
}

// compile gives the driver's module of some code, and what was read of it: as both were
// kept, or made now.
func (i *images) compile(code goacc.PTX, as form) (C.CUmodule, facts, error) {
	d := i.device
	const room = 8 << 10
	log := (*C.char)(C.malloc(room))
	defer C.free(unsafe.Pointer(log))
	var module C.CUmodule
	texts := code.Texts()
	level := optimisation(d.backend.options.Environment)
	cache, key := d.backend.code(), codeKey(texts, as.key(), d.library.version, level, d.capability)
	if kept, about := cache.get(key); kept != nil {
		answer := C.accscope_cuda_load_code(d.c, unsafe.Pointer(&kept[0]), &module)
		if err := d.answer(answer, "load the program's device code"); err == nil || d.lost.Load() != nil {
			return module, about, err
		}
	}
	changed, about := as.of(texts)
	if code.Count == 1 && level < 0 {
		text := append([]byte(changed[0]), 0)
		answer := C.accscope_cuda_load_text(d.c, (*C.char)(unsafe.Pointer(&text[0])), &module, log, room)
		if err := d.answer(answer, "load the program's device code"); err == nil || d.lost.Load() != nil {
			if err == nil {
				cache.put(key, text, about) // the driver keeps what it made of it
			}
			return module, about, err
		}
		// It may need what only linking has; else that tells what is wrong.
	}
	objects, free := objectsOf(code, changed)
	defer free()
	var made unsafe.Pointer
	var bytes C.size_t
	answer := C.accscope_cuda_link(d.c, objects, C.uint(code.Count), C.int(level), &module, &made, &bytes, log, room)
	defer C.free(made)
	err := d.answer(answer, "load the program's device code")
	if err == nil {
		cache.put(key, unsafe.Slice((*byte)(made), int(bytes)), about)
		return module, about, nil
	}
	if text := strings.TrimSpace(C.GoString(log)); text != "" {
		failure := *err.(*device.Error)
		failure.Message += fmt.Sprintf(" (the driver's compiler says: %s)", text)
		err = &failure
	}
	return nil, about, err
}

func (i *images) enter(module C.CUmodule, about facts, image goacc.Image, code goacc.PTX) ([]device.Address, error) {
	if err := i.functions(module, about, image, code); err != nil {
		return nil, err
	}
	if err := i.settings(module, code.Texts()); err != nil {
		return nil, err
	}
	return i.variables(module, image, code)
}

// forget unloads an image that is loaded. i.mutex is held.
func (i *images) forget(image goacc.Image) error {
	module := i.modules[image.Data]
	delete(i.modules, image.Data)
	for _, function := range image.Functions {
		delete(i.kernels, function)
	}
	return i.device.ending(C.accscope_cuda_unload(i.device.c, module), "unload device code")
}

func (i *images) functions(module C.CUmodule, about facts, image goacc.Image, code goacc.PTX) error {
	d := i.device
	for n, f := range code.Functions {
		name := C.CString(f.Name)
		k := &kernel{device: d, name: f.Name, stamps: slices.Contains(about.Stamped, f.Name), stack: about.Stacks[f.Name]}
		k.Processors, k.Defaults, k.Facts, k.Largest = d.processors, d.defaults, about.Kernels[f.Name], func() uint32 { return d.largest(k.function) }
		k.Fixed = device.Geometry{Gangs: uint32(f.Dimensions[0]), Workers: uint32(f.Dimensions[1]), Vector: uint32(f.Dimensions[2])}
		var threads C.int
		answer := C.accscope_cuda_function(d.c, module, name, &k.function, &threads)
		C.free(unsafe.Pointer(name))
		if err := d.answer(answer, "find the kernel "+f.Name); err != nil {
			return err
		}
		k.Threads = int(threads)
		i.kernels[image.Functions[n]] = k
	}
	return nil
}

// settings are variables of GCC's device libraries, where the code has these: compute-sanitizer
// tells of each that the driver is asked for in vain.
func (i *images) settings(module C.CUmodule, texts []string) error {
	d := i.device
	number := C.int(d.number)
	// omp_get_wtime and clock count the multiprocessors' clock, in kHz.
	rate := C.accscope_cuda_attribute(d.library.table, d.c.device, C.CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
	tick := C.double(1e-3 / max(float64(rate), 1))
	for name, value := range map[string]struct {
		address unsafe.Pointer
		bytes   uintptr
	}{
		"__gomp_device_num": {unsafe.Pointer(&number), unsafe.Sizeof(number)},
		"__nvptx_clocktick": {unsafe.Pointer(&tick), unsafe.Sizeof(tick)},
	} {
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, name) }) {
			continue
		}
		text := C.CString(name)
		answer := C.accscope_cuda_set(d.c, module, text, value.address, C.size_t(value.bytes))
		C.free(unsafe.Pointer(text))
		if err := d.answer(answer, "set "+name); err != nil {
			return err
		}
	}
	return nil
}

func (i *images) variables(module C.CUmodule, image goacc.Image, code goacc.PTX) ([]device.Address, error) {
	d := i.device
	addresses := make([]device.Address, len(code.Variables))
	for n, text := range code.Variables {
		name := C.CString(text)
		var address C.CUdeviceptr
		var size C.size_t
		answer := C.accscope_cuda_variable(d.c, module, name, &address, &size)
		C.free(unsafe.Pointer(name))
		if err := d.answer(answer, "find the variable "+text); err != nil {
			return nil, err
		}
		want := image.Variables[n].Size
		if image.Variables[n].Link {
			want = unsafe.Sizeof(address)
		}
		if uintptr(size) != want {
			return nil, device.Errorf(device.Execution, 0, "the variable %s has %d bytes on the host and %d on cuda device %d; build all parts of the program with one compiler",
				text, want, size, d.number)
		}
		addresses[n] = device.Address(address)
	}
	return addresses, nil
}

// UnloadImage forgets an image. No queue may be running its kernels.
func (d *cudaDevice) UnloadImage(image goacc.Image) error {
	i := &d.images
	i.mutex.Lock()
	defer i.mutex.Unlock()
	if _, loaded := i.modules[image.Data]; !loaded || d.closed.Load() {
		return nil
	}
	return i.forget(image)
}

func (i *images) close() error {
	i.mutex.Lock()
	defer i.mutex.Unlock()
	var first error
	for _, module := range i.modules {
		if err := i.device.ending(C.accscope_cuda_unload(i.device.c, module), "unload device code"); first == nil {
			first = err
		}
	}
	clear(i.modules)
	clear(i.kernels)
	return first
}

func (d *cudaDevice) Kernel(hostFunction uintptr) (device.Kernel, error) {
	d.images.mutex.Lock()
	defer d.images.mutex.Unlock()
	if k := d.images.kernels[hostFunction]; k != nil {
		return k, nil
	}
	return nil, device.Errorf(device.WrongType, 0, "there is no code for cuda device %d of the function at %#x; compile and link the program with -foffload=nvptx-none", d.number, hostFunction)
}

// driverNumber is the driver's number of an error, 0 if it has none.
func driverNumber(err error) uint64 {
	var failure *device.Error
	if errors.As(err, &failure) {
		return failure.Driver
	}
	return 0
}
