package openacc

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/dataenv"
	"github.com/accscope/accscope/runtime/device"
)

// A Device is one device that a program may use, initialised or not. Records of
// devices live as long as the Runtime, through any number of initialisations.
type Device struct {
	Type   device.Type
	Number int
	Shared bool // host addresses are device addresses

	rt      *Runtime
	backend device.Backend

	open       atomic.Bool
	generation atomic.Uint64 // of the initialisation; odd while open
	opening    sync.Mutex    // held while the backend opens or closes the device
	closing    atomic.Bool   // a thread shuts it down
	openers    sync.Mutex    // guards opener
	opener     *devices      // the thread that initialises the device, nil if none
	opened     *sync.Cond    // on openers: opener has become nil

	driver  device.Device // valid while open
	handles device.Handles

	mu                        sync.Mutex
	table                     *dataenv.Table
	allocations               map[device.Address]uintptr // what acc_malloc returned, with its size
	queues                    map[int]*Queue             // by async value; those of acc_async_sync are not here
	idle                      []*Queue                   // synchronous queues without a thread
	copyBacks                 []*copyBack                // ranges being copied back for a mapping already removed
	senders                   []*Queue                   // of other devices, that have copied to this one
	links                     []linked                   // declare link variables of its images
	hostCoded                 device.HostCoded           // the driver, if it is one
	checking                  device.Checking            // the driver, if it checks its memory
	watching                  bool                       // variables have allocations of their own (device.Watching)
	warned                    map[warning]bool           // said already
	exposed                   map[[2]uintptr]bool        // addresses and sizes that acc_deviceptr was asked for, as told
	departed, departedKernels departed                   // mappings that are gone
	pool                      *poolWatch                 // what its pool did, nil for a device without one

	unheard atomic.Pointer[error] // met where nobody could be told

	ready       readiness
	downloads   atomic.Int64                            // entries of all queues' pending lists
	clockOffset atomic.Int64                            // host clock less device clock, when last read
	byAsync     sync.Map                                // async value to *Queue, a copy of queues for look-ups without the lock
	kernels     atomic.Pointer[map[uintptr]*kernelCode] // by host address
	refused     atomic.Pointer[[]refusal]               // images that came later; changed with mu held
}

// kernelCode is the device code of one outlined function. Its name is looked up
// when somebody asks.
type kernelCode struct {
	code     device.Kernel
	counting device.Counting // code, where it is one
	giving   device.Giving   // likewise
	function uintptr
	naming   sync.Once
	text     string
	inner    innerPointers
}

// resolve is the launch geometry of a construct.
func (k *kernelCode) resolve(c *Construct) device.Geometry {
	if k.counting != nil {
		return k.counting.ResolveFor(c.Geometry, &c.Arguments)
	}
	return k.code.Resolve(c.Geometry)
}

// givers says who gave the dimensions of what resolve gives for a construct.
func (k *kernelCode) givers(asked device.Geometry) device.Givers {
	if k.giving != nil {
		return k.giving.Givers(asked)
	}
	return device.GivenByClauses(asked)
}

func (d *Device) name(k *kernelCode) string {
	k.naming.Do(func() {
		k.text = k.code.Name()
		if d.rt.options.KernelName != nil {
			if name := d.rt.options.KernelName(k.function); name != "" {
				k.text = name
			}
		}
	})
	return k.text
}

func newDevice(rt *Runtime, b device.Backend, number int) *Device {
	d := &Device{Type: b.Type(), Number: number, rt: rt, backend: b}
	d.opened = sync.NewCond(&d.openers)
	d.ready.init()
	d.refused.Store(new([]refusal))
	p, err := b.Properties(number)
	d.keep(err)
	d.Shared = p.SharedMemory
	return d
}

func (d *Device) isOpen() bool { return d.open.Load() }

// Open says whether the device is initialised.
func (d *Device) Open() bool { return d.isOpen() }

func (d *Device) String() string { return fmt.Sprintf("%s %d", typeName(d.Type), d.Number) }

// Published is the address of the present table's C form (package dataenv), nil
// before the first initialisation. It stays valid for the life of the process.
func (d *Device) Published() unsafe.Pointer {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.table == nil {
		return nil
	}
	return d.table.Published()
}

func (d *Device) changed() {
	if d.rt.options.Changed != nil {
		d.rt.options.Changed(d)
	}
}

// keep keeps an error of the device, a queue or a mark that nobody can be told of here,
// until somebody waits for d or puts an operation onto a queue.
func (d *Device) keep(err error) {
	if err != nil {
		d.unheard.CompareAndSwap(nil, &err)
	}
}

// kept is err, or the error that was kept if there is one, which is told then: it came
// first.
func (d *Device) kept(err error) error {
	if d.unheard.Load() == nil {
		return err
	}
	if first := d.unheard.Swap(nil); first != nil {
		return *first
	}
	return err
}

func driverCode(err error) uint64 {
	if failure, ok := err.(*device.Error); ok {
		return failure.Driver
	}
	return 0
}

func (d *Device) openDriver() error {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.isOpen() {
		return nil
	}
	driver, err := d.backend.Open(d.Number, d.finished)
	if err != nil {
		return err
	}
	d.mu.Lock()
	d.driver = driver
	d.handles = driver.Handles()
	d.Shared = driver.Properties().SharedMemory
	if d.table == nil {
		d.table = dataenv.NewTable()
	}
	if d.allocations == nil {
		d.allocations = map[device.Address]uintptr{}
	}
	d.queues = map[int]*Queue{}
	d.idle, d.copyBacks, d.links = nil, nil, nil
	d.hostCoded, _ = driver.(device.HostCoded)
	watching, ok := driver.(device.Watching)
	d.watching = ok && watching.Watches()
	d.observeFindings(driver)
	d.observeCounts(driver)
	d.pool = watchPool(driver)
	d.byAsync.Clear()
	d.unheard.Store(nil)
	d.downloads.Store(0)
	empty := map[uintptr]*kernelCode{}
	d.kernels.Store(&empty)
	d.refused.Store(new([]refusal))
	d.mu.Unlock()
	d.readClock()
	driver.Observe(d.rt.activity.Wanted())
	if err := d.rt.enterImages(d); err != nil {
		d.mu.Lock()
		for _, m := range slices.Collect(d.table.All()) {
			d.table.Remove(m)
		}
		d.mu.Unlock()
		return device.Also(err, driver.Close())
	}
	d.generation.Add(1)
	d.rt.active.Add(1)
	d.rt.started.Store(true)
	if !d.Shared || d.rt.used.Load() == nil {
		d.rt.used.Store(d)
	}
	d.open.Store(true)
	d.changed()
	return nil
}

// kernel finds the device code of an outlined function.
func (d *Device) kernel(function uintptr) (*kernelCode, error) {
	known := d.kernels.Load()
	if k := (*known)[function]; k != nil {
		return k, nil
	}
	code, err := d.driver.Kernel(function)
	if err != nil {
		if cause := d.refusedKernel(function); cause != nil {
			err = cause
		}
		return nil, err
	}
	k := &kernelCode{code: code, function: function}
	k.counting, _ = code.(device.Counting)
	k.giving, _ = code.(device.Giving)
	for {
		next := maps.Clone(*known)
		next[function] = k
		if d.kernels.CompareAndSwap(known, &next) {
			return k, nil
		}
		known = d.kernels.Load()
	}
}
