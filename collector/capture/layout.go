// Code generated from format.h by go generate; DO NOT EDIT.

package capture

// The numbers and names of format.h.
const (
	version               = 3
	processMagic          = 3549771435977425729
	chunkMagic            = 3552012184840258369
	processFile           = "process"
	infoFile              = "info"
	modulesFile           = "modules"
	sitesFile             = "sites"
	chunkSmall            = 65536
	chunkLarge            = 1048576
	chunksSmall           = 4
	stringLimit           = 16383
	stackLimit            = 64
	dimensionLimit        = 8
	clockMonotonic        = 1
	clockCounter          = 2
	armed                 = 1
	disarmed              = 2
	switches              = 64
	kindRangeStart        = 40
	kindFrameStart        = 42
	kindMark              = 44
	kindMpiStart          = 46
	kindProcessRangeStart = 48
	endExit               = 1
	endQuickExit          = 2
	filterEvents          = 1
	filterBytes           = 2
	filterQueue           = 4
	flightBytes           = 8
	flightTime            = 16
	clockFirst            = 64
	clockLater            = 1024
	clockOffset           = 4096
	processSize           = 49152
	recordNone            = 0
	recordEvent           = 2
	recordString          = 4
	recordContext         = 6
	recordThread          = 8
	recordDropped         = 10
	recordSwitch          = 12
	recordActivity        = 14
	recordMapping         = 16
	recordThreadEnd       = 18
	recordSite            = 20
	recordDependency      = 22
	recordDevice          = 24
	recordWarning         = 26
	recordContent         = 28
	recordToggle          = 30
	eventTicks            = 1
	eventPair             = 2
	eventFirst            = 4
	eventSecond           = 8
	eventThird            = 16
	eventCorrelation      = 32
	eventDimensions       = 64
	eventStack            = 128
	siteData              = 1
	siteLaunch            = 2
	siteError             = 4
	siteStart             = 8
	siteEnd               = 16
	missingProfile        = 256
	missingEvent          = 512
	missingAPI            = 1024
	siteLimit             = 65535
	openLimit             = 16
	stringCut             = 1
	toggleThread          = 1
	activityPageable      = 1
	activityPeer          = 2
	activityBy            = 4
	activityByBits        = 3
	warningExposed        = 1
	warningUnused         = 2
	warningFinding        = 4
	warningCounts         = 8
	contentOverwritten    = 1
	sizeOfShortEvent      = 4
)

// The size of struct capture_clock, and where its fields are, in bytes.
const (
	sizeOfClock        = 40
	atClockNumber      = 0
	atClockTicks       = 8
	atClockMonotonic   = 16
	atClockRealtime    = 24
	atClockUncertainty = 32
)

// The size of struct capture_process, and where its fields are, in bytes.
const (
	sizeOfProcess              = 720
	atProcessMagic             = 0
	atProcessVersion           = 8
	atProcessHeaderBytes       = 12
	atProcessArmed             = 16
	atProcessFilters           = 20
	atProcessPID               = 24
	atProcessParentPID         = 28
	atProcessStartTicks        = 32
	atProcessClock             = 40
	atProcessEnded             = 44
	atProcessEndTicks          = 48
	atProcessLimitBytes        = 56
	atProcessAllocatedBytes    = 64
	atProcessRecycledBytes     = 72
	atProcessReleasedBytes     = 80
	atProcessDroppedSpace      = 88
	atProcessDroppedNested     = 96
	atProcessDroppedThreads    = 104
	atProcessWaits             = 112
	atProcessWaitNanoseconds   = 120
	atProcessThreads           = 128
	atProcessRings             = 136
	atProcessClockReadings     = 144
	atProcessLastBytes         = 152
	atProcessLastNanoseconds   = 160
	atProcessMinimumBytes      = 168
	atProcessEventMask         = 176
	atProcessExitStatus        = 184
	atProcessDroppedOperations = 192
	atProcessTellsToggles      = 200
	atProcessSwitched          = 208
)

// The size of struct capture_chunk, and where its fields are, in bytes.
const (
	sizeOfChunk        = 128
	atChunkMagic       = 0
	atChunkVersion     = 8
	atChunkHeaderBytes = 12
	atChunkIndex       = 16
	atChunkBytes       = 24
	atChunkCommitted   = 32
	atChunkThread      = 40
	atChunkTID         = 48
	atChunkLevel       = 52
	atChunkSequence    = 56
	atChunkDropped     = 64
	atChunkClock       = 72
	atChunkReserved    = 112
)

// The size of struct capture_record, and where its fields are, in bytes.
const (
	sizeOfRecord  = 8
	atRecordType  = 0
	atRecordZero  = 1
	atRecordFlags = 2
	atRecordBytes = 4
)

// The size of struct capture_event, and where its fields are, in bytes.
const (
	sizeOfEvent  = 8
	atEventType  = 0
	atEventFlags = 1
	atEventSite  = 2
	atEventTicks = 4
	atEventWords = 8
)

// The size of struct capture_site, and where its fields are, in bytes.
const (
	sizeOfSite       = 40
	atSiteRecord     = 0
	atSiteNumber     = 8
	atSiteContext    = 12
	atSiteKind       = 16
	atSiteParent     = 20
	atSiteImplicit   = 24
	atSiteEventBytes = 28
	atSiteName       = 32
	atSiteZero       = 36
)

// The size of struct capture_context, and where its fields are, in bytes.
const (
	sizeOfContext          = 112
	atContextRecord        = 0
	atContextNumber        = 8
	atContextVersion       = 12
	atContextDeviceType    = 16
	atContextDeviceNumber  = 20
	atContextThreadID      = 24
	atContextLine          = 28
	atContextEndLine       = 32
	atContextFunctionLine  = 36
	atContextFunctionEnd   = 40
	atContextProfileBytes  = 44
	atContextAsync         = 48
	atContextAsyncQueue    = 56
	atContextSourceFile    = 64
	atContextFunction      = 68
	atContextAPI           = 72
	atContextAPIBytes      = 76
	atContextAPIDeviceType = 80
	atContextVendor        = 84
	atContextDeviceHandle  = 88
	atContextContextHandle = 96
	atContextAsyncHandle   = 104
)

// The size of struct capture_string, and where its fields are, in bytes.
const (
	sizeOfString   = 16
	atStringRecord = 0
	atStringNumber = 8
	atStringLength = 12
	atStringText   = 16
)

// The size of struct capture_thread, and where its fields are, in bytes.
const (
	sizeOfThread     = 56
	atThreadRecord   = 0
	atThreadThread   = 8
	atThreadTID      = 16
	atThreadLevel    = 20
	atThreadSequence = 24
	atThreadTicks    = 32
	atThreadName     = 40
)

// The size of struct capture_thread_end, and where its fields are, in bytes.
const (
	sizeOfThreadEnd   = 16
	atThreadEndRecord = 0
	atThreadEndTicks  = 8
)

// The size of struct capture_dropped, and where its fields are, in bytes.
const (
	sizeOfDropped       = 32
	atDroppedRecord     = 0
	atDroppedCount      = 8
	atDroppedFirstTicks = 16
	atDroppedLastTicks  = 24
)

// The size of struct capture_switch, and where its fields are, in bytes.
const (
	sizeOfSwitch   = 24
	atSwitchRecord = 0
	atSwitchTicks  = 8
	atSwitchArmed  = 16
)

// The size of struct capture_toggle, and where its fields are, in bytes.
const (
	sizeOfToggle   = 24
	atToggleRecord = 0
	atToggleTicks  = 8
	atToggleOff    = 16
)

// The size of struct capture_activity, and where its fields are, in bytes.
const (
	sizeOfActivity         = 96
	atActivityRecord       = 0
	atActivityTicks        = 8
	atActivityCorrelation  = 16
	atActivityKind         = 24
	atActivityDeviceType   = 28
	atActivityDeviceNumber = 32
	atActivityName         = 36
	atActivityAsync        = 40
	atActivityAsyncQueue   = 48
	atActivityBytes        = 56
	atActivityStart        = 64
	atActivityEnd          = 72
	atActivityDeviceStart  = 80
	atActivityDeviceEnd    = 88
)

// The size of struct capture_activity_peer, and where its fields are, in bytes.
const (
	sizeOfActivityPeer       = 112
	atActivityPeerActivity   = 0
	atActivityPeerNumber     = 96
	atActivityPeerLine       = 100
	atActivityPeerSourceFile = 104
	atActivityPeerZero       = 108
)

// The size of struct capture_dependency, and where its fields are, in bytes.
const (
	sizeOfDependency         = 56
	atDependencyRecord       = 0
	atDependencyTicks        = 8
	atDependencyQueue        = 16
	atDependencyAwaited      = 24
	atDependencyTime         = 32
	atDependencyDeviceType   = 40
	atDependencyDeviceNumber = 44
	atDependencySourceFile   = 48
	atDependencyLine         = 52
)

// The size of struct capture_device, and where its fields are, in bytes.
const (
	sizeOfDevice         = 40
	atDeviceRecord       = 0
	atDeviceTicks        = 8
	atDeviceMemory       = 16
	atDeviceDeviceType   = 24
	atDeviceDeviceNumber = 28
	atDeviceName         = 32
	atDeviceVendor       = 36
)

// The size of struct capture_warning, and where its fields are, in bytes.
const (
	sizeOfWarning       = 32
	atWarningRecord     = 0
	atWarningTicks      = 8
	atWarningText       = 16
	atWarningSourceFile = 20
	atWarningLine       = 24
	atWarningZero       = 28
)

// The size of struct capture_content, and where its fields are, in bytes.
const (
	sizeOfContent        = 48
	atContentRecord      = 0
	atContentTicks       = 8
	atContentThread      = 16
	atContentSequence    = 24
	atContentHash        = 32
	atContentOverwritten = 40
)

// The size of struct capture_site_call, and where its fields are, in bytes.
const (
	sizeOfSiteCall          = 32
	atSiteCallBytes         = 0
	atSiteCallNumber        = 4
	atSiteCallFirst         = 8
	atSiteCallReserved      = 12
	atSiteCallReturnAddress = 16
	atSiteCallFunction      = 24
)

// The size of struct capture_mapping, and where its fields are, in bytes.
const (
	sizeOfMapping         = 72
	atMappingRecord       = 0
	atMappingTicks        = 8
	atMappingHost         = 16
	atMappingDevice       = 24
	atMappingBytes        = 32
	atMappingDeviceType   = 40
	atMappingDeviceNumber = 44
	atMappingName         = 48
	atMappingAttached     = 52
	atMappingStructured   = 56
	atMappingDynamic      = 64
)
