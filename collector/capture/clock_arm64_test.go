package capture

import (
	"encoding/binary"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestCounterFrequency holds the readings that a capture has of the counter cntvct_el0
// and of CLOCK_MONOTONIC to the frequency that cntfrq_el0 tells. Each reading says in how
// many ticks both were read, so the bounds are exact, however slow the machine.
func TestCounterFrequency(t *testing.T) {
	said, err := exec.Command(compile(t, "frequency", "testdata/frequency.c")).Output()
	if err != nil {
		t.Fatal(err)
	}
	frequency, err := strconv.ParseFloat(strings.TrimSpace(string(said)), 64)
	if err != nil || frequency < 1e6 {
		t.Fatalf("cntfrq_el0 is %q", said)
	}
	session := t.TempDir()
	run(t, raiser(t, session, "fill", "100000"))
	p := openOne(t, session)
	if !counters(t, p).TimeStampCounter {
		t.Fatal("the events have CLOCK_MONOTONIC's times")
	}
	table := make([]byte, (clockFirst+clockLater)*sizeOfClock)
	if _, err := p.control.ReadAt(table, clockOffset); err != nil {
		t.Fatal(err)
	}
	nanosecond := 1e9 / frequency // per tick
	var before reading
	var beforeWithin float64
	count := 0
	for ; binary.LittleEndian.Uint64(table[count*sizeOfClock:]) != 0; count++ {
		_, r := decodeReading(table[count*sizeOfClock:])
		within := float64(binary.LittleEndian.Uint64(table[count*sizeOfClock+atClockUncertainty:]))
		if count > 0 {
			passed := float64(r.monotonic - before.monotonic)
			counted := float64(r.ticks-before.ticks) * nanosecond
			// CLOCK_MONOTONIC is steered by up to 500 parts in a million.
			bound := ((within+beforeWithin)/2+2)*nanosecond + passed*6e-4
			if math.Abs(passed-counted) > bound {
				t.Errorf("reading %d: %.0f ns since the one before, %.0f ns by the counter; at most %.0f ns apart expected", count, passed, counted, bound)
			}
		}
		before, beforeWithin = r, within
	}
	if count < 2 {
		t.Errorf("%d clock readings", count)
	}
}
