package tui

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// kernelsView shows what took the time: kernels, transfers, and the lines of the
// source that the host spent its time at.
type kernelsView struct{ stackedView }

func newKernelsView() *kernelsView {
	return &kernelsView{stackedView{title: "Kernels", shown: 3, tables: []table{
		{name: "kernels", sortBy: 1, fields: []field{
			{title: "kernel"},
			{title: "time", width: 9, right: true},
			{title: "share", width: 6, right: true},
			{title: "count", width: 8, right: true},
			{title: "average", width: 9, right: true},
			{title: "linker's name", width: 20, wide: 70},
			{title: "min", width: 9, right: true, wide: 120},
			{title: "max", width: 9, right: true, wide: 120},
			{title: "gangs x workers x vector", width: 24, right: true, wide: 130},
			{title: "enqueue", width: 9, right: true, wide: 150},
			{title: "device", width: 12, wide: 150},
			{title: "last 10 s", width: 20, wide: 180},
		}},
		{name: "transfers", sortBy: -1, fields: []field{
			{title: "device"},
			{title: "way", width: 9},
			{title: "bytes", width: 10, right: true},
			{title: "count", width: 8, right: true},
			{title: "average", width: 10, right: true},
			{title: "time", width: 9, right: true, wide: 70},
			{title: "bandwidth", width: 11, right: true},
			{title: "rate now", width: 11, right: true, wide: 100},
			{title: "last 10 s", width: 20, wide: 120},
		}},
		{name: "host time", sortBy: 1, fields: []field{
			{title: "host time in"},
			{title: "exclusive", width: 10, right: true},
			{title: "inclusive", width: 10, right: true},
			{title: "count", width: 8, right: true},
			{title: "source", width: 24},
			{title: "function", width: 30, wide: 120},
		}},
	}}}
}

func (k *kernelsView) draw(a *app, c canvas) {
	free, visible := c.h, [3]int{}
	for i, rows := range [][]row{a.kernelRows(), transferRows(a), sourceRows(a.frame.View)} {
		k.tables[i].set(rows)
		visible[i] = len(k.tables[i].visible)
		free -= 2 + max(visible[i], 1) // its title, its head, and rows or that there are none
	}
	if free >= leastTimes {
		a.drawKernelTimes(c.part(0, c.h-free, c.w, free))
		c = c.part(0, 0, c.w, c.h-free)
	}
	transfers := min(visible[1]+1, max(c.h/4, 3))
	rest := c.h - transfers - 3
	top := max(min(visible[0]+1, max(rest*3/5, rest-visible[2]-1)), 2)
	y := 0
	for i := range k.tables {
		t := &k.tables[i]
		height := []int{top, transfers, rest - top}[i]
		title := fmt.Sprintf("%s %d", []string{"Kernels", "Transfers", "Host time by source"}[i], t.total)
		style := c.theme.bold
		if i == k.at {
			style = c.theme.accent
		}
		x := c.words(1, y, style, title)
		if t.filter != "" {
			x = c.words(x, y, c.theme.accent, "  filter "+t.filter)
		}
		if i == 0 {
			c.words(x, y, c.theme.dim, untimed(a.frame))
		}
		t.draw(c.part(0, y+1, c.w, height), i == k.at, []string{"no kernel was launched yet", "no transfers yet", "no construct has ended yet"}[i])
		y += height + 1
	}
}

// leastTimes is the least number of free lines that the kernels' times over time are drawn in.
const leastTimes = 12

// drawKernelTimes draws how busy the kernels that took most kept their devices over the
// time that is shown: full height is one queue all the time.
func (a *app) drawKernelTimes(c canvas) {
	v, t := a.frame.View, c.theme
	from, to := a.span()
	measured := 0
	for measured < len(v.Kernels) && v.Kernels[measured].Timed.Count > 0 {
		measured++
	}
	if measured == 0 {
		return
	}
	c.words(1, 1, t.title, "Over time", t.dim, "  share of the time that a kernel ran, on a queue")
	c = c.part(0, 2, c.w, c.h-2)
	shown := min(measured, max(c.h/4, 1))
	each := min(c.h/shown, 12)
	width := c.w - gutter
	for i := range shown {
		x := &v.Kernels[i]
		box := c.part(0, i*each, c.w, each)
		values := rate(a.history.kernels[kernelKey(x)], kernelTime, from, to, width)
		sum, top := 0.0, 1e9
		for _, value := range values {
			sum, top = sum+value, max(top, value)
		}
		box.text(1, 0, gutter-3, x.Name, t.plain)
		box.text(1, 1, gutter-3, percent(sum/float64(width)/1e9), t.bold)
		if each > 3 {
			box.text(1, 2, gutter-3, "top is "+percent(top/1e9), t.dim)
		}
		for y := range each - 1 {
			box.cell(gutter-1, y, t.vertical, t.dim)
		}
		box.sparkline(gutter, 0, each-1, values, top, t.activities[kernel])
	}
}

// untimed says for how many launches there is a device time, where some have one and
// others never will: while the program runs they may be on their way.
func untimed(f Frame) string {
	if f.State != Ended {
		return ""
	}
	var launches, measured int64
	for i := range f.View.Kernels {
		launches += f.View.Kernels[i].Count
		measured += f.View.Kernels[i].Timed.Count
	}
	if measured == 0 || measured >= launches {
		return ""
	}
	return fmt.Sprintf("  %d of %d launches have a device time", measured, launches)
}

// kernelKey tells kernels apart, and the devices that each ran on.
func kernelKey(x *state.Kernel) string {
	return fmt.Sprintf("%s/%s/%s/%d/%d", x.Program, x.Symbol, x.Source.File, x.Source.Line, x.Device)
}

func (a *app) kernelRows() []row {
	v := a.frame.View
	_, to := a.span()
	total := int64(0)
	for i := range v.Devices {
		total += v.Devices[i].KernelTime
	}
	var rows []row
	for i := range v.Kernels {
		x := &v.Kernels[i]
		name := cmp.Or(x.Name, "(no name)")
		show := func(ns int64) string {
			if x.Timed.Count == 0 {
				return "-"
			}
			return report.ShowDuration(float64(ns))
		}
		average, part, shareText := 0.0, 0.0, "-"
		if x.Timed.Count > 0 {
			average, part = float64(x.Timed.Time)/float64(x.Timed.Count), float64(x.Timed.Time)/float64(max(total, 1))
			shareText = percent(part)
		}
		shape := fmt.Sprintf("%d x %d x %d", x.Gangs, x.Workers, x.Vector)
		by := x.By.String()
		if by != "" {
			by = ", by " + by
		}
		device := ""
		for j := range v.Devices {
			if v.Devices[j].ID == x.Device {
				device = deviceName(v, &v.Devices[j].DeviceInfo)
			}
		}
		rows = append(rows, row{
			id: kernelKey(x),
			cells: []string{withCutOff(name, x.CutOff), show(x.Timed.Time), shareText, count(float64(x.Count)), show(int64(average)), model.Readable(x.Symbol), show(x.Timed.Shortest), show(x.Timed.Longest),
				shape, report.ShowDuration(float64(x.HostTime)), device, a.theme.spark(rate(a.history.kernels[kernelKey(x)], kernelTime, to-10e9, to, 20))},
			also: x.Symbol + " " + model.Readable(x.Symbol),
			keys: []float64{0, float64(x.Timed.Time), part, float64(x.Count), average, 0, float64(x.Timed.Shortest), float64(x.Timed.Longest), 0, float64(x.HostTime)},
			detail: func() detail {
				fields := [][2]string{{"name", name}}
				if x.Symbol != x.Name {
					fields = append(fields, [2]string{"linker's name", x.Symbol})
				}
				return detail{title: "kernel " + name, source: x.Source, fields: append(fields, [][2]string{
					{"device", device}, {"launches", number(x.Count)},
					{"device time", show(x.Timed.Time) + " of " + number(x.Timed.Count) + " measured launches"},
					{"share", shareText + " of all kernels"}, {"min", show(x.Timed.Shortest)}, {"average", show(int64(average))}, {"max", show(x.Timed.Longest)},
					{"enqueueing", report.ShowDuration(float64(x.HostTime)) + " on the host"},
					{"last launch", shape + " (gangs x workers x vector" + by + ") at " + clock(x.Last)}}...)}
			}})
	}
	return rows
}

func transferRows(a *app) []row {
	v := a.frame.View
	_, to := a.span()
	var rows []row
	for _, d := range devices(v) {
		samples := a.history.devices[d.ID]
		ways := []state.Sent{{To: "upload", Transfers: d.Uploads}, {To: "download", Transfers: d.Downloads}}
		for i, s := range append(ways, d.Sent...) {
			on, name := deviceName(v, &d.DeviceInfo), s.To
			title := on + " " + name + "s"
			if i >= len(ways) {
				on, name = on+" to "+s.To, "between"
				title = on
			}
			bandwidth, device := 0.0, "-"
			bandwidthText := "-"
			if s.Timed.Time > 0 {
				bandwidth = float64(s.Bytes) / float64(s.Timed.Time) * 1e9
				device, bandwidthText = report.ShowDuration(float64(s.Timed.Time)), report.Show(bandwidth, report.BytesPerSecond)
			}
			average := float64(s.Bytes) / float64(max(s.Count, 1))
			now, nowText, past := 0.0, "-", ""
			if i < len(ways) { // what went to other devices has no history
				figure := [...]func(*sample) int64{upBytes, downBytes}[i]
				now, past = perSecond(samples, figure, to, a.window), a.theme.spark(rate(samples, figure, to-10e9, to, 20))
				nowText = report.Show(now, report.BytesPerSecond)
			}
			rows = append(rows, row{
				id: fmt.Sprintf("%d/%s", d.ID, s.To),
				cells: []string{on, name, report.ShowBytes(float64(s.Bytes)), count(float64(s.Count)), report.ShowBytes(average),
					device, bandwidthText, nowText, past},
				keys: []float64{float64(d.ID), float64(i), float64(s.Bytes), float64(s.Count), average, float64(s.Timed.Time), bandwidth, now},
				detail: func() detail {
					return detail{title: title, fields: [][2]string{
						{"transfers", number(s.Count)}, {"bytes", fmt.Sprintf("%s (%d)", report.ShowBytes(float64(s.Bytes)), s.Bytes)},
						{"device time", device + " of " + number(s.Timed.Count) + " measured transfers"}, {"bandwidth", bandwidthText},
						{"shortest", report.ShowDuration(float64(s.Timed.Shortest))}, {"longest", report.ShowDuration(float64(s.Timed.Longest))},
						{"enqueueing", report.ShowDuration(float64(s.HostTime)) + " on the host"}}}
				}})
		}
	}
	return rows
}

func sourceRows(v *state.State) []row {
	var rows []row
	for i := range v.Sources {
		x := &v.Sources[i]
		rows = append(rows, row{
			id: fmt.Sprintf("%s/%s/%d", x.Kind, x.File, x.Line),
			cells: []string{withCutOff(x.Kind, x.CutOff), report.ShowDuration(float64(x.Exclusive)), report.ShowDuration(float64(x.Inclusive)), count(float64(x.Count)),
				sourceText(x.Source), x.Function},
			keys: []float64{0, float64(x.Exclusive), float64(x.Inclusive), float64(x.Count)},
			detail: func() detail {
				return detail{title: x.Kind, source: x.Source, fields: [][2]string{
					{"exclusive", report.ShowDuration(float64(x.Exclusive)) + " on the host, without what is nested inside"},
					{"inclusive", report.ShowDuration(float64(x.Inclusive))}, {"count", number(x.Count)}}}
			}})
	}
	return rows
}

// withCutOff marks a row of spans some of which were cut off by their program's end.
func withCutOff(name string, n int64) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%d cut off: %s", n, name)
}

// spark renders values as one line of text on their own scale.
func (t *theme) spark(values []float64) string { return t.strip(values, slices.Max(values)) }

// strip renders values as one line of text on a scale from 0 to top.
func (t *theme) strip(values []float64, top float64) string {
	line := make([]rune, len(values))
	for i, v := range values {
		level := 0
		if top > 0 && v > 0 {
			level = min(max(int(v/top*float64(len(t.bars)-1)+0.5), 1), len(t.bars)-1)
		}
		line[i] = t.bars[level]
	}
	return string(line)
}
