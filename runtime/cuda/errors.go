package cuda

// #include "cuda.h"
import "C"

import (
	"fmt"

	"github.com/accscope/accscope/runtime/device"
)

// A failure of the driver: its number, its texts and what to do about it.
type fault struct {
	code   device.Code
	sticky bool   // every later call on the device fails as well
	remedy string // "" where the driver's text says enough
}

// faults are the results that mean something particular; others are
// device.Other.
var faults = map[C.CUresult]fault{
	1:   {device.InvalidArgument, false, "check the addresses and sizes that the program passes"},
	2:   {device.OutOfMemory, false, "the device has no more memory: map less at a time"},
	3:   {device.DeviceInit, false, ""},
	4:   {device.DeviceShutdown, true, "the driver is being unloaded: the process is ending"},
	100: {device.Unavailable, false, "no GPU is visible: check CUDA_VISIBLE_DEVICES and nvidia-smi"},
	101: {device.Unavailable, false, "no such GPU: check ACC_DEVICE_NUM and CUDA_VISIBLE_DEVICES"},
	200: {device.Execution, false, "the program's device code is damaged: link it again"},
	209: {device.WrongType, false, "the program has no code for this GPU: compile with -foffload-options=nvptx-none=-misa=sm_80 or lower"},
	214: {device.Execution, true, "an uncorrectable memory error of the GPU: see nvidia-smi -q"},
	218: {device.Execution, false, "the driver rejects the program's PTX: compile with another -misa"},
	221: {device.Execution, false, "the driver's JIT compiler is not installed: install libnvidia-ptxjitcompiler"},
	222: {device.Execution, false, "the driver is too old for the program's PTX: install a newer one"},
	304: {device.Unavailable, false, "the driver cannot reach the GPU: check that its kernel module is loaded (nvidia-smi)"},
	500: {device.Execution, false, "link the program again with the GCC that compiled it"},
	700: {device.Execution, true, "a kernel used memory that is not on the device: look for a variable without data clause, an index out of bounds, or a pointer that is not attached; if all are right, the driver's compiler may be wrong: try GOMP_NVPTX_JIT=-O0"},
	701: {device.Execution, false, "the kernel needs more registers or shared memory: use fewer workers (num_workers, GOMP_OPENACC_DIM)"},
	702: {device.Execution, true, "the kernel ran longer than the display's watchdog allows"},
	709: {device.Execution, true, "the device's context was destroyed by the program"},
	710: {device.Execution, true, "an assertion in a kernel failed"},
	714: {device.Execution, true, "a kernel's stack overflowed or was overwritten"},
	715: {device.Execution, true, "a kernel ran an illegal instruction"},
	716: {device.Execution, true, "a kernel used a misaligned address"},
	717: {device.Execution, true, ""},
	718: {device.Execution, true, ""},
	719: {device.Execution, true, "a kernel failed: it called abort, trapped, or its stack overflowed"},
	802: {device.Unavailable, false, "the GPU's fabric manager is not ready: start nvidia-fabricmanager"},
	804: {device.Unavailable, false, "the CUDA compatibility library does not support this GPU: use the driver's own libcuda.so.1"},
	803: {device.Unavailable, false, "the driver's library and kernel module are of different versions: reboot or reinstall the driver"},
	999: {device.Other, true, ""},
}

// ofStacks are what a stack that overflows may show as.
var ofStacks = []C.CUresult{700, 714, 717, 718, 719}

// text describes a result by the driver's own words.
func (l *library) text(result C.CUresult) string {
	name, words := C.accscope_cuda_text(l.table, result, 0), C.accscope_cuda_text(l.table, result, 1)
	if name == nil {
		return fmt.Sprintf("CUDA error %d", int(result))
	}
	return fmt.Sprintf("%s (%d, %s)", C.GoString(name), int(result), C.GoString(words))
}

// failure turns a driver's answer into an error; device numbers the device, -1 for none.
// What is likelier than the usual cause of such a failure stands before it.
func (l *library) failure(a C.struct_accscope_cuda_answer, doing string, number int, likelier string) *device.Error {
	known, ok := faults[a.result]
	if !ok {
		known.code = device.Other
	}
	where := ""
	if number >= 0 {
		where = fmt.Sprintf(" on cuda device %d", number)
	}
	message := fmt.Sprintf("%s%s: %s failed: %s", doing, where, C.GoString(a.call), l.text(a.result))
	for _, why := range []string{likelier, known.remedy} {
		if why != "" {
			message += "; " + why
		}
	}
	return &device.Error{Code: known.code, Driver: uint64(a.result), Message: message}
}
