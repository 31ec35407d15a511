package tui

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// figureText shows a counter's value.
func figureText(c *state.Counter) string { return report.ShowFigure(float64(c.Value), c.Unit) }

// owner is what counters are of: a process, or a GPU of a host.
type owner struct {
	process model.ProcessID
	host    int64
	gpu     int
}

// machineLines are the lines of the machine, one for each process and each GPU, to be
// drawn.
func (a *app) machineLines() []func(canvas) {
	v := a.frame.View
	var order []owner
	figures := map[owner]map[string]*state.Counter{}
	titles, width := map[owner]string{}, 12
	for i := range v.Counters {
		c := &v.Counters[i]
		of := owner{c.Process, c.Host, c.GPU}
		if figures[of] == nil {
			order = append(order, of)
			figures[of] = map[string]*state.Counter{}
			titles[of] = fmt.Sprintf("GPU %d", c.GPU) + c.Where()
			if c.Process != 0 {
				titles[of] = processName(v, c.Process)
			}
			width = max(width, textWidth(titles[of]))
		}
		figures[of][c.Name] = c
	}
	if len(order) == 0 {
		return []func(canvas){func(c canvas) {
			c.text(1, 0, c.w-1, "nothing was sampled of the processes and GPUs", c.theme.dim)
		}}
	}
	lines := make([]func(canvas), 0, len(order))
	for _, of := range order {
		lines = append(lines, func(c canvas) { a.drawMachineLine(c, titles[of], min(width, max(c.w/3, 12)), of, figures[of]) })
	}
	return lines
}

// drawMachineLine draws the figures of a process or GPU behind its title, which has so
// many cells.
func (a *app) drawMachineLine(c canvas, title string, cells int, of owner, figures map[string]*state.Counter) {
	t := c.theme
	graph, others, style := "utilization", []string{"memory_used", "power", "sm_clock", "temperature"}, t.activities[kernel]
	if of.process != 0 {
		graph, others, style = "cpu", []string{"resident_memory"}, t.accent
	}
	if of.process == 0 && c.w < 100 {
		others = others[:3]
	}
	c.text(1, 0, cells, title, t.bold)
	x := cells + 2
	busy := figures[graph]
	what := "busy "
	if of.process != 0 {
		what = "cpu  "
	}
	if busy != nil {
		c.words(x, 0, t.dim, what)
		c.textRight(x+5, 0, 5, figureText(busy), t.plain)
	}
	x += 11
	width := 0
	for _, name := range others {
		if f := figures[name]; f != nil {
			width += textWidth(short[name]) + textWidth(figureText(f)) + 3
		}
	}
	if of.process == 0 && c.w >= 120 {
		for _, f := range figures {
			width += textWidth(f.GPUName) + 2
			break
		}
	}
	if room := c.w - x - width - 1; busy != nil && room >= 8 {
		room = min(room, c.w/2)
		a.drawFigure(c.part(x, 0, room, max(c.h-1, 1)), busy, style)
		x += room
	}
	x++
	for _, name := range others {
		if f := figures[name]; f != nil {
			x = c.words(x, 0, t.dim, " "+short[name]+" ", t.plain, figureText(f)+" ")
		}
	}
	if of.process == 0 && busy != nil && c.w >= 120 {
		c.words(x, 0, t.dim, " "+busy.GPUName)
	}
}

// short are the names of figures where there is little room.
var short = map[string]string{"memory_used": "memory", "resident_memory": "memory", "power": "power", "sm_clock": "clock", "temperature": "at"}

// drawFigure draws a counter over the time that is shown.
func (a *app) drawFigure(c canvas, x *state.Counter, style tcell.Style) {
	from, to := a.span()
	values := a.usedIn(x.Process, x.Points, from, to, c.w)
	top := 100.0
	for _, v := range values {
		top = max(top, v)
	}
	c.sparkline(0, 0, c.h, values, top, style)
}
