package tui

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/callbacks"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// queuesView shows per device a lane for each queue, over time.
type queuesView struct {
	listView // the lanes: what is chosen, filtered and scrolled to
	hits     []laneHit
}

type laneHit struct {
	y, h int
	row  int
}

func newQueuesView() *queuesView {
	return &queuesView{listView: listView{"Queues", table{name: "queues", sortBy: -1, fields: []field{
		{title: "number"}, {title: "pending"}, {title: "busy time"}, {title: "operations"}, {title: "time that the host waited"}}}}}
}

func (q *queuesView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	switch {
	case buttons&tcell.WheelUp != 0:
		q.rows.move(-1)
	case buttons&tcell.WheelDown != 0:
		q.rows.move(1)
	case buttons&tcell.Button1 != 0:
		for _, hit := range q.hits {
			if y >= hit.y && y < hit.y+hit.h {
				if q.rows.at == hit.row {
					a.open()
				}
				q.rows.at = hit.row
				q.rows.remember()
			}
		}
	}
}

func queueName(number int64) string {
	name := callbacks.AsyncName(number)
	if number < 0 {
		return name
	}
	return "queue " + name
}

// laneRow is a lane to be drawn.
type laneRow struct {
	device *state.Device
	queue  *state.Queue
}

const gutter = 24 // cells left of the lanes

func (q *queuesView) draw(a *app, c canvas) {
	v := a.frame.View
	var rows []row
	var lanes []laneRow
	names := symbolsOf(v)
	byID := map[string]laneRow{}
	for i := range v.Devices {
		d := &v.Devices[i]
		for j := range d.Queues {
			queue := &d.Queues[j]
			id := fmt.Sprint(queue.ID)
			byID[id] = laneRow{d, queue}
			cells := []string{deviceName(v, &d.DeviceInfo), queueName(queue.Number)}
			also := ""
			for _, o := range []*state.Operation{queue.Next, queue.Last} {
				if o != nil {
					cells = append(cells, labelOf(o))
					also += names.of(o.Name, o.Source) + " "
				}
			}
			rows = append(rows, row{id: id, cells: cells, also: also, group: i,
				keys:   []float64{float64(-queue.Number), float64(queue.Depth), float64(max(queue.Busy, queue.Bound)), float64(queue.Enqueued), float64(queue.WaitTime)},
				detail: func() detail { return queueDetail(a.frame.View, d, queue) }})
		}
	}
	q.rows.set(rows)
	for _, r := range q.rows.visible {
		lanes = append(lanes, byID[r.id])
	}
	q.hits = q.hits[:0]
	q.rows.area = c
	if len(lanes) == 0 {
		text := "No queue was used yet."
		if q.rows.filter != "" {
			text = "Nothing matches."
		}
		c.text(1, 1, c.w-2, text, c.theme.dim)
		return
	}
	axis := c.part(0, c.h-2, c.w, 2)
	c = c.part(0, 0, c.w, c.h-2)
	height := q.height(lanes, c.h)
	top := q.first(lanes, height, c.h)
	y := 0
	var device *state.Device
	for i := top; i < len(lanes) && y < c.h; i++ {
		l := lanes[i]
		if l.device != device {
			device = l.device
			a.drawDevice(c.part(0, y, c.w, 1), device)
			y++
		}
		rows := min(height, c.h-y)
		if rows <= 0 {
			break
		}
		q.hits = append(q.hits, laneHit{c.y + y, rows, i})
		a.drawLane(c.part(0, y, c.w, rows), l, i == q.rows.at)
		y += rows
	}
	q.drawAxis(a, axis)
}

// height is how many lines a lane gets.
func (q *queuesView) height(lanes []laneRow, room int) int {
	devices := 0
	for i := range lanes {
		if i == 0 || lanes[i].device != lanes[i-1].device {
			devices++
		}
	}
	return min(max((room-devices)/len(lanes), 2), 12)
}

// first is the first lane to draw so that the chosen one is seen.
func (q *queuesView) first(lanes []laneRow, height, room int) int {
	top := min(q.rows.top, q.rows.at)
	for top < q.rows.at {
		lines := 0
		for i := top; i <= q.rows.at; i++ {
			if i == top || lanes[i].device != lanes[i-1].device {
				lines++
			}
			lines += height
		}
		if lines <= room {
			break
		}
		top++
	}
	q.rows.top = top
	return top
}

// drawDevice shows a device's sums over its lanes.
func (a *app) drawDevice(c canvas, d *state.Device) {
	t := c.theme
	samples := a.history.devices[d.ID]
	_, to := a.span()
	up, down := perSecond(samples, upBytes, to, a.window), perSecond(samples, downBytes, to, a.window)
	memory := report.ShowBytes(float64(d.Used))
	if d.Capacity > 0 {
		memory += " of " + report.ShowBytes(float64(d.Capacity))
	}
	x := c.words(0, 0, t.accent, deviceName(a.frame.View, &d.DeviceInfo), t.dim, "  memory ", t.plain, memory,
		t.dim, "  "+string(t.up)+" ", t.plain, report.Show(up, report.BytesPerSecond), t.dim, "  "+string(t.down)+" ", t.plain, report.Show(down, report.BytesPerSecond))
	if d.LeakedBytes > 0 {
		c.words(x, 0, t.failure, "  leaked "+report.ShowBytes(float64(d.LeakedBytes)))
	} else {
		c.words(x, 0, t.dim, "  "+d.Name)
	}
}

// drawLane shows a queue: its figures on the left; on the right how busy it was
// over time and, in the last line, when the host waited for it.
func (a *app) drawLane(c canvas, row laneRow, chosen bool) {
	t, q := c.theme, row.queue
	from, to := a.span()
	width := c.w - gutter
	l := laneOf(q, a.counted(row.device), from, to, a.frame.Time)
	running, wait := l.running, l.wait
	cells := columns(l.busy, running, from, to, width)
	waits := columns(l.waits, wait, from, to, width)
	follows := columns(l.follows, segment{}, from, to, width)
	style, mark := t.plain, " "
	if chosen {
		style, mark = t.bold, string(t.marker)
	}
	c.text(0, 0, 11, mark+queueName(q.Number), style)
	part, atMost := a.busyness(q, cells)
	busy := percent(part)
	if atMost {
		busy = "<" + busy
	}
	depth := ""
	if q.Depth > 0 {
		depth = "+" + count(float64(q.Depth))
	}
	c.textRight(11, 0, 6, depth, t.bold)
	c.textRight(17, 0, 5, busy, style)
	if c.h > 1 {
		c.name(2, 1, gutter-3, runningText(q), t.dim)
	}
	if c.h > 2 {
		c.text(2, 2, gutter-3, waitText(q), t.dim)
	}
	for y := range c.h {
		c.cell(gutter-1, y, t.vertical, t.dim)
	}
	lane := c.part(gutter, 0, width, c.h)
	bars := max(c.h-1, 1)
	if c.h > 3 {
		bars = c.h - 2 // a line stays empty between two lanes
	}
	lane.drawBars(bars, cells, l.busy, running)
	lane.drawFollows(bars-1, follows, cells, l.follows)
	lane.drawWaits(bars, waits)
}

// runningText says what a queue is at.
func runningText(q *state.Queue) string {
	switch {
	case held(q) != nil:
		return fmt.Sprintf("waits for %s:%d", queueName(held(q).Queue), held(q).Source.Line)
	case q.Depth > 0 && q.Next != nil && q.CutOff != 0:
		return "cut off: " + labelOf(q.Next)
	case q.Depth > 0 && q.Next != nil:
		return labelOf(q.Next)
	case q.Depth > 0:
		return "runs"
	case q.Last != nil:
		return "idle"
	}
	return ""
}

func waitText(q *state.Queue) string {
	switch {
	case q.Waiting > 0:
		return "host waits"
	case q.WaitTime > 0:
		return fmt.Sprintf("waited %s", report.ShowDuration(float64(q.WaitTime)))
	}
	return ""
}

// drawBars draws how busy each cell was, with names where there is room.
func (c canvas) drawBars(height int, cells []column, segments []segment, last segment) {
	t := c.theme
	levels := len(t.bars) - 1
	for x, cell := range cells {
		if cell.share <= 0 {
			continue
		}
		level := max(int(cell.share*float64(levels*height)+0.5), 1)
		style := t.activities[cell.what]
		for row := range height {
			fill := min(max(level-(height-1-row)*levels, 0), levels)
			switch {
			case fill == 0:
			case cell.what == bound:
				c.cell(x, row, t.unmeasured, style)
			case cell.guess:
				c.cell(x, row, t.guess, style)
			case t.ascii && fill == levels:
				c.cell(x, row, letters[cell.what], style)
			default:
				c.cell(x, row, t.bars[fill], style)
			}
		}
	}
	for x := 0; x < len(cells); {
		end := x + 1
		for end < len(cells) && cells[end].label == cells[x].label && cells[end].share > 0.95 {
			end++
		}
		index := cells[x].label
		if index >= 0 && cells[x].share > 0.95 && end-x >= 5 {
			s := last
			if index < len(segments) {
				s = segments[index]
			}
			if s.label != "" {
				c.name(x, height-1, end-x, s.label, t.activities[s.what].Reverse(s.what != bound && !s.guess))
			}
		}
		x = end
	}
}

// drawFollows draws when the queue stood still for another one, at the foot of
// the bars, with what it waited for where there is room.
func (c canvas) drawFollows(y int, cells, busy []column, segments []segment) {
	t := c.theme
	for x := 0; x < len(cells); {
		end := x
		for end < len(cells) && cells[end].label == cells[x].label && cells[end].share > 0 && (busy[end].share == 0 || busy[end].guess) {
			end++
		}
		if end == x {
			x++
			continue
		}
		style := t.activities[following]
		c.text(x, y, end-x, strings.Repeat(string(t.follow), end-x), style)
		if index := cells[x].label; index >= 0 && index < len(segments) {
			label := segments[index].label
			without, _, _ := strings.Cut(label, " at ")
			for _, text := range []string{label, without, strings.TrimPrefix(without, "waits for ")} {
				if width := textWidth(text) + 2; width <= end-x-2 {
					c.text(x+(end-x-width)/2, y, width, " "+text+" ", style)
					break
				}
			}
		}
		x = end
	}
}

// drawWaits draws in the line under the bars which share of each cell the host was
// blocked: as a line where it was all of it, else as bars, which stay below the line.
func (c canvas) drawWaits(y int, cells []column) {
	t := c.theme
	levels := (len(t.bars) - 1) / 2
	for x := 0; x < len(cells); {
		if cells[x].share <= 0.95 {
			if cells[x].share > 0 {
				c.cell(x, y, t.bars[max(int(cells[x].share*float64(levels)+0.5), 1)], t.activities[waiting])
			}
			x++
			continue
		}
		end := x + 1
		for end < len(cells) && cells[end].share > 0.95 {
			end++
		}
		c.text(x, y, end-x, strings.Repeat(string(t.wait), end-x), t.activities[waiting])
		if end-x >= 8 {
			c.text(x+(end-x-6)/2, y, 6, " wait ", t.activities[waiting])
		}
		x = end
	}
}

// axisTime is what an axis says of a time so long before that of the frame: of a replay
// when that was in the run, "" before its begin.
func (a *app) axisTime(ago int64) string {
	switch {
	case a.player != nil && ago > a.elapsed():
		return ""
	case a.player != nil:
		return clock(a.elapsed() - ago)
	case ago == 0:
		return "now"
	}
	return "-" + report.ShowDuration(float64(ago))
}

// drawAxis shows the time under the lanes and what the colours mean.
func (q *queuesView) drawAxis(a *app, c canvas) {
	t := c.theme
	width := c.w - gutter
	for x := range width {
		c.cell(gutter+x, 0, t.rule, t.dim)
	}
	ticks := 4
	if width < 60 {
		ticks = 2
	}
	for i := range ticks {
		x := width * i / ticks
		c.cell(gutter+x, 0, t.vertical, t.dim)
		c.text(gutter+x+1, 0, width/ticks-2, a.axisTime(a.window*int64(ticks-i)/int64(ticks)+a.back), t.dim)
	}
	end := a.axisTime(a.back)
	c.textRight(c.w-len(end)-1, 0, len(end), end, t.dim)
	x := gutter
	up, down := "upload", "download"
	if width < 61 {
		up, down = "up", "down"
	}
	for _, l := range []struct {
		glyph rune
		what  activity
		text  string
	}{{t.glyph(kernel), kernel, "kernel"}, {t.glyph(upload), upload, up}, {t.glyph(download), download, down},
		{t.glyph(mixed), mixed, "mixed"}, {t.guess, mixed, "pending"}, {t.unmeasured, bound, "bound"}, {t.wait, waiting, "wait"},
		{t.follow, following, "held"}} {
		c.cell(x, 1, l.glyph, t.activities[l.what])
		x += 1 + c.text(x+1, 1, c.w-x-1, l.text+" ", t.dim)
	}
	c.text(1, 1, gutter-2, "queue  pending  busy", t.dim)
}

func threads(n int64) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

func queueDetail(v *state.State, d *state.Device, q *state.Queue) detail {
	x := detail{title: deviceName(v, &d.DeviceInfo) + " " + queueName(q.Number)}
	field := func(name, format string, values ...any) {
		x.fields = append(x.fields, [2]string{name, fmt.Sprintf(format, values...)})
	}
	field("number", "%d", q.Number)
	field("enqueued", "%d operations, %d done", q.Enqueued, q.Done)
	field("pending", "%d", q.Depth)
	if q.Measured {
		field("busy", "%s, measured on the device", report.ShowDuration(float64(q.Busy)))
	} else {
		field("busy", "at most %s: the runtime measures no device time", report.ShowDuration(float64(q.Bound)))
	}
	field("waits", "%d, the host blocked %s", q.Waits, report.ShowDuration(float64(q.WaitTime)))
	if q.Waiting > 0 {
		field("waiting now", "%s", threads(q.Waiting))
	}
	if q.DependencySum > 0 {
		field("held back", "%d times by other queues, %s", q.DependencySum, report.ShowDuration(float64(q.HeldBack)))
	}
	for i := len(q.Dependencies) - 1; i >= max(len(q.Dependencies)-5, 0); i-- {
		d := &q.Dependencies[i]
		length := "not over"
		if d.To != 0 {
			length = report.ShowDuration(float64(d.To - d.From))
			if !d.Measured {
				length = "at most " + length
			}
		}
		field("dependency", "%s, enqueued at %s: %s", dependencyLabel(d), clock(d.Time), length)
	}
	if o := q.Next; o != nil {
		name := "runs"
		if q.CutOff != 0 {
			name = "cut off"
		}
		field(name, "%s %s, enqueued at %s, %s", o.Kind, labelOf(o), clock(o.Enqueued), report.ShowBytes(float64(o.Bytes)))
		x.source = o.Source
	}
	if o := q.Last; o != nil {
		field("last", "%s %s, %s at %s", o.Kind, labelOf(o), report.ShowDuration(float64(o.End-o.Start)), clock(o.Start))
		if q.Next == nil {
			x.source = o.Source
		}
	}
	return x
}
