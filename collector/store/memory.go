package store

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/rollup"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// MemoryPoint is a device's memory in use over [Time, End]: one change, or
// neighbours that are narrower than a pixel together. Bytes.
type MemoryPoint struct {
	Time int64 `json:"time"`
	End  int64 `json:"end"`
	Low  int64 `json:"low"`
	High int64 `json:"high"`
	Last int64 `json:"last"` // value from End on
}

// Curve gives a device's memory in use in the window [from, to) at a width in
// pixels; to 0 means to the end, pixels 0 every change. The first point may lie
// before the window: it is the value at its start.
func (t DeviceMemory) Curve(device model.DeviceID, from, to int64, pixels int) ([]MemoryPoint, error) {
	if to == 0 {
		_, last, err := t.trace.Extent()
		if err != nil {
			return nil, err
		}
		to = last + 1
	}
	if to <= from {
		return nil, nil
	}
	c := &curve{trace: t.trace, device: device, pixel: 0}
	top := int64(0)
	if pixels > 0 {
		var err error
		c.pixel = (to - from) / int64(pixels)
		if top, err = schema.Integer(t.trace.conn, "SELECT coalesce(max(level), 0) FROM sample_rollup WHERE device = ?", int64(device)); err != nil {
			return nil, schema.Explain(t.trace.path, err)
		}
	}
	before, found, err := t.lastSample(device, from)
	if err != nil {
		return nil, err
	}
	if found {
		c.points = append(c.points, MemoryPoint{before.Time, before.Time, before.Used, before.Used, before.Used})
	}
	err = c.cover(int(top), from, to)
	return c.points, err
}

// lastSample is a device's memory in use just before a time, if it is known.
func (t DeviceMemory) lastSample(device model.DeviceID, before int64) (last Sample, found bool, err error) {
	list, err := t.samplesNear(device, before, before)
	for _, s := range list {
		if s.Time < before && (!found || s.Time >= last.Time) {
			last, found = s, true
		}
	}
	return last, found, err
}

// samplesNear gives the changes of a device's memory in [from, to) and, as they
// stand together in groups, a few neighbours: the last one before from is among
// them.
func (t DeviceMemory) samplesNear(device model.DeviceID, from, to int64) (list []Sample, err error) {
	ids, err := t.trace.membersNear("sample_rollup", int64(device), from, to)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if err := t.trace.query("SELECT r.time, r.inner_time FROM record r JOIN site s ON s.id = r.site WHERE r.id = ? AND s.kind IN (8, 9)", []int64{id}, func(s *sqlite.Stmt) error {
			list = append(list, Sample{device, s.ColumnInt64(0), s.ColumnInt64(1)})
			return nil
		}); err != nil {
			return nil, err
		}
		others, err := t.samplesAt(id)
		if err != nil {
			return nil, err
		}
		for _, s := range others {
			if s.Device == device {
				list = append(list, s)
			}
		}
	}
	complete, err := t.trace.complete()
	if err != nil || complete {
		return list, err
	}
	last, err := t.trace.lastMember("sample_rollup", int64(device))
	if err != nil {
		return nil, err
	}
	_, end, err := t.trace.between(from, to)
	if err != nil {
		return nil, err
	}
	err = t.changesBetween(last+1, end, func(_ int64, s Sample) error {
		if s.Device == device {
			list = append(list, s)
		}
		return nil
	})
	return list, err
}

// AtEnd is a device's memory in use at the end: before it was shut down for
// good, which frees what was left.
func (t DeviceMemory) AtEnd(device model.DeviceID) (int64, error) {
	last, found, err := t.lastSample(device, math.MaxInt64)
	if err != nil || !found {
		return 0, err
	}
	shut, err := t.shutByDevice()
	if err != nil {
		return 0, err
	}
	end := int64(math.MaxInt64)
	for _, s := range shut[device] { // in order of time
		if s.to >= last.Time {
			end = s.from
		}
	}
	last, _, err = t.lastSample(device, end)
	return last.Used, err
}

// shutting is a time from one moment to another, ns.
type shutting struct{ from, to int64 }

// shutByDevice are the times that devices took to be shut down, of each in their order. They are
// read at once: a job of many ranks has many devices, each of which is asked for.
func (t DeviceMemory) shutByDevice() (map[model.DeviceID][]shutting, error) {
	complete, err := t.trace.complete()
	if err != nil || complete && t.trace.shut != nil {
		return t.trace.shut, err
	}
	shut := map[model.DeviceID][]shutting{}
	err = t.trace.query(`SELECT x.device, r.time, r.time + r.duration FROM landmark m CROSS JOIN record r ON r.id = m.record JOIN site x ON x.id = r.site
		WHERE m.kind = ? ORDER BY r.time`, []int64{int64(model.DeviceShutdownStart)}, func(s *sqlite.Stmt) error {
		to := int64(math.MaxInt64) // it never ended
		if !s.ColumnIsNull(2) {
			to = s.ColumnInt64(2)
		}
		device := model.DeviceID(s.ColumnInt64(0))
		shut[device] = append(shut[device], shutting{s.ColumnInt64(1), to})
		return nil
	})
	if err == nil && complete {
		t.trace.shut = shut
	}
	return shut, err
}

// mostSamplesKept is how many changes of memory that come with no alloc or free are kept.
const mostSamplesKept = 1 << 20

// samplesAt are the changes of memory that come with no alloc or free, of all devices, that
// were seen after a record and before the next. Their table has no index: of a finished trace
// they are read at once, unless they are too many to keep.
func (t DeviceMemory) samplesAt(record int64) (list []Sample, err error) {
	complete, err := t.trace.complete()
	if err != nil {
		return nil, err
	}
	if complete && t.trace.otherSamples == nil {
		n, err := schema.Integer(t.trace.conn, "SELECT count(*) FROM sample")
		if err != nil {
			return nil, schema.Explain(t.trace.path, err)
		}
		if n <= mostSamplesKept {
			others := map[int64][]Sample{}
			if err := t.trace.query("SELECT record, device, time, used FROM sample", nil, func(s *sqlite.Stmt) error {
				others[s.ColumnInt64(0)] = append(others[s.ColumnInt64(0)], Sample{model.DeviceID(s.ColumnInt64(1)), s.ColumnInt64(2), s.ColumnInt64(3)})
				return nil
			}); err != nil {
				return nil, err
			}
			t.trace.otherSamples = others
		}
	}
	if complete && t.trace.otherSamples != nil {
		return t.trace.otherSamples[record], nil
	}
	err = t.trace.query("SELECT device, time, used FROM sample WHERE record = ?", []int64{record}, func(s *sqlite.Stmt) error {
		list = append(list, Sample{model.DeviceID(s.ColumnInt64(0)), s.ColumnInt64(1), s.ColumnInt64(2)})
		return nil
	})
	return list, err
}

// changesBetween calls f for the changes of memory by the records from first to last,
// in their order.
func (t DeviceMemory) changesBetween(first, last int64, f func(record int64, s Sample) error) error {
	var others []Sample
	var at []int64
	if err := t.trace.query("SELECT device, time, used, record FROM sample WHERE record >= ? AND record <= ? ORDER BY record, rowid", []int64{first, last}, func(s *sqlite.Stmt) error {
		others = append(others, Sample{model.DeviceID(s.ColumnInt64(0)), s.ColumnInt64(1), s.ColumnInt64(2)})
		at = append(at, s.ColumnInt64(3))
		return nil
	}); err != nil {
		return err
	}
	other := func(upTo int64) error {
		for len(at) > 0 && at[0] <= upTo {
			if err := f(at[0], others[0]); err != nil {
				return err
			}
			at, others = at[1:], others[1:]
		}
		return nil
	}
	memory := map[int64]model.DeviceID{} // by site; 0: of another kind
	if err := t.trace.pages.Scan("record", "id", []string{"site", "time", "inner_time"}, first, last, func(id int64, v []int64) error {
		device, known := memory[v[0]]
		if !known {
			site, err := t.trace.Site(v[0])
			if err != nil {
				return err
			}
			if site.KindCode == model.Alloc || site.KindCode == model.Free {
				device = site.Device
			}
			memory[v[0]] = device
		}
		if device == 0 || v[2] < 0 {
			return nil
		}
		if err := other(id); err != nil {
			return err
		}
		return f(id, Sample{device, v[1], v[2]})
	}); err != nil {
		return err
	}
	return other(math.MaxInt64)
}

// Sample is a device's memory in use from a moment on.
type Sample struct {
	Device model.DeviceID
	Time   int64
	Used   int64 // bytes
}

// Changes streams every change of the devices' memory from time from until
// before to (0: no bound), in the order it was recorded.
func (t DeviceMemory) Changes(from, to int64) iter.Seq2[Sample, error] {
	from, to = (&Filter{From: from, To: to}).Bounds()
	return func(yield func(Sample, error) bool) {
		first, last := int64(0), int64(math.MaxInt64)
		if from != math.MinInt64 || to != math.MaxInt64 {
			var err error
			if first, last, err = t.trace.between(max(from, math.MinInt64/2), min(to, math.MaxInt64/2)); err != nil {
				yield(Sample{}, err)
				return
			}
		}
		if err := t.changesBetween(first, last, func(_ int64, s Sample) error {
			if s.Time >= from && s.Time < to && !yield(s, nil) {
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
		list, err := c.trace.Memory().samplesNear(c.device, from, to)
		slices.SortStableFunc(list, func(a, b Sample) int { return cmp.Compare(a.Time, b.Time) })
		for _, s := range list {
			if s.Time >= from && s.Time < to {
				c.points = append(c.points, MemoryPoint{s.Time, s.Time, s.Used, s.Used, s.Used})
			}
		}
		return err
	}
	var groups []MemoryPoint
	if err := c.trace.groups("sample_rollup", int64(c.device), int64(level), from, to, func(g *rollup.Group) error {
		if g.Start < from {
			groups = groups[:0]
		}
		groups = append(groups, MemoryPoint{g.Start, g.End, g.Low, g.High, g.Last})
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

// Mappings streams what the present tables had to f until it returns false: the
// mappings, those that existed before capture first, or where the runtime reported
// none at all, the allocations; in order of creation. Of the filter, Process and
// Device apply, and From and To: lived at some time in between. Where Enough ends it,
// f has got those of what was read.
func (t DeviceMemory) Mappings(filter Filter, f func(*Mapping) bool) error {
	code := int32(model.Create)
	existing, err := t.trace.Numbered().Existing(0)
	if err != nil {
		return err
	}
	creates, err := schema.Integer(t.trace.conn, "SELECT EXISTS (SELECT 1 FROM site WHERE kind = ?)", int64(code))
	if err != nil {
		return schema.Explain(t.trace.path, err)
	}
	if creates == 0 && len(existing) == 0 {
		code = model.Alloc
	}
	to := filter.To
	if to == 0 && filter.From >= 0 {
		to = math.MaxInt64
	}
	shutdowns, err := t.shutdowns()
	if err != nil {
		return err
	}
	for i := range existing {
		m := &existing[i]
		if shutdowns.end(m); m.Start < to && m.End > filter.From && filter.site(m.Site) && !f(m) {
			return nil
		}
	}
	made := map[int64]*Site{} // nil: another kind
	var lateness int64
	if lateness, err = schema.Integer(t.trace.conn, "SELECT value FROM meta WHERE key = 'lateness'"); err != nil {
		return schema.Explain(t.trace.path, err)
	}
	// What was ended by a record before this one, was before From.
	gone, err := t.trace.firstRecord(max(filter.From, math.MinInt64+lateness) - lateness)
	if err != nil {
		return err
	}
	end := int64(math.MaxInt64)
	if to < math.MaxInt64-lateness {
		if end, err = t.trace.firstRecord(to + lateness); err != nil {
			return err
		}
	}
	n := 0
	err = t.trace.pages.Scan("record", "id", storedColumns, math.MinInt64, end, func(id int64, v []int64) error {
		if n++; filter.Enough.reached(n, v[storedTime]) {
			return errStop
		}
		site, known := made[v[storedSite]]
		if !known {
			found, err := t.trace.Site(v[storedSite])
			if err != nil {
				return err
			}
			if found.KindCode == code && filter.site(found) {
				site = found
			}
			made[v[storedSite]] = site
		}
		link := v[storedLink]
		if site == nil || v[storedTime] >= to || link != 0 && id+link < gone {
			return nil
		}
		d, err := t.trace.datum(v[storedDatum])
		if err != nil {
			return err
		}
		m := Mapping{Record: id, Kind: site.Kind, Thread: site.Thread, Site: site, Host: uint64(d.host), Address: uint64(d.address),
			Bytes: uint64(d.bytes), Start: v[storedTime], End: math.MaxInt64}
		if link != 0 {
			if err := t.trace.query("SELECT time FROM record WHERE id = ?", []int64{id + link}, func(s *sqlite.Stmt) error {
				m.End, m.EndedBy = s.ColumnInt64(0), id+link
				return nil
			}); err != nil {
				return err
			}
		}
		shutdowns.end(&m)
		if m.End > filter.From && !f(&m) {
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

func (t DeviceMemory) shutdowns() (shutdowns, error) {
	ends := make(shutdowns)
	err := t.trace.query(`SELECT x.device, r.time + r.duration FROM landmark m CROSS JOIN record r ON r.id = m.record JOIN site x ON x.id = r.site
		WHERE m.kind = ? AND r.duration IS NOT NULL ORDER BY 2`,
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
