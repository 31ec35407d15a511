package advice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// NeverDeleted is the name of the rule for data that nobody deletes.
const NeverDeleted = "never-deleted"

// fewestGrowths is after how many different kernels a place has to map what stays, so that
// memory grows: what a program maps before it begins, and once again for what comes then,
// stays for good reasons. So does what it maps as it comes to use it: that has an end, and
// growth is still there in the second half of the kernels.
const fewestGrowths = 3

// neverDeleted finds data of enter data and routines that stay on the device until it is shut down, mapped at one place
// of a process that ended by itself again and again while it ran kernels: the memory in use grows. Each rank that
// keeps its data to the end, and a function that maps many arrays before the first kernel, or
// each at its first use, are none.
var neverDeleted = &rule{
	name:  NeverDeleted,
	about: "Data are mapped again and again and never deleted: the memory in use grows.",
	evidence: `WITH kept AS MATERIALIZED (
  SELECT a.* FROM allocations a JOIN processes p ON p.process = a.process
  LEFT JOIN (SELECT process, min(start) AS down FROM spans WHERE kind = 'device_shutdown' GROUP BY process) s ON s.process = a.process
  WHERE a.kind = 'create' AND (a.ended IS NULL OR a.ended >= s.down) AND a.record IN (SELECT record FROM events WHERE kind_code = 6 AND ` + deletable + `)
    AND ` + byItself + `
), step AS (
  SELECT record, process, device, variable, source_file, line, function, start AS at FROM kept
  UNION ALL SELECT 0, process, 0, NULL, NULL, 0, NULL, enqueued FROM kernels
  UNION ALL SELECT 0, process, 0, NULL, NULL, 0, NULL, start FROM spans WHERE kind = 'enter_data' AND construct = 'host_data'
), counted AS (
  SELECT *, sum(record = 0) OVER (PARTITION BY process ORDER BY at) AS done, sum(record = 0) OVER (PARTITION BY process) AS all_done FROM step
), growing AS MATERIALIZED (
  SELECT process, device, variable, source_file, line, function FROM counted WHERE record <> 0 GROUP BY 1, 2, 3, 4, 5, 6 HAVING count(DISTINCT done) >= ` + strconv.Itoa(fewestGrowths) + ` AND 2 * max(done) >= max(all_done)
)
SELECT a.variable AS subject, a.source_file, a.line, a.function, a.process, a.thread, a.device, -2 AS async_queue, a.bytes,
  a.start, a.start AS end, 0 AS device_start, 0 AS device_end, NULL AS detail
FROM kept a JOIN growing g ON g.process = a.process AND g.device = a.device AND g.variable IS a.variable AND g.source_file IS a.source_file AND g.line = a.line AND g.function IS a.function`,
	watch: func(p *pass, found *evidence) watcher {
		return &kept{found: found, own: p.byItself, live: map[int64]*keptMapping{}, done: map[model.ProcessID]int64{}, down: map[model.ProcessID]bool{}}
	},
	confidence: Certain,
	relies:     []int32{model.Create, model.Delete, model.EnqueueLaunchStart, model.EnterDataStart},
	timeless:   true,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("%s was mapped %s and never deleted, %s in all", named(f.Variable), times(g.count), size(g.bytes))
		f.Why = "the device's memory in use grows until there is none left"
		f.Instead = d.deletion(f.Variable) + " where the host frees the data"
	},
}

// kept watches for mappings that stay.
type kept struct {
	found *evidence
	own   map[model.ProcessID]bool  // ended by themselves
	live  map[int64]*keptMapping    // by record
	done  map[model.ProcessID]int64 // kernels, and what uses data outside of OpenACC
	down  map[model.ProcessID]bool
}

type (
	keptMapping struct {
		site        *store.Site
		start, done int64
		bytes       int64
	}
	// keptAt is where data are mapped that stay.
	keptAt struct {
		deviceData
		groupKey
	}
)

func (w *kept) take(h *happening) {
	process := h.Site.Process
	switch {
	case h.kernel(), h.Span && h.Site.Kind == "enter_data" && h.Site.Construct == "host_data":
		w.done[process]++
	case h.Site.KindCode == model.Create:
		if w.own[process] && model.Deletable(h.Site.ParentConstruct) {
			w.live[h.ID] = &keptMapping{h.Site, h.Start, w.done[process], int64(h.Bytes)}
		}
	case h.Site.KindCode == model.Delete:
		if !w.down[process] {
			delete(w.live, h.Opener)
		}
	case h.Span && h.Site.Kind == "device_shutdown":
		w.down[process] = true
	}
}

func (w *kept) end() {
	places := map[keptAt][]*keptMapping{}
	for _, id := range slices.Sorted(maps.Keys(w.live)) {
		m := w.live[id]
		where := keptAt{deviceData{m.site.Process, m.site.Device}, keyOf(m.site.Symbol, m.site.Description)}
		places[where] = append(places[where], m)
	}
	for at, list := range places {
		done, last := map[int64]bool{}, int64(0)
		for _, m := range list {
			done[m.done], last = true, max(last, m.done)
		}
		if len(done) < fewestGrowths || 2*last < w.done[at.process] {
			continue
		}
		for _, m := range list {
			w.found.of(m.site).add(onHost(m.site, m.start, m.start), m.bytes, "")
		}
	}
}

// deletedWhileBusy finds data that were deleted while a transfer of theirs was still
// under way on a queue.
var deletedWhileBusy = &rule{
	name:  "deleted-while-busy",
	about: "Data are deleted while a queue still has a transfer of theirs to do.",
	evidence: `WITH step AS (
  SELECT 'delete' AS what, record, process, device, host_address, time AS at, 0 AS done FROM releases WHERE kind = 'delete'
  UNION ALL SELECT 'transfer', record, process, device, host_address, enqueued, end FROM host_transfers WHERE async_queue <> -2 AND end > 0
), followed AS (
  SELECT *, min(iif(what = 'delete', at, NULL)) OVER later AS deleted, min(iif(what = 'delete', record, NULL)) OVER later AS deletion
  FROM step WINDOW later AS (PARTITION BY process, device, host_address ORDER BY at DESC)
)
SELECT t.variable AS subject, t.source_file, t.line, t.function, t.process, t.thread, t.device, t.async_queue, t.bytes,
  t.enqueued AS start, f.deleted AS end, t.start AS device_start, t.end AS device_end, NULL AS detail
FROM followed f CROSS JOIN host_transfers t ON t.record = f.record CROSS JOIN events e ON e.record = f.deletion
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
