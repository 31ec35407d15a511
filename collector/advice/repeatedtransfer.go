package advice

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// repeatedTransfer finds data that are sent again as they were sent the last time. With
// hashes (accscope run --hash) that is known; but not where kernels ran meanwhile that are
// known to write to the data, by a download or by their text: these have to be set back then.
// Without hashes only what is mapped anew ten times and more, and never came back in between,
// is suspected: what the program updates, it has changed.
var repeatedTransfer = &rule{
	name:  "repeated-transfer",
	about: "The same data are sent to the device again, unchanged.",
	evidence: history + `hashed AS (SELECT DISTINCT process FROM host_transfers WHERE content IS NOT NULL), chosen AS (
  SELECT record, iif(done = last_done OR confirmed, 'hashed', 'unproven') AS kind FROM moves m
  WHERE what = 'upload' AND last = 'upload' AND content = last_content AND (made > last_made OR device_address = last_address)
    AND (done = last_done OR NOT EXISTS (SELECT 1 FROM changed c WHERE c.process = m.process AND c.device = m.device
      AND c.host_address < m.host_address + m.bytes AND c.host_address + c.bytes > m.host_address))
  UNION ALL SELECT record, 'suspected' FROM (
    SELECT t.record, count(*) OVER (PARTITION BY t.process, t.device, t.host_address, t.bytes, t.source_file, t.line) AS times
    FROM moves m CROSS JOIN host_transfers t ON t.record = m.record
    WHERE m.what = 'upload' AND m.last = 'upload' AND m.made > m.last_made AND NOT t.implicit AND t.process NOT IN (SELECT process FROM hashed)
  ) WHERE times >= 10
)` + spared,
	watch: func(p *pass, found *evidence) watcher {
		return p.histories(&repetitions{pass: p, found: found, suspects: map[suspectKey][]*step{}})
	},
	refuted: func(seen *shown, sources *report.Sources, g *group) bool {
		if strings.HasSuffix(g.detail, " suspected") && seen.tells(mappedInLoop, g) {
			return true
		}
		if g.detail == "hashed hashed" {
			return false
		}
		g.text = seen.inKernels(sources, g)
		return g.text.writes
	},
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s was sent %s with the same contents as the time before, %s in all", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the device had these data before: each transfer is time for nothing"
		switch _, last, _ := strings.Cut(g.detail, " "); {
		case last == "unproven" && !g.text.uses:
			f.Confidence = Possible
			f.Why = "the device had these data before, unless a kernel writes to them, which cannot be seen here: if none does, each transfer is time for nothing"
		case last == "suspected":
			f.Confidence = Possible
			f.What = fmt.Sprintf("%s was sent again %s, %s in all, and did not come back in between; whether it had changed is not known (accscope run --hash tells)",
				named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "if neither the host nor a kernel has changed it, each transfer is time for nothing"
		}
		if d.known() && d.updates() {
			f.Instead = d.updateOnce(f)
			return
		}
		f.Instead = d.stays(f, f.Variable)
	},
}

// repetitions watches for what is sent again.
type repetitions struct {
	pass      *pass
	found     *evidence
	undecided []sentAgain            // unless kernels write to the data
	suspects  map[suspectKey][]*step // by the place that sends them
}

type (
	sentAgain struct {
		of *datum
		*step
	}
	suspectKey struct {
		datumKey
		file string
		line int32
	}
)

func (*repetitions) step(*datum, *step, *step) {}

func (w *repetitions) move(d *datum, last, m *step) {
	if last == nil || m.kind != model.EnqueueUploadStart || last.kind != model.EnqueueUploadStart {
		return
	}
	if m.hash.same(last.hash) && (m.made > last.made || m.address == last.address) {
		if m.done == last.done {
			w.found.of(m.site).ofKind(m.row, m.bytes, "hashed")
		} else {
			w.undecided = append(w.undecided, sentAgain{d, m})
		}
	}
	if m.made > last.made && m.site.Implicit == 0 {
		key := suspectKey{d.key, m.site.File, m.site.Line}
		w.suspects[key] = append(w.suspects[key], m)
	}
}

func (w *repetitions) end() {
	changed := w.pass.history.changedData()
	for _, m := range w.undecided {
		switch {
		case changed.touches(m.of.key):
		case m.of.confirmed:
			w.found.of(m.site).ofKind(m.row, m.bytes, "hashed")
		default:
			w.found.of(m.site).ofKind(m.row, m.bytes, "unproven")
		}
	}
	for key, list := range w.suspects {
		if len(list) < 10 || w.pass.hashed[key.process] {
			continue
		}
		for _, m := range list {
			w.found.of(m.site).ofKind(m.row, m.bytes, "suspected")
		}
	}
}
