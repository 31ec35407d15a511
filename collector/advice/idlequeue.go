package advice

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// idleQueue finds stretches of 50 microseconds and more in which a thread prepares on
// the host what it sends next, while the device is idle: the thread has waited for what
// came before, though that brought it nothing. What goes to a kernel by value takes no preparation. Where
// something on a queue is waited for only later, the host prepares beside it already, though it may take longer.
var idleQueue = &rule{
	name:  "idle-queue",
	about: "The device is idle while the host prepares what it is to do next.",
	evidence: `WITH call AS (
  SELECT process, thread, start, max(end) OVER (PARTITION BY process, thread ORDER BY start, record ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free
  FROM spans WHERE kind IN ('compute_construct', 'enter_data', 'exit_data', 'update', 'wait') AND duration IS NOT NULL
), queued AS (
  SELECT record, min(waited) OVER (PARTITION BY process, device, async_queue ORDER BY at DESC) AS waited FROM (
    SELECT record, process, device, async_queue, enqueued AS at, NULL AS waited FROM kernels WHERE async_queue <> -2
    UNION ALL SELECT record, process, device, async_queue, enqueued, NULL FROM host_transfers WHERE async_queue <> -2
    UNION ALL SELECT 0, process, device, async_queue, start, end FROM waits WHERE async_queue <> -2)
), step AS (
  SELECT 'gap' AS what, 0 AS record, process, thread, free AS at, start AS until, 0 AS busy, 0 AS done FROM call WHERE start - free >= 50000
  UNION ALL SELECT t.direction, t.record, t.process, t.thread, t.enqueued, 0, coalesce(t.device_time, 0), iif(t.async_queue = -2, t.end, max(coalesce(t.end, 0), coalesce(q.waited, 0))) FROM host_transfers t
    LEFT JOIN queued q ON q.record = t.record LEFT JOIN spans c ON c.record = t.parent WHERE t.direction = 'download' OR NOT ` + byValue + `
  UNION ALL SELECT 'kernel', k.record, k.process, k.thread, k.enqueued, 0, k.device_time, iif(k.async_queue = -2, k.end, max(coalesce(k.end, 0), coalesce(q.waited, 0)))
    FROM kernels k LEFT JOIN queued q ON q.record = k.record
), numbered AS (
  SELECT *, sum(what = 'gap') OVER (PARTITION BY process, thread ORDER BY at) AS gap FROM step
), burst AS (
  SELECT process, thread, gap, min(iif(what = 'gap', at, NULL)) AS at, min(iif(what = 'gap', until, NULL)) AS until, sum(busy) AS busy, max(done) AS done,
    sum(what = 'kernel') AS kernels, sum(what = 'download') AS downloads, min(nullif(record, 0)) AS first
  FROM numbered GROUP BY process, thread, gap
), followed AS (
  SELECT *, lag(busy) OVER thread AS busy_before, lag(kernels) OVER thread AS kernels_before, lag(downloads) OVER thread AS downloads_before,
    max(done) OVER (PARTITION BY process ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS done_before
  FROM burst WINDOW thread AS (PARTITION BY process, thread ORDER BY gap)
)
SELECT t.variable AS subject, t.source_file, t.line, t.function, t.process, t.thread, t.device, -2 AS async_queue, t.bytes,
  f.at AS start, f.at + min(f.until - f.at, f.busy_before) AS end, 0 AS device_start, 0 AS device_end, NULL AS detail
FROM followed f CROSS JOIN host_transfers t ON t.record = f.first
WHERE t.direction = 'upload' AND f.kernels > 0 AND f.kernels_before > 0 AND f.downloads_before = 0 AND f.done_before <= f.at`,
	watch: func(_ *pass, found *evidence) watcher {
		return &idle{found: found, threads: map[model.ThreadID]*idleThread{}, bursts: map[model.ProcessID][]*burst{}, open: map[queueOfDevice][]*unwaited{}}
	},
	enough:     func(g *group) bool { return g.count >= 3 },
	confidence: Possible,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the device was idle %s while the host prepared %s, after it had waited for kernels that brought it nothing", times(g.count), named(f.Variable))
		f.Why = "while the device works on one part, the host could prepare the next"
		f.Instead = fmt.Sprintf("a second copy of %s: prepare one while a queue works on the other (async(1), async(2)), and wait for a queue only before its copy is written again", named(f.Variable))
		if d.known() {
			other := d.clone()
			other.without("async")
			other.add("async", "queue")
			f.Instead = fmt.Sprintf("two copies of %s by turns, each with a queue, also on the kernels: %s\nand before a copy is written again: %s wait(queue)",
				named(f.Variable), other, d.sentinel)
		}
	},
}

// preparation is the time that a thread takes at least to prepare what it sends, ns.
const preparation = 50_000

// idle watches for threads that prepare while the device is idle.
type idle struct {
	found   *evidence
	threads map[model.ThreadID]*idleThread
	bursts  map[model.ProcessID][]*burst
	open    map[queueOfDevice][]*unwaited
}

type (
	queueOfDevice struct {
		deviceData
		queue int64
	}
	// unwaited is what a burst has put onto a queue, and when a thread was back from its wait for that; 0: from none.
	unwaited struct {
		burst *burst
		until int64
	}
	// idleThread is where a thread is. What it asks for after its last call of the
	// runtime belongs to the burst behind the next gap, if there is one.
	idleThread struct {
		called      bool
		free        int64 // end of its calls
		burst, tail *burst
	}
	// burst is what a thread asks of devices from one gap to the next.
	burst struct {
		gap                bool // there is one before it
		at, until          int64
		busy, done         int64
		measured           bool // done is known
		kernels, downloads bool
		first              int64 // record
		site               *store.Site
		bytes              int64
		queued             []*unwaited

		busyBefore                     int64 // of the burst before
		kernelsBefore, downloadsBefore bool
	}
)

func (w *idle) take(h *happening) {
	transfer := h.upload() && !h.byValue() || h.download()
	if h.wait() && h.ended {
		for _, u := range w.open[queueOf(h.Site)] {
			u.until = h.End()
		}
		delete(w.open, queueOf(h.Site))
	}
	call := h.ended && (h.Site.Kind == "compute_construct" || h.Site.Kind == "enter_data" || h.Site.Kind == "exit_data" || h.Site.Kind == "update" || h.wait())
	if !call && !transfer && !h.kernel() {
		return
	}
	t := lookup.New(w.threads, h.Thread)
	if call {
		t.call(w, h)
		return
	}
	to := &t.burst
	if t.called && h.Start >= t.free {
		to = &t.tail
	}
	if *to == nil {
		*to = &burst{}
		if to == &t.burst {
			w.add(h, t.burst)
		}
	}
	one := burst{kernels: h.kernel(), downloads: h.download(), first: h.ID, site: h.Site, bytes: int64(h.Bytes)}
	if h.measured {
		one.busy, one.done, one.measured = h.device.end-h.device.start, h.device.end, true
	}
	(*to).join(&one)
	if queue := queueOf(h.Site); queue.queue != callbacks.AsyncSync {
		open := w.open[queue]
		if len(open) == 0 || open[len(open)-1].burst != *to {
			u := &unwaited{burst: *to}
			w.open[queue] = append(open, u)
			(*to).queued = append((*to).queued, u)
		}
	}
}

func queueOf(s *store.Site) queueOfDevice {
	return queueOfDevice{deviceData{s.Process, s.Device}, s.AsyncQueue}
}

func (w *idle) add(h *happening, b *burst) {
	w.bursts[h.Site.Process] = append(w.bursts[h.Site.Process], b)
}

// call: the thread calls the runtime.
func (t *idleThread) call(w *idle, h *happening) {
	switch {
	case t.called && h.Start-t.free >= preparation:
		b := t.tail
		if b == nil {
			b = &burst{}
		}
		b.gap, b.at, b.until = true, t.free, h.Start
		if before := t.burst; before != nil {
			b.busyBefore, b.kernelsBefore, b.downloadsBefore = before.busy, before.kernels, before.downloads
		}
		t.burst = b
		w.add(h, b)
	case t.tail != nil && t.burst == nil:
		t.burst = t.tail
		w.add(h, t.burst)
	case t.tail != nil:
		t.burst.join(t.tail)
	}
	t.tail = nil
	t.free = max(t.free, h.End())
	if !t.called {
		t.free = h.End()
	}
	t.called = true
}

// join adds what came behind.
func (b *burst) join(other *burst) {
	b.busy += other.busy
	if other.measured && (!b.measured || other.done > b.done) {
		b.done, b.measured = other.done, true
	}
	b.queued = append(b.queued, other.queued...)
	b.kernels, b.downloads = b.kernels || other.kernels, b.downloads || other.downloads
	if b.first == 0 || other.first != 0 && other.first < b.first {
		b.first, b.site, b.bytes = other.first, other.site, other.bytes
	}
}

func (w *idle) end() {
	for _, t := range w.threads {
		if t.tail != nil && t.burst != nil {
			t.burst.join(t.tail)
		}
	}
	for _, list := range w.bursts {
		slices.SortStableFunc(list, func(a, b *burst) int {
			if a.gap != b.gap {
				if b.gap {
					return -1
				}
				return 1
			}
			return cmp.Compare(a.at, b.at)
		})
		done, known := int64(0), false // by the bursts before
		for _, b := range list {
			if known && done <= b.at && b.gap && b.site != nil && b.site.KindCode == model.EnqueueUploadStart && b.kernels && b.kernelsBefore && !b.downloadsBefore {
				w.found.of(b.site).add(onHost(b.site, b.at, b.at+min(b.until-b.at, b.busyBefore)), b.bytes, "")
			}
			if b.measured && (!known || b.done > done) {
				done, known = b.done, true
			}
			for _, u := range b.queued {
				done, known = max(done, u.until), true
			}
		}
	}
}
