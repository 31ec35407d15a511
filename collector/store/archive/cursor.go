package archive

import (
	"sort"
)

// window is what of a table is read: keys from first to last, and row groups that hold a
// time from from to to.
type window struct {
	first, last int64
	timed       bool
	from, to    int64
	descending  bool
}

// cursor goes through the rows of a table in order of their keys, whatever files they are in.
type cursor struct {
	rows   *rows
	wanted wide // columns
	window
	lanes []*laneCursor // not at their end, the next row's first
	lane  *laneCursor   // where the current row is
	begun bool
}

// laneCursor goes through the files of the same ranks.
type laneCursor struct {
	parts   []*part
	part    int // index in parts
	group   int
	row     int
	end     int // of the rows of the group that are wanted; descending: the first of them
	keys    []int64
	columns [maxColumns]*column
}

// maxColumns is the number of columns of the widest table.
const maxColumns = 11

func (r *rows) cursor(wanted wide, w window) *cursor {
	return &cursor{rows: r, wanted: wanted | 1, window: w}
}

// key is that of the current row.
func (c *cursor) key() int64 { return c.lane.keys[c.lane.row] }

// value is that of a column of the current row.
func (c *cursor) value(at int) (value int64, null bool, err error) {
	l := c.lane
	read := l.columns[at]
	if read == nil {
		if read, err = c.rows.cache.column(l.parts[l.part], l.group, at); err != nil {
			return 0, false, err
		}
		l.columns[at] = read
	}
	return read.values[l.row], read.nulls != nil && read.nulls[l.row], nil
}

// next goes to the next row, and says whether there is one.
func (c *cursor) next() (bool, error) {
	if !c.begun {
		c.begun = true
		if err := c.begin(); err != nil {
			return false, err
		}
	} else if c.lane != nil {
		if err := c.advance(); err != nil {
			return false, err
		}
	}
	if len(c.lanes) == 0 {
		c.lane = nil
		return false, nil
	}
	c.lane = c.lanes[0]
	return true, nil
}

// begin finds the first row of each lane.
func (c *cursor) begin() error {
	for _, parts := range c.rows.lanes {
		l := &laneCursor{parts: parts}
		found, err := c.seek(l)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		c.lanes = append(c.lanes, l)
		if c.first == c.last {
			break // keys are unique
		}
	}
	sort.Slice(c.lanes, func(i, j int) bool { return c.before(c.lanes[i], c.lanes[j]) })
	return nil
}

func (c *cursor) before(a, b *laneCursor) bool {
	if c.descending {
		return a.keys[a.row] > b.keys[b.row]
	}
	return a.keys[a.row] < b.keys[b.row]
}

// advance leaves the current row, which is the first lane's.
func (c *cursor) advance() error {
	l := c.lanes[0]
	step := 1
	if c.descending {
		step = -1
	}
	if l.row += step; l.row == l.end {
		l.group += step
		more, err := c.load(l)
		if err != nil {
			return err
		}
		if !more {
			c.lanes = c.lanes[1:]
			return nil
		}
	}
	// Its place among the others: mostly it stays the first.
	for i := 1; i < len(c.lanes) && c.before(c.lanes[i], l); i++ {
		c.lanes[i-1], c.lanes[i] = c.lanes[i], l
	}
	return nil
}

// seek goes to the first row of a lane in the window.
func (c *cursor) seek(l *laneCursor) (bool, error) {
	n := len(l.parts)
	if c.descending {
		l.part = sort.Search(n, func(i int) bool { return l.parts[i].First > c.last }) - 1
	} else {
		l.part = sort.Search(n, func(i int) bool { return l.parts[i].Last >= c.first })
	}
	if l.part < 0 || l.part == n || l.parts[l.part].First > c.last || l.parts[l.part].Last < c.first {
		return false, nil
	}
	p := l.parts[l.part]
	if c.misses(p) {
		return c.load(l)
	}
	if err := p.open(); err != nil {
		return false, err
	}
	if c.descending {
		l.group = sort.Search(len(p.groups), func(i int) bool { return p.groups[i].first > c.last }) - 1
	} else {
		l.group = sort.Search(len(p.groups), func(i int) bool { return p.groups[i].last >= c.first })
	}
	return c.load(l)
}

// misses says that no row of a file is of the times that are wanted, by the manifest.
func (c *cursor) misses(p *part) bool {
	return c.timed && p.From != nil && p.To != nil && (*p.From > c.to || *p.To < c.from)
}

// load reads the group that a lane is at, or the next one that has rows of the window.
func (c *cursor) load(l *laneCursor) (bool, error) {
	for {
		p := l.parts[l.part]
		for !c.misses(p) && l.group >= 0 && l.group < len(p.groups) {
			g := &p.groups[l.group]
			if g.first > c.last || g.last < c.first {
				return false, nil // they are in order
			}
			if !c.timed || g.from <= c.to && g.to >= c.from {
				found, err := c.read(l, p)
				if err != nil || found {
					return found, err
				}
			}
			if c.descending {
				l.group--
			} else {
				l.group++
			}
		}
		if c.descending {
			l.part--
		} else {
			l.part++
		}
		if l.part < 0 || l.part == len(l.parts) || l.parts[l.part].First > c.last || l.parts[l.part].Last < c.first {
			return false, nil
		}
		if c.misses(l.parts[l.part]) {
			continue
		}
		if err := l.parts[l.part].open(); err != nil {
			return false, err
		}
		if l.group = 0; c.descending {
			l.group = len(l.parts[l.part].groups) - 1
		}
	}
}

// read gets the columns of the group that a lane is at, and says whether rows of it are in
// the window.
func (c *cursor) read(l *laneCursor, p *part) (bool, error) {
	keys, err := c.rows.cache.column(p, l.group, 0)
	if err != nil {
		return false, err
	}
	l.keys = keys.values
	g := &p.groups[l.group]
	low, high := 0, len(l.keys)
	if c.first > g.first {
		low = sort.Search(len(l.keys), func(i int) bool { return l.keys[i] >= c.first })
	}
	if c.last < g.last {
		high = sort.Search(len(l.keys), func(i int) bool { return l.keys[i] > c.last })
	}
	if low >= high {
		return false, nil
	}
	if l.row, l.end = low, high; c.descending {
		l.row, l.end = high-1, low-1
	}
	l.columns[0] = keys
	for at := 1; at < len(c.rows.table.Columns); at++ {
		if l.columns[at] = nil; c.wanted&(1<<at) == 0 {
			continue
		}
		if l.columns[at], err = c.rows.cache.column(p, l.group, at); err != nil {
			return false, err
		}
	}
	return true, nil
}
