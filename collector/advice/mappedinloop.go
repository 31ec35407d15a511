package advice

import (
	"fmt"
	"strings"
)

// mappedInLoop finds data that a directive maps and unmaps again and again: of ten
// mappings and more on average each is of the same data.
var mappedInLoop = &rule{
	name:  "mapped-in-loop",
	about: "The same data are mapped, copied and deleted again and again by one directive.",
	evidence: `WITH mapped AS (
  SELECT process, source_file, line, group_concat(DISTINCT variable) AS variables, sum(bytes) AS bytes, count(*) AS mappings,
    count(DISTINCT printf('%d %d %d', device, host_address, bytes)) AS different
  FROM allocations WHERE kind = 'create' AND NOT implicit AND ended IS NOT NULL AND bytes >= ` + smallest + `
  GROUP BY process, source_file, line
)
SELECT m.variables AS subject, s.source_file, s.line, s.function, s.process, s.thread, s.device, s.async_queue,
  iif(s.kind = 'enter_data', m.bytes / m.mappings * m.different, 0) AS bytes, s.start, s.end, 0 AS device_start, 0 AS device_end, m.mappings AS detail
FROM (SELECT *, row_number() OVER (PARTITION BY process, thread, source_file, line, kind ORDER BY start) AS nth
    FROM spans WHERE kind IN ('enter_data', 'exit_data')) s
JOIN mapped m ON m.process = s.process AND m.source_file IS s.source_file AND m.line = s.line
WHERE m.mappings >= 10 * m.different AND s.nth > 1`,
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		variables := strings.Split(f.Variable, ",")
		f.Variable = strings.Join(variables, ", ")
		f.What = fmt.Sprintf("%s: mapped and deleted again and again, %s mappings; it took %d spans of the host besides the first", f.Variable, g.detail, g.count)
		f.Why = "each time memory is taken, the data are copied, and the memory is given back, though the data are the same ones"
		where := d.again(f)
		if !d.known() {
			f.Instead = "a data region around " + where + "; update directives for what the host reads or changes inside"
			return
		}
		region := &written{sentinel: d.sentinel, name: "data"}
		inner := d.clone()
		for _, variable := range variables {
			for _, name := range []string{"copy", "copyin", "copyout", "create"} {
				if item, found := inner.take(variable, name); found {
					region.add(name, item)
					inner.add("present", item)
				}
			}
		}
		f.Instead = fmt.Sprintf("around %s: %s\nand here: %s", where, region, inner)
		if strings.Contains(d.name, "data") {
			f.Instead = fmt.Sprintf("around %s: %s", where, region)
		}
	},
}
