package launch

import (
	"fmt"
	"slices"
	"strings"
)

// Devices are the device types that --device takes, as users write them: the
// simulated one and cuda, which is the name of a backend, are our runtime's, the
// others are the standard's (OpenACC 3.3 §4.1).
var Devices = []string{"sim", "host", "nvidia", "cuda", "radeon", "default", "not_host"}

// CheckDevice refuses a --device that names no device type; device is empty where
// the user left it open. A vendor's own runtime may have names of its own.
func CheckDevice(program Program, device string) error {
	if device == "" || program.Kind == Other || slices.Contains(Devices, strings.ToLower(device)) {
		return nil
	}
	return fmt.Errorf("--device %q names no device type; there are %s", device, strings.Join(Devices, ", "))
}

// deviceType is the value of ACC_DEVICE_TYPE for a device as users call it: cuda
// is the backend, nvidia the OpenACC name of its devices.
func deviceType(device string) string {
	if strings.EqualFold(device, "cuda") {
		return "nvidia"
	}
	return device
}
