package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// broughtToRead finds whole arrays that come back behind kernels, ten times and more, and do not
// go up again: the host reads them, or a part of them, in each step.
var broughtToRead = &rule{
	name:  "brought-to-read",
	about: "A whole array comes back in each step, and the host does not change it.",
	evidence: history + `again AS MATERIALIZED (
  SELECT m.record, count(*) OVER (PARTITION BY m.process, m.device, m.host_address, m.bytes, t.source_file, t.line) AS times
  FROM moves m CROSS JOIN host_transfers t ON t.record = m.record
  WHERE m.what = 'download' AND m.last = 'download' AND m.made = m.last_made AND m.done > m.last_done AND m.device_address = m.last_address
    AND (m.content IS NULL OR m.overwritten IS NULL OR m.content IS NOT m.overwritten) AND m.bytes >= ` + leastStepped + `
), chosen AS (
  SELECT record, 'down' AS kind FROM again WHERE times >= 10
)` + spared,
	watch: func(p *pass, found *evidence) watcher {
		return p.histories(&readings{found: found, of: map[suspectKey][]*step{}})
	},
	refuted: func(_ *shown, sources *report.Sources, g *group) bool {
		_, given := directiveAt(sources, g.file, g.line).hostLines(g.subject, 0, 0)
		return given != ""
	},
	unless:     []*rule{wholeUpdate},
	confidence: Possible,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s came back whole %s, %s in all, and did not go up again", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the host reads what it needs only after all of it has come; the gain is that of bringing next to nothing"
		reads := "what the host reads of it"
		if lines, _ := d.hostLines(f.Variable, 0, 0); lines != "" {
			reads = "what the host reads of it at " + lines
		}
		f.Instead = fmt.Sprintf("compute on the device %s (reduction), or bring that part alone: update self(%s[...])", reads, f.Variable)
		f.refuse("it takes another construct, or a part that only the program's author knows")
	},
}

// readings watches for data that come back again and again.
type readings struct {
	found *evidence
	of    map[suspectKey][]*step
}

func (*readings) step(*datum, *step, *step) {}

func (w *readings) move(d *datum, last, m *step) {
	if last == nil || m.bytes < leastSteppedBytes || m.kind != model.EnqueueDownloadStart || last.kind != model.EnqueueDownloadStart ||
		m.made != last.made || m.done <= last.done || m.address != last.address || m.hash.unchanged() {
		return
	}
	key := suspectKey{d.key, m.site.File, m.site.Line}
	w.of[key] = append(w.of[key], m)
}

func (w *readings) end() {
	for _, list := range w.of {
		if len(list) < fewestSteps {
			continue
		}
		for _, m := range list {
			w.found.of(m.site).ofKind(m.row, m.bytes, "down")
		}
	}
}
