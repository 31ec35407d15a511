package tui

import (
	"sort"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/uniseg"
)

// field is a column of a table.
type field struct {
	title string
	width int  // 0: what is left
	right bool // aligned to the right
	// wide is the least width of the table at which the column is shown.
	wide int
}

// row is a line of a table. Cells and keys stand in the order of the fields.
type row struct {
	id     string // stays the same from frame to frame
	cells  []string
	also   string    // what the filter finds too
	keys   []float64 // what to sort by; nil or missing: the text
	group  int       // rows of a group stay together, whatever they are sorted by
	style  *tcell.Style
	detail func() detail
}

// table shows rows that can be chosen, sorted, filtered and scrolled through.
type table struct {
	name     string
	fields   []field
	sortBy   int // -1: the order as given
	upwards  bool
	filter   string
	chosen   string // id of the chosen row
	at       int    // its place
	top      int
	follow   bool // keep to the end, as a log does
	visible  []row
	total    int
	area     canvas // where it was drawn last
	position []int  // of the fields' left edges
	shown    []int  // fields
}

// listView is a view that is a table, with what else its draw shows.
type listView struct {
	title string
	rows  table
}

func (l *listView) name() string                       { return l.title }
func (l *listView) table() *table                      { return &l.rows }
func (l *listView) key(_ *app, _ *tcell.EventKey) bool { return false }
func (l *listView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	if _, open := l.rows.mouse(x, y, buttons); open {
		a.open()
	}
}

// stackedView is a view of tables below each other. The keys go to one of those shown; o goes
// to the next.
type stackedView struct {
	title  string
	tables []table
	shown  int // how many of them
	at     int
}

func (s *stackedView) name() string  { return s.title }
func (s *stackedView) table() *table { return &s.tables[s.at] }

func (s *stackedView) key(_ *app, key *tcell.EventKey) bool {
	if key.Key() != tcell.KeyRune || key.Rune() != 'o' || s.shown < 2 {
		return false
	}
	s.at = (s.at + 1) % s.shown
	return true
}

func (s *stackedView) mouse(a *app, x, y int, buttons tcell.ButtonMask) {
	for i := range s.tables[:s.shown] {
		was := s.at
		if mine, open := s.tables[i].mouse(x, y, buttons); mine {
			if buttons&tcell.Button1 != 0 {
				s.at = i
			}
			if open && was == s.at {
				a.open()
			}
			return
		}
	}
}

// set takes the rows of a frame.
func (t *table) set(rows []row) {
	t.total = len(rows)
	t.visible = t.visible[:0]
	needle := strings.ToLower(t.filter)
	for _, r := range rows {
		if needle == "" || strings.Contains(strings.ToLower(strings.Join(r.cells, " ")), needle) ||
			strings.Contains(strings.ToLower(r.also), needle) {
			t.visible = append(t.visible, r)
		}
	}
	if t.sortBy >= 0 {
		by := t.sortBy
		sort.SliceStable(t.visible, func(i, j int) bool {
			a, b := &t.visible[i], &t.visible[j]
			if a.group != b.group {
				return a.group < b.group
			}
			if t.upwards {
				a, b = b, a
			}
			if by < len(a.keys) && by < len(b.keys) && a.keys[by] != b.keys[by] {
				return a.keys[by] > b.keys[by]
			}
			return t.text(b, by) > t.text(a, by)
		})
	}
	if t.follow {
		t.at = len(t.visible) - 1
	} else if t.chosen != "" {
		for i := range t.visible {
			if t.visible[i].id == t.chosen {
				t.at = i
				break
			}
		}
	}
	t.at = max(min(t.at, len(t.visible)-1), 0)
	t.remember()
}

func (t *table) text(r *row, i int) string {
	if i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

func (t *table) remember() {
	t.chosen = ""
	if t.at < len(t.visible) {
		t.chosen = t.visible[t.at].id
	}
}

// draw shows the table in an area, its first line the head. focused says
// whether the keys go to it.
func (t *table) draw(c canvas, focused bool, empty string) {
	t.area = c
	th := c.theme
	t.layout(c.w)
	for k, i := range t.shown {
		f := t.fields[i]
		title := f.title
		if i == t.sortBy {
			arrow := th.down
			if t.upwards {
				arrow = th.up
			}
			title += string(arrow)
		}
		width := t.width(k)
		if f.right {
			c.textRight(t.position[k], 0, width, title, th.header)
		} else {
			c.text(t.position[k], 0, width, title, th.header)
		}
	}
	lines := c.h - 1
	if lines <= 0 {
		return
	}
	if len(t.visible) == 0 {
		if t.filter != "" {
			empty = "nothing matches " + t.filter
		}
		c.text(1, 1, c.w-1, empty, th.dim)
		return
	}
	t.top = max(min(t.top, t.at), t.at-lines+1, 0)
	t.top = max(min(t.top, len(t.visible)-lines), 0)
	for y := 0; y < lines && t.top+y < len(t.visible); y++ {
		r := &t.visible[t.top+y]
		style := th.plain
		if r.style != nil {
			style = *r.style
		}
		if focused && t.top+y == t.at {
			style = style.Reverse(true)
			for x := range c.w {
				c.cell(x, y+1, ' ', style)
			}
		}
		for k, i := range t.shown {
			if t.fields[i].right {
				c.textRight(t.position[k], y+1, t.width(k), t.text(r, i), style)
			} else {
				c.name(t.position[k], y+1, t.width(k), t.text(r, i), style)
			}
		}
	}
	if len(t.visible) > lines { // where we are
		size := max(lines*lines/len(t.visible), 1)
		start := t.top * (lines - size) / max(len(t.visible)-lines, 1)
		for y := range size {
			c.cell(c.w-1, 1+start+y, th.vertical, th.accent)
		}
	}
}

func (t *table) width(shown int) int {
	return t.position[shown+1] - t.position[shown] - 1
}

// widest is the most that a column without a width of its own takes: numbers far
// from the name they belong to are hard to read.
const widest = 64

// layout places the fields in a width.
func (t *table) layout(width int) {
	t.shown, t.position = t.shown[:0], t.position[:0]
	fixed, growing := 1, 0
	for i, f := range t.fields {
		if f.wide > width {
			continue
		}
		t.shown = append(t.shown, i)
		if f.width == 0 {
			growing++
			fixed++
		} else {
			fixed += f.width + 1
		}
	}
	left := max(width-1-fixed, 0)
	x := 1
	for _, i := range t.shown {
		t.position = append(t.position, x)
		w := t.fields[i].width
		if w == 0 {
			w = left / growing
			left -= w
			growing--
			if len(t.fields) > 2 {
				w = min(w, widest)
			}
		}
		x += w + 1
	}
	t.position = append(t.position, x)
}

func (t *table) move(by int) {
	t.follow = false
	t.at = max(min(t.at+by, len(t.visible)-1), 0)
	t.remember()
}

// key handles a key and says whether it was one of the table's.
func (t *table) key(key *tcell.EventKey) bool {
	if by := steps(key, max(t.area.h-2, 1), len(t.visible)); by != 0 {
		t.move(by)
		return true
	}
	if key.Rune() == 'S' {
		t.upwards = !t.upwards
		return true
	}
	return false
}

// steps is how far a key goes in a list of so many lines, of which a page shows some; 0: it
// does not.
func steps(key *tcell.EventKey, page, lines int) int {
	switch key.Key() {
	case tcell.KeyUp:
		return -1
	case tcell.KeyDown:
		return 1
	case tcell.KeyPgUp:
		return -page
	case tcell.KeyPgDn:
		return page
	case tcell.KeyHome:
		return -lines
	case tcell.KeyEnd:
		return lines
	}
	return map[rune]int{'k': -1, 'j': 1}[key.Rune()]
}

// sort sorts by a field; -1: by none.
func (t *table) sort(by int) { t.sortBy, t.upwards, t.follow = by, false, false }

// mouse handles a click or the wheel at a place of the screen; open says that
// the row was clicked that was already chosen.
func (t *table) mouse(x, y int, buttons tcell.ButtonMask) (mine, open bool) {
	c := t.area
	if x < c.x || x >= c.x+c.w || y < c.y || y >= c.y+c.h {
		return false, false
	}
	switch {
	case buttons&tcell.WheelUp != 0:
		t.move(-3)
	case buttons&tcell.WheelDown != 0:
		t.move(3)
	case buttons&tcell.Button1 != 0 && y == c.y:
		for k, i := range t.shown {
			if x-c.x >= t.position[k] && x-c.x < t.position[k+1] {
				if t.sortBy == i {
					t.upwards = !t.upwards
				}
				t.sortBy = i
			}
		}
	case buttons&tcell.Button1 != 0:
		if place := t.top + y - c.y - 1; place < len(t.visible) {
			open = place == t.at
			t.at, t.follow = place, false
			t.remember()
		}
	}
	return true, open
}

// current is the chosen row, nil if there is none.
func (t *table) current() *row {
	if t.at < len(t.visible) {
		return &t.visible[t.at]
	}
	return nil
}

func textWidth(text string) int { return uniseg.StringWidth(text) }
