package advice

import (
	"fmt"
	"slices"
	"strings"

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
	join:  joinScratch,
	most: func(_ *shown, g *group) (gain int64) {
		for _, part := range g.all() {
			if part.halved() {
				gain += part.gain / 2
			} else {
				gain += part.gain
			}
		}
		return gain
	},
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		var names, said []string
		written, brought := 0, false
		other := d.clone()
		for _, part := range g.all() {
			way, count, bytes := map[string]string{"up up": "sent", "down down": "brought back", "down up": "sent and brought back"}[part.detail], part.count, part.bytes
			if part.halved() {
				way, count, bytes = "brought back", count/2, bytes/2
				if part.scratch.written > 0 {
					way = "sent"
				}
			}
			written, brought = max(written, part.scratch.written), brought || way != "sent"
			names = append(names, named(part.subject))
			said = append(said, fmt.Sprintf("%s was %s, %d transfers, %s in all", named(part.subject), way, count, size(bytes)))
			for i := range d.clauses {
				to := part.scratch.becomes[strings.ToLower(d.clauses[i].Name)]
				if to == "" {
					continue
				}
				if item, found := other.take(part.subject, strings.ToLower(d.clauses[i].Name)); found {
					other.add(to, item)
				}
			}
		}
		f.Variable, f.What = strings.Join(names, ", "), strings.Join(said, "; ")
		f.Subject = f.Variable
		switch {
		case written > 0 && brought:
			f.Why = fmt.Sprintf("the kernel at line %d writes what kernels read, before they do, and the host does not read what comes back: the transfers are time for nothing", written)
		case written > 0:
			f.Why = fmt.Sprintf("the kernel at line %d writes what kernels read, before they do: the transfers are time for nothing", written)
		default:
			f.Why = "the host does not read what comes back: the transfers are time for nothing"
		}
		f.Instead = d.write(f, other)
	},
}

// joinScratch leaves what is proven to be moved for nothing, and joins what one directive moves.
func joinScratch(seen *shown, sources *report.Sources, groups []*group) (list []*group) {
	of := map[Place][]*group{}
	var order []Place
	for _, g := range groups {
		d := directiveAt(sources, g.file, g.line)
		d.run = seen
		if seen.tellsOf(roundTrip, g) || seen.tellsOf(unusedTransfer, g) {
			continue // with less to prove
		}
		if g.scratch = d.scratchOf(g); g.scratch == nil {
			continue
		}
		at := Place{g.file, g.function, g.line}
		if of[at] == nil {
			order = append(order, at)
		}
		of[at] = append(of[at], g)
	}
	for _, at := range order {
		list = append(list, joined(slices.SortedFunc(slices.Values(of[at]), (*group).place)))
	}
	return list
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
