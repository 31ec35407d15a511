package capture

import (
	"encoding/binary"
	"slices"
	"testing"
)

// TestSettled looks twice at a table of clock readings, in which the recording process
// writes between the looks, or while one is taken.
func TestSettled(t *testing.T) {
	table := func(entries ...[2]uint64) []byte { // numbers, and ticks
		b := make([]byte, len(entries)*sizeOfClock)
		for i, e := range entries {
			binary.LittleEndian.PutUint64(b[i*sizeOfClock+atClockNumber:], e[0])
			binary.LittleEndian.PutUint64(b[i*sizeOfClock+atClockTicks:], e[1])
		}
		return b
	}
	whole := table([2]uint64{1, 100}, [2]uint64{2, 200}, [2]uint64{3, 300})
	for _, c := range []struct {
		name          string
		first, second []byte
		known, total  uint64
		want          []uint64 // ticks
	}{
		{"all", whole, whole, 0, 3, []uint64{100, 200, 300}},
		{"those not known", whole, whole, 1, 3, []uint64{200, 300}},
		{"one written since they were counted", whole, whole, 0, 2, []uint64{100, 200}},
		{"none", nil, nil, 0, 0, nil},
		{"one that another replaces", table([2]uint64{1, 900}, [2]uint64{2, 200}), table([2]uint64{0, 900}, [2]uint64{2, 200}), 0, 2, []uint64{200}},
		{"one that another has replaced", table([2]uint64{1, 900}, [2]uint64{2, 200}), table([2]uint64{9, 900}, [2]uint64{2, 200}), 0, 8, []uint64{200}},
		{"a file that ends in one", whole, whole[:2*sizeOfClock+8], 0, 3, []uint64{100, 200}},
	} {
		var got []uint64
		for _, r := range settled(c.first, c.second, c.known, c.total) {
			got = append(got, r.ticks)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: readings at %d, want %d", c.name, got, c.want)
		}
	}
}
