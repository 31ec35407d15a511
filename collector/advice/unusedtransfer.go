package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
)

// unusedTransfer finds data that are sent, and sent again or deleted before anything
// ran on the device that could have used them. A host_data region counts as a use, and so
// does acc_deviceptr, of the data whose address it gives, whenever it was called. By
// hashes it finds, too, what each of a directive's downloads brought back as the host had
// it, though kernels ran.
var unusedTransfer = &rule{
	name:  "unused-transfer",
	about: "Data are sent to the device and overwritten or deleted before a kernel runs, or brought back though no kernel changes them.",
	evidence: history + `chosen AS (
  SELECT s.record, 'sent' AS kind FROM steps s LEFT JOIN ever e ON e.process = s.process AND e.device = s.device
    WHERE s.what = 'upload' AND coalesce(s.next, 'end') <> 'download' AND s.done = coalesce(s.done_next, e.done, 0)
      AND (s.next IS NOT 'upload' OR s.device_address = s.address_next) AND ` + notExposed + `
  UNION ALL SELECT record, 'brought' FROM (
    SELECT m.record, m.last, m.done > m.last_done AND m.made = m.last_made AND m.device_address = m.last_address AS used,
      min(coalesce(m.content = m.overwritten, 0)) OVER (PARTITION BY m.process, m.device, m.host_address, m.bytes, t.source_file, t.line) AS unchanged
    FROM moves m CROSS JOIN transfers t ON t.record = m.record WHERE m.what = 'download'
  ) WHERE unchanged AND used
)` + spared,
	watch: func(p *pass, found *evidence) watcher {
		return p.histories(&unused{pass: p, found: found, brought: map[suspectKey]*broughtBack{}})
	},
	confidence: Likely,
	explain: func(f *Finding, g *group, d *written) {
		if g.detail == "brought brought" {
			f.What = fmt.Sprintf("%s was brought back %s, %s in all, and never differed from what the host had", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "no kernel changed it: each download is time for nothing"
			f.Instead = withoutDownload(f, d)
			return
		}
		f.What = fmt.Sprintf("%s was sent %s, %s in all, and overwritten or deleted before any kernel ran", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "no kernel reads what such a transfer brings"
		f.Instead = withoutUpload(f, d)
	},
}

// unused watches for what is sent and not used, and what is brought and never changed.
type unused struct {
	pass    *pass
	found   *evidence
	brought map[suspectKey]*broughtBack
}

// broughtBack are the downloads of data by a place, behind kernels; changed: one of its
// downloads brought something new, or it is not known.
type broughtBack struct {
	changed bool
	list    []*step
}

func (w *unused) step(d *datum, s, next *step) {
	switch {
	case s.kind != model.EnqueueUploadStart || d.exposed:
	case next == nil && s.done == w.pass.history.uses[d.key.deviceData],
		next != nil && next.done == s.done && (next.kind == model.Create || next.kind == model.EnqueueUploadStart && next.address == s.address):
		w.found.of(s.site).ofKind(s.row, s.bytes, "sent")
	}
}

func (w *unused) move(d *datum, last, m *step) {
	if m.kind != model.EnqueueDownloadStart {
		return
	}
	key := suspectKey{d.key, m.site.File, m.site.Line}
	b := w.brought[key]
	if b == nil {
		b = &broughtBack{}
		w.brought[key] = b
	}
	switch {
	case b.changed:
	case !m.hash.unchanged():
		b.changed, b.list = true, nil
	case last != nil && m.done > last.done && m.made == last.made && m.address == last.address:
		b.list = append(b.list, m)
	}
}

func (w *unused) end() {
	for _, b := range w.brought {
		for _, m := range b.list {
			w.found.of(m.site).ofKind(m.row, m.bytes, "brought")
		}
	}
}
