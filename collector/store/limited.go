package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/schema"
	"zombiezen.com/go/sqlite"
)

// limit is a choice of processes.
type limit struct {
	of    []model.ProcessID
	sites members
	works members
}

// members are rows that belong to chosen processes, of those up to a number.
type members struct {
	newest string // query of the last number
	query  string // of the numbers between two
	last   int64
	has    map[int64]*[readAtOnce]bool // by the first of neighbours
}

// OnlyProcesses limits to some processes what Processes, Threads, Devices, Queues, Lanes, Sites,
// Counters, Records, Activities, Totals, WorkTotals, Users, and the readers of numbered rows give, so that the rest of a
// job's many ranks is neither looked up nor kept. It is called before anything is read. SQL is
// not limited.
func (t *Trace) OnlyProcesses(processes []model.ProcessID) {
	l := &limit{of: processes}
	l.sites = members{newest: "SELECT coalesce(max(site), 0) FROM site_detail", query: "SELECT site FROM site_detail WHERE site > ? AND site <= ? AND " + l.sql("process"),
		has: map[int64]*[readAtOnce]bool{}}
	l.works = members{newest: "SELECT coalesce(max(id), 0) FROM work", query: "SELECT w.id FROM work w JOIN device d ON d.id = w.device WHERE w.id > ? AND w.id <= ? AND " + l.sql("d.process"),
		has: map[int64]*[readAtOnce]bool{}}
	t.only = l
}

// sql is a condition on a column of processes. Those that follow one another are given by the
// first and the last: a list of a job's many ranks is searched anew by each statement.
func (l *limit) sql(column string) string {
	var runs, single []string
	of := slices.Sorted(slices.Values(l.of))
	for len(of) > 0 {
		n := 1
		for n < len(of) && of[n] == of[n-1]+1 {
			n++
		}
		if n > 2 {
			runs = append(runs, fmt.Sprintf("%s BETWEEN %d AND %d", column, of[0], of[n-1]))
		} else {
			for _, p := range of[:n] {
				single = append(single, fmt.Sprint(int64(p)))
			}
		}
		of = of[n:]
	}
	if len(single) > 0 || len(runs) == 0 {
		runs = append(runs, column+" IN ("+strings.Join(single, ", ")+")")
	}
	if len(runs) == 1 {
		return runs[0]
	}
	return "(" + strings.Join(runs, " OR ") + ")"
}

// LimitedTo are the processes of OnlyProcesses; nil: all are read.
func (t *Trace) LimitedTo() []model.ProcessID {
	if t.only == nil {
		return nil
	}
	return t.only.of
}

// Unlimited reads all processes of what this trace reads, by its connection and until it is
// closed, and keeps what it looks up of them to itself. It is not to be closed.
func (t *Trace) Unlimited() *Trace {
	all := newTrace(t.path, t.conn, false)
	all.version, all.statements, all.names = t.version, t.statements, t.names
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
	return t.only.sql(column)
}

// chosenQueuesSQL and chosenDevicesSQL are conditions on columns of queues and of devices.
func (t *Trace) chosenQueuesSQL(column string) string {
	if t.only == nil {
		return "true"
	}
	return column + " IN (SELECT q.id FROM queue q JOIN device d ON d.id = q.device WHERE " + t.only.sql("d.process") + ")"
}

func (t *Trace) chosenDevicesSQL(column string) string {
	if t.only == nil {
		return "true"
	}
	return column + " IN (SELECT id FROM device WHERE " + t.only.sql("process") + ")"
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
		newest, err := schema.Integer(t.conn, n.newest)
		if err == nil {
			err = t.query(n.query, []int64{n.last, newest}, func(s *sqlite.Stmt) error {
				first, _ := neighbours(s.ColumnInt64(0))
				if n.has[first] == nil {
					n.has[first] = new([readAtOnce]bool)
				}
				n.has[first][s.ColumnInt64(0)-first] = true
				return nil
			})
		}
		if err != nil {
			return false, schema.Explain(t.path, err)
		}
		n.last = max(newest, id) // one that is in no table is of nobody
	}
	first, _ := neighbours(id)
	near := n.has[first]
	return near != nil && near[id-first], nil
}
