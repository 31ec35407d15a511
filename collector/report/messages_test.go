package report

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// call makes a call of MPI's on a process whose number is the rank's and one more.
func call(name string, rank, peer, tag, start, end int64) message {
	return message{name: name, process: model.ProcessID(rank + 1), rank: rank, peer: peer, tag: tag, start: start, end: end}
}

func TestWaitForRanks(t *testing.T) {
	for _, test := range []struct {
		name  string
		calls []message
		want  []int64 // what each waited
	}{
		{"a barrier that the latest enters last", []message{call("MPI_Barrier", 0, -2, 0, 10, 60), call("MPI_Barrier", 1, -2, 0, 50, 60)}, []int64{40, 0}},
		{"a root that comes first, at the beginning of time", []message{call("MPI_Bcast", 0, 0, 0, 0, 9), call("MPI_Bcast", 1, 0, 0, 5, 9)}, []int64{0, 0}},
		{"a root that comes last", []message{call("MPI_Bcast", 1, 0, 0, 5, 40), call("MPI_Bcast", 0, 0, 0, 30, 35)}, []int64{25, 0}},
		{"of two messages of a rank the one with the tag", []message{call("MPI_Recv", 1, 0, 7, 0, 50), call("MPI_Send", 0, 1, 8, 10, 11), call("MPI_Send", 0, 1, 7, 30, 31)}, []int64{30, 0, 0}},
		{"whoever's comes first", []message{call("MPI_Recv", 2, -1, 7, 0, 50), call("MPI_Send", 1, 2, 7, 10, 11), call("MPI_Send", 0, 2, 7, 30, 31), call("MPI_Recv", 2, -1, 7, 51, 60)}, []int64{10, 0, 0, 0}},
		{"any tag of a rank", []message{call("MPI_Recv", 2, 0, -1, 0, 50), call("MPI_Send", 1, 2, 7, 10, 11), call("MPI_Send", 0, 2, 9, 20, 21)}, []int64{20, 0, 0}},
		{"a message that was sent at the beginning of time", []message{call("MPI_Isend", 0, 1, 7, 0, 1), call("MPI_Irecv", 1, 0, 7, 2, 3), call("MPI_Wait", 1, -2, 0, 4, 20), call("MPI_Isend", 0, 1, 7, 10, 11)}, []int64{0, 0, 0, 0}},
		{"a probe, and the receive behind it", []message{call("MPI_Probe", 1, 0, 7, 0, 50), call("MPI_Send", 0, 1, 7, 40, 41), call("MPI_Recv", 1, 0, 7, 60, 61)}, []int64{40, 0, 0}},
		{"a message that a probe has taken is not the next receive's", []message{call("MPI_Mprobe", 1, 0, 7, 0, 50), call("MPI_Send", 0, 1, 7, 40, 41), call(probedReceive, 1, 0, 7, 50, 50),
			call("MPI_Recv", 1, 0, 7, 60, 90), call("MPI_Send", 0, 1, 7, 80, 81)}, []int64{40, 0, 0, 20, 0}},
		{"requests that are started", []message{call(startedReceive, 1, 0, 7, 0, 1), call("MPI_Wait", 1, -2, 0, 5, 50), call(startedSend, 0, 1, 7, 30, 31)}, []int64{0, 25, 0}},
		{"a wait for a collective call", []message{call("MPI_Ibarrier", 0, -2, 0, 0, 1), call("MPI_Wait", 0, -2, 0, 5, 50), call("MPI_Ibarrier", 1, -2, 0, 40, 41), call("MPI_Wait", 1, -2, 0, 42, 50)}, []int64{0, 35, 0, 0}},
		{"a wait for a root", []message{call("MPI_Ibcast", 1, 0, 0, 0, 1), call("MPI_Wait", 1, -2, 0, 5, 50), call("MPI_Ibcast", 0, 0, 0, 20, 21), call("MPI_Wait", 0, -2, 0, 22, 50)}, []int64{0, 15, 0, 0}},
		{"a late receiver", []message{call("MPI_Send", 0, 1, 7, 0, 50), call("MPI_Recv", 1, 0, 7, 40, 50)}, []int64{40, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := waited(t, test.calls); !slices.Equal(got, test.want) {
				t.Errorf("waited %v, want %v", got, test.want)
			}
			if got := foundByLooking(test.calls); !slices.Equal(got, test.want) {
				t.Errorf("waited %v by all pairs, want %v", got, test.want)
			}
		})
	}
}

// MPI_Init and MPI_Finalize are neither communication nor computation, and threads that
// call at once communicate once.
func TestCommunicated(t *testing.T) {
	waiting := call("MPI_Recv", 0, 1, 0, 150, 200)
	waiting.waited = 30
	all := []message{call("MPI_Init", 0, -2, 0, 0, 100), waiting, call("MPI_Wait", 0, -2, 0, 160, 220),
		call("MPI_Finalize", 0, -2, 0, 300, 900)}
	of := func(from int, filter Filter) Communication {
		sums := newMessages(true)
		for i := range all {
			all[i].counted = i >= from
			sums.enter(&all[i])
			sums.count(&all[i])
		}
		return (&facts{}).communicated(sums, filter)
	}
	if got, want := of(0, Filter{}), (Communication{Processes: 1, Time: 70, Waited: 30, Waiting: true, Whole: 200}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	// Of a part, what begins there, and its time between the two.
	if got, want := of(2, Filter{From: 155, To: 500}), (Communication{Processes: 1, Time: 60, Waiting: true, Whole: 145}); got != want {
		t.Errorf("of a part %+v, want %+v", got, want)
	}
}

// What a call that also receives sends is not a call of its own.
func TestSendingHalves(t *testing.T) {
	outer, half := call("MPI_Sendrecv_replace", 0, 1, 0, 0, 9), call(sendingHalf, 0, 1, 0, 0, 0)
	outer.bytes, half.bytes, half.of = 100, 40, outer.name
	for _, waiting := range []bool{true, false} {
		sums := newMessages(waiting)
		for _, m := range []*message{&outer, &half} {
			m.counted = true
			sums.enter(m)
			sums.count(m)
		}
		table := communication(sums)
		want := []any{"MPI_Sendrecv_replace", int64(1), int64(9), int64(0), int64(9), int64(140), int64(9), int64(9), int64(9), int64(0)}
		if !waiting {
			want[3], want[4] = nil, nil
		}
		if len(table.Rows) != 1 || !reflect.DeepEqual(table.Rows[0], want) || table.Cautious == waiting {
			t.Errorf("%v, want %v", table.Rows, want)
		}
	}
}

// Reading that is interrupted between two calls ends with the error.
func TestInterruptedBetweenCalls(t *testing.T) {
	path := filepath.Join(t.TempDir(), "job.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 300, Ranks: 2, Own: true, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	f, err := load(trace, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	chosen := choose(trace, Filter{})
	defer chosen.close()
	done := make(chan struct{})
	trace.Interrupt(done)
	defer trace.Interrupt(nil)
	calls, failed := 0, error(nil)
	for m, err := range f.eachMessage(trace.Unlimited(), chosen) {
		if failed = err; err != nil {
			break
		}
		if calls++; !m.counted || m.name != "MPI_Sendrecv" {
			t.Errorf("%+v", m)
		}
		if calls == 1 {
			close(done)
		}
	}
	if calls != 1 || failed == nil {
		t.Errorf("%d calls, %v", calls, failed)
	}
}
