package tui

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// overviewView shows a bit of everything side by side: queues, memory, kernels,
// transfers and the machine.
type overviewView struct {
	listView // the kernels
	panels   []panel
}

// panel is a part of the screen that stands for a view.
type panel struct {
	area canvas
	view string
}

func newOverviewView() *overviewView {
	return &overviewView{listView: listView{"Overview", table{name: "kernels", sortBy: 1, fields: []field{
		{title: "kernel"},
		{title: "time", width: 9, right: true},
		{title: "share", width: 6, right: true},
		{title: "count", width: 7, right: true, wide: 50},
		{title: "average", width: 9, right: true, wide: 60},
	}}}}
}

// mouse chooses kernels; a click into another part goes to its view.
func (o *overviewView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	if mine, open := o.rows.mouse(x, y, buttons); mine {
		if open {
			a.open()
		}
		return
	}
	if buttons&tcell.Button1 == 0 {
		return
	}
	for _, p := range o.panels {
		if c := p.area; x >= c.x && x < c.x+c.w && y >= c.y && y < c.y+c.h {
			for i, v := range a.views {
				if v.name() == p.view {
					a.show(i)
				}
			}
		}
	}
}

func (o *overviewView) draw(a *app, c canvas) {
	o.panels = o.panels[:0]
	machine := a.machineLines()
	tall := min((c.h/4-1)/len(machine), 4) // lines of each
	if tall < 3 {
		tall = 1
	}
	bottom := min(tall*len(machine)+1, max(c.h/3, 3))
	top := (c.h - bottom) / 2
	middle := c.h - bottom - top
	left := c.w / 2
	a.drawQueueLines(o.panel(c.part(0, 0, left, top), "Queues", "Queues"))
	a.drawMemoryShort(o.panel(c.part(left, 0, c.w-left, top), "Memory", "Memory"))
	o.rows.set(a.shortKernelRows())
	o.rows.draw(o.panel(c.part(0, top, left, middle), fmt.Sprintf("Kernels %d", o.rows.total), "Kernels"), true, "no kernel was launched yet")
	a.drawTransferLines(o.panel(c.part(left, top, c.w-left, middle), "Transfers", "Kernels"))
	box := o.panel(c.part(0, top+middle, c.w, bottom), "Machine", "Program")
	for i, line := range machine[:min(len(machine), max(box.h/tall, 0))] {
		line(box.part(0, i*tall, box.w, tall))
	}
	if hidden := len(machine) - box.h/tall; hidden > 0 && box.h > 0 {
		text := fmt.Sprintf(" %d more ", hidden)
		box.textRight(0, box.h-1, box.w, text, c.theme.dim)
	}
}

// panel draws a part's title and gives what is below it.
func (o *overviewView) panel(c canvas, title, view string) canvas {
	for x := range c.w - 1 {
		c.cell(x, 0, c.theme.rule, c.theme.dim)
	}
	c.text(1, 0, c.w-2, " "+title+" ", c.theme.title)
	o.panels = append(o.panels, panel{c, view})
	return c.part(0, 1, c.w-1, c.h-1)
}

// shortKernelRows are the kernels' rows with the columns that there is room for.
func (a *app) shortKernelRows() []row {
	rows := a.kernelRows()
	for i := range rows {
		rows[i].cells, rows[i].keys = rows[i].cells[:5], rows[i].keys[:5]
	}
	return rows
}

// drawQueueLines draws a line for each queue, the busiest first where there is not room
// for all.
func (a *app) drawQueueLines(c canvas) {
	v, t := a.frame.View, c.theme
	from, to := a.span()
	type line struct {
		name  string
		queue *state.Queue
		cells []column
		busy  float64
		most  bool
	}
	var lines []line
	list := devices(v)
	const figures = 10
	name := 10
	for _, d := range list {
		if len(list) > 1 {
			name = max(name, textWidth(deviceName(v, &d.DeviceInfo))+10)
		}
	}
	name = min(name, max(c.w/2, 10))
	for _, d := range list {
		for i := range d.Queues {
			q := &d.Queues[i]
			l := laneOf(q, a.counted(d), from, to, a.frame.Time)
			x := line{name: queueName(q.Number), queue: q, cells: columns(l.busy, l.running, from, to, max(c.w-name-figures-1, 1))}
			if len(list) > 1 {
				x.name = deviceName(v, &d.DeviceInfo) + " " + x.name
			}
			x.busy, x.most = a.busyness(q, x.cells)
			lines = append(lines, x)
		}
	}
	if len(lines) == 0 {
		c.text(1, 0, c.w-1, "no queue was used yet", t.dim)
		return
	}
	more := 0
	if len(lines) > c.h {
		more = len(lines) - max(c.h-1, 0)
		slices.SortStableFunc(lines, func(x, y line) int { return cmp.Compare(y.busy, x.busy) })
	}
	each := max(c.h/len(lines), 1)
	each = min(each, 5)
	for i, x := range lines[:len(lines)-more] {
		y := i * each
		c.text(1, y, name-1, x.name, t.plain)
		busy := percent(x.busy)
		if x.most {
			busy = "<" + busy
		}
		c.textRight(name, y, 5, busy, t.bold)
		if x.queue.Depth > 0 {
			c.textRight(name+5, y, 5, "+"+count(float64(x.queue.Depth)), t.plain)
		}
		c.part(name+figures, y, len(x.cells), each).drawBars(max(each-1, 1), x.cells, nil, segment{})
	}
	if more > 0 {
		c.text(1, c.h-1, c.w-1, fmt.Sprintf("%d less busy", more), t.dim)
	}
}

// drawMemoryShort draws how much of each device's memory is in use.
func (a *app) drawMemoryShort(c canvas) {
	t := c.theme
	list := devices(a.frame.View)
	from, to := a.span()
	if len(list) == 0 || c.h < 1 {
		c.text(1, 0, c.w-1, "no device was used yet", t.dim)
		return
	}
	list, c = a.fitting(list, 1, c)
	each := max(c.h/max(len(list), 1), 1)
	for i, d := range list {
		box := c.part(0, i*each, c.w, each)
		x := box.words(1, 0, t.accent, deviceName(a.frame.View, &d.DeviceInfo), t.plain, "  "+report.ShowBytes(float64(d.Used)),
			t.dim, "  peak ", t.plain, report.ShowBytes(float64(d.Peak)))
		if d.Capacity > 0 {
			x = box.words(x, 0, t.dim, " of ", t.plain, report.ShowBytes(float64(d.Capacity)))
		}
		switch {
		case d.LeakedBytes > 0:
			box.words(x, 0, t.failure, fmt.Sprintf("  %d leaked", len(d.Leaked)))
		case d.MappingSum > 0:
			box.words(x, 0, t.dim, fmt.Sprintf("  %d mappings", d.MappingSum))
		}
		box.sparkline(1, 1, each-1, a.usedIn(d.Process, d.Memory, from, to, max(c.w-1, 0)), float64(max(d.Peak, 1)), t.activities[mixed])
	}
}

// fitting are the devices that there is room for, with so many lines each, and where; a
// line below them says how many more there are.
func (a *app) fitting(list []*state.Device, lines int, c canvas) ([]*state.Device, canvas) {
	if len(list)*lines <= c.h {
		return list, c
	}
	room := max(c.h-1, 0) / lines
	c.text(1, c.h-1, c.w-1, fmt.Sprintf("%d more", len(list)-room), c.theme.dim)
	return list[:room], c.part(0, 0, c.w, c.h-1)
}

// drawTransferLines draws the rate of each device's transfers, both ways.
func (a *app) drawTransferLines(c canvas) {
	t := c.theme
	from, to := a.span()
	list := devices(a.frame.View)
	if len(list) == 0 {
		c.text(1, 0, c.w-1, "no transfers yet", t.dim)
		return
	}
	list, c = a.fitting(list, 2, c)
	each := max(c.h/max(2*len(list), 1), 1)
	y := 0
	for _, d := range list {
		samples := a.history.devices[d.ID]
		for _, way := range []struct {
			mark   rune
			what   activity
			figure func(*sample) int64
			sum    *state.Transfers
		}{{t.up, upload, upBytes, &d.Uploads}, {t.down, download, downBytes, &d.Downloads}} {
			box := c.part(0, y, c.w, each)
			style := t.activities[way.what]
			x := box.words(1, 0, style, string(way.mark)+" ")
			if len(list) > 1 {
				x = box.words(x, 0, t.accent, deviceName(a.frame.View, &d.DeviceInfo)+" ")
			}
			now := perSecond(samples, way.figure, to, a.window)
			x = box.words(x, 0, t.bold, fmt.Sprintf("%-10s", report.Show(now, report.BytesPerSecond)),
				t.dim, " total ", t.plain, report.ShowBytes(float64(way.sum.Bytes)), t.dim, fmt.Sprintf(" in %s", count(float64(way.sum.Count))))
			graph := box.part(1, 1, box.w-1, each-1)
			if each == 1 {
				graph = box.part(x+1, 0, box.w-x-1, 1)
			}
			if graph.w > 0 && graph.h > 0 {
				values := rate(samples, way.figure, from, to, graph.w)
				graph.sparkline(0, 0, graph.h, values, max(slices.Max(values), 1), style)
			}
			y += each
		}
	}
}
