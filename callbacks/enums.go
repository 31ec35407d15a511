package callbacks

import (
	"fmt"
	"maps"
	"slices"
)

// Version is the value of _OPENACC for OpenACC 3.3, delivered in Info.Version.
const Version = 202211

// Event is an acc_event_t (OpenACC 3.3 §5.1).
type Event int32

// Events, in the order of the specification.
const (
	None                  Event = 0
	DeviceInitStart       Event = 1
	DeviceInitEnd         Event = 2
	DeviceShutdownStart   Event = 3
	DeviceShutdownEnd     Event = 4
	RuntimeShutdown       Event = 5
	Create                Event = 6
	Delete                Event = 7
	Alloc                 Event = 8
	Free                  Event = 9
	EnterDataStart        Event = 10
	EnterDataEnd          Event = 11
	ExitDataStart         Event = 12
	ExitDataEnd           Event = 13
	UpdateStart           Event = 14
	UpdateEnd             Event = 15
	ComputeConstructStart Event = 16
	ComputeConstructEnd   Event = 17
	EnqueueLaunchStart    Event = 18
	EnqueueLaunchEnd      Event = 19
	EnqueueUploadStart    Event = 20
	EnqueueUploadEnd      Event = 21
	EnqueueDownloadStart  Event = 22
	EnqueueDownloadEnd    Event = 23
	WaitStart             Event = 24
	WaitEnd               Event = 25
	Error                 Event = 100
	Last                  Event = 101
)

var eventNames = map[Event]string{
	None:                  "acc_ev_none",
	DeviceInitStart:       "acc_ev_device_init_start",
	DeviceInitEnd:         "acc_ev_device_init_end",
	DeviceShutdownStart:   "acc_ev_device_shutdown_start",
	DeviceShutdownEnd:     "acc_ev_device_shutdown_end",
	RuntimeShutdown:       "acc_ev_runtime_shutdown",
	Create:                "acc_ev_create",
	Delete:                "acc_ev_delete",
	Alloc:                 "acc_ev_alloc",
	Free:                  "acc_ev_free",
	EnterDataStart:        "acc_ev_enter_data_start",
	EnterDataEnd:          "acc_ev_enter_data_end",
	ExitDataStart:         "acc_ev_exit_data_start",
	ExitDataEnd:           "acc_ev_exit_data_end",
	UpdateStart:           "acc_ev_update_start",
	UpdateEnd:             "acc_ev_update_end",
	ComputeConstructStart: "acc_ev_compute_construct_start",
	ComputeConstructEnd:   "acc_ev_compute_construct_end",
	EnqueueLaunchStart:    "acc_ev_enqueue_launch_start",
	EnqueueLaunchEnd:      "acc_ev_enqueue_launch_end",
	EnqueueUploadStart:    "acc_ev_enqueue_upload_start",
	EnqueueUploadEnd:      "acc_ev_enqueue_upload_end",
	EnqueueDownloadStart:  "acc_ev_enqueue_download_start",
	EnqueueDownloadEnd:    "acc_ev_enqueue_download_end",
	WaitStart:             "acc_ev_wait_start",
	WaitEnd:               "acc_ev_wait_end",
	Error:                 "acc_ev_error",
	Last:                  "acc_ev_last",
}

// String returns the specification's name, or acc_event_t(n) for a value that
// has none.
func (e Event) String() string { return name(eventNames, e, "acc_event_t") }

// Valid reports whether callbacks can be registered for e.
func (e Event) Valid() bool { return e > None && e <= WaitEnd || e == Error }

// Events lists every event that callbacks can be registered for, in the order
// of the specification.
func Events() []Event {
	events := make([]Event, 0, eventLists-1)
	for e := DeviceInitStart; e <= WaitEnd; e++ {
		events = append(events, e)
	}
	return append(events, Error)
}

// Half says which half of a pair of events an event is.
type Half int

// Halves.
const (
	Single Half = iota // neither a _start nor an _end event
	Start
	End
)

// Half reports whether e is a _start event, an _end event, or neither. The
// partner of a _start event is the next event, e+1.
func (e Event) Half() Half {
	odd := e%2 != 0
	switch {
	case e >= EnterDataStart && e <= WaitEnd:
		if odd {
			return End
		}
		return Start
	case e >= DeviceInitStart && e <= DeviceShutdownEnd:
		if odd {
			return Start
		}
		return End
	}
	return Single
}

// Kind says which member of the union acc_event_info an event fills.
type Kind int

// Kinds of second argument (OpenACC 3.3 §5.2.2).
const (
	OtherKind Kind = iota
	DataKind
	LaunchKind
	ErrorKind
)

// Kind reports which struct the second argument of e's callbacks is.
func (e Event) Kind() Kind {
	switch e {
	case EnqueueUploadStart, EnqueueUploadEnd, EnqueueDownloadStart, EnqueueDownloadEnd,
		Create, Delete, Alloc, Free:
		return DataKind
	case EnqueueLaunchStart, EnqueueLaunchEnd:
		return LaunchKind
	case Error:
		return ErrorKind
	}
	return OtherKind
}

// Construct is an acc_construct_t, what emitted an event (OpenACC 3.3 §5.2.2).
type Construct int32

// Constructs.
const (
	Parallel   Construct = 0
	Serial     Construct = 16
	Kernels    Construct = 1
	Loop       Construct = 2
	Data       Construct = 3
	EnterData  Construct = 4
	ExitData   Construct = 5
	HostData   Construct = 6
	Atomic     Construct = 7
	Declare    Construct = 8
	Init       Construct = 9
	Shutdown   Construct = 10
	Set        Construct = 11
	Update     Construct = 12
	Routine    Construct = 13
	Wait       Construct = 14
	RuntimeAPI Construct = 15
)

var constructNames = map[Construct]string{
	Parallel:   "acc_construct_parallel",
	Serial:     "acc_construct_serial",
	Kernels:    "acc_construct_kernels",
	Loop:       "acc_construct_loop",
	Data:       "acc_construct_data",
	EnterData:  "acc_construct_enter_data",
	ExitData:   "acc_construct_exit_data",
	HostData:   "acc_construct_host_data",
	Atomic:     "acc_construct_atomic",
	Declare:    "acc_construct_declare",
	Init:       "acc_construct_init",
	Shutdown:   "acc_construct_shutdown",
	Set:        "acc_construct_set",
	Update:     "acc_construct_update",
	Routine:    "acc_construct_routine",
	Wait:       "acc_construct_wait",
	RuntimeAPI: "acc_construct_runtime_api",
}

// Constructs lists every construct, in the order of their numbers.
func Constructs() []Construct { return slices.Sorted(maps.Keys(constructNames)) }

// Written is the construct that the name of its directive says, of events that have
// parallel for all compute constructs, and data for the declare directives of a Fortran
// procedure too. Any other construct, and any other name, leaves c.
func (c Construct) Written(directive string) Construct {
	switch {
	case c == Parallel && directive == "kernels":
		return Kernels
	case c == Parallel && directive == "serial":
		return Serial
	case c == Data && directive == "declare":
		return Declare
	}
	return c
}

// String returns the specification's name.
func (c Construct) String() string { return name(constructNames, c, "acc_construct_t") }

// ErrorCode is an acc_error_t (OpenACC 3.3 §5.2.2).
type ErrorCode int32

// Error codes.
const (
	ErrorNone                  ErrorCode = 0
	ErrorOther                 ErrorCode = 1
	ErrorSystem                ErrorCode = 2
	ErrorExecution             ErrorCode = 3
	ErrorDeviceInit            ErrorCode = 4
	ErrorDeviceShutdown        ErrorCode = 5
	ErrorDeviceUnavailable     ErrorCode = 6
	ErrorDeviceTypeUnavailable ErrorCode = 7
	ErrorWrongDeviceType       ErrorCode = 8
	ErrorOutOfMemory           ErrorCode = 9
	ErrorNotPresent            ErrorCode = 10
	ErrorPartlyPresent         ErrorCode = 11
	ErrorPresent               ErrorCode = 12
	ErrorInvalidArgument       ErrorCode = 13
	ErrorInvalidAsync          ErrorCode = 14
	ErrorInvalidNullPointer    ErrorCode = 15
	ErrorInvalidDataSection    ErrorCode = 16
	ErrorImplementationDefined ErrorCode = 100
)

var errorCodeNames = map[ErrorCode]string{
	ErrorNone:                  "acc_error_none",
	ErrorOther:                 "acc_error_other",
	ErrorSystem:                "acc_error_system",
	ErrorExecution:             "acc_error_execution",
	ErrorDeviceInit:            "acc_error_device_init",
	ErrorDeviceShutdown:        "acc_error_device_shutdown",
	ErrorDeviceUnavailable:     "acc_error_device_unavailable",
	ErrorDeviceTypeUnavailable: "acc_error_device_type_unavailable",
	ErrorWrongDeviceType:       "acc_error_wrong_device_type",
	ErrorOutOfMemory:           "acc_error_out_of_memory",
	ErrorNotPresent:            "acc_error_not_present",
	ErrorPartlyPresent:         "acc_error_partly_present",
	ErrorPresent:               "acc_error_present",
	ErrorInvalidArgument:       "acc_error_invalid_argument",
	ErrorInvalidAsync:          "acc_error_invalid_async",
	ErrorInvalidNullPointer:    "acc_error_invalid_null_pointer",
	ErrorInvalidDataSection:    "acc_error_invalid_data_section",
	ErrorImplementationDefined: "acc_error_implementation_defined",
}

// String returns the specification's name.
func (c ErrorCode) String() string { return name(errorCodeNames, c, "acc_error_t") }

// API is an acc_device_api, the driver interface behind a device (OpenACC 3.3
// §5.2.3).
type API int32

// Driver interfaces.
const (
	APINone                  API = 0
	APICUDA                  API = 1
	APIOpenCL                API = 2
	APIOther                 API = 4
	APIImplementationDefined API = 1000
)

var apiNames = map[API]string{
	APINone:                  "acc_device_api_none",
	APICUDA:                  "acc_device_api_cuda",
	APIOpenCL:                "acc_device_api_opencl",
	APIOther:                 "acc_device_api_other",
	APIImplementationDefined: "acc_device_api_implementation_defined",
}

// String returns the specification's name.
func (a API) String() string { return name(apiNames, a, "acc_device_api") }

// RegisterMode is an acc_register_t, the third argument of registration
// (OpenACC 3.3 §5.3).
type RegisterMode int32

// Modes of registration.
const (
	Reg             RegisterMode = 0
	Toggle          RegisterMode = 1
	TogglePerThread RegisterMode = 2
)

var registerModeNames = map[RegisterMode]string{
	Reg:             "acc_reg",
	Toggle:          "acc_toggle",
	TogglePerThread: "acc_toggle_per_thread",
}

// String returns the specification's name.
func (m RegisterMode) String() string { return name(registerModeNames, m, "acc_register_t") }

// name looks value up, and writes values without a name as ctype(value).
func name[T ~int32](names map[T]string, value T, ctype string) string {
	if s, ok := names[value]; ok {
		return s
	}
	return fmt.Sprintf("%s(%d)", ctype, int32(value))
}
