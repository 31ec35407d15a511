package leb128

import (
	"encoding/binary"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		bytes    []byte
		unsigned uint64
		signed   int64
		length   int
	}{
		{[]byte{0x02, 0xff}, 2, 2, 1},
		{[]byte{0x7f}, 127, -1, 1},
		{[]byte{0x80, 0x01}, 128, 128, 2},
		{[]byte{0x80, 0x7f}, 16256, -128, 2}, // DWARF 5, figure 22
		{[]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 1<<64 - 1, -1, 10},
		{[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 0, 0, 12}, // longer than need be
		{[]byte{0x85, 0x81}, 133, 133, 2}, // cut off
		{nil, 0, 0, 0},
	} {
		if v, n := Unsigned(c.bytes); v != c.unsigned || n != c.length {
			t.Errorf("% x: %d of %d bytes, want %d of %d", c.bytes, v, n, c.unsigned, c.length)
		}
		if v, n := Signed(c.bytes); v != c.signed || n != c.length {
			t.Errorf("% x, signed: %d of %d bytes, want %d of %d", c.bytes, v, n, c.signed, c.length)
		}
	}
}

// FuzzNumbers reads any bytes, as a library that reads such numbers does.
func FuzzNumbers(f *testing.F) {
	f.Add([]byte{0xe5, 0x8e, 0x26})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, n := Unsigned(b)
		if n > len(b) {
			t.Fatalf("%d bytes of %d", n, len(b))
		}
		if want, length := binary.Uvarint(b); length > 0 && (v != want || n != length) {
			t.Errorf("% x: %d of %d bytes, want %d of %d", b, v, n, want, length)
		}
		if _, signed := Signed(b); signed != n {
			t.Errorf("% x: %d bytes signed, %d unsigned", b, signed, n)
		}
	})
}
