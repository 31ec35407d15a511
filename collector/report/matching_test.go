package report

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
)

// waited is what a matcher finds of calls, each by the place that it has in the list.
func waited(t *testing.T, calls []message) []int64 {
	t.Helper()
	list := make([]*message, len(calls))
	for i := range calls {
		m := calls[i]
		m.place = int64(i)
		list[i] = &m
	}
	slices.SortStableFunc(list, func(a, b *message) int { return cmp.Compare(a.start, b.start) })
	at := make(map[*message]int, len(list))
	for i, m := range list {
		at[m], m.place = int(m.place), int64(i)
	}
	found, entered, finished := make([]int64, len(calls)), 0, 0
	w := newMatcher(func(m *message) {
		if list[entered] != m {
			t.Errorf("%+v is not taken in order", m)
		}
		entered++
	}, func(m *message) {
		found[at[m]] = m.waited
		finished++
	})
	for _, m := range list {
		w.meet(m)
	}
	for _, m := range list {
		w.take(m)
	}
	w.end()
	if entered != len(calls) || finished != len(calls) {
		t.Errorf("%d of %d calls are taken, %d finished", entered, len(calls), finished)
	}
	return found
}

// foundByLooking is the same, found by looking at all pairs of calls.
func foundByLooking(calls []message) []int64 {
	at := make([]int, len(calls))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(calls[a].start, calls[b].start) })
	list := make([]message, len(calls))
	for i, from := range at {
		list[i] = calls[from]
	}
	due := map[int]int64{} // when what calls leave to a later wait has come
	used := make([]bool, len(list))
	for i := range list {
		r := &list[i]
		as := roles[r.name]
		if as != receives && as != receivesLater && as != probes {
			continue
		}
		for j := range list {
			s := &list[j]
			if roles[s.name] != sends || used[j] || s.peer != r.rank || s.communicator != r.communicator ||
				r.peer != anyone && r.peer != s.rank || r.tag != anyone && r.tag != s.tag || as != receivesLater && s.start > r.end+mostLate {
				continue
			}
			used[j] = as != probes
			switch {
			case as == receivesLater:
				due[i] = s.start
			default:
				r.waited = max(min(s.start, r.end)-r.start, 0)
				if as == receives && (s.name == "MPI_Send" || s.name == "MPI_Ssend") && r.start > s.start && r.start < s.end {
					s.waited = r.start - s.start
				}
			}
			break
		}
	}
	for i := range list {
		m := &list[i]
		as := roles[m.name]
		if !as.meets() {
			continue
		}
		until := m.start
		for j := range list {
			other := &list[j]
			if !sameMeeting(list, i, j) {
				continue
			}
			switch {
			case as == allMeet, as == allMeetLater, m.rank == m.peer && (as == rootWaits || as == rootWaitsLater):
				until = max(until, other.start)
			case other.rank == other.peer && (as == othersWait || as == othersWaitLater):
				until = other.start
			}
		}
		if as >= allMeetLater {
			due[i] = until
		} else {
			m.waited = max(min(until, m.end)-m.start, 0)
		}
	}
	for i := range list {
		m := &list[i]
		if roles[m.name] != waits {
			continue
		}
		latest := m.start
		for j := range i {
			if when, known := due[j]; known && list[j].process == m.process && when <= m.end {
				latest = max(latest, when)
				delete(due, j)
			}
		}
		m.waited = latest - m.start
	}
	found := make([]int64, len(calls))
	for i, from := range at {
		found[from] = list[i].waited
	}
	return found
}

// sameMeeting says whether two calls are the same collective call, on two ranks.
func sameMeeting(list []message, i, j int) bool {
	number := func(of int) (n int) {
		for k := range of {
			if list[k].name == list[of].name && list[k].process == list[of].process && list[k].communicator == list[of].communicator {
				n++
			}
		}
		return n
	}
	return list[i].name == list[j].name && list[i].communicator == list[j].communicator && number(i) == number(j)
}

// What is found while calls come is what all pairs show, whatever a job does.
func TestMatchingOfAnything(t *testing.T) {
	names := []string{"MPI_Test", "MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Sendrecv", sendingHalf, startedReceive, probedReceive,
		"MPI_Probe", "MPI_Mprobe", "MPI_Wait", "MPI_Waitall", "MPI_Barrier", "MPI_Bcast", "MPI_Reduce", "MPI_Ibarrier", "MPI_Ibcast", "MPI_Ireduce"}
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 1))
		few := names
		if seed%3 > 0 { // more that go together
			few = nil
			for range 5 {
				few = append(few, names[random.IntN(len(names))])
			}
		}
		ranks := 2 + random.Int64N(3)
		span := int64(1) + random.Int64N(400)
		if seed%7 == 0 {
			span *= mostLate / 50 // some messages come too late for their receives
		}
		var calls []message
		for range 5 + random.IntN(40) {
			start := random.Int64N(span)
			m := call(few[random.IntN(len(few))], random.Int64N(ranks), random.Int64N(ranks), random.Int64N(2), start, start+random.Int64N(span/4+2))
			if m.communicator = random.Int64N(8) / 7; roles[m.name] != sends {
				if random.IntN(4) == 0 {
					m.peer = anyone
				}
				if random.IntN(4) == 0 {
					m.tag = anyone
				}
			}
			calls = append(calls, m)
		}
		if got, want := waited(t, calls), foundByLooking(calls); !slices.Equal(got, want) || t.Failed() {
			text := ""
			for i, m := range calls {
				text += fmt.Sprintf("\n%s rank %d peer %d communicator %d tag %d from %d to %d: %d, want %d", m.name, m.rank, m.peer, m.communicator, m.tag, m.start, m.end, got[i], want[i])
			}
			t.Fatalf("seed %d: waited%s", seed, text)
		}
	}
}

// Receives of whoever's messages take them in the order of sending, and look at each but a
// few times, however many ranks and tags there are whose messages nobody has received; nothing
// is kept of what was received.
func TestReceivesOfAnyone(t *testing.T) {
	const ranks, each = 400, 250 // with all pairs open, 10 000 000 000 looks at pairs
	for _, late := range []bool{false, true} {
		var messages, received []*message
		for at := range int64(ranks * each) {
			s, r := call("MPI_Isend", 1+at%ranks, 0, at/ranks, 10*at+5, 10*at+6), call("MPI_Recv", 0, anyone, anyone, 10*at, 10*at+9)
			if late {
				r.start, r.end = r.start+10*ranks*each, r.end+10*ranks*each
			}
			messages, received = append(messages, &s), append(received, &r)
		}
		all := slices.Concat(messages, received)
		slices.SortStableFunc(all, func(a, b *message) int { return cmp.Compare(a.start, b.start) })
		w := newMatcher(func(*message) {}, func(*message) {})
		for place, m := range all {
			m.place = int64(place)
			w.take(m)
		}
		w.end()
		for i, r := range received {
			if want := map[bool]int64{false: 5, true: 0}[late]; r.waited != want || !messages[i].taken {
				t.Fatalf("late %t: receive %d waited %d ns, want %d; its message is received: %t", late, i, r.waited, want, messages[i].taken)
			}
		}
		if kept := len(w.sent) + len(w.posted) + len(w.due) + len(w.open) + len(w.waits); kept > 0 {
			t.Errorf("late %t: kept are %v, %v, %v, %v and %v", late, w.sent, w.posted, w.due, w.open, w.waits)
		}
	}
}

// A message that one kind of receive has taken is none of another kind's.
func TestReceivesOfAllKinds(t *testing.T) {
	box := mailbox{}
	for place, e := range []envelope{{1, 0, 0, 7}, {2, 0, 0, 7}, {1, 0, 0, 8}, {1, 0, 5, 7}, {1, 0, 0, 7}, {2, 3, 0, 7}} {
		m := &message{rank: e.source, peer: e.destination, communicator: e.communicator, tag: e.tag, place: int64(place)}
		box.put(m, e.asked()...)
	}
	for _, test := range []struct {
		receive envelope
		want    int64 // -1: none
	}{
		{envelope{anyone, 0, 0, 8}, 2}, {envelope{1, 0, 0, anyone}, 0}, {envelope{anyone, 0, 0, anyone}, 1}, {envelope{2, 0, 0, 7}, -1},
		{envelope{anyone, 0, 5, anyone}, 3}, {envelope{1, 0, 0, 7}, 4}, {envelope{anyone, 0, 0, anyone}, -1}, {envelope{anyone, 3, 0, 7}, 5},
	} {
		got := int64(-1)
		if m := box.first(test.receive); m != nil {
			got = m.place
			box.take(m, m.sentAs().asked()...)
		}
		if got != test.want {
			t.Errorf("%+v takes %d, want %d", test.receive, got, test.want)
		}
	}
	if len(box) > 0 {
		t.Errorf("%v are left", box)
	}
}

// What a long job leaves behind is bounded: messages to and from nobody, receives whose message
// never comes, collective calls that nothing waits for, and calls beside one that takes the
// whole time.
func TestKeptOfALongJob(t *testing.T) {
	const each = 1000
	sums := newMessages(true)
	w := newMatcher(sums.enter, sums.count)
	place := int64(0)
	var list []*message
	put := func(name string, thread model.ThreadID, peer, start, end int64) {
		m := call(name, 0, peer, 0, start, end)
		m.thread, m.place, m.counted = thread, place, true
		place++
		list = append(list, &m)
	}
	put("MPI_Recv", 1, 5, 0, 2*each*mostLate)
	other := call("MPI_Iallreduce", 1, -2, 0, 0, 1)
	for at := int64(1); at <= each; at++ {
		start := at * 2 * mostLate
		put("MPI_Isend", 2, -2, start, start+1)
		put("MPI_Sendrecv", 2, -2, start+2, start+3)
		put("MPI_Irecv", 2, -2, start+4, start+5)
		put("MPI_Recv", 2, 3, start+6, start+7)
		put("MPI_Iallreduce", 2, -2, start+8, start+9)
		late := other
		late.start, late.end, late.thread, late.place = start+20, start+21, 9, place
		place++
		list = append(list, &late)
	}
	for _, m := range list {
		w.meet(m)
	}
	for i, m := range list {
		w.take(m)
		if kept := len(w.sent) + len(w.posted) + len(w.open[1]) + len(w.open[2]) + len(w.open[9]) + len(w.due[1]) + len(sums.busy[1].waits); kept > 20 {
			t.Fatalf("after %d calls %d are kept: %v, %v, %v, %v", i, kept, w.sent, w.posted, w.open, w.due)
		}
	}
	w.end()
	if got := sums.calls["MPI_Recv"]; got.count != each+1 || got.waited != 0 {
		t.Errorf("%+v", got)
	}
}
