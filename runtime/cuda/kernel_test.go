package cuda

import (
	"sync/atomic"
	"testing"

	"github.com/accscope/accscope/runtime/cuda/standin/build"
	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/device/devicetest"
	"github.com/accscope/accscope/runtime/nvidia"
)

func setFlag(flag *int64) { atomic.StoreInt64(flag, 1) }

// newFlags are in memory that stays where it is: kernels know it by its address.
func newFlags() *[2]int64 {
	flags := new([2]int64)
	known = append(known, flags)
	return flags
}

var known []*[2]int64

// TestGeometry: what a kernel's descriptor, its construct and the environment leave
// open, a device of 132 multiprocessors has chosen.
func TestGeometry(t *testing.T) {
	for _, c := range []struct {
		fixed       [3]uint16
		asked       device.Geometry
		environment string
		want        device.Geometry
	}{
		{[3]uint16{0, 1, 32}, device.Geometry{}, "", device.Geometry{Gangs: 4224, Workers: 1, Vector: 32}},
		{[3]uint16{0, 1, 32}, device.Geometry{}, "7:3:64", device.Geometry{Gangs: 7, Workers: 1, Vector: 32}},
		{[3]uint16{0, 1, 32}, device.Geometry{Gangs: 1000}, "7", device.Geometry{Gangs: 1000, Workers: 1, Vector: 32}},
		{[3]uint16{10, 4, 64}, device.Geometry{}, "7:3:64", device.Geometry{Gangs: 10, Workers: 4, Vector: 64}},
		{[3]uint16{0, 0, 32}, device.Geometry{}, "", device.Geometry{Gangs: 4224, Workers: 4, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{}, ":2", device.Geometry{Gangs: 4224, Workers: 2, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{}, ":16", device.Geometry{Gangs: 1056, Workers: 16, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{}, ":64", device.Geometry{Gangs: 264, Workers: 32, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{Gangs: 1}, "", device.Geometry{Gangs: 1, Workers: 32, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{Gangs: 1000}, "", device.Geometry{Gangs: 1000, Workers: 16, Vector: 32}},
		{[3]uint16{0, 0, 32}, device.Geometry{Gangs: 1 << 20}, "", device.Geometry{Gangs: 1 << 20, Workers: 1, Vector: 32}},
		{[3]uint16{1, 1, 32}, device.Geometry{}, "5", device.Geometry{Gangs: 1, Workers: 1, Vector: 32}},
		{[3]uint16{0, 0, 64}, device.Geometry{}, "", device.Geometry{Gangs: 2112, Workers: 4, Vector: 64}},
		{[3]uint16{0, 0, 64}, device.Geometry{Gangs: 2}, "", device.Geometry{Gangs: 2, Workers: 15, Vector: 64}},
	} {
		t.Setenv(nvidia.GeometryVariable, c.environment)
		d, err := with(t, nil).Open(0, nil)
		check(t, err)
		function := devicetest.HostKernels().Nothing
		_, err = d.(*cudaDevice).LoadImage(build.Image([]build.Function{{Name: "f", Host: function, Dimensions: c.fixed}}, nil, ""))
		check(t, err)
		k, err := d.Kernel(function)
		check(t, err)
		for range 2 { // the second answer is remembered
			if got := k.Resolve(c.asked); got != c.want {
				t.Errorf("descriptor %v, asked %+v, %s=%q: %+v, want %+v", c.fixed, c.asked, nvidia.GeometryVariable, c.environment, got, c.want)
			}
		}
		check(t, d.Close())
	}
}

func TestGeometryRefused(t *testing.T) {
	d := open(t, nil, nil)
	q := newQueue(t, d)
	k, err := d.Kernel(kernels().Add)
	check(t, err)
	wantError(t, devicetest.Launch(q, 1, k, device.Geometry{Gangs: 1, Workers: 64, Vector: 32}, device.ArgumentBlock{}, true), device.Execution, 0, "64 workers of 32 lanes are 2048 threads", "1024 on cuda device 0")
	wantError(t, devicetest.Launch(q, 1, k, device.Geometry{Gangs: 1, Workers: 16, Vector: 64}, device.ArgumentBlock{}, true), device.Execution, 0, "there are at most 15")
}

func TestLaunchAllocatesNothing(t *testing.T) {
	d := open(t, nil, nil)
	q := newQueue(t, d)
	k, err := d.Kernel(kernels().Add)
	check(t, err)
	o := device.Operation{Kernel: k, Operands: &device.Operands{Kind: device.ActivityKernel, Geometry: device.Geometry{Gangs: 1, Workers: 1, Vector: 32}, Now: true}}
	if n := testing.AllocsPerRun(100, func() {
		check(t, q.Prepare(&o))
	}); n > 0 {
		t.Errorf("a launch is prepared with %v allocations", n)
	}
}
