package store

import (
	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// fanOut is how many neighbours of one level make a row of the next. A pixel of
// a timeline is never wider than one row it shows, so a window of n pixels reads
// at most fanOut*n rows a lane.
const fanOut = 8

// The types of lanes.
const (
	LaneSpans    = "spans"
	LaneInstants = "instants"
	LaneQueue    = "queue"
)

type laneKey struct {
	kind  byte // 's', 'i', 'q'
	owner uint32
	depth int32
}

// group is up to fanOut neighbours of a lane.
type group struct {
	members          int
	start, end, busy int64
	count, bytes     int64
	site, most       int64 // site of the member that was longest busy, and how long
}

type laneState struct {
	id       int64
	key      laneKey
	levels   []group // levels[i] is the group being filled for level i+1
	ordinals []int64
	total    group
	dirty    bool
}

type sampleGroup struct {
	members         int
	start, end      int64
	low, high, last int64
}

type sampleState struct {
	levels   []sampleGroup
	ordinals []int64
}

// roller makes rollups while rows come in.
type roller struct {
	rollup, sampleRollup *inserter
	lanes                map[laneKey]*laneState
	samples              map[model.DeviceID]*sampleState
	off                  bool // a resumed writer rebuilds them at the end
}

func newRoller(rollup, sampleRollup *inserter) *roller {
	return &roller{rollup: rollup, sampleRollup: sampleRollup, lanes: make(map[laneKey]*laneState),
		samples: make(map[model.DeviceID]*sampleState)}
}

func (r *roller) lane(key laneKey) *laneState {
	l := r.lanes[key]
	if l == nil {
		l = &laneState{id: int64(len(r.lanes) + 1), key: key}
		r.lanes[key] = l
	}
	return l
}

func (r *roller) span(thread model.ThreadID, depth int32, start, duration, bytes, site int64) error {
	return r.add(laneKey{'s', uint32(thread), depth}, start, duration, bytes, site)
}

func (r *roller) instant(thread model.ThreadID, time, bytes, site int64) error {
	return r.add(laneKey{'i', uint32(thread), 0}, time, 0, bytes, site)
}

func (r *roller) activity(queue model.QueueID, start, duration, bytes, work int64) error {
	return r.add(laneKey{'q', uint32(queue), 0}, start, duration, bytes, work)
}

func (r *roller) add(key laneKey, start, duration, bytes, site int64) error {
	if r.off {
		return nil
	}
	bytes = model.Size(uint64(bytes))
	l := r.lane(key)
	g := group{start: start, end: start + duration, busy: duration, count: 1, bytes: bytes, site: site, most: duration}
	l.total.merge(&g)
	l.dirty = true
	r.put(l, 0, g)
	return r.rollup.err
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

// put adds a member to the group of level i+1 and passes the group on when it
// is full.
func (r *roller) put(l *laneState, i int, m group) {
	for {
		if i == len(l.levels) {
			l.levels = append(l.levels, group{})
			l.ordinals = append(l.ordinals, 0)
		}
		g := &l.levels[i]
		g.merge(&m)
		if g.members < fanOut {
			return
		}
		m = *g
		*g = group{}
		r.emit(l, i, &m)
		i++
	}
}

func (r *roller) emit(l *laneState, i int, g *group) {
	l.ordinals[i]++
	r.rollup.add(l.id, int64(i+1), g.start, l.ordinals[i], g.end-g.start, g.busy, g.count, g.bytes, g.site)
}

func (r *roller) sample(s model.Sample) error {
	if r.off {
		return nil
	}
	st := r.samples[s.Device]
	if st == nil {
		st = new(sampleState)
		r.samples[s.Device] = st
	}
	m := sampleGroup{members: 1, start: s.Time, end: s.Time, low: s.Value, high: s.Value, last: s.Value}
	for i := 0; ; i++ {
		if i == len(st.levels) {
			st.levels = append(st.levels, sampleGroup{})
			st.ordinals = append(st.ordinals, 0)
		}
		g := &st.levels[i]
		g.merge(&m)
		if g.members < fanOut {
			break
		}
		m = *g
		*g = sampleGroup{}
		r.emitSample(s.Device, st, i, &m)
	}
	return r.sampleRollup.err
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

func (r *roller) emitSample(device model.DeviceID, st *sampleState, i int, g *sampleGroup) {
	st.ordinals[i]++
	r.sampleRollup.add(int64(device), int64(i+1), g.start, st.ordinals[i], g.end, g.low, g.high, g.last)
}

// finish passes on the groups that did not fill and writes the lanes.
func (r *roller) finish(conn *sqlite.Conn) error {
	for _, l := range r.lanes {
		// A half-filled group is passed up only where something stands above it
		// already.
		for i := 0; i < len(l.levels); i++ {
			if g := l.levels[i]; g.members > 0 {
				r.emit(l, i, &g)
				if i+1 < len(l.levels) {
					l.levels[i+1].merge(&g)
				}
			}
		}
	}
	if err := r.saveLanes(conn); err != nil {
		return err
	}
	for device, st := range r.samples {
		for i := range st.levels {
			if g := st.levels[i]; g.members > 0 {
				r.emitSample(device, st, i, &g)
				if i+1 < len(st.levels) {
					st.levels[i+1].merge(&g)
				}
			}
		}
	}
	if err := r.rollup.flush(); err != nil {
		return err
	}
	return r.sampleRollup.flush()
}

// saveLanes writes the lanes that have changed.
func (r *roller) saveLanes(conn *sqlite.Conn) error {
	if r.off {
		return nil
	}
	for _, l := range r.lanes {
		if !l.dirty {
			continue
		}
		l.dirty = false
		t := &l.total
		name := map[byte]string{'s': LaneSpans, 'i': LaneInstants, 'q': LaneQueue}[l.key.kind]
		if err := execute(conn, "INSERT OR REPLACE INTO lane VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", l.id, name, int64(l.key.owner),
			l.key.depth, t.start, t.end, t.count, t.busy, t.bytes); err != nil {
			return err
		}
	}
	return nil
}

// rebuild makes the rollups from the rows of a trace that was not written in
// one go.
func (r *roller) rebuild(conn *sqlite.Conn) error {
	r.off = false
	if err := sqlitex.ExecuteScript(conn, "DELETE FROM rollup; DELETE FROM sample_rollup; DELETE FROM lane;"+rebuildTotals, nil); err != nil {
		return err
	}
	each := func(query string, f func(*sqlite.Stmt) error) error {
		return sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: f})
	}
	err := each(`SELECT thread, depth, time, duration, bytes, site, end_sequence FROM record WHERE end_sequence >= 0 ORDER BY id`,
		func(s *sqlite.Stmt) error {
			thread, depth := model.ThreadID(s.ColumnInt64(0)), s.ColumnInt32(1)
			if s.ColumnInt64(6) == 0 {
				return r.instant(thread, s.ColumnInt64(2), s.ColumnInt64(4), s.ColumnInt64(5))
			}
			return r.span(thread, depth, s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5))
		})
	if err != nil {
		return err
	}
	err = each(`SELECT w.queue, a.start, a.duration, a.bytes, a.work FROM activity a JOIN work w ON w.id = a.work ORDER BY a.id`,
		func(s *sqlite.Stmt) error {
			return r.activity(model.QueueID(s.ColumnInt64(0)), s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4))
		})
	if err != nil {
		return err
	}
	return each("SELECT device, time, used FROM sample ORDER BY rowid", func(s *sqlite.Stmt) error {
		return r.sample(model.Sample{Device: model.DeviceID(s.ColumnInt64(0)), Time: s.ColumnInt64(1), Value: s.ColumnInt64(2)})
	})
}
