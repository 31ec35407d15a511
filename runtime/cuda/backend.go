package cuda

/*
#include <stdlib.h>
#include "driver.h"
*/
import "C"

import (
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/nvidia"
)

// Type is acc_device_nvidia.
const Type device.Type = 5

// DefaultLibrary is the driver's library.
const DefaultLibrary = "libcuda.so.1"

// oldest is the first driver that has all functions used: CUDA 10.0 brought
// cuLaunchHostFunc.
const oldest = 10000

// Options say how the backend works.
type Options struct {
	// Library is the driver's library, "" for DefaultLibrary.
	Library string
	// Environment looks up a variable; nil means os.LookupEnv.
	Environment func(string) (string, bool)
	// Started is called when the driver has registered exit handlers of its own;
	// nil for nothing.
	Started func()
}

type backend struct {
	options Options

	start   sync.Once
	code    func() codeCache
	first   sync.Once // device opened
	library *library
	count   int
	problem error

	mutex  sync.Mutex
	opened map[int]*cudaDevice
}

// library is the driver, opened. The table is C's memory, because C keeps its
// address; like the driver, it stays for as long as the process.
type library struct {
	table   *C.struct_accscope_cuda_driver
	version int
}

// New makes the backend. The driver is opened when somebody asks for a device.
func New(o Options) device.Backend {
	if o.Library == "" {
		o.Library = DefaultLibrary
	}
	if o.Environment == nil {
		o.Environment = os.LookupEnv
	}
	return &backend{options: o, opened: map[int]*cudaDevice{},
		code: sync.OnceValue(func() codeCache { return openCodeCache(o.Environment) })}
}

func (b *backend) Name() string      { return "cuda" }
func (b *backend) Type() device.Type { return Type }

func (b *backend) open() error {
	b.start.Do(func() { b.problem = b.load() })
	return b.problem
}

func (b *backend) load() error {
	name := C.CString(b.options.Library)
	defer C.free(unsafe.Pointer(name))
	reason := (*C.char)(C.malloc(512))
	defer C.free(unsafe.Pointer(reason))
	l := &library{table: (*C.struct_accscope_cuda_driver)(C.malloc(C.sizeof_struct_accscope_cuda_driver))}
	*l.table = C.struct_accscope_cuda_driver{}
	if C.accscope_cuda_load(l.table, name, reason, 512) != 0 {
		return device.Errorf(device.Unavailable, 0, "there is no cuda device: the CUDA driver cannot be used (%s); install NVIDIA's driver, or a newer one", C.GoString(reason))
	}
	var version, count C.int
	if result := C.accscope_cuda_start(l.table, &version, &count); result != 0 {
		return l.notStarted(result)
	}
	l.version = int(version)
	if l.version < oldest {
		return device.Errorf(device.Unavailable, 0, "there is no cuda device: the driver offers CUDA %s, needed is %s; install a newer driver", versionText(l.version), versionText(oldest))
	}
	if count == 0 {
		return device.Errorf(device.Unavailable, 0, "there is no cuda device: the driver sees no GPU; check CUDA_VISIBLE_DEVICES and nvidia-smi")
	}
	b.library, b.count = l, int(count)
	b.started()
	return nil
}

func (b *backend) started() {
	if b.options.Started != nil {
		b.options.Started()
	}
}

func versionText(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }

func (b *backend) Count() (int, error) {
	if err := b.open(); err != nil {
		return 0, err
	}
	return b.count, nil
}

func (b *backend) checkNumber(number int) error {
	if err := b.open(); err != nil {
		return err
	}
	if number < 0 || number >= b.count {
		return device.Errorf(device.Unavailable, 0, "there is no cuda device %d: the driver has %d, counted from 0; check ACC_DEVICE_NUM and CUDA_VISIBLE_DEVICES", number, b.count)
	}
	return nil
}

func (b *backend) Properties(number int) (device.Properties, error) {
	if err := b.checkNumber(number); err != nil {
		return device.Properties{}, err
	}
	b.mutex.Lock()
	d := b.opened[number]
	b.mutex.Unlock()
	if d != nil {
		return d.Properties(), nil
	}
	return b.describe(number)
}

// FreeMemory is what the driver says, which needs a context: it makes one and releases it
// where the device is not open.
func (b *backend) FreeMemory(number int) (uint64, error) {
	if err := b.checkNumber(number); err != nil {
		return 0, err
	}
	var free C.size_t
	result := C.accscope_cuda_free_memory(b.library.table, C.int(number), &free)
	b.first.Do(b.started)
	if result != 0 {
		return 0, device.Errorf(device.Unavailable, uint64(result), "cuda device %d does not say how much memory is free: %s", number, b.library.text(result))
	}
	return uint64(free), nil
}

func (b *backend) describe(number int) (device.Properties, error) {
	const room = 256
	name := (*C.char)(C.malloc(room))
	defer C.free(unsafe.Pointer(name))
	var memory C.size_t
	if result := C.accscope_cuda_describe(b.library.table, C.int(number), name, room, &memory); result != 0 {
		return device.Properties{}, device.Errorf(device.Unavailable, uint64(result), "cuda device %d cannot be described: %s", number, b.library.text(result))
	}
	return device.Properties{Memory: uint64(memory), Multiprocessors: int(C.accscope_cuda_multiprocessors(b.library.table, C.int(number))), Name: C.GoString(name),
		Vendor: "NVIDIA", Driver: "CUDA Driver " + versionText(b.library.version)}, nil
}

func (b *backend) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	if err := b.checkNumber(number); err != nil {
		return nil, err
	}
	geometry, err := nvidia.ReadGeometry(b.options.Environment)
	if err != nil {
		return nil, err
	}
	stack, err := stackWanted(b.options.Environment)
	if err != nil {
		return nil, err
	}
	properties, err := b.describe(number)
	if err != nil {
		return nil, err
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.opened[number] != nil {
		return nil, device.Errorf(device.DeviceInit, 0, "cuda device %d is open already", number)
	}
	d, err := openDevice(b, number, properties, geometry, stack, observe)
	if err != nil {
		return nil, err
	}
	b.opened[number] = d
	b.first.Do(b.started)
	return d, nil
}

func (b *backend) closed(number int) {
	b.mutex.Lock()
	delete(b.opened, number)
	b.mutex.Unlock()
}
