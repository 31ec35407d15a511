package openacc

import (
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

// TestEnumerations holds the numbers of package device, which knows nothing of
// callbacks, against those of the specification there.
func TestEnumerations(t *testing.T) {
	for code, want := range map[device.Code]callbacks.ErrorCode{
		device.Other: callbacks.ErrorOther, device.System: callbacks.ErrorSystem, device.Execution: callbacks.ErrorExecution,
		device.DeviceInit: callbacks.ErrorDeviceInit, device.DeviceShutdown: callbacks.ErrorDeviceShutdown,
		device.Unavailable: callbacks.ErrorDeviceUnavailable, device.TypeUnavailable: callbacks.ErrorDeviceTypeUnavailable,
		device.WrongType: callbacks.ErrorWrongDeviceType, device.OutOfMemory: callbacks.ErrorOutOfMemory,
		device.InvalidArgument: callbacks.ErrorInvalidArgument,
	} {
		if callbacks.ErrorCode(code) != want {
			t.Errorf("device has %d for %v", code, want)
		}
	}
	for api, want := range map[device.API]callbacks.API{
		device.APINone: callbacks.APINone, device.APICUDA: callbacks.APICUDA,
		device.APIOpenCL: callbacks.APIOpenCL, device.APIOther: callbacks.APIOther,
	} {
		if callbacks.API(api) != want {
			t.Errorf("device has %d for %v", api, want)
		}
	}
	for kind, want := range map[device.ActivityKind]callbacks.ActivityKind{
		device.ActivityKernel: callbacks.ActivityKernel, device.ActivityUpload: callbacks.ActivityUpload,
		device.ActivityDownload: callbacks.ActivityDownload, device.ActivityCopy: callbacks.ActivityCopy,
		device.ActivityFill: callbacks.ActivityFill,
	} {
		if callbacks.ActivityKind(kind) != want {
			t.Errorf("device has %d for %v", kind, want)
		}
	}
}
