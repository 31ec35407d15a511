package nvidia

import (
	"slices"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

const (
	// Warp is how many lanes run in step.
	Warp = 32
	// mostWideWorkers is how many workers of more than one warp each can be
	// synchronised: a block has 16 named barriers, one of them the block's.
	mostWideWorkers = 15
)

// A Launcher chooses the launch geometry of a kernel, from what the device has and what
// its code tells.
type Launcher struct {
	Processors uint32          // multiprocessors of the device
	Threads    int             // most threads of a gang
	Fixed      device.Geometry // what the compiler fixed; 0: left open
	Defaults   device.Geometry // GOMP_OPENACC_DIM
	Facts      Facts
	// Largest is the gang that keeps the device busiest, in threads.
	Largest func() uint32

	last atomic.Pointer[resolved]
}

type resolved struct {
	asked, result device.Geometry
	trips         []int64 // of each of its loops, where they are known
}

// Resolve leaves what the compiler fixed, then what the construct asks for, then
// GOMP_OPENACC_DIM, as GCC's rules have it, and chooses the rest.
func (l *Launcher) Resolve(g device.Geometry) device.Geometry {
	if last := l.last.Load(); last != nil && (last.asked == g && last.trips == nil || last.result == g) {
		return last.result
	}
	return l.resolve(g, nil)
}

// ResolveFor chooses by the trip counts of the kernel's loops, too, where they are known.
func (l *Launcher) ResolveFor(g device.Geometry, a *goacc.Arguments) device.Geometry {
	if len(l.Facts.Gang) == 0 || g.Gangs != 0 {
		return l.Resolve(g)
	}
	last := l.last.Load()
	same := last != nil && last.asked == g && len(last.trips) == len(l.Facts.Gang)
	for i := 0; i < len(l.Facts.Gang) && same; i++ {
		trips, known := l.Facts.Gang[i].trips(a)
		same = known && trips == last.trips[i]
	}
	if same {
		return last.result
	}
	all := make([]int64, len(l.Facts.Gang))
	for i := range all {
		var known bool
		if all[i], known = l.Facts.Gang[i].trips(a); !known {
			return l.Resolve(g)
		}
	}
	return l.resolve(g, all)
}

func (l *Launcher) resolve(g device.Geometry, trips []int64) device.Geometry {
	asked, defaults := g, l.Defaults
	for _, dimension := range []struct{ value, fixed, environment *uint32 }{
		{&g.Gangs, &l.Fixed.Gangs, &defaults.Gangs}, {&g.Workers, &l.Fixed.Workers, &defaults.Workers}, {&g.Vector, &l.Fixed.Vector, new(uint32(Warp))},
	} {
		if *dimension.fixed != 0 {
			*dimension.value = *dimension.fixed
		} else if *dimension.value == 0 {
			*dimension.value = *dimension.environment
		}
	}
	if g.Gangs == 0 || g.Workers == 0 {
		g = l.choose(g, trips)
	}
	if asked.Workers == 0 && l.Fixed.Workers == 0 { // of the environment's as many as there can be
		g.Workers = max(1, min(g.Workers, uint32(l.Threads)/g.Vector))
	}
	l.last.Store(&resolved{asked, g, trips})
	return g
}

// Givers says who gave each dimension of what a construct's geometry resolves to. The
// vector's length is not the environment's.
func (l *Launcher) Givers(asked device.Geometry) device.Givers {
	by := device.GivenByClauses(asked)
	for i, dimension := range [...]struct{ fixed, environment uint32 }{
		{l.Fixed.Gangs, l.Defaults.Gangs}, {l.Fixed.Workers, l.Defaults.Workers}, {l.Fixed.Vector, 0},
	} {
		switch {
		case dimension.fixed != 0:
			by[i] = device.GivenByCompiler
		case by[i] != 0:
		case dimension.environment != 0:
			by[i] = device.GivenByEnvironment
		default:
			by[i] = device.Chosen
		}
	}
	return by
}

const (
	// busyWarps is how many warps a multiprocessor is given where the trip count is not
	// known: two to four times what it holds at once, so that gangs without work cost
	// little, and those that are slow little more.
	busyWarps = 128
	// busyGangs is how many gangs a multiprocessor is given at most: it holds 32 at once.
	busyGangs = 32
	// fewWorkers is where a gang fills its multiprocessor's schedulers.
	fewWorkers = 4
	// heldWarps is how many warps a multiprocessor holds at once.
	heldWarps = 64
	// manyTurns is from where on gangs behind gangs are better than long ones.
	manyTurns = 16
)

// choose gives gangs and workers where they are left open (docs/gpu.md has what that
// comes to on a GPU). trips are those of the kernel's loops, nil where they are not known.
func (l *Launcher) choose(g device.Geometry, trips []int64) device.Geometry {
	warps := max(1, g.Vector/Warp)
	if g.Workers == 0 {
		g.Workers = fewWorkers
		if len(l.Facts.Gang) > 0 && !slices.ContainsFunc(l.Facts.Gang, func(loop gangLoop) bool { return loop.Workers }) {
			g.Workers *= 2 // they share what is within an iteration
		}
		if g.Gangs != 0 {
			g.Workers = uint32(busyWarps * uint64(l.Processors) / (uint64(g.Gangs) * uint64(warps)))
		}
		most := l.Largest() / g.Vector
		if g.Vector > Warp {
			most = min(most, mostWideWorkers)
		}
		g.Workers = max(1, min(g.Workers, most))
	}
	if g.Gangs != 0 {
		return g
	}
	if trips == nil {
		g.Gangs = l.Processors * min(max(1, busyWarps/(g.Workers*warps)), busyGangs)
		return g
	}
	for i := range trips {
		g.Gangs = max(g.Gangs, l.gangsFor(&l.Facts.Gang[i], trips[i], g))
	}
	if l.Facts.Reduces {
		g.Gangs = min(g.Gangs, busyGangs*l.Processors)
	}
	return g
}

// gangsFor is how many gangs a loop of so many trips is shared by best: one for each turn
// of the loop's own while they fit on the GPU at once; as many as fit while there are
// fewer than manyTurns for each; else so many that slow ones cost little. The rows of a
// loop that its lanes do not share are long or short, and are not put together.
func (l *Launcher) gangsFor(loop *gangLoop, trips int64, g device.Geometry) uint32 {
	turn := loop.At
	if loop.Lanes {
		turn *= int64(g.Vector)
	}
	byLanes := turn >= Warp
	if loop.Workers {
		turn *= int64(g.Workers)
	}
	processors := int64(l.Processors)
	turns := (max(trips, 0) + turn - 1) / turn
	atOnce := processors * min(busyGangs, heldWarps/int64(g.Workers*max(1, g.Vector/Warp)))
	switch most := busyWarps * processors; {
	case !byLanes:
		turns = min(turns, most)
	case turns > manyTurns*atOnce:
		turns = most
	default:
		turns = min(turns, atOnce)
	}
	return uint32(max(turns, processors))
}

// Check refuses a geometry that the device, a backend's of a number, cannot run.
func (l *Launcher) Check(kernel, backend string, number int, g device.Geometry) error {
	if threads := uint64(g.Workers) * uint64(g.Vector); threads > uint64(l.Threads) {
		return device.Errorf(device.Execution, 0, "launch %s: %d workers of %d lanes are %d threads, and the kernel can have %d on %s device %d; ask for fewer (num_workers, vector_length, GOMP_OPENACC_DIM)",
			kernel, g.Workers, g.Vector, threads, l.Threads, backend, number)
	}
	if g.Vector > Warp && g.Workers > mostWideWorkers {
		return device.Errorf(device.Execution, 0, "launch %s: %d workers of %d lanes cannot be synchronised: with more than %d lanes there are at most %d; ask for fewer (num_workers, GOMP_OPENACC_DIM)",
			kernel, g.Workers, g.Vector, Warp, mostWideWorkers)
	}
	return nil
}
