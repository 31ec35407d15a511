package main

// #include "engine.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/openacc"
)

type construct = *C.struct_accscope_construct

func fromC(c construct) openacc.Construct {
	made := openacc.Construct{
		OnHost:   c.flags&1 != 0,
		Function: *(*uintptr)(unsafe.Pointer(&c.function)),
		Geometry: device.Geometry{Gangs: uint32(c.gangs), Workers: uint32(c.workers), Vector: uint32(c.vector)},
		Async:    int(c.async),
	}
	if n := int(c.entries); n > 0 {
		made.Arguments = goacc.Arguments{
			Hosts: unsafe.Slice((*uintptr)(unsafe.Pointer(c.hostaddrs)), n),
			Sizes: unsafe.Slice((*uintptr)(unsafe.Pointer(c.sizes)), n),
			Kinds: unsafe.Slice((*uint16)(unsafe.Pointer(c.kinds)), n),
		}
	}
	if n := int(c.waits); n > 0 {
		made.Waits = unsafe.Slice((*int32)(unsafe.Pointer(c.wait_list)), n)
	}
	return made
}

//export accscope_engine_parallel
func accscope_engine_parallel(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).Parallel(&made)
}

//export accscope_engine_data_start
func accscope_engine_data_start(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).DataStart(&made)
}

//export accscope_engine_data_end
func accscope_engine_data_end(t thread) {
	defer guard()
	enter(t).DataEnd()
}

//export accscope_engine_enter_data
func accscope_engine_enter_data(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).EnterData(&made)
}

//export accscope_engine_exit_data
func accscope_engine_exit_data(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).ExitData(&made)
}

//export accscope_engine_update
func accscope_engine_update(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).Update(&made)
}

//export accscope_engine_declare
func accscope_engine_declare(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).Declare(&made)
}

//export accscope_engine_wait_directive
func accscope_engine_wait_directive(t thread, c construct) {
	defer guard()
	made := fromC(c)
	enter(t).Wait(&made)
}
