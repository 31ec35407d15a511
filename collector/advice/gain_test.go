package advice

import (
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
)

// The gain is wall time: what overlaps counts once, what an async queue does only
// while it alone keeps a thread waiting.
func TestGain(t *testing.T) {
	// A thread waits from 100 to 200: for queue 1 from 100 to 160 alone, then both work.
	waits := &waiting{read: true, waits: map[int64][]blocked{1: {{report.Interval{Start: 100, End: 200}, map[int64]int64{}}}}}
	add := waits.activities()
	for _, o := range []occurrence{{process: 1, queue: 1, deviceStart: 50, deviceEnd: 180}, {process: 1, queue: 2, deviceStart: 160, deviceEnd: 200}} {
		add(o)
	}
	host := func(thread, start, end int64) occurrence {
		return occurrence{process: 1, thread: thread, start: start, end: end, queue: callbacks.AsyncSync}
	}
	device := func(queue, start, end int64) occurrence {
		return occurrence{process: 1, thread: 1, queue: queue, deviceStart: start, deviceEnd: end}
	}
	for _, test := range []struct {
		name string
		rows []occurrence
		want int64
	}{
		{"one after the other", []occurrence{host(1, 0, 10), host(1, 20, 30)}, 20},
		{"nested", []occurrence{host(1, 0, 10), host(1, 5, 8)}, 10},
		{"threads side by side", []occurrence{host(1, 0, 10), host(2, 0, 30)}, 30},
		{"more than there is", []occurrence{host(1, 0, 5000)}, 1000},
		{"waited for on the synchronous queue", []occurrence{device(callbacks.AsyncSync, 5, 9)}, 4},
		{"a queue alone", []occurrence{device(1, 100, 150)}, 50},
		{"no longer than it is alone", []occurrence{device(1, 50, 180)}, 60},
		{"a queue that ends last", []occurrence{device(2, 160, 200)}, 20},
		{"nobody waits", []occurrence{device(1, 300, 400)}, 0},
	} {
		got, err := (&group{rows: test.rows}).gain(waits, 1000)
		if err != nil || got != test.want {
			t.Errorf("%s: %d, want %d (%v)", test.name, got, test.want, err)
		}
	}
}
