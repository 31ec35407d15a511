package state_test

import (
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Limited to a frame, sums and the log are of what begins in it; what the frames took is
// told with its spread.
func TestOnlyAFrame(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Annotated(t, 3000))
	const chosen = "iteration 1"
	within, err := trace.Annotated(chosen)
	if err != nil {
		t.Fatal(err)
	}
	var frames, time, longest int64
	if err := trace.EachAnnotated(chosen, func(r *store.Record, end int64) {
		frames++
		time += end - r.Start
		longest = max(longest, end-r.Start)
	}); err != nil {
		t.Fatal(err)
	}
	totals, err := trace.Sums().Totals(store.Filter{Within: within})
	if err != nil {
		t.Fatal(err)
	}
	var launches, measured int64
	for i := range totals {
		if totals[i].Site.Kind == "enqueue_launch" {
			launches += totals[i].Ended
			measured += totals[i].Device.Time
		}
	}
	reader := state.New(trace)
	reader.Only(within)
	for _, at := range []int64{state.Newest, within.To, state.Newest} { // also backwards
		s, err := reader.At(at)
		if err != nil {
			t.Fatal(err)
		}
		var counted, took int64
		for _, k := range s.Kernels {
			counted += k.Count
			took += k.Timed.Time
		}
		if counted != launches || launches == 0 || at == state.Newest && took != measured {
			t.Errorf("at %d: %d launches of %d ns, want %d of %d", at, counted, took, launches, measured)
		}
		if len(s.Log) == 0 {
			t.Error("no events")
		}
		for _, e := range s.Log {
			if e.Time-e.Duration < within.From || e.Time-e.Duration >= within.To {
				t.Errorf("an event of %d to %d is logged", e.Time-e.Duration, e.Time)
			}
		}
		found := false
		for _, a := range s.Annotations {
			if a.Kind != "frame" {
				continue
			}
			found = true
			if a.Name != "iteration" || a.Count != frames || a.Ended != frames || a.Time != time || a.Longest != longest || a.Slowest != 1 || a.Deviation > longest-a.Shortest {
				t.Errorf("%+v, want %d frames of %d ns, the longest %d", a, frames, time, longest)
			}
		}
		if !found {
			t.Errorf("no frames among %+v", s.Annotations)
		}
	}
	s, err := reader.At(state.Newest)
	if err != nil || s.Chosen != within.Time(within.From, within.To) || s.Within != within {
		t.Errorf("%d ns of the frames, %v", s.Chosen, err)
	}
	checkGraphs(t, trace, within, s)
	whole, err := state.New(trace).At(state.Newest)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Kernels[0].Count <= launches {
		t.Errorf("%d launches in all", whole.Kernels[0].Count)
	}
}

// checkGraphs holds what queues did and the most memory in use, of frames, against the
// trace's activities and changes of memory.
func checkGraphs(t *testing.T, trace *store.Trace, within *store.Within, s *state.State) {
	t.Helper()
	busy, whole := map[model.QueueID]int64{}, map[model.QueueID]int64{}
	for a, err := range trace.Activities(store.Filter{Within: within}) {
		if err != nil {
			t.Fatal(err)
		}
		busy[a.Work.Queue] += a.Duration
	}
	for a, err := range trace.Activities(store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		whole[a.Work.Queue] += a.Duration
	}
	peaks := map[model.DeviceID]int64{}
	used, since := map[model.DeviceID]int64{}, map[model.DeviceID]int64{}
	owners := map[model.DeviceID]model.ProcessID{}
	for _, d := range s.Devices {
		owners[d.ID] = d.Process
	}
	lasted := func(d model.DeviceID, until int64) {
		for time := range 100 { // in a hundred places
			if within.Has(owners[d], since[d]+(until-since[d])*int64(time)/100) {
				peaks[d] = max(peaks[d], used[d])
			}
		}
	}
	if err := sqlitex.Execute(trace.Conn(), "SELECT device, time, used FROM memory ORDER BY time", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		d := model.DeviceID(row.ColumnInt64(0))
		lasted(d, row.ColumnInt64(1))
		since[d], used[d] = row.ColumnInt64(1), row.ColumnInt64(2)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	highest := int64(0)
	for _, d := range s.Devices {
		highest = max(highest, d.Peak)
		lasted(d.ID, within.To)
		if d.Peak != peaks[d.ID] {
			t.Errorf("device %d: %d bytes at most, want %d", d.ID, d.Peak, peaks[d.ID])
		}
		for _, q := range d.Queues {
			ran := int64(0)
			for _, x := range q.Ran {
				ran += x.Busy
			}
			if q.Busy != busy[q.ID] || ran != q.Busy || q.Busy >= whole[q.ID] {
				t.Errorf("queue %d was busy %d ns, drawn %d, want %d of %d", q.ID, q.Busy, ran, busy[q.ID], whole[q.ID])
			}
		}
	}
	if highest == 0 {
		t.Error("no memory was in use")
	}
}
