package report

import (
	"cmp"
	"slices"
)

// communication is what calls of MPI took, by call.
func communication(calls *messages) *Table {
	table := &Table{Key: "communication", Title: "Communication (MPI)",
		Note: "waiting is for the latest rank to come, as far as the calls of the ranks in this trace tell; the rest is transfer",
		Columns: []Column{{"call", "call", Text}, {"count", "count", Count}, {"time", "time_ns", Nanoseconds}, {"waiting", "wait_ns", Nanoseconds},
			{"transfer", "transfer_ns", Nanoseconds}, {"bytes", "bytes", Bytes}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}, cutOff}}
	if !calls.waiting {
		table.Note, table.Cautious = "what calls waited is not known: the trace has not all calls of its processes", true
	}
	for name, s := range calls.calls {
		waited, transfer := any(nil), any(nil)
		if calls.waiting {
			waited, transfer = s.waited, s.time-s.waited
		}
		if s.count > 0 {
			table.Rows = append(table.Rows, []any{name, s.count, s.time, waited, transfer, s.bytes, s.least, average(s.time, s.count), s.most, s.cut})
		}
	}
	slices.SortFunc(table.Rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[2].(int64), a[2].(int64)), cmp.Compare(a[0].(string), b[0].(string)))
	})
	return table.marked()
}

// Communication is what the processes of a job did in MPI, over all of them.
type Communication struct {
	Processes int   `json:"mpi_ranks"`   // that called MPI
	Time      int64 `json:"mpi_time"`    // in its calls, without MPI_Init and MPI_Finalize
	Waited    int64 `json:"mpi_waited"`  // of that, for ranks that came later
	Waiting   bool  `json:"mpi_waiting"` // that is known
	Whole     int64 `json:"mpi_whole"`   // from MPI_Init's end to MPI_Finalize's begin; from the first call to the last where those were not seen
}

// communicated is what the calls of each process make. Threads of a process may call at once.
func (f *facts) communicated(calls *messages, filter Filter) (c Communication) {
	for id, inside := range calls.inside {
		times := f.chosen(filter, int64(id), inside)
		if len(times) == 0 && (filter.limitsTime() || filter.Rank != nil || filter.Ranks != nil) {
			continue
		}
		c.Processes++
		c.Whole += Covered(times)
		if busy := calls.busy[id]; busy != nil {
			c.Time += busy.called.sum
			c.Waited += busy.waited.sum
		}
	}
	c.Waiting = calls.waiting
	return c
}

// begins says whether a call begins MPI.
func (m *message) begins() bool { return m.name == "MPI_Init" || m.name == "MPI_Init_thread" }

// frames says whether a call begins or ends MPI: what lies between these is a process's time
// of communication and computation.
func (m *message) frames() bool { return m.begins() || m.name == "MPI_Finalize" }
