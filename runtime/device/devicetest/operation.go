package devicetest

// #include <stdint.h>
// static int run (uintptr_t run, uintptr_t operands)
// {
//   return ((int (*) (void *)) run) ((void *) operands);
// }
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// Upload puts a copy to the device onto q.
func Upload(q device.Queue, correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, now bool) error {
	return put(q, device.Operands{Kind: device.ActivityUpload, Correlation: correlation, Destination: uintptr(dst), Source: HostAddress(src), Bytes: n, Now: now})
}

// Download puts a copy from the device onto q.
func Download(q device.Queue, correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, now bool) error {
	return put(q, device.Operands{Kind: device.ActivityDownload, Correlation: correlation, Destination: HostAddress(dst), Source: uintptr(src), Bytes: n, Now: now})
}

// Gather puts a copy to the device from several places onto q.
func Gather(q device.Queue, correlation uint64, dst device.Address, parts []device.Part, n uint64, now bool) error {
	defer runtime.KeepAlive(parts)
	return put(q, device.Operands{Kind: device.ActivityUpload, Correlation: correlation, Destination: uintptr(dst), Source: addressOf(parts), Parts: uint32(len(parts)), Bytes: n, Now: now})
}

// Scatter puts a copy from the device to several places onto q.
func Scatter(q device.Queue, correlation uint64, parts []device.Part, src device.Address, n uint64, now bool) error {
	defer runtime.KeepAlive(parts)
	return put(q, device.Operands{Kind: device.ActivityDownload, Correlation: correlation, Destination: addressOf(parts), Source: uintptr(src), Parts: uint32(len(parts)), Bytes: n, Now: now})
}

// Copy puts a copy to memory of device to onto q.
func Copy(q device.Queue, correlation uint64, to device.Device, dst, src device.Address, n uint64, now bool) error {
	return run(q, device.Operation{To: to, Operands: &device.Operands{Kind: device.ActivityCopy, Correlation: correlation, Destination: uintptr(dst), Source: uintptr(src), Bytes: n, Now: now}})
}

// Fill puts the setting of bytes onto q.
func Fill(q device.Queue, correlation uint64, dst device.Address, value byte, n uint64, now bool) error {
	return put(q, device.Operands{Kind: device.ActivityFill, Correlation: correlation, Destination: uintptr(dst), Source: uintptr(value), Bytes: n, Now: now})
}

// Launch puts a kernel onto q.
func Launch(q device.Queue, correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, now bool) error {
	return run(q, device.Operation{Kernel: k, Operands: &device.Operands{Kind: device.ActivityKernel, Correlation: correlation, Destination: uintptr(b.Address), Bytes: b.Size, Geometry: g, Now: now}})
}

// Store copies contents to device memory, as a part of launches.
func Store(q device.Queue, dst device.Address, contents []byte, now bool) error {
	defer runtime.KeepAlive(contents)
	return put(q, device.Operands{Kind: device.Store, Destination: uintptr(dst), Source: addressOf(contents), Bytes: uint64(len(contents)), Now: now})
}

// Await waits for q, as a step of a plan does.
func Await(q device.Queue) error { return put(q, device.Operands{Kind: device.Await}) }

func put(q device.Queue, operands device.Operands) error {
	return run(q, device.Operation{Operands: &operands})
}

func run(q device.Queue, o device.Operation) error {
	if err := q.Prepare(&o); err != nil {
		return err
	}
	C.run(C.uintptr_t(o.Run), C.uintptr_t(uintptr(unsafe.Pointer(o.Operands))))
	return q.Outcome(&o)
}

func addressOf[T any](list []T) uintptr { return HostAddress(unsafe.Pointer(unsafe.SliceData(list))) }

// HostAddress is that of memory which a device is to use. It is not on a goroutine's stack:
// stacks move, and what a device writes to an address then is lost.
func HostAddress(memory unsafe.Pointer) uintptr {
	used.Store((*byte)(memory))
	return uintptr(memory)
}

// used keeps what is stored there from being put onto a stack.
var used atomic.Pointer[byte]
