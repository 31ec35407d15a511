package tui

import (
	"os"

	"github.com/gdamore/tcell/v2"
)

// theme is how things look: colours that are legible on light and on dark
// ground, and characters that the terminal has.
type theme struct {
	plain, dim, bold, title, tab, header, selected, accent tcell.Style
	good, warning, failure                                 tcell.Style
	activities                                             [following + 1]tcell.Style
	ascii                                                  bool
	colours                                                bool
	bars                                                   []rune // of rising height, the empty one first
	rule, vertical, ellipsis, marker, wait, unmeasured     rune
	guess, follow                                          rune
	up, down                                               rune
}

// newTheme fits a terminal of so many colours; NO_COLOR (any value) means none.
func newTheme(colours int, ascii bool) *theme {
	t := &theme{ascii: ascii}
	if os.Getenv("NO_COLOR") != "" {
		colours = 0
	}
	t.colours = colours >= 8
	base := tcell.StyleDefault
	t.plain, t.bold = base, base.Bold(true)
	t.dim = base.Dim(true)
	t.selected, t.tab, t.header = base.Reverse(true), base.Reverse(true).Bold(true), base.Underline(true)
	t.title = base.Bold(true)
	t.accent, t.good, t.warning, t.failure = base.Bold(true), base, base.Bold(true), base.Bold(true).Reverse(true)
	for i := range t.activities {
		t.activities[i] = base
	}
	t.activities[bound], t.activities[idle] = t.dim, t.dim
	if t.colours {
		ink := func(name tcell.Color, rgb int32) tcell.Style {
			if colours > 16 {
				return base.Foreground(tcell.NewHexColor(rgb))
			}
			return base.Foreground(name)
		}
		if colours > 16 {
			t.dim = ink(tcell.ColorGray, 0x858585)
		}
		t.accent = ink(tcell.ColorTeal, 0x1f9aa6).Bold(true)
		t.good = ink(tcell.ColorGreen, 0x2f9e4f)
		t.warning = ink(tcell.ColorOlive, 0xc48a0a).Bold(true)
		t.failure = ink(tcell.ColorMaroon, 0xdc3b42).Bold(true)
		t.activities = [following + 1]tcell.Style{
			idle: t.dim, kernel: t.good, upload: ink(tcell.ColorNavy, 0x3b82d6), download: ink(tcell.ColorPurple, 0xb065cf),
			mixed: ink(tcell.ColorTeal, 0x1f9aa6), bound: t.dim, waiting: ink(tcell.ColorOlive, 0xc48a0a),
			following: ink(tcell.ColorOlive, 0xc48a0a)}
	}
	t.bars, t.rule, t.vertical, t.ellipsis, t.marker = []rune(" ▁▂▃▄▅▆▇█"), '─', '│', '…', '▸'
	t.wait, t.unmeasured, t.guess, t.follow, t.up, t.down = '━', '░', '▒', '┄', '↑', '↓'
	if ascii {
		t.bars, t.rule, t.vertical, t.ellipsis, t.marker = []rune(" .:-=+*%#"), '-', '|', '~', '>'
		t.wait, t.unmeasured, t.guess, t.follow, t.up, t.down = '~', '?', '/', ',', '^', 'v'
	}
	return t
}

// letters tell activities apart where colours cannot.
var letters = [following + 1]rune{idle: ' ', kernel: 'K', upload: 'U', download: 'D', mixed: '#', bound: '?', waiting: '~',
	following: ','}
