package write

import (
	"maps"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// total sums the records of one site on one thread, or the activities of one
// work caused at one site.
type total struct {
	store.Sum
	dirty bool
}

func (t *total) add(duration, inner, bytes int64, ended bool) {
	t.Count++
	t.dirty = true
	t.Bytes += model.Size(uint64(bytes))
	if ended {
		t.AddSpan(duration, inner)
	}
}

// totals keeps sums while rows come in, so that a report reads hundreds of rows
// and not millions.
type totals struct {
	records []threadTotals
	works   map[workSite]*total
	recent  []cause // ring by record number
	older   map[int64]cause
}

type workSite struct {
	work   int64
	thread model.ThreadID
	site   int64
}

// cause is a span whose activity may come.
type cause struct {
	record, site int64
	thread       model.ThreadID
	awaited      bool // it told the number of its activity, which has not come yet
}

// Activities arrive soon after what caused them. Those that are awaited for
// longer than so many records wait aside.
const recentCauses = 1 << 16

func newTotals() *totals {
	return &totals{works: make(map[workSite]*total), recent: make([]cause, recentCauses), older: make(map[int64]cause)}
}

func (t *totals) of(thread model.ThreadID, site int64) *total {
	for int(thread) >= len(t.records) {
		t.records = append(t.records, threadTotals{})
	}
	return t.records[thread].of(site)
}

// add sums a record; spans that never end are added when the trace is finished.
func (t *totals) add(thread model.ThreadID, site, duration, inner, bytes int64, ended bool) {
	t.of(thread, site).add(duration, inner, bytes, ended)
}

func (t *totals) seen(c cause) {
	place := &t.recent[c.record%recentCauses]
	if place.awaited {
		t.older[place.record] = *place
	}
	*place = c
}

func (t *totals) activity(work, record, duration, bytes int64) {
	key := workSite{work: work}
	if c := &t.recent[record%recentCauses]; record > 0 && c.record == record {
		key.site, key.thread, c.awaited = c.site, c.thread, false
	} else if c, ok := t.older[record]; ok {
		key.site, key.thread = c.site, c.thread
		delete(t.older, record)
	}
	sum := t.works[key]
	if sum == nil {
		sum = new(total)
		t.works[key] = sum
	}
	sum.add(duration, 0, bytes, true)
}

// retire forgets sums, which have been saved, of threads of which no row will come.
func (t *totals) retire(gone *model.Retired) {
	for thread := range gone.Threads {
		if int(thread) < len(t.records) {
			t.records[thread] = threadTotals{}
		}
	}
	maps.DeleteFunc(t.works, func(key workSite, _ *total) bool { return gone.Threads[key.thread] })
	maps.DeleteFunc(t.older, func(_ int64, c cause) bool { return gone.Threads[c.thread] })
}

// save writes the sums that have changed.
func (t *totals) save(conn *sqlite.Conn) error {
	for thread := range t.records {
		if err := t.records[thread].each(func(site int64, s *total) error {
			return schema.Execute(conn, "INSERT OR REPLACE INTO total VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", thread, site, s.Count, s.Ended,
				s.Time, s.Inner, s.Shortest, s.Longest, s.Bytes)
		}); err != nil {
			return err
		}
	}
	for key, s := range t.works {
		if !s.dirty {
			continue
		}
		s.dirty = false
		if err := schema.Execute(conn, "INSERT OR REPLACE INTO work_total VALUES (?, ?, ?, ?, ?, ?, ?, ?)", key.work, int64(key.thread), key.site, s.Count, s.Time,
			s.Shortest, s.Longest, s.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// load takes the sums of a trace that is gone on with; finishing it makes them anew,
// since the causes of activities to come are not known.
func (t *totals) load(conn *sqlite.Conn) error {
	if err := sqlitex.ExecuteTransient(conn, "SELECT thread, site, count, ended, time, inner_time, shortest, longest, bytes FROM total",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			*t.of(model.ThreadID(s.ColumnInt64(0)), s.ColumnInt64(1)) = total{Sum: store.Sum{Count: s.ColumnInt64(2),
				Ended: s.ColumnInt64(3), Time: s.ColumnInt64(4), Inner: s.ColumnInt64(5), Shortest: s.ColumnInt64(6), Longest: s.ColumnInt64(7), Bytes: s.ColumnInt64(8)}}
			return nil
		}}); err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(conn, "SELECT work, thread, site, count, time, shortest, longest, bytes FROM work_total",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			t.works[workSite{s.ColumnInt64(0), model.ThreadID(s.ColumnInt64(1)), s.ColumnInt64(2)}] = &total{Sum: store.Sum{Count: s.ColumnInt64(3), Ended: s.ColumnInt64(3),
				Time: s.ColumnInt64(4), Shortest: s.ColumnInt64(5), Longest: s.ColumnInt64(6), Bytes: s.ColumnInt64(7)}}
			return nil
		}})
}
