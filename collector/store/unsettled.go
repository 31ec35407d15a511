package store

import (
	"cmp"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"zombiezen.com/go/sqlite"
)

// unsettledSpan is one that has no duration in the trace: its process goes on, or an earlier
// version wrote it. It lasts until the span around it or its process ended, else until what
// is known.
type unsettledSpan struct {
	record, start, until int64
	inner                int64 // ns of the unsettled span in it
	open                 bool  // its end may still come
	site                 int64
	place
}

// place is a lane of spans.
type place struct {
	thread model.ThreadID
	depth  int
}

// unsettledSpans are those of a trace, by their records.
type unsettledSpans struct {
	version int64 // of the data that they were read from
	list    []unsettledSpan
	last    int64 // their last end; the earliest time if there are none
}

// mostUnsettled bounds how many are kept: a thread has few, but of a file from elsewhere.
const mostUnsettled = 1 << 18

// selectUnsettled begins with the tables of what has no end, as schema.AddUnended does.
const selectUnsettled = `SELECT r.id, r.id - nullif(r.up, 0), r.time, p.end, p.ended IS NULL, o.time + o.duration, r.site, d.thread, d.depth
	FROM (SELECT record FROM unended UNION SELECT record FROM open_span) u CROSS JOIN record r ON r.id = u.record
	CROSS JOIN site_detail d ON d.site = r.site CROSS JOIN process p ON p.id = d.process LEFT JOIN record o ON o.id = r.id - nullif(r.up, 0)
	WHERE r.duration IS NULL AND r.end_sequence < 0 ORDER BY r.id`

// knownUntil is up to when what programs did is known.
const knownUntil = "SELECT max(coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '" + Until + "'), 0), coalesce((SELECT max(last) FROM lane), 0))"

// unsettled gives the spans without a duration of the processes chosen. They are read anew
// where the trace has grown.
func (t *Trace) unsettled() (*unsettledSpans, error) {
	version, err := t.number("PRAGMA data_version")
	if err != nil || t.open != nil && t.open.version == version {
		return t.open, err
	}
	complete, err := t.complete()
	if err != nil {
		return nil, err
	}
	known, err := t.number(knownUntil)
	if err != nil {
		return nil, err
	}
	all := &unsettledSpans{version: version, last: math.MinInt64}
	err = stopped(t.query(selectUnsettled, nil, func(s *sqlite.Stmt) error {
		if len(all.list) == mostUnsettled {
			return errStop
		}
		if chosen, err := t.chosenSite(s.ColumnInt64(6)); err != nil || !chosen {
			return err
		}
		x := unsettledSpan{record: s.ColumnInt64(0), start: s.ColumnInt64(2), until: s.ColumnInt64(3), site: s.ColumnInt64(6),
			place: place{model.ThreadID(s.ColumnInt64(7)), s.ColumnInt(8)}}
		if runs := s.ColumnBool(4); runs || s.ColumnIsNull(3) {
			x.until, x.open = known, runs && !complete
		}
		if !s.ColumnIsNull(5) {
			x.until = min(x.until, s.ColumnInt64(5))
		}
		outer := all.of(s.ColumnInt64(1))
		if outer != nil {
			x.until = min(x.until, outer.until)
		}
		x.until = max(x.until, x.start+1)
		if outer != nil {
			outer.inner += x.until - x.start
		}
		all.list, all.last = append(all.list, x), max(all.last, x.until)
		return nil
	}))
	if err != nil {
		return nil, err
	}
	t.open = all
	return all, nil
}

// of is the one of a record, nil if that is none of them.
func (u *unsettledSpans) of(record int64) *unsettledSpan {
	at, found := slices.BinarySearchFunc(u.list, record, func(x unsettledSpan, record int64) int { return cmp.Compare(x.record, record) })
	if !found {
		return nil
	}
	return &u.list[at]
}

// Lasting is how long a span lasts, and what of that its children take, ns.
type Lasting struct{ Duration, Inner int64 }

// Unsettled gives, by their records, how long the spans last that have no duration in the
// trace: for who makes another one of it, in which they go on no more.
func (t *Trace) Unsettled() (map[int64]Lasting, error) {
	all, err := t.unsettled()
	if err != nil {
		return nil, err
	}
	spans := make(map[int64]Lasting, len(all.list))
	for i := range all.list {
		x := &all.list[i]
		spans[x.record] = Lasting{x.until - x.start, x.inner}
	}
	return spans, nil
}

// number reads one number.
func (t *Trace) number(query string) (n int64, err error) {
	err = t.query(query, nil, func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	})
	return n, err
}

// fill fills a record from its columns, but for the site: one without an end lasts until it
// was cut off.
func (t *Trace) fill(r *Record, id int64, v []int64) error {
	r.set(id, v)
	if !r.Unended || r.Duration > 0 {
		return nil
	}
	all, err := t.unsettled()
	if err != nil {
		return err
	}
	if x := all.of(id); x != nil {
		r.Duration, r.Open = x.until-x.start, x.open
		r.Inner += x.inner
	}
	return nil
}

// cut are the sums of spans whose end was not seen, by thread and site.
type cut struct {
	totalOf
	Sum
}

// cutOff gives, by thread and site, of how many spans of the whole trace the end was not seen (Cut);
// and the sums of those that the trace's sums leave out.
func (t *Trace) cutOff() ([]cut, error) {
	complete, err := t.complete()
	if err != nil {
		return nil, err
	}
	sums := map[totalOf]*Sum{}
	of := func(thread model.ThreadID, site int64) *Sum {
		at := totalOf{thread, site}
		if sums[at] == nil {
			sums[at] = new(Sum)
		}
		return sums[at]
	}
	err = t.query(`SELECT s.thread, r.site, count(*), sum(r.duration) FROM unended u CROSS JOIN record r ON r.id = u.record CROSS JOIN site s ON s.id = r.site
		WHERE r.duration IS NOT NULL GROUP BY r.site`, nil, func(s *sqlite.Stmt) error {
		chosen, err := t.chosenSite(s.ColumnInt64(1))
		if chosen {
			sum := of(model.ThreadID(s.ColumnInt64(0)), s.ColumnInt64(1))
			sum.Cut, sum.CutTime = s.ColumnInt64(2), s.ColumnInt64(3)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all, err := t.unsettled()
	if err != nil {
		return nil, err
	}
	for i := range all.list {
		r, err := t.Record(all.list[i].record)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		sum := of(r.Thread, r.Site.ID)
		sum.addCut(r)
		if !complete { // what goes on is counted in the end
			sum.Count++
			sum.Bytes += model.Size(r.Bytes)
		}
	}
	out := make([]cut, 0, len(sums))
	for at, sum := range sums {
		out = append(out, cut{at, *sum})
	}
	slices.SortFunc(out, func(a, b cut) int { return cmp.Or(cmp.Compare(a.thread, b.thread), cmp.Compare(a.site, b.site)) })
	return out, nil
}

// addCut adds the time of a span whose end was not seen.
func (s *Sum) addCut(r *Record) {
	s.AddSpan(r.Duration, r.Inner)
	s.Cut++
	s.CutTime += r.Duration
}

// open adds what goes on to lanes, some of which have nothing else.
func (t Lanes) open(lanes []Lane) ([]Lane, error) {
	all, err := t.trace.unsettled()
	if err != nil || len(all.list) == 0 {
		return lanes, err
	}
	at := map[place]int{}
	for i := range lanes {
		if lanes[i].Type == LaneSpans {
			at[lanes[i].place()] = i
		}
	}
	for i := range all.list {
		x := &all.list[i]
		n, known := at[x.place]
		if !known {
			site, err := t.trace.Site(x.site)
			if err != nil {
				return nil, err
			}
			n, at[x.place] = len(lanes), len(lanes)
			lanes = append(lanes, Lane{ID: -x.record, Type: LaneSpans, Process: site.Process, Thread: x.thread, Depth: x.depth, First: x.start})
		}
		lane := &lanes[n]
		lane.First, lane.Last = min(lane.First, x.start), max(lane.Last, x.until)
		lane.Count++
		lane.Busy += x.until - x.start
	}
	return lanes, nil
}

// place is where the lane's spans are.
func (l *Lane) place() place { return place{l.Thread, l.Depth} }
