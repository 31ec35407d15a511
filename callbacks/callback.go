package callbacks

// #include "dispatch.h"
//
// extern void accscopeGoCallback (uintptr_t, acc_callback_info *, acc_event_info *,
//                                 acc_api_info *);
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Func is a callback written in Go. Its arguments are valid during the call; what
// it writes to EventInfo.ToolInfo in a _start event, its tool's callbacks find in
// the matching _end event. It must not panic: there is C between it and the code
// that raised the event.
type Func func(*Info, *EventInfo, *APIInfo)

// Callback identifies a callback: two registrations are of the same callback when
// their Callbacks are equal. The zero Callback is C's NULL.
type Callback struct {
	routine uintptr // of a C callback
	bound   *goCallback
}

// goCallback is a Go callback; context stands for it in C memory.
type goCallback struct {
	function  Func
	context   uintptr
	tool      uintptr
	registers int // entries that hold it; guarded by goCallbacks.mu
}

// CCallback is a callback written in C: a pointer of type acc_callback, nil for
// NULL. All callbacks in one shared object are one tool.
func CCallback(routine unsafe.Pointer) Callback { return Callback{routine: uintptr(routine)} }

// IsNull reports whether c is C's NULL.
func (c Callback) IsNull() bool { return c == Callback{} }

// goCallbacks finds the Go callbacks that are registered anywhere.
var goCallbacks struct {
	mu        sync.Mutex
	byContext sync.Map // uintptr to *goCallback
}

// identifiers numbers tools and Go callbacks. No shared object lies at the
// addresses it yields.
var identifiers atomic.Uintptr

// Tool is one tool written in Go: its callbacks share the tool_info of an event,
// which other tools' callbacks never see.
type Tool struct{ identity uintptr }

// NewTool makes a tool without callbacks.
func NewTool() *Tool { return &Tool{identity: identifiers.Add(1)} }

// Callback makes a callback of function. Every call makes another one: keep it
// to unregister it.
func (t *Tool) Callback(function Func) Callback {
	return Callback{bound: &goCallback{
		function: function,
		context:  identifiers.Add(1),
		tool:     t.identity,
	}}
}

// tool identifies the tool that c belongs to. It takes the dynamic loader's lock.
func (c Callback) tool() uintptr {
	if c.bound != nil {
		return c.bound.tool
	}
	return uintptr(C.acc_dispatch_object(*(*unsafe.Pointer)(unsafe.Pointer(&c.routine))))
}

// target is what C calls: a routine and, for a Go callback, its first argument.
func (c Callback) target() (routine, context uintptr) {
	if c.bound != nil {
		return uintptr(C.accscopeGoCallback), c.bound.context
	}
	return c.routine, 0
}

// hold makes a Go callback known to C; as many calls of release undo it.
func (c Callback) hold() {
	if c.bound == nil {
		return
	}
	goCallbacks.mu.Lock()
	defer goCallbacks.mu.Unlock()
	if c.bound.registers++; c.bound.registers == 1 {
		goCallbacks.byContext.Store(c.bound.context, c.bound)
	}
}

func (c Callback) release() {
	if c.bound == nil {
		return
	}
	goCallbacks.mu.Lock()
	defer goCallbacks.mu.Unlock()
	if c.bound.registers--; c.bound.registers == 0 {
		goCallbacks.byContext.Delete(c.bound.context)
	}
}

//export accscopeGoCallback
func accscopeGoCallback(context C.uintptr_t, info *C.acc_callback_info, event *C.acc_event_info, api *C.acc_api_info) {
	c, ok := goCallbacks.byContext.Load(uintptr(context))
	if !ok {
		return // unregistered by another thread since dispatch read its list
	}
	c.(*goCallback).function((*Info)(unsafe.Pointer(info)), (*EventInfo)(unsafe.Pointer(event)), (*APIInfo)(unsafe.Pointer(api)))
}
