package write_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// rank is a process of an MPI job on a machine of its own, whose clock is set otherwise and
// drifts.
type rank struct {
	number int
	offset float64 // ns to add to its clock to get the first one's, when that shows 0
	drift  float64
	day    int64 // ns by which its time of day is wrong
}

// on is what the rank's clock shows at a time of the first one's.
func (r rank) on(time float64) int64 { return int64((time - r.offset) / (1 + r.drift)) }

// step is a range of each rank, in which it computes, and waits in a barrier for the others:
// times of the first one's clock.
type step struct{ begin, came, left, end []float64 }

// job is what so many ranks do.
func job(ranks, steps int) (all []step) {
	random := rand.New(rand.NewPCG(3, 4))
	time := 5e9
	for range steps {
		var s step
		last := 0.0
		for range ranks {
			begin := time + random.Float64()*1e5
			came := begin + 1e6 + random.ExpFloat64()*1e8
			s.begin, s.came = append(s.begin, begin), append(s.came, came)
			last = max(last, came)
		}
		for range ranks {
			left := last + 2e3 + random.ExpFloat64()*8e3
			s.left, s.end = append(s.left, left), append(s.end, left+1e3)
		}
		all = append(all, s)
		time = last + 1e6
	}
	return all
}

// trace writes what a rank did.
func (r rank) trace(t *testing.T, steps []step) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), fmt.Sprintf("rank-%d.db", r.number))
	m := model.New(nil, nil)
	p := model.ProcessInfo{ID: 1, Host: fmt.Sprint("node-", r.number), PID: 100, Program: "job", Rank: r.number, Ranks: 3}
	m.AddProcess(p)
	m.AddThread(model.ThreadInfo{ID: 1, Process: 1, TID: 100})
	origin := r.on(5e9)
	w, err := write.Create(path, origin, m)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(w.SaveHost(store.Host{ID: 1, Name: p.Host, RealtimeOffset: 1_700_000_000_000_000_000 + int64(r.offset) + r.day}))
	must(w.SaveProcess(m.Processes()[0], 1, "job"))
	must(w.SaveThread(m.Threads()[0]))
	sequence, pairs := uint64(0), uint64(0)
	event := func(kind int32, name string, pair uint64, time float64) {
		t.Helper()
		e := model.Event{Process: 1, Thread: 1, Event: capture.Event{Kind: kind, Name: m.Intern(name), Time: r.on(time) - origin, Sequence: sequence, Pair: pair,
			SourceFile: m.Intern("job.c"), Function: m.Intern("main"), Line: 7}}
		sequence++
		must(w.Write(m.Apply(&e)))
	}
	for _, s := range steps {
		pairs += 2
		event(model.RangeStart, "step", pairs, s.begin[r.number])
		event(model.MPIStart, "MPI_Barrier", pairs+1, s.came[r.number])
		event(model.MPIEnd, "MPI_Barrier", pairs+1, s.left[r.number])
		event(model.RangeEnd, "step", pairs, s.end[r.number])
	}
	must(w.Finish())
	must(w.Close())
	return path
}

// The traces of an MPI job's nodes are set to one clock by its barriers, where their time of
// day is milliseconds off and their clocks drift: each event is where it was, within the
// bound that is stored, and nobody leaves a barrier before all have come.
func TestMergeByBarriers(t *testing.T) {
	ranks := []rank{{number: 0}, {1, 8e12, 40e-6, 3_000_000}, {2, -5e12, -30e-6, -7_000_000}}
	steps := job(len(ranks), 300)
	var inputs []write.Input
	for _, r := range ranks {
		inputs = append(inputs, write.Input{Path: r.trace(t, steps)})
	}
	path := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(path, inputs); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	processes, err := trace.Processes()
	if err != nil {
		t.Fatal(err)
	}
	bound := map[int64]float64{}
	for _, p := range processes {
		if p.Rank > 0 && (p.On.Uncertainty < 1 || p.On.Uncertainty > 2_000_000) || p.Rank == 0 && p.On.Uncertainty != 0 {
			t.Errorf("rank %d: a bound of %d ns", p.Rank, p.On.Uncertainty)
		}
		bound[int64(p.Rank)] = float64(p.On.Uncertainty) + 2
	}
	came, left := map[int]float64{}, map[int]float64{}
	number := map[int64]int{}
	rows, near := 0, 0
	if err := sqlitex.Execute(trace.Conn(), `SELECT p.rank, c.start, c.end FROM communication c JOIN processes p ON p.process = c.process ORDER BY c.start`,
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			of, start, end := s.ColumnInt64(0), float64(s.ColumnInt64(1)+meta.Origin), float64(s.ColumnInt64(2)+meta.Origin)
			k := number[of]
			number[of]++
			rows++
			truth := steps[k]
			for _, pair := range [][2]float64{{start, truth.came[of]}, {end, truth.left[of]}} {
				off := max(pair[0]-pair[1], pair[1]-pair[0])
				if off > bound[of] {
					t.Errorf("rank %d, barrier %d: %.0f ns off, bound %.0f", of, k, off, bound[of])
				}
				if off < 20e3 {
					near++
				}
			}
			came[k] = max(came[k], start)
			if first, seen := left[k]; !seen || end < first {
				left[k] = end
			}
			return nil
		}}); err != nil {
		t.Fatal(err)
	}
	if rows != len(ranks)*len(steps) {
		t.Fatalf("%d barriers, want %d", rows, len(ranks)*len(steps))
	}
	for k := range steps {
		if left[k] < came[k]-5e3 {
			t.Errorf("barrier %d is left %.0f ns before all have come", k, came[k]-left[k])
		}
	}
	if near < 2*rows*95/100 {
		t.Errorf("%d of %d times within 20 µs", near, 2*rows)
	}
	if had, err := trace.Barriers(); err != nil || len(had) != len(ranks) || had[1] != (store.Barriers{Came: len(steps), Left: len(steps)}) {
		t.Errorf("barriers %v, %v, want %d of each rank", had, err, len(steps))
	}
	clocks := map[int64]int{}
	if err := trace.Clocks(func(c store.Clock) {
		clocks[c.Host]++
		r := ranks[c.Host-1]
		// On the host's clock, what the row says to add gives the first one's.
		time := float64(c.Time + meta.Origin)
		want := time - float64(r.on(time))
		if off := max(float64(c.Offset)-want, want-float64(c.Offset)); off > float64(c.Uncertainty)+2 {
			t.Errorf("host %d at %d: offset %d ± %d, want %.0f", c.Host, c.Time, c.Offset, c.Uncertainty, want)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if clocks[1] != 0 || clocks[2] < 20 || clocks[3] < 20 {
		t.Errorf("rows of hosts %v, want one a second of the second and third", clocks)
	}

	// Without all of the calls, or of two jobs, by the time of day.
	for name, change := range map[string]string{
		"an attach":         "UPDATE process SET since_attach = 1",
		"a flight recorder": "INSERT INTO meta VALUES ('filter_last_ns', '1000')",
		"another job":       "UPDATE process SET rank = 0",
	} {
		tracetest.Change(t, inputs[1].Path, change)
		path := filepath.Join(t.TempDir(), "merged.db")
		if err := write.Merge(path, inputs[:2]); err != nil {
			t.Fatal(err)
		}
		trace := tracetest.Open(t, path)
		processes, err := trace.Processes()
		if err != nil {
			t.Fatal(err)
		}
		if got := processes[1].On.Uncertainty; got != -1 {
			t.Errorf("%s: a bound of %d ns, want none", name, got)
		}
		tracetest.Change(t, inputs[1].Path, "UPDATE process SET since_attach = 0, rank = 1", "DELETE FROM meta WHERE key = 'filter_last_ns'")
	}
}
