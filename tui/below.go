package tui

import "fmt"

// On a large terminal what Enter shows of the chosen row stands below the view, all the
// time, and goes along with the choice.
const (
	belowWidth  = 120 // the least width for it
	belowHeight = 44  // the least height of the views' part
	belowLines  = 14
)

// divide gives the view's part of the screen, and what is below it for the details, which
// has no height where there is no room.
func (a *app) divide(body canvas) (upper, below canvas) {
	if _, all := a.views[a.current].(*overviewView); all || body.w < belowWidth || body.h < belowHeight {
		return body, canvas{}
	}
	return body.part(0, 0, body.w, body.h-belowLines), body.part(0, body.h-belowLines, body.w, belowLines)
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
	left := c.w / 2
	fields := c.part(1, 1, left-2, c.h-1)
	for y, f := range d.fields {
		if y == fields.h-1 && len(d.fields) > fields.h {
			fields.text(0, y, fields.w, fmt.Sprintf("%d more: Enter", len(d.fields)-y), t.dim)
			break
		}
		fields.text(0, y, fieldName, f[0], t.dim)
		fields.text(fieldName+1, y, fields.w-fieldName-1, f[1], t.plain)
	}
	source := c.part(left, 1, c.w-left-1, c.h-1)
	for y, l := range (&detail{source: d.source, code: d.code, noCode: d.noCode}).lines(t) {
		if l.code {
			source.text(0, y, source.w, l.text, l.style)
			continue
		}
		source.text(0, y, fieldName, l.name, t.dim)
		source.text(fieldName+1, y, source.w-fieldName-1, l.text, l.style)
	}
}
