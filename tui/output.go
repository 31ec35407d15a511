package tui

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// output keeps the newest lines that a program wrote to its terminal. It knows
// what line-oriented programs use: carriage return, backspace, tabs, erasing and
// moving within the line; of other control sequences nothing reaches the screen.
// For a program that moves from line to line there is the grid.
type output struct {
	lines     []string // finished
	current   []rune
	column    int
	partial   []byte // of a character or a control sequence
	moves     bool   // the program moves from line to line
	alternate bool   // it shows the alternate screen, which leaves no lines
}

const maxLines = 2000

func (o *output) write(data []byte) {
	data = append(o.partial, data...)
	o.partial = nil
	for len(data) > 0 {
		if data[0] == 0x1b {
			n := escapeLength(data)
			if n == 0 && len(data) < 256 {
				break
			}
			n = max(n, 1)
			o.escape(string(data[1:n]))
			data = data[n:]
			continue
		}
		if !utf8.FullRune(data) {
			break
		}
		r, size := utf8.DecodeRune(data)
		data = data[size:]
		o.put(r)
	}
	o.partial = append([]byte(nil), data...)
}

// escapeLength is the length of the control sequence that data begins with, 0 if
// it is not complete.
func escapeLength(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	ends := func(int) bool { return true }
	switch data[1] {
	case '[':
		ends = func(i int) bool { return data[i] >= 0x40 && data[i] <= 0x7e }
	case ']', 'P', '_', '^':
		ends = func(i int) bool { return data[i] == 0x07 || data[i] == '\\' && data[i-1] == 0x1b }
	case '(', ')':
	default:
		return 2
	}
	for i := 2; i < len(data); i++ {
		if ends(i) {
			return i + 1
		}
	}
	return 0
}

func (o *output) escape(sequence string) {
	switch sequence {
	case "M", "7", "8": // up a line, or back to a place
		o.moves = true
	case "c", "[!p":
		o.moves, o.alternate = false, false
	case "[?1049h", "[?1047h", "[?47h":
		o.moves, o.alternate = true, true
	case "[?1049l", "[?1047l", "[?47l":
		o.moves, o.alternate = false, false
	}
	if !strings.HasPrefix(sequence, "[") || o.alternate {
		return
	}
	argument, n := sequence[1:len(sequence)-1], 0
	for _, r := range argument {
		if r < '0' || r > '9' || n > 10000 {
			n = 0
			break
		}
		n = 10*n + int(r-'0')
	}
	switch sequence[len(sequence)-1] {
	case 'K':
		switch n {
		case 0:
			o.current = o.current[:min(o.column, len(o.current))]
		case 2:
			o.current = o.current[:0]
		}
	case 'C':
		o.column += max(n, 1)
	case 'D':
		o.column = max(o.column-max(n, 1), 0)
	case 'G':
		o.column = max(n-1, 0)
	case 'A', 'B', 'E', 'F', 'H', 'L', 'M', 'S', 'T', 'd', 'f', 'r', 's', 'u':
		o.moves = true
	case 'J':
		if n == 2 {
			o.lines, o.current, o.column = nil, nil, 0
		}
	}
}

func (o *output) put(r rune) {
	if o.alternate {
		return
	}
	switch r {
	case '\n':
		o.lines = append(o.lines, string(o.current))
		if len(o.lines) > maxLines {
			o.lines = append(o.lines[:0], o.lines[maxLines/4:]...)
		}
		o.current, o.column = nil, 0
	case '\r':
		o.column = 0
	case '\b':
		o.column = max(o.column-1, 0)
	case '\t':
		o.column = (o.column/8 + 1) * 8
	default:
		if r < ' ' || r == 0x7f {
			return
		}
		if o.column > 4096 {
			return
		}
		for len(o.current) <= o.column {
			o.current = append(o.current, ' ')
		}
		o.current[o.column] = r
		o.column++
	}
}

// last gives the newest n lines, the unfinished one included.
func (o *output) last(n int) []string {
	if n <= 0 {
		return nil
	}
	return append(slices.Clone(o.lines[max(len(o.lines)-(n-1), 0):]), string(o.current))
}

func (o *output) String() string { return strings.Join(o.last(len(o.lines)+1), "\n") }
