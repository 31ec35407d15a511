package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// A Loader appends rows of integers to a table whose key only grows. An INSERT
// costs this engine some microseconds a row, so whole pages of rows are made
// here, in SQLite's database file format (https://www.sqlite.org/fileformat2.html,
// sections 1.6 and 2.1):
//
//   - For each page a filler is inserted that is as large as a page, with the key
//     of the page's last row: SQLite makes a leaf of the b-tree for it alone, and
//     everything above that leaf.
//   - Then the leaf gets its rows, through the table sqlite_dbpage. So pages are
//     in the transaction and in the write-ahead log like any others.
//   - The rows of the last page, which is not full, are inserted as usual: no
//     page made here is one that SQLite would append to.
//
// SQLite keeps what it knows of a page beside it, so the pages made here must be
// dropped from the cache before it reads them again (Forget).
type Loader struct {
	conn          *sqlite.Conn
	table         string
	columns       int
	defaults      []int64 // by column; Null where the default is NULL
	root          uint32
	size          int // of a page
	insert, space *sqlite.Stmt
	read, write   *sqlite.Stmt

	pages   []page
	rows    []int64 // of the last page: key and columns
	leaf    leaf
	free    [][]byte         // pages that were written
	buffers [maxDepth][]byte // to read a page of each level of the b-tree
	record  []byte
}

// Null stands for NULL among the values of columns whose default is NULL.
const Null = math.MinInt64

// page is a leaf that is full.
type page struct {
	last int64 // key of its last row
	leaf leaf
}

// NewLoader prepares loading. defaults are what the table's columns behind the
// key hold where a row ends before them.
func NewLoader(conn *sqlite.Conn, table string, defaults ...int64) (*Loader, error) {
	l := &Loader{conn: conn, table: table, columns: len(defaults), defaults: defaults}
	root, err := schema.Integer(conn, "SELECT rootpage FROM sqlite_schema WHERE name = ?", table)
	if err != nil {
		return nil, err
	}
	size, err := schema.Integer(conn, "PRAGMA page_size")
	if err != nil {
		return nil, err
	}
	l.root, l.size = uint32(root), int(size)
	for _, s := range []struct {
		to    **sqlite.Stmt
		query string
	}{
		{&l.insert, fmt.Sprintf("INSERT INTO %s VALUES (?%s)", table, strings.Repeat(", ?", l.columns))},
		{&l.space, fmt.Sprintf("INSERT INTO %s VALUES (?, zeroblob(?)%s)", table, strings.Repeat(", NULL", l.columns-1))},
		{&l.read, pageQuery},
		{&l.write, "INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)"},
	} {
		if *s.to, _, err = conn.PrepareTransient(s.query); err != nil {
			return nil, errors.Join(err, l.Finalize())
		}
	}
	l.leaf.reset(make([]byte, l.size))
	return l, nil
}

// Finalize ends loading.
func (l *Loader) Finalize() error {
	var errs []error
	for _, s := range []*sqlite.Stmt{l.insert, l.space, l.read, l.write} {
		if s != nil {
			errs = append(errs, s.Finalize())
		}
	}
	return errors.Join(errs...)
}

// Add takes a row: its key, which is larger than the last one's, and its columns.
// spare is how many bytes it may grow by.
func (l *Loader) Add(spare int, row ...int64) {
	l.record = l.encode(l.record[:0], row[1:])
	if !l.leaf.add(row[0], l.record, spare) {
		l.pages = append(l.pages, page{l.rows[len(l.rows)-l.columns-1], l.leaf})
		l.rows = l.rows[:0]
		if n := len(l.free); n > 0 {
			l.leaf.reset(l.free[n-1])
			l.free = l.free[:n-1]
		} else {
			l.leaf.reset(make([]byte, l.size))
		}
		l.leaf.add(row[0], l.record, spare)
	}
	l.rows = append(l.rows, row...)
}

// encode makes a record: a header with the types of the key, which is NULL there,
// and of the columns up to the last that is not what its default is, then their
// values.
func (l *Loader) encode(to []byte, columns []int64) []byte {
	n := len(columns)
	for n > 0 && columns[n-1] == l.defaults[n-1] {
		n--
	}
	to = append(to, byte(n+2), 0)
	for i, v := range columns[:n] {
		kind := serialType(v)
		if l.isNull(i, v) {
			kind = 0
		}
		to = append(to, kind)
	}
	for i, v := range columns[:n] {
		switch to[2+i] {
		case 1:
			to = append(to, byte(v))
		case 2:
			to = append(to, byte(v>>8), byte(v))
		case 3:
			to = append(to, byte(v>>16), byte(v>>8), byte(v))
		case 4:
			to = append(to, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
		case 5:
			to = append(to, byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
		case 6:
			to = binary.BigEndian.AppendUint64(to, uint64(v))
		}
	}
	return to
}

func (l *Loader) isNull(column int, v int64) bool { return v == Null && l.defaults[column] == Null }

// serialType is how a value is stored: 0, 1, or in so many bytes.
func serialType(v int64) byte {
	switch {
	case v == 0:
		return 8
	case v == 1:
		return 9
	case v == int64(int8(v)):
		return 1
	case v == int64(int16(v)):
		return 2
	case v >= -1<<23 && v < 1<<23:
		return 3
	case v == int64(int32(v)):
		return 4
	case v >= -1<<47 && v < 1<<47:
		return 5
	}
	return 6
}

// Flush puts what was added into the table.
func (l *Loader) Flush() error {
	for i := range l.pages {
		// The largest row that needs no second page.
		l.space.BindInt64(1, l.pages[i].last)
		l.space.BindInt64(2, int64(l.size-35-(l.columns+3)))
		if err := step(l.space); err != nil {
			return err
		}
	}
	for rows := l.rows; len(rows) > 0; rows = rows[l.columns+1:] {
		for i, v := range rows[:l.columns+1] {
			if i > 0 && l.isNull(i-1, v) {
				l.insert.BindNull(i + 1)
			} else {
				l.insert.BindInt64(i+1, v)
			}
		}
		if err := step(l.insert); err != nil {
			return err
		}
	}
	l.rows = l.rows[:0]
	l.leaf.reset(l.leaf.data)
	if len(l.pages) == 0 {
		return nil
	}
	rest, err := l.fill(l.pages, l.root, 0, math.MaxInt64)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("table %s: row %d has no page: %w", l.table, rest[0].last, ErrDamaged)
	}
	for i := range l.pages {
		l.free = append(l.free, l.pages[i].leaf.data)
	}
	l.pages = l.pages[:0]
	return err
}

// fill gives the leaves under a page of the b-tree, whose keys go up to last,
// their rows, and says which pages lie behind it.
func (l *Loader) fill(pages []page, number uint32, depth int, last int64) ([]page, error) {
	if depth == maxDepth {
		return nil, fmt.Errorf("table %s: page %d is too deep: %w", l.table, number, ErrDamaged)
	}
	if l.buffers[depth] == nil {
		l.buffers[depth] = make([]byte, l.size)
	}
	data := l.buffers[depth]
	l.read.BindInt64(1, int64(number))
	if more, err := l.read.Step(); err != nil || !more {
		return nil, errors.Join(err, l.read.Reset(), fmt.Errorf("table %s: page %d: %w", l.table, number, ErrDamaged))
	}
	l.read.ColumnBytes(0, data)
	if err := l.read.Reset(); err != nil {
		return nil, err
	}
	if data[0] == leafPage {
		return l.fillLeaf(pages, number, data)
	}
	cells := int(binary.BigEndian.Uint16(data[3:]))
	for i := 0; i <= cells && len(pages) > 0; i++ {
		child, upTo := binary.BigEndian.Uint32(data[8:]), last
		if i < cells {
			cell := data[binary.BigEndian.Uint16(data[12+2*i:]):]
			child = binary.BigEndian.Uint32(cell)
			upTo, _ = varint(cell[4:])
		}
		if upTo < pages[0].last {
			continue
		}
		var err error
		if pages, err = l.fill(pages, child, depth+1, upTo); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// fillLeaf replaces a filler by its rows. Some bytes of a page are free beside a
// filler: a very short row may stand there, and stays.
func (l *Loader) fillLeaf(pages []page, number uint32, data []byte) ([]page, error) {
	p, found := &pages[0], false
	for i := range int(binary.BigEndian.Uint16(data[3:])) {
		cell := data[binary.BigEndian.Uint16(data[8+2*i:]):]
		size, n := varint(cell)
		key, m := varint(cell[n:])
		switch {
		case key == p.last:
			found = true
		case key < p.last:
			p.leaf.put(i, cell[:n+m+int(size)])
		default:
			p.leaf.put(p.leaf.cells, cell[:n+m+int(size)])
		}
	}
	if !found {
		return pages, nil
	}
	l.write.BindInt64(1, int64(number))
	l.write.BindBytes(2, p.leaf.page())
	return pages[1:], step(l.write)
}

func step(stmt *sqlite.Stmt) error {
	_, err := stmt.Step()
	return errors.Join(err, stmt.Reset())
}

const (
	interiorPage = 0x05
	leafPage     = 0x0d
)

// leaf is a page of a table's b-tree that holds rows: a header, the places of
// the rows in order of their keys, and from the end on the rows.
type leaf struct {
	data  []byte
	cells int
	begin int // where the first row begins
	spare int // bytes that are to stay free
}

const (
	leafHeader = 8 // bytes
	// A filler leaves less of its page free than this.
	besideFiller = 23
)

func (p *leaf) reset(data []byte) {
	*p = leaf{data: data, begin: len(data), spare: besideFiller}
}

// Add puts a row behind the others, and says whether there was room.
func (p *leaf) add(key int64, record []byte, spare int) bool {
	var head [18]byte
	n := putVarint(head[:], int64(len(record)))
	n += putVarint(head[n:], key)
	begin := p.begin - len(record) - n
	if begin-p.spare-spare < leafHeader+2*(p.cells+1) {
		return false
	}
	copy(p.data[begin:], head[:n])
	copy(p.data[begin+n:], record)
	binary.BigEndian.PutUint16(p.data[leafHeader+2*p.cells:], uint16(begin))
	p.begin, p.spare = begin, p.spare+spare
	p.cells++
	return true
}

// put makes a whole cell the row at a place in the order.
func (p *leaf) put(at int, cell []byte) {
	p.begin -= len(cell)
	copy(p.data[p.begin:], cell)
	places := p.data[leafHeader : leafHeader+2*(p.cells+1)]
	copy(places[2*at+2:], places[2*at:])
	binary.BigEndian.PutUint16(places[2*at:], uint16(p.begin))
	p.cells++
}

// page is the whole page.
func (p *leaf) page() []byte {
	clear(p.data[:leafHeader])
	p.data[0] = leafPage
	binary.BigEndian.PutUint16(p.data[3:], uint16(p.cells))
	binary.BigEndian.PutUint16(p.data[5:], uint16(p.begin))
	return p.data
}

// putVarint is varint's counterpart.
func putVarint(to []byte, value int64) int {
	v := uint64(value)
	if v>>56 != 0 {
		to[8] = byte(v)
		v >>= 8
		for i := 7; i >= 0; i-- {
			to[i] = byte(v) | 0x80
			v >>= 7
		}
		return 9
	}
	n := 1
	for rest := v >> 7; rest != 0; rest >>= 7 {
		n++
	}
	for i := n - 1; i >= 0; i-- {
		to[i] = byte(v&0x7f) | 0x80
		v >>= 7
	}
	to[n-1] &= 0x7f
	return n
}

// Forget drops from the connection's cache what SQLite knew of pages before
// they were made. It must follow a commit.
func Forget(conn *sqlite.Conn) error {
	return schema.Execute(conn, "PRAGMA shrink_memory")
}
