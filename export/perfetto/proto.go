package perfetto

import "google.golang.org/protobuf/encoding/protowire"

// message builds one protocol-buffer message. Only what Perfetto's schema needs
// is here: varints, fixed 64-bit values and length-delimited fields.
type message []byte

func (m *message) varint(v uint64) { *m = protowire.AppendVarint(*m, v) }

func (m *message) tag(field int, kind protowire.Type) {
	*m = protowire.AppendTag(*m, protowire.Number(field), kind)
}

func (m *message) uint(field int, v uint64) {
	m.tag(field, protowire.VarintType)
	m.varint(v)
}

func (m *message) int(field int, v int64) { m.uint(field, uint64(v)) }

func (m *message) fixed(field int, v uint64) {
	m.tag(field, protowire.Fixed64Type)
	*m = protowire.AppendFixed64(*m, v)
}

func (m *message) bytes(field int, v []byte) {
	m.tag(field, protowire.BytesType)
	*m = protowire.AppendBytes(*m, v)
}

func (m *message) string(field int, v string) {
	m.tag(field, protowire.BytesType)
	*m = protowire.AppendString(*m, v)
}
