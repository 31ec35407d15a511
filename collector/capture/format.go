package capture

// Version is the capture format's version that this package reads. The layout
// is defined by format.h; the constants and offsets here repeat it and are held
// to it by a test. docs/capture-format.md explains it.
const Version = 1

const (
	processMagic = 0x3143525043434341
	chunkMagic   = 0x314b484343434341

	processFile = "process"
	infoFile    = "info"
	modulesFile = "modules"
	ringPrefix  = "ring-"

	chunkSmall  = 65536
	chunkLarge  = 1048576
	chunksSmall = 4

	stackLimit     = 64
	dimensionLimit = 8

	clockMonotonic = 1
	clockCounter   = 2

	endExit = 1

	clockFirst  = 64
	clockLater  = 1024
	clockOffset = 4096
	processSize = 49152
)

// Sizes of the fixed parts, in bytes.
const (
	processHeaderBytes = 184
	chunkHeaderBytes   = 128
	clockBytes         = 40
	recordBytes        = 8
	eventBytes         = 48
	contextBytes       = 112
	stringBytes        = 16
	threadBytes        = 56
	threadEndBytes     = 16
	droppedBytes       = 32
	switchBytes        = 24
	activityBytes      = 96
	mappingBytes       = 72
	dependencyBytes    = 56
	deviceBytes        = 40
)

// Places in the file "process", in bytes.
const (
	processVersion   = 8
	processArmed     = 16
	processPID       = 24
	processParent    = 28
	processStart     = 32
	processClock     = 40
	processEnded     = 44
	processEndTicks  = 48
	processLimit     = 56
	processAllocated = 64
	processRecycled  = 72
	processReleased  = 80
	processNoSpace   = 88
	processNested    = 96
	processNoThread  = 104
	processWaits     = 112
	processWaited    = 120
	processThreads   = 128
	processRings     = 136
	processReadings  = 144
	processLastBytes = 152
	processLastTime  = 160
	processMinimum   = 168
)

// Places in a chunk's header, in bytes.
const (
	chunkVersion   = 8
	chunkHeader    = 12
	chunkIndex     = 16
	chunkBytes     = 24
	chunkCommitted = 32
	chunkThread    = 40
	chunkTID       = 48
	chunkLevel     = 52
	chunkSequence  = 56
	chunkClock     = 72
)

// Record types.
const (
	recordEvent      = 1
	recordString     = 2
	recordContext    = 3
	recordThread     = 4
	recordDropped    = 5
	recordSwitch     = 6
	recordActivity   = 7
	recordMapping    = 8
	recordThreadEnd  = 9
	recordDependency = 10
	recordDevice     = 11
)

// Flags of an event record.
const (
	eventData        = 1
	eventLaunch      = 2
	eventError       = 4
	eventDimensions  = 8
	eventStack       = 16
	eventCorrelation = 32
	missingProfile   = 256
	missingEvent     = 512
	missingAPI       = 1024
)

// chunkSize is the size of a ring file's chunk, in bytes, by its index.
func chunkSize(index int64) int64 {
	if index < chunksSmall {
		return chunkSmall
	}
	return chunkLarge
}

// chunkOffset is where in the ring file a chunk begins.
func chunkOffset(index int64) int64 {
	if index <= chunksSmall {
		return index * chunkSmall
	}
	return chunksSmall*chunkSmall + (index-chunksSmall)*chunkLarge
}

// chunkAt is the index of the chunk that holds a file offset.
func chunkAt(offset int64) int64 {
	if offset < chunksSmall*chunkSmall {
		return offset / chunkSmall
	}
	return chunksSmall + (offset-chunksSmall*chunkSmall)/chunkLarge
}
