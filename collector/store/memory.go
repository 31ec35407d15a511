package store

import (
	"errors"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

func itoa(n int) string { return strconv.Itoa(n) }

// MemoryPoint is a device's memory in use over [Time, End]: one change, or
// neighbours that are narrower than a pixel together. Bytes.
type MemoryPoint struct {
	Time int64 `json:"time"`
	End  int64 `json:"end"`
	Low  int64 `json:"low"`
	High int64 `json:"high"`
	Last int64 `json:"last"` // value from End on
}

// Memory gives a device's memory in use in the window [from, to) at a width in
// pixels; to 0 means to the end, pixels 0 every change. The first point may lie
// before the window: it is the value at its start.
func (t *Trace) Memory(device model.DeviceID, from, to int64, pixels int) ([]MemoryPoint, error) {
	if to == 0 {
		_, last, err := t.Extent()
		if err != nil {
			return nil, err
		}
		to = last + 1
	}
	if to <= from {
		return nil, nil
	}
	c := &curve{trace: t, device: device, pixel: 0}
	top := int64(0)
	if pixels > 0 {
		var err error
		c.pixel = (to - from) / int64(pixels)
		if top, err = integer(t.conn, "SELECT coalesce(max(level), 0) FROM sample_rollup WHERE device = ?", int64(device)); err != nil {
			return nil, explain(t.path, err)
		}
	}
	err := t.query("SELECT time, used FROM sample WHERE device = ? AND time < ? ORDER BY time DESC, rowid DESC LIMIT 1",
		[]int64{int64(device), from}, func(s *sqlite.Stmt) error {
			v := s.ColumnInt64(1)
			c.points = append(c.points, MemoryPoint{s.ColumnInt64(0), s.ColumnInt64(0), v, v, v})
			return nil
		})
	if err != nil {
		return nil, err
	}
	err = c.cover(int(top), from, to)
	return c.points, err
}

// Sample is a device's memory in use from a moment on.
type Sample struct {
	Device model.DeviceID
	Time   int64
	Used   int64 // bytes
}

// Samples streams every change of the devices' memory from time from until
// before to (0: no bound), in the order it was recorded.
func (t *Trace) Samples(from, to int64) iter.Seq2[Sample, error] {
	from, to = (&Filter{From: from, To: to}).bounds()
	return func(yield func(Sample, error) bool) {
		if err := t.scan("sample", "rowid", []string{"device", "time", "used"}, math.MinInt64, math.MaxInt64, func(_ int64, v []int64) error {
			if v[1] >= from && v[1] < to && !yield(Sample{model.DeviceID(v[0]), v[1], v[2]}, nil) {
				return errStop
			}
			return nil
		}); err != nil && !errors.Is(err, errStop) {
			yield(Sample{}, err)
		}
	}
}

type curve struct {
	trace  *Trace
	device model.DeviceID
	pixel  int64
	points []MemoryPoint
}

func (c *curve) cover(level int, from, to int64) error {
	if from >= to {
		return nil
	}
	if level == 0 {
		return c.trace.query("SELECT time, used FROM sample WHERE device = ? AND time >= ? AND time < ? ORDER BY time, rowid",
			[]int64{int64(c.device), from, to}, func(s *sqlite.Stmt) error {
				v := s.ColumnInt64(1)
				c.points = append(c.points, MemoryPoint{s.ColumnInt64(0), s.ColumnInt64(0), v, v, v})
				return nil
			})
	}
	var groups []MemoryPoint
	if err := c.trace.query(`SELECT start, end, low, high, last FROM sample_rollup WHERE device = ?1 AND level = ?2
		AND start >= coalesce((SELECT max(start) FROM sample_rollup WHERE device = ?1 AND level = ?2 AND start <= ?3), ?3) AND start < ?4
		ORDER BY start, ordinal`, []int64{int64(c.device), int64(level), from, to}, func(s *sqlite.Stmt) error {
		groups = append(groups, MemoryPoint{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4)})
		return nil
	}); err != nil {
		return err
	}
	// Neighbouring groups may share a moment: a cut between them would show it
	// twice, so what follows a group starts after its end.
	done := from
	drawn := -1 // the last group drawn as one
	for i, g := range groups {
		if g.End < done {
			continue
		}
		if g.Time >= done && g.End < to && g.End-g.Time <= c.pixel {
			// Between a group and the next of its level there is nothing.
			if drawn < 0 || drawn != i-1 {
				if err := c.cover(level-1, done, g.Time); err != nil {
					return err
				}
			}
			c.points = append(c.points, g)
			done = g.End + 1
			drawn = i
		}
	}
	return c.cover(level-1, done, to)
}

// Mapping is device memory (kind alloc) or a mapping of host data (kind create)
// and how long it lived.
type Mapping struct {
	Record  int64          `json:"record"` // of the create or alloc; negative: it existed before capture
	Kind    string         `json:"kind"`   // create or alloc
	Thread  model.ThreadID `json:"thread"`
	Site    *Site          `json:"-"`
	Host    uint64         `json:"host"`
	Address uint64         `json:"address"` // on the device
	Bytes   uint64         `json:"bytes"`
	Start   int64          `json:"start"`
	End     int64          `json:"end"`      // math.MaxInt64: never deleted or freed, nor the device shut down
	EndedBy int64          `json:"ended_by"` // record of the delete or free, 0 if none
}

// Live says whether the mapping was there at a time.
func (m *Mapping) Live(at int64) bool { return m.Start <= at && at < m.End }

// Mappings streams the mappings (kind "create"), or device allocations (kind
// "alloc"), in order of creation, to f until it returns false. Of the filter,
// Process and Device apply, and From and To: lived at some time in between.
func (t *Trace) Mappings(kind string, filter Filter, f func(*Mapping) bool) error {
	code := int64(model.Create)
	if kind == "alloc" {
		code = int64(model.Alloc)
	}
	to := filter.To
	if to == 0 {
		to = math.MaxInt64
	}
	shutdowns, err := t.shutdowns()
	if err != nil {
		return err
	}
	query := `SELECT r.id, r.thread, r.site, r.host, r.address, r.bytes, r.time, d.time, d.id FROM record r
		LEFT JOIN record d ON d.opener = r.id AND d.opener <> 0
		WHERE r.site IN (SELECT id FROM site WHERE kind = ?) AND r.time < ? ORDER BY r.id`
	err = t.query(query, []int64{code, to}, func(s *sqlite.Stmt) error {
		m := Mapping{Record: s.ColumnInt64(0), Kind: kind, Thread: model.ThreadID(s.ColumnInt64(1)), Host: uint64(s.ColumnInt64(3)),
			Address: uint64(s.ColumnInt64(4)), Bytes: uint64(s.ColumnInt64(5)), Start: s.ColumnInt64(6), End: math.MaxInt64}
		if !s.ColumnIsNull(7) {
			m.End, m.EndedBy = s.ColumnInt64(7), s.ColumnInt64(8)
		}
		if m.End <= filter.From {
			return nil
		}
		var err error
		if m.Site, err = t.Site(s.ColumnInt64(2)); err != nil {
			return err
		}
		shutdowns.end(&m)
		if m.End <= filter.From || !filter.site(m.Site) {
			return nil
		}
		if !f(&m) {
			return errStop
		}
		return nil
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// shutdowns are the times when devices had been shut down, in their order.
type shutdowns map[model.DeviceID][]int64

func (t *Trace) shutdowns() (shutdowns, error) {
	ends := make(shutdowns)
	err := t.query("SELECT x.device, r.time + r.duration FROM record r JOIN site x ON x.id = r.site WHERE x.kind = ? AND r.duration IS NOT NULL ORDER BY 2",
		[]int64{int64(model.DeviceShutdownStart)}, func(s *sqlite.Stmt) error {
			device := model.DeviceID(s.ColumnInt64(0))
			ends[device] = append(ends[device], s.ColumnInt64(1))
			return nil
		})
	return ends, err
}

// end ends a mapping that was neither deleted nor freed with its device: not every
// runtime raises an event for each.
func (ends shutdowns) end(m *Mapping) {
	if m.End != math.MaxInt64 {
		return
	}
	times := ends[m.Site.Device]
	if i, _ := slices.BinarySearch(times, m.Start); i < len(times) {
		m.End = times[i]
	}
}

// PresentAt is the present table at a time: the live mappings, or where the
// runtime reported none at all, the live allocations, in order of creation.
func (t *Trace) PresentAt(time int64) ([]Mapping, error) {
	kind := "create"
	n, err := integer(t.conn, "SELECT EXISTS (SELECT 1 FROM site WHERE kind = ?)", int64(model.Create))
	if err != nil {
		return nil, explain(t.path, err)
	}
	if n == 0 {
		kind = "alloc"
	}
	shutdowns, err := t.shutdowns()
	if err != nil {
		return nil, err
	}
	var out []Mapping
	// Its delete and the free of the memory under it both end what existed before.
	err = t.query(`SELECT x.id, x.host, x.address, x.bytes, x.time, f.time, f.id, n.text, d.id, d.process, d.type, d.number FROM existing x
		JOIN device d ON d.id = x.device JOIN string n ON n.id = x.name
		LEFT JOIN record f ON f.id = (SELECT f.id FROM record f WHERE f.opener = -x.id AND f.opener <> 0 ORDER BY f.time LIMIT 1) ORDER BY x.id`, nil, func(s *sqlite.Stmt) error {
		m := Mapping{Record: -s.ColumnInt64(0), Kind: "create", Host: uint64(s.ColumnInt64(1)), Address: uint64(s.ColumnInt64(2)),
			Bytes: uint64(s.ColumnInt64(3)), Start: s.ColumnInt64(4), End: math.MaxInt64,
			Site: &Site{Name: t.readable(s.ColumnText(7)), Symbol: s.ColumnText(7), Device: model.DeviceID(s.ColumnInt64(8)), Process: model.ProcessID(s.ColumnInt64(9)),
				DeviceType: s.ColumnInt32(10), DeviceNumber: s.ColumnInt32(11), Line: -1}}
		if !s.ColumnIsNull(5) {
			m.End, m.EndedBy = s.ColumnInt64(5), s.ColumnInt64(6)
		}
		shutdowns.end(&m)
		if m.Live(time) {
			out = append(out, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = t.Mappings(kind, Filter{From: time, To: time + 1}, func(m *Mapping) bool {
		if m.Live(time) {
			out = append(out, *m)
		}
		return true
	})
	return out, err
}

// Occupancy bounds what an unmeasured queue did: its operations ran some time
// between From and To.
type Occupancy = model.Occupancy

// Occupancies reads the bounds of queues without device activity, in order of
// their start; queue 0 means all.
func (t *Trace) Occupancies(queue model.QueueID) ([]Occupancy, error) {
	var out []Occupancy
	err := t.query("SELECT queue, start, end, operations, bytes FROM occupancy WHERE ?1 = 0 OR queue = ?1 ORDER BY start",
		[]int64{int64(queue)}, func(s *sqlite.Stmt) error {
			out = append(out, Occupancy{Queue: model.QueueID(s.ColumnInt64(0)), From: s.ColumnInt64(1), To: s.ColumnInt64(2),
				Operations: s.ColumnInt64(3), Bytes: s.ColumnInt64(4)})
			return nil
		})
	return out, err
}
