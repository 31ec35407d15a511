package write

import (
	"container/heap"
	"errors"
	"math"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/pages"
	"zombiezen.com/go/sqlite"
)

// numbers are what the rows of a part's table, which are numbered from 1 on without gaps,
// are numbered in the merged trace, in the same order. One takes four bytes.
type numbers struct {
	count int64
	first []int64  // of each page
	more  []uint32 // of each row, than the first of its page
}

const numbersPage = 1 << 12

// add gives the next row its number.
func (n *numbers) add(number int64) error {
	if n.count%numbersPage == 0 {
		n.first = append(n.first, number)
	}
	more := number - n.first[len(n.first)-1]
	if more > math.MaxUint32 {
		return errors.New("the traces have more rows than can be merged")
	}
	n.more = append(n.more, uint32(more))
	n.count++
	return nil
}

// merged is the number of a part's row in the merged trace.
func (n *numbers) merged(p *part, what string, number int64) (int64, error) {
	if number < 1 || number > n.count {
		return 0, p.damaged(what, number)
	}
	return n.first[(number-1)/numbersPage] + int64(n.more[number-1]), nil
}

// record is the column of a record's number.
func (p *part) record(number int64) (int64, error) { return p.records.merged(p, "record", number) }

// activity is the column of an activity's number.
func (p *part) activity(number int64) (int64, error) {
	return p.activities.merged(p, "activity", number)
}

// timeline says how the rows of a table are read in order of time: its columns, and how
// a row, its number and those, tells its time.
type timeline struct {
	table   string
	columns []string
	time    func(row []int64) int64
}

var (
	recordTimes = timeline{"record", []string{"time"}, func(row []int64) int64 { return row[1] }}
	wholeRecord = timeline{"record", []string{"site", "sequence", "time", "up", "datum", "link", "inner_time", "duration", "end_sequence", "correlation"},
		func(row []int64) int64 { return row[3] }}
	// An activity comes when it was recorded.
	activityTimes = timeline{"activity", []string{"start", "duration", "delay"}, func(row []int64) int64 { return row[1] + row[2] + row[3] }}
	wholeActivity = timeline{"activity", []string{"work", "record", "start", "duration", "delay", "bytes", "device_offset", "device_excess", "correlation"},
		func(row []int64) int64 { return row[3] + row[4] + row[5] }}
)

// cursor reads a part's rows of a table in the order of their numbers.
type cursor struct {
	*timeline
	part  *part
	order int     // of the part
	many  int     // rows that are read at once
	rows  []int64 // those from at on are to come
	at    int
	last  int64 // number of the last in rows
	next  int64 // time of the next in the merged trace
}

var errEnough = errors.New("enough rows have been read")

// row is the next row.
func (c *cursor) row() []int64 { return c.rows[c.at : c.at+1+len(c.columns)] }

// advance goes on to the next row, and says whether there is one.
func (c *cursor) advance() (bool, error) {
	if c.at += 1 + len(c.columns); c.at >= len(c.rows) {
		c.at, c.rows = 0, c.rows[:0]
		if err := c.part.pages.Scan(c.table, "id", c.columns, c.last+1, math.MaxInt64, func(id int64, values []int64) error {
			if c.last++; id != c.last {
				return c.part.damaged(c.table, c.last)
			}
			c.rows = append(append(c.rows, id), values...)
			if len(c.rows) >= c.many*(1+len(c.columns)) {
				return errEnough
			}
			return nil
		}); err != nil && !errors.Is(err, errEnough) {
			return false, err
		}
		if len(c.rows) == 0 {
			return false, nil
		}
	}
	c.next = c.part.at(c.time(c.row()))
	return true, nil
}

// cursors is a heap of them: the earliest first, of those the first part's.
type cursors []*cursor

func (h cursors) Len() int { return len(h) }
func (h cursors) Less(i, j int) bool {
	return h[i].next < h[j].next || h[i].next == h[j].next && h[i].order < h[j].order
}
func (h cursors) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *cursors) Push(x any)   { *h = append(*h, x.(*cursor)) }
func (h *cursors) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// How many rows are read at once, of all parts and of each.
const (
	rowsAhead  = 1 << 18
	leastAhead = 1 << 8
	mostAhead  = 1 << 13
)

// inOrder calls f for the rows of a table of all parts in order of time. Rows that came
// late stay behind those that they came after.
func (m *merger) inOrder(t *timeline, f func(p *part, row []int64) error) error {
	var all cursors
	for i, p := range m.parts {
		c := &cursor{timeline: t, part: p, order: i, many: min(max(rowsAhead/len(m.parts), leastAhead), mostAhead)}
		more, err := c.advance()
		if err != nil {
			return err
		}
		if more {
			all = append(all, c)
		}
	}
	heap.Init(&all)
	for len(all) > 0 {
		if err := f(all[0].part, all[0].row()); err != nil {
			return err
		}
		more, err := all[0].advance()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&all, 0)
		} else {
			heap.Pop(&all)
		}
	}
	return nil
}

// number gives records and activities their numbers.
func (m *merger) number() error {
	records, activities := int64(0), int64(0)
	if err := m.inOrder(&recordTimes, func(p *part, _ []int64) error {
		records++
		return p.records.add(records)
	}); err != nil {
		return err
	}
	return m.inOrder(&activityTimes, func(p *part, _ []int64) error {
		activities++
		return p.activities.add(activities)
	})
}

// siteOf is what a record's lane and link depend on.
type siteOf struct {
	id          int64 // in the merged trace
	kind, depth int32
	thread      model.ThreadID
	device      model.DeviceID
}

// sampleAfter is a change of a device's memory that is no alloc's and no free's.
type sampleAfter struct {
	record int64 // the last one by then, in the part
	model.Sample
}

// readLanes reads what the rollups need to know beside records and activities.
func (m *merger) readLanes(p *part) error {
	p.sites, p.queues = make(map[int64]siteOf), make(map[int64]model.QueueID)
	site, thread, device, queue := p.moved["site"].by, p.moved["thread"].by, p.moved["device"].by, p.moved["queue"].by
	if err := p.each("SELECT id, kind, depth, thread, device FROM site", func(s *sqlite.Stmt) error {
		p.sites[s.ColumnInt64(0)] = siteOf{s.ColumnInt64(0) + site, s.ColumnInt32(1), s.ColumnInt32(2), model.ThreadID(s.ColumnInt64(3) + thread),
			model.DeviceID(s.ColumnInt64(4) + device)}
		return nil
	}); err != nil {
		return err
	}
	if err := p.each("SELECT id, queue FROM work", func(s *sqlite.Stmt) error {
		p.queues[s.ColumnInt64(0)] = model.QueueID(s.ColumnInt64(1) + queue)
		return nil
	}); err != nil {
		return err
	}
	return p.each("SELECT record, device, time, used FROM sample ORDER BY record, rowid", func(s *sqlite.Stmt) error {
		p.samples = append(p.samples, sampleAfter{s.ColumnInt64(0), model.Sample{Device: model.DeviceID(s.ColumnInt64(1) + device),
			Time: p.at(s.ColumnInt64(2)), Value: s.ColumnInt64(3)}})
		return nil
	})
}

// copyRecords copies the records of all parts.
func (m *merger) copyRecords() error {
	if err := m.inOrder(&wholeRecord, m.copyRecord); err != nil {
		return err
	}
	for _, p := range m.parts {
		if err := m.sampleUntil(p, math.MaxInt64); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) copyRecord(p *part, row []int64) error {
	old, sequence, time, up, data, link, inner, duration, end, correlation := row[0], row[2], p.at(row[3]), row[4], row[5], row[6], row[7], row[8], row[9], row[10]
	site, known := p.sites[row[1]]
	if !known {
		return p.damaged("site", row[1])
	}
	if err := m.sampleUntil(p, old); err != nil {
		return err
	}
	id, err := p.record(old)
	if err != nil {
		return err
	}
	bytes, err := p.trace.Bytes(data)
	if err != nil {
		return err
	}
	if time < m.lastTime {
		m.lateness = max(m.lateness, m.lastTime-time)
	} else {
		m.lastTime = time
	}
	if up != 0 {
		if up, err = p.record(old - up); err != nil {
			return err
		}
		up = id - up
	}
	if link != 0 {
		if link, err = p.linked(site.kind, old, id, link); err != nil {
			return err
		}
	}
	if data != 0 {
		if data, err = p.of("datum")(data); err != nil {
			return err
		}
	}
	switch {
	case end == 0:
		duration = pages.Null
		m.sums.roll.Instant(id, site.thread, time, bytes, site.id)
	default:
		if end < 0 && duration == 0 {
			of := p.unsettled[old]
			duration, inner = max(of.Duration, 1), inner+of.Inner
		}
		if duration = p.lasting(row[3], duration); p.line != nil && inner > duration {
			inner = duration // its children's, before the clocks were set
		}
		m.sums.roll.Span(id, site.thread, site.depth, time, duration, bytes, site.id)
	}
	if (site.kind == model.Alloc || site.kind == model.Free) && inner != noSample {
		m.sums.roll.Sample(id, model.Sample{Device: site.device, Time: time, Value: inner})
	}
	m.record.Add(0, id, site.id, sequence, time, up, data, link, inner, duration, end, correlation)
	m.pending++
	return m.room()
}

// linked is what a record of a kind has as link in the merged trace, where its number is id.
func (p *part) linked(kind int32, old, id, link int64) (int64, error) {
	switch kind {
	case model.Create, model.Alloc:
		by, err := p.record(old + link)
		return by - id, err
	case model.Delete, model.Free:
		if opener := old - link; opener < 0 { // it existed before capture
			existing, err := p.of("existing")(-opener)
			return id + existing, err
		}
		opener, err := p.record(old - link)
		return id - opener, err
	}
	return p.activity(link)
}

// sampleUntil gives the rollups the changes of memory before a record of a part.
func (m *merger) sampleUntil(p *part, record int64) error {
	for len(p.samples) > 0 && p.samples[0].record < record {
		s := &p.samples[0]
		id, err := orNone(p.record)(s.record)
		if err != nil {
			return err
		}
		m.sums.roll.Sample(id, s.Sample)
		p.samples = p.samples[1:]
	}
	return nil
}

// copyActivities copies the activities of all parts.
func (m *merger) copyActivities() error {
	return m.inOrder(&wholeActivity, func(p *part, row []int64) error {
		work, start, duration, bytes, correlation := row[1], p.at(row[3]), p.lasting(row[3], row[4]), row[6], row[9]
		delay := p.lasting(row[3]+row[4], row[5])
		// The device's clock stays what it is.
		offset, excess := row[7]+row[3]-start, row[8]+row[4]-duration
		queue, known := p.queues[work]
		if !known {
			return p.damaged("work", work)
		}
		id, err := p.activity(row[0])
		if err != nil {
			return err
		}
		record, err := orNone(p.record)(row[2])
		if err != nil {
			return err
		}
		work += p.moved["work"].by
		m.activity.Add(0, id, work, record, start, duration, delay, bytes, offset, excess, correlation)
		m.sums.roll.Activity(id, queue, start, duration, bytes, work)
		m.pending++
		return m.room()
	})
}
