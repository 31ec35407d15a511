package callbacks

// #include "dispatch.h"
import "C"

import (
	"fmt"
	"strconv"
	"strings"
)

// Vendor is acc_api_info.vendor as accscope's runtime fills it: the specification
// leaves the number to the implementation (OpenACC 3.3 §5.2.3).
const Vendor = C.ACC_DISPATCH_VENDOR

// DeviceType is an acc_device_t (OpenACC 3.3 §3.1; sim and opencl are ours).
type DeviceType int32

// Device types, the values of runtime/include/openacc.h.
const (
	DeviceCurrent DeviceType = -1
	DeviceNone    DeviceType = 0
	DeviceDefault DeviceType = 1
	DeviceHost    DeviceType = 2
	DeviceNotHost DeviceType = 4
	DeviceNVIDIA  DeviceType = 5
	DeviceXeonPhi DeviceType = 6 // of OpenACC 2.0
	DeviceRadeon  DeviceType = 8
	DeviceSim     DeviceType = 100
	DeviceOpenCL  DeviceType = 101
)

const deviceTypePrefix = "acc_device_"

var deviceTypeNames = map[DeviceType]string{
	DeviceCurrent: "acc_device_current",
	DeviceNone:    "acc_device_none",
	DeviceDefault: "acc_device_default",
	DeviceHost:    "acc_device_host",
	DeviceNotHost: "acc_device_not_host",
	DeviceNVIDIA:  "acc_device_nvidia",
	DeviceXeonPhi: "acc_device_xeonphi",
	DeviceRadeon:  "acc_device_radeon",
	DeviceSim:     "acc_device_sim",
	DeviceOpenCL:  "acc_device_opencl",
}

// String returns the header's name.
func (d DeviceType) String() string { return name(deviceTypeNames, d, "acc_device_t") }

// Short is the name without acc_device_, as ACC_DEVICE_TYPE spells it ("nvidia");
// false for a number that has none.
func (d DeviceType) Short() (string, bool) {
	long, known := deviceTypeNames[d]
	return strings.TrimPrefix(long, deviceTypePrefix), known
}

// DeviceTypeNamed finds the device type with a short name; false where none has it.
func DeviceTypeNamed(short string) (DeviceType, bool) {
	for kind, long := range deviceTypeNames {
		if long == deviceTypePrefix+short {
			return kind, true
		}
	}
	return 0, false
}

// Async values that are no queue's number, the values of runtime/include/openacc.h
// (OpenACC 3.3 §2.16).
const (
	AsyncNoval   = -1
	AsyncSync    = -2
	AsyncDefault = -3
)

// DefaultQueue is the initial value of acc-default-async-var, the queue that
// acc_async_noval and acc_async_default are mapped to unless the program says
// otherwise: a queue of its own, which no program takes by chance (OpenACC 3.3 §2.3
// leaves it to the implementation, §2.16 makes it a nonnegative number).
const DefaultQueue = 1_000_000_000

const asyncPrefix = "acc_async_"

var asyncNames = map[int32]string{
	AsyncNoval:   "acc_async_noval",
	AsyncSync:    "acc_async_sync",
	AsyncDefault: "acc_async_default",
}

// AsyncName is an async value or queue as users write it: "sync", "noval",
// "default", also for the queue that this is, or the number.
func AsyncName(value int64) string {
	if value == DefaultQueue {
		value = AsyncDefault
	}
	if long, special := asyncNames[int32(value)]; special && int64(int32(value)) == value {
		return strings.TrimPrefix(long, asyncPrefix)
	}
	return strconv.FormatInt(value, 10)
}

// ParseAsync reads a queue as AsyncName writes it, in any case of letters.
func ParseAsync(text string) (int64, error) {
	for _, special := range []int64{AsyncSync, AsyncNoval, DefaultQueue} {
		if strings.EqualFold(text, AsyncName(special)) {
			return special, nil
		}
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: want a number, sync, default or noval", text)
	}
	return number, nil
}
