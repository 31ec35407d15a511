package main

// #include "engine.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/openacc"
)

type construct = *C.struct_accscope_construct

// accscope_engine_parallel gives the device on which the caller is to run the construct
// itself, NULL for none.
//
//export accscope_engine_parallel
func accscope_engine_parallel(t thread, c construct) *C.struct_accscope_device {
	defer guard()
	if local := enter(t).Parallel(fromC(c, new(openacc.Construct))); local != nil {
		return publish(local)
	}
	return nil
}

// fromC fills made in as c says.
func fromC(c construct, made *openacc.Construct) *openacc.Construct {
	made.OnHost = c.flags&1 != 0
	made.Function = *(*uintptr)(unsafe.Pointer(&c.function))
	made.Geometry.Gangs, made.Geometry.Workers, made.Geometry.Vector = uint32(c.gangs), uint32(c.workers), uint32(c.vector)
	made.Async = int(c.async)
	if n := int(c.entries); n > 0 {
		made.Arguments.Hosts = unsafe.Slice((*uintptr)(unsafe.Pointer(c.hostaddrs)), n)
		made.Arguments.Sizes = unsafe.Slice((*uintptr)(unsafe.Pointer(c.sizes)), n)
		made.Arguments.Kinds = unsafe.Slice((*uint16)(unsafe.Pointer(c.kinds)), n)
	}
	if n := int(c.waits); n > 0 {
		made.Waits = unsafe.Slice((*int32)(unsafe.Pointer(c.wait_list)), n)
	}
	return made
}
