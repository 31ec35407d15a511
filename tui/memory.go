package tui

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// memoryView shows per device the memory in use over time, the transfer rates,
// and the live mappings.
type memoryView struct{ rows table }

func newMemoryView() *memoryView {
	return &memoryView{rows: table{name: "mappings", sortBy: 1, fields: []field{
		{title: "name", wide: 0},
		{title: "size", width: 10, right: true},
		{title: "age", width: 11, right: true},
		{title: "refs", width: 5, right: true},
		{title: "mark", width: 7},
		{title: "source", width: 22, wide: 70},
		{title: "device", width: 10, wide: 110},
		{title: "host address", width: 18, right: true, wide: 130},
		{title: "device address", width: 18, right: true, wide: 150},
	}}}
}

func (m *memoryView) name() string                       { return "Memory" }
func (m *memoryView) table() *table                      { return &m.rows }
func (m *memoryView) key(_ *app, _ *tcell.EventKey) bool { return false }
func (m *memoryView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	if _, open := m.rows.mouse(x, y, buttons); open {
		a.open()
	}
}

func (m *memoryView) draw(a *app, c canvas) {
	list := devices(a.frame.View)
	if len(list) == 0 {
		c.text(1, 1, c.w-2, "No device was used yet.", c.theme.dim)
		return
	}
	// The graphs share at most half of the height; the device of the chosen
	// mapping comes first to mind, so all get the same.
	each := max(min(c.h/2/len(list), 12), 3)
	shown := min(max(c.h/2/each, 1), len(list))
	for i := range shown {
		a.drawMemory(c.part(0, i*each, c.w, each), list[i])
	}
	y := shown * each
	mappings, leaked := 0, 0
	leakedBytes := int64(0)
	for _, d := range list {
		mappings += d.MappingSum
		leaked += len(d.Leaked)
		leakedBytes += d.LeakedBytes
	}
	x := c.words(1, y, c.theme.title, "Mappings", c.theme.plain, " "+number(int64(mappings))+" live")
	if leaked > 0 {
		x = c.words(x, y, c.theme.failure, fmt.Sprintf("  %d leaked, %s", leaked, report.ShowBytes(float64(leakedBytes))))
	}
	if n := len(list) - shown; n > 0 {
		x = c.words(x, y, c.theme.dim, fmt.Sprintf("  %d more devices", n))
	}
	if m.rows.filter != "" {
		c.words(x, y, c.theme.accent, "  filter "+m.rows.filter)
	}
	m.rows.set(m.collect(a))
	m.rows.draw(c.part(0, y+1, c.w, c.h-y-1), true, "no live mappings")
}

func (m *memoryView) collect(a *app) []row {
	v, t := a.frame.View, a.theme
	var rows []row
	for _, d := range devices(v) {
		add := func(x *state.Mapping, mark string, style *tcell.Style) {
			age := a.frame.Time - x.Since
			name := x.Name
			if name == "" {
				name = fmt.Sprintf("%#x", x.Host)
			}
			rows = append(rows, row{
				id: fmt.Sprintf("%d/%d", d.ID, x.Record),
				cells: []string{name, report.ShowBytes(float64(x.Bytes)), report.ShowDuration(float64(age)), number(int64(x.Creates)), mark,
					sourceText(x.Source), deviceName(v, &d.DeviceInfo), fmt.Sprintf("%#x", x.Host), fmt.Sprintf("%#x", x.Device)},
				keys:  []float64{0, float64(x.Bytes), float64(age), float64(x.Creates)},
				style: style,
				detail: func() detail {
					return detail{title: "mapping " + name, source: x.Source, fields: [][2]string{
						{"name", name}, {"mark", mark}, {"device", deviceName(v, &d.DeviceInfo)},
						{"size", fmt.Sprintf("%s (%d bytes)", report.ShowBytes(float64(x.Bytes)), x.Bytes)},
						{"host address", fmt.Sprintf("%#x", x.Host)}, {"device address", fmt.Sprintf("%#x", x.Device)},
						{"created", "at " + clock(x.Since) + ", " + report.ShowDuration(float64(age)) + " ago"},
						{"creates", fmt.Sprintf("%d while live", x.Creates)}, {"record", number(x.Record)}}}
				}})
		}
		piles := piling(d, a.frame.Time)
		leaked := map[int64]bool{}
		for j := range d.Leaked {
			leaked[d.Leaked[j].Record] = true
			add(&d.Leaked[j], "leaked", &t.failure)
		}
		for j := range d.Mappings {
			x := &d.Mappings[j]
			switch {
			case leaked[x.Record]:
			case piles[variableKey{x.Name, x.Source.File, x.Source.Line}]:
				add(x, "grows", &t.warning)
			default:
				add(x, "", nil)
			}
		}
	}
	return rows
}

// variableKey is a variable at the place that it was allocated at.
type variableKey struct {
	name, file string
	line       int32
}

// piling finds the variables that look leaked while the program runs: allocated
// at one place again and again over a good part of the time, and never freed.
func piling(d *state.Device, now int64) map[variableKey]bool {
	type span struct{ first, last int64 }
	spans := map[variableKey]span{}
	begin := now
	for i := range d.Mappings {
		x := &d.Mappings[i]
		key := variableKey{x.Name, x.Source.File, x.Source.Line}
		s, seen := spans[key]
		if !seen {
			s = span{x.Since, x.Since}
		}
		spans[key] = span{min(s.first, x.Since), max(s.last, x.Since)}
		begin = min(begin, x.Since)
	}
	piles := map[variableKey]bool{}
	for i := range d.Variables {
		v := &d.Variables[i]
		key := variableKey{v.Name, v.Source.File, v.Source.Line}
		if s := spans[key]; v.Live >= 3 && v.Live == v.Allocations && s.last-s.first > (now-begin)/4 {
			piles[key] = true
		}
	}
	return piles
}

// drawMemory draws a device's graph.
func (a *app) drawMemory(c canvas, d *state.Device) {
	t := c.theme
	from, to := a.span()
	samples := a.history.devices[d.ID]
	up := rate(samples, upBytes, from, to, 20)
	down := rate(samples, downBytes, from, to, 20)
	upNow, downNow := perSecond(samples, upBytes, to, a.window), perSecond(samples, downBytes, to, a.window)
	x := c.words(0, 0, t.accent, deviceName(a.frame.View, &d.DeviceInfo), t.dim, "  used ", t.plain, report.ShowBytes(float64(d.Used)),
		t.dim, "  peak ", t.plain, report.ShowBytes(float64(d.Peak)))
	if d.Capacity > 0 {
		x = c.words(x, 0, t.dim, "  of ", t.plain, report.ShowBytes(float64(d.Capacity)))
	}
	if c.w-x > 16 {
		c.gauge(x+2, 0, min(c.w-x-3, 30), float64(d.Used)/float64(max(d.Capacity, d.Peak, 1)), t.good)
	}
	// The graph's scale is that of the peak: against the capacity most programs
	// would be a flat line.
	height := c.h - 2
	left := 11
	width := c.w - left
	top := float64(max(d.Peak, 1))
	c.textRight(0, 1, left-2, report.ShowBytes(top), t.dim)
	if height > 1 {
		c.textRight(0, height, left-2, "0", t.dim)
	}
	for y := range height {
		c.cell(left-1, 1+y, t.vertical, t.dim)
	}
	c.sparkline(left, 1, height, used(d.Memory, from, to, width), top, t.activities[mixed])
	y := c.h - 1
	highest := 1.0
	for i := range up {
		highest = max(highest, up[i], down[i])
	}
	x = c.words(1, y, t.dim, "uploads ", t.activities[upload], string(t.up), t.plain, fmt.Sprintf(" %-11s", report.Show(upNow, report.BytesPerSecond)))
	if c.w >= 100 {
		c.sparkline(x, y, 1, up, highest, t.activities[upload])
		x += 22
	}
	x = c.words(x, y, t.dim, "total ", t.plain, report.ShowBytes(float64(d.Uploads.Bytes)), t.dim, "  downloads ", t.activities[download], string(t.down),
		t.plain, fmt.Sprintf(" %-11s", report.Show(downNow, report.BytesPerSecond)))
	if c.w >= 100 {
		c.sparkline(x, y, 1, down, highest, t.activities[download])
		x += 22
	}
	c.words(x, y, t.dim, "total ", t.plain, report.ShowBytes(float64(d.Downloads.Bytes)))
}
