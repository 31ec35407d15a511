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
	argumentWrites
	device    *cudaDevice
	function  C.CUfunction
	launching string          // "launch " and the name, for messages
	stamps    bool            // it takes its own times (stamps.c)
	threads   int             // most threads per block
	fixed     device.Geometry // what the compiler fixed; 0: left open
	last      atomic.Pointer[resolved]
}

type resolved struct{ asked, result device.Geometry }

func (k *kernel) Name() string { return k.name }

// Resolve follows GCC's rules: what the compiler fixed stands, then what the
// construct asks for, then GOMP_OPENACC_DIM, then what the driver says of
// occupancy.
func (k *kernel) Resolve(g device.Geometry) device.Geometry {
	if known := k.last.Load(); known != nil && (known.asked == g || known.result == g) {
		return known.result
	}
	asked := g
	for _, dimension := range []struct{ value, fixed *uint32 }{
		{&g.Gangs, &k.fixed.Gangs}, {&g.Workers, &k.fixed.Workers}, {&g.Vector, &k.fixed.Vector},
	} {
		if *dimension.fixed != 0 {
			*dimension.value = *dimension.fixed
		}
	}
	if g.Gangs == 0 || g.Workers == 0 || g.Vector == 0 {
		grid, block := k.device.occupancy(k.function, g.Workers*g.Vector)
		g = fill(g, k.device.defaults, grid, block, uint32(k.threads))
	}
	k.last.Store(&resolved{asked, g})
	return g
}

// occupancy is the grid and the block, of limit threads at most if that is not 0,
// that keep the device busiest. Where the driver cannot tell, the launch will.
func (d *cudaDevice) occupancy(function C.CUfunction, limit uint32) (grid, block uint32) {
	if !d.use() {
		return 1, warp
	}
	defer d.done()
	var g, b C.int
	if C.accscope_cuda_occupancy(d.c, function, C.int(limit), &g, &b).result != 0 || g <= 0 || b <= 0 {
		return 1, warp
	}
	return uint32(g), uint32(b)
}

// fill chooses the dimensions that are 0. grid and block are what keeps the
// device busiest.
func fill(g, defaults device.Geometry, grid, block, threads uint32) device.Geometry {
	workersOpen := g.Workers == 0
	if g.Vector == 0 {
		g.Vector = warp
	}
	if g.Workers == 0 {
		if g.Workers = defaults.Workers; g.Workers == 0 {
			g.Workers = max(1, block/g.Vector)
			if g.Vector > warp {
				g.Workers = min(g.Workers, mostWideWorkers)
			}
		}
	}
	if g.Gangs == 0 {
		if g.Gangs = defaults.Gangs; g.Gangs == 0 {
			g.Gangs = 2 * grid * max(1, block/warp)
		}
	}
	if workersOpen && threads > 0 && g.Workers*g.Vector > threads {
		g.Workers = max(1, threads/g.Vector)
	}
	return g
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
