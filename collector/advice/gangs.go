package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/structure"
	"github.com/accscope/accscope/runtime/source/directive"
)

// Rules about how work is divided among a kernel's gangs, as counted inside (accscope run --counters).

// countedKernels is the beginning of evidence: kernels that were counted, with where the program launches them.
const countedKernels = `WITH launched AS (
  SELECT process, kernel, min(source_file) AS file, min(line) AS at, min(function) AS function, min(thread) AS thread, min(device) AS on_device, min(async_queue) AS async_queue
  FROM kernels GROUP BY process, kernel
), counted AS (
  SELECT c.*, w.file, w.at, w.function, w.thread, w.on_device, w.async_queue FROM kernel_counters c JOIN launched w ON w.process = c.process AND w.kernel = c.kernel
)
`

// gangImbalance finds kernels whose busiest gang does at least half as much again as the mean of those that
// use memory, and by that more than the others of its multiprocessor do after it where gangs outnumber what the
// card has at once.
var gangImbalance = &rule{
	name:  "gang-imbalance",
	about: "One gang of a kernel does much more than the others.",
	asked: anyCounts,
	evidence: countedKernels + `SELECT kernel AS subject, file AS source_file, at AS line, function, process, thread, on_device AS device, async_queue, 0 AS bytes,
  0 AS start, 0 AS end, 0 AS device_start, 0 AS device_end,
  printf('%.1f times the work of the mean of %d|%.1f', 1.0 * most_work * gangs_touching / (work * launches), gangs_touching / launches, 1.0 * median_work / most_work) AS detail
FROM counted WHERE gangs_touching > launches
  AND 2.0 * most_work * gangs_touching >= 3.0 * work * launches * max(1, coalesce(waves, 1))
  AND most_work - 1.0 * work * launches / gangs_touching >= 5000 * launches`,
	confidence: Likely,
	subject:    aKernel,
	timeless:   true,
	explain: func(f *Finding, g *group, d *written) {
		what, _, _ := strings.Cut(g.detail, "|")
		f.What = fmt.Sprintf("the kernel's busiest gang does %s gangs, as counted", what)
		f.Why = "a kernel lasts until its last gang is done: multiprocessors whose gangs have less to do are idle until then"
		f.Instead = "where the work of an iteration grows or falls with its number, gang(static:1), which gives iterations to the gangs by turns; where few iterations have most of it, gang on the loop inside of them, too (collapse), or more gangs than the device has at once"
	},
}

// gangRedundant finds loops of parallel constructs that all gangs go through alike, as no loop directive with gang is
// around them: lines whose instructions are as many for each gang, 1,000 and a tenth of the kernel's or more, where the
// text says so.
var gangRedundant = &rule{
	name:  "gang-redundant",
	about: "All gangs of a kernel go through the same loop.",
	asked: anyCounts,
	evidence: countedKernels + `SELECT c.kernel AS subject,
  iif(file = l.source_file OR file LIKE '%/' || replace(l.source_file, rtrim(l.source_file, replace(l.source_file, '/', '')), ''), file, l.source_file) AS source_file,
  l.line, function, c.process, thread, on_device AS device, async_queue, 0 AS bytes, 0 AS start, 0 AS end, 0 AS device_start, 0 AS device_end,
  printf('%d|%d|%d', l.instructions, 100 * l.instructions / c.work, gangs) AS detail
FROM counted c JOIN kernel_lines l ON l.process = c.process AND l.device = c.device AND l.kernel = c.kernel
WHERE l.line > 0 AND c.all_gangs > c.launches AND l.instructions % c.all_gangs = 0 AND l.instructions >= 1000 * c.all_gangs AND 10 * l.instructions >= c.work`,
	join:       redundantLoops,
	confidence: Likely,
	subject:    aKernel,
	timeless:   true,
	explain: func(f *Finding, g *group, _ *written) {
		_, share, gangs := redundancy(g)
		for _, part := range g.parts[1:] {
			_, more, _ := redundancy(part)
			share += more
		}
		f.What = fmt.Sprintf("each of the %d gangs goes through this whole loop: %d%% of the kernel's instructions, as counted", gangs, share)
		f.Why = "in a parallel construct all gangs execute what is outside of loops with gang, alike (OpenACC 3.3 §2.5.1): it takes as long as one gang does, and writes the same values again and again"
		f.Instead = "a construct of its own for it, before this one, as gangs do not wait for each other here; if its iterations do not depend on one another: " + sentinelOf(f.File) + " parallel loop\nelse: " + sentinelOf(f.File) + " serial"
	},
}

// sentinelOf begins directives of a file's language.
func sentinelOf(file string) string {
	if fortran, _ := directive.Fortran(file); fortran {
		return "!$acc"
	}
	return "#pragma acc"
}

// redundancy is a line's instructions, their share of the kernel's in hundredths, and the gangs.
func redundancy(g *group) (instructions, share, gangs int64) {
	fmt.Sscanf(g.detail, "%d|%d|%d", &instructions, &share, &gangs) //nolint:errcheck // it is the evidence's
	return instructions, share, gangs
}

// redundantLoops are the loops that lines with redundant work lie in: one finding each, at the
// loop. Lines whose text does not say so are left out.
func redundantLoops(_ *shown, sources *report.Sources, lines []*group) []*group {
	loops := map[groupKey][]*group{}
	for _, g := range lines {
		if loop := redundantLoop(sources, g.file, int(g.line)); loop != nil {
			at := g.groupKey
			at.line = int64(loop.First)
			loops[at] = append(loops[at], g)
		}
	}
	var list []*group
	for at, parts := range loops {
		slices.SortFunc(parts, (*group).place)
		whole := *parts[0]
		whole.groupKey, whole.parts = at, parts
		for _, part := range parts[1:] {
			whole.count += part.count
		}
		list = append(list, &whole)
	}
	slices.SortFunc(list, (*group).place)
	return list
}

// redundantLoop is the outermost loop around a line that all gangs go through: of a parallel construct
// without a loop directive that may divide iterations among gangs. Nil where the text shows none.
func redundantLoop(sources *report.Sources, file string, line int) (loop *structure.Statement) {
	p := structure.At(sources.Procedures(file), line)
	if p == nil || p.Unread != "" {
		return nil
	}
	parallel, siblings := false, p.Body
	for _, s := range p.Path(line) {
		switch {
		case s.Kind == structure.Construct && s.ACC.Compute():
			parallel = s.ACC.Name == "parallel"
		case s.Kind == structure.Loop && parallel:
			if before := slices.Index(siblings, s) - 1; before >= 0 && siblings[before].ACC != nil && siblings[before].ACC.Name == "loop" && !withoutGangs(siblings[before].ACC) {
				return nil
			}
			if loop == nil {
				loop = s
			}
		}
		siblings = s.Body
	}
	return loop
}

// withoutGangs says whether a loop directive leaves gangs alone, by clauses that say what it takes instead.
func withoutGangs(loop *directive.Directive) bool {
	other := false
	for _, c := range loop.Clauses {
		switch strings.ToLower(c.Name) {
		case "gang", "auto":
			return false
		case "seq", "worker", "vector":
			other = true
		}
	}
	return other
}
