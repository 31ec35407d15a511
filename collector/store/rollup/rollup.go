// Package rollup sums neighbours of a trace's lanes and of a device's memory in groups of
// several levels, so that a timeline reads as many rows as it has pixels, whatever it
// shows. It makes the rows of the tables lane, rollup and sample_rollup
// (docs/trace-schema.md) and takes them apart.
package rollup

import (
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// FanOut is how many neighbours of one level make a row of the next. A pixel of
// a timeline is never wider than one row it shows, so a window of n pixels reads
// at most FanOut*n rows a lane.
const FanOut = 8

// The types of lanes.
const (
	Spans    = "spans"    // of one depth of a thread
	Instants = "instants" // a thread's events without duration
	Queue    = "queue"    // device activity
)

type laneKey struct {
	kind  byte // 's', 'i', 'q'
	owner uint32
	depth int32
}

// group is up to FanOut neighbours of a lane.
type group struct {
	members          int
	start, end, busy int64
	count, bytes     int64
	site, most       int64 // site of the member that was longest busy, and how long
}

type laneState struct {
	id     int64
	key    laneKey
	levels []group // levels[i] is the group being filled for level i+1
	blocks []block // blocks[i] holds the last ones of level i+1
	ids    []int64 // of the members of levels[0]
	total  group
	dirty  bool
	over   bool // nothing will be added
}

type sampleGroup struct {
	members         int
	start, end      int64
	low, high, last int64
}

type sampleState struct {
	levels []sampleGroup
	blocks []block
	ids    []int64
	over   bool // nothing will be added
}

// Builder makes rollups while rows come in.
type Builder struct {
	lanes    map[laneKey]*laneState
	last     int64 // number of a lane
	samples  map[model.DeviceID]*sampleState
	rows     [2]int64 // of the tables rollup and sample_rollup
	full     []fullBlock
	previous *laneState
}

// fullBlock is a row of rollup (table 0) or sample_rollup (table 1).
type fullBlock struct {
	table        int
	owner, level int64
	block        block
}

// New begins without a row.
func New() *Builder {
	return &Builder{lanes: make(map[laneKey]*laneState), samples: make(map[model.DeviceID]*sampleState)}
}

func (r *Builder) lane(key laneKey) *laneState {
	if l := r.previous; l != nil && l.key == key {
		return l
	}
	l := r.lanes[key]
	if l == nil {
		r.last++
		l = &laneState{id: r.last, key: key}
		r.lanes[key] = l
	}
	r.previous = l
	return l
}

// Span takes in a span that has ended: its record, start and duration in ns, its bytes and its site.
func (r *Builder) Span(id int64, thread model.ThreadID, depth int32, start, duration, bytes, site int64) {
	r.add(laneKey{'s', uint32(thread), depth}, id, start, duration, bytes, site)
}

// Instant takes in a thread's event without duration: its record, time in ns, bytes and site.
func (r *Builder) Instant(id int64, thread model.ThreadID, time, bytes, site int64) {
	r.add(laneKey{'i', uint32(thread), 0}, id, time, 0, bytes, site)
}

// Activity takes in a device operation: its number, start and duration in ns, bytes and work.
func (r *Builder) Activity(id int64, queue model.QueueID, start, duration, bytes, work int64) {
	r.add(laneKey{'q', uint32(queue), 0}, id, start, duration, bytes, work)
}

func (r *Builder) add(key laneKey, id, start, duration, bytes, site int64) {
	bytes = model.Size(uint64(bytes))
	l := r.lane(key)
	g := group{start: start, end: start + duration, busy: duration, count: 1, bytes: bytes, site: site, most: duration}
	l.total.merge(&g)
	l.dirty = true
	l.ids = append(l.ids, id)
	r.put(l, g)
}

func (g *group) merge(m *group) {
	if g.members == 0 {
		*g = *m
		g.members = 1
		return
	}
	g.members++
	g.start, g.end = min(g.start, m.start), max(g.end, m.end)
	g.busy += m.busy
	g.count += m.count
	g.bytes += m.bytes
	if m.most > g.most {
		g.most, g.site = m.most, m.site
	}
}

// put adds a member to the group of level 1 and passes each group on that is
// full.
func (r *Builder) put(l *laneState, m group) {
	for i := 0; ; i++ {
		if i == len(l.levels) {
			l.levels = append(l.levels, group{})
			l.blocks = append(l.blocks, block{})
		}
		g := &l.levels[i]
		g.merge(&m)
		if g.members < FanOut {
			return
		}
		m = *g
		*g = group{}
		r.emit(l, i, &m)
	}
}

func (r *Builder) emit(l *laneState, i int, g *group) {
	b := &l.blocks[i]
	r.open(b, 0, g.start)
	b.span(g.start, g.end)
	b.signed(g.busy - (g.end - g.start))
	b.unsigned(g.count)
	b.unsigned(g.bytes)
	b.unsigned(g.site)
	if i == 0 {
		b.members(l.ids)
		l.ids = l.ids[:0]
	}
	r.closeGroup(b, 0, l.id, i)
}

// open begins a block with its first group.
func (r *Builder) open(b *block, table int, start int64) {
	if b.groups == 0 {
		r.rows[table]++
		*b = block{row: r.rows[table], start: start, data: b.data[:0]}
	}
}

// closeGroup counts a group, and sets the block aside when it is full.
func (r *Builder) closeGroup(b *block, table int, owner int64, level int) {
	b.groups++
	b.dirty = true
	if b.groups == blockGroups {
		r.full = append(r.full, fullBlock{table, owner, int64(level + 1), *b})
		*b = block{}
	}
}

// Sample takes in a device's memory in use from a moment on, after the record id.
func (r *Builder) Sample(id int64, s model.Sample) {
	st := r.samples[s.Device]
	if st == nil {
		st = new(sampleState)
		r.samples[s.Device] = st
	}
	st.ids = append(st.ids, id)
	m := sampleGroup{members: 1, start: s.Time, end: s.Time, low: s.Value, high: s.Value, last: s.Value}
	for i := 0; ; i++ {
		if i == len(st.levels) {
			st.levels = append(st.levels, sampleGroup{})
			st.blocks = append(st.blocks, block{})
		}
		g := &st.levels[i]
		g.merge(&m)
		if g.members < FanOut {
			return
		}
		m = *g
		*g = sampleGroup{}
		r.emitSample(s.Device, st, i, &m)
	}
}

func (g *sampleGroup) merge(m *sampleGroup) {
	if g.members == 0 {
		*g = *m
		g.members = 1
		return
	}
	g.members++
	g.end = max(g.end, m.end)
	g.low, g.high, g.last = min(g.low, m.low), max(g.high, m.high), m.last
}

func (r *Builder) emitSample(device model.DeviceID, st *sampleState, i int, g *sampleGroup) {
	b := &st.blocks[i]
	r.open(b, 1, g.start)
	b.span(g.start, g.end)
	b.signed(g.low)
	b.unsigned(g.high - g.low)
	b.signed(g.last - g.low)
	if i == 0 {
		b.members(st.ids)
		st.ids = st.ids[:0]
	}
	r.closeGroup(b, 1, int64(device), i)
}

// Finish passes on the groups that did not fill.
func (r *Builder) Finish() {
	for _, l := range r.lanes {
		r.finishLane(l)
	}
	for device, st := range r.samples {
		r.finishSamples(device, st)
	}
}

// A half-filled group is passed up only where something stands above it already.
func (r *Builder) finishLane(l *laneState) {
	for i := 0; i < len(l.levels); i++ {
		if g := l.levels[i]; g.members > 0 {
			r.emit(l, i, &g)
			l.levels[i] = group{}
			if i+1 < len(l.levels) {
				l.levels[i+1].merge(&g)
			}
		}
	}
}

func (r *Builder) finishSamples(device model.DeviceID, st *sampleState) {
	for i := range st.levels {
		if g := st.levels[i]; g.members > 0 {
			r.emitSample(device, st, i, &g)
			st.levels[i] = sampleGroup{}
			if i+1 < len(st.levels) {
				st.levels[i+1].merge(&g)
			}
		}
	}
}

// Retire passes on the groups of what will get no more, which is forgotten when it has been
// saved.
func (r *Builder) Retire(gone *model.Retired) {
	for key, l := range r.lanes {
		if key.kind == 'q' {
			l.over = l.over || gone.Queues[model.QueueID(key.owner)]
		} else {
			l.over = l.over || gone.Threads[model.ThreadID(key.owner)]
		}
		if l.over {
			r.finishLane(l)
		}
	}
	for device, st := range r.samples {
		if gone.Devices[device] {
			st.over = true
			r.finishSamples(device, st)
		}
	}
}

// Save writes the lanes and blocks that have changed.
func (r *Builder) Save(conn *sqlite.Conn) error {
	for i := range r.full {
		if err := r.full[i].save(conn); err != nil {
			return err
		}
	}
	r.full = r.full[:0]
	for key, l := range r.lanes {
		if err := saveBlocks(conn, 0, l.id, l.blocks); err != nil {
			return err
		}
		if l.over {
			delete(r.lanes, key)
			r.previous = nil
		}
		if !l.dirty {
			continue
		}
		l.dirty = false
		t := &l.total
		name := map[byte]string{'s': Spans, 'i': Instants, 'q': Queue}[l.key.kind]
		if err := sqlitex.Execute(conn, "INSERT OR REPLACE INTO lane VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", &sqlitex.ExecOptions{Args: []any{l.id, name,
			int64(l.key.owner), l.key.depth, t.start, t.end, t.count, t.busy, t.bytes}}); err != nil {
			return err
		}
	}
	for device, st := range r.samples {
		if err := saveBlocks(conn, 1, int64(device), st.blocks); err != nil {
			return err
		}
		if st.over {
			delete(r.samples, device)
		}
	}
	return nil
}

func saveBlocks(conn *sqlite.Conn, table int, owner int64, blocks []block) error {
	for i := range blocks {
		if blocks[i].dirty {
			if err := (&fullBlock{table, owner, int64(i + 1), blocks[i]}).save(conn); err != nil {
				return err
			}
			blocks[i].dirty = false
		}
	}
	return nil
}

func (f *fullBlock) save(conn *sqlite.Conn) error {
	query := "INSERT OR REPLACE INTO rollup VALUES (?, ?, ?, ?, ?)"
	if f.table == 1 {
		query = "INSERT OR REPLACE INTO sample_rollup VALUES (?, ?, ?, ?, ?)"
	}
	return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: []any{f.block.row, f.owner, f.level, f.block.start, f.block.data}})
}

// Rebuild makes the rollups from the rows of a trace that is gone on with.
func (r *Builder) Rebuild(conn *sqlite.Conn) error {
	if err := sqlitex.ExecuteScript(conn, "DELETE FROM rollup; DELETE FROM sample_rollup; DELETE FROM lane", nil); err != nil {
		return err
	}
	each := func(query string, f func(*sqlite.Stmt)) error {
		return sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			f(s)
			return nil
		}})
	}
	if err := each(`SELECT r.id, d.thread, d.depth, r.time, r.duration, x.bytes, r.site, r.end_sequence FROM record r
		JOIN site d ON d.id = r.site LEFT JOIN datum x ON x.id = r.datum WHERE r.end_sequence >= 0 OR r.duration IS NOT NULL ORDER BY r.id`, func(s *sqlite.Stmt) {
		thread, depth := model.ThreadID(s.ColumnInt64(1)), s.ColumnInt32(2)
		if s.ColumnInt64(7) == 0 {
			r.Instant(s.ColumnInt64(0), thread, s.ColumnInt64(3), s.ColumnInt64(5), s.ColumnInt64(6))
		} else {
			r.Span(s.ColumnInt64(0), thread, depth, s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5), s.ColumnInt64(6))
		}
	}); err != nil {
		return err
	}
	if err := each(`SELECT a.id, w.queue, a.start, a.duration, a.bytes, a.work FROM activity a JOIN work w ON w.id = a.work ORDER BY a.id`, func(s *sqlite.Stmt) {
		r.Activity(s.ColumnInt64(0), model.QueueID(s.ColumnInt64(1)), s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5))
	}); err != nil {
		return err
	}
	return each(`SELECT r.id, d.device, r.time, r.inner_time FROM record r JOIN site d ON d.id = r.site WHERE d.kind IN (8, 9) AND r.inner_time >= 0
		UNION ALL SELECT record, device, time, used FROM sample ORDER BY 1`, func(s *sqlite.Stmt) {
		r.Sample(s.ColumnInt64(0), model.Sample{Device: model.DeviceID(s.ColumnInt64(1)), Time: s.ColumnInt64(2), Value: s.ColumnInt64(3)})
	})
}
