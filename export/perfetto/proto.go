package perfetto

// message builds one protocol-buffer message. Only what Perfetto's schema needs
// is here: varints, fixed 64-bit values and length-delimited fields.
type message []byte

func (m *message) varint(v uint64) {
	for v >= 0x80 {
		*m = append(*m, byte(v)|0x80)
		v >>= 7
	}
	*m = append(*m, byte(v))
}

func (m *message) uint(field int, v uint64) {
	m.varint(uint64(field) << 3)
	m.varint(v)
}

func (m *message) int(field int, v int64) { m.uint(field, uint64(v)) }

func (m *message) bool(field int, v bool) {
	if v {
		m.uint(field, 1)
	} else {
		m.uint(field, 0)
	}
}

func (m *message) fixed(field int, v uint64) {
	m.varint(uint64(field)<<3 | 1)
	for shift := 0; shift < 64; shift += 8 {
		*m = append(*m, byte(v>>shift))
	}
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
