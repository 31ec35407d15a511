package store

import (
	"fmt"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// limit is a choice of processes.
type limit struct {
	of    []model.ProcessID
	list  string // of their numbers, for SQL
	sites members
	works members
}

// members are rows that belong to chosen processes, of those up to a number.
type members struct {
	query string // of the numbers above one
	last  int64
	has   map[int64]bool
}

// OnlyProcesses limits to some processes what Processes, Threads, Devices, Queues, Lanes, Sites,
// Counters, Totals, WorkTotals, Users, and the readers of numbered rows give, so that the rest of a
// job's many ranks is neither looked up nor kept. It is called before anything is read. SQL is
// not limited.
func (t *Trace) OnlyProcesses(processes []model.ProcessID) {
	l := &limit{of: processes}
	numbers := make([]string, len(processes))
	for i, p := range processes {
		numbers[i] = fmt.Sprint(int64(p))
	}
	l.list = strings.Join(numbers, ", ")
	l.sites = members{query: "SELECT site, process IN (" + l.list + ") FROM site_detail WHERE site > ? ORDER BY site", has: map[int64]bool{}}
	l.works = members{query: "SELECT w.id, d.process IN (" + l.list + ") FROM work w LEFT JOIN device d ON d.id = w.device WHERE w.id > ? ORDER BY w.id", has: map[int64]bool{}}
	t.only = l
}

// LimitedTo are the processes of OnlyProcesses; nil: all are read.
func (t *Trace) LimitedTo() []model.ProcessID {
	if t.only == nil {
		return nil
	}
	return t.only.of
}

// Unlimited reads all processes of what this trace reads, by its connection and until it is
// closed, and keeps what it looks up to itself. It is not to be closed.
func (t *Trace) Unlimited() *Trace {
	all := newTrace(t.path, t.conn, false)
	all.version, all.statements = t.version, t.statements
	if all.rows = t.rows; t.rows != nil {
		all.pages.From(t.rows)
	}
	return all
}

// Part is Unlimited, and limited to some processes then: for who reads all, and of these more.
func (t *Trace) Part(processes ...model.ProcessID) *Trace {
	part := t.Unlimited()
	part.OnlyProcesses(processes)
	return part
}

// ChosenSQL is a condition on a column of processes, for WHERE: SQL of others is not limited by
// itself.
func (t *Trace) ChosenSQL(column string) string {
	if t.only == nil {
		return "true"
	}
	return column + " IN (" + t.only.list + ")"
}

// chosenQueuesSQL and chosenDevicesSQL are conditions on columns of queues and of devices.
func (t *Trace) chosenQueuesSQL(column string) string {
	if t.only == nil {
		return "true"
	}
	return column + " IN (SELECT q.id FROM queue q JOIN device d ON d.id = q.device WHERE d.process IN (" + t.only.list + "))"
}

func (t *Trace) chosenDevicesSQL(column string) string {
	if t.only == nil {
		return "true"
	}
	return column + " IN (SELECT id FROM device WHERE process IN (" + t.only.list + "))"
}

// chosenSite and chosenWork say whether a site, or what repeats of activities, is of a process
// that is read.
func (t *Trace) chosenSite(id int64) (bool, error) {
	if t.only == nil {
		return true, nil
	}
	return t.only.sites.contains(t, id)
}

func (t *Trace) chosenWork(id int64) (bool, error) {
	if t.only == nil {
		return true, nil
	}
	return t.only.works.contains(t, id)
}

func (n *members) contains(t *Trace, id int64) (bool, error) {
	if id > n.last { // a trace that grows has new ones
		err := t.query(n.query, []int64{n.last}, func(s *sqlite.Stmt) error {
			n.last = s.ColumnInt64(0)
			if s.ColumnInt64(1) == 1 {
				n.has[n.last] = true
			}
			return nil
		})
		if err != nil {
			return false, schema.Explain(t.path, err)
		}
		n.last = max(n.last, id) // one that is in no table is of nobody
	}
	return n.has[id], nil
}
