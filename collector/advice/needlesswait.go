package advice

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// byValue is SQL for transfers t, of the span c, that a compute construct makes beside its data: what goes
// to a kernel by value, alone or, without an address, with others, and scalars that it copies back by itself.
const byValue = `((t.bytes < ` + smallest + ` OR t.host_address = 0) AND coalesce(c.construct, '') IN ('parallel', 'kernels', 'serial') AND (t.direction = 'upload' OR t.implicit))`

// operations is SQL for what threads ask of devices, each with what the thread asks
// next: kernels, transfers (but of what goes to the device by value), waits that the
// program wrote, and what else goes by the order of operations: mappings that are made and deleted, host_data
// regions and calls of MPI.
const operations = `WITH operation AS (
  SELECT 'kernel' AS what, record, process, thread, device, async_queue, enqueued AS at, enqueued + enqueue_time AS end,
    start AS device_start, end AS device_end FROM kernels
  UNION ALL SELECT 'transfer', t.record, t.process, t.thread, t.device, t.async_queue, t.enqueued, t.enqueued + t.enqueue_time, t.start, t.end
    FROM host_transfers t LEFT JOIN spans c ON c.record = t.parent WHERE NOT ` + byValue + `
  UNION ALL SELECT 'wait', record, process, thread, device, async_queue, start, end, NULL, NULL FROM waits WHERE NOT implicit
  UNION ALL SELECT 'other', record, process, thread, device, NULL, start, start, NULL, NULL FROM spans WHERE kind = 'enter_data' AND construct = 'host_data'
  UNION ALL SELECT 'other', record, process, thread, device, NULL, time, time, NULL, NULL FROM events WHERE kind_code IN (6, 7) AND NOT (implicit AND bytes < ` + smallest + `)
  UNION ALL SELECT 'other', record, process, thread, NULL, NULL, start, start, NULL, NULL FROM communication
), followed AS (
  SELECT *, lead(what) OVER asked AS next, lead(async_queue) OVER asked AS next_queue, lead(end) OVER asked AS next_end,
    lead(record) OVER asked AS next_record, lead(device_start) OVER asked AS next_start, lead(device_end) OVER asked AS next_done, lead(device) OVER asked AS next_device
  FROM operation WINDOW asked AS (PARTITION BY process, thread ORDER BY at, record)
)`

// needlessWait finds waits for a queue that brought the host nothing since the last
// wait, and behind which the thread uses that queue alone until it waits for it again: the queue
// keeps their order by itself.
var needlessWait = &rule{
	name:  "needless-wait",
	about: "The host waits for a queue that has nothing for it, and then goes on with the same queue.",
	evidence: operations + `, numbered AS (
  SELECT *, sum(what = 'wait') OVER (PARTITION BY process, thread, async_queue ORDER BY at, record) - (what = 'wait') AS epoch,
    row_number() OVER (PARTITION BY process, thread ORDER BY at, record) AS nth, row_number() OVER (PARTITION BY process, thread, async_queue ORDER BY at, record) AS nth_of_queue
  FROM followed
), epochs AS (
  SELECT process, thread, async_queue, epoch, sum(what = 'transfer') AS transfers, max(device_end) AS done, max(device_end - device_start) AS longest,
    max(iif(what = 'wait', record, NULL)) AS wait, max(iif(what = 'wait', end, NULL)) AS waited, max(iif(what = 'wait', next, NULL)) AS next,
    max(iif(what = 'wait', next_queue, NULL)) AS next_queue, max(iif(what = 'wait', next_start, NULL)) AS next_start,
    max(iif(what = 'wait', next_end, NULL)) AS next_end, max(iif(what = 'wait', nth - nth_of_queue, NULL)) AS others
  FROM numbered WHERE async_queue <> -2 GROUP BY process, thread, async_queue, epoch
), again AS (
  SELECT *, lead(others) OVER (PARTITION BY process, thread, async_queue ORDER BY epoch) AS others_then FROM epochs
)
SELECT 'queue ' || e.async_queue AS subject, w.source_file, w.line, w.function, w.process, w.thread, w.device, -2 AS async_queue, 0 AS bytes,
  e.done AS start, e.done + max(0, min(e.next_start - e.done, e.next_start - e.done + e.longest - (e.next_end - e.waited))) AS end,
  0 AS device_start, 0 AS device_end, NULL AS detail
FROM again e CROSS JOIN waits w ON w.record = e.wait
WHERE e.next = 'kernel' AND e.next_queue = e.async_queue AND e.transfers = 0 AND e.done < e.next_start AND e.others = e.others_then`,
	watch: func(p *pass, found *evidence) watcher {
		return p.sequences((&needless{seen: p.shown, found: found, open: map[task]*epoch{}, over: map[owner]*waitedFor{}}).asked)
	},
	join:       joinWaits,
	confidence: Likely,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	subject:    aQueue,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the host waited %s for %s, on which only kernels were, and then launched the next one on it", times(g.count), f.Subject)
		f.Why = "a queue does what it holds in order: the wait only leaves the device idle until the host is back"
		f.Instead = "leave the wait out; " + g.wait.instead(f.File, cmp.Or(d.sentinel, sentinelOf(f.File))+" wait("+strings.TrimPrefix(g.subject, "queue ")+")")
		if len(g.parts) > 1 {
			f.What = fmt.Sprintf("the host waited %s for %s at %s, on which only kernels were, and then launched the next one on it", times(g.count), f.Subject, linesOf(f))
			f.Instead = strings.Replace(f.Instead, "the wait", "these waits", 1)
		}
		if moved := d.waitBehind(f, g.others(d)...); len(f.Edits) > 0 {
			f.Instead = moved + g.wait.byValue(f.File)
			for _, c := range g.wait.constructs {
				c.directive.write(f, c.givenByValue())
			}
		}
	},
}

// others are the directives of a group's other waits.
func (g *group) others(d *written) (list []*written) {
	for _, part := range g.parts {
		if part.line != g.line {
			other := directiveAt(d.source.sources, part.file, part.line)
			other.run = d.run
			list = append(list, other)
		}
	}
	return list
}

// joinWaits leaves out waits that something needs, and joins those of one loop for one queue: one
// wait behind it does for all.
func joinWaits(seen *shown, sources *report.Sources, groups []*group) (list []*group) {
	type cause struct {
		subject, file, function string
		loop                    int
		line                    int64 // where no loop is seen
	}
	of := map[cause][]*group{}
	var order []cause
	for _, g := range groups {
		if !g.spares(seen, sources) {
			continue
		}
		c := cause{g.subject, g.file, g.function, loopAround(sources, g.file, g.line), 0}
		if c.loop == 0 {
			c.line = g.line
		}
		if of[c] == nil {
			order = append(order, c)
		}
		of[c] = append(of[c], g)
	}
	for _, c := range order {
		parts := slices.SortedFunc(slices.Values(of[c]), (*group).place)
		all := &sparedWait{ends: map[rowEnd]bool{}}
		for _, g := range parts {
			maps.Copy(all.ends, g.wait.ends)
			for _, q := range g.wait.constructs {
				if !slices.ContainsFunc(all.constructs, func(other *queuedConstruct) bool { return other.rowConstruct == q.rowConstruct }) {
					all.constructs = append(all.constructs, q)
				}
			}
		}
		slices.SortFunc(all.constructs, (*queuedConstruct).place)
		whole := joined(parts)
		whole.wait = all
		list = append(list, whole)
	}
	return list
}

// spares says whether the host can do without a wait, and finds out where one has to be.
func (g *group) spares(seen *shown, sources *report.Sources) bool {
	at := seen.waited[g.groupKey]
	if at == nil || at.needed || seen.rows.threaded || len(seen.exposed) > 0 {
		return false
	}
	g.wait = &sparedWait{ends: at.ends}
	for c := range at.constructs {
		q := queuedAt(sources, c)
		if len(c.scalars) > 0 && len(q.byValue) < len(c.scalars) {
			return false
		}
		if len(q.byValue) > 0 {
			g.wait.constructs = append(g.wait.constructs, q)
		}
	}
	return true
}

// waitPlace is what is known of the waits at a place for a queue.
type waitPlace struct {
	needed     bool // one of them brings something
	ends       map[rowEnd]bool
	constructs map[*rowConstruct]bool // that are waited for
}

// sparedWait is where a wait is to be in place of the needless one, and constructs that copy
// scalars in and out, which they have to be given by value.
type sparedWait struct {
	ends       map[rowEnd]bool
	constructs []*queuedConstruct
}

func (s *sparedWait) instead(file, wait string) string {
	text := "wait once, before the host needs a result"
	if places := endPlaces(s.ends, file); len(places) > 0 {
		text = fmt.Sprintf("wait once, before %s: %s", strings.Join(places, ", before "), wait)
	}
	return text + s.byValue(file)
}

// byValue is what to write at constructs that copy scalars back.
func (s *sparedWait) byValue(file string) (text string) {
	for _, c := range s.constructs {
		text += fmt.Sprintf("\nand at %s, which copies %s back otherwise: %s", c.where(file), strings.Join(c.byValue, ", "), c.givenByValue())
	}
	return text
}

// needless watches for waits that nothing needs.
type needless struct {
	seen  *shown
	found *evidence
	open  map[task]*epoch
	over  map[owner]*waitedFor // the last wait of a thread, behind which it uses its queue alone
}

// epoch is what a thread put onto a queue since it last waited for it.
type epoch struct {
	transfers     bool
	measured      bool
	done, longest int64
	constructs    map[*rowConstruct]bool
}

// waitedFor is a wait that may be needless.
type waitedFor struct {
	*asked
	*epoch
	at  *waitPlace
	row *occurrence // nil: it is needed, or not known to be needless yet
}

func (w *needless) asked(last, a *asked) {
	by := owner{int64(a.site.Process), int64(a.site.Thread)}
	wait := a.kind == model.WaitStart
	if over := w.over[by]; over != nil && last == nil {
		delete(w.over, by) // something may be missing in between
	} else if over != nil {
		own := (wait || a.kind == model.EnqueueLaunchStart || a.kind == model.EnqueueUploadStart || a.kind == model.EnqueueDownloadStart) && a.site.AsyncQueue == over.site.AsyncQueue
		switch {
		case !own:
			over.at.ends[endAt(a.site, a.outside.site)] = true
			delete(w.over, by)
		case wait:
			if over.row != nil {
				w.found.about(keyOf(fmt.Sprintf("queue %d", over.site.AsyncQueue), over.site.Description)).add(*over.row, 0, "")
			}
		case last == over.asked:
			over.row = over.judge(a)
		}
	}
	if a.site.AsyncQueue == callbacks.AsyncSync || !wait && a.kind != model.EnqueueLaunchStart && a.kind != model.EnqueueUploadStart && a.kind != model.EnqueueDownloadStart {
		return
	}
	queue := task{by, a.site.AsyncQueue}
	if wait {
		delete(w.over, by)
		e := w.open[queue]
		if e == nil {
			return
		}
		at := lookup.Make(w.seen.waited, keyOf(fmt.Sprintf("queue %d", a.site.AsyncQueue), a.site.Description), func() *waitPlace {
			return &waitPlace{ends: map[rowEnd]bool{}, constructs: map[*rowConstruct]bool{}}
		})
		at.needed = at.needed || e.transfers
		maps.Copy(at.constructs, e.constructs)
		w.over[by] = &waitedFor{asked: a, epoch: e, at: at}
		delete(w.open, queue)
		return
	}
	e := lookup.Make(w.open, queue, func() *epoch { return &epoch{constructs: map[*rowConstruct]bool{}} })
	if a.kind == model.EnqueueLaunchStart {
		e.constructs[w.seen.rows.of(a.site)] = true
	}
	e.transfers = e.transfers || a.kind != model.EnqueueLaunchStart
	if d := a.device; d.measured {
		if !e.measured {
			e.done = d.end
		}
		e.measured = true
		e.done, e.longest = max(e.done, d.end), max(e.longest, d.end-d.start)
	}
}

// judge gives the row of a wait whose epoch brought nothing, if next goes on with the queue.
func (e *waitedFor) judge(next *asked) *occurrence {
	if next.kind != model.EnqueueLaunchStart || e.transfers || !e.measured || !next.device.measured || e.done >= next.device.start {
		return nil
	}
	o := onHost(e.site, e.done, 0)
	if idle := next.device.start - e.done; e.ended && next.ended {
		o.end = e.done + max(0, min(idle, idle+e.longest-(next.end-e.end)))
	}
	return &o
}
