package advice

import (
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/runtime/source/directive"
)

// unusedTransfer finds data that are sent, and sent again or deleted before anything
// ran on the device that could have used them. A host_data region counts as a use, and so
// does acc_deviceptr, of the data whose address it gives, whenever it was called. Where the
// runtime tells what no kernel could use in all of the run, it finds each transfer of that. By
// hashes it finds, too, what each of a directive's downloads brought back as the host had
// it, though kernels ran. What a program that runs, was killed or met an error did not come to is
// no evidence.
var unusedTransfer = &rule{
	name:  "unused-transfer",
	about: "Data are sent to the device that no kernel uses before they are overwritten or deleted, or brought back though no kernel changes them.",
	evidence: history + `own AS MATERIALIZED (
  SELECT p.process FROM processes p WHERE ` + byItself + `
), never AS MATERIALIZED (
  SELECT u.process, CAST(substr(u.data, instr(u.data, ' ') + 1) AS INTEGER) AS host, u.bytes,
    coalesce((SELECT min(start) FROM spans s WHERE s.kind = 'device_shutdown' AND s.process = u.process), 9223372036854775807) AS down
  FROM (SELECT CAST(substr(key, 9) AS INTEGER) AS process, substr(key, 9) AS data, CAST(value AS INTEGER) AS bytes FROM meta WHERE key BETWEEN 'unused: ' AND 'unused: :') u
  JOIN processes p ON p.process = u.process WHERE NOT p.since_attach AND p.process IN (SELECT process FROM own)
), found AS (
  SELECT s.record, 'sent' AS kind FROM steps s LEFT JOIN ever e ON e.process = s.process AND e.device = s.device
    WHERE s.what = 'upload' AND coalesce(s.next, 'end') <> 'download' AND (s.next IS NOT NULL OR s.process IN (SELECT process FROM own)) AND s.done = coalesce(s.done_next, e.done, 0)
      AND (s.next IS NOT 'upload' OR s.device_address = s.address_next) AND ` + notExposed + `
  UNION ALL SELECT n.record, 'never' FROM numbered n WHERE n.what IN ('upload', 'download') AND EXISTS (SELECT 1 FROM never v
    WHERE v.process = n.process AND n.host_address >= v.host AND n.host_address + n.bytes <= v.host + v.bytes AND n.at < v.down)
  UNION ALL SELECT record, 'brought' FROM (
    SELECT m.record, m.last, m.done > m.last_done AND m.made = m.last_made AND m.device_address = m.last_address AS used,
      min(coalesce(m.content = m.overwritten, 0)) OVER (PARTITION BY m.process, m.device, m.host_address, m.bytes, t.source_file, t.line) AS unchanged
    FROM moves m CROSS JOIN host_transfers t ON t.record = m.record WHERE m.what = 'download'
  ) WHERE unchanged AND used
), chosen AS (
  SELECT record, iif(max(kind = 'never'), 'never', min(kind)) AS kind FROM found GROUP BY record
)` + spared,
	watch: func(p *pass, found *evidence) watcher {
		w := &unused{pass: p, found: found, brought: map[suspectKey]*broughtBack{}, never: map[int64]bool{}, down: map[model.ProcessID]bool{}}
		if followed := p.histories(w); followed != nil {
			p.watchers = append(p.watchers, w.nevers(), followed)
			return nil
		}
		return w.nevers()
	},
	confidence: Likely,
	relies:     []int32{model.Create, model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.EnterDataStart},
	refuted: func(seen *shown, sources *report.Sources, g *group) bool {
		g.text = seen.inKernels(sources, g)
		return g.detail == "never never" && g.bytes <= mostOfDescriptor*g.count && fortranFile(g.file)
	},
	explain: func(f *Finding, g *group, d *written) {
		defer d.unlessUsed(f)
		switch g.detail {
		case "brought brought":
			f.What = fmt.Sprintf("%s was brought back %s, %s in all, and never differed from what the host had", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "no kernel changed it: each download is time for nothing"
			f.Instead = withoutDownload(f, g, d)
			if line := d.kernelWrites(f.Variable); g.text.writes || line > 0 {
				f.refuse("a kernel writes it, or may, if only what it had in this run")
			}
			return
		case "never never":
			f.What = fmt.Sprintf("%s was transferred %s, %s in all, and no kernel had any use of it", named(f.Variable), times(g.count), size(g.bytes))
			f.Why = "no compute construct got its address: each transfer is time for nothing"
			f.Instead = withoutData(f, d)
			if slices.Contains(g.kinds, model.EnqueueDownloadStart) && !d.restores(f.Variable) {
				f.refuse("what comes back may be other than what the host has by then")
			}
			g.onlyWhole(f)
			return
		}
		f.What = fmt.Sprintf("%s was sent %s, %s in all, and overwritten or deleted before any kernel ran", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "no kernel reads what such a transfer brings"
		f.Instead = withoutUpload(f, g, d)
	},
}

// mostOfDescriptor is how long what describes an array of Fortran is at most, with 15 dimensions: it goes to
// the device beside its data, under the same name and by the same clause, also when these come back, and no
// kernel asks for it.
const mostOfDescriptor = 64 + 14*24

func fortranFile(path string) bool {
	fortran, _ := directive.Fortran(path)
	return fortran
}

// unused watches for what is sent and not used, and what is brought and never changed.
type unused struct {
	pass    *pass
	found   *evidence
	brought map[suspectKey]*broughtBack
	never   map[int64]bool // transfers of what no kernel could use
	down    map[model.ProcessID]bool
}

// nevers watches for transfers of what no kernel could use, before histories tell of them.
type nevers struct{ *unused }

func (w *unused) nevers() watcher { return nevers{w} }

func (w nevers) take(h *happening) {
	switch {
	case h.Span && h.Site.Kind == "device_shutdown":
		w.down[h.Site.Process] = true
	case !h.upload() && !h.download(), int64(h.Bytes) < smallestBytes, h.Host == 0, h.byAddress(), w.down[h.Site.Process], !w.pass.byItself[h.Site.Process]:
	case within(w.pass.unused[h.Site.Process], int64(h.Host), int64(h.Bytes)):
		w.never[h.ID] = true
		w.found.of(h.Site).ofKind(h.spared(), int64(h.Bytes), "never")
	}
}

func (nevers) end() {}

// broughtBack are the downloads of data by a place, behind kernels; changed: one of its
// downloads brought something new, or it is not known.
type broughtBack struct {
	changed bool
	list    []*step
}

func (w *unused) step(d *datum, s, next *step) {
	switch {
	case s.kind != model.EnqueueUploadStart || d.exposed || w.never[s.record]:
	case next == nil && w.pass.byItself[d.key.process] && s.done == w.pass.history.uses[d.key.deviceData],
		next != nil && next.done == s.done && (next.kind == model.Create || next.kind == model.EnqueueUploadStart && next.address == s.address):
		w.found.of(s.site).ofKind(s.row, s.bytes, "sent")
	}
}

func (w *unused) move(d *datum, last, m *step) {
	if m.kind != model.EnqueueDownloadStart {
		return
	}
	key := suspectKey{d.key, m.site.File, m.site.Line}
	b := lookup.New(w.brought, key)
	switch {
	case b.changed:
	case !m.hash.unchanged():
		b.changed, b.list = true, nil
	case last != nil && m.done > last.done && m.made == last.made && m.address == last.address && !w.never[m.record]:
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
