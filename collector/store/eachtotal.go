package store

import (
	"errors"
	"iter"
	"math"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// Each calls f for what Totals gives, by thread and then by site: one total after the
// other, of which none is kept, nor its site. A job's many ranks have as many of them. Of a
// filter of times and ranges all are held.
func (t Sums) Each(filter Filter, f func(*Total) error) error {
	if filter.bounded() || filter.Within != nil {
		all, err := t.Totals(filter)
		for i := range all {
			if err == nil {
				err = f(&all[i])
			}
		}
		return err
	}
	if err := t.trace.learnNames(); err != nil {
		return err
	}
	next, stop := iter.Pull2(t.deviceTotals())
	defer stop()
	device, err, more := next()
	if err != nil {
		return err
	}
	left, err := t.trace.cutOff()
	if err != nil {
		return err
	}
	give := func(total *Total) error {
		of := totalOf{total.Thread, total.Site.ID}
		for more && device.before(of) {
			if device, err, more = next(); err != nil {
				return err
			}
		}
		if more && device.totalOf == of {
			total.Device = device.Sum
		}
		if !filter.site(total.Site) || filter.Thread != 0 && filter.Thread != total.Thread {
			return nil
		}
		return f(total)
	}
	// What goes on stands in the sums where something of its site has ended, else between them.
	goesOn := func(before totalOf) error {
		for len(left) > 0 && left[0].before(before) {
			site, err := t.trace.Site(left[0].site)
			if err == nil {
				err = give(&Total{Thread: left[0].thread, Site: site, Sum: left[0].Sum})
			}
			if err != nil {
				return err
			}
			left = left[1:]
		}
		return nil
	}
	args, chosen := []int64(nil), t.trace.ChosenSQL("d.process")
	if filter.Thread != 0 {
		args, chosen = append(args, int64(filter.Thread)), chosen+" AND x.thread = ?"
	}
	if filter.Process != 0 {
		args, chosen = append(args, int64(filter.Process)), chosen+" AND d.process = ?"
	}
	columns := t.trace.siteColumns()
	at := strings.Count(columns, ",") + 1
	// Outer joins: what names no site counts, too.
	if err := t.trace.query("SELECT "+columns+", x.thread, x.site, x.count, x.ended, x.time, x.inner_time, x.shortest, x.longest, x.bytes, p.id IS NULL FROM total x LEFT JOIN site_detail d ON d.site = x.site"+
		joinSite("LEFT JOIN")+"WHERE "+chosen+" ORDER BY x.thread, x.site", args, func(s *sqlite.Stmt) error {
		of := totalOf{model.ThreadID(s.ColumnInt64(at)), s.ColumnInt64(at + 1)}
		if err := goesOn(of); err != nil {
			return err
		}
		total := Total{Thread: of.thread, Sum: readSum(s, at+2)}
		if len(left) > 0 && left[0].totalOf == of {
			total.Add(&left[0].Sum)
			left = left[1:]
		}
		if total.Site = unknownSite(of.site); !s.ColumnBool(at + 9) {
			var err error
			if total.Site, err = t.trace.readSite(s); err != nil {
				return err
			}
		}
		return give(&total)
	}); err != nil {
		return err
	}
	return goesOn(totalOf{math.MaxUint32, math.MaxInt64})
}

// before says whether a total comes before another one.
func (of totalOf) before(other totalOf) bool {
	return of.thread < other.thread || of.thread == other.thread && of.site < other.site
}

// deviceTotal sums what the records of a Total enqueued.
type deviceTotal struct {
	totalOf
	Sum
}

// deviceTotals streams the sums of device activity by what enqueued it, by thread and site.
func (t Sums) deviceTotals() iter.Seq2[deviceTotal, error] {
	return func(yield func(deviceTotal, error) bool) {
		if err := t.trace.query("SELECT thread, site, sum(count), sum(time), min(shortest), max(longest), "+schema.SumOfBytes("bytes")+
			" FROM work_total WHERE site <> 0 GROUP BY thread, site ORDER BY thread, site", nil, func(s *sqlite.Stmt) error {
			if !yield(deviceTotal{totalOf{model.ThreadID(s.ColumnInt64(0)), s.ColumnInt64(1)}, activitySum(s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnInt64(4),
				s.ColumnInt64(5), s.ColumnInt64(6))}, nil) {
				return errStop
			}
			return nil
		}); err != nil && !errors.Is(err, errStop) {
			yield(deviceTotal{}, err)
		}
	}
}

// Users are the threads that have spans of the runtime's own, with their processes.
func (t *Trace) Users() (map[model.ThreadID]model.ProcessID, error) {
	users := map[model.ThreadID]model.ProcessID{}
	err := t.query("SELECT DISTINCT x.thread, d.process, d.kind_code FROM total x JOIN site_detail d ON d.site = x.site WHERE "+t.ChosenSQL("d.process"), nil, func(s *sqlite.Stmt) error {
		if kind := s.ColumnInt32(2); model.IsStart(kind) && !model.Own(kind) {
			users[model.ThreadID(s.ColumnInt64(0))] = model.ProcessID(s.ColumnInt64(1))
		}
		return nil
	})
	return users, err
}
