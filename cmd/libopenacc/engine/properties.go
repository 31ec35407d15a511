package main

// #include "engine.h"
import "C"

import (
	"sync"

	"github.com/accscope/accscope/runtime/device"
)

// properties are the strings that programs were given: they stay valid.
var properties sync.Map // string to *C.char

//export accscope_engine_get_property_string
func accscope_engine_get_property_string(t thread, number, type_, property C.int) *C.char {
	defer guard()
	text, ok := enter(t).PropertyString(int(number), device.Type(type_), int(property))
	if !ok {
		return nil
	}
	known, ok := properties.Load(text)
	if !ok {
		known, _ = properties.LoadOrStore(text, C.CString(text))
	}
	return known.(*C.char)
}
