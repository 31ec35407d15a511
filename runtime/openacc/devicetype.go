package openacc

import (
	"strconv"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// Device types, the values of acc_device_t.
const (
	DeviceCurrent = device.Type(callbacks.DeviceCurrent)
	DeviceNone    = device.Type(callbacks.DeviceNone)
	DeviceDefault = device.Type(callbacks.DeviceDefault)
	DeviceHost    = device.Type(callbacks.DeviceHost)
	DeviceNotHost = device.Type(callbacks.DeviceNotHost)
	DeviceNVIDIA  = device.Type(callbacks.DeviceNVIDIA)
	DeviceXeonPhi = device.Type(callbacks.DeviceXeonPhi)
	DeviceRadeon  = device.Type(callbacks.DeviceRadeon)
	DeviceSim     = device.Type(callbacks.DeviceSim)
	DeviceOpenCL  = device.Type(callbacks.DeviceOpenCL)
)

// typeName is the device type as users write it.
func typeName(t device.Type) string {
	if name, known := callbacks.DeviceType(t).Short(); known {
		return name
	}
	return strconv.Itoa(int(t))
}

// Async values (OpenACC 3.3 §2.16): what GCC-compiled programs pass.
const (
	AsyncNoval   = callbacks.AsyncNoval
	AsyncSync    = callbacks.AsyncSync
	AsyncDefault = callbacks.AsyncDefault
)
