package tui

import (
	"cmp"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// memoryView shows per device the memory in use over time, the transfer rates,
// and the live mappings.
type memoryView struct{ listView }

func newMemoryView() *memoryView {
	return &memoryView{listView{"Memory", table{name: "mappings", sortBy: 2, fields: []field{
		{title: "name"},
		{title: "count", width: 6, right: true, wide: 60},
		{title: "size", width: 10, right: true},
		{title: "age", width: 11, right: true},
		{title: "refs", width: 5, right: true},
		{title: "mark", width: 7},
		{title: "source", width: 22, wide: 70},
		{title: "device", width: 10, wide: 110},
		{title: "host address", width: 18, right: true, wide: 130},
		{title: "device address", width: 18, right: true, wide: 150},
	}}}}
}

func (m *memoryView) draw(a *app, c canvas) {
	list := devices(a.frame.View)
	if len(list) == 0 {
		c.text(1, 1, c.w-2, "No device was used yet.", c.theme.dim)
		return
	}
	// The graphs share half of the height, or what the mappings leave of it.
	m.rows.set(m.collect(a))
	room := max(c.h/2, min(c.h-len(m.rows.visible)-3, c.h*2/3))
	each := min(max(room/len(list), 4), 24)
	shown := min(max(room/each, 1), len(list))
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
		c.words(x, y, c.theme.dim, fmt.Sprintf("  %d more devices", n))
	}
	m.rows.draw(c.part(0, y+1, c.w, c.h-y-1), true, "no live mappings")
}

func (m *memoryView) collect(a *app) []row {
	v, t := a.frame.View, a.theme
	var rows []row
	for _, d := range devices(v) {
		piles := piling(d, a.frame.Time)
		isLeaked := map[int64]bool{}
		var leaked, grows, rest []*state.Mapping
		for j := range d.Leaked {
			isLeaked[d.Leaked[j].Record] = true
			leaked = append(leaked, &d.Leaked[j])
		}
		for j := range d.Mappings {
			x := &d.Mappings[j]
			switch {
			case isLeaked[x.Record]:
			case piles[namedAt{x.Name, x.Source.File, x.Source.Line}]:
				grows = append(grows, x)
			default:
				rest = append(rest, x)
			}
		}
		for _, alike := range folded(leaked) {
			rows = append(rows, a.mappingRow(d, alike, "leaked", &t.failure))
		}
		for _, alike := range folded(grows) {
			rows = append(rows, a.mappingRow(d, alike, "grows", &t.warning))
		}
		for _, x := range rest {
			rows = append(rows, a.mappingRow(d, []*state.Mapping{x}, "", nil))
		}
	}
	return rows
}

// folded puts together what is of one variable, of one size, at one place: a row with
// a count says more than a thousand rows. The order is that of the first of each.
func folded(list []*state.Mapping) [][]*state.Mapping {
	type kind struct {
		namedAt
		bytes uint64
	}
	at := map[kind]int{}
	var groups [][]*state.Mapping
	for _, x := range list {
		i := lookup.Make(at, kind{namedAt{x.Name, x.Source.File, x.Source.Line}, x.Bytes}, func() int {
			groups = append(groups, nil)
			return len(groups) - 1
		})
		groups[i] = append(groups[i], x)
	}
	return groups
}

// mappingRow is the row of mappings that are alike; most often there is one.
func (a *app) mappingRow(d *state.Device, alike []*state.Mapping, mark string, style *tcell.Style) row {
	x, device := alike[0], deviceName(a.frame.View, &d.DeviceInfo)
	oldest, newest := x.Since, x.Since
	var bytes uint64
	for _, y := range alike {
		oldest, newest, bytes = min(oldest, y.Since), max(newest, y.Since), bytes+y.Bytes
	}
	age := a.frame.Time - oldest
	name := cmp.Or(x.Name, fmt.Sprintf("%#x", x.Host))
	count := ""
	if len(alike) > 1 {
		count = number(int64(len(alike)))
	}
	return row{
		id: fmt.Sprintf("%d/%d", d.ID, x.Record),
		cells: []string{name, count, report.ShowBytes(float64(bytes)), report.ShowDuration(float64(age)), number(int64(x.Creates)), mark,
			sourceText(x.Source), device, fmt.Sprintf("%#x", x.Host), fmt.Sprintf("%#x", x.Device)},
		keys:  []float64{0, float64(len(alike)), float64(bytes), float64(age), float64(x.Creates)},
		style: style,
		detail: func() detail {
			y := detail{title: "mapping " + name, source: x.Source, fields: [][2]string{{"name", name}, {"device", device}}}
			if mark != "" {
				y.fields = append(y.fields, [2]string{"mark", mark})
			}
			field := func(name, format string, values ...any) {
				y.fields = append(y.fields, [2]string{name, fmt.Sprintf(format, values...)})
			}
			if n := len(alike); n > 1 {
				field("count", "%d, each %s (%d bytes)", n, report.ShowBytes(float64(x.Bytes)), x.Bytes)
				field("together", "%s (%d bytes)", report.ShowBytes(float64(bytes)), bytes)
				field("created", "the first at %s, %s ago, the last at %s", clock(oldest), report.ShowDuration(float64(age)), clock(newest))
				field("first", "host address %#x, device address %#x, record %d", x.Host, x.Device, x.Record)
				return y
			}
			field("size", "%s (%d bytes)", report.ShowBytes(float64(x.Bytes)), x.Bytes)
			field("host address", "%#x", x.Host)
			field("device address", "%#x", x.Device)
			field("created", "at %s, %s ago", clock(x.Since), report.ShowDuration(float64(age)))
			field("creates", "%d while live", x.Creates)
			field("record", "%d", x.Record)
			return y
		}}
}

// piling finds the variables that look leaked while the program runs: allocated
// at one place again and again over a good part of the time, and never freed.
func piling(d *state.Device, now int64) map[namedAt]bool {
	type span struct{ first, last int64 }
	spans := map[namedAt]span{}
	begin := now
	for i := range d.Mappings {
		x := &d.Mappings[i]
		key := namedAt{x.Name, x.Source.File, x.Source.Line}
		s, seen := spans[key]
		if !seen {
			s = span{x.Since, x.Since}
		}
		spans[key] = span{min(s.first, x.Since), max(s.last, x.Since)}
		begin = min(begin, x.Since)
	}
	piles := map[namedAt]bool{}
	for i := range d.Variables {
		v := &d.Variables[i]
		key := namedAt{v.Name, v.Source.File, v.Source.Line}
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
	c.sparkline(left, 1, height, a.usedIn(d.Process, d.Memory, from, to, width), top, t.activities[mixed])
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
