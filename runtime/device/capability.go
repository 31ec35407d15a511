package device

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/goacc"
)

// What follows are capabilities that some backends, devices or queues have beside
// what all have: the runtime asks for them by a type assertion, and does without
// where they are not. All of them are declared here, and package devicetest holds
// whoever has one to what is said of it.

// An ImageBackend is a Backend whose devices, which are ImageDevices, run code of
// their own rather than the host's: only programs with an image for them run there.
type ImageBackend interface {
	Backend
	// Accepts says why no device can run an image's code, nil if one can.
	Accepts(goacc.Image) error
}

// A FreeMemoryTeller is a Backend whose devices have to be asked for their free memory, which
// takes time: Backend.Properties does not give it.
type FreeMemoryTeller interface {
	Backend
	// FreeMemory is how many bytes are free on a device that is not open.
	FreeMemory(number int) (uint64, error)
}

// An ImageDevice is a Device that takes the images that GCC put into the program.
type ImageDevice interface {
	Device
	// LoadImage makes the image's kernels known and says where each variable of its
	// table lies; for a declare link variable, which has no memory before it is
	// mapped, where the device's pointer to it does. The error, of an image for
	// another type of device or of one that is loaded already for example, is an
	// *Error.
	LoadImage(goacc.Image) (variables []Address, err error)
	// UnloadImage forgets an image, or does nothing if it is not loaded. No queue
	// may be running its kernels.
	UnloadImage(goacc.Image) error
}

// A Counting kernel chooses its launch geometry by the trip counts of its loops, where it
// can tell them from the values of the construct's variables.
type Counting interface {
	Kernel
	// ResolveFor is Resolve with these values.
	ResolveFor(Geometry, *goacc.Arguments) Geometry
}

// A Giving kernel knows who gave each dimension of the launch geometry that it resolves.
type Giving interface {
	Kernel
	// Givers are those for a construct that asks for a geometry; none is unknown.
	Givers(Geometry) Givers
}

// A HostCoded device runs the host's code beside a memory of its own: its kernels can
// call the runtime's routines, and reach host memory by pointers with which a GPU's
// would fail.
type HostCoded interface {
	Device
	// Inside says whether the calling system thread is inside a kernel of this
	// device.
	Inside() bool
	// Strict says whether kernels that are given such pointers are not to be launched.
	Strict() bool
}

// A Watching device stops kernels that leave what was allocated: there every variable has
// an allocation of its own, so that none goes on in the next one.
type Watching interface {
	Device
	Watches() bool
}

// A Checking device looks for what is wrong with the accesses to its memory.
type Checking interface {
	Device
	// Checks says whether it does.
	Checks() bool
	// ObserveFindings has everything that is found told from now on, once when it is met
	// first, before the memory is freed, and again when the device closes. tell is called
	// from any thread that uses the device.
	ObserveFindings(tell func(Finding))
	// Map says that memory of the device is what the program has at an address, Unmap that it is
	// not any more. Freeing the memory does the same.
	Map(address Address, host uintptr, bytes uint64)
	Unmap(address Address, host uintptr, bytes uint64)
	// GiveOut says that others may read and write memory unseen from now on, by its address.
	GiveOut(address Address, bytes uint64)
}

// A Profiling device counts what its kernels do inside.
type Profiling interface {
	Device
	// Counts says whether it does.
	Counts() bool
	// ObserveCounts has the counts of each kernel that was run told before its code is
	// forgotten, when its image is unloaded or the device closes. tell is called from any thread
	// that uses the device.
	ObserveCounts(tell func(KernelCounts))
	// Card is the GPU that estimates are of.
	Card() Card
}

// A Pooled device takes memory from its driver in large pieces. Only those are
// allocations and deallocations of device memory in the sense of the alloc and
// free events (OpenACC 3.3 §5.1.7).
type Pooled interface {
	Device
	// ObservePool reports from now on what the device takes from its driver and
	// gives back to it. observe is called from any thread and must not call the
	// device.
	ObservePool(observe func(taken bool, address Address, bytes uint64))
}

// A QueueAdopter is a Device that can use a queue which the program made
// (OpenACC 3.3 §A.2.1.4, §A.2.2.4).
type QueueAdopter interface {
	Device
	// AdoptQueue makes a Queue of the driver's queue at handle. Closing it leaves
	// the driver's queue to the program.
	AdoptQueue(handle unsafe.Pointer) (Queue, error)
}

// A Flusher is a Device that reports finished operations some time later, and when
// asked.
type Flusher interface {
	Device
	// Flush returns when every operation was reported that had finished before it
	// on a queue that is idle.
	Flush()
}
