package tui

import (
	"io"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"github.com/hinshun/vt10x"
)

// grid is the screen of a program that moves the cursor about: an emulated
// terminal of the pane's size.
type grid struct {
	terminal vt10x.Terminal
	partial  []byte // of a character
}

// newGrid gives an empty screen; answers to what the program asks its terminal
// go to replies.
func newGrid(columns, rows int, replies io.Writer) *grid {
	return &grid{terminal: vt10x.New(vt10x.WithSize(columns, rows), vt10x.WithWriter(replies))}
}

// write takes what the program wrote. The emulator wants whole characters.
func (g *grid) write(data []byte) {
	data = append(g.partial, data...)
	end := len(data)
	for back := 1; back < utf8.UTFMax && back <= len(data); back++ {
		if b := data[len(data)-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-back:]) {
				end = len(data) - back
			}
			break
		}
	}
	// It never fails: an error could only come from a reader in it.
	_, _ = g.terminal.Write(data[:end])
	g.partial = append([]byte(nil), data[end:]...)
}

func (g *grid) resize(columns, rows int) { g.terminal.Resize(columns, rows) }

// keypad says whether the program wants the other sequences of the arrow keys.
func (g *grid) keypad() bool { return g.terminal.Mode()&vt10x.ModeAppCursor != 0 }

// Bits of vt10x.Glyph.Mode, which the package does not export.
const (
	glyphReverse = 1 << iota
	glyphUnderline
	glyphBold
	_
	glyphItalic
	glyphBlink
)

// style is how a cell looks; where we use no colours, the program's are left out
// too.
func (g *grid) style(cell vt10x.Glyph, t *theme) tcell.Style {
	style, ink, ground := t.plain, cell.FG, cell.BG
	if cell.Mode&glyphReverse != 0 { // the emulator has exchanged them; defaults have no colour to exchange
		style, ink, ground = style.Reverse(true), ground, ink
	}
	if t.colours {
		style = style.Foreground(cellColour(ink)).Background(cellColour(ground))
	}
	return style.Bold(cell.Mode&glyphBold != 0).Underline(cell.Mode&glyphUnderline != 0).Italic(cell.Mode&glyphItalic != 0).
		Blink(cell.Mode&glyphBlink != 0)
}

func cellColour(c vt10x.Color) tcell.Color {
	switch {
	case c >= vt10x.DefaultFG:
		return tcell.ColorDefault
	case c < 256:
		return tcell.PaletteColor(int(c))
	}
	return tcell.NewHexColor(int32(c))
}

// draw shows the screen and gives the place of the cursor, visible or not.
func (g *grid) draw(c canvas) (x, y int, visible bool) {
	g.terminal.Lock()
	defer g.terminal.Unlock()
	columns, rows := g.terminal.Size()
	for y := range min(rows, c.h) {
		for x := 0; x < min(columns, c.w); {
			first := g.terminal.Cell(x, y)
			var text []rune
			start := x
			for ; x < min(columns, c.w); x++ {
				cell := g.terminal.Cell(x, y)
				if cell.FG != first.FG || cell.BG != first.BG || cell.Mode != first.Mode {
					break
				}
				char := cell.Char
				if char == 0 {
					char = ' '
				}
				text = append(text, char)
			}
			// The emulator gives a wide character one cell.
			for textWidth(string(text)) > c.w-start {
				text = text[:len(text)-1]
			}
			c.text(start, y, c.w-start, string(text), g.style(first, c.theme))
		}
	}
	cursor := g.terminal.Cursor()
	return cursor.X, cursor.Y, g.terminal.CursorVisible()
}

// replies hands a terminal's answers to a program without waiting for it: one
// that reads nothing must not hold up the drawing.
type replies chan []byte

func (r replies) Write(data []byte) (int, error) {
	select {
	case r <- append([]byte(nil), data...):
	default: // it asks more than it reads
	}
	return len(data), nil
}

// deliver writes the answers until the channel is closed.
func (r replies) deliver(w io.Writer) {
	for data := range r {
		if _, err := w.Write(data); err != nil {
			for range r { // the program has gone
			}
			return
		}
	}
}
