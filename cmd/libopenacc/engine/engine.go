// Go would keep the files of the process's CPU limit open, and read them now and
// then by numbers that are other files once the program has closed them.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command engine is the Go half of libopenacc: a c-shared library that the thin
// C library (runtime/entry) opens at the first call that needs it. It exports one
// function for each row of ACCSCOPE_ENGINE_FUNCTIONS in its engine.h, which is the
// contract, and does nothing itself: package runtime/openacc is the runtime.
package main

//go:generate go run ./exports exports.go

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -I${SRCDIR}/../../../runtime/entry -I${SRCDIR}/../../../callbacks -I${SRCDIR}/../../../runtime/include
// #include <errno.h>
// #include <stdlib.h>
// #include "engine.h"
// #include "leaks.h"
// #include "start.h"
// #include "stop.h"
// static inline void accscope_end_first (void (*end_first) (void)) { end_first (); }
// static inline void accscope_exit (void (*leave) (int), int status) { leave (status); }
import "C"

import (
	"fmt"
	"os"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/cuda"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/host"
	"github.com/accscope/accscope/runtime/openacc"
	_ "github.com/accscope/accscope/runtime/poller" // before anything of Go's opens it
	"github.com/accscope/accscope/runtime/sim"
)

func main() {} // c-shared libraries need one

type thread = *C.struct_accscope_thread

var (
	core     *openacc.Runtime
	registry *callbacks.Registry
)

// A package's main is initialised behind all others.
func init() { C.accscope_engine_initialised(1) }

//export accscope_engine_begin
func accscope_engine_begin(from *C.struct_accscope_host) C.int {
	defer guard()
	if from.version != C.ACCSCOPE_ENGINE_VERSION {
		fmt.Fprintf(os.Stderr, "accscope: libopenacc.so and libopenacc-engine.so are of different versions (%d and %d); install both from one build\n",
			from.version, C.ACCSCOPE_ENGINE_VERSION)
		return C.EINVAL
	}
	endFirst, leaveAndExit := from.end_first, from.exit
	registry = callbacks.NewRegistry(unsafe.Pointer(from.dispatch))
	C.accscope_engine_leaks_begin(unsafe.Pointer(registry))
	references = attribution.NewReferences(attribution.New(process()))
	options := openacc.Options{
		Callbacks:  registry,
		Attributor: references,
		Locator:    references,
		Namer:      references,
		Exit:       func(status int) { C.accscope_exit(leaveAndExit, C.int(status)) },
		Stop:       func() { C.accscope_engine_stop() },
		KernelName: kernelName,
		Selected:   selected,
		Changed:    changed,
		Delivering: delivering,
	}
	simOptions, err := sim.OptionsFromEnvironment()
	var simulator device.Backend
	if err == nil {
		simOptions.KernelName = kernelName
		simOptions.Call = unsafe.Pointer(from.call)
		simOptions.Crashed = func(c sim.Crash) {
			core.KernelCrashed(simOptions.As, c.Device, c.Thread, c.Function, fmt.Sprintf("%v (%s) at address %#x", c.Signal, unix.SignalName(c.Signal), c.Address))
		}
		simulator, err = sim.New(simOptions)
	}
	// A sim that answers as an NVIDIA GPU takes the place of real ones.
	if err != nil || simOptions.As != cuda.Type {
		options.Backends = append(options.Backends, cuda.New(cuda.Options{
			// The driver's exit handlers would close the devices before we do.
			Started: func() { C.accscope_end_first(endFirst) },
		}))
	}
	if err != nil {
		options.Problem = err.Error()
	} else {
		options.Backends = append(options.Backends, simulator)
	}
	options.Backends = append(options.Backends, host.New())
	if core, err = openacc.New(options); err != nil {
		fmt.Fprintf(os.Stderr, "accscope: %v\n", err)
		return C.EINVAL
	}
	return 0
}

// guard keeps a panic, which is a defect of the runtime, from going through the
// program's frames.
func guard() {
	if cause := recover(); cause != nil {
		fmt.Fprintf(os.Stderr, "accscope: internal error: %v; please report it with this trace\n%s", cause, debug.Stack())
		os.Exit(1)
	}
}

//export accscope_engine_thread_end
func accscope_engine_thread_end(t thread) {
	defer guard()
	if t.engine != 0 {
		threads.end(t)
	}
}

//export accscope_engine_program_end
func accscope_engine_program_end(t thread) {
	defer guard()
	if core.Started() {
		enter(t).EndProgram()
	}
}

//export accscope_engine_dropped
func accscope_engine_dropped(t thread, host unsafe.Pointer) C.int {
	defer guard()
	var current *openacc.Device
	own := recordOf(t)
	if own != nil {
		current = own.Current()
	}
	if host != nil && core.Dropped(current, uintptr(host)) || host == nil && own != nil && own.RegionDropped() {
		return 1
	}
	return 0
}

//export accscope_engine_register_image
func accscope_engine_register_image(version C.unsigned, table unsafe.Pointer, kind C.int, data unsafe.Pointer) {
	defer guard()
	image, err := goacc.ReadImage(uint32(version), table, int32(kind), data)
	if err != nil {
		fmt.Fprintf(os.Stderr, "accscope: %v\n", err)
		return
	}
	if !image.OpenMP() {
		core.RegisterImage(image)
	}
}

//export accscope_engine_unregister_image
func accscope_engine_unregister_image(version C.unsigned, table unsafe.Pointer, kind C.int, data unsafe.Pointer) {
	defer guard()
	if image, err := goacc.ReadImage(uint32(version), table, int32(kind), data); err == nil && !image.OpenMP() {
		core.UnregisterImage(image)
	}
	// The object that held it is being closed: others may take its addresses.
	if err := process().Refresh(); err == nil {
		references.Forget()
	}
}

//export accscope_engine_callback_register
func accscope_engine_callback_register(t thread, event C.int, callback unsafe.Pointer, mode C.int) {
	defer guard()
	if err := registry.Register(events(t), callbacks.Event(event), callbacks.CCallback(callback), callbacks.RegisterMode(mode)); err != nil {
		enter(t).Error(int(device.System), "acc_callback_register", err.Error())
	}
}

//export accscope_engine_callback_unregister
func accscope_engine_callback_unregister(t thread, event C.int, callback unsafe.Pointer, mode C.int) {
	defer guard()
	registry.Unregister(events(t), callbacks.Event(event), callbacks.CCallback(callback), callbacks.RegisterMode(mode))
}

//export accscope_engine_error
func accscope_engine_error(t thread, code C.int, routine, message *C.char) {
	defer guard()
	enter(t).Error(int(code), C.GoString(routine), C.GoString(message))
}
