package advice

import "fmt"

// fewGangs finds kernels of 50 microseconds and more on a GPU that keep less than half
// of it busy while nothing else runs there: fewer gangs than half of its
// multiprocessors, or fewer lanes than half of the 32 that work together. A serial
// construct is meant to be like that.
var fewGangs = &rule{
	name:  "few-gangs",
	about: "A kernel runs with few gangs or lanes against what the device has.",
	asked: `SELECT EXISTS (SELECT 1 FROM devices WHERE multiprocessors > 0)`,
	evidence: `WITH ran AS (
  SELECT *, min(1.0, 1.0 * gangs * iif(workers * vector >= 32, 1, workers * vector / 32.0) / multiprocessors) AS share,
    max(end) OVER (PARTITION BY device ORDER BY start ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
    lead(start) OVER (PARTITION BY device ORDER BY start) AS next
  FROM (SELECT k.*, d.multiprocessors FROM kernels k JOIN devices d ON d.device = k.device WHERE d.multiprocessors > 0 AND k.device_time > 0)
)
SELECT r.kernel AS subject, r.source_file, r.line, r.function, r.process, r.thread, r.device, r.async_queue, 0 AS bytes,
  r.enqueued AS start, r.enqueued AS end, r.start + CAST(r.device_time * r.share AS INTEGER) AS device_start, r.end AS device_end,
  printf('%d gangs of %d lanes, on a device of %d multiprocessors', r.gangs, r.workers * r.vector, r.multiprocessors) AS detail
FROM ran r LEFT JOIN spans s ON s.record = r.parent
WHERE r.device_time >= 50000 AND r.share <= 0.5 AND r.start >= coalesce(r.before, r.start) AND r.end <= coalesce(r.next, r.end) AND s.construct IS NOT 'serial'
  AND NOT EXISTS (SELECT 1 FROM meta WHERE key = 'construct: ' || r.source_file || ':' || r.line AND value LIKE 'serial%')`,
	confidence: Likely,
	subject:    aKernel,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the kernel ran %s with %s, and nothing beside it", times(g.count), g.detail)
		f.Why = "a gang runs on one multiprocessor, and 32 lanes work together: the rest of the device is idle"
		f.Instead = "parallel loop in place of kernels, without num_gangs and vector_length, and with gang and vector on loops that have enough iterations"
		if d.known() {
			other := d.clone()
			if other.name == "kernels" || other.name == "kernels loop" {
				other.name = "parallel loop"
			}
			other.without("num_gangs", "num_workers", "vector_length")
			f.Instead = "if the iterations do not depend on one another: " + other.String()
		}
	},
}
