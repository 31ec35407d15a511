package tui

import "github.com/gdamore/tcell/v2"

// sortMenu chooses what the rows of a table are sorted by: also by what the terminal
// is too narrow to show.
type sortMenu struct {
	table *table
	at    int // the field; -1: the order as given
	box   canvas
}

func newSortMenu(t *table) *sortMenu { return &sortMenu{table: t, at: t.sortBy} }

// draw shows the menu in the middle of the screen.
func (m *sortMenu) draw(c canvas) {
	const foot = "enter sorts  S turns around"
	fields := m.table.fields
	width := textWidth(foot)
	for _, f := range fields {
		width = max(width, textWidth(f.title)+4)
	}
	width, height := min(width+4, c.w), min(len(fields)+4, c.h)
	m.box = c.part((c.w-width)/2, (c.h-height)/2, width, height).frame("Sort " + m.table.name + " by")
	t := c.theme
	top := max(m.at+1-(m.box.h-2), 0) // the foot has the last line
	for y := 0; y < m.box.h-1 && top+y <= len(fields); y++ {
		field := top + y - 1
		title, style, mark := "the order as it is", t.plain, " "
		if field >= 0 {
			title = fields[field].title
		}
		if field == m.table.sortBy {
			mark = string(t.down)
			if m.table.upwards {
				mark = string(t.up)
			}
		}
		if field == m.at {
			style = t.selected
			for x := range m.box.w {
				m.box.cell(x, y, ' ', style)
			}
		}
		m.box.text(1, y, 1, mark, style)
		m.box.text(3, y, m.box.w-3, title, style)
	}
	m.box.text(0, m.box.h-1, m.box.w, foot, t.dim)
}

// key handles a key; done closes the menu.
func (m *sortMenu) key(key *tcell.EventKey) (done bool) {
	switch {
	case key.Key() == tcell.KeyEnter:
		m.choose(m.at)
		return true
	case key.Rune() == 'S':
		if m.at != m.table.sortBy {
			m.table.sort(m.at)
		} else {
			m.table.upwards = !m.table.upwards
		}
	case key.Key() == tcell.KeyUp || key.Key() == tcell.KeyBacktab || key.Rune() == 'k':
		m.move(-1)
	case key.Key() == tcell.KeyDown || key.Key() == tcell.KeyTab || key.Rune() == 'j' || key.Rune() == 's':
		m.move(1)
	case key.Key() == tcell.KeyHome:
		m.at = -1
	case key.Key() == tcell.KeyEnd:
		m.at = len(m.table.fields) - 1
	default:
		return true
	}
	return false
}

// choose sorts by a field; what the table is sorted by already stays as it was turned.
func (m *sortMenu) choose(field int) {
	if field != m.table.sortBy {
		m.table.sort(field)
	}
}

// move goes through the fields, round and round.
func (m *sortMenu) move(by int) {
	n := len(m.table.fields) + 1
	m.at = (m.at+1+by+n)%n - 1
}

// mouse handles a click or the wheel; done closes the menu.
func (m *sortMenu) mouse(x, y int, buttons tcell.ButtonMask) (done bool) {
	switch {
	case buttons&tcell.WheelUp != 0:
		m.move(-1)
	case buttons&tcell.WheelDown != 0:
		m.move(1)
	case x < m.box.x || x >= m.box.x+m.box.w || y < m.box.y || y >= m.box.y+m.box.h:
		return true
	default:
		top := max(m.at+1-(m.box.h-2), 0)
		if field := top + y - m.box.y - 1; y < m.box.y+m.box.h-1 && field < len(m.table.fields) {
			m.choose(field)
			return true
		}
	}
	return false
}
