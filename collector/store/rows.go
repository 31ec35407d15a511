package store

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// raw reads the rows themselves: those that start in the stretches, and what
// runs into the window.
func (p *painter) raw(wanted []stretch) ([][]part, error) {
	if p.lane.Type == LaneQueue {
		return p.activities(wanted)
	}
	sorted := spread{wanted: wanted, parts: make([][]part, len(wanted))}
	read := func(s *sqlite.Stmt) error {
		b := Block{ID: s.ColumnInt64(0), Start: s.ColumnInt64(2), Busy: s.ColumnInt64(3), Count: 1, Bytes: s.ColumnInt64(4)}
		b.End = b.Start + b.Busy
		n := sorted.of(max(b.Start, p.from))
		if n < 0 {
			return nil
		}
		if err := p.name(&b, s.ColumnInt64(1)); err != nil {
			return err
		}
		if p.lane.Type == LaneInstants && model.IsStart(b.Site.KindCode) {
			return nil // a span without end
		}
		sorted.parts[n] = append(sorted.parts[n], part{block: b})
		return nil
	}
	index, where, args := "record_instants", "thread = +?1 AND duration IS NULL", []int64{int64(p.lane.Thread)}
	if p.lane.Type == LaneSpans {
		index, where, args = "record_spans", "thread = +?1 AND depth = +?2 AND duration IS NOT NULL", append(args, int64(p.lane.Depth))
	}
	indexed, err := p.trace.indexed(index)
	if err != nil {
		return nil, err
	}
	if p.lane.Type == LaneSpans && wanted[0].from == p.from {
		if err := p.running(indexed, where, args, read); err != nil {
			return nil, err
		}
	}
	few, order := int64(skipped), " ORDER BY time"
	where += " AND time >= ?3 AND time < ?4"
	if !indexed {
		few, where, order = 64*few, where+" AND id >= ?5 AND id <= ?6", " ORDER BY id"
	}
	query := "SELECT id, site, time, duration, bytes FROM record WHERE " + where + order
	for _, s := range together(wanted, few) {
		args := []int64{int64(p.lane.Thread), int64(p.lane.Depth), s.from, s.to}
		if !indexed {
			first, last, err := p.trace.between(s.from, s.to)
			if err != nil {
				return nil, err
			}
			args = append(args, first, last)
		}
		if err := p.trace.query(query, args, read); err != nil {
			return nil, err
		}
	}
	return sorted.parts, nil
}

// between gives the records that may start in [from, to): the first and the
// last number.
func (t *Trace) between(from, to int64) (first, last int64, err error) {
	lateness, err := integer(t.conn, "SELECT value FROM meta WHERE key = 'lateness'")
	if err != nil {
		return 0, 0, explain(t.path, err)
	}
	if first, err = t.firstRecord(from - lateness); err != nil {
		return 0, 0, err
	}
	last, err = t.firstRecord(to + lateness)
	return first, last, err
}

// running reads the span of this depth that started before the window.
func (p *painter) running(indexed bool, where string, args []int64, read func(*sqlite.Stmt) error) error {
	if indexed {
		return p.trace.query("SELECT id, site, time, duration, bytes FROM (SELECT * FROM record WHERE "+where+
			" AND time < ?3 ORDER BY time DESC LIMIT 1) WHERE time + duration > ?3", append(args, p.from), read)
	}
	open, err := p.trace.openAt(p.from, p.lane.Thread)
	if err != nil {
		return err
	}
	for i := range open {
		if r := &open[i]; r.Depth == p.lane.Depth && !r.Unended {
			return p.trace.query("SELECT id, site, time, duration, bytes FROM record WHERE id = ?", []int64{r.ID}, read)
		}
	}
	return nil
}

// unended draws spans that have no end: until their parent ends, or to the end
// of what is known.
func (p *painter) unended() error {
	indexed, err := p.trace.indexed("record_unended")
	if err != nil {
		return err
	}
	last := int64(math.MinInt64) // of what is known
	draw := func(r *Record) error {
		if last == math.MinInt64 {
			if _, last, err = p.trace.Extent(); err != nil {
				return err
			}
		}
		end := last
		if r.Parent != 0 {
			parent, err := p.trace.Record(r.Parent)
			if err != nil {
				return err
			}
			if parent != nil && !parent.Unended {
				end = parent.End()
			}
		}
		if end < p.from {
			return nil
		}
		p.blocks = append(p.blocks, Block{ID: r.ID, Start: r.Start, End: max(end, r.Start), Busy: max(end-r.Start, 0), Count: 1,
			Bytes: int64(r.Bytes), Site: r.Site, Open: true})
		return nil
	}
	if !indexed {
		open, err := p.trace.openAt(p.to, p.lane.Thread)
		if err != nil {
			return err
		}
		for i := range open {
			if r := &open[i]; r.Unended && r.Depth == p.lane.Depth {
				if err := draw(r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var records []Record
	err = p.trace.query(selectRecord+"WHERE end_sequence < 0 AND thread = ? AND time < ? AND depth = ? ORDER BY time LIMIT 10000",
		[]int64{int64(p.lane.Thread), p.to, int64(p.lane.Depth)}, func(s *sqlite.Stmt) error {
			records = append(records, Record{})
			return p.trace.readRecord(s, &records[len(records)-1])
		})
	for i := range records {
		if err == nil {
			err = draw(&records[i])
		}
	}
	return err
}

// activities reads a queue's activities: those that start in the stretches, and
// the one that runs into the window.
func (p *painter) activities(wanted []stretch) ([][]part, error) {
	sorted := spread{wanted: wanted, parts: make([][]part, len(wanted))}
	works, err := p.worksOfQueue()
	if err != nil || works == "" {
		return sorted.parts, err
	}
	var found []Block
	read := func(s *sqlite.Stmt) error {
		found = append(found, Block{ID: s.ColumnInt64(0), Start: s.ColumnInt64(2), Busy: s.ColumnInt64(3), Count: 1, Bytes: s.ColumnInt64(4),
			Cause: s.ColumnInt64(5)})
		b := &found[len(found)-1]
		b.End = b.Start + b.Busy
		return p.name(b, s.ColumnInt64(1))
	}
	columns := "SELECT id, work, start, duration, bytes, record FROM activity WHERE work IN (" + works + ")"
	if wanted[0].from == p.from {
		// The last one before the window, of whichever work, may run into it.
		var last, id int64
		for work := range strings.SplitSeq(works, ",") {
			if err := p.trace.query("SELECT start, id FROM activity WHERE work = "+work+" AND start < ? ORDER BY start DESC LIMIT 1",
				[]int64{p.from}, func(s *sqlite.Stmt) error {
					if at := s.ColumnInt64(0); id == 0 || at > last {
						last, id = at, s.ColumnInt64(1)
					}
					return nil
				}); err != nil {
				return nil, err
			}
		}
		if err := p.trace.query(columns+" AND +id = ? AND start = ? AND start + duration > ?", []int64{id, last, p.from}, read); err != nil {
			return nil, err
		}
		for i := range found {
			sorted.parts[0] = append(sorted.parts[0], part{block: found[i]})
		}
	}
	// A query looks into the index once for every work.
	few := int64(skipped * (1 + strings.Count(works, ",")))
	for _, s := range together(wanted, few) {
		// Sorting them is cheaper here than there.
		found = found[:0]
		if err := p.trace.query(columns+" AND start >= ? AND start < ?", []int64{s.from, s.to}, read); err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b Block) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
		for i := range found {
			if n := sorted.of(max(found[i].Start, p.from)); n >= 0 {
				sorted.parts[n] = append(sorted.parts[n], part{block: found[i]})
			}
		}
	}
	return sorted.parts, nil
}

// worksOfQueue lists the lane's works, to be put into a query.
func (p *painter) worksOfQueue() (string, error) {
	list := ""
	err := p.trace.query("SELECT id FROM work WHERE queue = ?", []int64{int64(p.lane.Queue)}, func(s *sqlite.Stmt) error {
		if list != "" {
			list += ","
		}
		list += itoa(int(s.ColumnInt64(0)))
		return nil
	})
	return list, err
}
