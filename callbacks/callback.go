package callbacks

// #include "dispatch.h"
import "C"

import "unsafe"

// Callback is a callback written in C: a pointer of type acc_callback. Two
// registrations are of the same callback when their Callbacks are equal. The zero
// Callback is C's NULL.
type Callback struct{ routine uintptr }

// CCallback is the callback at routine, nil for NULL. All callbacks in one shared
// object are one tool.
func CCallback(routine unsafe.Pointer) Callback { return Callback{routine: uintptr(routine)} }

// IsNull reports whether c is C's NULL.
func (c Callback) IsNull() bool { return c == Callback{} }

// tool identifies the tool that c belongs to. It takes the dynamic loader's lock.
func (c Callback) tool() uintptr {
	return uintptr(C.acc_dispatch_object(*(*unsafe.Pointer)(unsafe.Pointer(&c.routine))))
}
