package cuda

// #include "cuda.h"
import "C"

import (
	"github.com/accscope/accscope/runtime/nvidia"
)

// kernel is a function of an image.
type kernel struct {
	device   *cudaDevice
	name     string
	function C.CUfunction
	stamps   bool // it takes its own times (stamps.c)
	stack    need
	nvidia.Launcher
}

func (k *kernel) Name() string { return k.name }

// largest is the block that keeps the device busiest, in threads. Where the driver
// cannot tell, the launch will.
func (d *cudaDevice) largest(function C.CUfunction) uint32 {
	if !d.use() {
		return nvidia.Warp
	}
	defer d.done()
	var grid, block C.int
	if C.accscope_cuda_occupancy(d.c, function, 0, &grid, &block).result != 0 || block <= 0 {
		return nvidia.Warp
	}
	return uint32(block)
}

// MayWrite says no of what the code is known only to read.
func (k *kernel) MayWrite(argument int, behind bool) bool { return k.Facts.MayWrite(argument, behind) }
