package store

import (
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Sum sums records, or what devices did. Times are nanoseconds.
type Sum struct {
	Count    int64
	Ended    int64 // how many have a duration
	Time     int64 // of those, inclusive
	Inner    int64 // in direct children: Time-Inner is exclusive
	Shortest int64
	Longest  int64
	Bytes    int64
	Cut      int64 // how many of Ended have no end: the time until they were cut off, or until now
	CutTime  int64 // of those
}

// AddSpan adds the duration of one, and what direct children took of it.
func (s *Sum) AddSpan(duration, inner int64) {
	s.Add(&Sum{Ended: 1, Time: duration, Inner: inner, Shortest: duration, Longest: duration})
}

// Add adds another sum.
func (s *Sum) Add(o *Sum) {
	if o.Ended > 0 && (s.Ended == 0 || o.Shortest < s.Shortest) {
		s.Shortest = o.Shortest
	}
	s.Longest = max(s.Longest, o.Longest)
	s.Count += o.Count
	s.Ended += o.Ended
	s.Time += o.Time
	s.Inner += o.Inner
	s.Bytes += o.Bytes
	s.Cut += o.Cut
	s.CutTime += o.CutTime
}

// Exclusive is the time without what direct children took, ns.
func (s *Sum) Exclusive() int64 { return s.Time - s.Inner }

// Total sums the records of one site on one thread. Grouping totals by what
// their Site says (kernel, variable, source, queue, device) or by Thread gives
// every table of a report without reading the records.
type Total struct {
	Thread model.ThreadID
	Site   *Site
	Sum
	Device Sum // of what the records enqueued
}

// totalOf is what a Total sums.
type totalOf struct {
	thread model.ThreadID
	site   int64
}

// Totals reads the sums of all records, those of the whole trace: of the
// filter, From and To make it read the records themselves.
func (t Sums) Totals(f Filter) ([]Total, error) {
	out, err := t.hostTotals(f)
	if err != nil {
		return nil, err
	}
	works, err := t.WorkTotals(Filter{From: f.From, To: f.To, Exactly: f.Exactly, Within: f.Within})
	if err != nil {
		return nil, err
	}
	devices := make(map[totalOf]Sum, len(works))
	for i := range works {
		if w := &works[i]; w.Site != nil {
			at := totalOf{w.Thread, w.Site.ID}
			d := devices[at]
			d.Add(&w.Sum)
			devices[at] = d
		}
	}
	for i := range out {
		if d, is := devices[totalOf{out[i].Thread, out[i].Site.ID}]; is {
			out[i].Device.Add(&d)
		}
	}
	return out, nil
}

func (t Sums) hostTotals(f Filter) ([]Total, error) {
	if f.bounded() || f.Within != nil {
		return t.totalsWithin(f)
	}
	var out []Total
	if t.trace.only == nil && f.Thread == 0 && len(f.Kinds) == 0 {
		// Of a job of many ranks there are many, which growing would copy again and again.
		n, err := schema.Integer(t.trace.conn, "SELECT count(*) FROM total")
		if err != nil {
			return nil, schema.Explain(t.trace.path, err)
		}
		out = make([]Total, 0, n)
	}
	left, err := t.trace.cutOff()
	if err != nil {
		return nil, err
	}
	added := map[totalOf]*cut{}
	for i := range left {
		added[left[i].totalOf] = &left[i]
	}
	add := func(of totalOf, sum Sum) error {
		site, err := t.trace.Site(of.site)
		if err == nil && f.site(site) && (f.Thread == 0 || f.Thread == of.thread) {
			out = append(out, Total{Thread: of.thread, Site: site, Sum: sum})
		}
		return err
	}
	err = t.trace.query("SELECT thread, site, count, ended, time, inner_time, shortest, longest, bytes FROM total", nil, func(s *sqlite.Stmt) error {
		if chosen, err := t.trace.chosenSite(s.ColumnInt64(1)); err != nil || !chosen {
			return err
		}
		of := totalOf{model.ThreadID(s.ColumnInt64(0)), s.ColumnInt64(1)}
		sum := readSum(s, 2)
		if more := added[of]; more != nil {
			sum.Add(&more.Sum)
			delete(added, of)
		}
		return add(of, sum)
	})
	for i := range left {
		if err == nil && added[left[i].totalOf] != nil {
			err = add(left[i].totalOf, left[i].Sum)
		}
	}
	return out, err
}

// readSum reads a sum of the table total from its columns, which begin at one.
func readSum(s *sqlite.Stmt, at int) Sum {
	return Sum{Count: s.ColumnInt64(at), Ended: s.ColumnInt64(at + 1), Time: s.ColumnInt64(at + 2), Inner: s.ColumnInt64(at + 3),
		Shortest: s.ColumnInt64(at + 4), Longest: s.ColumnInt64(at + 5), Bytes: s.ColumnInt64(at + 6)}
}

// totalsWithin sums the records that start in the window, or run into it.
func (t Sums) totalsWithin(f Filter) ([]Total, error) {
	at := make(map[totalOf]int)
	open := map[model.ThreadID][]enclosing{} // of clipped spans, the outermost first
	var out []Total
	for r, err := range t.trace.Records(f) {
		if err != nil {
			return nil, err
		}
		k := totalOf{r.Thread, r.Site.ID}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Total{Thread: r.Thread, Site: r.Site})
		}
		x := &out[i]
		before := x.Time
		x.Count++
		x.Bytes += model.Size(r.Bytes)
		switch {
		case !r.Span:
		case f.Clipped:
			inside := min(r.End(), f.To) - max(r.Start, f.From)
			x.AddSpan(inside, 0)
			around := open[r.Thread]
			for len(around) > 0 && around[len(around)-1].end < r.End() {
				around = around[:len(around)-1]
			}
			if len(around) > 0 {
				out[around[len(around)-1].total].Inner += inside
			}
			open[r.Thread] = append(around, enclosing{i, r.End()})
		default:
			x.AddSpan(r.Duration, r.Inner)
		}
		if r.Unended {
			x.Cut++
			x.CutTime += x.Time - before
		}
	}
	return out, nil
}

// enclosing is a span in which others may lie: the index of its total, and its end.
type enclosing struct {
	total int
	end   int64
}

// WorkTotal sums the device activities of one work that one site caused on one
// thread.
type WorkTotal struct {
	Work   *Work
	Thread model.ThreadID // 0 where Site is nil
	Site   *Site          // nil: what enqueued it was not seen
	Sum
}

// Name is the kernel's or variable's: as the activity has it, else as the
// enqueue has.
func (w *WorkTotal) Name() string {
	if w.Work.Name == "" && w.Site != nil {
		return w.Site.Name
	}
	return w.Work.Name
}

// Symbol is the name before it was made readable.
func (w *WorkTotal) Symbol() string {
	if w.Work.Symbol == "" && w.Site != nil {
		return w.Site.Symbol
	}
	return w.Work.Symbol
}

func activitySum(count, time, shortest, longest, bytes int64) Sum {
	return Sum{Count: count, Ended: count, Time: time, Shortest: shortest, Longest: longest, Bytes: bytes}
}

// WorkTotals reads the sums of all device activity. Of the filter, From and To
// make it read the activities themselves, those whose enqueue Records gives for
// the window; Process, Device, Queue and Thread apply too.
func (t Sums) WorkTotals(f Filter) ([]WorkTotal, error) {
	if f.Within != nil {
		return t.workTotalsWithin(f)
	}
	query, args := selectWorkTotals, []int64(nil)
	if f.bounded() {
		query = `SELECT a.work, r.site, count(*), sum(a.duration), min(a.duration), max(a.duration), ` + schema.SumOfBytes("a.bytes") + `, s.thread
			FROM activity a JOIN record r ON r.id = a.record JOIN site s ON s.id = r.site
			WHERE (r.time >= ?1 OR r.time + r.duration > ?1 OR r.end_sequence < 0) AND r.time < ?2 GROUP BY a.work, r.site`
		from, to := f.Bounds()
		args = []int64{from, to}
	}
	return t.workTotals(f, query, args)
}

const selectWorkTotals = "SELECT work, site, count, time, shortest, longest, bytes, thread FROM work_total"

// UnseenTotals are those of WorkTotals that nothing which was seen has enqueued.
func (t Sums) UnseenTotals() ([]WorkTotal, error) {
	return t.workTotals(Filter{}, selectWorkTotals+" WHERE site = 0", nil)
}

func (t Sums) workTotals(f Filter, query string, args []int64) (out []WorkTotal, err error) {
	err = t.trace.query(query, args, func(s *sqlite.Stmt) error {
		if chosen, err := t.trace.chosenWork(s.ColumnInt64(0)); err != nil || !chosen {
			return err
		}
		x := WorkTotal{Thread: model.ThreadID(s.ColumnInt64(7)),
			Sum: activitySum(s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4), s.ColumnInt64(5), s.ColumnInt64(6))}
		var err error
		if x.Work, err = t.trace.Work(s.ColumnInt64(0)); err != nil {
			return err
		}
		if id := s.ColumnInt64(1); id != 0 {
			if x.Site, err = t.trace.Site(id); err != nil {
				return err
			}
		}
		if f.Thread != 0 && x.Thread != f.Thread || f.Process != 0 && x.Work.Process != f.Process || f.Device != 0 && x.Work.Device != f.Device || f.Queue != 0 && x.Work.Queue != f.Queue {
			return nil
		}
		out = append(out, x)
		return nil
	})
	return out, err
}
