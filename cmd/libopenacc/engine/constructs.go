package main

// #include "engine.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/openacc"
)

type construct = *C.struct_accscope_construct

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

//export accscope_engine_parallel
func accscope_engine_parallel(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).Parallel(fromC(c, &made))
}

//export accscope_engine_data_start
func accscope_engine_data_start(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).DataStart(fromC(c, &made))
}

//export accscope_engine_data_end
func accscope_engine_data_end(t thread) {
	defer guard()
	enter(t).DataEnd()
}

//export accscope_engine_enter_data
func accscope_engine_enter_data(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).EnterData(fromC(c, &made))
}

//export accscope_engine_exit_data
func accscope_engine_exit_data(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).ExitData(fromC(c, &made))
}

//export accscope_engine_update
func accscope_engine_update(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).Update(fromC(c, &made))
}

//export accscope_engine_declare
func accscope_engine_declare(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).Declare(fromC(c, &made))
}

//export accscope_engine_wait_directive
func accscope_engine_wait_directive(t thread, c construct) {
	defer guard()
	var made openacc.Construct
	enter(t).Wait(fromC(c, &made))
}
