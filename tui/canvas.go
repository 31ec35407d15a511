package tui

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"

	"github.com/accscope/accscope/collector/escape"
	"github.com/accscope/accscope/collector/report"
)

// canvas is a rectangle of the screen; what is drawn outside of it is cut off.
type canvas struct {
	screen     tcell.Screen
	theme      *theme
	x, y, w, h int
}

// part gives a rectangle within the canvas.
func (c canvas) part(x, y, w, h int) canvas {
	x, y = max(x, 0), max(y, 0)
	return canvas{c.screen, c.theme, c.x + x, c.y + y, max(min(w, c.w-x), 0), max(min(h, c.h-y), 0)}
}

func (c canvas) cell(x, y int, r rune, style tcell.Style) {
	if x >= 0 && y >= 0 && x < c.w && y < c.h {
		c.screen.SetContent(c.x+x, c.y+y, r, nil, style)
	}
}

// printable makes text from a program's memory harmless: control characters
// would move the cursor.
func printable(text string, ascii bool) string {
	return strings.Map(func(r rune) rune {
		switch {
		case escape.Steers(r) || r == unicode.ReplacementChar:
			return '?'
		case ascii && r > unicode.MaxASCII:
			return '?'
		}
		return r
	}, text)
}

// text draws text at most width cells wide and gives the cells it took. What
// does not fit is cut with an ellipsis.
func (c canvas) text(x, y, width int, text string, style tcell.Style) int {
	width = min(width, c.w-x)
	if width <= 0 || y < 0 || y >= c.h || x < 0 {
		return 0
	}
	text = printable(text, c.theme.ascii)
	cut := uniseg.StringWidth(text) > width
	room := width
	if cut {
		room--
	}
	used, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		var wide int
		cluster, rest, wide, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used+wide > room {
			break
		}
		runes := []rune(cluster)
		c.screen.SetContent(c.x+x+used, c.y+y, runes[0], runes[1:], style)
		used += wide
	}
	if cut {
		c.screen.SetContent(c.x+x+used, c.y+y, c.theme.ellipsis, nil, style)
		used++
	}
	return used
}

// name draws a text whose names go without their namespaces before it is cut.
func (c canvas) name(x, y, width int, text string, style tcell.Style) int {
	return c.text(x, y, width, report.Shortened(text, min(width, c.w-x)), style)
}

// textRight draws text that ends at the right edge of a field.
func (c canvas) textRight(x, y, width int, text string, style tcell.Style) {
	pad := max(width-uniseg.StringWidth(printable(text, c.theme.ascii)), 0)
	c.text(x+pad, y, width-pad, text, style)
}

// words draws pieces of text one after the other and gives where they end.
func (c canvas) words(x, y int, pieces ...any) int {
	style := c.theme.plain
	for _, piece := range pieces {
		switch p := piece.(type) {
		case tcell.Style:
			style = p
		case string:
			x += c.text(x, y, c.w-x, p, style)
		}
	}
	return x
}

// failed says in a view why it has nothing to show.
func (c canvas) failed(title string, err error) {
	c.words(1, 0, c.theme.title, title, c.theme.failure, "  none, since reading the trace failed")
	for y, line := range wrapped(err.Error(), c.w-2) {
		c.text(1, 2+y, c.w-2, line, c.theme.plain)
	}
}

func (c canvas) fill(style tcell.Style) {
	for y := range c.h {
		for x := range c.w {
			c.cell(x, y, ' ', style)
		}
	}
}

// frame draws a box with a title and gives its inside.
func (c canvas) frame(title string) canvas {
	c.fill(c.theme.plain)
	corners, horizontal, vertical := []rune("╭╮╰╯"), c.theme.rule, c.theme.vertical
	if c.theme.ascii {
		corners = []rune("++++")
	}
	for x := range c.w {
		c.cell(x, 0, horizontal, c.theme.dim)
		c.cell(x, c.h-1, horizontal, c.theme.dim)
	}
	for y := range c.h {
		c.cell(0, y, vertical, c.theme.dim)
		c.cell(c.w-1, y, vertical, c.theme.dim)
	}
	c.cell(0, 0, corners[0], c.theme.dim)
	c.cell(c.w-1, 0, corners[1], c.theme.dim)
	c.cell(0, c.h-1, corners[2], c.theme.dim)
	c.cell(c.w-1, c.h-1, corners[3], c.theme.dim)
	c.text(2, 0, c.w-4, " "+title+" ", c.theme.title)
	return c.part(2, 1, c.w-4, c.h-2)
}

// sparkline draws values from the bottom up, height rows high, on a scale from 0
// to top. Negative values are unknown and stay empty.
func (c canvas) sparkline(x, y, height int, values []float64, top float64, style tcell.Style) {
	levels := len(c.theme.bars) - 1
	for i, value := range values {
		level := 0
		if top > 0 && value > 0 {
			level = max(int(value/top*float64(levels*height)+0.5), 1)
		}
		for row := range height {
			fill := min(max(level-(height-1-row)*levels, 0), levels)
			if fill > 0 {
				c.cell(x+i, y+row, c.theme.bars[fill], style)
			}
		}
	}
}

// gauge draws a bar of a share.
func (c canvas) gauge(x, y, width int, share float64, style tcell.Style) {
	filled := int(share*float64(width) + 0.5)
	full, empty := '█', '░'
	if c.theme.ascii {
		full, empty = '#', '.'
	}
	for i := range width {
		if i < filled {
			c.cell(x+i, y, full, style)
		} else {
			c.cell(x+i, y, empty, c.theme.dim)
		}
	}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// count shortens a large number: 12.3k, 4.56M.
func count(n float64) string {
	switch {
	case n < 10 && n != float64(int64(n)):
		return strconv.FormatFloat(n, 'f', 1, 64)
	case n < 10_000:
		return strconv.FormatFloat(n, 'f', 0, 64)
	case n < 1e6:
		return strconv.FormatFloat(n/1e3, 'f', 1, 64) + "k"
	case n < 1e9:
		return strconv.FormatFloat(n/1e6, 'f', 2, 64) + "M"
	}
	return strconv.FormatFloat(n/1e9, 'f', 2, 64) + "G"
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + "%" }
