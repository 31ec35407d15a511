package write

import (
	"fmt"
	"math"
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
)

// at is a time of the part in the merged trace.
func (p *part) at(time int64) int64 {
	if p.line != nil {
		time += p.line.At(time).Offset
	}
	return time + p.shift
}

// lasting is how long what lasts in the part does in the merged trace.
func (p *part) lasting(from, duration int64) int64 {
	if p.line == nil {
		return duration
	}
	return p.at(from+duration) - p.at(from)
}

// time is the column of a time.
func (p *part) time(value int64) (int64, error) { return p.at(value), nil }

// setClocks finds what is added to the times of parts to get those of the first one.
func (m *merger) setClocks() error {
	ways, err := m.relate()
	if err != nil {
		return err
	}
	first := m.parts[0]
	first.exact = true
	for i, p := range m.parts[1:] {
		switch way := ways[i+1]; {
		case way.source != nil && way.off == 0:
			at, _ := way.source.At(0)
			p.exact, p.shift = true, at.Offset+p.offset
		case way.source != nil && p.offset == 0:
			p.line = &clock.Line{More: []clock.Source{way.source}}
		case p.meta.Realtime == 0 || first.meta.Realtime == 0:
			return fmt.Errorf("%s: the time of day of its clock is not known, so it can't be set against %s", p.trace.Path(), first.trace.Path())
		default:
			p.shift = p.meta.Realtime - first.meta.Realtime + p.offset
		}
	}
	return nil
}

// barriers are when each rank of a part came to the barriers of all ranks, and left them:
// with the error that its host's clock may have, so that it came no later and left no
// earlier.
type barriers map[int64][]clock.Meeting

// meet sets the clocks of parts of other machines than the first one's by the barriers that
// the ranks of an MPI job had together, where the traces have each of them.
func (m *merger) meet() error {
	set := false
	for _, p := range m.parts[1:] {
		set = set || !p.exact && p.offset == 0
	}
	if !set {
		return nil
	}
	all := make([]barriers, len(m.parts))
	seen := map[int64]bool{}
	count := math.MaxInt
	for i, p := range m.parts {
		var err error
		if all[i], err = p.barriers(); err != nil {
			return err
		}
		for rank, had := range all[i] {
			if seen[rank] {
				return nil // of two jobs
			}
			seen[rank] = true
			count = min(count, len(had))
		}
		if len(all[i]) == 0 && (i == 0 || !p.exact) {
			return nil
		}
	}
	// The first is the reference's machine, whose traces may be several.
	machines := [][]clock.Meeting{nil}
	of := map[int]*part{}
	for i, p := range m.parts {
		into, shift := 0, int64(0)
		if p.exact {
			shift = p.shift
		} else {
			into = len(machines)
			of[into] = p
			machines = append(machines, nil)
		}
		for _, had := range all[i] {
			for k, at := range had[:count] {
				at.Came, at.Left = at.Came+shift, at.Left+shift
				if k == len(machines[into]) {
					machines[into] = append(machines[into], at)
				} else {
					both := &machines[into][k]
					both.Came, both.Left = max(both.Came, at.Came), min(both.Left, at.Left)
				}
			}
		}
	}
	for machine, track := range clock.Meet(machines) {
		if p := of[machine]; track != nil && p.offset == 0 {
			if p.line == nil {
				p.line, p.shift = &clock.Line{}, 0
			}
			p.line.More = append(p.line.More, track)
		}
	}
	return nil
}

// barriers reads those of a part's ranks; none where calls of MPI are missing.
func (p *part) barriers() (barriers, error) {
	if whole, err := p.trace.FromTheBeginning(); err != nil || !whole {
		return nil, err
	}
	// Nothing is read for a trace without any.
	if any, err := schema.Integer(p.trace.Conn(), "SELECT EXISTS (SELECT 1 FROM site_detail WHERE kind_code = ? AND name = 'MPI_Barrier')", model.MPIStart); err != nil || any == 0 {
		return nil, schema.Explain(p.trace.Path(), err)
	}
	processes, err := p.trace.Processes()
	if err != nil {
		return nil, err
	}
	known, ranks := map[int64]*store.Process{}, map[int64]bool{}
	had := barriers{}
	for i := range processes {
		each := &processes[i]
		rank := int64(each.Rank)
		if rank < 0 || each.On.ID != 1 && each.On.Uncertainty < 0 {
			continue
		}
		if ranks[rank] {
			return nil, nil // of two jobs
		}
		ranks[rank] = true
		known[int64(each.ID)] = each
	}
	err = p.each(`SELECT process, start, end FROM communication WHERE call = 'MPI_Barrier' AND communicator = 0 AND end IS NOT NULL ORDER BY start, record`,
		func(s *sqlite.Stmt) error {
			if each, ok := known[s.ColumnInt64(0)]; ok {
				off := max(each.On.Uncertainty, 0)
				had[int64(each.Rank)] = append(had[int64(each.Rank)], clock.Meeting{Came: s.ColumnInt64(1) - off, Left: s.ColumnInt64(2) + off})
			}
			return nil
		})
	return had, err
}

// copyHosts copies the hosts of a part, and what their clocks were set by: its clock plus
// that of the first part. Where that is no fixed number, it is noted a second at a time.
func (m *merger) copyHosts(p *part, foreign bool) error {
	by := p.moved["host"].by
	// A host's clock is set to time by an offset, which is so much more in the merged trace.
	more := func(time int64) int64 {
		return p.at(time) - time - p.meta.Origin + m.parts[0].meta.Origin - m.parts[0].shift
	}
	set := !foreign || p.exact || p.line != nil
	sum := func(s *sqlite.Stmt, host int64, column int, further int64) any {
		if !set || s.ColumnIsNull(column) && (host > 1 || p.line == nil) {
			return nil
		}
		return s.ColumnInt64(column) + further
	}
	// How far off the part's clock may be, at a time and at most.
	off := func(time int64) int64 {
		if p.line == nil {
			return 0
		}
		return p.line.At(time).Error
	}
	const second = 1e9
	most := off(0)
	var seconds []int64
	if p.line != nil {
		for time := p.meta.First; time < p.meta.Last+second; time += second {
			seconds = append(seconds, time)
			most = max(most, off(time))
		}
	}
	left, err := m.leftOut(p)
	if err != nil {
		return err
	}
	noted := map[int64]bool{}
	insert := func(row ...any) error {
		m.pending++
		if err := m.fail(schema.Execute(m.conn, "INSERT OR REPLACE INTO clock VALUES (?, ?, ?, ?)", row...)); err != nil {
			return err
		}
		return m.room()
	}
	if err := p.each("SELECT host, time, offset, uncertainty FROM clock", func(s *sqlite.Stmt) error {
		host, time := s.ColumnInt64(0), s.ColumnInt64(1)
		noted[host] = true
		if host < 1 || host > p.moved["host"].last {
			return p.damaged("host", host)
		}
		if left[host] {
			return nil
		}
		return insert(host+by, p.at(time), s.ColumnInt64(2)+more(time), sum(s, host, 3, off(time)))
	}); err != nil {
		return err
	}
	return p.each("SELECT id, name, clock_offset, clock_uncertainty, realtime_offset FROM host WHERE id > 0", func(s *sqlite.Stmt) error {
		host := s.ColumnInt64(0)
		if left[host] {
			return nil
		}
		m.pending++
		if err := m.fail(schema.Execute(m.conn, "INSERT INTO host VALUES (?, ?, ?, ?, ?)", host+by, s.ColumnText(1), s.ColumnInt64(2)+more(0),
			sum(s, host, 3, most), orNull(s.ColumnInt64(4), !s.ColumnIsNull(4)))); err != nil {
			return err
		}
		if noted[host] {
			return nil
		}
		for _, time := range seconds {
			if err := insert(host+by, p.at(time), s.ColumnInt64(2)+more(time), sum(s, host, 3, off(time))); err != nil {
				return err
			}
		}
		return nil
	})
}

// leftOut are the hosts of a part that only relate it to another part, whose own they are: the
// merged trace has them from there.
func (m *merger) leftOut(p *part) (map[int64]bool, error) {
	left := map[int64]bool{}
	for _, h := range p.hosts {
		left[h.ID] = h.ID > 1 && slices.ContainsFunc(m.parts, func(q *part) bool { return q != p && len(q.hosts) > 0 && same(q.hosts[0], h) })
	}
	err := p.each("SELECT DISTINCT host FROM process UNION SELECT host FROM counter", func(s *sqlite.Stmt) error {
		delete(left, s.ColumnInt64(0))
		return nil
	})
	return left, err
}
