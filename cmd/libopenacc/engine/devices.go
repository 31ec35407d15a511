package main

// #include "engine.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

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

//export accscope_engine_wait_any
func accscope_engine_wait_any(t thread, count C.int, list *C.int, number C.long) C.int {
	defer guard()
	return C.int(enter(t).WaitAny(int(count), (*int32)(unsafe.Pointer(list)), int(number)))
}

//export accscope_engine_get_num_devices
func accscope_engine_get_num_devices(t thread, type_ C.int) C.int {
	defer guard()
	return C.int(enter(t).NumDevices(device.Type(type_)))
}

//export accscope_engine_set_device_type
func accscope_engine_set_device_type(t thread, type_ C.int) {
	defer guard()
	enter(t).SetDeviceType(device.Type(type_))
}

//export accscope_engine_get_device_type
func accscope_engine_get_device_type(t thread) C.int {
	defer guard()
	return C.int(enter(t).DeviceType())
}

//export accscope_engine_set_device_num
func accscope_engine_set_device_num(t thread, number, type_ C.int) {
	defer guard()
	enter(t).SetDeviceNum(int(number), device.Type(type_))
}

//export accscope_engine_get_device_num
func accscope_engine_get_device_num(t thread, type_ C.int) C.int {
	defer guard()
	return C.int(enter(t).DeviceNum(device.Type(type_)))
}

//export accscope_engine_get_property
func accscope_engine_get_property(t thread, number, type_, property C.int) C.size_t {
	defer guard()
	return C.size_t(enter(t).Property(int(number), device.Type(type_), int(property)))
}

//export accscope_engine_init
func accscope_engine_init(t thread, type_ C.int) {
	defer guard()
	enter(t).Init(device.Type(type_))
}

//export accscope_engine_init_device
func accscope_engine_init_device(t thread, number, type_ C.int) {
	defer guard()
	enter(t).InitDevice(int(number), device.Type(type_))
}

//export accscope_engine_shutdown
func accscope_engine_shutdown(t thread, type_ C.int) {
	defer guard()
	enter(t).Shutdown(device.Type(type_))
}

//export accscope_engine_shutdown_device
func accscope_engine_shutdown_device(t thread, number, type_ C.int) {
	defer guard()
	enter(t).ShutdownDevice(int(number), device.Type(type_))
}

//export accscope_engine_async_test
func accscope_engine_async_test(t thread, async C.int, number C.long) C.int {
	defer guard()
	return truth(enter(t).AsyncTest(int(async), int(number)))
}

//export accscope_engine_async_test_all
func accscope_engine_async_test_all(t thread, number C.long) C.int {
	defer guard()
	return truth(enter(t).AsyncTestAll(int(number)))
}

//export accscope_engine_wait
func accscope_engine_wait(t thread, async C.int, number C.long) {
	defer guard()
	enter(t).WaitFor(int(async), int(number))
}

//export accscope_engine_wait_all
func accscope_engine_wait_all(t thread, number C.long) {
	defer guard()
	enter(t).WaitAll(int(number))
}

//export accscope_engine_wait_async
func accscope_engine_wait_async(t thread, waitFor, async C.int, number C.long) {
	defer guard()
	enter(t).WaitAsync(int(waitFor), int(async), int(number))
}

//export accscope_engine_wait_all_async
func accscope_engine_wait_all_async(t thread, async C.int, number C.long) {
	defer guard()
	enter(t).WaitAllAsync(int(async), int(number))
}

//export accscope_engine_get_default_async
func accscope_engine_get_default_async(t thread) C.int {
	defer guard()
	return C.int(enter(t).GetDefaultAsync())
}

//export accscope_engine_set_default_async
func accscope_engine_set_default_async(t thread, async C.int) {
	defer guard()
	enter(t).SetDefaultAsync(int(async))
}

//export accscope_engine_on_device
func accscope_engine_on_device(t thread, type_ C.int) C.int {
	defer guard()
	return truth(enter(t).OnDevice(device.Type(type_)))
}
