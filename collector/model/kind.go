package model

// The events of OpenACC 3.3 §5.1, acc_event_t. They stand here as plain numbers
// because a captured event may hold any number at all.
const (
	DeviceInitStart       int32 = 1
	DeviceInitEnd         int32 = 2
	DeviceShutdownStart   int32 = 3
	DeviceShutdownEnd     int32 = 4
	RuntimeShutdown       int32 = 5
	Create                int32 = 6
	Delete                int32 = 7
	Alloc                 int32 = 8
	Free                  int32 = 9
	EnterDataStart        int32 = 10
	EnterDataEnd          int32 = 11
	ExitDataStart         int32 = 12
	ExitDataEnd           int32 = 13
	UpdateStart           int32 = 14
	UpdateEnd             int32 = 15
	ComputeConstructStart int32 = 16
	ComputeConstructEnd   int32 = 17
	EnqueueLaunchStart    int32 = 18
	EnqueueLaunchEnd      int32 = 19
	EnqueueUploadStart    int32 = 20
	EnqueueUploadEnd      int32 = 21
	EnqueueDownloadStart  int32 = 22
	EnqueueDownloadEnd    int32 = 23
	WaitStart             int32 = 24
	WaitEnd               int32 = 25
	Error                 int32 = 100
)

// AsyncSync is acc_async_sync as GCC's header and ours have it.
const AsyncSync = -2

// The kinds of device activity, in the order of runtime/device.ActivityKind.
const (
	ActivityKernel   int32 = 1
	ActivityUpload   int32 = 2
	ActivityDownload int32 = 3
	ActivityCopy     int32 = 4
	ActivityFill     int32 = 5
)

// kindNames are the names of acc_event_t without acc_ev_.
var kindNames = map[int32]string{
	0: "none", DeviceInitStart: "device_init_start", DeviceInitEnd: "device_init_end",
	DeviceShutdownStart: "device_shutdown_start", DeviceShutdownEnd: "device_shutdown_end",
	RuntimeShutdown: "runtime_shutdown", Create: "create", Delete: "delete", Alloc: "alloc", Free: "free",
	EnterDataStart: "enter_data_start", EnterDataEnd: "enter_data_end",
	ExitDataStart: "exit_data_start", ExitDataEnd: "exit_data_end",
	UpdateStart: "update_start", UpdateEnd: "update_end",
	ComputeConstructStart: "compute_construct_start", ComputeConstructEnd: "compute_construct_end",
	EnqueueLaunchStart: "enqueue_launch_start", EnqueueLaunchEnd: "enqueue_launch_end",
	EnqueueUploadStart: "enqueue_upload_start", EnqueueUploadEnd: "enqueue_upload_end",
	EnqueueDownloadStart: "enqueue_download_start", EnqueueDownloadEnd: "enqueue_download_end",
	WaitStart: "wait_start", WaitEnd: "wait_end", Error: "error",
}

// spanNames are what a start and its end are called together.
var spanNames = map[int32]string{
	DeviceInitStart: "device_init", DeviceShutdownStart: "device_shutdown", EnterDataStart: "enter_data",
	ExitDataStart: "exit_data", UpdateStart: "update", ComputeConstructStart: "compute_construct",
	EnqueueLaunchStart: "enqueue_launch", EnqueueUploadStart: "enqueue_upload",
	EnqueueDownloadStart: "enqueue_download", WaitStart: "wait",
}

// constructNames are the names of acc_construct_t without acc_construct_
// (OpenACC 3.3 §5.2.2).
var constructNames = [...]string{
	"parallel", "kernels", "loop", "data", "enter_data", "exit_data", "host_data", "atomic", "declare",
	"init", "shutdown", "set", "update", "routine", "wait", "runtime_api", "serial",
}

var activityNames = [...]string{"", "kernel", "upload", "download", "copy", "fill"}

// KindName is the name of an acc_event_t without acc_ev_, "" for a number that
// the specification does not have.
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

// Kinds calls f for every event the specification has, with its name.
func Kinds(f func(kind int32, name, span string)) {
	for kind, name := range kindNames {
		f(kind, name, SpanName(kind))
	}
}

// IsStart says whether an event opens a pair.
func IsStart(kind int32) bool {
	switch kind {
	case DeviceInitStart, DeviceShutdownStart, EnterDataStart, ExitDataStart, UpdateStart, ComputeConstructStart,
		EnqueueLaunchStart, EnqueueUploadStart, EnqueueDownloadStart, WaitStart:
		return true
	}
	return false
}

// IsEnd says whether an event closes a pair; its start is the number before it.
func IsEnd(kind int32) bool { return IsStart(kind - 1) }

// IsData says whether the event carries a variable: acc_data_event_info
// (OpenACC 3.3 §5.2.2).
func IsData(kind int32) bool {
	return kind >= Create && kind <= Free || kind >= EnqueueUploadStart && kind <= EnqueueDownloadEnd
}

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
