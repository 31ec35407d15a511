package advice

import (
	"fmt"
	"strings"
)

// smallest are the bytes from which data are looked at: less goes by value.
const smallest = "64"

// history is SQL for steps: what happened to the data of each address, and, without
// an address, what may have used any data of a device: kernels, host_data regions
// and copies within the device. done counts these uses.
const history = `WITH step AS (
  SELECT 'use' AS what, process, thread, device, async_queue, NULL AS variable, 0 AS bytes, 0 AS host_address, NULL AS source_file, 0 AS line,
    NULL AS function, enqueued AS at, 0 AS start, 0 AS end, 0 AS device_start, 0 AS device_end FROM kernels
  UNION ALL SELECT 'use', process, thread, device, async_queue, NULL, 0, 0, NULL, 0, NULL, start, 0, 0, 0, 0 FROM spans
    WHERE kind = 'enter_data' AND construct = 'host_data'
  UNION ALL SELECT 'use', process, 0, device, async_queue, NULL, 0, 0, NULL, 0, NULL, start, 0, 0, 0, 0 FROM device_activity WHERE kind = 'copy'
  UNION ALL SELECT 'create', process, thread, device, 0, variable, bytes, host_address, source_file, line, function, start, 0, 0, 0, 0
    FROM allocations WHERE kind = 'create' AND bytes >= ` + smallest + `
  UNION ALL SELECT direction, process, thread, device, async_queue, variable, bytes, host_address, source_file, line, function, enqueued,
    enqueued, enqueued + enqueue_time, coalesce(start, 0), coalesce(end, 0) FROM transfers WHERE bytes >= ` + smallest + ` AND host_address <> 0
), counted AS (
  SELECT *, sum(what = 'use') OVER (PARTITION BY process, device ORDER BY at) AS done FROM step
), steps AS (
  SELECT *, lag(what) OVER datum AS before, lag(done) OVER datum AS done_before,
    lead(what) OVER datum AS next, lead(done, 1, done_ever) OVER datum AS done_next
  FROM (SELECT *, max(done) OVER (PARTITION BY process, device) AS done_ever FROM counted) WHERE what <> 'use'
  WINDOW datum AS (PARTITION BY process, device, host_address, bytes ORDER BY at)
)`

// roundTrip finds data that come back as they were sent: nothing ran on the device
// in between that could have changed them.
var roundTrip = &rule{
	name:  "round-trip",
	about: "Data are sent to the device and brought back, and nothing on the device could change them in between.",
	evidence: history + `
SELECT variable AS subject, source_file, line, function, process, thread, device, async_queue, bytes, start, end, device_start, device_end, NULL AS detail
FROM steps WHERE what = 'download' AND before IN ('upload', 'download') AND done = done_before`,
	confidence: Likely,
	explain: func(f *Finding, g *group, d *directive) {
		f.What = fmt.Sprintf("%s came back from the device %s, %s in all, without a kernel since it was last the same on both sides",
			named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the host has these values already: each download is time for nothing"
		switch {
		case !d.known():
			f.Instead = "leave this download out, or copy in only"
		case strings.HasPrefix(d.name, "update") && len(d.clauses) == 1 && len(d.clauses[0].items()) < 2:
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
