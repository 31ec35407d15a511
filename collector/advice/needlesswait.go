package advice

import (
	"fmt"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
)

// operations is SQL for what threads ask of devices, each with what the thread asks
// next: kernels, transfers (but of what goes to the device by value) and waits that the
// program wrote.
const operations = `WITH operation AS (
  SELECT 'kernel' AS what, record, process, thread, device, async_queue, enqueued AS at, enqueued + enqueue_time AS end,
    start AS device_start, end AS device_end FROM kernels
  UNION ALL SELECT 'transfer', record, process, thread, device, async_queue, enqueued, enqueued + enqueue_time, start, end FROM transfers
    WHERE bytes >= ` + smallest + ` OR direction = 'download'
  UNION ALL SELECT 'wait', record, process, thread, device, async_queue, start, end, NULL, NULL FROM waits WHERE NOT implicit
), followed AS (
  SELECT *, lead(what) OVER asked AS next, lead(async_queue) OVER asked AS next_queue, lead(end) OVER asked AS next_end,
    lead(record) OVER asked AS next_record, lead(device_start) OVER asked AS next_start, lead(device_end) OVER asked AS next_done, lead(device) OVER asked AS next_device
  FROM operation WINDOW asked AS (PARTITION BY process, thread ORDER BY at)
)`

// needlessWait finds waits for a queue that brought the host nothing since the last
// wait, and that goes on with a kernel: the queue keeps their order by itself.
var needlessWait = &rule{
	name:  "needless-wait",
	about: "The host waits for a queue that has nothing for it, and then goes on with the same queue.",
	evidence: operations + `, numbered AS (
  SELECT *, sum(what = 'wait') OVER (PARTITION BY process, thread, async_queue ORDER BY at) - (what = 'wait') AS epoch FROM followed
), epochs AS (
  SELECT process, thread, async_queue, sum(what = 'transfer') AS transfers, max(device_end) AS done, max(device_end - device_start) AS longest,
    max(iif(what = 'wait', record, NULL)) AS wait, max(iif(what = 'wait', end, NULL)) AS waited, max(iif(what = 'wait', next, NULL)) AS next,
    max(iif(what = 'wait', next_queue, NULL)) AS next_queue, max(iif(what = 'wait', next_start, NULL)) AS next_start,
    max(iif(what = 'wait', next_end, NULL)) AS next_end
  FROM numbered WHERE async_queue <> -2 GROUP BY process, thread, async_queue, epoch
)
SELECT 'queue ' || e.async_queue AS subject, w.source_file, w.line, w.function, w.process, w.thread, w.device, -2 AS async_queue, 0 AS bytes,
  e.done AS start, e.done + max(0, min(e.next_start - e.done, e.next_start - e.done + e.longest - (e.next_end - e.waited))) AS end,
  0 AS device_start, 0 AS device_end, NULL AS detail
FROM epochs e CROSS JOIN waits w ON w.record = e.wait
WHERE e.next = 'kernel' AND e.next_queue = e.async_queue AND e.transfers = 0 AND e.done < e.next_start`,
	watch: func(p *pass, found *evidence) watcher {
		return p.sequences((&needless{found: found, open: map[task]*epoch{}, over: map[owner]*epoch{}}).asked)
	},
	confidence: Likely,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	subject:    aQueue,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("the host waited %s for %s, on which only kernels were, and then launched the next one on it", times(g.count), f.Subject)
		f.Why = "a queue does what it holds in order: the wait only leaves the device idle until the host is back"
		f.Instead = "leave the wait out; wait once, before the host needs a result"
	},
}

// needless watches for waits that nothing needs.
type needless struct {
	found *evidence
	open  map[task]*epoch
	over  map[owner]*epoch // what the last operation of a thread, a wait, has ended
}

// epoch is what a thread put onto a queue since it last waited for it.
type epoch struct {
	transfers     bool
	measured      bool
	done, longest int64
}

func (w *needless) asked(last, a *asked) {
	by := owner{int64(a.site.Process), int64(a.site.Thread)}
	if last != nil && last.kind == model.WaitStart {
		if e := w.over[by]; e != nil {
			delete(w.over, by)
			w.judge(e, last, a)
		}
	}
	if a.site.AsyncQueue == callbacks.AsyncSync {
		return
	}
	queue := task{by, a.site.AsyncQueue}
	if a.kind == model.WaitStart {
		if e := w.open[queue]; e != nil {
			w.over[by] = e
		}
		delete(w.open, queue)
		return
	}
	e := lookup.New(w.open, queue)
	e.transfers = e.transfers || a.kind != model.EnqueueLaunchStart
	if d := a.device; d.measured {
		if !e.measured {
			e.done = d.end
		}
		e.measured = true
		e.done, e.longest = max(e.done, d.end), max(e.longest, d.end-d.start)
	}
}

// judge finds a wait whose epoch is over, if it brought nothing and next goes on with the
// queue.
func (w *needless) judge(e *epoch, wait, next *asked) {
	if next.kind != model.EnqueueLaunchStart || next.site.AsyncQueue != wait.site.AsyncQueue || e.transfers ||
		!e.measured || !next.device.measured || e.done >= next.device.start {
		return
	}
	o := onHost(wait.site, e.done, 0)
	if idle := next.device.start - e.done; wait.ended && next.ended {
		o.end = e.done + max(0, min(idle, idle+e.longest-(next.end-wait.end)))
	}
	w.found.about(keyOf(fmt.Sprintf("queue %d", wait.site.AsyncQueue), wait.site.Description)).add(o, 0, "")
}

// synchronousConstruct finds kernels for which the host waits only to launch the
// next one, ten and more.
var synchronousConstruct = &rule{
	name:  "synchronous-construct",
	about: "The host waits for each kernel of a row, where queues could hold them.",
	evidence: operations + `
SELECT k.kernel AS subject, k.source_file, k.line, k.function, k.process, k.thread, k.device, -2 AS async_queue, 0 AS bytes,
  n.start - max(0, n.start - c.start - max(k.device_time, n.start - c.end + k.enqueued + k.enqueue_time - c.start
    - max(0, min(k.enqueued + k.enqueue_time, k.end) - max(k.enqueued, k.start)))) AS start,
  n.start AS end, 0 AS device_start, 0 AS device_end, NULL AS detail
FROM followed f CROSS JOIN kernels k ON k.record = f.record CROSS JOIN spans c ON c.record = k.parent
CROSS JOIN kernels l ON l.record = f.next_record CROSS JOIN spans n ON n.record = l.parent
WHERE f.what = 'kernel' AND f.async_queue = -2 AND f.next = 'kernel' AND f.next_queue = -2 AND f.next_device = f.device AND f.device_end < f.next_start`,
	watch:      func(p *pass, found *evidence) watcher { return p.sequences(found.synchronous) },
	enough:     func(g *group) bool { return g.count >= 10 },
	confidence: Possible,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	subject:    aKernel,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the host waited for the kernel %s, to launch the next one with no transfer in between", times(g.count))
		f.Why = "the device is idle from the end of one kernel until the host has launched the next"
		f.Instead = "async(1) on each construct of the row, and one wait(1) before the host needs a result"
		if d.known() {
			other := d.clone()
			other.add("async", "1")
			f.Instead = other.String() + "\nand before the host needs a result: " + d.sentinel + " wait(1)"
		}
	},
}

// synchronous watches for kernels that are waited for only to launch the next one.
func (e *evidence) synchronous(last, a *asked) {
	if last == nil || last.kind != model.EnqueueLaunchStart || a.kind != model.EnqueueLaunchStart ||
		last.site.AsyncQueue != callbacks.AsyncSync || a.site.AsyncQueue != callbacks.AsyncSync || last.site.Device != a.site.Device ||
		!last.device.measured || !a.device.measured || last.device.end >= a.device.start || last.outside.record == 0 || a.outside.record == 0 {
		return
	}
	// The thread goes on when the launch is done, and the device with the next kernel when
	// this one is: the construct takes the longer of what both have to do in any case.
	o, around, next := onHost(last.site, 0, a.outside.start), last.outside, a.outside
	if last.ended && around.ended {
		kernel := last.device
		within := max(0, min(last.end, kernel.end)-max(last.start, kernel.start)) // a launch that the device has the thread do
		host := next.start - around.end + last.end - around.start - within
		o.start = next.start - max(0, next.start-around.start-max(kernel.end-kernel.start, host))
	}
	e.of(last.site).add(o, 0, "")
}
