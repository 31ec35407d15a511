// Package loaded says what is loaded into the process: the program and its shared
// objects, and where their data and the stack of a thread lie.
package loaded

// #include "loaded.h"
import "C"

import (
	"sync"
	"sync/atomic"
)

// A Module is the program or a shared object. It tells modules apart of which one was
// closed and another opened in its place.
type Module struct {
	Base uintptr // what its addresses are relative to
	Path string
}

func module(m *C.struct_accscope_module) Module {
	return Module{uintptr(m.base), C.GoString(&m.path[0])}
}

// Modules lists the program and its shared objects.
func Modules() []Module { return modules(64) }

// modules lists them; room is for how many it makes space at first.
func modules(room int) []Module {
	for {
		found := make([]C.struct_accscope_module, room)
		n := int(C.accscope_modules(&found[0], C.int(room)))
		if n > room {
			room = n
			continue
		}
		all := make([]Module, n)
		for i := range all {
			all[i] = module(&found[i])
		}
		return all
	}
}

// Of is the module that holds an address.
func Of(address uintptr) (Module, bool) {
	var m C.struct_accscope_module
	if address == 0 || C.accscope_module_of(C.uintptr_t(address), &m) == 0 {
		return Module{}, false
	}
	return module(&m), true
}

// Closed counts the modules that have been closed.
func Closed() uint64 { return uint64(C.accscope_closed_modules()) }

// ReadOnly says whether address lies in constant data or code. gfortran passes
// constants by reference, and a kernels construct that names such an argument
// asks for it to be copied back.
//
// Pages do not change between constants and anything else while a program runs,
// but for a shared object that is opened where other memory was.
func ReadOnly(address uintptr) bool {
	page := uint64(address) >> 12
	entry := &pages[page%uint64(len(pages))]
	if known := entry.Load(); known>>1 == page && known != 0 {
		return known&1 != 0
	}
	verdict := C.accscope_read_only(C.uintptr_t(address)) != 0
	known := page << 1
	if verdict {
		known |= 1
	}
	entry.Store(known)
	return verdict
}

// pages caches ReadOnly's verdicts: the page's number and, as lowest bit, the
// verdict.
var pages [1024]atomic.Uint64

// A Range is of addresses, from Low up to High.
type Range struct{ Low, High uintptr }

// ProgramData is where the program's own variables lie, those of no shared object.
var ProgramData = sync.OnceValue(func() (r Range) {
	var start C.uintptr_t
	r.High = uintptr(C.accscope_program_data(&start))
	r.Low = uintptr(start)
	return r
})

// StackEnd is the end of the calling host thread's stack, 1 if it cannot be known.
func StackEnd() uintptr { return uintptr(C.accscope_stack_end()) }
