package callbackstest

// extern void *acc_dispatch_new (void);
import "C"

import (
	"testing"
	"unsafe"
)

// NewDispatch gives the test a struct acc_dispatch for a registry (callbacks/dispatch.h). It
// is never freed.
func NewDispatch(t testing.TB) unsafe.Pointer {
	t.Helper()
	dispatch := C.acc_dispatch_new()
	if dispatch == nil {
		t.Fatal("no memory for callback lists")
	}
	return dispatch
}
