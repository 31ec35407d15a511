// Code generated from engine.h by go generate; DO NOT EDIT.

package main

// #include "engine.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/openacc"
)

//export accscope_engine_before_local
func accscope_engine_before_local(t thread, c_ construct) {
	defer guard()
	enter(t).BeforeLocal(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_data_start
func accscope_engine_data_start(t thread, c_ construct) {
	defer guard()
	enter(t).DataStart(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_data_end
func accscope_engine_data_end(t thread) {
	defer guard()
	enter(t).DataEnd()
}

//export accscope_engine_enter_data
func accscope_engine_enter_data(t thread, c_ construct) {
	defer guard()
	enter(t).EnterData(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_exit_data
func accscope_engine_exit_data(t thread, c_ construct) {
	defer guard()
	enter(t).ExitData(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_update
func accscope_engine_update(t thread, c_ construct) {
	defer guard()
	enter(t).Update(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_declare
func accscope_engine_declare(t thread, c_ construct) {
	defer guard()
	enter(t).Declare(fromC(c_, new(openacc.Construct)))
}

//export accscope_engine_wait
func accscope_engine_wait(t thread, c_ construct) {
	defer guard()
	enter(t).Wait(fromC(c_, new(openacc.Construct)))
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
func accscope_engine_set_device_num(t thread, number_ C.int, type_ C.int) {
	defer guard()
	enter(t).SetDeviceNum(int(number_), device.Type(type_))
}

//export accscope_engine_get_device_num
func accscope_engine_get_device_num(t thread, type_ C.int) C.int {
	defer guard()
	return C.int(enter(t).DeviceNum(device.Type(type_)))
}

//export accscope_engine_get_property
func accscope_engine_get_property(t thread, number_ C.int, type_ C.int, property_ C.int) C.size_t {
	defer guard()
	return C.size_t(enter(t).Property(int(number_), device.Type(type_), int(property_)))
}

//export accscope_engine_init
func accscope_engine_init(t thread, type_ C.int) {
	defer guard()
	enter(t).Init(device.Type(type_))
}

//export accscope_engine_init_device
func accscope_engine_init_device(t thread, number_ C.int, type_ C.int) {
	defer guard()
	enter(t).InitDevice(int(number_), device.Type(type_))
}

//export accscope_engine_shutdown
func accscope_engine_shutdown(t thread, type_ C.int) {
	defer guard()
	enter(t).Shutdown(device.Type(type_))
}

//export accscope_engine_shutdown_device
func accscope_engine_shutdown_device(t thread, number_ C.int, type_ C.int) {
	defer guard()
	enter(t).ShutdownDevice(int(number_), device.Type(type_))
}

//export accscope_engine_async_test
func accscope_engine_async_test(t thread, async_ C.int, device_ C.long) C._Bool {
	defer guard()
	return C._Bool(enter(t).AsyncTest(int(async_), int(device_)))
}

//export accscope_engine_async_test_all
func accscope_engine_async_test_all(t thread, device_ C.long) C._Bool {
	defer guard()
	return C._Bool(enter(t).AsyncTestAll(int(device_)))
}

//export accscope_engine_wait_for
func accscope_engine_wait_for(t thread, async_ C.int, device_ C.long) {
	defer guard()
	enter(t).WaitFor(int(async_), int(device_))
}

//export accscope_engine_wait_any
func accscope_engine_wait_any(t thread, count_ C.int, list_ *C.int, device_ C.long) C.int {
	defer guard()
	return C.int(enter(t).WaitAny(int(count_), (*int32)(unsafe.Pointer(list_)), int(device_)))
}

//export accscope_engine_wait_all
func accscope_engine_wait_all(t thread, device_ C.long) {
	defer guard()
	enter(t).WaitAll(int(device_))
}

//export accscope_engine_wait_async
func accscope_engine_wait_async(t thread, wait_for_ C.int, async_ C.int, device_ C.long) {
	defer guard()
	enter(t).WaitAsync(int(wait_for_), int(async_), int(device_))
}

//export accscope_engine_wait_all_async
func accscope_engine_wait_all_async(t thread, async_ C.int, device_ C.long) {
	defer guard()
	enter(t).WaitAllAsync(int(async_), int(device_))
}

//export accscope_engine_get_default_async
func accscope_engine_get_default_async(t thread) C.int {
	defer guard()
	return C.int(enter(t).DefaultAsync())
}

//export accscope_engine_set_default_async
func accscope_engine_set_default_async(t thread, async_ C.int) {
	defer guard()
	enter(t).SetDefaultAsync(int(async_))
}

//export accscope_engine_on_device
func accscope_engine_on_device(t thread, type_ C.int) C._Bool {
	defer guard()
	return C._Bool(enter(t).OnDevice(device.Type(type_)))
}

//export accscope_engine_malloc
func accscope_engine_malloc(t thread, bytes_ C.size_t) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).Malloc(uintptr(bytes_)))
}

//export accscope_engine_free
func accscope_engine_free(t thread, address_ unsafe.Pointer) {
	defer guard()
	enter(t).Free(address_)
}

//export accscope_engine_copyin
func accscope_engine_copyin(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).Copyin(host_, uintptr(bytes_), int(async_)))
}

//export accscope_engine_create
func accscope_engine_create(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).Create(host_, uintptr(bytes_), int(async_)))
}

//export accscope_engine_copyout
func accscope_engine_copyout(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int, finalize_ C._Bool) {
	defer guard()
	enter(t).Copyout(host_, uintptr(bytes_), int(async_), bool(finalize_))
}

//export accscope_engine_delete
func accscope_engine_delete(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int, finalize_ C._Bool) {
	defer guard()
	enter(t).Delete(host_, uintptr(bytes_), int(async_), bool(finalize_))
}

//export accscope_engine_update_device
func accscope_engine_update_device(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) {
	defer guard()
	enter(t).UpdateDevice(host_, uintptr(bytes_), int(async_))
}

//export accscope_engine_update_self
func accscope_engine_update_self(t thread, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) {
	defer guard()
	enter(t).UpdateSelf(host_, uintptr(bytes_), int(async_))
}

//export accscope_engine_map_data
func accscope_engine_map_data(t thread, host_ unsafe.Pointer, device_ unsafe.Pointer, bytes_ C.size_t) {
	defer guard()
	enter(t).MapData(host_, device_, uintptr(bytes_))
}

//export accscope_engine_unmap_data
func accscope_engine_unmap_data(t thread, host_ unsafe.Pointer) {
	defer guard()
	enter(t).UnmapData(host_)
}

//export accscope_engine_deviceptr
func accscope_engine_deviceptr(t thread, host_ unsafe.Pointer) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).DevicePtr(host_))
}

//export accscope_engine_hostptr
func accscope_engine_hostptr(t thread, device_ unsafe.Pointer) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).HostPtr(device_))
}

//export accscope_engine_is_present
func accscope_engine_is_present(t thread, host_ unsafe.Pointer, bytes_ C.size_t) C._Bool {
	defer guard()
	return C._Bool(enter(t).IsPresent(host_, uintptr(bytes_)))
}

//export accscope_engine_memcpy_to_device
func accscope_engine_memcpy_to_device(t thread, device_ unsafe.Pointer, host_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) {
	defer guard()
	enter(t).MemcpyToDevice(device_, host_, uintptr(bytes_), int(async_))
}

//export accscope_engine_memcpy_from_device
func accscope_engine_memcpy_from_device(t thread, host_ unsafe.Pointer, device_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) {
	defer guard()
	enter(t).MemcpyFromDevice(host_, device_, uintptr(bytes_), int(async_))
}

//export accscope_engine_memcpy_device
func accscope_engine_memcpy_device(t thread, to_ unsafe.Pointer, from_ unsafe.Pointer, bytes_ C.size_t, async_ C.int) {
	defer guard()
	enter(t).MemcpyDevice(to_, from_, uintptr(bytes_), int(async_))
}

//export accscope_engine_memcpy_d2d
func accscope_engine_memcpy_d2d(t thread, to_ unsafe.Pointer, from_ unsafe.Pointer, bytes_ C.size_t, to_device_ C.int, from_device_ C.int, async_ C.int) {
	defer guard()
	enter(t).MemcpyD2D(to_, from_, uintptr(bytes_), int(to_device_), int(from_device_), int(async_))
}

//export accscope_engine_attach
func accscope_engine_attach(t thread, pointer_ unsafe.Pointer, async_ C.int) {
	defer guard()
	enter(t).Attach(pointer_, int(async_))
}

//export accscope_engine_detach
func accscope_engine_detach(t thread, pointer_ unsafe.Pointer, async_ C.int, finalize_ C._Bool) {
	defer guard()
	enter(t).Detach(pointer_, int(async_), bool(finalize_))
}

//export accscope_engine_attach_described
func accscope_engine_attach_described(t thread, target_ unsafe.Pointer, async_ C.int) {
	defer guard()
	enter(t).AttachDescribed((*openacc.FortranDescriptor)(target_), int(async_))
}

//export accscope_engine_detach_described
func accscope_engine_detach_described(t thread, target_ unsafe.Pointer, async_ C.int, finalize_ C._Bool) {
	defer guard()
	enter(t).DetachDescribed((*openacc.FortranDescriptor)(target_), int(async_), bool(finalize_))
}

//export accscope_engine_driver_device
func accscope_engine_driver_device(t thread, api_ C.int) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).DriverDevice(device.API(api_)))
}

//export accscope_engine_driver_context
func accscope_engine_driver_context(t thread, api_ C.int) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).DriverContext(device.API(api_)))
}

//export accscope_engine_driver_queue
func accscope_engine_driver_queue(t thread, api_ C.int, async_ C.int) unsafe.Pointer {
	defer guard()
	return unsafe.Pointer(enter(t).DriverQueue(device.API(api_), int(async_)))
}

//export accscope_engine_set_driver_queue
func accscope_engine_set_driver_queue(t thread, api_ C.int, async_ C.int, queue_ unsafe.Pointer) C._Bool {
	defer guard()
	return C._Bool(enter(t).SetDriverQueue(device.API(api_), int(async_), queue_))
}
