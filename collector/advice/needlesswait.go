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
