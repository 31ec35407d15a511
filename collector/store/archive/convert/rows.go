package convert

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/schema"
)

// rows writes the tables that are cut into files.
func (c *converter) rows() error {
	ranges, err := c.ranges()
	if err != nil {
		return err
	}
	bySite, byWork, err := c.allOwners(ranges)
	if err != nil {
		return err
	}
	for _, t := range archive.Tables {
		n, err := schema.Integer(c.conn, "SELECT count(*) FROM "+t.Name)
		if err != nil {
			return schema.Explain(c.trace.Path(), err)
		}
		c.total += n
	}
	for _, t := range archive.Tables {
		of := ranksOf(t, bySite, byWork)
		if err := c.table(t, math.MinInt64, math.MaxInt64, func(row []int64) error { return c.to.Add(t, of(row), row...) }); err != nil {
			return err
		}
	}
	return nil
}

// ranksOf gives the range of ranks of a table's row, by its site or its work.
func ranksOf(t *archive.Table, bySite, byWork map[int64]string) func(row []int64) string {
	switch t {
	case archive.Record, archive.Ending:
		return func(row []int64) string { return owner(bySite, row[1]) }
	case archive.Activity:
		return func(row []int64) string { return owner(byWork, row[1]) }
	}
	return func([]int64) string { return archive.AllRanks }
}

// allOwners are the ranges of ranks of the sites and of the works. A site's is that of its
// thread: not all have a device.
func (c *converter) allOwners(ranges map[model.ProcessID]string) (bySite, byWork map[int64]string, err error) {
	if bySite, err = c.owners("SELECT s.id, t.process FROM site s JOIN thread t ON t.id = s.thread", ranges); err != nil {
		return nil, nil, err
	}
	byWork, err = c.owners("SELECT w.id, d.process FROM work w JOIN device d ON d.id = w.device", ranges)
	return bySite, byWork, err
}

// owner is the range of ranks of what has a number.
func owner(by map[int64]string, number int64) string {
	if ranks, known := by[number]; known {
		return ranks
	}
	return archive.NoRanks
}

// ranges cuts the ranks of the processes into ranges, by process.
func (c *converter) ranges() (map[model.ProcessID]string, error) {
	processes, err := c.trace.Processes()
	if err != nil {
		return nil, err
	}
	var ranks []int
	for _, p := range processes {
		if p.Rank >= 0 {
			ranks = append(ranks, p.Rank)
		}
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	width := archive.Width(len(ranks), c.options.Ranges, true)
	name := map[int]string{}
	for begin := 0; begin < len(ranks); begin += width {
		part := ranks[begin:min(begin+width, len(ranks))]
		for _, rank := range part {
			name[rank] = fmt.Sprintf("%d-%d", part[0], part[len(part)-1])
		}
	}
	of := map[model.ProcessID]string{}
	for _, p := range processes {
		of[p.ID] = archive.NoRanks
		if p.Rank >= 0 {
			of[p.ID] = name[p.Rank]
		}
	}
	return of, nil
}

// owners gives the range of ranks of what a query numbers, by its process.
func (c *converter) owners(query string, ranges map[model.ProcessID]string) (map[int64]string, error) {
	by := map[int64]string{}
	err := sqlitex.ExecuteTransient(c.conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		if ranks, known := ranges[model.ProcessID(s.ColumnInt64(1))]; known {
			by[s.ColumnInt64(0)] = ranks
		}
		return nil
	}})
	return by, schema.Explain(c.trace.Path(), err)
}

// progressEach is how many rows are written between two reports.
const progressEach = 1 << 16

// table gives the rows of a table with keys from first to last.
func (c *converter) table(t *archive.Table, first, last int64, give func(row []int64) error) error {
	row := make([]int64, len(t.Columns))
	query := fmt.Sprintf("SELECT %s FROM %s WHERE %s BETWEEN ? AND ? ORDER BY %[3]s", strings.Join(t.Columns, ", "), t.Name, t.Columns[0])
	var failed error
	err := sqlitex.ExecuteTransient(c.conn, query, &sqlitex.ExecOptions{Args: []any{first, last}, ResultFunc: func(s *sqlite.Stmt) error {
		for i := range row {
			switch s.ColumnType(i) {
			case sqlite.TypeInteger:
				row[i] = s.ColumnInt64(i)
				if row[i] != archive.Null || !t.Nullable(i) {
					continue
				}
			case sqlite.TypeNull:
				if row[i] = archive.Null; t.Nullable(i) {
					continue
				}
			}
			failed = fmt.Errorf("%s: %w: table %s, row %d: its %s is no number", c.trace.Path(), schema.ErrDamaged, t.Name, s.ColumnInt64(0), t.Columns[i])
			return failed
		}
		if c.done++; c.options.Progress != nil && c.done%progressEach == 0 {
			c.options.Progress(c.done, c.total)
		}
		failed = give(row)
		return failed
	}})
	if failed != nil {
		return failed
	}
	return schema.Explain(c.trace.Path(), err)
}
