// Package cuda is the backend for NVIDIA GPUs (acc_device_nvidia), on the CUDA
// driver API. The driver's library is opened when a program runs, so nothing of
// CUDA is needed to build, and a machine without it has no such device.
//
// Device code is what GCC's nvptx offloading put into the program: PTX, linked
// by the driver when a device is opened or an image is registered (LoadImage).
//
// What takes several driver calls is in C, a file for each subject: context.c
// (devices and queues), stack.c, order.c (streams, marks, waiting), transfer.c and staging.c
// (transfers), launch.c, image.c, clocks.c, activity.c (times on the device's
// clock, by events), stamps.c (by the kernels themselves) and tracer.c (by CUPTI).
// The Go side keeps the pool of device memory, kernels and their geometry, gives
// them the instructions that take their times (stamp.go), and turns the driver's
// errors into those of package device.
//
// OpenACC 3.3 appendix A.2.1 has the recommendations for NVIDIA GPUs.
package cuda

// #cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -Werror=unused-result -I${SRCDIR}/../include
// #cgo LDFLAGS: -ldl -pthread
// #include "cuda.h"
import "C"
