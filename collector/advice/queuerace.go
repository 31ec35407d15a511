package advice

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
)

// queueRace finds operations on different queues that touch the same data, at least one
// to write, without a wait that holds them in order.
var queueRace = &rule{
	name:  "queue-race",
	about: "Operations on different queues write the same data, and no wait holds them in order.",
	prepare: func(seen *shown) string {
		if seen.races == nil || len(seen.races.pairs) == 0 {
			return ""
		}
		var rows []string
		for _, p := range seen.races.some() {
			unsure := 0
			if p.unsure {
				unsure = 1
			}
			rows = append(rows, fmt.Sprintf("(%d, %d, '%s', %d)", p.first, p.second, strings.ReplaceAll(p.name, "'", "''"), unsure))
		}
		if len(rows) == 0 {
			return ""
		}
		return `WITH pair (first, second, variable, unsure) AS (VALUES ` + strings.Join(rows, ", ") + `)
SELECT p.variable AS subject, y.source_file, y.line, y.function, y.process, y.thread, y.device, y.async_queue, y.bytes,
  x.start AS start, x.start AS end, 0 AS device_start, 0 AS device_end,
  printf('%d %s %s %d', p.unsure, replace(x.kind, 'enqueue_', ''), x.async_queue, x.line) AS detail
FROM pair p CROSS JOIN spans x ON x.record = p.first CROSS JOIN spans y ON y.record = p.second`
	},
	confidence: Likely,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	timeless:   true,
	wrong:      true,
	explain: func(f *Finding, g *group, d *written) {
		var unsure, line int
		var kind, queue string
		fmt.Sscan(g.detail, &unsure, &kind, &queue, &line) //nolint:errcheck // which the evidence has written
		f.What = fmt.Sprintf("%s: nothing holds it in order with the %s on queue %s, at line %d, %s, though both touch the same data and one writes them", named(f.Variable), kind, queue, line, times(g.count))
		f.Why = "queues run side by side: which one comes first may differ from run to run, and with it the result"
		f.Instead = d.waitFor(f, queue, line)
		if unsure != 0 {
			f.Confidence = Possible // they may work on different parts
		}
	},
}
