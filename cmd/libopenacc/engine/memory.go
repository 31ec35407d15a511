package main

// #include "engine.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/openacc"
)

//export accscope_engine_malloc
func accscope_engine_malloc(t thread, bytes C.size_t) unsafe.Pointer {
	defer guard()
	return enter(t).Malloc(uintptr(bytes))
}

//export accscope_engine_free
func accscope_engine_free(t thread, address unsafe.Pointer) {
	defer guard()
	enter(t).Free(address)
}

//export accscope_engine_copyin
func accscope_engine_copyin(t thread, host unsafe.Pointer, bytes C.size_t, async C.int) unsafe.Pointer {
	defer guard()
	return enter(t).Copyin(host, uintptr(bytes), int(async))
}

//export accscope_engine_create
func accscope_engine_create(t thread, host unsafe.Pointer, bytes C.size_t, async C.int) unsafe.Pointer {
	defer guard()
	return enter(t).Create(host, uintptr(bytes), int(async))
}

//export accscope_engine_copyout
func accscope_engine_copyout(t thread, host unsafe.Pointer, bytes C.size_t, async, finalize C.int) {
	defer guard()
	enter(t).Copyout(host, uintptr(bytes), int(async), finalize != 0)
}

//export accscope_engine_delete
func accscope_engine_delete(t thread, host unsafe.Pointer, bytes C.size_t, async, finalize C.int) {
	defer guard()
	enter(t).Delete(host, uintptr(bytes), int(async), finalize != 0)
}

//export accscope_engine_update_device
func accscope_engine_update_device(t thread, host unsafe.Pointer, bytes C.size_t, async C.int) {
	defer guard()
	enter(t).UpdateDevice(host, uintptr(bytes), int(async))
}

//export accscope_engine_update_self
func accscope_engine_update_self(t thread, host unsafe.Pointer, bytes C.size_t, async C.int) {
	defer guard()
	enter(t).UpdateSelf(host, uintptr(bytes), int(async))
}

//export accscope_engine_map_data
func accscope_engine_map_data(t thread, host, data unsafe.Pointer, bytes C.size_t) {
	defer guard()
	enter(t).MapData(host, data, uintptr(bytes))
}

//export accscope_engine_unmap_data
func accscope_engine_unmap_data(t thread, host unsafe.Pointer) {
	defer guard()
	enter(t).UnmapData(host)
}

//export accscope_engine_deviceptr
func accscope_engine_deviceptr(t thread, host unsafe.Pointer) unsafe.Pointer {
	defer guard()
	return enter(t).DevicePtr(host)
}

//export accscope_engine_hostptr
func accscope_engine_hostptr(t thread, data unsafe.Pointer) unsafe.Pointer {
	defer guard()
	return enter(t).HostPtr(data)
}

//export accscope_engine_is_present
func accscope_engine_is_present(t thread, host unsafe.Pointer, bytes C.size_t) C.int {
	defer guard()
	return truth(enter(t).IsPresent(host, uintptr(bytes)))
}

//export accscope_engine_memcpy_to_device
func accscope_engine_memcpy_to_device(t thread, data, host unsafe.Pointer, bytes C.size_t, async C.int) {
	defer guard()
	enter(t).MemcpyToDevice(data, host, uintptr(bytes), int(async))
}

//export accscope_engine_memcpy_from_device
func accscope_engine_memcpy_from_device(t thread, host, data unsafe.Pointer, bytes C.size_t, async C.int) {
	defer guard()
	enter(t).MemcpyFromDevice(host, data, uintptr(bytes), int(async))
}

//export accscope_engine_memcpy_device
func accscope_engine_memcpy_device(t thread, to, from unsafe.Pointer, bytes C.size_t, async C.int) {
	defer guard()
	enter(t).MemcpyDevice(to, from, uintptr(bytes), int(async))
}

//export accscope_engine_memcpy_d2d
func accscope_engine_memcpy_d2d(t thread, to, from unsafe.Pointer, bytes C.size_t, toNumber, fromNumber, async C.int) {
	defer guard()
	enter(t).MemcpyD2D(to, from, uintptr(bytes), int(toNumber), int(fromNumber), int(async))
}

//export accscope_engine_attach
func accscope_engine_attach(t thread, pointer *unsafe.Pointer, async C.int) {
	defer guard()
	enter(t).Attach(unsafe.Pointer(pointer), int(async))
}

//export accscope_engine_detach
func accscope_engine_detach(t thread, pointer *unsafe.Pointer, async, finalize C.int) {
	defer guard()
	enter(t).Detach(unsafe.Pointer(pointer), int(async), finalize != 0)
}

//export accscope_engine_attach_described
func accscope_engine_attach_described(t thread, target unsafe.Pointer, async C.int) {
	defer guard()
	enter(t).AttachDescribed((*openacc.FortranDescriptor)(target), int(async))
}

//export accscope_engine_detach_described
func accscope_engine_detach_described(t thread, target unsafe.Pointer, async, finalize C.int) {
	defer guard()
	enter(t).DetachDescribed((*openacc.FortranDescriptor)(target), int(async), finalize != 0)
}

//export accscope_engine_get_current_cuda_device
func accscope_engine_get_current_cuda_device(t thread) unsafe.Pointer {
	defer guard()
	return enter(t).DriverDevice(device.APICUDA)
}

//export accscope_engine_get_current_cuda_context
func accscope_engine_get_current_cuda_context(t thread) unsafe.Pointer {
	defer guard()
	return enter(t).DriverContext(device.APICUDA)
}

//export accscope_engine_get_cuda_stream
func accscope_engine_get_cuda_stream(t thread, async C.int) unsafe.Pointer {
	defer guard()
	return enter(t).DriverQueue(device.APICUDA, int(async))
}

//export accscope_engine_set_cuda_stream
func accscope_engine_set_cuda_stream(t thread, async C.int, stream unsafe.Pointer) C.int {
	defer guard()
	return truth(enter(t).SetDriverQueue(device.APICUDA, int(async), stream))
}

//export accscope_engine_get_current_opencl_device
func accscope_engine_get_current_opencl_device(t thread) unsafe.Pointer {
	defer guard()
	return enter(t).DriverDevice(device.APIOpenCL)
}

//export accscope_engine_get_current_opencl_context
func accscope_engine_get_current_opencl_context(t thread) unsafe.Pointer {
	defer guard()
	return enter(t).DriverContext(device.APIOpenCL)
}

//export accscope_engine_get_opencl_queue
func accscope_engine_get_opencl_queue(t thread, async C.int) unsafe.Pointer {
	defer guard()
	return enter(t).DriverQueue(device.APIOpenCL, int(async))
}

//export accscope_engine_set_opencl_queue
func accscope_engine_set_opencl_queue(t thread, async C.int, queue unsafe.Pointer) {
	defer guard()
	enter(t).SetDriverQueue(device.APIOpenCL, int(async), queue)
}
