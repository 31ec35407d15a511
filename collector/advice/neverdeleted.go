package advice

import (
	"fmt"
	"slices"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// NeverDeleted is the name of the rule for data that nobody deletes.
const NeverDeleted = "never-deleted"

// neverDeleted finds data that stay on the device until it is shut down, made twice
// and more at one place: the memory in use grows.
var neverDeleted = &rule{
	name:  NeverDeleted,
	about: "Data are mapped again and again and never deleted: the memory in use grows.",
	evidence: `SELECT a.variable AS subject, a.source_file, a.line, a.function, a.process, a.thread, a.device, -2 AS async_queue, a.bytes,
  a.start, a.start AS end, 0 AS device_start, 0 AS device_end, NULL AS detail
FROM allocations a LEFT JOIN (SELECT process, min(start) AS down FROM spans WHERE kind = 'device_shutdown' GROUP BY process) s ON s.process = a.process
WHERE a.kind = 'create' AND (a.ended IS NULL OR a.ended >= s.down)`,
	enough:     func(g *group) bool { return g.count >= 2 },
	confidence: Certain,
	timeless:   true,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("%s was mapped %s and never deleted, %s in all", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the device's memory in use grows until there is none left"
		f.Instead = fmt.Sprintf("exit data delete(%s) where the host frees the data", named(f.Variable))
	},
}

// deletedWhileBusy finds data that were deleted while a transfer of theirs was still
// under way on a queue.
var deletedWhileBusy = &rule{
	name:  "deleted-while-busy",
	about: "Data are deleted while a queue still has a transfer of theirs to do.",
	evidence: `WITH step AS (
  SELECT 'delete' AS what, record, process, device, host_address, time AS at, 0 AS done FROM releases WHERE kind = 'delete'
  UNION ALL SELECT 'transfer', record, process, device, host_address, enqueued, end FROM transfers WHERE async_queue <> -2 AND end > 0
), followed AS (
  SELECT *, min(iif(what = 'delete', at, NULL)) OVER later AS deleted, min(iif(what = 'delete', record, NULL)) OVER later AS deletion
  FROM step WINDOW later AS (PARTITION BY process, device, host_address ORDER BY at DESC)
)
SELECT t.variable AS subject, t.source_file, t.line, t.function, t.process, t.thread, t.device, t.async_queue, t.bytes,
  t.enqueued AS start, f.deleted AS end, t.start AS device_start, t.end AS device_end, NULL AS detail
FROM followed f CROSS JOIN transfers t ON t.record = f.record CROSS JOIN events e ON e.record = f.deletion
WHERE f.what = 'transfer' AND f.done > f.deleted AND e.async_queue <> t.async_queue`,
	watch: func(_ *pass, found *evidence) watcher {
		return &deletions{found, map[hostData][]busyTransfer{}}
	},
	confidence: Certain,
	timeless:   true,
	wrong:      true,
	explain: func(f *Finding, g *group, _ *written) {
		f.What = fmt.Sprintf("%s was deleted %s while a transfer of it was still under way", named(f.Variable), times(g.count))
		f.Why = "the memory may be given to other data while the queue still reads or writes it"
		f.Instead = "wait for the queue before the data are deleted, or delete them on the same queue (exit data … async)"
	},
}

// deletions watches for data that are deleted while transfers of theirs are under way.
type deletions struct {
	found *evidence
	under map[hostData][]busyTransfer
}

type (
	hostData struct {
		deviceData
		host uint64
	}
	// busyTransfer is a transfer on an async queue.
	busyTransfer struct {
		site  *store.Site
		row   occurrence
		bytes int64
	}
)

func (w *deletions) take(h *happening) {
	key := hostData{deviceData{h.Site.Process, h.Site.Device}, h.Host}
	switch {
	case h.Site.KindCode == model.Delete:
		for _, t := range w.under[key] {
			if t.row.deviceEnd > h.Start && t.row.queue != h.Site.AsyncQueue {
				t.row.end = h.Start
				w.found.of(t.site).add(t.row, t.bytes, "")
			}
		}
		delete(w.under, key)
	case (h.upload() || h.download()) && h.Site.AsyncQueue != callbacks.AsyncSync && h.device.end > h.Start:
		// Those that are done by then are done when the data are deleted, too.
		under := slices.DeleteFunc(w.under[key], func(t busyTransfer) bool { return t.row.deviceEnd <= h.Start })
		w.under[key] = append(under, busyTransfer{h.Site, h.spared(), int64(h.Bytes)})
	}
}

func (*deletions) end() {}
