package capture

import (
	"encoding/binary"
	"sort"
)

// reading is one simultaneous look at the recording host's three clocks.
type reading struct {
	ticks     uint64
	monotonic int64
	realtime  int64
}

// clock maps ticks to CLOCK_MONOTONIC. It is immutable; more readings make a
// new one.
type clock struct {
	counter  bool      // ticks are of a counter; else they are nanoseconds
	readings []reading // by ticks, and strictly increasing in both clocks
	slope    float64   // nanoseconds a tick, outside the readings
}

func decodeReading(b []byte) (number uint64, r reading) {
	le := binary.LittleEndian
	return le.Uint64(b), reading{
		ticks:     le.Uint64(b[atClockTicks:]),
		monotonic: int64(le.Uint64(b[atClockMonotonic:])),
		realtime:  int64(le.Uint64(b[atClockRealtime:])),
	}
}

// settled are the readings of the table with numbers above known, up to total, of two looks
// at it. The recording process takes a reading's number away before it writes another
// reading in its place, so one whose number is the same in both looks is whole in the first.
func settled(first, second []byte, known, total uint64) (fresh []reading) {
	for at := 0; at+sizeOfClock <= min(len(first), len(second)); at += sizeOfClock {
		number, r := decodeReading(first[at:])
		if again, _ := decodeReading(second[at:]); again == number && number > known && number <= total {
			fresh = append(fresh, r)
		}
	}
	return fresh
}

// with returns a clock that also knows the given readings.
func (c *clock) with(more []reading) *clock {
	all := make([]reading, 0, len(c.readings)+len(more))
	all = append(append(all, c.readings...), more...)
	sort.Slice(all, func(i, j int) bool { return all[i].ticks < all[j].ticks })
	kept := all[:0]
	for _, r := range all {
		if n := len(kept); n == 0 || r.ticks > kept[n-1].ticks && r.monotonic > kept[n-1].monotonic {
			kept = append(kept, r)
		}
	}
	next := &clock{counter: c.counter, readings: kept, slope: 1}
	if n := len(kept); n > 1 {
		next.slope = float64(kept[n-1].monotonic-kept[0].monotonic) / float64(kept[n-1].ticks-kept[0].ticks)
	}
	return next
}

// monotonic converts ticks to nanoseconds of CLOCK_MONOTONIC.
func (c *clock) monotonic(ticks uint64) int64 {
	if !c.counter {
		return int64(ticks)
	}
	n := len(c.readings)
	if n == 0 {
		return int64(ticks)
	}
	last := &c.readings[n-1]
	if ticks >= last.ticks {
		return last.monotonic + int64(float64(ticks-last.ticks)*c.slope)
	}
	first := &c.readings[0]
	if ticks < first.ticks {
		return first.monotonic - int64(float64(first.ticks-ticks)*c.slope)
	}
	low, high := 0, n-1
	for high-low > 1 {
		if middle := (low + high) / 2; c.readings[middle].ticks <= ticks {
			low = middle
		} else {
			high = middle
		}
	}
	a, b := &c.readings[low], &c.readings[high]
	part := float64(ticks-a.ticks) / float64(b.ticks-a.ticks)
	return a.monotonic + int64(part*float64(b.monotonic-a.monotonic))
}

// realtime converts CLOCK_MONOTONIC to CLOCK_REALTIME by the nearest earlier
// reading, so that a step of the wall clock shows where it happened.
func (c *clock) realtime(monotonic int64) int64 {
	n := len(c.readings)
	if n == 0 {
		return monotonic
	}
	i := sort.Search(n, func(i int) bool { return c.readings[i].monotonic > monotonic })
	if i > 0 {
		i--
	}
	return monotonic + c.readings[i].realtime - c.readings[i].monotonic
}

func (c *clock) realtimeOffset() int64 {
	n := len(c.readings)
	if n == 0 {
		return 0
	}
	return c.readings[n-1].realtime - c.readings[n-1].monotonic
}
