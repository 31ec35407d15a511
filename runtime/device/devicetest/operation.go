package devicetest

// #include <stdint.h>
// static int run (uintptr_t run, uintptr_t operands)
// {
//   return ((int (*) (void *)) run) ((void *) operands);
// }
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
)

// Upload puts a copy to the device onto q: what Queue.Upload has prepared. The others
// are like it.
func Upload(q device.Queue, correlation uint64, dst device.Address, src unsafe.Pointer, n uint64, now bool) error {
	return do(q, func(o *device.Operation) error { return q.Upload(o, correlation, dst, src, n, now) })
}

// Download puts a copy from the device onto q.
func Download(q device.Queue, correlation uint64, dst unsafe.Pointer, src device.Address, n uint64, now bool) error {
	return do(q, func(o *device.Operation) error { return q.Download(o, correlation, dst, src, n, now) })
}

// Gather puts a copy to the device from several places onto q.
func Gather(q device.Queue, correlation uint64, dst device.Address, parts []device.Part, n uint64, now bool) error {
	defer runtime.KeepAlive(parts)
	return do(q, func(o *device.Operation) error { return q.Gather(o, correlation, dst, parts, n, now) })
}

// Scatter puts a copy from the device to several places onto q.
func Scatter(q device.Queue, correlation uint64, parts []device.Part, src device.Address, n uint64, now bool) error {
	defer runtime.KeepAlive(parts)
	return do(q, func(o *device.Operation) error { return q.Scatter(o, correlation, parts, src, n, now) })
}

// Copy puts a copy to memory of device to onto q.
func Copy(q device.Queue, correlation uint64, to device.Device, dst, src device.Address, n uint64, now bool) error {
	return do(q, func(o *device.Operation) error { return q.Copy(o, correlation, to, dst, src, n, now) })
}

// Fill puts the setting of bytes onto q.
func Fill(q device.Queue, correlation uint64, dst device.Address, value byte, n uint64, now bool) error {
	return do(q, func(o *device.Operation) error { return q.Fill(o, correlation, dst, value, n, now) })
}

// Launch puts a kernel onto q.
func Launch(q device.Queue, correlation uint64, k device.Kernel, g device.Geometry, b device.ArgumentBlock, now bool) error {
	return do(q, func(o *device.Operation) error { return q.Launch(o, correlation, k, g, b, now) })
}

// Store copies contents to device memory, as a part of launches.
func Store(q device.Queue, dst device.Address, contents []byte, now bool) error {
	defer runtime.KeepAlive(contents)
	return do(q, func(o *device.Operation) error { return q.Store(o, dst, contents, now) })
}

// Await waits for q, as a step of a plan does.
func Await(q device.Queue) error {
	return do(q, func(o *device.Operation) error { q.Await(o); return nil })
}

func do(q device.Queue, prepare func(*device.Operation) error) error {
	o := device.Operation{Operands: new(device.Operands)}
	if err := prepare(&o); err != nil {
		return err
	}
	C.run(C.uintptr_t(o.Run), C.uintptr_t(uintptr(unsafe.Pointer(o.Operands))))
	return q.Outcome(&o)
}
