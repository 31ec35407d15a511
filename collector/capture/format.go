package capture

//go:generate go run ./layout layout.go

// Version is the capture format's version that this package reads. format.h
// defines the format, and layout.go is made of it; docs/capture-format.md explains
// it.
const Version = version

// Kinds of events beyond acc_event_t: the program's own. The end of a start is the next
// number.
const (
	RangeStart int32 = kindRangeStart
	FrameStart int32 = kindFrameStart
	Mark       int32 = kindMark
	MPIStart   int32 = kindMpiStart
	// ProcessRangeStart begins a range that may end on another thread; Event.Device is its
	// number.
	ProcessRangeStart int32 = kindProcessRangeStart
)

// A ring's file is called this and its number.
const ringPrefix = "ring-"

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
