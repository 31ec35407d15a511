package advice

import (
	"fmt"
	"strings"
)

// smallest are the bytes from which data are looked at: less goes by value.
const smallest = "64"

// history is SQL for steps: what happened to the data of each address, and, without
// an address, what may have used any data of a device: kernels, host_data regions
// and copies within the device. done counts these uses. What else is to be known of a
// step is looked up by its record, where it is evidence.
const history = `WITH step AS (
  SELECT 'use' AS what, 0 AS record, process, device, 0 AS bytes, 0 AS host_address, enqueued AS at FROM kernels
  UNION ALL SELECT 'use', 0, process, device, 0, 0, start FROM spans WHERE kind = 'enter_data' AND construct = 'host_data'
  UNION ALL SELECT 'use', 0, process, device, 0, 0, start FROM device_activity WHERE kind = 'copy'
  UNION ALL SELECT 'create', record, process, device, bytes, host_address, start FROM allocations WHERE kind = 'create' AND bytes >= ` + smallest + `
  UNION ALL SELECT direction, record, process, device, bytes, host_address, enqueued FROM transfers WHERE bytes >= ` + smallest + ` AND host_address <> 0
), counted AS (
  SELECT *, sum(what = 'use') OVER (PARTITION BY process, device ORDER BY at) AS done FROM step
), ever AS MATERIALIZED (
  SELECT process, device, count(*) AS done FROM step WHERE what = 'use' GROUP BY process, device
), steps AS (
  SELECT what, record, process, device, done, lag(what) OVER datum AS before, lag(done) OVER datum AS done_before,
    lead(what) OVER datum AS next, lead(done) OVER datum AS done_next
  FROM counted WHERE what <> 'use' WINDOW datum AS (PARTITION BY process, device, host_address, bytes ORDER BY at)
)
SELECT t.variable AS subject, t.source_file, t.line, t.function, t.process, t.thread, t.device, t.async_queue, t.bytes, t.enqueued AS start,
  t.enqueued + t.enqueue_time AS end, coalesce(t.start, 0) AS device_start, coalesce(t.end, 0) AS device_end, NULL AS detail
FROM steps s CROSS JOIN transfers t ON t.record = s.record LEFT JOIN ever e ON e.process = s.process AND e.device = s.device WHERE `

// roundTrip finds data that come back as they were sent: nothing ran on the device
// in between that could have changed them.
var roundTrip = &rule{
	name:       "round-trip",
	about:      "Data are sent to the device and brought back, and nothing on the device could change them in between.",
	evidence:   history + `s.what = 'download' AND s.before IN ('upload', 'download') AND s.done = s.done_before`,
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s came back from the device %s, %s in all, without a kernel since it was last the same on both sides",
			named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the host has these values already: each download is time for nothing"
		switch {
		case !d.known():
			f.Instead = "leave this download out, or copy in only"
		case strings.HasPrefix(d.name, "update") && len(d.clauses) == 1 && len(d.clauses[0].Items()) < 2:
			f.Instead = "leave the directive out"
		case strings.HasPrefix(d.name, "update"):
			other := d.clone()
			other.take(f.Variable, "self", "host")
			f.Instead = other.String()
		case strings.HasPrefix(d.name, "exit"):
			f.Instead = d.moved(f.Variable, "delete", "copyout")
		default:
			f.Instead = d.moved(f.Variable, "copyin", "copy", "pcopy", "present_or_copy")
		}
	},
}
