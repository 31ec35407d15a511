package perfettotest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// field is one field of a message: a number, or the bytes of a length-delimited
// one.
type field struct {
	number int
	wire   int
	value  uint64
	data   []byte
}

// fields splits a message.
func fields(data []byte) (list []field, err error) {
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		f := field{number: int(number), wire: int(wire)}
		if n > 0 {
			data = data[n:]
			switch wire {
			case protowire.VarintType:
				f.value, n = protowire.ConsumeVarint(data)
			case protowire.Fixed64Type:
				f.value, n = protowire.ConsumeFixed64(data)
			case protowire.BytesType:
				f.data, n = protowire.ConsumeBytes(data)
			default:
				return nil, fmt.Errorf("field %d has wire type %d", number, wire)
			}
		}
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		list, data = append(list, f), data[n:]
	}
	return list, nil
}

// The fields that a message may have, with their wire types (0 a varint, 1
// eight bytes, 2 length-delimited): docs of the schema are Perfetto's
// protos/perfetto/trace, v58.
type schema map[int]int

var (
	packetFields     = schema{6: 2, 8: 0, 10: 0, 11: 2, 12: 2, 13: 0, 50: 2, 53: 2, 58: 0, 66: 2, 59: 2, 60: 2, 126: 2, 128: 2}
	defaultsFields   = schema{11: 2, 58: 0}
	eventDefaults    = schema{11: 0}
	attributesFields = schema{1: 2}
	attributeFields  = schema{1: 2, 2: 0, 3: 2}
	snapshotFields   = schema{1: 2, 2: 0}
	clockFields      = schema{1: 0, 2: 0, 3: 0}
	trackFields      = schema{1: 0, 2: 2, 3: 2, 4: 2, 5: 0, 8: 2, 11: 0, 12: 0, 15: 0}
	processFields    = schema{1: 0, 2: 2, 6: 2}
	threadFields     = schema{1: 0, 2: 0, 5: 2}
	counterFields    = schema{3: 0, 6: 2}
	eventFields      = schema{3: 0, 4: 2, 9: 0, 10: 0, 11: 0, 12: 0, 30: 0, 31: 0, 34: 0, 47: 1, 48: 1}
	annotationFields = schema{1: 0, 2: 0, 3: 0, 4: 0, 5: 1, 7: 0, 17: 0}
	internedFields   = schema{1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 2, 17: 2, 18: 2, 19: 2, 29: 2}
	stringFields     = schema{1: 0, 2: 2}
	sourceFields     = schema{1: 0, 2: 2, 3: 2, 4: 0}
	sampleFields     = schema{2: 0, 3: 0, 4: 0, 5: 0}
	frameFields      = schema{1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0}
	callstackFields  = schema{1: 0, 2: 0}
	mappingFields    = schema{1: 0, 7: 0}
)

// message is a decoded message.
type message []field

// decode splits a message and holds it against its schema.
func decode(data []byte, known schema) (message, error) {
	list, err := fields(data)
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		if wire, ok := known[f.number]; !ok || wire != f.wire {
			return nil, fmt.Errorf("field %d of wire type %d is unknown", f.number, f.wire)
		}
	}
	return list, nil
}

func (m message) find(number int) (field, bool) {
	for _, f := range m {
		if f.number == number {
			return f, true
		}
	}
	return field{}, false
}

// number is a field's number, 0 where it is not set.
func (m message) number(n int) uint64 {
	f, _ := m.find(n)
	return f.value
}

func (m message) text(n int) string {
	f, _ := m.find(n)
	return string(f.data)
}
