package advice

import (
	"testing"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// The gain is wall time: what overlaps counts once, what an async queue does only
// while it alone keeps a thread waiting.
func TestGain(t *testing.T) {
	// A thread waits from 100 to 200: for queue 1 from 100 to 160 alone, then both work.
	waits := &waiting{waits: map[int64][]blocked{1: {{report.Interval{Start: 100, End: 200}, 1, 1, map[int64]int64{}}}}}
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
		{"waited for on the synchronous queue", []occurrence{device(callbacks.AsyncSync, 5, 9)}, 4},
		{"a queue alone", []occurrence{device(1, 100, 150)}, 50},
		{"no longer than it is alone", []occurrence{device(1, 50, 180)}, 60},
		{"a queue that ends last", []occurrence{device(2, 160, 200)}, 20},
		{"nobody waits", []occurrence{device(1, 300, 400)}, 0},
	} {
		got := waits.gain(test.rows, false)
		if got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// What the synchronous queue does counts while the thread waits for it, not beside what the
// thread does meanwhile.
func TestGainOfSynchronousQueue(t *testing.T) {
	waits := &waiting{synchronous: map[owner][]report.Interval{{1, 1}: {{Start: 10, End: 20}, {Start: 40, End: 70}}}}
	for _, test := range []struct {
		name       string
		start, end int64 // on the device, behind 5 on the host
		want       int64
	}{
		{"waited for", 12, 18, 11},
		{"and before that", 7, 18, 13},
		{"by two waits", 12, 50, 23},
		{"not waited for", 22, 38, 5},
	} {
		rows := []occurrence{{process: 1, thread: 1, start: 1, end: 6, queue: callbacks.AsyncSync, deviceStart: test.start, deviceEnd: test.end}}
		if got := waits.gain(rows, false); got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// A thread that is inside a download waits for what the queue does before it.
func TestDownloadBlocks(t *testing.T) {
	by := owner{1, 1}
	waits := newWaiting()
	waits.waits[1] = []blocked{{report.Interval{Start: 10, End: 20}, 1, callbacks.AsyncSync, map[int64]int64{}}}
	waits.within[by] = []report.Interval{{Start: 30, End: 60}}
	waits.complete()
	rows := []occurrence{{process: 1, thread: 1, start: 1, end: 6, queue: callbacks.AsyncSync, deviceStart: 18, deviceEnd: 50}}
	if got := waits.gain(rows, false); got != 5+2+20 {
		t.Errorf("gain %d, want 27", got)
	}
}

// A launch that lasts until its kernel is done, as where GPU code is executed, is a wait for it; one that
// returns before is none.
func TestLaunchBlocks(t *testing.T) {
	for _, test := range []struct{ lasts, want int64 }{{40, 30}, {5, 0}} {
		waits := newWaiting()
		site := &store.Site{Process: 1, Thread: 1, Description: &store.Description{KindCode: model.EnqueueLaunchStart, AsyncQueue: callbacks.AsyncSync}}
		waits.waits[1] = []blocked{{report.Interval{Start: 60, End: 61}, 1, callbacks.AsyncSync, map[int64]int64{}}}
		waits.take(&happening{Record: &store.Record{Site: site, Start: 10, Duration: test.lasts, Span: true}, ended: true, device: device{12, 42, true}})
		waits.complete()
		rows := []occurrence{{process: 1, thread: 1, start: 10, end: 10, queue: callbacks.AsyncSync, deviceStart: 12, deviceEnd: 42}}
		if got := waits.gain(rows, false); got != test.want {
			t.Errorf("a launch of %d: gain %d, want %d", test.lasts, got, test.want)
		}
	}
}

// A thread that comes to a wait sooner waits longer: what it is spared before counts only
// as far as the queue is not busy, or is spared, too.
func TestGainIsBounded(t *testing.T) {
	// From 0 on queue 1 works until 60, and from 80 to 100; the thread waits for it from
	// 70 to 100, and again from 250 to 300, when queue 1 has worked from 260.
	by := owner{1, 1}
	waits := &waiting{waits: map[int64][]blocked{1: {
		{report.Interval{Start: 70, End: 100}, 1, 1, map[int64]int64{1: 30}}, {report.Interval{Start: 250, End: 300}, 1, 1, map[int64]int64{1: 40}}}},
		tasks: map[task][]operated{{by, 1}: {{0, 0, 60}, {65, 80, 100}, {240, 260, 300}}}}
	host := func(start, end int64) occurrence {
		return occurrence{process: 1, thread: 1, start: start, end: end, queue: callbacks.AsyncSync}
	}
	for _, test := range []struct {
		name string
		rows []occurrence
		want int64
	}{
		{"while the queue works", []occurrence{host(5, 50)}, 20},
		{"no more than it took", []occurrence{host(5, 15)}, 10},
		{"with what it enqueues", []occurrence{host(5, 70)}, 40},
		{"while the queue is idle", []occurrence{host(110, 200)}, 90},
		{"in two stretches", []occurrence{host(5, 50), host(110, 200)}, 110},
		{"across a wait", []occurrence{host(90, 120)}, 30},
		{"behind the last wait", []occurrence{host(290, 400)}, 110},
		{"what the queue is spared, too", []occurrence{{process: 1, thread: 1, start: 5, end: 50, queue: 1, deviceStart: 80, deviceEnd: 100}}, 40},
	} {
		got := waits.gain(test.rows, false)
		if got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
	if got := waits.gain([]occurrence{host(5, 50)}, true); got != 45 {
		t.Errorf("gained elsewhere: %d", got)
	}
}
