package report

import (
	"cmp"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// message is a call of MPI.
type message struct {
	name         string
	process      model.ProcessID
	rank, peer   int64 // in MPI_COMM_WORLD; rank -1: not known
	communicator int64
	tag          int64
	start, end   int64
	bytes        int64
	waited       int64 // ns for others to come
}

// messages reads the calls of MPI, in order of their start. A call that never ended lasts
// to the end of the trace.
func (f *facts) messages(trace *store.Trace, filter Filter) ([]message, error) {
	if !slices.ContainsFunc(f.own, func(t *total) bool { return t.site.kind == int64(model.MPIStart) }) {
		return nil, nil
	}
	var list []message
	for r, err := range trace.Spans(store.Filter{From: filter.From, To: filter.To, Within: filter.Within, Kinds: []string{model.SpanName(model.MPIStart)}}) {
		if err != nil {
			return nil, err
		}
		m := message{name: r.Site.Name, process: r.Site.Process, rank: -1, peer: int64(r.Host), communicator: int64(int32(r.Address)),
			tag: int64(int32(r.Address >> 32)), start: r.Start, end: r.End(), bytes: int64(r.Bytes)}
		if r.Unended {
			m.end = f.last
		}
		if rank, known := f.ranks[int64(m.process)].(int64); known {
			m.rank = rank
		}
		list = append(list, m)
	}
	waitForRanks(list)
	return slices.DeleteFunc(list, func(m message) bool { return filter.Rank != nil && m.rank != *filter.Rank }), nil
}

// What calls wait for: in which of them everybody waits for the latest, in which the
// others for the root, and in which the root for the others; which send, and receive.
var (
	allWait    = []string{"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Comm_dup", "MPI_Comm_split", "MPI_Comm_create", "MPI_Cart_create"}
	othersWait = []string{"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"}
	rootWaits  = []string{"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"}
	sends      = []string{"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend", "MPI_Sendrecv (send)"}
	receives   = []string{"MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", "MPI_Sendrecv_replace"}
	waits      = []string{"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"}
)

// anyone stands for MPI_ANY_SOURCE and MPI_ANY_TAG.
const anyone = -1

// waitForRanks finds how long each call waited until the rank came that it needed, by the
// order of the calls: the n-th collective call on a communicator is the same one for all
// its ranks, and the n-th receive from a rank with a tag gets the n-th message that was
// sent so.
func waitForRanks(list []message) {
	collective(list)
	sent := pointToPoint(list)
	pending := map[model.ProcessID][]int64{} // when messages were sent that are to come
	for i := range list {
		m := &list[i]
		switch {
		case m.name == "MPI_Irecv" && sent[i] != 0:
			pending[m.process] = append(pending[m.process], sent[i])
		case slices.Contains(waits, m.name):
			latest := m.start
			pending[m.process] = slices.DeleteFunc(pending[m.process], func(at int64) bool {
				if at > m.end {
					return false
				}
				latest = max(latest, at)
				return true
			})
			m.waited = latest - m.start
		}
	}
}

// collective finds what collective calls waited.
func collective(list []message) {
	type place struct {
		name         string
		communicator int64
		number       int
	}
	type counter struct {
		process      model.ProcessID
		name         string
		communicator int64
	}
	numbers := map[counter]int{}
	calls := map[place][]*message{}
	for i := range list {
		m := &list[i]
		if !slices.Contains(allWait, m.name) && !slices.Contains(othersWait, m.name) && !slices.Contains(rootWaits, m.name) {
			continue
		}
		at := counter{m.process, m.name, m.communicator}
		numbers[at]++
		key := place{m.name, m.communicator, numbers[at]}
		calls[key] = append(calls[key], m)
	}
	for key, group := range calls {
		latest, root := group[0].start, int64(0)
		for _, m := range group {
			latest = max(latest, m.start)
			if m.rank == m.peer {
				root = m.start
			}
		}
		for _, m := range group {
			until := m.start
			switch {
			case slices.Contains(allWait, key.name), slices.Contains(rootWaits, key.name) && m.rank == m.peer:
				until = latest
			case slices.Contains(othersWait, key.name) && root != 0:
				until = root
			}
			m.waited = max(min(until, m.end)-m.start, 0)
		}
	}
}

// pointToPoint finds what sends and receives waited, and when the message of each receive
// was sent: 0 if that was not seen.
func pointToPoint(list []message) map[int]int64 {
	type destination struct{ rank, communicator int64 }
	sent := map[destination][]int{}
	for i := range list {
		if m := &list[i]; slices.Contains(sends, m.name) {
			to := destination{m.peer, m.communicator}
			sent[to] = append(sent[to], i)
		}
	}
	times := map[int]int64{}
	for i := range list {
		m := &list[i]
		if !slices.Contains(receives, m.name) {
			continue
		}
		at := destination{m.rank, m.communicator}
		n := slices.IndexFunc(sent[at], func(i int) bool {
			return (m.peer == anyone || list[i].rank == m.peer) && (m.tag == anyone || list[i].tag == m.tag)
		})
		if n < 0 {
			continue
		}
		s := &list[sent[at][n]]
		sent[at] = slices.Delete(sent[at], n, n+1)
		times[i] = s.start
		if m.name == "MPI_Irecv" {
			continue // a wait waits
		}
		m.waited = max(min(s.start, m.end)-m.start, 0)
		if s.name == "MPI_Send" || s.name == "MPI_Ssend" {
			if m.start > s.start && m.start < s.end {
				s.waited = m.start - s.start // the receiver was late
			}
		}
	}
	return times
}

// communication is what calls of MPI took, by call.
func communication(list []message) *Table {
	table := &Table{Key: "communication", Title: "Communication (MPI)",
		Note: "waiting is for the latest rank to come, as far as the calls of the ranks in this trace tell; the rest is transfer",
		Columns: []Column{{"call", "call", Text}, {"count", "count", Count}, {"time", "time_ns", Nanoseconds}, {"waiting", "wait_ns", Nanoseconds},
			{"transfer", "transfer_ns", Nanoseconds}, {"bytes", "bytes", Bytes}, {"min", "min_ns", Nanoseconds}, {"avg", "avg_ns", Nanoseconds}, {"max", "max_ns", Nanoseconds}}}
	type sum struct{ count, time, waited, bytes, least, most int64 }
	sums := map[string]*sum{}
	for i := range list {
		m := &list[i]
		s := sums[m.name]
		if s == nil {
			s = &sum{least: m.end - m.start}
			sums[m.name] = s
		}
		took := m.end - m.start
		s.count++
		s.time += took
		s.waited += m.waited
		s.bytes += m.bytes
		s.least, s.most = min(s.least, took), max(s.most, took)
	}
	for name, s := range sums {
		table.Rows = append(table.Rows, []any{name, s.count, s.time, s.waited, s.time - s.waited, s.bytes, s.least, average(s.time, s.count), s.most})
	}
	slices.SortFunc(table.Rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[2].(int64), a[2].(int64)), cmp.Compare(a[0].(string), b[0].(string)))
	})
	return table
}

// Communication is what the processes of a job did in MPI, over all of them.
type Communication struct {
	Processes int   // that called MPI
	Time      int64 // in its calls, without MPI_Init and MPI_Finalize
	Waited    int64 // of that, for ranks that came later
	Whole     int64 // from their first call to their last
}

// communicated sums calls up.
func communicated(list []message) (c Communication) {
	type extent struct{ first, last int64 }
	processes := map[model.ProcessID]extent{}
	for i := range list {
		m := &list[i]
		e, known := processes[m.process]
		if !known {
			e.first = m.start
		}
		e.last = max(e.last, m.end)
		processes[m.process] = e
		if m.name != "MPI_Init" && m.name != "MPI_Init_thread" && m.name != "MPI_Finalize" && m.name != "MPI_Sendrecv (send)" {
			c.Time += m.end - m.start
			c.Waited += m.waited
		}
	}
	c.Processes = len(processes)
	for _, e := range processes {
		c.Whole += e.last - e.first
	}
	return c
}
