package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
)

// fewestSmall is how many a finding has at least.
const fewestSmall = 10

// smallTransfers finds transfers of at most 16 KiB that follow one another in a direction from the
// same directive with no kernel in between, ten times and more; transfers in the other direction may lie between them. What a
// construct sends beside its data the program cannot send otherwise: a pointer that a
// clause names, values of up to 63 bytes, and variables that go together already.
var smallTransfers = &rule{
	name:  "small-transfers",
	about: "Many small transfers follow one another that could be one.",
	evidence: `WITH step AS (
  SELECT t.direction AS what, t.process, t.thread, t.device, t.async_queue, t.variable, t.bytes, t.source_file, t.line, t.function, t.enqueued AS at,
    t.enqueued + t.enqueue_time AS end, t.start AS device_start, t.end AS device_end FROM host_transfers t LEFT JOIN spans c ON c.record = t.parent
  WHERE coalesce(c.construct, '') NOT IN ('data', 'parallel', 'kernels', 'serial') OR t.bytes >= ` + smallest + ` AND coalesce(t.variable, '') NOT LIKE '%, %'
  UNION ALL SELECT 'use', process, thread, device, async_queue, NULL, 0, NULL, 0, NULL, enqueued, 0, 0, 0 FROM kernels
), numbered AS (
  SELECT *, sum(what = 'use') OVER (PARTITION BY process, thread ORDER BY at) AS kernels FROM step
), ordered AS (
  SELECT *, lag(what) OVER way AS before, lag(source_file) OVER way AS file_before, lag(line) OVER way AS line_before, lag(bytes) OVER way AS bytes_before
  FROM numbered WINDOW way AS (PARTITION BY process, thread, kernels, what ORDER BY at)
)
SELECT variable AS subject, source_file, line, function, process, thread, device, async_queue, bytes, at AS start, end,
  coalesce(device_start, 0) AS device_start, coalesce(device_end, 0) AS device_end, what AS detail
FROM ordered WHERE what <> 'use' AND what = before AND source_file IS file_before AND line = line_before AND bytes <= 16384 AND bytes_before <= 16384`,
	watch: func(_ *pass, found *evidence) watcher {
		return &smalls{found, map[model.ThreadID]*[2]smallStep{}}
	},
	enough:     func(g *group) bool { return g.count >= fewestSmall },
	confidence: Likely,
	join:       joinSmall,
	explain: func(f *Finding, g *group, d *written) {
		var counts, instead []string
		for _, part := range g.all() {
			of, again := fmt.Sprintf(" of %s", named(f.Variable)), ""
			if len(g.parts) > 1 {
				again = fmt.Sprintf(" at line %d", part.line)
				if len(counts) > 0 {
					of = ""
				}
			}
			counts = append(counts, fmt.Sprintf("%d %ss%s%s, %s each on average", part.count, part.detail, of, again, size(part.bytes/max(part.count, 1))))
			switch {
			case !d.known() || d.loop == 0 || !d.updates():
				instead = append(instead, fmt.Sprintf("one transfer for all of %s: gather the parts in one array and copy it whole", d.again(f)))
			case part.detail == "download":
				instead = append(instead, fmt.Sprintf("before %s: one update self of all parts of %s together; where they lie apart, a kernel that gathers them in one array", d.again(f), named(f.Variable)))
			default:
				instead = append(instead, fmt.Sprintf("behind %s: one update device of all parts of %s together; where they lie apart, one of an array with them, and a kernel that puts them in their places", d.again(f), named(f.Variable)))
			}
		}
		f.What = strings.Join(counts, ", and ") + ", each after another one of the same directive with no kernel in between"
		f.Why = "a small transfer costs its latency, not its bytes: one of all together takes a fraction"
		f.Instead = strings.Join(slices.Compact(instead), "\n")
	},
}

// joinSmall joins directives in one loop that move parts of the same variable, one way and the other.
func joinSmall(_ *shown, sources *report.Sources, groups []*group) (list []*group) {
	type cause struct {
		subject, file, function string
		loop                    int
	}
	of := map[cause][]*group{}
	var order []cause
	for _, g := range groups {
		if g.count < fewestSmall {
			continue
		}
		c := cause{g.subject, g.file, g.function, loopAround(sources, g.file, g.line)}
		if c.loop == 0 {
			list = append(list, g)
			continue
		}
		if of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], g)
	}
	for _, c := range order {
		slices.SortFunc(of[c], (*group).place)
		list = append(list, joined(of[c]))
	}
	return list
}

// smalls watches for small transfers in a row.
type smalls struct {
	found  *evidence
	before map[model.ThreadID]*[2]smallStep // uploads, downloads
}

// smallStep is a transfer; one without a site: none since the last kernel.
type smallStep struct {
	site  *store.Site
	bytes int64
}

func (w *smalls) take(h *happening) {
	if h.kernel() {
		if before := w.before[h.Thread]; before != nil {
			*before = [2]smallStep{}
		}
		return
	}
	if !h.upload() && !h.download() {
		return
	}
	now := smallStep{h.Site, int64(h.Bytes)}
	if s := h.outside.site; s != nil && (now.bytes < smallestBytes || strings.Contains(h.Site.Symbol, ", ")) {
		switch s.Construct {
		case "data", "parallel", "kernels", "serial":
			return
		}
	}
	of := &lookup.New(w.before, h.Thread)[0]
	what := "upload"
	if h.download() {
		of, what = &w.before[h.Thread][1], "download"
	}
	before := *of
	*of = now
	if s := before.site; s != nil && before.bytes <= 16384 && now.bytes <= 16384 && (s == h.Site || s.File == h.Site.File && s.Line == h.Site.Line) {
		w.found.of(h.Site).add(h.spared(), now.bytes, what)
	}
}

func (*smalls) end() {}
