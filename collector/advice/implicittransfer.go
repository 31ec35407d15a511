package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/lookup"
)

// implicitTransfer finds arrays that compute constructs copy by themselves, three
// times and more in a direction, since no clause names them, or none is known to.
var implicitTransfer = &rule{
	name:  "implicit-transfer",
	about: "A compute construct copies an array again and again that no clause names.",
	evidence: `SELECT subject, source_file, line, function, process, thread, device, async_queue, bytes, start, end, device_start, device_end, detail
FROM (
  SELECT variable AS subject, source_file, line, function, process, thread, device, async_queue, bytes, enqueued AS start, enqueued + enqueue_time AS end,
    coalesce(start, 0) AS device_start, coalesce(end, 0) AS device_end, direction,
    iif(` + textUnknown + `, 'unknown', NULL) AS detail,
    row_number() OVER datum AS nth, count(*) OVER (PARTITION BY process, device, host_address, bytes, source_file, line, direction) AS times
  FROM host_transfers WHERE implicit AND bytes >= 4096
  WINDOW datum AS (PARTITION BY process, device, host_address, bytes, source_file, line, direction ORDER BY enqueued)
) WHERE times >= 3 AND nth <> iif(direction = 'upload', 1, times)`,
	watch: func(p *pass, found *evidence) watcher {
		return &implied{pass: p, found: found, copies: map[impliedCopy]*impliedCopies{}}
	},
	unless:     []*rule{mappedInLoop},
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s was copied by the construct itself %s too often, %s in all", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "no clause names it, so the compiler adds copy for each time the construct is reached"
		if g.detail == "unknown" {
			f.What = fmt.Sprintf("%s was copied %s too often by the construct, %s in all", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "no clause names it, or one with copy does (the directive's text was not at hand when the trace was written): it is copied each time the construct is reached"
		}
		f.Instead = d.stays(f, f.Variable)
	},
}

// implied watches for arrays that constructs copy by themselves.
type implied struct {
	pass   *pass
	found  *evidence
	copies map[impliedCopy]*impliedCopies
}

type (
	impliedCopy struct {
		datumKey
		file   string
		line   int32
		upload bool
	}
	// impliedCopies are the transfers of data but the first, and for downloads but the last.
	impliedCopies struct {
		times   int
		spared  []*step
		pending *step
	}
)

func (w *implied) take(h *happening) {
	if h.Site.Implicit == 0 || h.Bytes < 4096 || !h.upload() && !h.download() {
		return
	}
	at := lookup.New(w.copies, impliedCopy{datumKey{deviceData{h.Site.Process, h.Site.Device}, int64(h.Host), int64(h.Bytes)}, h.Site.File, h.Site.Line, h.upload()})
	at.times++
	this := &step{site: h.Site, row: h.spared(), bytes: int64(h.Bytes)}
	switch {
	case h.upload() && at.times > 1:
		at.spared = append(at.spared, this)
	case h.download():
		if at.pending != nil {
			at.spared = append(at.spared, at.pending)
		}
		at.pending = this
	}
}

func (w *implied) end() {
	for _, at := range w.copies {
		if at.times < 3 {
			continue
		}
		for _, s := range at.spared {
			detail := ""
			if w.pass.textUnknown(s.site) {
				detail = "unknown"
			}
			w.found.of(s.site).add(s.row, s.bytes, detail)
		}
	}
}
