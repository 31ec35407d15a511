package advice

import (
	"fmt"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
)

// shortKernel finds kernels of at most 10 microseconds that follow one another on a
// device with nothing between them, twenty and more: what a launch takes, from one end to
// the next, is most of their time.
var shortKernel = &rule{
	name:  "short-kernel",
	about: "Kernels follow one another that are too short for what their launch takes.",
	evidence: operations + `
SELECT k.kernel AS subject, k.source_file, k.line, k.function, k.process, k.thread, k.device, -2 AS async_queue, 0 AS bytes,
  f.device_end AS start, f.next_done AS end, 0 AS device_start, 0 AS device_end, f.async_queue AS detail
FROM followed f CROSS JOIN kernels k ON k.record = f.record
WHERE f.what = 'kernel' AND f.next = 'kernel' AND f.next_device = f.device AND f.next_queue = f.async_queue AND f.device_end <= f.next_start
  AND f.device_end - f.device_start <= 10000 AND f.next_done - f.next_start <= 10000 AND f.next_done - f.device_end BETWEEN 2000 AND 50000`,
	watch: func(p *pass, found *evidence) watcher {
		return p.sequences(func(last, a *asked) { found.shorts(p.shown, last, a) })
	},
	join: func(seen *shown, _ *report.Sources, groups []*group) []*group {
		return connected(groups, seen.shortRows)
	},
	enough:     func(g *group) bool { return g.count >= 20 },
	unless:     []*rule{synchronousConstruct},
	confidence: Possible,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart},
	subject:    aKernel,
	explain: func(f *Finding, g *group, d *written) {
		f.What = fmt.Sprintf("the kernel was followed by another one %s, each done within 10 us of its begin", times(g.count))
		f.Why = "to launch a kernel and to begin with it takes as long, however little it has to do"
		switch {
		case len(g.parts) > 1:
			f.What = fmt.Sprintf("kernels of %d constructs followed one another %s, each done within 10 us of its begin", len(g.parts), times(g.count))
			f.Instead = fmt.Sprintf("one kernel in place of several: fuse the loops at %s, where no turn of one needs what another turn of one before it writes", linesOf(f))
		case d.loop > 0:
			f.Instead = fmt.Sprintf("one kernel for all turns of the loop at line %d, where none of them needs what another one writes", d.loop)
		default:
			f.Instead = "one kernel in place of several, where none of them needs what another one writes elsewhere"
		}
		if g.detail == "-2" {
			f.Instead += "\nasync on the construct, so that the host does not wait for each, saves a part of it"
		}
	},
}

// shorts watches for short kernels in a row.
func (e *evidence) shorts(seen *shown, last, a *asked) {
	if last == nil || last.kind != model.EnqueueLaunchStart || a.kind != model.EnqueueLaunchStart || !last.device.measured || !a.device.measured ||
		last.site.Device != a.site.Device || last.site.AsyncQueue != a.site.AsyncQueue {
		return
	}
	f, next := last.device, a.device
	if each := next.end - f.end; f.end <= next.start && f.end-f.start <= 10000 && next.end-next.start <= 10000 && each >= 2000 && each <= 50000 {
		seen.shortRows.link(keyOf(last.site.Symbol, last.site.Description), keyOf(a.site.Symbol, a.site.Description))
		e.of(last.site).add(onHost(last.site, f.end, next.end), 0, fmt.Sprint(last.site.AsyncQueue))
	}
}
