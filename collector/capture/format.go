package capture

// Version is the capture format's version that this package reads. The layout
// is defined by format.h; the constants and offsets here repeat it and are held
// to it by a test. docs/capture-format.md explains it.
const Version = 3

const (
	processMagic = 0x3143525043434341
	chunkMagic   = 0x314b484343434341

	processFile = "process"
	infoFile    = "info"
	modulesFile = "modules"
	sitesFile   = "sites"
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
	eventBytes         = 8
	shortEventBytes    = 4
	siteBytes          = 40
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
	recordNone       = 0
	recordEvent      = 2
	recordString     = 4
	recordContext    = 6
	recordThread     = 8
	recordDropped    = 10
	recordSwitch     = 12
	recordActivity   = 14
	recordMapping    = 16
	recordThreadEnd  = 18
	recordSite       = 20
	recordDependency = 22
	recordDevice     = 24
)

// Flags of an event: the words that follow.
const (
	eventTicks       = 1
	eventPair        = 2
	eventFirst       = 4
	eventSecond      = 8
	eventThird       = 16
	eventCorrelation = 32
	eventDimensions  = 64
	eventStack       = 128
)

// Flags of a site.
const (
	siteData       = 1
	siteLaunch     = 2
	siteError      = 4
	siteStart      = 8
	siteEnd        = 16
	missingProfile = 256
	missingEvent   = 512
	missingAPI     = 1024
)

const (
	siteLimit = 65535
	openLimit = 16
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
