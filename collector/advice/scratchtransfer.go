package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// scratchTransfer finds data that a directive sends though kernels write them before they read
// them, or brings back though the host does not read them: as far as the program's text proves it.
var scratchTransfer = &rule{
	name:  "scratch-transfer",
	about: "Data are sent that kernels write before they read them, or brought back that the host does not read.",
	evidence: history + `chosen AS (
  SELECT record, 'up' AS kind FROM steps WHERE what = 'upload' AND before = 'create'
  UNION ALL SELECT record, 'down' FROM steps WHERE what = 'download' AND coalesce(next, 'create') = 'create'
)` + spared,
	watch: func(p *pass, found *evidence) watcher { return p.histories(&mappedMoves{found}) },
	join: func(seen *shown, sources *report.Sources, groups []*group) (list []*group) {
		for _, g := range groups {
			d := directiveAt(sources, g.file, g.line)
			d.run = seen
			if seen.tellsOf(roundTrip, g) || seen.tellsOf(unusedTransfer, g) {
				continue // with less to prove
			}
			if g.scratch = d.scratchOf(g); g.scratch != nil {
				list = append(list, g)
			}
		}
		return list
	},
	most: func(_ *shown, g *group) int64 {
		if g.halved() {
			return g.gain / 2
		}
		return g.gain
	},
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		moved, count, bytes := map[string]string{"up up": "was sent", "down down": "was brought back", "down up": "was sent and brought back"}[g.detail], g.count, g.bytes
		if g.halved() {
			moved, count, bytes = "was brought back", count/2, bytes/2
			if g.scratch.written > 0 {
				moved = "was sent"
			}
		}
		f.What = fmt.Sprintf("%s %s, %d transfers, %s in all", named(f.Variable), moved, count, size(bytes))
		f.Why = "the host does not read what comes back: the transfers are time for nothing"
		if line := g.scratch.written; line > 0 {
			f.Why = fmt.Sprintf("the kernel at line %d writes what kernels read, before they do", line)
			if g.detail != "up up" && !g.halved() {
				f.Why += ", and the host does not read what comes back"
			}
			f.Why += ": the transfers are time for nothing"
		}
		f.Instead = d.exchange(f, g.scratch.becomes)
	},
}

// halved says whether what goes one way is needed, of what goes both.
func (g *group) halved() bool { return g.detail == "down up" && g.scratch.becomes["copy"] != "create" }

// tellsOf says whether a rule has evidence of a group's subject at its place.
func (seen *shown) tellsOf(r *rule, g *group) bool {
	return seen.found[r] != nil && seen.found[r].groups[g.groupKey] != nil
}

// mappedMoves watches for what goes up as data are made, and comes down before they go.
type mappedMoves struct{ found *evidence }

func (w *mappedMoves) step(_ *datum, last, s *step) {
	if s != nil && s.kind == model.EnqueueUploadStart && last.kind == model.Create {
		w.found.of(s.site).ofKind(s.row, s.bytes, "up")
	}
	if last.kind == model.EnqueueDownloadStart && (s == nil || s.kind == model.Create) {
		w.found.of(last.site).ofKind(last.row, last.bytes, "down")
	}
}

func (*mappedMoves) move(*datum, *step, *step) {}
func (*mappedMoves) end()                      {}
