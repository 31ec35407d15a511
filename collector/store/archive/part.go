package archive

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"

	"github.com/accscope/accscope/collector/store/schema"
)

// part is a file of a table that is read: opened once a row of it is wanted.
type part struct {
	Part
	table  *Table
	path   string
	file   *os.File
	groups []group
	places []int // by column: its place in the file
}

// group is a row group of a file.
type group struct {
	rows        int
	first, last int64 // keys; of all groups before the last, last is no less than theirs
	from, to    int64 // times
	chunks      parquet.RowGroup
}

// damaged is an error about a file of an archive.
func damaged(path string, what error) error {
	return fmt.Errorf("%s: %w: %w; %s", path, schema.ErrDamaged, what, Remedy)
}

// open reads what the file says of itself, and holds it against the manifest.
func (p *part) open() (err error) {
	if p.file != nil {
		return nil
	}
	file, err := os.Open(p.path)
	if err != nil {
		return fmt.Errorf("cannot read the archive: %w; %s", err, Remedy)
	}
	defer func() {
		if fault := recover(); fault != nil {
			err = damaged(p.path, fmt.Errorf("%v", fault)) // the library trusts sizes in the file
		}
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != p.Bytes {
		return damaged(p.path, fmt.Errorf("it has %d B, the manifest says %d", info.Size(), p.Bytes))
	}
	opened, err := parquet.OpenFile(file, p.Bytes, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return damaged(p.path, err)
	}
	if p.places, err = placesOf(p.table, opened.Schema()); err != nil {
		return damaged(p.path, err)
	}
	p.groups, err = p.describe(opened)
	if err != nil {
		return damaged(p.path, err)
	}
	p.file = file
	return nil
}

// placesOf finds the columns of a table in a file.
func placesOf(table *Table, in *parquet.Schema) ([]int, error) {
	places := make([]int, len(table.Columns))
	for i, name := range table.Columns {
		leaf, found := in.Lookup(name)
		if !found || leaf.Node.Type().Kind() != parquet.Int64 || leaf.MaxRepetitionLevel != 0 || leaf.MaxDefinitionLevel > 1 {
			return nil, fmt.Errorf("it has no integers in a column %s", name)
		}
		places[i] = leaf.ColumnIndex
	}
	return places, nil
}

// describe says what the row groups hold, by their statistics.
func (p *part) describe(file *parquet.File) ([]group, error) {
	if file.NumRows() != p.Rows {
		return nil, fmt.Errorf("it has %d rows, the manifest says %d", file.NumRows(), p.Rows)
	}
	groups := make([]group, 0, len(file.RowGroups()))
	last := int64(math.MinInt64)
	for number, chunks := range file.RowGroups() {
		rows := chunks.NumRows()
		if rows < 1 || rows > mostGroupRows {
			return nil, fmt.Errorf("row group %d has %d rows", number, rows)
		}
		g := group{rows: int(rows), chunks: chunks, from: math.MinInt64, to: math.MaxInt64}
		var err error
		if g.first, g.last, err = bounds(file, number, p.places[0]); err != nil {
			return nil, err
		}
		if g.first > g.last || g.first <= last && number > 0 {
			return nil, fmt.Errorf("row group %d is out of order", number)
		}
		last = g.last
		if p.table.Time >= 0 {
			if g.from, g.to, err = bounds(file, number, p.places[p.table.Time]); err != nil {
				return nil, err
			}
			if p.From == nil || p.To == nil || g.from < *p.From || g.to > *p.To {
				return nil, fmt.Errorf("row group %d has times that the manifest does not say", number)
			}
		}
		groups = append(groups, g)
	}
	if len(groups) == 0 || groups[0].first != p.First || last != p.Last {
		return nil, errors.New("its rows are not those that the manifest says")
	}
	return groups, nil
}

// mostGroupRows is more than the rows of any row group that is read.
const mostGroupRows = 1 << 24

// bounds are the least and the greatest value of a column in a row group.
func bounds(file *parquet.File, number, column int) (low, high int64, err error) {
	chunks := file.RowGroups()[number].ColumnChunks()
	if column < len(chunks) {
		if chunk, is := chunks[column].(*parquet.FileColumnChunk); is {
			if low, high, ok := chunk.Bounds(); ok && !low.IsNull() && !high.IsNull() {
				return low.Int64(), high.Int64(), nil
			}
		}
	}
	return 0, 0, fmt.Errorf("row group %d does not say the bounds of column %d", number, column)
}

func (p *part) close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	p.file, p.groups = nil, nil
	return err
}

// column is a column of a row group in memory.
type column struct {
	values []int64 // 0 where it is NULL
	nulls  []bool  // nil: none is
}

// size is what a column takes of memory, bytes.
func (c *column) size() int { return 8*cap(c.values) + cap(c.nulls) }

// column reads a column of a row group.
func (p *part) column(number, at int) (c *column, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault) // the library trusts what pages say
		}
		if err != nil {
			c, err = nil, damaged(p.path, fmt.Errorf("row group %d, column %s: %w", number, p.table.Columns[at], err))
		}
	}()
	g := &p.groups[number]
	c = &column{values: make([]int64, 0, g.rows)}
	pages := g.chunks.ColumnChunks()[p.places[at]].Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		err = c.add(page, g.rows)
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
	}
	if len(c.values) != g.rows {
		return nil, fmt.Errorf("it has %d of %d values", len(c.values), g.rows)
	}
	if c.nulls != nil && !p.table.nullable[at] {
		return nil, errors.New("a value is missing")
	}
	if at == 0 && !ascend(c.values, g) {
		return nil, errors.New("its rows are out of order")
	}
	return c, nil
}

// ascend says whether keys are those of a row group, each greater than the one before.
func ascend(keys []int64, g *group) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i] <= keys[i-1] {
			return false
		}
	}
	return keys[0] == g.first && keys[len(keys)-1] == g.last
}

// add appends the values of a page to a column of so many rows.
func (c *column) add(page parquet.Page, rows int) error {
	var indices []int32
	var known []int64
	if dictionary := page.Dictionary(); dictionary != nil {
		values, indexed := dictionary.Page().Data(), page.Data()
		known, indices = values.Int64(), indexed.Int32()
	} else {
		values := page.Data()
		known = values.Int64()
	}
	levels, n := page.DefinitionLevels(), int(page.NumValues())
	if levels != nil && len(levels) != n || n > rows-len(c.values) {
		return errors.New("a page has too many values")
	}
	next := 0
	for i := range n {
		if levels != nil && levels[i] == 0 {
			if c.nulls == nil {
				c.nulls = make([]bool, len(c.values), rows)
			}
			c.values, c.nulls = append(c.values, 0), append(c.nulls, true)
			continue
		}
		at := next
		if indices != nil {
			at = int(indices[next])
		}
		c.values = append(c.values, known[at])
		if c.nulls != nil {
			c.nulls = append(c.nulls, false)
		}
		next++
	}
	return nil
}
