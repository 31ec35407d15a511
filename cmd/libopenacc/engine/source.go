package main

// #include "accscope_names.h"
// #include "engine.h"
// static inline void
// tell (accscope_site_function site, unsigned number, unsigned first, uintptr_t return_address,
//       uintptr_t function, const void *snapshot, size_t bytes)
// {
//   struct accscope_site s = { .size = sizeof s, .number = number, .first = first,
//                              .return_address = return_address, .function = function,
//                              .snapshot = snapshot, .bytes = bytes };
//   site (&s);
// }
import "C"

import (
	"sync"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/attribution"
	"github.com/accscope/accscope/runtime/openacc"
	"github.com/accscope/accscope/runtime/source"
)

// process resolves addresses of the program; it reads nothing before it is asked.
var process = sync.OnceValue(source.NewProcess)

// kernelName is the name of an outlined function as the linker knows it, "" if
// the program is stripped.
func kernelName(function uintptr) string { return process().KernelName(uint64(function)) }

// references say where events come from.
var references *attribution.References

//export accscope_engine_names_later
func accscope_engine_names_later(function unsafe.Pointer) {
	defer guard()
	site := C.accscope_site_function(function)
	references.Refer(func(s attribution.Site) {
		C.tell(site, C.uint(s.Number), C.uint(s.First), C.uintptr_t(s.ReturnAddress), C.uintptr_t(s.Function),
			unsafe.Pointer(unsafe.SliceData(s.Snapshot)), C.size_t(len(s.Snapshot)))
	}, registry.Others(callbacks.CCallback(function)))
}

// accscope_engine_attribute fills in where a call is that has the events of a construct,
// and gives what that was written as; c is null for any but a compute construct.
//
//export accscope_engine_attribute
func accscope_engine_attribute(t thread, c construct, as C.int, info unsafe.Pointer) C.int {
	defer guard()
	made := openacc.Construct{}
	if c != nil {
		fromC(c, &made)
	}
	written := openacc.Written(references, *placeOf(t), &made, callbacks.Construct(as))
	references.Attribute(*placeOf(t), made.Function, (*callbacks.Info)(info))
	return C.int(written)
}
