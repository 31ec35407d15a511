package advice

import "fmt"

// imbalance finds kernels on which one rank spends a fifth more device time and more
// than the ranks do on average.
var imbalance = &rule{
	name:  "imbalance",
	about: "One rank spends more time in a kernel than the others.",
	evidence: `WITH spent AS (
  SELECT k.kernel, k.source_file, k.line, k.function, k.process, min(k.thread) AS thread, min(k.device) AS device, p.rank,
    replace(p.program, rtrim(p.program, replace(p.program, '/', '')), '') AS program, count(*) AS launches,
    sum(k.device_time) AS time, min(k.enqueued) AS first
  FROM kernels k JOIN processes p ON p.process = k.process WHERE p.rank IS NOT NULL AND k.device_time > 0 GROUP BY 1, 2, 3, 4, 5
), compared AS (SELECT *, avg(time) OVER kernel AS average, count(*) OVER kernel AS ranks FROM spent
  WINDOW kernel AS (PARTITION BY kernel, source_file, line, program))
SELECT kernel AS subject, source_file, line, function, process, thread, device, -2 AS async_queue, 0 AS bytes, first AS start,
  first + CAST(time - average AS INTEGER) AS end, 0 AS device_start, 0 AS device_end, printf('rank %d of %d: %d', rank, ranks, launches) AS detail
FROM compared WHERE ranks > 1 AND time > 1.2 * average`,
	confidence: Likely,
	subject:    aKernel,
	elsewhere:  true,
	allRanks:   true,
	most:       func(seen *shown, g *group) int64 { return seen.meetings.most(g) },
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("%s launches take a fifth longer than the ranks' average, or more", g.detail)
		f.Why = "the other ranks wait for the slowest one where they meet next"
		f.Instead = "divide the work by what it costs, not by its number of elements"
	},
}
