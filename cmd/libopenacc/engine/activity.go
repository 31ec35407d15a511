package main

// #include <errno.h>
// #include <stdlib.h>
// #include "engine.h"
// #include "activity.h"
import "C"

import (
	"unsafe"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/runtime/device"
)

//export accscope_engine_lookup
func accscope_engine_lookup(t thread, name *C.char) unsafe.Pointer {
	defer guard()
	if name != nil && C.GoString(name) == callbacks.ActivityName {
		C.accscope_engine_answer_for((*C.struct_acc_dispatch)(registry.Published()))
		return unsafe.Pointer(C.accscope_engine_activity)
	}
	return nil
}

// The C copy of a subscription is never freed: a record may be under way.
//
//export accscopeSubscribe
func accscopeSubscribe(from unsafe.Pointer, subscription *C.uint64_t) C.int {
	defer guard()
	s := (*C.struct_accscope_activity_subscriber)(from)
	if s == nil || subscription == nil || uintptr(s.size) < unsafe.Sizeof(*s) || s.record == nil {
		return C.EINVAL
	}
	own := (*C.struct_accscope_activity_subscriber)(C.malloc(C.sizeof_struct_accscope_activity_subscriber))
	if own == nil {
		return C.ENOMEM
	}
	*own = *s
	var number uint64
	made := make(chan struct{})
	number = core.Subscribe(uint32(own.kinds), func(record *callbacks.ActivityRecord) {
		<-made
		C.accscope_engine_deliver(C.uint64_t(number), own,
			(*C.struct_accscope_activity_record)(unsafe.Pointer(record)))
	})
	close(made)
	*subscription = C.uint64_t(number)
	return 0
}

//export accscopeUnsubscribe
func accscopeUnsubscribe(subscription C.uint64_t) C.int {
	defer guard()
	if !core.Unsubscribe(uint64(subscription), C.accscope_engine_delivering() == subscription) {
		return C.EINVAL
	}
	return 0
}

//export accscopeLearned
func accscopeLearned() C.uint64_t {
	defer guard()
	return C.uint64_t(core.Learned())
}

//export accscopeFlush
func accscopeFlush() C.int {
	defer guard()
	if C.accscope_engine_delivering() != 0 {
		return C.EDEADLK
	}
	core.Flush()
	return 0
}

//export accscopeFlushFor
func accscopeFlushFor(subscription C.uint64_t) C.int {
	defer guard()
	if C.accscope_engine_delivering() != 0 {
		return C.EDEADLK
	}
	known, all := core.FlushFor(uint64(subscription))
	switch {
	case !known:
		return C.EINVAL
	case !all:
		return C.EBUSY
	}
	return 0
}

//export accscopeClock
func accscopeClock(kind, number C.int32_t, clock *C.struct_accscope_activity_clock) C.int {
	defer guard()
	if clock == nil || uintptr(clock.size) < unsafe.Sizeof(*clock) {
		return C.EINVAL
	}
	point, ok := core.Clock(device.Type(kind), int(number))
	if !ok {
		return C.ENODEV
	}
	clock.device, clock.host, clock.drift = C.int64_t(point.Device), C.int64_t(point.Host), C.int64_t(point.Drift)
	return 0
}

//export accscopeMappings
func accscopeMappings(kind, number C.int32_t, each C.accscope_activity_each_mapping, context unsafe.Pointer) C.int {
	defer guard()
	if each == nil {
		return C.EINVAL
	}
	list, ok := core.Mappings(device.Type(kind), int(number))
	if !ok {
		return C.ENODEV
	}
	for i := range list {
		C.accscope_engine_each_mapping(each, context, (*C.struct_accscope_activity_mapping)(unsafe.Pointer(&list[i])))
	}
	return 0
}

//export accscopeQueues
func accscopeQueues(kind, number C.int32_t, each C.accscope_activity_each_queue, context unsafe.Pointer) C.int {
	defer guard()
	if each == nil {
		return C.EINVAL
	}
	list, ok := core.Queues(device.Type(kind), int(number))
	if !ok {
		return C.ENODEV
	}
	for i := range list {
		C.accscope_engine_each_queue(each, context, (*C.struct_accscope_activity_queue)(unsafe.Pointer(&list[i])))
	}
	return 0
}

//export accscopeDevice
func accscopeDevice(kind, number C.int32_t, facts *C.struct_accscope_activity_device) C.int {
	defer guard()
	if facts == nil || uintptr(facts.size) < unsafe.Sizeof(*facts) {
		return C.EINVAL
	}
	known, ok := core.Describe(device.Type(kind), int(number))
	if !ok {
		return C.ENODEV
	}
	known.Size = uint32(facts.size)
	*facts = *(*C.struct_accscope_activity_device)(unsafe.Pointer(&known))
	return 0
}

//export accscopeKernel
func accscopeKernel(kind, number C.int32_t, name *C.char, driverName **C.char) C.int {
	defer guard()
	if name == nil || driverName == nil {
		return C.EINVAL
	}
	known, ok := core.DriverKernel(device.Type(kind), int(number), C.GoString(name))
	switch {
	case !ok:
		return C.ENODEV
	case known == "":
		return C.ENOENT
	}
	*(*callbacks.CString)(unsafe.Pointer(driverName)) = callbacks.Intern(known)
	return 0
}

func delivering() bool { return C.accscope_engine_delivering() != 0 }
