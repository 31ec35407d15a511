package advice

import (
	"fmt"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/model"
)

// synchronousConstruct finds rows of kernels for which the host waits only to launch the
// next one, ten times and more. A row is one finding: async on one construct of it alone would
// take the order from those behind it.
var synchronousConstruct = &rule{
	name:  "synchronous-construct",
	about: "The host waits for each kernel of a row, where queues could hold them.",
	evidence: operations + `
SELECT k.kernel AS subject, k.source_file, k.line, k.function, k.process, k.thread, k.device, -2 AS async_queue, 0 AS bytes,
  n.start - max(0, n.start - c.start - max(k.device_time, n.start - c.end + k.enqueued + k.enqueue_time - c.start
    - max(0, min(k.enqueued + k.enqueue_time, k.end) - max(k.enqueued, k.start)))) AS start,
  n.start AS end, 0 AS device_start, 0 AS device_end, NULL AS detail
FROM followed f CROSS JOIN kernels k ON k.record = f.record CROSS JOIN spans c ON c.record = k.parent
CROSS JOIN kernels l ON l.record = f.next_record CROSS JOIN spans n ON n.record = l.parent
WHERE f.what = 'kernel' AND f.async_queue = -2 AND f.next = 'kernel' AND f.next_queue = -2 AND f.next_device = f.device AND f.device_end < f.next_start`,
	watch: func(p *pass, found *evidence) watcher {
		return &inRows{rows: p.rows, found: found, last: map[model.ThreadID]*launched{}}
	},
	join:       (*shown).joinRows,
	enough:     func(g *group) bool { return g.count >= 10 },
	confidence: Possible,
	relies:     []int32{model.EnqueueLaunchStart, model.EnqueueUploadStart, model.EnqueueDownloadStart, model.WaitStart, model.Create, model.Delete, model.EnterDataStart},
	subject:    aKernel,
	explain: func(f *Finding, g *group, d *written) {
		f.Why = "the device is idle from the end of one kernel until the host has launched the next"
		f.What = fmt.Sprintf("the host waited for the kernel %s, to launch the next one with no transfer in between", times(g.count))
		if n := len(g.row.constructs); n > 1 {
			f.What = fmt.Sprintf("the host waited %s for a kernel of %d constructs (%s), to launch the next one with no transfer in between", times(g.count), n, linesOf(f))
		}
		f.Instead = g.row.instead(f.File, d)
		g.row.write(f)
	},
}

// synchronous adds a kernel that is waited for only to launch the next one.
func (e *evidence) synchronous(last, a *asked) {
	if last.site.Device != a.site.Device || !last.device.measured || !a.device.measured || last.device.end >= a.device.start ||
		last.outside.record == 0 || a.outside.record == 0 {
		return
	}
	// The thread goes on when the launch is done, and the device with the next kernel when
	// this one is: the construct takes the longer of what both have to do in any case.
	o, around, next := onHost(last.site, 0, a.outside.start), last.outside, a.outside
	if last.ended && around.ended {
		kernel := last.device
		within := max(0, min(last.end, kernel.end)-max(last.start, kernel.start)) // a launch that the device has the thread do
		host := next.start - around.end + last.end - around.start - within
		o.start = next.start - max(0, next.start-around.start-max(kernel.end-kernel.start, host))
	}
	e.of(last.site).add(o, 0, "")
}

// inRows watches for kernels that follow one another with nothing between them.
type inRows struct {
	rows  *rows
	found *evidence
	last  map[model.ThreadID]*launched
}

// launched is a kernel on the synchronous queue, behind which the thread has done nothing else.
type launched struct {
	asked
	of *rowConstruct
}

func (w *inRows) take(h *happening) {
	s := h.Site
	switch {
	case h.kernel():
		w.launch(h)
	case h.upload(), h.download():
		if s.AsyncQueue != callbacks.AsyncSync {
			w.rows.queues[s.AsyncQueue] = true
		}
		if !h.byValue() {
			w.other(h)
		} else if h.download() {
			w.rows.of(s).copiesBack(s.Symbol)
		}
	case h.wait() && s.Implicit == 0, h.ordered():
		w.other(h)
	}
}

func (w *inRows) launch(h *happening) {
	of := w.rows.of(h.Site)
	w.rows.by(h.Site)
	if h.Site.AsyncQueue != callbacks.AsyncSync {
		of.queued, w.rows.queues[h.Site.AsyncQueue] = true, true
		w.other(h)
		return
	}
	a := &launched{asked{h.Site.KindCode, h.Site, h.Start, h.End(), h.ended, h.device, h.outside}, of}
	if last := w.last[h.Thread]; last != nil {
		if last.site.Device != h.Site.Device {
			last.of.endsAt(rowEnd{at: of.constructPlace, what: "the construct"})
		} else {
			last.of.next[of] = true
			w.found.synchronous(&last.asked, &a.asked)
		}
	}
	w.last[h.Thread] = a
}

// other ends a row.
func (w *inRows) other(h *happening) {
	last := w.last[h.Thread]
	if last == nil {
		return
	}
	delete(w.last, h.Thread)
	end := endAt(h.Site, h.outside.site)
	if last.outside.record != 0 && last.outside.ended && h.Start < last.outside.end {
		end = rowEnd{own: true}
	}
	last.of.endsAt(end)
}

func (*inRows) end() {}

func (w *inRows) interrupted(process model.ProcessID) {
	for thread, a := range w.last {
		if a.site.Process == process {
			delete(w.last, thread)
		}
	}
}
