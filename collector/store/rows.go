package store

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// raw reads the rows themselves: those that start in the stretches, and what
// runs into the window.
func (p *painter) raw(wanted []stretch) ([][]part, error) {
	sorted := spread{wanted: wanted, parts: make([][]part, len(wanted))}
	var found []Block
	for _, s := range together(wanted, skipped) {
		ids, err := p.trace.members(&p.lane, s.from, s.to)
		if err != nil {
			return nil, err
		}
		found = found[:0]
		if err := p.trace.blocksOf(&p.lane, ids, func(b *Block, site int64) error {
			found = append(found, *b)
			return p.name(&found[len(found)-1], site)
		}); err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b Block) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
		for i := range found {
			b := &found[i]
			if b.Start < s.from && (s.from != p.from || b.End <= p.from || i+1 < len(found) && found[i+1].Start < s.from) {
				continue // only the last one before the window may run into it
			}
			if n := sorted.of(max(b.Start, p.from)); n >= 0 {
				sorted.parts[n] = append(sorted.parts[n], part{block: *b})
			}
		}
	}
	return sorted.parts, nil
}

// members gives the numbers of what starts in [from, to) on a lane and, as
// numbers stand together in groups, of a few neighbours: the last one before from
// is among them.
func (t *Trace) members(lane *Lane, from, to int64) (ids []int64, err error) {
	if ids, err = t.membersNear("rollup", lane.ID, from, max(to, from)); err != nil {
		return nil, err
	}
	complete, err := t.complete()
	if err != nil || complete {
		return ids, err
	}
	// What is too new to be in a group.
	last, err := t.lastMember("rollup", lane.ID)
	if err != nil {
		return nil, err
	}
	if lane.Type == LaneQueue {
		err = t.query("SELECT a.id FROM activity a CROSS JOIN work w ON w.id = a.work WHERE a.id > ? AND w.queue = ? AND a.start < ?",
			[]int64{last, int64(lane.Queue), to}, func(s *sqlite.Stmt) error {
				ids = append(ids, s.ColumnInt64(0))
				return nil
			})
		return ids, err
	}
	_, end, err := t.between(from, to)
	if err != nil {
		return nil, err
	}
	err = t.pages.Scan("record", "id", []string{"site", "end_sequence", "duration"}, last+1, end, func(id int64, v []int64) error {
		site, err := t.Site(v[0])
		if err == nil && site.Thread == lane.Thread && (v[1] == 0 && lane.Type == LaneInstants || (v[1] > 0 || v[2] > 0) && lane.Type == LaneSpans && site.Depth == lane.Depth) {
			ids = append(ids, id)
		}
		return err
	})
	return ids, err
}

// blocksOf reads what has the numbers on a lane, in their order, with its site or
// work.
func (t *Trace) blocksOf(lane *Lane, ids []int64, f func(b *Block, site int64) error) error {
	query := "SELECT site, time, duration, datum, end_sequence FROM record WHERE id = ?"
	if lane.Type == LaneQueue {
		query = "SELECT work, start, duration, bytes, record FROM activity WHERE id = ?"
	}
	for _, id := range ids {
		if err := t.query(query, []int64{id}, func(s *sqlite.Stmt) error {
			b := Block{ID: id, Start: s.ColumnInt64(1), Busy: s.ColumnInt64(2), Count: 1}
			b.End = b.Start + b.Busy
			if lane.Type == LaneQueue {
				b.Bytes, b.Cause = s.ColumnInt64(3), s.ColumnInt64(4)
			} else {
				d, err := t.datum(s.ColumnInt64(3))
				if err != nil {
					return err
				}
				b.Bytes, b.Number, b.Open = d.bytes, uint64(d.host), s.ColumnInt64(4) < 0
			}
			return f(&b, s.ColumnInt64(0))
		}); err != nil {
			return err
		}
	}
	return nil
}

// between gives the records that may start in [from, to): the first and the
// last number.
func (t *Trace) between(from, to int64) (first, last int64, err error) {
	lateness, err := schema.Integer(t.conn, "SELECT value FROM meta WHERE key = 'lateness'")
	if err != nil {
		return 0, 0, schema.Explain(t.path, err)
	}
	if first, err = t.firstRecord(from - lateness); err != nil {
		return 0, 0, err
	}
	last, err = t.firstRecord(to + lateness)
	return first, last, err
}

// goingOn draws spans that go on: until the end of what is known of them.
func (p *painter) goingOn() error {
	all, err := p.trace.unsettled()
	if err != nil {
		return err
	}
	for _, s := range all.list {
		if s.place != p.lane.place() || s.start >= p.to || s.until < p.from {
			continue
		}
		r, err := p.trace.Record(s.record)
		if err != nil {
			return err
		}
		if r != nil {
			p.blocks = append(p.blocks, Block{ID: r.ID, Start: r.Start, End: r.End(), Busy: r.Duration, Count: 1, Bytes: int64(r.Bytes), Number: r.Host,
				Site: r.Site, Open: true})
		}
	}
	return nil
}
