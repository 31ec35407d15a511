package archive

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strings"
)

// undefined is the one byte that stands for an unsigned number whose bits are all set.
const undefined = 0xff

// appendUint64 writes an unsigned number: how many bytes it takes, then those, the
// lowest first.
func appendUint64(b []byte, v uint64) []byte {
	if v == math.MaxUint64 {
		return append(b, undefined)
	}
	return appendBytes(b, v)
}

// appendUint32 is appendUint64 of 32 bits: the greatest of these is undefined.
func appendUint32(b []byte, v uint32) []byte {
	if v == math.MaxUint32 {
		return append(b, undefined)
	}
	return appendBytes(b, uint64(v))
}

// appendInt64 writes a signed number: a negative one takes all eight bytes.
func appendInt64(b []byte, v int64) []byte { return appendBytes(b, uint64(v)) }

func appendBytes(b []byte, v uint64) []byte {
	size := (bits.Len64(v) + 7) / 8
	b = append(b, byte(size))
	for range size {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// appendString writes a text and the zero byte that ends it.
func appendString(b []byte, text string) []byte { return append(append(b, text...), 0) }

// longestText is how much of a text is kept: a definition must fit into a chunk.
const longestText = 64 << 10

// plain is a text as a definition can hold it: UTF-8 without a zero byte.
func plain(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if strings.IndexByte(text, 0) >= 0 {
		text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	}
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") // a character that the cut parted
	}
	return text
}

// appendRecord writes a record: its kind, its length and what it holds. A length of 255
// or more takes eight bytes behind one that says so.
func appendRecord(b []byte, kind byte, payload []byte) []byte {
	b = append(b, kind)
	if len(payload) < undefined {
		b = append(b, byte(len(payload)))
	} else {
		b = binary.LittleEndian.AppendUint64(append(b, undefined), uint64(len(payload)))
	}
	return append(b, payload...)
}
