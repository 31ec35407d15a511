package perfetto

import (
	"encoding/binary"
	"math/bits"
)

// message builds one protocol-buffer message. Only what Perfetto's schema needs
// is here: varints, fixed 64-bit values and length-delimited fields.
type message []byte

func (m *message) varint(v uint64) {
	if v < 0x80 {
		*m = append(*m, byte(v))
		return
	}
	*m = binary.AppendUvarint(*m, v)
}

// varintSize is the number of bytes of a varint.
func varintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

func (m *message) uint(field int, v uint64) {
	m.varint(uint64(field) << 3)
	m.varint(v)
}

func (m *message) int(field int, v int64) { m.uint(field, uint64(v)) }

func (m *message) fixed(field int, v uint64) {
	m.varint(uint64(field)<<3 | 1)
	*m = binary.LittleEndian.AppendUint64(*m, v)
}

func (m *message) bytes(field int, v []byte) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(v)))
	*m = append(*m, v...)
}

func (m *message) string(field int, v string) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(v)))
	*m = append(*m, v...)
}
