package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// wholeUpdate finds update directives that move all of an array again and again where the
// program's text shows that only a part of it changes, or is used, in between.
var wholeUpdate = &rule{
	name:  "whole-update",
	about: "An update moves a whole array, of which only a part changes or is used.",
	evidence: history + `again AS MATERIALIZED (
  SELECT m.record, m.what, count(*) OVER (PARTITION BY m.process, m.device, m.host_address, m.bytes, m.what, t.source_file, t.line) AS times
  FROM moves m CROSS JOIN host_transfers t ON t.record = m.record
  WHERE m.made = m.last_made AND m.device_address = m.last_address AND m.bytes >= ` + leastStepped + `
), chosen AS (
  SELECT record, iif(what = 'upload', 'up', 'down') AS kind FROM again WHERE times >= 3
)` + spared,
	watch: func(p *pass, found *evidence) watcher {
		return p.histories(&wholeMoves{found: found, of: map[wholeMove][]*step{}})
	},
	join:       joinParts,
	most:       func(_ *shown, g *group) int64 { return int64(float64(g.gain) * (1 - g.part.share)) },
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		way := "came back"
		if g.detail == "up up" {
			way = "was sent"
		} else if len(g.parts) > 1 {
			way = "came back and was sent again"
		}
		f.What = fmt.Sprintf("%s %s whole %s, %s in all, and %s", named(f.Variable), way, times(g.count), size(g.bytes), g.part.because)
		f.Why = "the rest is the same on both sides, or nobody reads it: moving it is time for nothing"
		var text []string
		for _, u := range g.part.updates {
			for i, line := range u.of.writeAll(f, u.after) {
				if i == 0 && u.of.source.directive != d.source.directive {
					line = fmt.Sprintf("and at line %d: %s", u.of.source.directive.Line, line)
				}
				text = append(text, line)
			}
		}
		f.Instead, f.rests = strings.Join(text, "\n"), g.part.rests
	},
}

// joinParts leaves what has no part, or nothing of what moves that is needed, and joins an update
// that sends with the one before, which needs it to change, too.
func joinParts(seen *shown, sources *report.Sources, groups []*group) (list []*group) {
	for _, g := range groups {
		if slices.ContainsFunc([]*rule{repeatedTransfer, roundTrip, unusedTransfer}, func(other *rule) bool { return seen.tellsOf(other, g) }) {
			continue
		}
		d := directiveAt(sources, g.file, g.line)
		d.run = seen
		if g.part = d.partOf(g.subject, g.detail == "up up", g.bytes/g.count); g.part != nil {
			list = append(list, g)
		}
	}
	changes := func(g *group, at *group) bool {
		return g != at && slices.ContainsFunc(g.part.updates, func(u changedUpdate) bool {
			return u.of.source.path == at.file && int64(u.of.source.directive.Line) == at.line
		})
	}
	for _, g := range slices.Clone(list) {
		for i, other := range list {
			if changes(g, other) && slices.Contains(list, g) {
				both := joined([]*group{g, other})
				both.groupKey, both.detail, both.part = g.groupKey, g.detail, g.part
				list[slices.Index(list, g)] = both
				list = slices.Delete(list, i, i+1)
				break
			}
		}
	}
	return list
}

// wholeMoves watches for transfers of all that is mapped, behind others in the same mapping.
type wholeMoves struct {
	found *evidence
	of    map[wholeMove][]*step
}

type wholeMove struct {
	suspectKey
	kind int32
}

func (*wholeMoves) step(*datum, *step, *step) {}

func (w *wholeMoves) move(d *datum, last, m *step) {
	if last == nil || m.bytes < leastSteppedBytes || m.made != last.made || m.address != last.address {
		return
	}
	key := wholeMove{suspectKey{d.key, m.site.File, m.site.Line}, m.kind}
	w.of[key] = append(w.of[key], m)
}

func (w *wholeMoves) end() {
	for key, list := range w.of {
		if len(list) < 3 {
			continue
		}
		kind := "down"
		if key.kind == model.EnqueueUploadStart {
			kind = "up"
		}
		for _, m := range list {
			w.found.of(m.site).ofKind(m.row, m.bytes, kind)
		}
	}
}
