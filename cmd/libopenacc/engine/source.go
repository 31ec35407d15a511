package main

// #include "engine.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/openacc"
	"github.com/accscope/accscope/runtime/source"
)

// process resolves addresses of the program; it reads nothing before it is asked.
var process = sync.OnceValue(source.NewProcess)

// kernelName is the name of an outlined function as the linker knows it, "" if
// the program is stripped.
func kernelName(function uintptr) string {
	k, err := process().Kernel(uint64(function))
	if k.LinkageName != "" || err != nil {
		return k.LinkageName
	}
	return k.Name
}

// attribution says where events come from.
var attribution *openacc.Attribution

//export accscope_engine_attribute
func accscope_engine_attribute(t thread, function, info unsafe.Pointer) {
	defer guard()
	attribution.Attribute(placeOf(t), uintptr(function), (*callbacks.Info)(info))
}
