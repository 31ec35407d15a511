package tui

import "fmt"

// On a large terminal what Enter shows of the chosen row stands below the view, all the
// time, and goes along with the choice.
const (
	belowWidth  = 120 // the least width for it
	belowHeight = 44  // the least height of the views' part
	belowLines  = 14
	// wideReading is the least width at which a finding's text and its source stand
	// side by side.
	wideReading = 160
)

// divide gives the view's part of the screen, and what is below it for the details, which
// has no height where there is no room.
func (a *app) divide(body canvas) (upper, below canvas) {
	lines := belowLines
	switch a.views[a.current].(type) {
	case *overviewView:
		return body, canvas{}
	case *findingsView: // what is to be read stands there, on small terminals too
		if lines = a.findingsBelow(body.h); lines == 0 {
			return body, canvas{}
		}
	default:
		if body.w < belowWidth || body.h < belowHeight {
			return body, canvas{}
		}
	}
	return body.part(0, 0, body.w, body.h-lines), body.part(0, body.h-lines, body.w, lines)
}

// findingsBelow is how many of so many lines the findings leave for the chosen one.
func (a *app) findingsBelow(height int) int {
	const least = 16
	if a.search == nil || height < least {
		return 0
	}
	findings := len(a.search.soFar().found)
	if findings == 0 {
		return 0
	}
	return height - min(findings+2, height*2/5)
}

// drawBelow draws the chosen row's details, after its view has been drawn.
func (a *app) drawBelow(c canvas) {
	if c.h == 0 {
		return
	}
	t := c.theme
	for x := range c.w {
		c.cell(x, 0, t.rule, t.dim)
	}
	rows := a.views[a.current].table()
	r := rows.current()
	if r == nil || r.detail == nil {
		c.text(1, 0, c.w-2, " Details ", t.title)
		c.text(1, 1, c.w-2, "nothing is chosen", t.dim)
		return
	}
	if a.below == nil || a.below.table != rows || a.below.id != r.id {
		a.below = detailOf(rows, r)
	}
	d := a.below
	d.follow()
	c.text(1, 0, c.w-2, " "+d.title+" ", t.title)
	if _, reading := a.views[a.current].(*findingsView); reading && c.w < wideReading {
		drawDetailLines(c.part(1, 1, c.w-2, c.h-1), *d)
		return
	}
	left := c.w / 2
	drawDetailLines(c.part(1, 1, left-2, c.h-1), detail{fields: d.fields})
	drawDetailLines(c.part(left, 1, c.w-left-1, c.h-1), detail{source: d.source, code: d.code, noCode: d.noCode})
}

// drawDetailLines draws the lines of a detail that there is room for.
func drawDetailLines(c canvas, d detail) {
	t := c.theme
	lines := d.lines(t, min(c.w-fieldName-1, widestText))
	for y, l := range lines {
		switch {
		case y == c.h-1 && len(lines) > c.h:
			c.text(0, y, c.w, fmt.Sprintf("%d more: Enter", len(lines)-y), t.dim)
			return
		case l.code:
			c.text(0, y, c.w, l.text, l.style)
		default:
			c.text(0, y, fieldName, l.name, t.dim)
			c.text(fieldName+1, y, c.w-fieldName-1, l.text, l.style)
		}
	}
}
