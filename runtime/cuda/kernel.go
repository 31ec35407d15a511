package cuda

// #include "cuda.h"
import "C"

import (
	"slices"
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
)

const (
	warp = 32
	// mostWideWorkers is how many workers of more than one warp each can be
	// synchronised: a block has 16 named barriers, one of them the block's.
	mostWideWorkers = 15
)

// kernel is a function of an image.
type kernel struct {
	device    *cudaDevice
	name      string
	function  C.CUfunction
	launching string          // "launch " and the name, for messages
	stamps    bool            // it takes its own times (stamps.c)
	threads   int             // most threads per block
	fixed     device.Geometry // what the compiler fixed; 0: left open
	about     kernelFacts     // what its code tells
	last      atomic.Pointer[resolved]
}

type resolved struct {
	asked, result device.Geometry
	trips         []int64 // of each of its loops, where they are known
}

func (k *kernel) Name() string { return k.name }

// Resolve leaves what the compiler fixed, then what the construct asks for, then
// GOMP_OPENACC_DIM, as GCC's rules have it, and chooses the rest.
func (k *kernel) Resolve(g device.Geometry) device.Geometry {
	if last := k.last.Load(); last != nil && (last.asked == g && last.trips == nil || last.result == g) {
		return last.result
	}
	return k.resolve(g, nil)
}

// ResolveFor chooses by the trip counts of the kernel's loops, too, where they are known.
func (k *kernel) ResolveFor(g device.Geometry, a *goacc.Arguments) device.Geometry {
	if len(k.about.Gang) == 0 || g.Gangs != 0 {
		return k.Resolve(g)
	}
	last := k.last.Load()
	same := last != nil && last.asked == g && len(last.trips) == len(k.about.Gang)
	for i := 0; i < len(k.about.Gang) && same; i++ {
		trips, known := k.about.Gang[i].trips(a)
		same = known && trips == last.trips[i]
	}
	if same {
		return last.result
	}
	all := make([]int64, len(k.about.Gang))
	for i := range all {
		var known bool
		if all[i], known = k.about.Gang[i].trips(a); !known {
			return k.Resolve(g)
		}
	}
	return k.resolve(g, all)
}

func (k *kernel) resolve(g device.Geometry, trips []int64) device.Geometry {
	asked, defaults := g, k.device.defaults
	for _, dimension := range []struct{ value, fixed, environment *uint32 }{
		{&g.Gangs, &k.fixed.Gangs, &defaults.Gangs}, {&g.Workers, &k.fixed.Workers, &defaults.Workers}, {&g.Vector, &k.fixed.Vector, new(uint32(warp))},
	} {
		if *dimension.fixed != 0 {
			*dimension.value = *dimension.fixed
		} else if *dimension.value == 0 {
			*dimension.value = *dimension.environment
		}
	}
	if g.Gangs == 0 || g.Workers == 0 {
		g = k.choose(g, trips)
	}
	if asked.Workers == 0 && k.fixed.Workers == 0 { // of the environment's as many as there can be
		g.Workers = max(1, min(g.Workers, uint32(k.threads)/g.Vector))
	}
	k.last.Store(&resolved{asked, g, trips})
	return g
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
func (k *kernel) choose(g device.Geometry, trips []int64) device.Geometry {
	warps := max(1, g.Vector/warp)
	if g.Workers == 0 {
		g.Workers = fewWorkers
		if len(k.about.Gang) > 0 && !slices.ContainsFunc(k.about.Gang, func(l gangLoop) bool { return l.Workers }) {
			g.Workers *= 2 // they share what is within an iteration
		}
		if g.Gangs != 0 {
			g.Workers = uint32(busyWarps * uint64(k.device.processors) / (uint64(g.Gangs) * uint64(warps)))
		}
		most := k.device.largest(k.function) / g.Vector
		if g.Vector > warp {
			most = min(most, mostWideWorkers)
		}
		g.Workers = max(1, min(g.Workers, most))
	}
	if g.Gangs != 0 {
		return g
	}
	if trips == nil {
		g.Gangs = k.device.processors * min(max(1, busyWarps/(g.Workers*warps)), busyGangs)
		return g
	}
	for i := range trips {
		g.Gangs = max(g.Gangs, k.gangsFor(&k.about.Gang[i], trips[i], g))
	}
	if k.about.Reduces {
		g.Gangs = min(g.Gangs, busyGangs*k.device.processors)
	}
	return g
}

// gangsFor is how many gangs a loop of so many trips is shared by best: one for each turn
// of the loop's own while they fit on the GPU at once; as many as fit while there are
// fewer than manyTurns for each; else so many that slow ones cost little. The rows of a
// loop that its lanes do not share are long or short, and are not put together.
func (k *kernel) gangsFor(l *gangLoop, trips int64, g device.Geometry) uint32 {
	turn := l.At
	if l.Lanes {
		turn *= int64(g.Vector)
	}
	byLanes := turn >= warp
	if l.Workers {
		turn *= int64(g.Workers)
	}
	processors := int64(k.device.processors)
	turns := (max(trips, 0) + turn - 1) / turn
	atOnce := processors * min(busyGangs, heldWarps/int64(g.Workers*max(1, g.Vector/warp)))
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

// largest is the block that keeps the device busiest, in threads. Where the driver
// cannot tell, the launch will.
func (d *cudaDevice) largest(function C.CUfunction) uint32 {
	if !d.use() {
		return warp
	}
	defer d.done()
	var grid, block C.int
	if C.accscope_cuda_occupancy(d.c, function, 0, &grid, &block).result != 0 || block <= 0 {
		return warp
	}
	return uint32(block)
}

// check refuses a geometry that the device cannot run.
func (k *kernel) check(g device.Geometry) error {
	if threads := uint64(g.Workers) * uint64(g.Vector); threads > uint64(k.threads) {
		return device.Errorf(device.Execution, 0, "launch %s: %d workers of %d lanes are %d threads, and the kernel can have %d on cuda device %d; ask for fewer (num_workers, vector_length, GOMP_OPENACC_DIM)",
			k.name, g.Workers, g.Vector, threads, k.threads, k.device.number)
	}
	if g.Vector > warp && g.Workers > mostWideWorkers {
		return device.Errorf(device.Execution, 0, "launch %s: %d workers of %d lanes cannot be synchronised: with more than %d lanes there are at most %d; ask for fewer (num_workers, GOMP_OPENACC_DIM)",
			k.name, g.Workers, g.Vector, warp, mostWideWorkers)
	}
	return nil
}
