package store

import (
	"fmt"
	"math"

	"github.com/accscope/accscope/collector/store/pages"
	"github.com/accscope/accscope/collector/store/rollup"
	"zombiezen.com/go/sqlite"
)

// groups calls f for the groups of a level of a lane (rollup) or device
// (sample_rollup) from the last block that begins before from on until one starts
// at to or later. A group is valid until the next one.
func (t *Trace) groups(table string, owner, level, from, to int64, f func(*rollup.Group) error) error {
	column := "lane"
	if table == "sample_rollup" {
		column = "device"
	}
	query := fmt.Sprintf(`SELECT start, groups FROM %[1]s WHERE %[2]s = ?1 AND level = ?2 AND start >= coalesce((SELECT max(start) FROM %[1]s
		WHERE %[2]s = ?1 AND level = ?2 AND start < ?3), ?3) AND start < max(?3, ?4) ORDER BY start, id`, table, column)
	var data []byte
	return t.query(query, []int64{owner, level, from, to}, func(s *sqlite.Stmt) error {
		if n := s.ColumnLen(1); n > cap(data) {
			data = make([]byte, n)
		} else {
			data = data[:n]
		}
		s.ColumnBytes(1, data)
		r := rollup.NewReader(data, s.ColumnInt64(0), level, table == "sample_rollup")
		for g := r.Next(); g != nil; g = r.Next() {
			if g.Start >= to && g.Start >= from {
				return nil
			}
			if err := f(g); err != nil {
				return err
			}
		}
		if r.Damaged() {
			return fmt.Errorf("%s: table %s: a block of level %d is damaged: %w", t.path, table, level, pages.ErrDamaged)
		}
		return nil
	})
}

// membersNear gives the numbers of what the groups of a lane (rollup) or device
// (sample_rollup) hold that starts in [from, to) and, as numbers stand together, of a few
// neighbours: the last one before from is among them.
func (t *Trace) membersNear(table string, owner, from, to int64) (ids []int64, err error) {
	err = t.groups(table, owner, 1, from, to, func(g *rollup.Group) error {
		if g.Start < from {
			ids = ids[:0]
		}
		ids = append(ids, g.IDs...)
		return nil
	})
	return ids, err
}

// lastMember is the number of the last that is in a group; 0: none is.
func (t *Trace) lastMember(table string, owner int64) (last int64, err error) {
	err = t.groups(table, owner, 1, math.MaxInt64, math.MaxInt64, func(g *rollup.Group) error {
		last = g.IDs[len(g.IDs)-1]
		return nil
	})
	return last, err
}
