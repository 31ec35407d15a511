package model

// UnknownSize is the first byte count that is not believed: libgomp reports 2^64-1
// where it does not know one, and no device has so much memory.
const UnknownSize = 1 << 56

// Size is a byte count for sums: 0 where it is not known.
func Size(bytes uint64) int64 {
	if bytes >= UnknownSize {
		return 0
	}
	return int64(bytes)
}
