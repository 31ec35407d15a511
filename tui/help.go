package tui

import "github.com/gdamore/tcell/v2"

// section is a part of the help: keys and what they do.
type section struct {
	title string
	keys  [][2]string
}

// The help has two columns, which together fit a terminal of 80 columns and 24 lines.
var (
	helpLeft = []section{
		{"Views", [][2]string{{"1 to 7", "choose one"}, {"Tab S-Tab", "next, previous view"}}},
		{"Rows", [][2]string{{"up down j k", "choose a row"}, {"PgUp PgDn", "a page up, down"}, {"Home End", "first, last row"},
			{"Enter", "details and source"}, {"s", "choose what to sort by"}, {"S", "turn the order around"},
			{"/", "filter; Esc shows all"}, {"o", "next table of the view"}}},
		{"Whole", [][2]string{{"c", "next colour theme"}, {"Ctrl-L", "draw the screen anew"}, {"q", "leave, or be asked"}}},
	}
	helpRight = []section{
		{"Time", [][2]string{{"+ -", "finer, coarser scale"}, {"left right", "back and forth (h l)"}, {"space", "pause the view only"}, {"Esc", "back to now"}}},
		{"Replay", [][2]string{{"space", "play, pause"}, {"< >", "half, double speed"}, {"[ ]", "back, forth half a scale"},
			{"0 $ g", "start, end, a time"}, {"f r", "only frames, only ranks"}}},
		{"Program (run --tui)", [][2]string{{"p  Ctrl-]", "give, take it the keys"}}},
		{"Lanes of the queues", nil},
	}
)

// helpHeight is the lines that a column takes.
func helpHeight(sections []section) int {
	lines := 0
	for _, s := range sections {
		lines += 1 + len(s.keys)
	}
	return lines
}

func (a *app) drawHelp(c canvas) {
	legend := a.legend()
	left, right := helpHeight(helpLeft), helpHeight(helpRight)+len(legend)
	two := c.w >= 76
	lines := max(left, right)
	if !two {
		lines = left + right
	}
	in := c.part((c.w-min(84, c.w))/2, (c.h-min(lines+2, c.h))/2, min(84, c.w), min(lines+2, c.h)).frame("Help: any key closes it")
	a.helpTop = max(min(a.helpTop, lines-in.h), 0)
	if !two {
		y := drawSections(in, helpLeft, -a.helpTop)
		y = drawSections(in, helpRight, y)
		a.drawLegend(in, legend, y)
		return
	}
	half := in.w / 2
	drawSections(in.part(0, 0, half-1, in.h), helpLeft, -a.helpTop)
	second := in.part(half, 0, in.w-half, in.h)
	a.drawLegend(second, legend, drawSections(second, helpRight, -a.helpTop))
}

// drawSections draws sections from a line on and gives the line after them.
func drawSections(c canvas, sections []section, y int) int {
	for _, s := range sections {
		c.text(0, y, c.w, s.title, c.theme.accent)
		y++
		for _, key := range s.keys {
			c.text(1, y, 12, key[0], c.theme.bold)
			c.text(13, y, c.w-13, key[1], c.theme.plain)
			y++
		}
	}
	return y
}

// look is what a lane shows something by.
type look struct {
	glyph rune
	style tcell.Style
	text  string
}

func (a *app) legend() []look {
	t := a.theme
	return []look{
		{t.glyph(kernel), t.activities[kernel], "a kernel ran: measured"},
		{t.glyph(upload), t.activities[upload], "upload"},
		{t.glyph(download), t.activities[download], "download"},
		{t.glyph(mixed), t.activities[mixed], "several together"},
		{t.guess, t.activities[kernel], "enqueued, not known done"},
		{t.unmeasured, t.activities[bound], "not measured, at most"},
		{t.wait, t.activities[waiting], "the host waited"},
		{t.follow, t.activities[following], "held by another queue"},
	}
}

func (a *app) drawLegend(c canvas, looks []look, y int) {
	for _, l := range looks {
		for i := range 3 {
			c.cell(1+i, y, l.glyph, l.style)
		}
		c.text(13, y, c.w-13, l.text, c.theme.plain)
		y++
	}
}

// glyph is what a full cell of an activity looks like.
func (t *theme) glyph(what activity) rune {
	switch {
	case what == waiting:
		return t.wait
	case what == bound:
		return t.unmeasured
	case !t.colours || t.ascii:
		return letters[what]
	}
	return '█'
}
