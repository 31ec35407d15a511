package advice

import "fmt"

// idleQueue finds stretches of 50 microseconds and more in which a thread prepares on
// the host what it sends next, while the device is idle: the thread has waited for what
// came before, though that brought it nothing.
var idleQueue = &rule{
	name:  "idle-queue",
	about: "The device is idle while the host prepares what it is to do next.",
	evidence: `WITH call AS (
  SELECT process, thread, start, max(end) OVER (PARTITION BY process, thread ORDER BY start, record ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS free
  FROM spans WHERE kind IN ('compute_construct', 'enter_data', 'exit_data', 'update', 'wait') AND duration IS NOT NULL
), step AS (
  SELECT 'gap' AS what, 0 AS record, process, thread, free AS at, start AS until, 0 AS busy, 0 AS done FROM call WHERE start - free >= 50000
  UNION ALL SELECT direction, record, process, thread, enqueued, 0, coalesce(device_time, 0), end FROM transfers
  UNION ALL SELECT 'kernel', record, process, thread, enqueued, 0, device_time, end FROM kernels
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
FROM followed f CROSS JOIN transfers t ON t.record = f.first
WHERE t.direction = 'upload' AND f.kernels > 0 AND f.kernels_before > 0 AND f.downloads_before = 0 AND f.done_before <= f.at`,
	enough:     func(g *group) bool { return g.count >= 3 },
	confidence: Possible,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the device was idle %s while the host prepared %s, after it had waited for kernels that brought it nothing", times(g.count), named(f.Variable))
		f.Why = "while the device works on one part, the host could prepare the next"
		f.Instead = fmt.Sprintf("a second copy of %s: prepare one while a queue works on the other (async(1), async(2)), and wait for a queue only before its copy is written again", named(f.Variable))
		if d.known() {
			other := d.clone()
			other.add("async", "queue")
			f.Instead = fmt.Sprintf("two copies of %s by turns, each with a queue: %s, the same on the kernels, and %s wait(queue) before the copy is written again",
				named(f.Variable), other, d.sentinel)
		}
	},
}
