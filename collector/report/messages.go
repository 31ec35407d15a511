package report

import (
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// message is a call of MPI.
type message struct {
	name         string
	of           string // the call that it is inside of, "" if none
	process      model.ProcessID
	thread       model.ThreadID
	rank, peer   int64 // in MPI_COMM_WORLD; rank -1: not known
	communicator int64
	tag          int64
	start, end   int64
	cut          bool // it has no end: until it was cut off
	bytes        int64
	waited       int64 // ns for others to come

	place   int64    // among all calls, in the order of their starts
	counted bool     // the filter lets it through
	decided bool     // what it waited is known
	taken   bool     // a message: received; a receive: its message has come
	waiting *stretch // its place among what the process waited; nil: it is not there
}

// messages are the calls of MPI that a report counts, added up. A job has many: of a call no
// more is kept than it takes to tell what others waited for it.
type messages struct {
	waiting bool // it is known what calls waited
	calls   map[string]*callSum
	inside  map[model.ProcessID]Interval // of all calls (enclose)
	busy    map[model.ProcessID]*communicating
}

// callSum is what calls of a name took, ns; bytes are those of their parts, too.
type callSum struct{ count, time, waited, bytes, least, most, cut int64 }

// communicating is when a process was in calls of MPI, and what of that it waited.
type communicating struct {
	called, waited covered
	waits          []*stretch // not in waited yet, in the order of their starts
}

// stretch is what a call waited; open: it is not known yet.
type stretch struct {
	Interval
	open bool
}

// covered is the time that lies in at least one of intervals, which come in the order of
// their begins.
type covered struct{ sum, until int64 }

func (c *covered) add(start, end int64) {
	if start = max(start, c.until); end > start {
		c.sum += end - start
		c.until = end
	}
}

func newMessages(waiting bool) *messages {
	return &messages{waiting, map[string]*callSum{}, map[model.ProcessID]Interval{}, map[model.ProcessID]*communicating{}}
}

// enter takes a call in, whose wait need not be known. Calls come in the order of their starts.
func (c *messages) enter(m *message) {
	c.enclose(m)
	if m.counted && !m.part() && !m.frames() {
		of := lookup.Make(c.busy, m.process, func() *communicating {
			return &communicating{called: covered{until: math.MinInt64}, waited: covered{until: math.MinInt64}}
		})
		of.called.add(m.start, m.end)
		m.waiting = &stretch{Interval{m.start, m.start}, true}
		if len(of.waits) == cap(of.waits) { // behind a call that lasts long
			of.waits = slices.DeleteFunc(of.waits, func(s *stretch) bool { return !s.open && s.Start == s.End })
			of.waits = slices.Grow(of.waits, len(of.waits)+1)
		}
		of.waits = append(of.waits, m.waiting)
	}
}

// count adds a call up that was taken in, as soon as it is known what it waited.
func (c *messages) count(m *message) {
	if !m.counted {
		return
	}
	name := m.name
	if m.part() {
		name = m.of
	}
	s := lookup.Make(c.calls, name, func() *callSum { return &callSum{least: math.MaxInt64} })
	s.bytes += m.bytes
	if m.part() {
		return
	}
	took := m.end - m.start
	s.count++
	s.time += took
	s.waited += m.waited
	if m.cut {
		s.cut++
	}
	s.least, s.most = min(s.least, took), max(s.most, took)
	if m.waiting != nil {
		c.busy[m.process].wait(m.waiting, m.waited)
	}
}

// wait notes what a call waited, and adds up what lies before the first that is open.
func (c *communicating) wait(of *stretch, time int64) {
	of.End, of.open = of.Start+time, false
	if last := len(c.waits) - 1; time == 0 && c.waits[last] == of {
		c.waits = c.waits[:last]
	}
	for len(c.waits) > 0 && !c.waits[0].open {
		c.waited.add(c.waits[0].Start, c.waits[0].End)
		c.waits[0] = nil
		c.waits = c.waits[1:]
	}
}

// enclose has the time of a process in MPI reach over a call: from MPI_Init's end to
// MPI_Finalize's begin, or from the first call to the last where those were not seen.
func (c *messages) enclose(m *message) {
	at, known := c.inside[m.process]
	if !known {
		at = Interval{m.start, m.start}
	}
	switch {
	case m.begins():
		at = Interval{m.end, max(at.End, m.end)}
	case m.name == "MPI_Finalize":
		at.End = max(at.End, m.start)
	case !m.part():
		at.End = max(at.End, m.end)
	}
	c.inside[m.process] = at
}

// messages reads the calls of MPI. A call that never ended lasts to the end of the trace.
// Whom a call waits for shows from all calls of all ranks from the beginning on, so the filter
// and a limit of the trace are applied behind that; where the trace has not all of them, nobody knows.
func (f *facts) messages(trace *store.Trace, filter Filter) (*messages, error) {
	all := newMessages(true)
	if !slices.ContainsFunc(f.own, func(t *total) bool { return t.site.KindCode == model.MPIStart }) {
		return all, nil
	}
	var err error
	if all.waiting, err = trace.FromTheBeginning(); err != nil {
		return nil, err
	}
	chosen := choose(trace, filter)
	defer chosen.close()
	w, whole := newMatcher(all.enter, all.count), trace.Unlimited()
	if all.waiting {
		for m, err := range f.eachMessage(whole, nil) {
			if err != nil {
				return nil, err
			}
			w.meet(m)
		}
	}
	for m, err := range f.eachMessage(whole, chosen) {
		if err != nil {
			return nil, err
		}
		if all.waiting {
			w.take(m)
		} else {
			all.enter(m)
			all.count(m)
		}
	}
	w.end()
	if only := trace.LimitedTo(); only != nil {
		maps.DeleteFunc(all.inside, func(id model.ProcessID, _ Interval) bool { return !slices.Contains(only, id) })
	}
	return all, nil
}

// eachMessage gives the calls of all ranks in the order of their starts, each of its own. choice
// says which count; nil: none does, and what came is not asked for.
func (f *facts) eachMessage(trace *store.Trace, choice *choice) iter.Seq2[*message, error] {
	return func(yield func(*message, error) bool) {
		_, last, err := trace.Extent()
		if err != nil {
			yield(nil, err)
			return
		}
		around := map[model.ThreadID][]openCall{}
		place := int64(0)
		for r, err := range trace.Spans(callsOfMPI) {
			if err != nil {
				yield(nil, err)
				return
			}
			place++
			m := f.message(r, place, last)
			if choice != nil {
				if err = m.came(trace, r); err == nil {
					m.counted, err = choice.has(f, r)
				}
				if err != nil {
					yield(nil, err)
					return
				}
			}
			open := slices.DeleteFunc(around[r.Thread], func(c openCall) bool { return c.end < m.start })
			for _, c := range open {
				if c.record == r.Parent {
					m.of = c.name
				}
			}
			around[r.Thread] = append(open, openCall{r.ID, m.end, m.name})
			if !yield(m, nil) {
				return
			}
		}
	}
}

// openCall is a call of MPI that a thread is in, or has just ended.
type openCall struct {
	record, end int64
	name        string
}

// callsOfMPI chooses these from a trace.
var callsOfMPI = store.Filter{Kinds: []string{model.SpanName(model.MPIStart)}}

// message describes a record.
func (f *facts) message(r *store.Record, place, last int64) *message {
	m := &message{name: r.Site.Name, process: r.Site.Process, thread: r.Thread, rank: -1, start: r.Start, end: r.End(), cut: r.Unended, bytes: int64(r.Bytes), place: place}
	m.peer, m.tag, m.communicator = r.Message()
	if rank, known := f.ranks[int64(m.process)]; known {
		m.rank = int64(rank)
	}
	return m
}

// came reads what a call received, where the program asked for its status.
func (m *message) came(trace *store.Trace, r *store.Record) error {
	if as := roles[m.name]; m.peer < anyone || as != receives && as != probes && as != alone {
		return nil
	}
	from, bytes, known, err := trace.Received(r.ID)
	if known {
		m.peer, m.bytes = from, bytes
	}
	return err
}

// choice is which calls a filter lets through, of processes that a trace is limited to.
type choice struct {
	filter Filter
	only   []model.ProcessID // nil: all
	// Of a filter of times: the next record that it lets through, in the same order.
	next          func() (*store.Record, error, bool)
	close         func()
	record, start int64 // record 0: it is to be read
	over          bool
}

func choose(trace *store.Trace, filter Filter) *choice {
	c := &choice{filter: filter, only: trace.LimitedTo(), close: func() {}}
	if filter.limitsTime() {
		calls := filter.stored()
		calls.Kinds = callsOfMPI.Kinds
		c.next, c.close = iter.Pull2(trace.Spans(calls))
	}
	return c
}

// has says whether a record counts. Records are asked for in the order of their starts.
func (c *choice) has(f *facts, r *store.Record) (bool, error) {
	if c.next != nil {
		for !c.over && (c.record == 0 || c.start < r.Start) {
			next, err, more := c.next()
			if err != nil {
				return false, err
			}
			if c.over = !more; more {
				c.record, c.start = next.ID, next.Start
			}
		}
		if c.over || c.record != r.ID {
			return false, nil
		}
		c.record = 0
	}
	if c.only != nil && !slices.Contains(c.only, r.Site.Process) {
		return false, nil
	}
	return c.filter == (Filter{}) || c.filter.accepts(f.site(r.Site), f.rankOfThread(int64(r.Thread))), nil
}
