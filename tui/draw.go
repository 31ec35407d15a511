package tui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/state"
)

// The least size that the views are made for.
const (
	leastWidth  = 40
	leastHeight = 10
)

// draw shows the whole screen.
func (a *app) draw() {
	a.screen.Clear()
	a.screen.HideCursor()
	w, h := a.screen.Size()
	c := canvas{screen: a.screen, theme: a.theme, w: w, h: h}
	if w < leastWidth || h < leastHeight {
		c.text(0, 0, w, fmt.Sprintf("%dx%d is too small: make the terminal %dx%d or larger; q leaves", w, h, leastWidth, leastHeight), c.theme.plain)
		return
	}
	a.drawHead(c.part(0, 0, w, 1))
	a.drawTabs(c.part(0, 1, w, 1))
	body := c.part(0, 2, w, h-3)
	if a.frame.View != nil {
		body = a.drawAlarm(body)
	}
	if a.pane != nil {
		height := min(max(body.h/4, 5), 15)
		if a.focus && a.pane.Running() {
			height = body.h * 2 / 3
		}
		a.pane.draw(body.part(0, body.h-height, body.w, height), a.focus)
		body = body.part(0, 0, body.w, body.h-height)
	}
	if a.frame.View != nil {
		body = a.drawFilter(body)
	}
	if a.frame.View == nil {
		a.drawNothing(body)
	} else {
		view, below := a.divide(body)
		a.views[a.current].draw(a, view)
		a.drawBelow(below)
	}
	a.drawFoot(c.part(0, h-1, w, 1))
	switch {
	case a.help:
		a.drawHelp(c)
	case a.overlay != nil:
		a.overlay.follow()
		a.overlay.draw(c)
	case a.menu != nil:
		a.menu.draw(c)
	}
}

func (a *app) drawNothing(c canvas) {
	c.text(2, 1, c.w-4, "Waiting for the first OpenACC event of "+a.source.Title()+".", c.theme.plain)
	if a.frame.Note != "" {
		c.text(2, 2, c.w-4, a.frame.Note, c.theme.dim)
	}
}

// drawHead shows what is watched, how long, and at which rate.
func (a *app) drawHead(c canvas) {
	t := c.theme
	state := string(a.frame.State)
	style := t.dim
	switch {
	case a.player != nil:
		state += " " + speedText(a.player.Speed())
		style = t.accent
	case a.frozen:
		state, style = "paused", t.warning
	case a.frame.State == Live:
		style = t.good
	}
	state = strings.TrimSpace(state)
	right := c.w - textWidth(state) - 1
	c.text(right, 0, textWidth(state), state, style)
	c = c.part(0, 0, right-1, 1)
	x := c.words(1, 0, t.accent, "accscope", t.bold, " "+a.source.Title())
	v := a.frame.View
	if v == nil {
		return
	}
	x = c.words(x, 0, t.dim, "  ", t.plain, clock(a.elapsed()))
	perSec := perSecond(a.history.rates, eventCount, a.frame.Time, a.window)
	x = c.words(x, 0, t.plain, "  "+count(float64(v.Events)), t.dim, " events ", t.plain, count(perSec), t.dim, "/s")
	if n := len(v.Processes); n > 1 {
		x = c.words(x, 0, t.dim, "  ", t.plain, number(int64(n)), t.dim, " processes")
	}
	if a.frame.Note != "" {
		c.words(x, 0, t.dim, "  "+a.frame.Note)
	}
}

// elapsed is the time since the first process began.
func (a *app) elapsed() int64 {
	if a.player != nil {
		first, _ := a.player.Extent()
		return a.frame.Time - first
	}
	start := a.frame.Time
	for _, p := range a.frame.View.Processes {
		start = min(start, p.Start)
	}
	return a.frame.Time - max(start, 0)
}

// clock shows a time of a run.
func clock(ns int64) string {
	if ns < 0 {
		ns = 0
	}
	if ns < 10e9 {
		return report.ShowDuration(float64(ns))
	}
	d := time.Duration(ns).Round(100 * time.Millisecond)
	if d < time.Hour {
		return fmt.Sprintf("%02d:%04.1f", d/time.Minute, (d % time.Minute).Seconds())
	}
	return fmt.Sprintf("%d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

func speedText(speed float64) string {
	if speed >= 1 {
		return fmt.Sprintf("%gx", speed)
	}
	return fmt.Sprintf("1/%gx", 1/speed)
}

func (a *app) drawTabs(c canvas) {
	a.tabs = a.tabs[:0]
	scale := "scale " + report.ShowDuration(float64(a.window))
	all, tight := 1, 0
	for _, v := range a.views {
		all += textWidth(v.name()) + 4
	}
	if c.w-all <= textWidth(scale)+2 { // one blank between names instead of two
		scale, tight = report.ShowDuration(float64(a.window)), 1
	}
	x := 1
	for i, v := range a.views {
		style := c.theme.dim
		if i == a.current {
			style = c.theme.tab
		}
		label := fmt.Sprintf(" %d %s ", i+1, v.name())
		width := c.text(x, 0, c.w-x, label, style)
		a.tabs = append(a.tabs, span{c.x + x, c.y, width})
		x += width - tight
	}
	if c.w-x > textWidth(scale)+2 {
		c.text(c.w-textWidth(scale)-1, 0, textWidth(scale), scale, c.theme.dim)
	}
}

// worthTelling is how far the collector may be behind the program unsaid: it
// looks for news now and then.
const worthTelling = time.Second

// drawAlarm shows errors, and what is missing, over the views and gives what is left.
func (a *app) drawAlarm(c canvas) canvas {
	v := a.frame.View
	tell := func(style tcell.Style, format string, args ...any) {
		c.text(1, 0, c.w-2, fmt.Sprintf(format, args...), style)
		c = c.part(0, 1, c.w, c.h-1)
	}
	if behind := time.Duration(v.Behind); behind >= worthTelling {
		tell(c.theme.warning, "the collector is %s behind the program: what is shown was so long ago", report.ShowDuration(float64(behind)))
	}
	if v.Lost > 0 {
		tell(c.theme.warning, "%d events were lost: the capture reached its limit", v.Lost)
	}
	for _, line := range unseen(v) {
		tell(c.theme.warning, "%s", line)
	}
	if v.ErrorSum > 0 && len(v.Errors) > 0 {
		newest := v.Errors[len(v.Errors)-1]
		plural := "s"
		if v.ErrorSum == 1 {
			plural = ""
		}
		tell(c.theme.failure, "%d error%s; %s: %s", v.ErrorSum, plural, clock(newest.Time), errorText(&newest))
	}
	return c
}

// drawFilter says over the view what its rows are filtered by, and gives what is left.
func (a *app) drawFilter(c canvas) canvas {
	tell := func(what, value, how string) {
		if value != "" {
			c.words(1, 0, c.theme.dim, what, c.theme.accent, value, c.theme.dim, how)
			c = c.part(0, 1, c.w, c.h-1)
		}
	}
	tell("only ", a.only, "  in sums, events and graphs; f changes it")
	if a.ranks != nil {
		tell("only ", a.player.ShownRanks(), "  in all views; r changes it")
	}
	rows := a.views[a.current].table()
	tell("filter ", rows.filter, fmt.Sprintf("  %s; Esc shows all", rows.name))
	return c
}

// drawFoot shows the prompt, a message, the place in a replay, or the keys.
func (a *app) drawFoot(c canvas) {
	t := c.theme
	switch {
	case a.asking:
		c.words(1, 0, t.warning, "The program runs. ", t.plain, "l", t.dim, " leave it running  ", t.plain, "k", t.dim, " end it too  any other key: stay")
	case a.prompt != nil:
		x := c.words(1, 0, t.accent, a.prompt.label, t.plain, string(a.prompt.text))
		a.screen.ShowCursor(c.x+min(x, c.w-1), c.y)
	case a.message != "":
		c.text(1, 0, c.w-2, a.message, t.warning)
	case a.player != nil:
		a.drawSeekbar(c)
	default:
		keys := []any{t.plain, "?", t.dim, " help  ", t.plain, "q", t.dim, " quit  ", t.plain, "space", t.dim, " pause  ",
			t.plain, "+-", t.dim, " scale  ", t.plain, "/", t.dim, " filter  ", t.plain, "s", t.dim, " sort  ", t.plain, "enter", t.dim, " details"}
		if a.pane != nil {
			keys = append(keys, t.plain, "  p", t.dim, " program")
		}
		c.words(1, 0, keys...)
	}
}

func (a *app) drawSeekbar(c canvas) {
	t := c.theme
	first, last := a.player.Extent()
	left := clock(a.frame.Time - first)
	right := clock(last-first) + "  ? help  q quit"
	x := c.words(1, 0, t.plain, left) + 1
	width := c.w - x - textWidth(right) - 2
	if width < 5 {
		return
	}
	a.seekbar = span{c.x + x, c.y, width}
	c.gauge(x, 0, width, float64(a.frame.Time-first)/float64(max(last-first, 1)), t.accent)
	c.words(x+width+1, 0, t.dim, right)
}

func errorText(e *state.Event) string {
	text := cmp.Or(e.Name, "error")
	if e.Code != 0 {
		text += fmt.Sprintf(" (code %d)", e.Code)
	}
	if at := sourceText(e.Source); at != "-" {
		text += " at " + at
	}
	return text
}

// deviceName is what a device is called in the views.
func deviceName(v *state.State, d *model.DeviceInfo) string {
	name := d.Title()
	if len(v.Processes) > 1 {
		name = processName(v, d.Process) + " " + name
	}
	return name
}

func processName(v *state.State, id model.ProcessID) string {
	for i := range v.Processes {
		if p := &v.Processes[i]; p.ID == id {
			if p.Rank >= 0 {
				return fmt.Sprintf("rank %d", p.Rank)
			}
			name := fmt.Sprintf("pid %d", p.PID)
			for j := range v.Processes { // a number that processes of two hosts have
				if other := &v.Processes[j]; other.PID == p.PID && other.Host != p.Host {
					return name + " on " + p.Host
				}
			}
			return name
		}
	}
	return ""
}

// devices are those of a view that something happened on: a runtime also names
// the device that a program asked for before it knows which one that is.
func devices(v *state.State) []*state.Device {
	var list []*state.Device
	for i := range v.Devices {
		if d := &v.Devices[i]; len(d.Queues) > 0 || d.Peak > 0 || d.MappingSum > 0 || len(d.Leaked) > 0 || len(v.Devices) == 1 {
			list = append(list, d)
		}
	}
	return list
}
