package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
)

// roundTrip finds data that come back as they were sent, since nothing ran on the device
// in between that could have changed them; and, by hashes, data that came down and go up
// again unchanged: to where they still are, or to where they could have stayed.
var roundTrip = &rule{
	name:  "round-trip",
	about: "Data are sent to the device and brought back, or brought back and sent again, and nothing changed them in between.",
	evidence: history + `returned AS MATERIALIZED (
  SELECT * FROM moves WHERE what = 'upload' AND last = 'download' AND content = last_content AND (made > last_made OR done = last_done AND device_address = last_address)
), chosen AS (
  SELECT record, min(kind) AS kind FROM (
    SELECT record, 'back' AS kind FROM steps WHERE what = 'download' AND before IN ('upload', 'download') AND done = done_before AND device_address = address_before
      AND coalesce(content = overwritten, ` + notExposed + `)
    UNION ALL SELECT record, 'up' FROM returned
    UNION ALL SELECT last_record, 'down' FROM returned WHERE made > last_made
  ) GROUP BY record
)` + spared,
	watch:      func(p *pass, found *evidence) watcher { return p.histories(&returns{found}) },
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	explain: func(f *Finding, g *group, d *written) {
		f.Why = "the host has these values already: each download is time for nothing"
		switch g.detail {
		case "back back":
			f.What = fmt.Sprintf("%s came back from the device %s, %s in all, without a kernel since it was last the same on both sides",
				named(f.Variable), times(g.count), size(g.bytes))
			f.Instead = withoutDownload(f, g, d)
			d.unlessUsed(f)
			if d.run != nil && !d.run.compared {
				f.refuse("whether the host changed it before it came back is not known: record with run --hash")
			}
		case "up up":
			f.What = fmt.Sprintf("%s was sent %s as it had come back from the device, %s in all", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "the device had these values, and the host did not change them: each upload is time for nothing"
			if d.known() && d.updates() {
				f.Instead = g.partly(d.withoutUpdate(f, "device"))
				g.onlyWhole(f)
				d.unlessUsed(f)
				if why := d.hostChanges(f.Variable); why != "" {
					f.refuse(why)
				}
				return
			}
			f.Instead = g.mostly(d.stays(f, f.Variable))
		default:
			f.What = fmt.Sprintf("%s came down from the device and went up again unchanged, %d transfers, %s in all", named(f.Variable), g.count, size(g.bytes))
			f.Why = "if it stayed on the device, neither would be needed; where the host reads it in between, an update self is, which takes half of the time"
			f.Instead = g.mostly(d.stays(f, f.Variable))
		}
	},
}

// returns watches for what comes back, or goes up again, as it was.
type returns struct{ found *evidence }

func (w *returns) step(d *datum, last, s *step) {
	if s == nil || s.kind != model.EnqueueDownloadStart || last.kind == model.Create || s.done != last.done || s.address != last.address ||
		s.hash.written() && s.hash.compared || !s.hash.unchanged() && d.exposed {
		return
	}
	s.returned = true
	w.found.of(s.site).ofKind(s.row, s.bytes, "back")
}

func (w *returns) move(_ *datum, last, m *step) {
	if last == nil || m.kind != model.EnqueueUploadStart || last.kind != model.EnqueueDownloadStart || !m.hash.same(last.hash) ||
		m.made == last.made && (m.done != last.done || m.address != last.address) {
		return
	}
	w.found.of(m.site).ofKind(m.row, m.bytes, "up")
	if m.made > last.made && !last.returned {
		w.found.of(last.site).ofKind(last.row, last.bytes, "down")
	}
}

func (*returns) end() {}
