package store

import (
	"math"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// Lane is a row of a timeline: one thread's spans of one depth, one thread's
// events without duration, or one queue's device activity. Within a lane nothing
// overlaps (on queues: if the runtime tells the truth).
type Lane struct {
	ID      int64           `json:"id"`
	Type    string          `json:"type"` // LaneSpans, LaneInstants, LaneQueue
	Process model.ProcessID `json:"process"`
	Thread  model.ThreadID  `json:"thread"` // of spans and instants
	Queue   model.QueueID   `json:"queue"`  // of queues
	Device  model.DeviceID  `json:"device"` // of queues
	Depth   int             `json:"depth"`  // of spans
	First   int64           `json:"first"`  // ns
	Last    int64           `json:"last"`
	Count   int64           `json:"count"`
	Busy    int64           `json:"busy"` // ns, sum of durations
	Bytes   int64           `json:"bytes"`
}

// Lanes reads the lanes, by process, then threads before queues, then depth.
func (t *Trace) Lanes() ([]Lane, error) {
	var out []Lane
	err := t.each(`SELECT l.id, l.type, coalesce(th.process, d.process), CASE l.type WHEN 'queue' THEN 0 ELSE l.owner END,
		CASE l.type WHEN 'queue' THEN l.owner ELSE 0 END, coalesce(d.id, 0), l.depth, l.first, l.last, l.count, l.busy, l.bytes
		FROM lane l LEFT JOIN thread th ON l.type <> 'queue' AND th.id = l.owner
		LEFT JOIN queue q ON l.type = 'queue' AND q.id = l.owner LEFT JOIN device d ON d.id = q.device
		ORDER BY 3, l.type = 'queue', l.owner, l.type = 'spans', l.depth`, nil, func(s *sqlite.Stmt) error {
		out = append(out, Lane{s.ColumnInt64(0), s.ColumnText(1), model.ProcessID(s.ColumnInt64(2)), model.ThreadID(s.ColumnInt64(3)),
			model.QueueID(s.ColumnInt64(4)), model.DeviceID(s.ColumnInt64(5)), s.ColumnInt(6), s.ColumnInt64(7), s.ColumnInt64(8),
			s.ColumnInt64(9), s.ColumnInt64(10), s.ColumnInt64(11)})
		return nil
	})
	return out, err
}

// Block is what a timeline draws: one span, event or activity, or neighbours
// that are narrower than a pixel together.
type Block struct {
	Start int64
	End   int64
	Busy  int64 // ns, sum of durations
	Count int64 // 1: a single one
	Bytes int64
	ID    int64 // record (for queues activity) of a single one, else 0
	Site  *Site // of the longest; for queues nil
	Work  *Work // of the longest; only for queues
	Cause int64 // for a single activity: the record that enqueued it
	Open  bool  // never ended, or not yet: End is that of what is known
}

// blockPixels is how wide a block of several spans may be: the price of going
// down is up to fanOut rows instead of one.
const blockPixels = 4

// Timeline gives what to draw of a lane in the window [from, to) at a width in
// pixels, in order of start: whatever the number of spans, at most about two
// blocks a pixel. A block of several spans is at most 4 pixels wide; Busy says
// how much of it is filled.
func (t *Trace) Timeline(lane Lane, from, to int64, pixels int) ([]Block, error) {
	if to <= from || pixels <= 0 {
		return nil, nil
	}
	p := &painter{trace: t, lane: lane, pixel: max(blockPixels*(to-from)/int64(pixels), 1), from: from, to: to}
	top, err := integer(t.conn, "SELECT coalesce(max(level), 0) FROM rollup WHERE lane = ?", lane.ID)
	if err != nil {
		return nil, explain(t.path, err)
	}
	if err := p.cover(int(top), from, to); err != nil {
		return nil, err
	}
	if lane.Type == LaneSpans {
		if err := p.open(); err != nil {
			return nil, err
		}
	}
	return p.blocks, nil
}

// painter collects the blocks of a window.
type painter struct {
	trace    *Trace
	lane     Lane
	pixel    int64 // ns that a block of several may span
	from, to int64
	blocks   []Block
	indexed  *bool
}

type stretch struct{ from, to int64 }

// cover draws [from, to) from groups of a level; groups wider than a pixel, and
// what is too new to be in a group, from the level below.
func (p *painter) cover(level int, from, to int64) error {
	if level == 0 {
		return p.raw(from, to)
	}
	var below []stretch // parts of the window, in order
	type item struct {
		block Block
		under int // index into below, or -1
	}
	var items []item
	// A group's members start before the next group does.
	reach := func(start int64) {
		if n := len(items); n > 0 && items[n-1].under >= 0 {
			below[items[n-1].under].to = min(start, to)
		}
	}
	descend := func(a, b int64) {
		if n := len(below); n > 0 && len(items) > 0 && items[len(items)-1].under == n-1 {
			below[n-1].to = b
			return
		}
		below = append(below, stretch{a, b})
		items = append(items, item{under: len(below) - 1})
	}
	end := int64(math.MinInt64)
	err := p.trace.query(`SELECT start, duration, busy, count, bytes, site FROM rollup WHERE lane = ?1 AND level = ?2
		AND start >= coalesce((SELECT max(start) FROM rollup WHERE lane = ?1 AND level = ?2 AND start <= ?3), ?3) AND start < ?4
		ORDER BY start, ordinal`, []int64{p.lane.ID, int64(level), from, to}, func(s *sqlite.Stmt) error {
		b := Block{Start: s.ColumnInt64(0), Busy: s.ColumnInt64(2), Count: s.ColumnInt64(3), Bytes: s.ColumnInt64(4)}
		b.End = b.Start + s.ColumnInt64(1)
		end = max(end, b.End)
		if b.End < from {
			return nil
		}
		reach(b.Start)
		if b.End-b.Start > p.pixel {
			descend(max(b.Start, from), min(b.End+1, to))
			return nil
		}
		items = append(items, item{block: b, under: -1})
		return p.name(&items[len(items)-1].block, s.ColumnInt64(5))
	})
	if err != nil {
		return err
	}
	last := int64(math.MinInt64)
	if err := p.trace.query("SELECT max(start + duration) FROM rollup WHERE lane = ? AND level = ? AND start >= (SELECT max(start) FROM rollup WHERE lane = ?1 AND level = ?2)",
		[]int64{p.lane.ID, int64(level)}, func(s *sqlite.Stmt) error {
			if !s.ColumnIsNull(0) {
				last = s.ColumnInt64(0)
			}
			return nil
		}); err != nil {
		return err
	}
	if last < to {
		descend(max(last+1, from), to)
	}
	for _, it := range items {
		if it.under < 0 {
			p.blocks = append(p.blocks, it.block)
			continue
		}
		if err := p.cover(level-1, below[it.under].from, below[it.under].to); err != nil {
			return err
		}
	}
	return nil
}

func (p *painter) name(b *Block, site int64) (err error) {
	if p.lane.Type == LaneQueue {
		b.Work, err = p.trace.Work(site)
	} else {
		b.Site, err = p.trace.Site(site)
	}
	return err
}

// raw draws rows themselves: those that start in [from, to), and the one that
// runs into the window.
func (p *painter) raw(from, to int64) error {
	if p.lane.Type == LaneQueue {
		return p.rawActivities(from, to)
	}
	where := "thread = ?1 AND time >= ?2 AND time < ?3"
	args := []int64{int64(p.lane.Thread), from, to}
	if p.indexed == nil {
		indexed, err := p.trace.indexed("record_by_thread")
		if err != nil {
			return err
		}
		p.indexed = &indexed
	}
	order := " ORDER BY time"
	if !*p.indexed {
		first, err := p.trace.firstRecord(from)
		if err != nil {
			return err
		}
		last, err := p.trace.firstRecord(to)
		if err != nil {
			return err
		}
		where += " AND id >= ?4 AND id <= ?5"
		order = " ORDER BY id"
		args = append(args, first, last)
	}
	if p.lane.Type == LaneInstants {
		where += " AND duration IS NULL"
	} else {
		where += " AND duration IS NOT NULL AND depth = " + itoa(p.lane.Depth)
		if from == p.from {
			if err := p.running(); err != nil {
				return err
			}
		}
	}
	return p.trace.query("SELECT id, site, time, duration, bytes FROM record WHERE "+where+order, args, p.record)
}

func (p *painter) record(s *sqlite.Stmt) error {
	b := Block{ID: s.ColumnInt64(0), Start: s.ColumnInt64(2), Busy: s.ColumnInt64(3), Count: 1, Bytes: s.ColumnInt64(4)}
	b.End = b.Start + b.Busy
	if err := p.name(&b, s.ColumnInt64(1)); err != nil {
		return err
	}
	if p.lane.Type == LaneInstants && model.IsStart(b.Site.KindCode) {
		return nil // a span without end
	}
	p.blocks = append(p.blocks, b)
	return nil
}

// running draws the span of this depth that started before the window.
func (p *painter) running() error {
	open, err := p.trace.openAt(p.from, p.lane.Thread)
	if err != nil {
		return err
	}
	for i := range open {
		if r := &open[i]; r.Depth == p.lane.Depth && !r.Unended {
			p.blocks = append(p.blocks, Block{ID: r.ID, Start: r.Start, End: r.End(), Busy: r.Duration, Count: 1,
				Bytes: int64(r.Bytes), Site: r.Site})
		}
	}
	return nil
}

// open draws spans that have no end: until their parent ends, or to the end of
// what is known.
func (p *painter) open() error {
	indexed, err := p.trace.indexed("record_unended")
	if err != nil {
		return err
	}
	_, last, err := p.trace.Extent()
	if err != nil {
		return err
	}
	draw := func(r *Record) error {
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

func (p *painter) rawActivities(from, to int64) error {
	works, err := p.worksOfQueue()
	if err != nil || works == "" {
		return err
	}
	read := func(s *sqlite.Stmt) error {
		b := Block{ID: s.ColumnInt64(0), Start: s.ColumnInt64(2), Busy: s.ColumnInt64(3), Count: 1, Bytes: s.ColumnInt64(4),
			Cause: s.ColumnInt64(5)}
		b.End = b.Start + b.Busy
		if err := p.name(&b, s.ColumnInt64(1)); err != nil {
			return err
		}
		p.blocks = append(p.blocks, b)
		return nil
	}
	columns := "SELECT id, work, start, duration, bytes, record FROM activity WHERE work IN (" + works + ")"
	if from == p.from {
		// The last one before the window, of whichever work, may run into it.
		var last, id int64
		for work := range strings.SplitSeq(works, ",") {
			if err := p.trace.query("SELECT start, id FROM activity WHERE work = "+work+" AND start < ? ORDER BY start DESC LIMIT 1",
				[]int64{from}, func(s *sqlite.Stmt) error {
					if at := s.ColumnInt64(0); id == 0 || at > last {
						last, id = at, s.ColumnInt64(1)
					}
					return nil
				}); err != nil {
				return err
			}
		}
		if err := p.trace.query(columns+" AND +id = ? AND start = ? AND start + duration > ?", []int64{id, last, from}, read); err != nil {
			return err
		}
	}
	return p.trace.query(columns+" AND start >= ? AND start < ? ORDER BY start", []int64{from, to}, read)
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
