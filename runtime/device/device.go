// Package device is the interface between the OpenACC runtime and the devices
// it drives. A backend offers memory, queues, transfers, kernel launches and a
// clock; everything OpenACC-specific (present table, reference counters, async
// values, events) stays on the runtime's side of it.
//
// OpenACC 3.3 §1.3 (memory model), §2.16 (asynchronous behaviour) and chapter 3
// say what the runtime builds from these parts.
package device

import "unsafe"

// Address is an address in a device's memory. The zero Address is no memory.
type Address uintptr

// Type is an acc_device_t value (see runtime/include/openacc.h).
type Type int32

// API says which driver interface the handles of a device belong to; the values
// are those of acc_device_api (OpenACC 3.3 §5.2.3).
type API int32

// Driver interfaces.
const (
	APINone   API = 0
	APICUDA   API = 1
	APIOpenCL API = 2
	APIOther  API = 4
)

// A Backend knows one kind of device.
type Backend interface {
	// Name is the backend's short name ("sim", "cuda"), as users write it.
	Name() string
	// Type is the acc_device_t that selects this backend.
	Type() Type
	// Count says how many devices there are. The error, if any, says why there
	// are none and what to do about it; it is nil where the backend works.
	Count() (int, error)
	// Properties describes device number without initialising it.
	Properties(number int) (Properties, error)
	// Open initialises device number, counted from 0. Every finished operation
	// is reported to observe, from any thread, with whether more follow at once;
	// see Activity.
	Open(number int, observe func(a Activity, more bool)) (Device, error)
}

// Properties are what acc_get_property and acc_get_property_string report
// (OpenACC 3.3 §3.2.6).
type Properties struct {
	Memory       uint64 // bytes in all
	FreeMemory   uint64 // bytes not in use
	Name         string
	Vendor       string
	Driver       string
	SharedMemory bool // host addresses are device addresses
	// Multiprocessors are what gangs run on, each on one; 0: not known, or none.
	Multiprocessors int
}

// Device is one opened device. All methods may be called from any thread.
type Device interface {
	Properties() Properties

	// Alloc returns bytes of device memory, aligned to at least 256 bytes. The
	// error is an *Error with code OutOfMemory when there is no more.
	Alloc(bytes uint64) (Address, error)
	// Free returns memory to the device. No queued operation may still use it.
	Free(Address) error

	// NewQueue makes an activity queue: operations put onto it run one after
	// the other, in order, independently of other queues.
	NewQueue() (Queue, error)

	// Kernel finds the device code of the function that GCC outlined at this
	// host address. A device that runs host code returns a Kernel for any
	// address.
	Kernel(hostFunction uintptr) (Kernel, error)

	// Observe switches the reporting of finished operations on or off; it is
	// off after Open. A Flusher reports what has finished some time later, and at
	// the latest when Close returns, or Flush where the queue is idle; any other
	// before a Synchronize or an Await that waits for it is over.
	Observe(on bool)
	// Clock gives one point at which the device's clock and the host's
	// CLOCK_MONOTONIC were read together.
	Clock() ClockPoint

	// Handles gives the driver's own device and context (acc_api_info).
	Handles() Handles

	// Close waits for all queues, then releases everything the device holds; shared
	// memory may outlive it.
	Close() error
}

// Handles are the driver's objects behind a device, nil where there are none.
type Handles struct {
	API     API
	Device  unsafe.Pointer
	Context unsafe.Pointer
	// StandIns says that no driver is behind the handles of the device and its
	// queues: they tell objects apart, for Appendix A.2's routines, and are kept
	// from the events.
	StandIns bool
}

// ClockPoint relates a device's clock to the host's: both in nanoseconds, the
// host's CLOCK_MONOTONIC. Device clocks advance at the host's rate to within
// Drift parts in 10^9.
type ClockPoint struct {
	Device int64
	Host   int64
	Drift  int64
}

// Kernel is code that a device can run.
type Kernel interface {
	// Name is the kernel's name for acc_launch_event_info.
	Name() string
	// Resolve fills in what the program left to the runtime (zero fields):
	// the launch geometry that will be used.
	Resolve(Geometry) Geometry
	// MayWrite says whether a launch may leave something else in what argument i of
	// its block refers to, where that lies in the block itself. Only a device that
	// gives every launch the block as it was stored says no of kernels it knows
	// nothing of. Behind asks the same of what the pointer leads to that lies there.
	MayWrite(argument int, behind bool) bool
}

// An ArgumentBlock is what a kernel gets: an array in device memory of one address for
// each argument, then the values that travel with them, to which some of those
// addresses point. The zero block is for a kernel without arguments.
type ArgumentBlock struct {
	Address Address
	Size    uint64 // bytes, with the values
}

// Geometry is the number of gangs, workers per gang and vector lanes per
// worker. Zero means not given by the program.
type Geometry struct{ Gangs, Workers, Vector uint32 }

// A Giver gave a dimension of a launch's geometry. It is enum accscope_activity_giver.
type Giver uint8

// The givers of a dimension; 0: not known.
const (
	GivenByCompiler    Giver = iota + 1 // fixed in the device code
	GivenByClause                       // the construct asks for it
	GivenByEnvironment                  // GOMP_OPENACC_DIM
	Chosen                              // it was left open
)

// Givers are those of gangs, workers and vector lanes.
type Givers [3]Giver

// GivenByClauses are the givers of what a construct asks for, as far as that tells.
func GivenByClauses(asked Geometry) (by Givers) {
	for i, n := range [3]uint32{asked.Gangs, asked.Workers, asked.Vector} {
		if n != 0 {
			by[i] = GivenByClause
		}
	}
	return by
}

// Queue is one activity queue. An operation on an idle queue of a device that
// runs host code may finish before Run returns where Now is set: the caller
// is about to wait for it anyway, so no hand-over to another thread is needed.
//
// An operation that fails on the device makes the queue fail: the error is
// returned by the next Synchronize, Await, Idle or operation, and is an *Error.
type Queue interface {
	// Prepare readies an operation, which C puts onto the queue when its turn comes,
	// between the callbacks of its events for one; nothing of the device happens before.
	//
	// An upload's source, a download's destination and what their parts tell of stay valid
	// until it is done. Parts are read when it is put onto the queue, and may change then;
	// of an upload's a later one goes over an earlier one, and the first is of all bytes;
	// what is in none of a download's goes nowhere. A copy goes to memory of a device of the
	// same backend, mostly the queue's own: the other one's queues know nothing of it, and it
	// must not close before. A launch's argument block stays as it is until the kernel ends.
	Prepare(o *Operation) error
	// Outcome is to be called once when an operation has run: its error, if any.
	Outcome(o *Operation) error
	// Then runs f on a runtime thread after everything put onto the queue
	// before. f must not block and must not use the queue.
	Then(f func()) error

	// Record marks the present end of the queue.
	Record() (Mark, error)
	// Wait makes later operations of this queue start only after mark, which
	// may belong to another queue of the same device. It does not block.
	Wait(Mark) error

	// Idle says whether all operations are done. What it tells of one that has failed,
	// the next operation or wait tells again.
	Idle() (bool, error)
	// Synchronize blocks until all operations are done, at once.
	Synchronize() error

	// Handle is the driver's own queue (a CUstream), nil where there is none.
	Handle() unsafe.Pointer
	// Close waits for the queue, then releases it.
	Close() error
}

// A Part is what a download brings to one place of the host's memory, or an upload takes from
// there. It is C's struct accscope_part (operation.h).
type Part struct {
	Host          uintptr
	Offset, Bytes uint64 // of what is transferred
}

// Mark is a point in a queue.
type Mark interface {
	// Done says whether everything before the mark has finished. The error is that of a
	// queue that fails, as Idle gives it.
	Done() (bool, error)
	// Release gives back what the driver keeps for the mark, which is of no use
	// after it. Queues that were told to wait for it still do.
	Release()
}

// ActivityKind says what an Activity did.
type ActivityKind uint8

// The kinds of activity, and of operations that have none.
const (
	ActivityKernel ActivityKind = iota + 1
	ActivityUpload
	ActivityDownload
	ActivityCopy
	ActivityFill

	// Store is an Operation's that copies to device memory as a part of launches to come: it
	// has no Activity, and takes no time where that is simulated. What it copies is read when
	// it is put onto the queue, and may change then.
	Store
	// Await is an Operation's that has the thread that runs it wait until everything put onto
	// the queue before is done, at the latest when Outcome returns. Nothing is left of a
	// closed queue.
	Await
)

// Activity is one finished operation, measured on the device.
type Activity struct {
	Correlation uint64
	Kind        ActivityKind
	Bytes       uint64
	Start, End  int64 // device clock, nanoseconds
	Pageable    bool  // a transfer's host memory was, and its bytes went by way of pinned memory
}
