package report

import (
	"maps"
	"slices"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// message is a call of MPI.
type message struct {
	name         string
	of           string // the call that it is inside of, "" if none
	process      model.ProcessID
	rank, peer   int64 // in MPI_COMM_WORLD; rank -1: not known
	communicator int64
	tag          int64
	start, end   int64
	bytes        int64
	waited       int64 // ns for others to come
}

// messages are the calls of MPI that a report counts.
type messages struct {
	list    []message                    // in order of their start
	waiting bool                         // it is known what calls waited
	inside  map[model.ProcessID]Interval // of all calls (between)
}

// messages reads the calls of MPI. A call that never ended lasts to the end of the trace.
// Whom a call waits for shows from all calls of all ranks from the beginning on, so the filter
// and a limit of the trace are applied behind that; where the trace has not all of them, nobody knows.
func (f *facts) messages(trace *store.Trace, filter Filter) (*messages, error) {
	all := &messages{waiting: true}
	if !slices.ContainsFunc(f.own, func(t *total) bool { return t.site.KindCode == model.MPIStart }) {
		return all, nil
	}
	received, err := receivedMessages(trace)
	if err != nil {
		return nil, err
	}
	if all.waiting, err = trace.FromTheBeginning(); err != nil {
		return nil, err
	}
	_, last, err := trace.Extent()
	if err != nil {
		return nil, err
	}
	calls := store.Filter{Kinds: []string{model.SpanName(model.MPIStart)}}
	places := map[int64]int{} // of records in the list
	for r, err := range trace.Unlimited().Spans(calls) {
		if err != nil {
			return nil, err
		}
		places[r.ID] = len(all.list)
		peer, tag, communicator := r.Message()
		m := message{name: r.Site.Name, process: r.Site.Process, rank: -1, peer: peer, communicator: communicator,
			tag: tag, start: r.Start, end: r.End(), bytes: int64(r.Bytes)}
		if came, known := received[r.ID]; known {
			m.peer, m.bytes = came.from, came.bytes
		}
		if r.Unended {
			m.end = last
		}
		if rank, known := f.ranks[int64(m.process)]; known {
			m.rank = int64(rank)
		}
		if outer, known := places[r.Parent]; known {
			m.of = all.list[outer].name
		}
		all.list = append(all.list, m)
	}
	if all.waiting {
		waitForRanks(all.list)
	}
	all.inside = between(all.list)
	only := trace.LimitedTo()
	if only != nil {
		maps.DeleteFunc(all.inside, func(id model.ProcessID, _ Interval) bool { return !slices.Contains(only, id) })
	}
	if filter == (Filter{}) && only == nil {
		return all, nil
	}
	chosen := &messages{waiting: all.waiting, inside: all.inside}
	calls.From, calls.To, calls.Exactly, calls.Within = filter.From, filter.To, filter.Exactly, filter.Within
	for r, err := range trace.Spans(calls) {
		if err != nil {
			return nil, err
		}
		if place, known := places[r.ID]; known && filter.accepts(f.site(r.Site), f.rankOfThread(int64(r.Thread))) {
			chosen.list = append(chosen.list, all.list[place])
		}
	}
	return chosen, nil
}

// arrived is what a receive's status tells.
type arrived struct{ from, bytes int64 }

// receivedMessages are those that programs asked a status of, by the receive's record.
func receivedMessages(trace *store.Trace) (map[int64]arrived, error) {
	received := map[int64]arrived{}
	for s, err := range trace.Rows("reading received messages", "SELECT record, received_from, received_bytes FROM communication WHERE received_from IS NOT NULL") {
		if err != nil {
			return nil, err
		}
		received[s.ColumnInt64(0)] = arrived{s.ColumnInt64(1), s.ColumnInt64(2)}
	}
	return received, nil
}

// What calls wait for: in which of them everybody waits for the latest, in which the
// others for the root, and in which the root for the others; which send, which receive,
// and of these which leave the waiting to a later call.
var (
	allWait = []string{"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",
		"MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_split", "MPI_Comm_split_type",
		"MPI_Comm_create", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent",
		"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic", "MPI_Win_fence", "MPI_Win_free"}
	othersWait    = []string{"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"}
	rootWaits     = []string{"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"}
	laterAllWait  = []string{"MPI_Ibarrier", "MPI_Iallreduce", "MPI_Iallgather", "MPI_Iallgatherv", "MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw", "MPI_Ireduce_scatter", "MPI_Ireduce_scatter_block"}
	laterOthers   = []string{"MPI_Ibcast", "MPI_Iscatter", "MPI_Iscatterv"}
	laterRoot     = []string{"MPI_Ireduce", "MPI_Igather", "MPI_Igatherv"}
	sends         = []string{"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend", sendingHalf, startedSend}
	receives      = []string{"MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv", "MPI_Isendrecv_replace", startedReceive, probedReceive}
	receivesLater = []string{"MPI_Irecv", "MPI_Isendrecv", "MPI_Isendrecv_replace", startedReceive, probedReceive}
	waits         = []string{"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"}
)

// AllMeet says whether a call of MPI lets no rank of its communicator go on before all have come.
func AllMeet(call string) bool { return slices.Contains(allWait, call) }

// The names of parts of calls: what a call that also receives sends, what requests that
// are started again and again send and receive, and the message that a probe has found,
// which a later call receives.
const (
	sendingHalf    = "MPI_Sendrecv (send)"
	startedSend    = "MPI_Start (send)"
	startedReceive = "MPI_Start (receive)"
	probedReceive  = "MPI_Mprobe (receive)"
)

// part says whether a call is a part of another one.
func (m *message) part() bool {
	return m.of != "" && slices.Contains([]string{sendingHalf, startedSend, startedReceive, probedReceive}, m.name)
}

// anyone stands for MPI_ANY_SOURCE and MPI_ANY_TAG.
const anyone = -1

// waitForRanks finds how long each call waited until the rank came that it needed, by the
// order of the calls: the n-th collective call on a communicator is the same one for all
// its ranks, and the n-th receive from a rank with a tag gets the n-th message that was
// sent so.
func waitForRanks(list []message) {
	due := pointToPoint(list)
	collective(list, due)
	pending := map[model.ProcessID][]int64{} // when what is to come was sent, or its ranks were there
	for i := range list {
		m := &list[i]
		if at, known := due[i]; known {
			pending[m.process] = append(pending[m.process], at)
		} else if slices.Contains(waits, m.name) {
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

// collective finds what collective calls waited, and, in due, until when those that do
// not wait have later calls wait.
func collective(list []message, due map[int]int64) {
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
	calls := map[place][]int{}
	kinds := [][]string{allWait, othersWait, rootWaits, laterAllWait, laterOthers, laterRoot}
	for i := range list {
		m := &list[i]
		if !slices.ContainsFunc(kinds, func(names []string) bool { return slices.Contains(names, m.name) }) {
			continue
		}
		at := counter{m.process, m.name, m.communicator}
		numbers[at]++
		key := place{m.name, m.communicator, numbers[at]}
		calls[key] = append(calls[key], i)
	}
	for key, group := range calls {
		latest, root, rooted := list[group[0]].start, int64(0), false
		for _, i := range group {
			m := &list[i]
			latest = max(latest, m.start)
			if m.rank == m.peer {
				root, rooted = m.start, true
			}
		}
		later := key.name[:len("MPI_I")] == "MPI_I"
		for _, i := range group {
			m := &list[i]
			until := m.start
			switch {
			case slices.Contains(allWait, key.name), slices.Contains(laterAllWait, key.name),
				m.rank == m.peer && (slices.Contains(rootWaits, key.name) || slices.Contains(laterRoot, key.name)):
				until = latest
			case rooted && (slices.Contains(othersWait, key.name) || slices.Contains(laterOthers, key.name)):
				until = root
			}
			if later {
				due[i] = until
			} else {
				m.waited = max(min(until, m.end)-m.start, 0)
			}
		}
	}
}

// envelope is what a message is matched by. That of a receive may have anyone's source and
// tag.
type envelope struct{ source, destination, communicator, tag int64 }

// mailbox holds the messages that were sent and not received. A message lies in a queue for
// each way in which a receive may name it, so that finding the first one takes as long
// however many there are.
type mailbox struct {
	queues map[envelope][]int // messages in order of sending, among them some that are taken
	taken  []bool             // by message
}

// put adds a message behind those that were sent before.
func (box *mailbox) put(e envelope, message int) {
	for _, source := range [...]int64{e.source, anyone} {
		for _, tag := range [...]int64{e.tag, anyone} {
			as := envelope{source, e.destination, e.communicator, tag}
			box.queues[as] = append(box.queues[as], message)
		}
	}
}

// first finds the first message that a receive takes.
func (box *mailbox) first(receive envelope) (message int, found bool) {
	queue := box.queues[receive]
	for len(queue) > 0 && box.taken[queue[0]] {
		queue = queue[1:]
	}
	if len(queue) == 0 {
		delete(box.queues, receive)
		return 0, false
	}
	box.queues[receive] = queue
	return queue[0], true
}

// take removes the first message that a receive takes.
func (box *mailbox) take(receive envelope) (message int, found bool) {
	if message, found = box.first(receive); found {
		box.taken[message] = true
	}
	return message, found
}

// pointToPoint finds what sends, receives and probes waited, and when the message of each
// receive that leaves the waiting to a later call was sent, where that was seen.
func pointToPoint(list []message) map[int]int64 {
	sent := mailbox{map[envelope][]int{}, make([]bool, len(list))}
	for i := range list {
		if m := &list[i]; slices.Contains(sends, m.name) {
			sent.put(envelope{m.rank, m.peer, m.communicator, m.tag}, i)
		}
	}
	times := map[int]int64{}
	for i := range list {
		m := &list[i]
		receive := envelope{m.peer, m.rank, m.communicator, m.tag}
		if m.name == "MPI_Probe" || m.name == "MPI_Mprobe" {
			if n, found := sent.first(receive); found {
				m.waited = max(min(list[n].start, m.end)-m.start, 0)
			}
			continue
		}
		if !slices.Contains(receives, m.name) {
			continue
		}
		n, found := sent.take(receive)
		if !found {
			continue
		}
		s := &list[n]
		if slices.Contains(receivesLater, m.name) {
			times[i] = s.start // a wait waits
			continue
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
