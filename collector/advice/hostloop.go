package advice

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// fewestSamples is how many samples a loop of the host has at least before anything is said of
// it: a share by so many is right within a seventh of itself, two times in three.
const fewestSamples = 50

// hostLoop finds loops of the host that took a twentieth of all processor time or more, as far
// as that was sampled (accscope run --sample), while the device had nothing to do. What they spend
// in libraries other than that of mathematical functions, such as in output, does not count: no
// directive brings it to a device.
var hostLoop = &rule{
	name:       "host-loop",
	about:      "A loop of the host takes long while the device is idle.",
	asked:      `SELECT EXISTS (SELECT 1 FROM cpu_sample) AND EXISTS (SELECT 1 FROM activity)`,
	prepare:    func(seen *shown) string { return seen.hosts.evidence() },
	enough:     func(g *group) bool { return g.count >= fewestSamples },
	confidence: Possible,
	subject:    aFunction,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart},
	explain: func(f *Finding, g *group, d *written) {
		loop, idle := d.run.hosts.at(g), int64(0)
		for _, o := range g.rows {
			idle += o.end - o.start
		}
		what := f.Subject
		if loop.loop {
			what = fmt.Sprintf("the loop at line %d of %s", f.Line, f.Subject)
		}
		f.What = fmt.Sprintf("%s took the host %s of processor time, %.0f %% of all that was sampled; the device was idle in %.0f %% of that (%d samples)",
			what, report.Show(loop.time, report.Nanoseconds), 100*float64(loop.time)/float64(d.run.hosts.all), min(100*float64(idle)/float64(loop.time), 100), g.count)
		f.Why = "the device does nothing meanwhile; what data the loop shares with kernels go back and forth for it"
		sentinel := sentinelOf(f.File)
		switch {
		case loop.loop:
			f.Instead = fmt.Sprintf("before the loop, if its iterations do not depend on one another, and with its data on the device: %s parallel loop", sentinel)
		default:
			f.Instead = "its loops, if their iterations do not depend on one another, as parallel loop, with their data on the device"
		}
		if between, all := d.run.hosts.between(g); all {
			f.Instead += fmt.Sprintf("\nor beside the kernel at %s, from which nothing comes back before the one at %s: async(1) on its construct, and where the next one begins: %s wait(1)",
				between.first.where(f.File), between.next.where(f.File), sentinel)
		}
		f.refuse("whether its iterations depend on one another the trace does not tell")
	},
}

// evidence is SQL of the samples of loops in which the device was idle: no operation of the
// process had begun that had not ended.
func (hs *hostLoops) evidence() string {
	hs.choose()
	if len(hs.list) == 0 {
		return ""
	}
	var values []string
	for _, l := range hs.list {
		of := ""
		if !l.loop {
			of = l.function
		}
		values = append(values, fmt.Sprintf("(%s, %d, %d, %s, %s, %d)", quoted(l.file), l.first, l.last, quoted(of), quoted(l.function), l.line))
	}
	return `WITH loops (file, first, last, only, function, line) AS (VALUES ` + strings.Join(values, ", ") + `
), hot AS (
  SELECT k.process, k.stack, min(k.depth) AS depth, l.file, l.function, l.line FROM cpu_stacks k
  JOIN loops l ON k.source_file = l.file AND k.line BETWEEN l.first AND l.last AND l.only IN ('', k.function) GROUP BY k.process, k.stack
), step AS (
  SELECT process, time AS at, NULL AS until, sample FROM cpu_samples WHERE doing = 'else'
  UNION ALL SELECT process, start, end, NULL FROM device_activity WHERE end > start
), followed AS (SELECT sample, at, max(until) OVER (PARTITION BY process ORDER BY at, until IS NULL ROWS UNBOUNDED PRECEDING) AS busy FROM step)
SELECT h.function AS subject, h.file AS source_file, h.line, h.function, c.process, coalesce(c.thread, 0) AS thread, 0 AS device, -2 AS async_queue, 0 AS bytes,
  c.time - c.weight AS start, c.time AS end, 0 AS device_start, 0 AS device_end, '' AS detail
FROM followed f CROSS JOIN cpu_samples c ON c.sample = f.sample JOIN hot h ON h.process = c.process AND h.stack = c.stack
WHERE f.sample IS NOT NULL AND coalesce(f.busy, f.at) <= f.at AND c.module NOT LIKE '%/libopenacc%' AND c.module NOT LIKE '%/libacc%'
  AND (h.depth = 0 OR NOT (` + systemModule("c.module") + `) OR c.module LIKE '%/libm.so%' OR c.module LIKE '%/libm-%' OR c.module LIKE '%/libmvec%')`
}

// systemModule is SQL that says whether a file is the system's.
func systemModule(column string) string {
	return column + ` LIKE '/lib/%' OR ` + column + ` LIKE '/lib64/%' OR ` + column + ` LIKE '/usr/lib%'`
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
