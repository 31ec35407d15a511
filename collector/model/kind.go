package model

import (
	"strings"

	"github.com/accscope/accscope/callbacks"
)

// The events of OpenACC 3.3 §5.1, acc_event_t. They stand here as plain numbers
// because a captured event may hold any number at all.
const (
	DeviceInitStart       = int32(callbacks.DeviceInitStart)
	DeviceInitEnd         = int32(callbacks.DeviceInitEnd)
	DeviceShutdownStart   = int32(callbacks.DeviceShutdownStart)
	DeviceShutdownEnd     = int32(callbacks.DeviceShutdownEnd)
	RuntimeShutdown       = int32(callbacks.RuntimeShutdown)
	Create                = int32(callbacks.Create)
	Delete                = int32(callbacks.Delete)
	Alloc                 = int32(callbacks.Alloc)
	Free                  = int32(callbacks.Free)
	EnterDataStart        = int32(callbacks.EnterDataStart)
	EnterDataEnd          = int32(callbacks.EnterDataEnd)
	ExitDataStart         = int32(callbacks.ExitDataStart)
	ExitDataEnd           = int32(callbacks.ExitDataEnd)
	UpdateStart           = int32(callbacks.UpdateStart)
	UpdateEnd             = int32(callbacks.UpdateEnd)
	ComputeConstructStart = int32(callbacks.ComputeConstructStart)
	ComputeConstructEnd   = int32(callbacks.ComputeConstructEnd)
	EnqueueLaunchStart    = int32(callbacks.EnqueueLaunchStart)
	EnqueueLaunchEnd      = int32(callbacks.EnqueueLaunchEnd)
	EnqueueUploadStart    = int32(callbacks.EnqueueUploadStart)
	EnqueueUploadEnd      = int32(callbacks.EnqueueUploadEnd)
	EnqueueDownloadStart  = int32(callbacks.EnqueueDownloadStart)
	EnqueueDownloadEnd    = int32(callbacks.EnqueueDownloadEnd)
	WaitStart             = int32(callbacks.WaitStart)
	WaitEnd               = int32(callbacks.WaitEnd)
	Error                 = int32(callbacks.Error)
)

// Async values that are no queue's number.
const (
	AsyncNoval = callbacks.AsyncNoval
	AsyncSync  = callbacks.AsyncSync
)

// The kinds of device activity.
const (
	ActivityKernel   = int32(callbacks.ActivityKernel)
	ActivityUpload   = int32(callbacks.ActivityUpload)
	ActivityDownload = int32(callbacks.ActivityDownload)
	ActivityCopy     = int32(callbacks.ActivityCopy)
	ActivityFill     = int32(callbacks.ActivityFill)
)

// kindNames are the names of acc_event_t without acc_ev_, and of the program's own events.
var kindNames = func() map[int32]string {
	names := map[int32]string{}
	for _, e := range append(callbacks.Events(), callbacks.None) {
		names[int32(e)] = strings.TrimPrefix(e.String(), "acc_ev_")
	}
	for _, own := range ownNames {
		names[own.kind] = own.name
	}
	return names
}()

// spanNames are what a start and its end are called together.
var spanNames = func() map[int32]string {
	names := map[int32]string{}
	for _, e := range callbacks.Events() {
		if e.Half() == callbacks.Start {
			names[int32(e)] = strings.TrimSuffix(kindNames[int32(e)], "_start")
		}
	}
	for _, own := range ownNames {
		if IsStart(own.kind) {
			names[own.kind] = own.span
		}
	}
	return names
}()

// constructNames are the names of acc_construct_t without acc_construct_
// (OpenACC 3.3 §5.2.2), by number.
var constructNames = func() []string {
	var names []string
	for number, c := range callbacks.Constructs() {
		if int(c) != number {
			panic("the numbers of acc_construct_t have a gap")
		}
		names = append(names, strings.TrimPrefix(c.String(), "acc_construct_"))
	}
	return names
}()

var activityNames = func() []string {
	names := []string{""}
	for kind := callbacks.ActivityKernel; kind <= callbacks.ActivityFill; kind++ {
		names = append(names, strings.TrimPrefix(kind.String(), "accscope_activity_"))
	}
	return names
}()

// KindName is the name of an acc_event_t without acc_ev_, or of an event of the
// program's own, "" for a number that is neither's.
func KindName(kind int32) string { return kindNames[kind] }

// SpanName is the common name of a start event and its end ("enqueue_launch");
// for an event without partner it is the event's own name.
func SpanName(kind int32) string {
	if IsEnd(kind) {
		kind--
	}
	if name, ok := spanNames[kind]; ok {
		return name
	}
	return kindNames[kind]
}

// ConstructName is the name of an acc_construct_t without acc_construct_, ""
// for a number that the specification does not have (some runtimes leave
// parent_construct uninitialised).
func ConstructName(construct int32) string {
	if construct < 0 || int(construct) >= len(constructNames) {
		return ""
	}
	return constructNames[construct]
}

// ActivityName is the name of a kind of device activity, "" if unknown.
func ActivityName(kind int32) string {
	if kind < 0 || int(kind) >= len(activityNames) {
		return ""
	}
	return activityNames[kind]
}

// Kinds calls f for every event the specification has and those of the program's own,
// with its name.
func Kinds(f func(kind int32, name, span string)) {
	for kind, name := range kindNames {
		f(kind, name, SpanName(kind))
	}
}

// apart says whether an event begins a construct that lies in no compute construct: another
// one, or a directive for data. What a compute construct does with its own data is implicit.
func apart(e *Event) bool {
	switch e.Kind {
	case ComputeConstructStart:
		return true
	case EnterDataStart, ExitDataStart, UpdateStart:
		switch callbacks.Construct(e.Parent) {
		case callbacks.Data, callbacks.EnterData, callbacks.ExitData, callbacks.Update:
			return e.Implicit == 0
		}
	}
	return false
}

// IsStart says whether an event opens a pair.
func IsStart(kind int32) bool {
	return callbacks.Event(kind).Half() == callbacks.Start || Own(kind) && kind != Mark && kind%2 == 0
}

// IsEnd says whether an event closes a pair; its start is the number before it.
func IsEnd(kind int32) bool { return IsStart(kind - 1) }

// IsLaunch says whether the event carries a kernel: acc_launch_event_info.
func IsLaunch(kind int32) bool { return kind == EnqueueLaunchStart || kind == EnqueueLaunchEnd }

// activityOf is the device activity that an enqueue event leads to, 0 if none.
func activityOf(kind int32) int32 {
	switch kind {
	case EnqueueLaunchStart:
		return ActivityKernel
	case EnqueueUploadStart:
		return ActivityUpload
	case EnqueueDownloadStart:
		return ActivityDownload
	}
	return 0
}
