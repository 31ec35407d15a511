// Package host is the device that is the host itself: its memory is the
// program's memory, and kernels are the host-compiled functions, run by the
// thread that launches them (OpenACC 3.3 §1.3, "shared memory"; acc_device_host).
//
// Every operation is done when the call that puts it onto a queue returns, so a
// queue is always idle and a mark always reached.
package host

import (
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/device"
)

// Type is acc_device_host.
const Type device.Type = 2

// New makes the backend. It has one device.
func New() device.Backend {
	return backend{&memory{blocks: map[device.Address]struct{}{}}}
}

type backend struct {
	memory *memory
}

// memory is what Alloc gave and Free did not take back. It is the host's, and
// outlives the device's closing: at the end of a program, destructors and other
// threads may still use it.
type memory struct {
	mutex  sync.Mutex
	blocks map[device.Address]struct{}
}

func (backend) Name() string        { return "host" }
func (backend) Type() device.Type   { return Type }
func (backend) Count() (int, error) { return 1, nil }

func checkNumber(number int) error {
	if number != 0 {
		return device.Errorf(device.Unavailable, 0, "there is no host device %d: there is one, number 0", number)
	}
	return nil
}

func (backend) Properties(number int) (device.Properties, error) {
	if err := checkNumber(number); err != nil {
		return device.Properties{}, err
	}
	return properties(), nil
}

// asVariable makes the host device describe itself as GCC's own library
// describes its host device, for programs that look for that name.
const asVariable = "ACCSCOPE_HOST_AS"

func properties() device.Properties {
	// No free memory: the system gives out more than it has, to all programs.
	p := device.Properties{Name: "host", Vendor: "accscope", Driver: "host 1.0", SharedMemory: true}
	if os.Getenv(asVariable) == "gomp" {
		return device.Properties{Name: "GOMP", Vendor: "GNU", Driver: "1.0", SharedMemory: true}
	}
	var info unix.Sysinfo_t
	// It fails only for an address that cannot be written.
	if unix.Sysinfo(&info) == nil {
		p.Memory = info.Totalram * uint64(info.Unit)
	}
	return p
}

func (b backend) Open(number int, observe func(device.Activity, bool)) (device.Device, error) {
	if err := checkNumber(number); err != nil {
		return nil, err
	}
	return &hostDevice{observe: observe, memory: b.memory}, nil
}

type hostDevice struct {
	observe   func(device.Activity, bool)
	observing atomic.Bool
	closed    atomic.Bool
	memory    *memory
}

func (d *hostDevice) Properties() device.Properties { return properties() }

func (d *hostDevice) Alloc(bytes uint64) (device.Address, error) {
	if d.closed.Load() {
		return 0, shutDown("allocate memory")
	}
	address := allocate(max(bytes, 1))
	if address == 0 {
		return 0, device.Errorf(device.OutOfMemory, 0, "out of memory: the host did not give the %d bytes asked for", bytes)
	}
	d.memory.mutex.Lock()
	d.memory.blocks[address] = struct{}{}
	d.memory.mutex.Unlock()
	return address, nil
}

func (d *hostDevice) Free(address device.Address) error {
	d.memory.mutex.Lock()
	_, known := d.memory.blocks[address]
	delete(d.memory.blocks, address)
	d.memory.mutex.Unlock()
	if !known {
		return device.Errorf(device.InvalidArgument, 0, "free memory at %#x: the host device allocated nothing there, or it was freed already", address)
	}
	release(address)
	return nil
}

func (d *hostDevice) Handles() device.Handles { return device.Handles{API: device.APINone} }

// Observe makes each operation be reported by the thread that did it.
func (d *hostDevice) Observe(on bool) { d.observing.Store(on && d.observe != nil) }

// Clock is CLOCK_MONOTONIC.
func (d *hostDevice) Clock() device.ClockPoint {
	now := monotonic()
	return device.ClockPoint{Device: now, Host: now}
}

// Close leaves memory as it is. It is harmless to close twice.
func (d *hostDevice) Close() error {
	d.closed.Store(true)
	return nil
}

func shutDown(doing string) error {
	return device.Errorf(device.DeviceShutdown, 0, "%s: the host device is shut down", doing)
}
