package callbackstest

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra -I${SRCDIR}/.. -I${SRCDIR}/../../runtime/include
// #include "dispatch.h"
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
	return unsafe.Pointer(dispatch)
}

// Dispatch raises one event, as C code of the runtime does, by the registry's struct
// acc_dispatch: info, event and api are OpenACC's structs, pair is nil for an event that is
// neither a _start nor an _end event.
func Dispatch(dispatch, thread, pair, info, event, api unsafe.Pointer) {
	general := (*C.acc_callback_info)(info)
	C.acc_dispatch_event((*C.struct_acc_dispatch)(dispatch), C.int(general.event_type), (*C.struct_acc_dispatch_thread)(thread),
		(*C.struct_acc_dispatch_pair)(pair), general, (*C.acc_event_info)(event), (*C.acc_api_info)(api))
}

// Correlation is what accscope_activity.current_correlation answers on the calling thread.
func Correlation() uint64 { return uint64(C.acc_dispatch_correlation()) }
