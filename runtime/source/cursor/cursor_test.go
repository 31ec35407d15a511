package cursor

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
		cutOff := len(c.bytes) == 0 || c.bytes[c.length-1]&0x80 != 0
		in := Cursor{Rest: c.bytes}
		if v, n := in.Unsigned(), len(c.bytes)-len(in.Rest); v != c.unsigned || n != c.length || in.Bad != cutOff {
			t.Errorf("% x: %d of %d bytes, want %d of %d", c.bytes, v, n, c.unsigned, c.length)
		}
		in = Cursor{Rest: c.bytes}
		if v, n := in.Signed(), len(c.bytes)-len(in.Rest); v != c.signed || n != c.length || in.Bad != cutOff {
			t.Errorf("% x, signed: %d of %d bytes, want %d of %d", c.bytes, v, n, c.signed, c.length)
		}
	}
}

func TestFixed(t *testing.T) {
	in := Cursor{Rest: []byte{0xfe, 0xff, 0xfe, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	if v, w := in.Fixed(2), in.SignedFixed(2); v != 0xfffe || w != -2 {
		t.Errorf("%#x and %d, want 0xfffe and -2", v, w)
	}
	if v := in.Fixed(8); v != 0x0807060504030201 || in.Bad {
		t.Errorf("%#x, cut off %v", v, in.Bad)
	}
	if b := in.Block(2); b != nil || !in.Bad || in.Fixed(1) != 0 {
		t.Errorf("2 bytes of 1: % x, cut off %v", b, in.Bad)
	}
}

// FuzzNumbers reads any bytes, as a library that reads such numbers does.
func FuzzNumbers(f *testing.F) {
	f.Add([]byte{0xe5, 0x8e, 0x26})
	f.Fuzz(func(t *testing.T, b []byte) {
		in, signed := Cursor{Rest: b}, Cursor{Rest: b}
		v := in.Unsigned()
		n := len(b) - len(in.Rest)
		if want, length := binary.Uvarint(b); length > 0 && (v != want || n != length) {
			t.Errorf("% x: %d of %d bytes, want %d of %d", b, v, n, want, length)
		}
		if signed.Signed(); len(signed.Rest) != len(in.Rest) {
			t.Errorf("% x: %d bytes left signed, %d unsigned", b, len(signed.Rest), len(in.Rest))
		}
	})
}
