package report

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/lookup"
	"github.com/accscope/accscope/collector/model"
)

// communication is what calls of MPI took, by call.
func communication(calls *messages) *Table {
	table := &Table{Key: "communication", Title: "Communication (MPI)",
		Note: "waiting is for the latest rank to come, as far as the calls of the ranks in this trace tell; the rest is transfer",
		Columns: []Column{{"call", "call", Text}, {"count", "count", Count}, {"time", "time_ns", Nanoseconds}, {"waiting", "wait_ns", Nanoseconds},
			{"transfer", "transfer_ns", Nanoseconds}, {"bytes", "bytes", Bytes}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}}}
	if !calls.waiting {
		table.Note, table.Cautious = "what calls waited is not known: the trace has not all calls of its processes", true
	}
	type sum struct{ count, time, waited, bytes, least, most int64 }
	sums := map[string]*sum{}
	inside := map[string]int64{} // of calls: the bytes of their parts
	for i := range calls.list {
		m := &calls.list[i]
		if m.part() {
			inside[m.of] += m.bytes
			continue
		}
		s := lookup.Make(sums, m.name, func() *sum { return &sum{least: m.end - m.start} })
		took := m.end - m.start
		s.count++
		s.time += took
		s.waited += m.waited
		s.bytes += m.bytes
		s.least, s.most = min(s.least, took), max(s.most, took)
	}
	for name, s := range sums {
		waited, transfer := any(nil), any(nil)
		if calls.waiting {
			waited, transfer = s.waited, s.time-s.waited
		}
		table.Rows = append(table.Rows, []any{name, s.count, s.time, waited, transfer, s.bytes + inside[name], s.least, average(s.time, s.count), s.most})
	}
	slices.SortFunc(table.Rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[2].(int64), a[2].(int64)), cmp.Compare(a[0].(string), b[0].(string)))
	})
	return table
}

// Communication is what the processes of a job did in MPI, over all of them.
type Communication struct {
	Processes int   `json:"mpi_ranks"`   // that called MPI
	Time      int64 `json:"mpi_time"`    // in its calls, without MPI_Init and MPI_Finalize
	Waited    int64 `json:"mpi_waited"`  // of that, for ranks that came later
	Waiting   bool  `json:"mpi_waiting"` // that is known
	Whole     int64 `json:"mpi_whole"`   // from MPI_Init's end to MPI_Finalize's begin; from the first call to the last where those were not seen
}

// communicated sums calls up. Threads of a process may call at once.
func (f *facts) communicated(calls *messages, filter Filter) (c Communication) {
	type process struct{ calling, waited []Interval }
	processes := map[model.ProcessID]*process{}
	for id, inside := range calls.inside {
		if times := f.chosen(filter, int64(id), inside); len(times) > 0 || !filter.limitsTime() && filter.Rank == nil && filter.Ranks == nil {
			processes[id] = &process{}
			c.Whole += Covered(times)
		}
	}
	for i := range calls.list {
		m := &calls.list[i]
		if p := processes[m.process]; p != nil && !m.part() && !m.frames() {
			p.calling = append(p.calling, Interval{m.start, m.end})
			p.waited = append(p.waited, Interval{m.start, m.start + m.waited})
		}
	}
	c.Processes, c.Waiting = len(processes), calls.waiting
	for _, p := range processes {
		c.Time += Covered(p.calling)
		c.Waited += Covered(p.waited)
	}
	return c
}

// begins says whether a call begins MPI.
func (m *message) begins() bool { return m.name == "MPI_Init" || m.name == "MPI_Init_thread" }

// frames says whether a call begins or ends MPI: what lies between these is a process's time
// of communication and computation.
func (m *message) frames() bool { return m.begins() || m.name == "MPI_Finalize" }

// between gives, for each process that called MPI, the time from MPI_Init's end to
// MPI_Finalize's begin, or from the first call to the last where those were not seen.
func between(list []message) map[model.ProcessID]Interval {
	inside := map[model.ProcessID]Interval{}
	for i := range list {
		m := &list[i]
		p, known := inside[m.process]
		if !known {
			p = Interval{m.start, m.start}
		}
		switch {
		case m.begins():
			p = Interval{m.end, max(p.End, m.end)}
		case m.name == "MPI_Finalize":
			p.End = max(p.End, m.start)
		case !m.part():
			p.End = max(p.End, m.end)
		}
		inside[m.process] = p
	}
	return inside
}
