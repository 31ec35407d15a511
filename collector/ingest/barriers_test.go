package ingest

import (
	"math/rand/v2"
	"testing"

	"github.com/accscope/accscope/collector/capture"
	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
)

// far is nobody: barriers are looked at where captures come from elsewhere.
type far struct{ Elsewhere }

// node is a rank's machine: its clock is set by round trips of 400 µs and more.
type node struct {
	*process
	offset, drift float64
	number        int // of its thread
}

// on is what its clock shows at a time of the trace's.
func (n *node) on(time float64) int64 { return int64((time - n.offset) / (1 + n.drift)) }

// off is how far the node's clock is off at a time of the trace's, and the bound.
func (n *node) off(time float64) (off, bound float64) {
	at := n.on(time)
	r := n.line.Look(at)
	off = float64(at+r.Offset) - time
	return max(off, -off), float64(r.Error)
}

// nodesOf are so many ranks; the first one's machine is the trace's own where own says so.
func nodesOf(ranks int, own bool) (in *Ingester, all []*node) {
	in = &Ingester{options: Options{Elsewhere: far{}}, model: model.New(nil, nil)}
	random := rand.New(rand.NewPCG(7, 8))
	for rank := range ranks {
		n := &node{process: &process{info: model.ProcessInfo{Rank: rank}, host: &store.Host{}}, number: rank + 1}
		if rank > 0 || !own {
			n.offset, n.drift = float64(random.Int64N(2e12)-1e12), random.Float64()*100e-6-50e-6
			n.line = &clock.Line{}
			for second := range 60 {
				sent := float64(second) * 1e9
				there := sent + 200e3 + random.ExpFloat64()*50e3
				heard := there + 200e3 + random.ExpFloat64()*50e3
				n.line.Track.Add(clock.Sample{Sent: n.on(sent), Received: int64(there), Answered: int64(there), Heard: n.on(heard)})
			}
		}
		all = append(all, n)
	}
	return in, all
}

// call begins one of the node's, or ends it, at a time of the trace's clock.
func (n *node) call(in *Ingester, kind int32, name string, communicator uint64, time float64) {
	e := &model.Event{Process: model.ProcessID(n.info.Rank + 1), Thread: model.ThreadID(n.number), Event: capture.Event{Kind: kind, Time: int64(time)}}
	if kind == model.MPIStart { // the end tells neither
		e.Name, e.Device = in.model.Intern(name), communicator
	}
	in.barrier(n.process, in.model.Apply(e), n.on(time))
}

// barriersOf has the nodes come to a barrier, from a time on, and leave it.
func barriersOf(in *Ingester, all []*node, random *rand.Rand, time float64) {
	last := 0.0
	var came []float64
	for range all {
		came = append(came, time+random.ExpFloat64()*2e6)
		last = max(last, came[len(came)-1])
	}
	for i, n := range all {
		n.call(in, model.MPIStart, "MPI_Barrier", 0, came[i])
	}
	for _, n := range all {
		n.call(in, model.MPIEnd, "MPI_Barrier", 0, last+2e3+random.ExpFloat64()*8e3)
	}
}

// What comes in of barriers bounds clocks from then on, closer than messages do: by a machine
// whose clock is the trace's to a few µs, else to what of all machines' bounds is left. The
// bounds hold.
func TestBarriers(t *testing.T) {
	for _, c := range []struct {
		name string
		own  bool
		most float64 // bound, ns, from the sixth second on
	}{
		{"with the collector's machine", true, 30e3},
		{"without it", false, 215e3},
	} {
		in, all := nodesOf(4, c.own)
		random := rand.New(rand.NewPCG(1, 2))
		messages := 0.0
		for _, n := range all {
			if n.line != nil {
				_, bound := n.off(10e9)
				messages = max(messages, bound)
			}
		}
		widest := 0.0
		for step := range 200 {
			time := 5e9 + float64(step)*100e6
			for _, n := range all {
				if n.line != nil {
					// As an event sets it.
					n.line.At(n.on(time))
					off, bound := n.off(time)
					if off > bound+1 {
						t.Fatalf("%s: rank %d at %.1f s: %.0f ns off, bound %.0f", c.name, n.info.Rank, time/1e9, off, bound)
					}
					if step >= 60 {
						widest = max(widest, bound)
					}
				}
				// Other calls, and barriers of some ranks, say nothing.
				if n.info.Rank == step%4 {
					n.call(in, model.MPIStart, "MPI_Barrier", 3, time)
					n.call(in, model.MPIEnd, "MPI_Barrier", 3, time+10)
					n.call(in, model.MPIStart, "MPI_Allreduce", 0, time+20)
					n.call(in, model.MPIEnd, "MPI_Allreduce", 0, time+30)
				}
			}
			barriersOf(in, all, random, time+1e6)
		}
		t.Logf("%s: bounds of %.0f ns by messages, at most %.0f with barriers", c.name, messages, widest)
		if in.clocks.barriers.off || widest > c.most || messages < 200e3 {
			t.Errorf("%s: bounds of %.0f ns by messages, at most %.0f with barriers, want %.0f", c.name, messages, widest, c.most)
		}
	}
}

// Barriers say nothing where some may be missing, and no more once they contradict messages or
// are of two jobs.
func TestBarriersLeftOut(t *testing.T) {
	narrow := func(all []*node, time float64) bool {
		_, bound := all[1].off(time)
		return bound < 100e3
	}
	for _, c := range []struct {
		name   string
		change func(in *Ingester, all []*node)
		narrow bool
		off    bool
	}{
		{"whole", func(*Ingester, []*node) {}, true, false},
		{"attached to", func(_ *Ingester, all []*node) { all[1].info.SinceAttach = true }, false, false},
		{"with losses", func(_ *Ingester, all []*node) { all[1].lost = map[string]int64{"no space": 1} }, false, false},
		{"partly elsewhere", func(_ *Ingester, all []*node) { all[1].missing = 100 }, false, false},
		{"no rank", func(_ *Ingester, all []*node) { all[1].info.Rank = -1 }, false, false},
		{"set by the time of day", func(_ *Ingester, all []*node) { all[0].host.Uncertainty = -1 }, false, false},
		{"of two jobs", func(_ *Ingester, all []*node) { all[1].info.Rank = 0 }, false, true},
		{"one is missing, unseen", func(in *Ingester, all []*node) { all[1].barriers++ }, false, true},
		{"gone on with in a barrier", func(in *Ingester, all []*node) {
			for _, n := range all {
				n.barriers, n.halfway = 10_000, true
				n.call(in, model.MPIEnd, "MPI_Barrier", 0, 19e9)
			}
		}, true, false},
	} {
		in, all := nodesOf(2, true)
		c.change(in, all)
		random := rand.New(rand.NewPCG(3, 4))
		for step := range 30 {
			barriersOf(in, all, random, 20e9+float64(step)*100e6)
		}
		if narrow(all, 23e9) != c.narrow || in.clocks.barriers.off != c.off {
			t.Errorf("%s: narrowed %v, want %v; ended %v, want %v", c.name, !c.narrow, c.narrow, in.clocks.barriers.off, c.off)
		}
	}
}
