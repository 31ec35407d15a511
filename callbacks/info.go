package callbacks

import "unsafe"

// Info is acc_callback_info, the first argument of a callback (OpenACC 3.3
// §5.2.1).
type Info struct {
	EventType     Event
	ValidBytes    int32
	Version       int32 // the value of _OPENACC
	DeviceType    DeviceType
	DeviceNumber  int32
	ThreadID      int32
	Async         int64
	AsyncQueue    int64
	SrcFile       CString
	FuncName      CString
	LineNo        int32
	EndLineNo     int32
	FuncLineNo    int32
	FuncEndLineNo int32
}

// EventInfo is the union acc_event_info, the second argument of a callback
// (OpenACC 3.3 §5.2.2). The members that all events have are fields; the others
// are reached by Data, Launch and Error, according to Event.Kind.
type EventInfo struct {
	EventType       Event
	ValidBytes      int32
	ParentConstruct Construct
	Implicit        int32
	ToolInfo        uintptr
	rest            [5]uint64
}

// ImpliedByText stands in Implicit of events whose texts are references: ACCSCOPE_IMPLIED_BY_TEXT
// of accscope_names.h.
const ImpliedByText = 2

// DataEvent is acc_data_event_info.
type DataEvent struct {
	EventType       Event
	ValidBytes      int32
	ParentConstruct Construct
	Implicit        int32
	ToolInfo        uintptr
	VarName         CString
	Bytes           uint64
	HostPtr         uintptr
	DevicePtr       uintptr
}

// LaunchEvent is acc_launch_event_info.
type LaunchEvent struct {
	EventType       Event
	ValidBytes      int32
	ParentConstruct Construct
	Implicit        int32
	ToolInfo        uintptr
	KernelName      CString
	NumGangs        uint64
	NumWorkers      uint64
	VectorLength    uint64
	NumGangsPerDim  uintptr // size_t array: dimensions, then gangs along each
}

// ErrorEvent is acc_error_event_info.
type ErrorEvent struct {
	EventType       Event
	ValidBytes      int32
	ParentConstruct Construct
	Implicit        int32
	ToolInfo        uintptr
	ErrorCode       ErrorCode
	ErrorMessage    CString
	RuntimeInfo     uint64
}

// OtherEvent is acc_other_event_info.
type OtherEvent struct {
	EventType       Event
	ValidBytes      int32
	ParentConstruct Construct
	Implicit        int32
	ToolInfo        uintptr
}

// Data views e as the struct of a data event.
func (e *EventInfo) Data() *DataEvent { return (*DataEvent)(unsafe.Pointer(e)) }

// Launch views e as the struct of a launch event.
func (e *EventInfo) Launch() *LaunchEvent { return (*LaunchEvent)(unsafe.Pointer(e)) }

// Error views e as the struct of an error event.
func (e *EventInfo) Error() *ErrorEvent { return (*ErrorEvent)(unsafe.Pointer(e)) }

// Other views e as the struct of an event that has no struct of its own.
func (e *EventInfo) Other() *OtherEvent { return (*OtherEvent)(unsafe.Pointer(e)) }

// APIInfo is acc_api_info, the third argument of a callback (OpenACC 3.3
// §5.2.3).
type APIInfo struct {
	DeviceAPI     API
	ValidBytes    int32
	DeviceType    DeviceType
	Vendor        int32
	DeviceHandle  uintptr
	ContextHandle uintptr
	AsyncHandle   uintptr
}
