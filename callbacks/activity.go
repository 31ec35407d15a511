package callbacks

// ActivityName is the name that acc_prof_lookup answers with device activity
// (runtime/include/accscope_activity.h, which documents what the types below
// hold; their layout is that of the C structs).
const ActivityName = "accscope_device_activity_v1"

// ActivityKind is enum accscope_activity_kind.
type ActivityKind int32

// Kinds of device activity.
const (
	ActivityKernel   ActivityKind = 1
	ActivityUpload   ActivityKind = 2
	ActivityDownload ActivityKind = 3
	ActivityCopy     ActivityKind = 4
	ActivityFill     ActivityKind = 5
	ActivityWait     ActivityKind = 6
	ActivityWarning  ActivityKind = 7
	ActivityExposed  ActivityKind = 8
	ActivityUnused   ActivityKind = 9
	ActivityFinding  ActivityKind = 10
	ActivityCounts   ActivityKind = 11
)

var activityKindNames = map[ActivityKind]string{
	ActivityKernel:   "accscope_activity_kernel",
	ActivityUpload:   "accscope_activity_upload",
	ActivityDownload: "accscope_activity_download",
	ActivityCopy:     "accscope_activity_copy",
	ActivityFill:     "accscope_activity_fill",
	ActivityWait:     "accscope_activity_wait",
	ActivityWarning:  "accscope_activity_warning",
	ActivityExposed:  "accscope_activity_exposed",
	ActivityUnused:   "accscope_activity_unused",
	ActivityFinding:  "accscope_activity_finding",
	ActivityCounts:   "accscope_activity_counts",
}

// String returns the header's name.
func (k ActivityKind) String() string {
	return name(activityKindNames, k, "enum accscope_activity_kind")
}

// ActivityGiver is enum accscope_activity_giver: who gave a dimension of a launch's geometry.
type ActivityGiver int32

// Givers of a dimension.
const (
	GiverUnknown     ActivityGiver = 0
	GiverCompiler    ActivityGiver = 1 // fixed in the device code
	GiverClause      ActivityGiver = 2 // evaluated at run time
	GiverEnvironment ActivityGiver = 3 // GOMP_OPENACC_DIM
	GiverChosen      ActivityGiver = 4 // it was left open
)

var activityGiverNames = map[ActivityGiver]string{
	GiverUnknown:     "accscope_activity_giver_unknown",
	GiverCompiler:    "accscope_activity_giver_compiler",
	GiverClause:      "accscope_activity_giver_clause",
	GiverEnvironment: "accscope_activity_giver_environment",
	GiverChosen:      "accscope_activity_giver_chosen",
}

// String returns the header's name.
func (g ActivityGiver) String() string {
	return name(activityGiverNames, g, "enum accscope_activity_giver")
}

// ActivityRecord is struct accscope_activity_record: one operation that a device
// has finished. Times are in nanoseconds.
type ActivityRecord struct {
	Size         uint32
	Kind         ActivityKind
	DeviceType   DeviceType
	DeviceNumber int32
	Async        int64
	AsyncQueue   int64
	Bytes        uint64
	Correlation  uint64
	DeviceStart  int64 // on the device's clock
	DeviceEnd    int64
	HostStart    int64 // mapped to CLOCK_MONOTONIC
	HostEnd      int64
	Name         CString
	AwaitedQueue int64 // of a wait; the place, of a wait or a warning
	SrcFile      CString
	LineNo       int32
	Flags        uint32
	Peer         int32 // of a copy with ActivityPeer: number of the device that it went to
	GangsBy      uint8 // of a kernel: ActivityGiver of each dimension
	WorkersBy    uint8
	VectorBy     uint8
	_            uint8
}

// ActivityPageable is a flag of transfers from and to pageable memory of the host
// (ACCSCOPE_ACTIVITY_PAGEABLE), ActivityPeer one of copies to another device
// (ACCSCOPE_ACTIVITY_PEER).
const (
	ActivityPageable = 1
	ActivityPeer     = 2
)

// ActivitySubscriber is struct accscope_activity_subscriber.
type ActivitySubscriber struct {
	Size    uint32
	Kinds   uint32  // sum of 1 << kind; 0 for all
	Record  uintptr // void (*) (void *, const struct accscope_activity_record *)
	Context uintptr
}

// ActivityClock is struct accscope_activity_clock.
type ActivityClock struct {
	Size   uint32
	_      uint32
	Device int64
	Host   int64
	Drift  int64 // parts in 10^9
}

// ActivityMapping is struct accscope_activity_mapping: one live entry of a
// present table.
type ActivityMapping struct {
	Size         uint32
	DeviceType   DeviceType
	DeviceNumber int32
	Attached     uint32
	HostPtr      uintptr
	DevicePtr    uintptr
	Bytes        uint64
	Structured   uint64
	Dynamic      uint64
	Name         CString
}

// ActivityQueue is struct accscope_activity_queue: one activity queue in use.
type ActivityQueue struct {
	Size         uint32
	DeviceType   DeviceType
	DeviceNumber int32
	_            uint32
	Async        int64
	AsyncQueue   int64
	Pending      uint64
}

// ActivityDevice is struct accscope_activity_device: what is known of a device.
type ActivityDevice struct {
	Size            uint32
	Multiprocessors uint32 // 0 if not known
	Memory          uint64 // bytes; 0 if not known
	Name            CString
	Vendor          CString
}
