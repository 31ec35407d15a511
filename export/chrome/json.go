package chrome

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/accscope/accscope/export"
)

func appendInt(b []byte, v int64) []byte   { return strconv.AppendInt(b, v, 10) }
func appendUint(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }

// appendAddress writes an address as text: a JSON number would lose digits.
func appendAddress(b []byte, v uint64) []byte {
	return append(strconv.AppendUint(append(b, `"0x`...), v, 16), '"')
}

// appendMicroseconds writes nanoseconds as microseconds without rounding.
func appendMicroseconds(b []byte, ns int64) []byte {
	if ns < 0 {
		b = append(b, '-')
		ns = -ns
	}
	b = appendInt(b, ns/1000)
	if rest := ns % 1000; rest != 0 {
		b = append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
	return b
}

func quote(text string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil { // a string always has a form
		return []byte(`""`)
	}
	return quoted
}

// named is the name, category and arguments of an event, the arguments left
// open.
func named(name, category string, fields []export.Field) ([]byte, error) {
	b := append([]byte(`,"name":`), quote(name)...)
	b = append(append(b, `,"cat":`...), quote(category)...)
	b = append(b, `,"args":{`...)
	for i, f := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(f.Name)...), ':')
		if address, ok := f.Value.(export.Address); ok {
			b = appendAddress(b, uint64(address))
			continue
		}
		encoded, err := json.Marshal(f.Value)
		if err != nil {
			return nil, fmt.Errorf("encoding %s: %w", f.Name, err)
		}
		b = append(b, encoded...)
	}
	return b, nil
}
