package sim

// #include "queue.h"
import "C"

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/nvidia"
	"github.com/accscope/accscope/runtime/simt"
)

// codeBackend has devices that run the program's code for NVIDIA GPUs.
type codeBackend struct{ *backend }

// Accepts says why an image cannot be run; what its code holds is read when it is loaded.
func (b codeBackend) Accepts(image goacc.Image) error {
	if _, err := image.PTX(); err != nil {
		return device.Errorf(device.Execution, 0, "%v", err)
	}
	return nil
}

func (b codeBackend) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	d, err := b.open(number, observe)
	if err != nil {
		return nil, err
	}
	made := &codeDevice{simDevice: d, programs: map[unsafe.Pointer]*program{}, kernels: map[uintptr]*codeKernel{}}
	if err := made.begin(); err != nil {
		return nil, device.Also(err, d.Close())
	}
	return made, nil
}

// codeDevice is a device whose kernels are the program's GPU code.
type codeDevice struct {
	*simDevice
	memory   *simt.Memory
	heap     device.Address
	defaults device.Geometry // GOMP_OPENACC_DIM

	images   sync.Mutex
	programs map[unsafe.Pointer]*program // by the image's device side
	kernels  map[uintptr]*codeKernel     // by host address

	tellCounts func(device.KernelCounts)
	model      *model // nil: no card is modelled
}

// program is the code of an image, with the memory of its variables.
type program struct {
	*simt.Program
	variables []device.Address
}

// begin gives the device its heap.
func (d *codeDevice) begin() error {
	o := &d.backend.options
	var err error
	if d.defaults, err = nvidia.ReadGeometry(os.LookupEnv); err != nil {
		return err
	}
	if d.heap, err = d.arena.alloc(o.Heap); err != nil {
		return device.Errorf(device.DeviceInit, 0, "open sim device %d: no room for the heap of its kernels (ACCSCOPE_SIM_HEAP, %s): %v", d.number, formatBytes(o.Heap), err)
	}
	if d.memory, err = simt.NewMemory(d.arena.at(d.heap), o.Heap); err != nil {
		return device.Errorf(device.System, 0, "open sim device %d: %v", d.number, err)
	}
	d.simDevice.faults = d.fault
	if err := d.beginModel(); err != nil {
		return err
	}
	if o.Check {
		return d.beginChecks()
	}
	return nil
}

func (d *codeDevice) Alloc(bytes uint64) (device.Address, error) {
	address, err := d.simDevice.Alloc(bytes)
	if err == nil && !d.memory.Add(uintptr(address), bytes) {
		return 0, device.Also(device.Errorf(device.System, 0, "allocate device memory: no host memory left"), d.simDevice.Free(address))
	}
	return address, err
}

// Watches is always so: lanes use what was allocated, byte by byte.
func (d *codeDevice) Watches() bool { return true }

func (d *codeDevice) Free(address device.Address) error {
	d.heard(nil) // while it is known what was there
	return d.release(address)
}

func (d *codeDevice) release(address device.Address) error {
	d.memory.Remove(uintptr(address))
	return d.simDevice.Free(address)
}

func (d *codeDevice) Close() error {
	if d.checks != nil {
		d.checks.checker.End()
	}
	err := d.simDevice.Close()
	d.checks.end()
	d.images.Lock()
	defer d.images.Unlock()
	for _, p := range d.programs {
		d.count(p)
		p.Forget()
	}
	clear(d.programs)
	clear(d.kernels)
	d.model.end(d.c)
	return err
}

// LoadImage makes the image's code ready to run.
func (d *codeDevice) LoadImage(image goacc.Image) ([]device.Address, error) {
	if device.Type(image.Type) != TypeNVIDIA {
		return nil, device.Errorf(device.InvalidArgument, 0, "the image is for device type %d, and sim device %d runs code for NVIDIA GPUs (%d)", image.Type, d.number, TypeNVIDIA)
	}
	code, err := image.PTX()
	if err != nil {
		return nil, device.Errorf(device.Execution, 0, "load the program's device code: %v", err)
	}
	d.images.Lock()
	defer d.images.Unlock()
	if d.closed.Load() {
		return nil, d.shutDown("load an image")
	}
	if d.programs[image.Data] != nil {
		return nil, device.Errorf(device.InvalidArgument, 0, "the image is loaded on sim device %d already", d.number)
	}
	p := &program{}
	addresses, err := d.link(p, image, code)
	if err != nil {
		err = device.Also(err, d.forget(p, image))
		return nil, err
	}
	d.programs[image.Data] = p
	return addresses, nil
}

// link reads the image's texts and gives the addresses of its variables.
func (d *codeDevice) link(p *program, image goacc.Image, code goacc.PTX) ([]device.Address, error) {
	names := make([]string, len(code.Functions))
	for i, f := range code.Functions {
		names[i] = f.Name
	}
	allocate := func(bytes uint64) (unsafe.Pointer, error) {
		address, err := d.Alloc(bytes)
		if err != nil {
			return nil, err
		}
		p.variables = append(p.variables, address)
		return d.arena.at(address), nil
	}
	o := &d.backend.options
	linked, err := simt.Link(d.model.texts(code.Texts()), names, simt.Needs{Weights: o.Counters || d.model != nil, Traits: o.CompareHost}, allocate)
	if err != nil {
		var failure *device.Error
		if errors.As(err, &failure) {
			return nil, err
		}
		return nil, device.Errorf(device.Execution, 0, "load the program's device code: %v; ACCSCOPE_SIM_CODE=host runs the program's host code", err)
	}
	p.Program = linked
	settings := simt.Settings{Threads: o.Threads, Seed: o.Seed, Stack: o.Stack, Timeout: o.KernelTimeout, Count: o.Counters || d.model != nil, Caches: d.model.simulated()}
	if settings.Threads == 0 {
		settings.Threads = runtime.NumCPU()
	}
	// Variables first: their values may need further functions, which launches then know.
	addresses := make([]device.Address, len(code.Variables))
	for i, name := range code.Variables {
		address, size, err := p.Variable(name)
		if err != nil {
			return nil, err
		}
		if want := image.Variables[i].Size; !image.Variables[i].Link && uint64(want) != size {
			return nil, device.Errorf(device.Execution, 0, "the variable %s has %d bytes on the host and %d on sim device %d; build all parts of the program with one compiler", name, want, size, d.number)
		}
		addresses[i] = device.Address(address)
	}
	for _, address := range p.variables {
		d.memory.Written(uintptr(address), d.arena.sizeOf(address))
	}
	for i, f := range code.Functions {
		launch := p.Launch(f.Name, d.memory, settings)
		if o.CompareHost {
			p.Host(launch, f.Name, image.Functions[i], code.Variables)
		}
		k := &codeKernel{kernel: kernel{function: uintptr(launch), backend: d.backend}, name: f.Name}
		d.model.add(k.function, linked, f.Name)
		k.fails = o.failing(d.number, f.Name, func() string { return o.KernelName(image.Functions[i]) })
		k.Processors, k.Threads, k.Largest = processors, mostLanes, func() uint32 { return mostLanes }
		k.Facts, k.Defaults = p.Facts(f.Name), d.defaults
		k.Fixed = device.Geometry{Gangs: uint32(f.Dimensions[0]), Workers: uint32(f.Dimensions[1]), Vector: uint32(f.Dimensions[2])}
		d.kernels[image.Functions[i]] = k
	}
	return addresses, nil
}

// forget gives back what an image has. d.images is held.
func (d *codeDevice) forget(p *program, image goacc.Image) error {
	for _, function := range image.Functions {
		delete(d.kernels, function)
	}
	if p.Program != nil {
		d.count(p)
		p.Forget()
	}
	var first error
	for _, address := range p.variables {
		if err := d.release(address); first == nil {
			first = err
		}
	}
	return first
}

// UnloadImage forgets an image. No queue may be running its kernels.
func (d *codeDevice) UnloadImage(image goacc.Image) error {
	d.images.Lock()
	defer d.images.Unlock()
	p := d.programs[image.Data]
	if p == nil || d.closed.Load() {
		return nil
	}
	delete(d.programs, image.Data)
	return d.forget(p, image)
}

// codeKernel is a kernel's GPU code.
type codeKernel struct {
	kernel
	nvidia.Launcher
	name string
}

func (k *codeKernel) Name() string { return k.name }

// Resolve is the Launcher's, not that of host code.
func (k *codeKernel) Resolve(g device.Geometry) device.Geometry { return k.Launcher.Resolve(g) }

func (d *codeDevice) Kernel(hostFunction uintptr) (device.Kernel, error) {
	d.images.Lock()
	defer d.images.Unlock()
	if k := d.kernels[hostFunction]; k != nil {
		return k, nil
	}
	return nil, device.Errorf(device.WrongType, 0, "there is no GPU code of the function at %#x; compile and link the program with -foffload=nvptx-none, or run its host code with ACCSCOPE_SIM_CODE=host", hostFunction)
}

// The card whose launch geometry kernels get (an H100 or H200): how many multiprocessors it
// has, and threads a gang.
const (
	processors = 132
	mostLanes  = 1024
)

// fault is the device's fault of this number.
func (d *codeDevice) fault(number uint64) simt.Fault {
	C.pthread_mutex_lock(&d.c.faulting)
	fault := unsafe.Slice(d.c.faults, d.c.fault_count)[number]
	C.pthread_mutex_unlock(&d.c.faulting)
	d.images.Lock()
	defer d.images.Unlock()
	for _, p := range d.programs {
		if f := p.Fault(unsafe.Pointer(&fault)); f.Kernel != "" {
			return f
		}
	}
	return (&simt.Program{}).Fault(unsafe.Pointer(&fault))
}
