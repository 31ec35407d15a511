package perfetto

// Field numbers of Perfetto's trace format (protos/perfetto/trace), as of v58.
const (
	tracePacket = 1

	packetTimestamp     = 8
	packetSequence      = 10
	packetTrackEvent    = 11
	packetInterned      = 12
	packetSequenceFlags = 13
	packetClockSnapshot = 6
	packetCompressed    = 50
	packetClock         = 58
	packetDefaults      = 59
	packetDescriptor    = 60
	packetAttributes    = 126
	packetPerfSample    = 66

	flagCleared = 1
	flagNeeds   = 2

	clockRealtime  = 1
	clockMonotonic = 3
	clockBoottime  = 6
	// Clocks of a sequence of ours, in nanoseconds since the trace's begin: readings
	// of the first are told as the time since the reading before.
	clockIncremental = 64
	clockAbsolute    = 65

	defaultsClock      = 58
	defaultsTrackEvent = 11
	defaultsTrack      = 11

	descriptorUUID     = 1
	descriptorName     = 2
	descriptorProcess  = 3
	descriptorThread   = 4
	descriptorParent   = 5
	descriptorCounter  = 8
	descriptorOrdering = 11
	descriptorRank     = 12
	descriptorMerge    = 15

	orderingExplicit = 3
	mergeNever       = 2

	processPID         = 1
	processCommandLine = 2
	processName        = 6

	threadPID  = 1
	threadTID  = 2
	threadName = 5

	counterUnit     = 3
	counterUnitName = 6
	unitBytes       = 3

	eventType        = 9
	eventNameIID     = 10
	eventCategoryIID = 3
	eventCounter     = 30
	eventExtraTracks = 31
	eventExtraValues = 12
	eventFlow        = 47
	eventFlowEnd     = 48
	eventAnnotation  = 4
	eventSourceIID   = 34

	typeBegin   = 1
	typeEnd     = 2
	typeInstant = 3
	typeCounter = 4

	annotationNameIID   = 1
	annotationBool      = 2
	annotationUint      = 3
	annotationInt       = 4
	annotationDouble    = 5
	annotationPointer   = 7
	annotationStringIID = 17

	internedCategories      = 1
	internedNames           = 2
	internedAnnotationNames = 3
	internedSources         = 4
	internedStrings         = 29
	internedFunctions       = 5
	internedFrames          = 6
	internedCallstacks      = 7
	internedMappingPaths    = 17
	internedSourcePaths     = 18
	internedMappings        = 19

	frameFunction  = 2
	frameMapping   = 3
	framePC        = 4
	frameSource    = 5
	frameLine      = 6
	callstackFrame = 2
	mappingPath    = 7

	samplePID       = 2
	sampleTID       = 3
	sampleCallstack = 4
	sampleMode      = 5
	modeUser        = 2

	entryIID        = 1
	entryName       = 2
	sourceFile      = 2
	sourceFunction  = 3
	sourceLine      = 4
	snapshotClocks  = 1
	snapshotPrimary = 2
	clockID         = 1
	clockTimestamp  = 2
	clockDeltas     = 3
	attributesEntry = 1
	attributeKey    = 1
	attributeLong   = 2
	attributeString = 3

	// Each track's events are a sequence of their own, in the order of time, whose
	// defaults name the track. Perfetto gives all slices of a sequence that
	// describes a thread to that thread: tracks are described on one without events.
	sequenceOfTheFile   = 1
	sequenceOfTheTracks = 2
	firstOfTheEvents    = 3
)
