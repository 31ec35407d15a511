package advice

import "fmt"

// implicitTransfer finds arrays that compute constructs copy by themselves, three
// times and more in a direction, since no clause names them, or none is known to.
var implicitTransfer = &rule{
	name:  "implicit-transfer",
	about: "A compute construct copies an array again and again that no clause names.",
	evidence: `SELECT subject, source_file, line, function, process, thread, device, async_queue, bytes, start, end, device_start, device_end, detail
FROM (
  SELECT variable AS subject, source_file, line, function, process, thread, device, async_queue, bytes, enqueued AS start, enqueued + enqueue_time AS end,
    coalesce(start, 0) AS device_start, coalesce(end, 0) AS device_end, direction,
    iif(` + textUnknown + `, 'unknown', NULL) AS detail,
    row_number() OVER datum AS nth, count(*) OVER (PARTITION BY process, device, host_address, bytes, source_file, line, direction) AS times
  FROM transfers WHERE implicit AND bytes >= 4096
  WINDOW datum AS (PARTITION BY process, device, host_address, bytes, source_file, line, direction ORDER BY enqueued)
) WHERE times >= 3 AND nth <> iif(direction = 'upload', 1, times)`,
	unless:     mappedInLoop,
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s was copied by the construct itself %s too often, %s in all", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "no clause names it, so the compiler adds copy for each time the construct is reached"
		if g.detail == "unknown" {
			f.What = fmt.Sprintf("%s was copied %s too often by the construct, %s in all", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "no clause names it, or one with copy does (the directive's text was not at hand when the trace was written): it is copied each time the construct is reached"
		}
		f.Instead = d.stays(f, f.Variable)
	},
}
