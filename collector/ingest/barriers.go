package ingest

import (
	"time"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/model"
)

// barriers are those that the ranks of an MPI job have together, as they come in from several
// machines. They bound the clocks of these from then on, beside the round trips of messages.
type barriers struct {
	ranks   map[int]*process // that had one
	pending []*barrier
	used    int // before the first of pending
	tracks  map[*clock.Line]*clock.Track
	off     bool // they tell nothing more
}

// barrier is one of them, as far as it came in.
type barrier struct {
	machines map[*clock.Line]*clock.Meeting // by what sets their clocks, nil: the trace's own
	ranks    int                            // that left it
	left     int64                          // when the first one did, on the trace's clock
}

const (
	// barrierTime is how long after a barrier's first rank the last one is waited for, ns.
	barrierTime = int64(time.Second)
	// manyBarriers is how many of them are waited for at most.
	manyBarriers = 4096
	// communicators are the bits of an MPI call's address that number its communicator:
	// MPI_COMM_WORLD is 0.
	communicators = 0x7fffffff
)

// barrier takes into account where a call of MPI begins or ends, at a time of its host's clock.
func (in *Ingester) barrier(p *process, step *model.Step, at int64) {
	b, e := &in.clocks.barriers, step.Event
	if in.options.Elsewhere == nil || b.off || p.info.Rank < 0 {
		return
	}
	ofAll := func(start *model.Event) bool {
		return start.Device&communicators == 0 && in.model.Names().Text(start.Name) == "MPI_Barrier"
	}
	switch {
	case e.Kind == model.MPIStart:
		if ofAll(e) {
			p.came, p.barrier = at, step.ID
		}
		return
	case step.Phase == model.Ended && step.ID == p.barrier:
	case p.halfway && (step.Phase != model.Ended || ofAll(&step.Span.Start)): // an earlier collector had its start
		p.halfway = false
		p.barriers++
		return
	default:
		return
	}
	number := p.barriers
	p.barriers++
	p.barrier = 0
	if !p.whole() || p.line == nil && p.host.Uncertainty != 0 {
		return
	}
	switch other := b.ranks[p.info.Rank]; {
	case other == nil:
		if b.ranks == nil {
			b.ranks, b.tracks = map[int]*process{}, map[*clock.Line]*clock.Track{}
		}
		b.ranks[p.info.Rank] = p
	case other != p:
		b.end() // of two jobs
		return
	}
	if number < b.used {
		return
	}
	for len(b.pending) > 0 && number-b.used >= manyBarriers {
		in.useBarrier()
	}
	if len(b.pending) == 0 {
		b.used = number
	}
	for number-b.used >= len(b.pending) {
		b.pending = append(b.pending, &barrier{machines: map[*clock.Line]*clock.Meeting{}, left: e.Time})
	}
	one := b.pending[number-b.used]
	one.ranks++
	if had := one.machines[p.line]; had == nil {
		one.machines[p.line] = &clock.Meeting{Came: p.came, Left: at}
	} else {
		had.Came, had.Left = max(had.Came, p.came), min(had.Left, at)
	}
	for len(b.pending) > 0 && (b.pending[0].ranks > 1 && b.pending[0].ranks == len(b.ranks) || e.Time-b.pending[0].left > barrierTime) {
		in.useBarrier()
	}
}

// whole says whether all calls of a process came in until now: barriers are known by their
// numbers.
func (p *process) whole() bool {
	lost := p.missing
	for _, n := range p.lost {
		lost += n
	}
	if lost > 0 || p.info.SinceAttach {
		return false
	}
	if p.capture == nil {
		return true
	}
	counters, err := p.capture.Counters()
	return err == nil && counters.Dropped() == 0 && p.capture.Filters.LastBytes == 0 && p.capture.Filters.LastNanoseconds == 0
}

// useBarrier has what the first one that waits says of the machines bound their clocks.
func (in *Ingester) useBarrier() {
	b := &in.clocks.barriers
	one := b.pending[0]
	b.pending = b.pending[1:]
	b.used++
	if len(one.machines) < 2 {
		return
	}
	by, since, ok := clock.Met(one.machines)
	if !ok {
		in.warn("MPI's barriers contradict what messages say of the machines' clocks: clocks are set by messages alone from here on")
		b.end()
		return
	}
	for line, at := range one.machines {
		if line == nil {
			continue
		}
		track := b.tracks[line]
		if track == nil {
			track = &clock.Track{}
			b.tracks[line] = track
			line.More = append(line.More, track)
		}
		track.Meet(*at, by, since)
	}
}

// end takes back what barriers said: from now on they say nothing.
func (b *barriers) end() {
	for line := range b.tracks {
		line.More = nil
	}
	*b = barriers{off: true}
}
