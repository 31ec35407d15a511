package archive

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/accscope/accscope/collector/store/schema"
)

// Archive is an archive opened for reading. It belongs to one goroutine at a time.
type Archive struct {
	Manifest *Manifest
	path     string
	tables   map[string]*rows
	cache    cache
}

// rows are those of a table.
type rows struct {
	table *Table
	lanes [][]*part // the files of the same ranks, in order of their rows
	count int64
	cache *cache
}

// Open reads the manifest of the archive at path and sees that its files are there, as
// large as it says.
func Open(path string) (*Archive, error) {
	m, err := readManifest(path)
	if err != nil {
		return nil, err
	}
	if m.Growing != nil {
		return nil, fmt.Errorf("%s: %w, and has no index yet; read the trace that it is made of (trace.db beside it, if accscope gather writes it)", path, ErrGrowing)
	}
	a := &Archive{Manifest: m, path: path}
	if err := a.there(&m.Index); err != nil {
		return nil, err
	}
	if err := a.find(); err != nil {
		return nil, err
	}
	return a, nil
}

// find finds the files of the tables.
func (a *Archive) find() error {
	a.tables = map[string]*rows{}
	a.cache.init()
	m := a.Manifest
	for _, table := range Tables {
		r := &rows{table: table, cache: &a.cache}
		lanes := map[ranked]int{}
		for _, p := range m.Tables[table.Name] {
			if err := a.there(&p.File); err != nil {
				return err
			}
			at, known := lanes[p.ranked()]
			if !known {
				at = len(r.lanes)
				lanes[p.ranked()] = at
				r.lanes = append(r.lanes, nil)
			}
			r.lanes[at] = append(r.lanes[at], &part{Part: p, table: table, path: a.file(&p.File)})
			r.count += p.Rows
		}
		a.tables[table.Name] = r
	}
	return nil
}

// file is where a file of the archive lies.
func (a *Archive) file(f *File) string { return filepath.Join(a.path, filepath.FromSlash(f.Name)) }

// Index is the path of the archive's file in SQLite.
func (a *Archive) Index() string { return a.file(&a.Manifest.Index) }

// there refuses an archive without one of its files, or with another in its place.
func (a *Archive) there(f *File) error {
	info, err := os.Stat(a.file(f))
	switch {
	case err != nil:
		return fmt.Errorf("the archive %s is not whole: %w; %s", a.path, err, Remedy)
	case !info.Mode().IsRegular() || info.Size() != f.Bytes:
		return damaged(a.file(f), fmt.Errorf("it has %d B, the manifest says %d", info.Size(), f.Bytes))
	}
	return nil
}

// Check reads every page of every file, all of which carry check sums.
func (a *Archive) Check() error {
	for _, table := range Tables {
		for _, lane := range a.tables[table.Name].lanes {
			for _, p := range lane {
				if err := p.check(); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range a.Manifest.Copies {
		if err := a.there(&f); err != nil {
			return err
		}
	}
	return nil
}

func (p *part) check() (err error) {
	open := p.file != nil
	if err := p.open(); err != nil {
		return err
	}
	if !open {
		defer func() { err = errors.Join(err, p.close()) }()
	}
	for number := range p.groups {
		for at := range p.table.Columns {
			if _, err := p.column(number, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// Bytes is how large the files are that hold the run, bytes; copies are not counted.
func (a *Archive) Bytes() int64 {
	n := a.Manifest.Index.Bytes
	for _, parts := range a.Manifest.Tables {
		for i := range parts {
			n += parts[i].Bytes
		}
	}
	return n
}

// Close ends reading.
func (a *Archive) Close() error {
	var errs []error
	for _, r := range a.tables {
		for _, lane := range r.lanes {
			for _, p := range lane {
				errs = append(errs, p.close())
			}
		}
	}
	a.cache.init()
	return errors.Join(errs...)
}

// Scan calls f for the rows of a table with keys from first to last, in order of the key,
// with the values of columns; NULL is 0. The values are valid until the next row. known is
// false where the table is none of those that stand in Parquet files.
func (a *Archive) Scan(table string, columns []string, first, last int64, f func(id int64, values []int64) error) (known bool, err error) {
	r := a.tables[table]
	if r == nil {
		return false, nil
	}
	at := make([]int, len(columns))
	wanted := wide(0)
	for i, name := range columns {
		if at[i], err = r.column(name); err != nil {
			return true, err
		}
		wanted |= 1 << at[i]
	}
	c := r.cursor(wanted, window{first: first, last: last})
	values := make([]int64, len(columns))
	for {
		more, err := c.next()
		if err != nil || !more {
			return true, err
		}
		l := c.lane
		for i, column := range at {
			values[i] = l.columns[column].values[l.row]
		}
		if err := f(c.key(), values); err != nil {
			return true, err
		}
	}
}

// column finds a column by its name.
func (r *rows) column(name string) (int, error) {
	for i, column := range r.table.Columns {
		if column == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: table %s has no column %s", schema.ErrTables, r.table.Name, name)
}

// wide is a set of columns, a bit each.
type wide uint64

// cacheSize bounds the columns that are kept in memory, bytes: a query that looks rows up
// by their numbers comes back to the same ones.
const cacheSize = 96 << 20

// cache keeps the columns that were used last.
type cache struct {
	by    map[cacheKey]*list.Element
	order *list.List // of *cached, the one used last in front
	size  int
}

type cacheKey struct {
	part          *part
	group, column int
}

type cached struct {
	key    cacheKey
	column *column
}

func (c *cache) init() { *c = cache{by: map[cacheKey]*list.Element{}, order: list.New()} }

// column gives a column of a row group, from memory or its file.
func (c *cache) column(p *part, group, at int) (*column, error) {
	key := cacheKey{p, group, at}
	if e := c.by[key]; e != nil {
		c.order.MoveToFront(e)
		return e.Value.(*cached).column, nil
	}
	read, err := p.column(group, at)
	if err != nil {
		return nil, err
	}
	c.by[key] = c.order.PushFront(&cached{key, read})
	for c.size += read.size(); c.size > cacheSize && c.order.Len() > 1; {
		e := c.order.Back()
		oldest := c.order.Remove(e).(*cached)
		delete(c.by, oldest.key)
		c.size -= oldest.column.size()
	}
	return read, nil
}
