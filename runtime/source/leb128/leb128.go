// Package leb128 decodes numbers of variable length (DWARF 5 §7.6).
package leb128

// Unsigned decodes an unsigned LEB128 number and tells its length, len(b) when the
// number is cut off.
func Unsigned(b []byte) (uint64, int) {
	var v uint64
	for i := 0; i < len(b); i++ {
		if i < 10 {
			v |= uint64(b[i]&0x7f) << (7 * i)
		}
		if b[i]&0x80 == 0 {
			return v, i + 1
		}
	}
	return v, len(b)
}

// Signed decodes a signed LEB128 number.
func Signed(b []byte) (int64, int) {
	var v int64
	for i := 0; i < len(b); i++ {
		if i < 10 {
			v |= int64(b[i]&0x7f) << (7 * i)
		}
		if b[i]&0x80 == 0 {
			if shift := 7 * (i + 1); shift < 64 && b[i]&0x40 != 0 {
				v |= -1 << shift
			}
			return v, i + 1
		}
	}
	return v, len(b)
}
