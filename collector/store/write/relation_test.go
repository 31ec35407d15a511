package write_test

import (
	"fmt"
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

// name and host of a machine; its number is its place among the job's.
func (r rank) name() string { return fmt.Sprint("node-", r.number) }

func (r rank) host(id int64) store.Host {
	return store.Host{ID: id, Name: r.name(), RealtimeOffset: 1_700_000_000_000_000_000 + int64(r.offset) + r.day}
}

// apart is what is added to the rank's clock to get another's, when the first one's shows a time.
func (r rank) apart(other rank, time float64) int64 { return other.on(time) - r.on(time) }

// eventsOf is when a node does something, on the first one's clock.
func eventsOf(node rank) (times []float64) {
	for i := range 40 {
		times = append(times, 6e9+float64(i)*5e8+float64(node.number)*1e6)
	}
	return times
}

// collected writes the trace of a job's collector: what its node did, and the clocks of that and
// of other collectors as it knows them, off by as much as they may be.
func collected(t *testing.T, own, node rank, others ...rank) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), own.name()+".db")
	m := model.New(nil, nil)
	m.AddProcess(model.ProcessInfo{ID: 1, Host: node.name(), PID: 100, Program: "job", Rank: node.number})
	m.AddThread(model.ThreadInfo{ID: 1, Process: 1, TID: 100})
	origin := own.on(5e9)
	w, err := write.Create(path, origin, m)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(err)
	must(w.SaveHost(own.host(1)))
	for i, other := range append([]rank{node}, others...) {
		h := other.host(int64(i + 2))
		off := int64(10e3 * (i + 1))
		for time := 4e9; time < 30e9; time += 1e9 {
			offset := other.apart(own, time) + off*int64(own.number-1)
			must(w.WriteClock(store.Clock{Host: h.ID, Time: other.on(time) + offset - origin, Offset: offset, Uncertainty: off + 1e3}))
			h.ClockOffset, h.Uncertainty = offset, off+1e3
		}
		must(w.SaveHost(h))
	}
	must(w.SaveProcess(m.Processes()[0], 2, "job"))
	must(w.SaveThread(m.Threads()[0]))
	for i, time := range eventsOf(node) {
		for end := range int32(2) {
			e := model.Event{Process: 1, Thread: 1, Event: capture.Event{Kind: model.RangeStart + end, Name: m.Intern("step"),
				Time: node.on(time) + node.apart(own, time) - origin + int64(end)*1000, Sequence: uint64(2*i) + uint64(end), Pair: uint64(i + 1)}}
			must(w.Write(m.Apply(&e)))
		}
	}
	must(w.Finish())
	must(w.Close())
	return path
}

// The traces of a job's collectors are set to the first one's clock by what they know of each
// other's, whichever of two does, and over a third: within bounds that add up. One that none knows is
// set by the time of day.
func TestMergeOfCollectors(t *testing.T) {
	collectors := []rank{{number: 0}, {1, 8e12, 40e-6, 3_000_000}, {2, -5e12, -30e-6, -7_000_000}, {3, 1e12, 0, 4_000_000}}
	var nodes []rank
	for i := range collectors {
		nodes = append(nodes, rank{10 + i, float64(i) * 3e12, float64(i) * 10e-6, 0})
	}
	path := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(path, []write.Input{
		{Path: collected(t, collectors[0], nodes[0], collectors[1])},
		{Path: collected(t, collectors[1], nodes[1])},
		{Path: collected(t, collectors[2], nodes[2], collectors[1])}, // what the first one knows too
		{Path: collected(t, collectors[3], nodes[3])},
	}); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := trace.Hosts()
	if err != nil {
		t.Fatal(err)
	}
	// Its own bound, and those of the collectors on the way.
	called := map[int64]string{}
	bounds := map[string]int64{"node-0": 0, "node-10": 11e3, "node-1": 21e3, "node-11": 32e3, "node-2": 42e3, "node-12": 53e3, "node-3": -1, "node-13": -1}
	for _, h := range hosts {
		called[h.ID] = h.Name
		want, known := bounds[h.Name]
		delete(bounds, h.Name)
		if !known || (want < 0) != (h.Uncertainty < 0) || h.Uncertainty < want || h.Uncertainty > want+200 {
			t.Errorf("%s: a bound of %d ns, want %d, each host once", h.Name, h.Uncertainty, want)
		}
	}
	if len(bounds) > 0 {
		t.Errorf("no hosts %v", bounds)
	}
	off := map[int]float64{}
	number := map[int]int{}
	if err := sqlitex.Execute(trace.Conn(), "SELECT p.rank, s.start FROM spans s JOIN processes p ON p.process = s.process ORDER BY s.start", &sqlitex.ExecOptions{
		ResultFunc: func(s *sqlite.Stmt) error {
			node := s.ColumnInt(0) - 10
			truth := eventsOf(nodes[node])[number[node]]
			number[node]++
			apart := float64(s.ColumnInt64(1)+meta.Origin) - truth
			off[node] = max(off[node], apart, -apart)
			return nil
		}}); err != nil {
		t.Fatal(err)
	}
	// Of what the collectors' knowledge of each other is off.
	for node, most := range []float64{0, 20e3, 40e3} {
		if number[node] != 40 || off[node] < most-1e3 || off[node] > most+1e3 {
			t.Errorf("node %d: %d events, at most %.0f ns off, want %.0f", node, number[node], off[node], most)
		}
	}
	if off[3] < 3e6 {
		t.Errorf("the unknown one's node is %.0f ns off, want its time of day's", off[3])
	}
	if err := trace.Clocks(func(c store.Clock) {
		all := map[string]rank{}
		for _, r := range append(collectors, nodes...) {
			all[r.name()] = r
		}
		r := all[called[c.Host]]
		time := float64(c.Time + meta.Origin)
		want := time - float64(r.on(time))
		if off := max(float64(c.Offset)-want, want-float64(c.Offset)); c.Uncertainty >= 0 && off > float64(c.Uncertainty)+2 {
			t.Errorf("%s at %d: offset %d ± %d, want %.0f", r.name(), c.Time, c.Offset, c.Uncertainty, want)
		}
	}); err != nil {
		t.Fatal(err)
	}
}
