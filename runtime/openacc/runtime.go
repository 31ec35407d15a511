package openacc

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/activity"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// SnapshotBytes is the size up to which an asynchronous upload takes its bytes
// at the call rather than in queue order.
const SnapshotBytes = 64 << 10

// Options are what a Runtime is made of.
type Options struct {
	// Backends are the kinds of device, best first: the first one with a device
	// is the default. One of them must be of type acc_device_host.
	Backends []device.Backend
	// Callbacks is the registry that events go to.
	Callbacks *callbacks.Registry
	// Exit ends the process with a status; it must not return to its caller.
	Exit func(status int)
	// Stop ends the calling host thread, whose work has been ended under it; it may
	// return where that cannot be done. nil means that it never can.
	Stop func()
	// Environment looks up a variable; nil means os.LookupEnv.
	Environment func(string) (string, bool)
	// Output and Errors take ACC_NOTIFY's lines and the error line; nil means
	// standard output and standard error.
	Output, Errors io.Writer
	// Locator finds the lines of places in the program; nil leaves them unknown.
	Locator Locator
	// Attributor fills in source positions; nil leaves them unknown.
	Attributor Attributor
	// Namer names variables for data events; nil leaves them unknown.
	Namer Namer
	// KernelName names the function outlined at a host address; nil leaves it to
	// the device.
	KernelName func(function uintptr) string
	// Selected is told when a thread's current device changes, with Thread.Owner; Changed when a
	// device was initialised or is about to be shut down.
	Selected func(owner unsafe.Pointer, d *Device)
	Changed  func(*Device)
	// Delivering says whether the calling thread is inside a subscriber's record
	// function; nil means that none ever calls the runtime.
	Delivering func() bool
	// Problem is what is wrong with the configuration, for the error line of the
	// first use; "" where it is right.
	Problem string
}

// Runtime is the OpenACC runtime of a process.
type Runtime struct {
	options     Options
	registry    *callbacks.Registry
	environment environment

	mu      sync.Mutex
	devices map[deviceKey]*Device
	images  []goacc.Image

	failed       sync.Mutex                              // held by the thread that ends the program with an error
	ending       atomic.Pointer[raiser]                  // the thread that runs the program's end
	crashed      atomic.Bool                             // a kernel has: its queue is never done
	dropped      atomic.Pointer[map[*Device][]hostRange] // what was on devices then
	active       atomic.Int64                            // devices between initialisation and shutdown
	started      atomic.Bool                             // something was initialised
	used         atomic.Pointer[Device]                  // what was initialised last: the host only where nothing else was
	over         atomic.Bool                             // runtime_shutdown came
	identities   atomic.Uint64                           // of threads
	correlations atomic.Uint64
	learned      atomic.Uint64 // Learned
	activity     activity.Delivery
	usage        usage
	passOver     sync.Once // says why a backend is not chosen
}

type deviceKey struct {
	kind   device.Type
	number int
}

// New makes a runtime. Nothing is initialised before the first use.
func New(options Options) (*Runtime, error) {
	if options.Environment == nil {
		options.Environment = os.LookupEnv
	}
	if options.Output == nil {
		options.Output = os.Stdout
	}
	if options.Errors == nil {
		options.Errors = os.Stderr
	}
	if options.Exit == nil {
		options.Exit = os.Exit
	}
	rt := &Runtime{
		options:  options,
		registry: options.Callbacks,
		devices:  map[deviceKey]*Device{},
	}
	if rt.backend(DeviceHost) == nil {
		return nil, fmt.Errorf("no backend of type host among the %d given", len(options.Backends))
	}
	rt.environment = readEnvironment(options.Environment, typeChoices(options.Backends))
	if options.Problem != "" {
		rt.environment.bad = options.Problem
	}
	rt.activity.Init(options.Delivering)
	return rt, nil
}

// Notifies says whether ACC_NOTIFY asks for a line for each kernel, so that every
// kernel must pass through the runtime.
func (rt *Runtime) Notifies() bool { return rt.environment.notify }

// backend finds the backend of a concrete device type, nil if there is none.
func (rt *Runtime) backend(kind device.Type) device.Backend {
	for _, b := range rt.options.Backends {
		if b.Type() == kind {
			return b
		}
	}
	return nil
}

// count is the number of devices of a concrete type, and why there are none.
func (rt *Runtime) count(kind device.Type) (int, error) {
	b := rt.backend(kind)
	if b == nil {
		return 0, nil
	}
	return b.Count()
}

// resolve turns a device type that leaves a choice into a concrete one: default
// and not_host are the first backend (but the host's) that has a device.
func (rt *Runtime) resolve(kind device.Type) device.Type {
	if kind != DeviceDefault && kind != DeviceNotHost {
		return kind
	}
	if fixed := rt.environment.deviceType; kind == DeviceDefault && fixed != DeviceDefault {
		return rt.resolve(fixed)
	}
	for _, b := range rt.options.Backends {
		if b.Type() == DeviceHost {
			continue
		}
		if !rt.hasCode(b) {
			continue
		}
		if n, err := b.Count(); err == nil && n > 0 {
			return b.Type()
		}
	}
	if kind == DeviceNotHost {
		return DeviceNotHost
	}
	return DeviceHost
}

// hasCode says whether the program has code for a backend's devices, for those
// that do not run the host's.
func (rt *Runtime) hasCode(b device.Backend) bool {
	taker, ok := b.(device.ImageBackend)
	if !ok {
		return true
	}
	rt.mu.Lock()
	images := slices.Clone(rt.images)
	rt.mu.Unlock()
	images = slices.DeleteFunc(images, func(i goacc.Image) bool { return device.Type(i.Type) != b.Type() })
	if n, err := b.Count(); err != nil || n == 0 {
		return len(images) > 0
	}
	for _, image := range images {
		if err := taker.Accepts(image); err != nil {
			rt.passOver.Do(func() {
				// A closed standard error is the program's own affair.
				_, _ = fmt.Fprintf(rt.options.Errors, "accscope: no %s device is chosen: %v\n", b.Name(), err)
			})
			return false
		}
	}
	return len(images) > 0
}

// available lists the device types that can be selected, for messages.
func (rt *Runtime) available() string {
	var names []string
	for _, b := range rt.options.Backends {
		if n, err := b.Count(); err == nil && n > 0 {
			names = append(names, fmt.Sprintf("%s (%d)", b.Name(), n))
		}
	}
	return strings.Join(names, ", ")
}

// device finds or makes the record of a device; it does not initialise it.
func (rt *Runtime) device(kind device.Type, number int) *Device {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	key := deviceKey{kind, number}
	d := rt.devices[key]
	if d == nil {
		d = newDevice(rt, rt.backend(kind), number)
		rt.devices[key] = d
	}
	return d
}

// initialised lists the devices that are initialised, of one type or of all.
func (rt *Runtime) initialised(kind device.Type, all bool) []*Device {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	var found []*Device
	for key, d := range rt.devices {
		if (all || key.kind == kind) && d.isOpen() {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b *Device) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Number, b.Number))
	})
	return found
}

// Started says whether a device was ever initialised.
func (rt *Runtime) Started() bool { return rt.started.Load() }
