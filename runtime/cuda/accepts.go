package cuda

/*
#include <stdlib.h>
#include "cuda.h"
*/
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

// Accepts says why no device can run an image's code, nil if one can.
func (b *backend) Accepts(image goacc.Image) error {
	if err := b.open(); err != nil {
		return err
	}
	code, err := image.PTX()
	if err != nil {
		return device.Errorf(device.Execution, 0, "%v", err)
	}
	for number := range b.count {
		if err = b.accepts(number, code); err == nil {
			return nil
		}
	}
	return err
}

// accepts compares what code needs with what a device and the driver offer.
func (b *backend) accepts(number int, code goacc.PTX) error {
	version, capability := code.Needs()
	var handle C.CUdevice
	if C.accscope_cuda_device(b.library.table, C.int(number), &handle) != 0 {
		return nil // opening the device will say what is wrong
	}
	attribute := func(which C.int) int { return int(C.accscope_cuda_attribute(b.library.table, handle, which)) }
	has := 10*attribute(C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) + attribute(C.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
	if has > 0 && capability > has {
		return device.Errorf(device.Execution, 209, "the program's device code is for sm_%d and newer, cuda device %d is sm_%d; compile with -foffload-options=nvptx-none=-misa=sm_%d or lower",
			capability, number, has, has)
	}
	if newest := ptxVersion(b.library.version); version > newest {
		return device.Errorf(device.Execution, 222, "the program's device code is PTX %d.%d, the driver takes PTX up to %d.%d (CUDA %s); install a newer driver, or compile with an older -mptx",
			version/10, version%10, newest/10, newest%10, versionText(b.library.version))
	}
	return nil
}

// ptxVersion is the newest PTX that a driver takes, times ten (PTX ISA, "Release
// Notes").
func ptxVersion(driver int) int {
	major, minor := driver/1000, driver%1000/10
	if major < 11 {
		return 63 + minor // CUDA 10.0 has PTX 6.3
	}
	return 10*(major-4) + minor // CUDA 11.0 has PTX 7.0; later ones at most this
}

// deviceFiles are what the driver opens to reach GPUs.
const deviceFiles = "/dev/nvidia*"

// forbidden names the GPU's device files that the process may not use, "" if
// there are none. It is a variable for tests, which may run with all rights.
var forbidden = func() string {
	files, err := filepath.Glob(deviceFiles)
	if err != nil {
		return ""
	}
	var denied []string
	for _, file := range files {
		info, err := os.Stat(file)
		if err == nil && info.Mode()&os.ModeCharDevice != 0 && unix.Access(file, unix.R_OK|unix.W_OK) != nil {
			denied = append(denied, file)
		}
	}
	return strings.Join(denied, ", ")
}

// notStarted explains why the driver did not start.
func (l *library) notStarted(result C.CUresult) error {
	remedy := faults[result].remedy
	if files := forbidden(); files != "" {
		remedy = fmt.Sprintf("this user may not use %s: have the administrator add the user to the group that owns them", files)
	}
	if remedy != "" {
		remedy = "; " + remedy
	}
	return device.Errorf(device.Unavailable, uint64(result), "there is no cuda device: the CUDA driver does not start: %s%s", l.text(result), remedy)
}

// HasCUPTI says whether CUPTI is installed, which tells what GPUs did under other
// runtimes.
func HasCUPTI(path string) bool {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	return C.accscope_cuda_has_cupti(name) != 0
}
