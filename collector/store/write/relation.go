package write

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/accscope/accscope/collector/clock"
	"github.com/accscope/accscope/collector/store"
)

// machine is one that a trace knows the clock of: by path its CLOCK_MONOTONIC is set to times
// of the trace.
type machine struct {
	store.Host
	path clock.Path
}

// machines are those of a part. The first one's clock is the part's own.
func (p *part) machines() (all []machine, err error) {
	if p.hosts, err = p.trace.Hosts(); err != nil {
		return nil, err
	}
	paths := map[int64]clock.Path{}
	if err := p.trace.Clocks(func(c store.Clock) {
		if c.Uncertainty >= 0 {
			paths[c.Host] = append(paths[c.Host], clock.Knot{At: c.Time + p.meta.Origin - c.Offset,
				Reading: clock.Reading{Offset: c.Offset - p.meta.Origin, Error: c.Uncertainty}})
		}
	}); err != nil {
		return nil, err
	}
	for _, h := range p.hosts {
		if h.ID == 1 {
			h.Uncertainty = 0
		}
		path := paths[h.ID]
		if path == nil {
			path = clock.Path{{Reading: clock.Reading{Offset: h.ClockOffset - p.meta.Origin, Error: h.Uncertainty}}}
		}
		if h.Uncertainty >= 0 && h.RealtimeOffset != 0 {
			all = append(all, machine{h, path})
		}
	}
	return all, nil
}

// same says whether two hosts are one machine since it was started, by its name and by when
// it was started.
func same(a, b store.Host) bool {
	apart := a.RealtimeOffset - b.RealtimeOffset
	return a.Name == b.Name && max(apart, -apart) < int64(time.Second)
}

// shared is how many machines that two traces know relate their clocks at most: the best ones.
const shared = 4

// relation is what sets one part's times to another's, and how far off it is about.
type relation struct {
	source clock.Source
	off    int64
}

// between is what a machine that both know says of that.
func between(from, to *machine) relation {
	return relation{clock.Through{First: from.path.Turned(), Then: to.path}, from.Uncertainty + to.Uncertainty}
}

// relate finds what sets each part's times to the first one's: the shortest way over machines
// that two parts know, as the collectors of a job know each other's, by its bounds. What
// no way leads to has none.
func (m *merger) relate() ([]relation, error) {
	type at struct {
		part    int
		machine *machine
	}
	known, by := make([][]machine, len(m.parts)), map[string][]at{}
	for i, p := range m.parts {
		var err error
		if known[i], err = p.machines(); err != nil {
			return nil, err
		}
		for j := range known[i] {
			of := &known[i][j]
			by[of.Name] = append(by[of.Name], at{i, of})
		}
	}
	ways, done := make([]relation, len(m.parts)), make([]bool, len(m.parts))
	ways[0].source = clock.Path{{}}
	for {
		next, least := -1, int64(math.MaxInt64)
		for i, way := range ways {
			if !done[i] && way.source != nil && way.off < least {
				next, least = i, way.off
			}
		}
		if next < 0 {
			return ways, nil
		}
		done[next] = true
		neighbours := map[int][]relation{}
		for j := range known[next] {
			to := &known[next][j]
			for _, from := range by[to.Name] {
				if !done[from.part] && same(from.machine.Host, to.Host) {
					neighbours[from.part] = append(neighbours[from.part], between(from.machine, to))
				}
			}
		}
		for i, all := range neighbours {
			slices.SortFunc(all, func(a, b relation) int { return cmp.Compare(a.off, b.off) })
			if off := least + all[0].off; ways[i].source == nil || off < ways[i].off {
				var together clock.Together
				for _, each := range all[:min(len(all), shared)] {
					together = append(together, each.source)
				}
				ways[i] = relation{clock.Through{First: together, Then: ways[next].source}, off}
			}
		}
	}
}
