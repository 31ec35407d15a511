// Package pages reads and writes rows of a trace's big tables by whole pages of their
// b-trees, through SQLite (the table sqlite_dbpage, so that locks, the write-ahead log and
// snapshots hold): an SQL statement costs seven times as much a row. The format is SQLite's
// database file format, sections 1.6 (b-tree pages) and 2.1 (records):
// https://www.sqlite.org/fileformat2.html.
package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxDepth bounds the depth of a b-tree; SQLite's own limit is 20.
const maxDepth = 20

// ErrDamaged is wrapped by errors about pages that can't be read.
var ErrDamaged = errors.New("the file is damaged; import its session again if that is still there")

// Reader reads tables of one connection. It belongs to one goroutine at a time.
type Reader struct {
	path string // for errors
	conn *sqlite.Conn
	page *sqlite.Stmt // not in use; nil: prepare one
	keep bool
	rows Rows // nil: all are in the file
}

// Rows are those of tables that stand elsewhere than in the file. Scan does what a Reader's
// does, and says whether the table is one of them.
type Rows interface {
	Scan(table string, columns []string, first, last int64, f func(id int64, values []int64) error) (known bool, err error)
}

// From has rows scanned where they stand.
func (r *Reader) From(rows Rows) { r.rows = rows }

// NewReader reads by a connection to the trace at path. keep says that a statement may
// stay prepared between scans, until Close.
func NewReader(path string, conn *sqlite.Conn, keep bool) *Reader {
	return &Reader{path: path, conn: conn, keep: keep}
}

// Close ends reading, not the connection.
func (r *Reader) Close() error {
	if r.page == nil {
		return nil
	}
	stmt := r.page
	r.page = nil
	return stmt.Finalize()
}

// Scan calls f for the rows of a table with keys from first to last, in order
// of the key, with the values of columns; NULL is 0. The values are valid until
// the next row.
func (r *Reader) Scan(table, key string, columns []string, first, last int64, f func(id int64, values []int64) error) error {
	if r.rows != nil {
		if known, err := r.rows.Scan(table, columns, first, last, f); known {
			return err
		}
	}
	root, places, err := r.layout(table, key, columns)
	if err != nil {
		return err
	}
	if root == 0 {
		query := fmt.Sprintf("SELECT %s, %s FROM %s WHERE %s >= ? AND %s <= ? ORDER BY %s", key, strings.Join(columns, ", "), table, key, key, key)
		values := make([]int64, len(columns))
		var failed error
		// f may scan the same table.
		err := sqlitex.ExecuteTransient(r.conn, query, &sqlitex.ExecOptions{Args: []any{first, last}, ResultFunc: func(s *sqlite.Stmt) error {
			for i := range values {
				values[i] = s.ColumnInt64(i + 1)
			}
			failed = f(s.ColumnInt64(0), values)
			return failed
		}})
		if failed != nil {
			return failed
		}
		return schema.Explain(r.path, err)
	}
	return r.Snapshot(func() error {
		s := scanner{Reader: r, table: table, first: first, last: last, places: places, values: make([]int64, len(columns)), give: f,
			previous: math.MinInt64, left: math.MaxUint32}
		if err := s.open(); err != nil {
			return err
		}
		return errors.Join(s.walk(uint32(root), 0), s.close())
	})
}

// each runs a query and calls f for each row.
func (r *Reader) each(query string, args []any, f func(*sqlite.Stmt) error) error {
	return schema.Explain(r.path, sqlitex.Execute(r.conn, query, &sqlitex.ExecOptions{Args: args, ResultFunc: f}))
}

// layout finds the root page of a table and at which place in its rows the
// columns stand; root is 0 for a table that was not made as this version makes
// it, whose rows only SQL can tell.
func (r *Reader) layout(table, key string, columns []string) (root int64, places []int, err error) {
	err = r.each("SELECT rootpage, sql FROM sqlite_schema WHERE type = 'table' AND name = ?", []any{table}, func(s *sqlite.Stmt) error {
		if made := s.ColumnText(1); made != "" && strings.Contains(schema.Tables, made+";") {
			root = s.ColumnInt64(0)
		}
		return nil
	})
	if err != nil || root <= 0 || root > math.MaxUint32 {
		return 0, nil, err
	}
	at := map[string]int{}
	if err := r.each("SELECT cid, name FROM pragma_table_info(?)", []any{table}, func(s *sqlite.Stmt) error {
		at[s.ColumnText(1)] = s.ColumnInt(0)
		return nil
	}); err != nil {
		return 0, nil, err
	}
	places = make([]int, len(at))
	for i := range places {
		places[i] = -1
	}
	for i, column := range columns {
		place, known := at[column]
		if !known {
			return 0, nil, fmt.Errorf("%s: table %s has no column %s", r.path, table, column)
		}
		places[place] = i
	}
	return root, places, nil
}

// Snapshot runs f with all its reading of the same moment. Scans that overlap
// have a savepoint each; they count, whichever ends first.
func (r *Reader) Snapshot(f func() error) error {
	if err := sqlitex.Execute(r.conn, "SAVEPOINT scan", nil); err != nil {
		return schema.Explain(r.path, err)
	}
	err := f()
	release := r.afterAll("RELEASE scan")
	return errors.Join(err, schema.Explain(r.path, release))
}

// afterAll executes what ends a scan, on an interrupted connection too. SetInterrupt has
// statements that are being read begin anew, so it is for one on which all of them end.
func (r *Reader) afterAll(statement string) error {
	err := sqlitex.ExecuteTransient(r.conn, statement, nil)
	if sqlite.ErrCode(err) == sqlite.ResultInterrupt {
		interrupt := r.conn.SetInterrupt(nil)
		err = sqlitex.ExecuteTransient(r.conn, statement, nil)
		r.conn.SetInterrupt(interrupt)
	}
	return err
}

// scanner walks a table's b-tree.
type scanner struct {
	*Reader
	table       string
	stmt        *sqlite.Stmt
	usable      int
	first, last int64
	places      []int // by place in the row: which of values, -1 none
	values      []int64
	give        func(id int64, values []int64) error
	buffers     [maxDepth][]byte
	previous    int64  // key of the row before
	left        uint32 // pages that may still be read: a damaged tree could go in circles
	ended       bool
	cache       int64 // the connection's cache_size before, where the scan has lowered it
	lowered     bool
}

// scanCache is the page cache while a scan runs, KiB: it needs each page once,
// and would fill a large one with what nobody reads again.
const scanCache = 4096

const pageQuery = "SELECT data FROM sqlite_dbpage WHERE pgno = ?"

func (s *scanner) open() (err error) {
	size, err := schema.Integer(s.conn, "PRAGMA page_size")
	if err != nil {
		return schema.Explain(s.path, err)
	}
	pages, err := schema.Integer(s.conn, "PRAGMA page_count")
	if err != nil {
		return schema.Explain(s.path, err)
	}
	s.left = uint32(min(pages, math.MaxUint32))
	if s.cache, err = schema.Integer(s.conn, "PRAGMA cache_size"); err != nil {
		return schema.Explain(s.path, err)
	}
	if s.lowered = s.cache != -scanCache; s.lowered {
		if err := s.setCache(-scanCache); err != nil {
			return err
		}
	}
	if s.stmt, s.page = s.page, nil; s.stmt == nil {
		if s.stmt, _, err = s.conn.PrepareTransient(pageQuery); err != nil {
			return schema.Explain(s.path, err)
		}
	}
	s.buffers[0] = make([]byte, size)
	n, err := s.read(1, s.buffers[0])
	if err == nil && n <= 20 {
		err = s.damage(1, "it is short")
	}
	if err != nil {
		return errors.Join(err, s.close())
	}
	// The file's header says how much of each page is not used.
	s.usable = int(size) - int(s.buffers[0][20])
	return nil
}

func (s *scanner) close() error {
	if s.stmt == nil {
		return nil
	}
	stmt := s.stmt
	s.stmt = nil
	var err error
	if s.keep && s.page == nil {
		s.page = stmt
	} else {
		err = stmt.Finalize()
	}
	if s.lowered {
		err = errors.Join(err, s.setCache(s.cache))
	}
	return err
}

func (s *scanner) setCache(size int64) error {
	return schema.Explain(s.path, s.afterAll(fmt.Sprintf("PRAGMA cache_size = %d", size)))
}

func (s *scanner) damage(page uint32, what string) error {
	return fmt.Errorf("%s: page %d (table %s): %s: %w", s.path, page, s.table, what, ErrDamaged)
}

// read gets a page.
func (s *scanner) read(page uint32, to []byte) (int, error) {
	s.stmt.BindInt64(1, int64(page))
	more, err := s.stmt.Step()
	if err != nil {
		return 0, schema.Explain(s.path, errors.Join(err, s.stmt.Reset()))
	}
	n := 0
	if more {
		n = s.stmt.ColumnBytes(0, to)
	}
	return n, schema.Explain(s.path, s.stmt.Reset())
}

// walk goes through the rows under a page.
func (s *scanner) walk(number uint32, depth int) error {
	if depth >= maxDepth || s.left == 0 {
		return s.damage(number, "the tree is too deep")
	}
	s.left--
	if s.buffers[depth] == nil {
		s.buffers[depth] = make([]byte, len(s.buffers[0]))
	}
	n, err := s.read(number, s.buffers[depth])
	if err != nil {
		return err
	}
	data := s.buffers[depth][:min(n, s.usable)]
	start := 0
	if number == 1 {
		start = 100
	}
	if len(data) < start+12 {
		return s.damage(number, "there is no such page")
	}
	kind, cells := data[start], int(binary.BigEndian.Uint16(data[start+3:]))
	switch kind {
	case 0x0d:
		return s.leaf(number, data, start+8, cells)
	case 0x05:
		return s.interior(number, data, start, cells, depth)
	}
	return s.damage(number, "it is of no table")
}

func (s *scanner) interior(number uint32, data []byte, start, cells, depth int) error {
	if start+12+2*cells > len(data) {
		return s.damage(number, "its cells do not fit")
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(data[start+12+2*i:]))
		if at+5 > len(data) {
			return s.damage(number, "a cell is outside")
		}
		key, n := varint(data[at+4:])
		if n == 0 {
			return s.damage(number, "a cell is cut")
		}
		if key < s.first {
			continue // all rows under it are before the first
		}
		if err := s.walk(binary.BigEndian.Uint32(data[at:]), depth+1); err != nil || s.ended {
			return err
		}
	}
	return s.walk(binary.BigEndian.Uint32(data[start+8:]), depth+1)
}

func (s *scanner) leaf(number uint32, data []byte, pointers, cells int) error {
	if pointers+2*cells > len(data) {
		return s.damage(number, "its cells do not fit")
	}
	for i := range cells {
		at := int(binary.BigEndian.Uint16(data[pointers+2*i:]))
		if at >= len(data) {
			return s.damage(number, "a cell is outside")
		}
		cell := data[at:]
		size, n := varint(cell)
		if n == 0 {
			return s.damage(number, "a cell is cut")
		}
		id, m := varint(cell[n:])
		if m == 0 || size < 0 || size > int64(len(cell)-n-m) || size > int64(s.usable-35) {
			return s.damage(number, "a row does not fit")
		}
		if id <= s.previous && s.previous != math.MinInt64 {
			return s.damage(number, "rows are out of order")
		}
		s.previous = id
		if id < s.first {
			continue
		}
		if id > s.last {
			s.ended = true
			return nil
		}
		if !s.row(cell[n+m : n+m+int(size)]) {
			return s.damage(number, "a row holds what is no number")
		}
		if err := s.give(id, s.values); err != nil {
			return err
		}
	}
	return nil
}

// row takes a row apart.
func (s *scanner) row(data []byte) bool {
	size, n := varint(data)
	if n == 0 || size < int64(n) || size > int64(len(data)) {
		return false
	}
	types, body := data[n:size], data[size:]
	clear(s.values) // columns that a row lacks
	for place := 0; len(types) > 0 && place < len(s.places); place++ {
		kind := types[0] // numbers have types of one byte
		types = types[1:]
		var value int64
		switch kind {
		case 0, 8:
		case 9:
			value = 1
		case 1:
			if len(body) < 1 {
				return false
			}
			value, body = int64(int8(body[0])), body[1:]
		case 2:
			if len(body) < 2 {
				return false
			}
			value, body = int64(int16(binary.BigEndian.Uint16(body))), body[2:]
		case 3:
			if len(body) < 3 {
				return false
			}
			value, body = int64(int8(body[0]))<<16|int64(body[1])<<8|int64(body[2]), body[3:]
		case 4:
			if len(body) < 4 {
				return false
			}
			value, body = int64(int32(binary.BigEndian.Uint32(body))), body[4:]
		case 5:
			if len(body) < 6 {
				return false
			}
			value, body = int64(int16(binary.BigEndian.Uint16(body)))<<32|int64(binary.BigEndian.Uint32(body[2:])), body[6:]
		case 6:
			if len(body) < 8 {
				return false
			}
			value, body = int64(binary.BigEndian.Uint64(body)), body[8:]
		default:
			return false
		}
		if to := s.places[place]; to >= 0 {
			s.values[to] = value
		}
	}
	return true
}

// varint reads SQLite's variable-length integer and its length; 0 if it is cut.
func varint(data []byte) (value int64, length int) {
	if len(data) > 0 && data[0] < 0x80 {
		return int64(data[0]), 1
	}
	var v uint64
	for i := 0; i < 8 && i < len(data); i++ {
		v = v<<7 | uint64(data[i]&0x7f)
		if data[i] < 0x80 {
			return int64(v), i + 1
		}
	}
	if len(data) < 9 {
		return 0, 0
	}
	return int64(v<<8 | uint64(data[8])), 9
}
