package openacc

import (
	"strconv"

	"github.com/accscope/accscope/runtime/device"
)

// Device types, the values of acc_device_t in openacc.h.
const (
	DeviceCurrent device.Type = -1
	DeviceNone    device.Type = 0
	DeviceDefault device.Type = 1
	DeviceHost    device.Type = 2
	DeviceNotHost device.Type = 4
	DeviceNVIDIA  device.Type = 5
	DeviceRadeon  device.Type = 8
	DeviceSim     device.Type = 100
	DeviceOpenCL  device.Type = 101
)

var deviceTypeNames = map[device.Type]string{
	DeviceCurrent: "current", DeviceNone: "none", DeviceDefault: "default",
	DeviceHost: "host", DeviceNotHost: "not_host", DeviceNVIDIA: "nvidia",
	DeviceRadeon: "radeon", DeviceSim: "sim", DeviceOpenCL: "opencl",
}

// typeName is the device type as users write it.
func typeName(t device.Type) string {
	if name, ok := deviceTypeNames[t]; ok {
		return name
	}
	return strconv.Itoa(int(t))
}

// Async values (OpenACC 3.3 §2.16): what GCC-compiled programs pass.
const (
	AsyncNoval   = -1
	AsyncSync    = -2
	AsyncDefault = -3
)
