package store

import (
	"errors"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/rollup"
	"zombiezen.com/go/sqlite"
)

// The types of lanes.
const (
	LaneSpans    = rollup.Spans
	LaneInstants = rollup.Instants
	LaneQueue    = rollup.Queue
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

// All reads the lanes, by process, then threads before queues, then depth.
func (t Lanes) All() (out []Lane, err error) {
	if err := t.Each(func(lane *Lane) error {
		out = append(out, *lane)
		return nil
	}); err != nil {
		return nil, err
	}
	return t.open(out)
}

// Each calls f for them one after the other.
func (t Lanes) Each(f func(*Lane) error) error {
	return t.trace.each(`SELECT l.id, l.type, coalesce(th.process, d.process), CASE l.type WHEN 'queue' THEN 0 ELSE l.owner END,
		CASE l.type WHEN 'queue' THEN l.owner ELSE 0 END, coalesce(d.id, 0), l.depth, l.first, l.last, l.count, l.busy, l.bytes
		FROM lane l LEFT JOIN thread th ON l.type <> 'queue' AND th.id = l.owner
		LEFT JOIN queue q ON l.type = 'queue' AND q.id = l.owner LEFT JOIN device d ON d.id = q.device
		WHERE `+t.trace.ChosenSQL("coalesce(th.process, d.process)")+` ORDER BY 3, l.type = 'queue', l.owner, l.type = 'spans', l.depth`, nil, func(s *sqlite.Stmt) error {
		return f(&Lane{s.ColumnInt64(0), s.ColumnText(1), model.ProcessID(s.ColumnInt64(2)), model.ThreadID(s.ColumnInt64(3)),
			model.QueueID(s.ColumnInt64(4)), model.DeviceID(s.ColumnInt64(5)), s.ColumnInt(6), s.ColumnInt64(7), s.ColumnInt64(8),
			s.ColumnInt64(9), s.ColumnInt64(10), s.ColumnInt64(11)})
	})
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
	// Number is that of a single frame.
	Number uint64
	Work   *Work // of the longest; only for queues
	Cause  int64 // for a single activity: the record that enqueued it
	Open   bool  // never ended, or not yet: End is that of what is known
}

// Groups wider than openPixels are replaced by their members, as long as that
// reads no more rows than a window may: then only those wider than twice as much,
// and so on, of which fewer fit into the window.
const openPixels = rollup.FanOut / 2

// Blocks gives what to draw of a lane in the window [from, to) at a width in
// pixels, in order of start: whatever the number of spans, about two blocks a
// pixel at most. A block of several spans is some pixels wide, 8 at most where
// they are evenly spread; Busy says how much of it is filled.
func (t Lanes) Blocks(lane Lane, from, to int64, pixels int) ([]Block, error) {
	return t.BlocksOfRows(lane, from, to, pixels, pixels)
}

// BlocksOfRows is Timeline with about so many rows read, rather than one a
// pixel: fewer make wider blocks of several spans, and take less time.
func (t Lanes) BlocksOfRows(lane Lane, from, to int64, pixels, rows int) (blocks []Block, err error) {
	if to <= from || pixels <= 0 {
		return nil, nil
	}
	p := &painter{trace: t.trace, lane: lane, from: from, to: to, pixels: pixels, width: to - from, left: max(rows, 8*rollup.FanOut)}
	if p.width < 0 {
		p.width = math.MaxInt64
	}
	// One transaction: a live trace does not change between the levels, and
	// locks are taken once.
	if t.trace.conn.AutocommitEnabled() {
		if err := t.trace.query("BEGIN", nil, nil); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, t.trace.query("ROLLBACK", nil, nil)) }()
	}
	if err := p.paint(); err != nil {
		return nil, err
	}
	return p.blocks, nil
}

// painter collects the blocks of a window.
type painter struct {
	trace    *Trace
	lane     Lane
	from, to int64
	width    int64 // of the window, ns
	pixels   int
	left     int // rows that groups may still be opened for
	blocks   []Block
}

// stretch is a part of the window, [from, to). That of an opened group holds its
// members and nothing else.
type stretch struct {
	from, to int64
	gap      int64 // how many spans are between it and the stretch before
}

// part is a piece of what will be drawn, in order: a block, or a stretch that
// the level below fills.
type part struct {
	block   Block
	stretch stretch
	open    bool
}

func (p *painter) paint() error {
	var top int64
	if err := p.trace.query("SELECT max(level) FROM rollup WHERE lane = ?", []int64{p.lane.ID}, func(s *sqlite.Stmt) error {
		top = s.ColumnInt64(0)
		return nil
	}); err != nil {
		return err
	}
	parts := []part{{stretch: stretch{from: p.from, to: p.to}, open: true}}
	for level := top; level > 0; level-- {
		var err error
		if parts, err = p.open(parts, func(wanted []stretch) ([][]part, error) { return p.groups(level, wanted) }); err != nil {
			return err
		}
	}
	parts, err := p.open(parts, p.raw)
	if err != nil {
		return err
	}
	p.blocks = make([]Block, len(parts))
	for i := range parts {
		p.blocks[i] = parts[i].block
	}
	if p.lane.Type == LaneSpans {
		return p.goingOn()
	}
	return nil
}

// open replaces the parts that are open by what fill gives for their stretches.
func (p *painter) open(parts []part, fill func([]stretch) ([][]part, error)) ([]part, error) {
	var wanted []stretch
	gap := int64(0)
	for i := range parts {
		if !parts[i].open {
			gap += parts[i].block.Count
			continue
		}
		parts[i].stretch.gap = gap
		wanted = append(wanted, parts[i].stretch)
		gap = 0
	}
	if len(wanted) == 0 {
		return parts, nil
	}
	filled, err := fill(wanted)
	if err != nil {
		return nil, err
	}
	n := len(parts)
	for _, f := range filled {
		n += len(f)
	}
	out := make([]part, 0, n)
	for i := range parts {
		if !parts[i].open {
			out = append(out, parts[i])
			continue
		}
		out = append(out, filled[0]...)
		filled = filled[1:]
	}
	return out, nil
}

// spread sorts rows that come in order of start into stretches.
type spread struct {
	wanted []stretch
	parts  [][]part
	at     int // the stretch of the last row
}

// of gives the stretch that holds a moment, -1 if none does.
func (s *spread) of(start int64) int {
	for s.at < len(s.wanted)-1 && start >= s.wanted[s.at].to {
		s.at++
	}
	if w := s.wanted[s.at]; start >= w.to || start < w.from {
		return -1
	}
	return s.at
}

// together joins stretches that have few spans between them, so that one query
// reads them.
func together(wanted []stretch, few int64) []stretch {
	joined := []stretch{wanted[0]}
	for _, s := range wanted[1:] {
		if s.gap <= few {
			joined[len(joined)-1].to = s.to
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// skipped is how many rows may be read in vain to save a query.
const skipped = 16

// groups reads the groups of a level in stretches of the window. Those too wide
// come back open, and so does what is too new to be in a group.
func (p *painter) groups(level int64, wanted []stretch) ([][]part, error) {
	sorted := spread{wanted: wanted, parts: make([][]part, len(wanted))}
	var wide []int64 // how wide those are that are wider than openPixels
	limit := p.of(openPixels)
	few := int64(skipped)
	for range level {
		few *= rollup.FanOut
	}
	for _, s := range together(wanted, few) {
		first := s.from
		if s.from == p.from {
			// What runs into the window starts before it.
			var err error
			if first, err = p.before(level); err != nil {
				return nil, err
			}
		}
		if err := p.trace.groups("rollup", p.lane.ID, level, first, s.to, func(r *rollup.Group) error {
			if r.Start < first {
				return nil
			}
			b := Block{Start: r.Start, End: r.End, Busy: r.Busy, Count: r.Count, Bytes: r.Bytes}
			n := sorted.of(max(b.Start, p.from))
			if n < 0 || b.End < p.from {
				return nil
			}
			// A group's members start before the next group does.
			if parts := sorted.parts[n]; len(parts) > 0 {
				last := &parts[len(parts)-1]
				last.stretch.to = max(min(last.stretch.to, b.Start), last.stretch.from)
			}
			if b.End-b.Start > limit {
				wide = append(wide, b.End-b.Start)
			}
			sorted.parts[n] = append(sorted.parts[n], part{block: b,
				stretch: stretch{from: max(b.Start, sorted.wanted[n].from), to: min(b.End+1, sorted.wanted[n].to)}})
			return p.name(&sorted.parts[n][len(sorted.parts[n])-1].block, r.Site)
		}); err != nil {
			return nil, err
		}
	}
	for rollup.FanOut*len(wide) > p.left {
		if limit > math.MaxInt64/2 {
			limit, wide = math.MaxInt64, nil
			break
		}
		limit *= 2
		wide = slices.DeleteFunc(wide, func(width int64) bool { return width <= limit })
	}
	p.left -= rollup.FanOut * len(wide)
	for _, parts := range sorted.parts {
		for i := range parts {
			parts[i].open = parts[i].block.End-parts[i].block.Start > limit
		}
	}
	end, err := p.grouped(level)
	if err != nil {
		return nil, err
	}
	for i, w := range wanted {
		if end < w.to {
			sorted.parts[i] = append(sorted.parts[i], part{stretch: stretch{from: max(end, w.from), to: w.to}, open: true})
		}
	}
	return sorted.parts, nil
}

// of is the width of some pixels, ns.
func (p *painter) of(pixels int64) int64 {
	return max(int64(float64(p.width)*float64(pixels)/float64(p.pixels)), 1)
}

// before is the start of the last group of a level that starts before the
// window, or the window's start.
func (p *painter) before(level int64) (int64, error) {
	start := int64(math.MinInt64)
	err := p.trace.groups("rollup", p.lane.ID, level, p.from, p.from+1, func(g *rollup.Group) error {
		if g.Start <= p.from {
			start = max(start, g.Start)
		}
		return nil
	})
	if start == math.MinInt64 {
		start = p.from
	}
	return start, err
}

// grouped is from when on spans are too new to be in a group of a level.
func (p *painter) grouped(level int64) (int64, error) {
	from := int64(math.MinInt64)
	err := p.trace.groups("rollup", p.lane.ID, level, math.MaxInt64, math.MaxInt64, func(g *rollup.Group) error {
		from = g.End
		if p.lane.Type == LaneInstants {
			from++
		}
		return nil
	})
	return from, err
}

func (p *painter) name(b *Block, site int64) (err error) {
	if p.lane.Type == LaneQueue {
		b.Work, err = p.trace.Work(site)
	} else {
		b.Site, err = p.trace.Site(site)
	}
	return err
}
