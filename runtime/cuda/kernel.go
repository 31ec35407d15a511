package cuda

// #include "cuda.h"
import "C"

import (
	"sync/atomic"

	"github.com/accscope/accscope/runtime/device"
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
	written   []int           // arguments that it may write to, where that is known
	known     bool
	last      atomic.Pointer[resolved]
}

type resolved struct{ asked, result device.Geometry }

func (k *kernel) Name() string { return k.name }

// Resolve leaves what the compiler fixed, then what the construct asks for, then
// GOMP_OPENACC_DIM, as GCC's rules have it, and chooses the rest.
func (k *kernel) Resolve(g device.Geometry) device.Geometry {
	if known := k.last.Load(); known != nil && (known.asked == g || known.result == g) {
		return known.result
	}
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
		g = k.choose(g)
	}
	if asked.Workers == 0 && k.fixed.Workers == 0 { // of the environment's as many as there can be
		g.Workers = max(1, min(g.Workers, uint32(k.threads)/g.Vector))
	}
	k.last.Store(&resolved{asked, g})
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
)

// choose gives gangs and workers where they are left open. Measured on an H200 with 50
// kernels and sizes this comes, where the trip count is not known, within 12 % of the
// best geometry in the geometric mean (docs/gpu.md).
func (k *kernel) choose(g device.Geometry) device.Geometry {
	warps := max(1, g.Vector/warp)
	if g.Workers == 0 {
		if g.Workers = fewWorkers; g.Gangs != 0 {
			g.Workers = busyWarps * k.device.processors / (g.Gangs * warps)
		}
		most := k.device.largest(k.function) / g.Vector
		if g.Vector > warp {
			most = min(most, mostWideWorkers)
		}
		g.Workers = max(1, min(g.Workers, most))
	}
	if g.Gangs == 0 {
		g.Gangs = k.device.processors * min(max(1, busyWarps/(g.Workers*warps)), busyGangs)
	}
	return g
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
