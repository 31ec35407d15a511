package source

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/accscope/accscope/runtime/source/machine"
)

// TestValueInFrame reads a value that several words of a frame had at a call, one
// of which the function called may have changed. The answer is the same however
// often it is asked for, and none rather than a guess.
func TestValueInFrame(t *testing.T) {
	const frame, buffer = 0x7fff0000, 0x5000
	had := machine.Value{Root: machine.Computed, Slot: 7}
	for _, c := range []struct {
		name  string
		words map[int64]uint64 // by offset in the frame; all had the value, plus 8 each
		want  int64            // 0: unknown
	}{
		{"one word", map[int64]uint64{-16: buffer + 8}, buffer},
		{"words that agree", map[int64]uint64{-16: buffer + 8, -32: buffer + 8, -48: buffer + 8}, buffer},
		{"a changed word", map[int64]uint64{-16: buffer + 8, -32: 0x9000, -48: buffer + 8}, 0},
		{"no word", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &machine.State{Slots: map[int64]machine.Cell{-64: {V: machine.Value{Root: machine.Computed, Slot: 8}, Size: 8}}}
			for at := range c.words {
				s.Slots[at] = machine.Cell{V: had.Plus(8), Size: 8}
			}
			f := &Frame{cfa: machine.Number(frame), read: func(address uint64, to []byte) error {
				word, ok := c.words[int64(address)-frame]
				if !ok {
					return errors.New("not a word of the frame")
				}
				binary.LittleEndian.PutUint64(to, word)
				return nil
			}}
			for range 100 { // Go's maps have no order
				if n, ok := f.inFrame(s, had); n != c.want && ok || ok != (c.want != 0) {
					t.Fatalf("got %#x, %v; want %#x", n, ok, c.want)
				}
			}
		})
	}
}
