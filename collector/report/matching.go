package report

import (
	"math"
	"slices"

	"github.com/accscope/accscope/collector/model"
)

// role is what a call of MPI has to do with other ranks' calls.
type role int

const (
	alone           role = iota // waits for nobody, as far as is followed
	allMeet                     // everybody waits for the latest
	othersWait                  // for the root
	rootWaits                   // for the others
	allMeetLater                // the same, where a later call waits
	othersWaitLater             //
	rootWaitsLater              //
	sends                       //
	receives                    //
	receivesLater               // and a later call waits
	probes                      // tells of a message, which a receive takes
	waits                       // for what was begun before
)

// roles are those of the calls that have one.
var roles = rolesByName(map[role][]string{
	allMeet: {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",
		"MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_split", "MPI_Comm_split_type",
		"MPI_Comm_create", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent",
		"MPI_Win_create", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_create_dynamic", "MPI_Win_fence", "MPI_Win_free"},
	othersWait: {"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"},
	rootWaits:  {"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"},
	allMeetLater: {"MPI_Ibarrier", "MPI_Iallreduce", "MPI_Iallgather", "MPI_Iallgatherv", "MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw",
		"MPI_Ireduce_scatter", "MPI_Ireduce_scatter_block"},
	othersWaitLater: {"MPI_Ibcast", "MPI_Iscatter", "MPI_Iscatterv"},
	rootWaitsLater:  {"MPI_Ireduce", "MPI_Igather", "MPI_Igatherv"},
	sends:           {"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend", "MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend", sendingHalf, startedSend},
	receives:        {"MPI_Recv", "MPI_Sendrecv", "MPI_Sendrecv_replace"},
	receivesLater:   {"MPI_Irecv", "MPI_Isendrecv", "MPI_Isendrecv_replace", startedReceive, probedReceive},
	probes:          {"MPI_Probe", "MPI_Mprobe"},
	waits:           {"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"},
})

func rolesByName(names map[role][]string) map[string]role {
	roles := map[string]role{}
	for as, of := range names {
		for _, name := range of {
			roles[name] = as
		}
	}
	return roles
}

// meets says whether all ranks of a communicator make the call.
func (as role) meets() bool { return as >= allMeet && as <= rootWaitsLater }

// AllMeet says whether a call of MPI lets no rank of its communicator go on before all have come.
func AllMeet(call string) bool { return roles[call] == allMeet }

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

// matcher finds how long each call waited until the rank came that it needed, by the order of
// the calls: the n-th collective call on a communicator is the same one for all its ranks, and
// the n-th receive from a rank with a tag gets the n-th message that was sent so, unless that is
// later by more than mostLate. Calls come twice in the order of their starts: all to meet, then
// all to take.
type matcher struct {
	met, taken meetings
	sent       mailbox                        // messages that are not received
	posted     mailbox                        // receives and probes whose message has not come
	open       map[model.ThreadID][]*message  // of which the first is not decided
	waits      map[model.ProcessID][]*message // that wait for what was begun before, not decided
	due        map[model.ProcessID][]dueAt    // what these wait for
	enter      func(*message)                 // is called for each call when it is taken
	finish     func(*message)                 // and when it is known what it waited
}

// meetings are the collective calls, by name and communicator in order of their numbers.
type meetings struct {
	numbers map[participant]int
	all     map[meetingKey][]meeting
}

type meetingKey struct {
	name         string
	communicator int64
}

type participant struct {
	process model.ProcessID
	meetingKey
}

// meeting is when the latest rank and the root came to a collective call.
type meeting struct {
	latest, root int64
	rooted       bool // the root has come
}

// dueAt is when something comes that was asked for by a call.
type dueAt struct{ place, at int64 }

// mostLate is how long after the end of a receive its message may have been sent, ns, as the
// clocks of nodes tell it: what is sent later is another's.
const mostLate = 1_000_000_000

func newMatcher(enter, finish func(*message)) *matcher {
	return &matcher{met: newMeetings(), taken: newMeetings(), sent: mailbox{}, posted: mailbox{}, open: map[model.ThreadID][]*message{},
		waits: map[model.ProcessID][]*message{}, due: map[model.ProcessID][]dueAt{}, enter: enter, finish: finish}
}

func newMeetings() meetings { return meetings{map[participant]int{}, map[meetingKey][]meeting{}} }

// number gives the key of a collective call, and the how manyth of the process it is, from 0.
func (c *meetings) number(m *message) (key meetingKey, number int) {
	at := participant{m.process, meetingKey{m.name, m.communicator}}
	number = c.numbers[at]
	c.numbers[at] = number + 1
	return at.meetingKey, number
}

// meet notes when ranks come to collective calls.
func (w *matcher) meet(m *message) {
	if !roles[m.name].meets() {
		return
	}
	key, number := w.met.number(m)
	list := w.met.all[key]
	if number == len(list) {
		list = append(list, meeting{latest: m.start})
		w.met.all[key] = list
	}
	at := &list[number]
	at.latest = max(at.latest, m.start)
	if m.rank == m.peer {
		at.root, at.rooted = m.start, true
	}
}

// take takes a call in.
func (w *matcher) take(m *message) {
	w.enter(m)
	w.overdue(m.process, m.thread, m.start)
	switch as := roles[m.name]; {
	case as.meets():
		key, number := w.taken.number(m)
		if list := w.met.all[key]; number < len(list) {
			w.collective(m, as, &list[number])
		} else { // in a trace that grows it was not there to meet
			w.decide(m, 0)
		}
	case as == waits:
		w.waits[m.process] = append(w.waits[m.process], m)
	case m.peer < anyone: // MPI_PROC_NULL, or a call without a peer
		w.decide(m, 0)
	case as == sends:
		w.send(m)
	case as == receives, as == probes:
		w.receive(m)
	case as == receivesLater:
		w.decide(m, 0)
		w.receive(m)
	default:
		w.decide(m, 0)
	}
	if !m.decided && roles[m.name] != waits {
		w.open[m.thread] = append(w.open[m.thread], m)
	}
}

// decide notes what a call waited.
func (w *matcher) decide(m *message, waited int64) {
	if !m.decided {
		m.waited, m.decided = waited, true
		w.finish(m)
	}
}

// end decides all that are left.
func (w *matcher) end() {
	for thread := range w.open {
		w.late(thread, math.MaxInt64)
	}
	for process := range w.waits {
		w.over(process, math.MaxInt64)
	}
}

// overdue decides what nothing that is taken from a time on changes.
func (w *matcher) overdue(process model.ProcessID, thread model.ThreadID, now int64) {
	w.late(thread, now)
	w.over(process, now)
}

// late decides calls of a thread that nobody comes for any more.
func (w *matcher) late(thread model.ThreadID, now int64) {
	open := w.open[thread]
	for len(open) > 0 {
		m := open[0]
		switch as := roles[m.name]; {
		case m.decided:
		case as == sends && now < m.end, as != sends && now <= m.end+mostLate:
			w.open[thread] = open
			return
		case as != sends:
			w.posted.take(m, m.receivedAs())
		}
		w.decide(m, 0)
		open[0] = nil
		open = open[1:]
	}
	delete(w.open, thread)
}

// over finds what calls of a process waited for what it had begun before, where that is over.
func (w *matcher) over(process model.ProcessID, now int64) {
	list := w.waits[process]
	for len(list) > 0 && now > list[0].end {
		m := list[0]
		latest := m.start
		w.due[process] = slices.DeleteFunc(w.due[process], func(d dueAt) bool {
			if d.place > m.place || d.at > m.end {
				return false
			}
			latest = max(latest, d.at)
			return true
		})
		w.decide(m, latest-m.start)
		list[0] = nil
		list = list[1:]
	}
	if len(list) > 0 {
		w.waits[process] = list
	} else {
		delete(w.waits, process)
	}
}

// collective finds what a collective call waited, or until when a later one waits for it.
func (w *matcher) collective(m *message, as role, at *meeting) {
	until := m.start
	switch {
	case as == allMeet, as == allMeetLater, m.rank == m.peer && (as == rootWaits || as == rootWaitsLater):
		until = at.latest
	case at.rooted && (as == othersWait || as == othersWaitLater):
		until = at.root
	}
	if as >= allMeetLater {
		w.decide(m, 0)
		w.await(m, until, m.start)
	} else {
		w.decide(m, max(min(until, m.end)-m.start, 0))
	}
}

// await notes when something comes that a later call of the process may wait for. now is the
// start of the call that tells it: calls that start later do not wait for what has come by then.
func (w *matcher) await(m *message, at, now int64) {
	due, waits := w.due[m.process], len(w.waits[m.process])
	if waits == 0 && len(due) == cap(due) {
		due = slices.DeleteFunc(due, func(d dueAt) bool { return d.at <= now })
	}
	if at > now || waits > 0 {
		due = append(due, dueAt{m.place, at})
	}
	if len(due) > 0 {
		w.due[m.process] = due
	} else {
		delete(w.due, m.process)
	}
}

// send gives a message to the first that asked for such a one: probes tell of it, a receive
// takes it.
func (w *matcher) send(m *message) {
	if m.name != "MPI_Send" && m.name != "MPI_Ssend" { // these alone wait for the receiver
		w.decide(m, 0)
	}
	as := m.sentAs().asked()
	for r := w.posted.firstOf(as); r != nil; r = w.posted.firstOf(as) {
		w.posted.take(r, r.receivedAs())
		if roles[r.name] != receivesLater && m.start > r.end+mostLate {
			w.decide(r, 0)
			continue
		}
		if w.match(m, r); roles[r.name] != probes {
			m.taken = true
			return
		}
	}
	w.sent.put(m, as...)
}

// receive takes the first message that is asked for, if it has been sent.
func (w *matcher) receive(m *message) {
	s := w.sent.first(m.receivedAs())
	if s == nil {
		w.posted.put(m, m.receivedAs())
		return
	}
	if roles[m.name] != probes {
		w.sent.take(s, s.sentAs().asked()...)
	}
	w.match(s, m)
}

// match finds what a message and what receives it, or tells of it, waited for each other.
func (w *matcher) match(s, r *message) {
	if roles[r.name] == receivesLater {
		w.await(r, s.start, max(s.start, r.start))
		return
	}
	w.decide(r, max(min(s.start, r.end)-r.start, 0))
	if roles[r.name] == receives {
		late := int64(0) // the receiver was
		if r.start > s.start && r.start < s.end {
			late = r.start - s.start
		}
		w.decide(s, late)
	}
}
