package nvidia

import (
	"fmt"
	"os"
	"testing"
	"unsafe"

	"github.com/accscope/accscope/runtime/device"
	"github.com/accscope/accscope/runtime/goacc"
	"github.com/accscope/accscope/runtime/ptx"
)

// written is how a loop's trips are told, and what a gang takes at once.
func (l *gangLoop) written() string {
	text := ""
	for _, p := range l.Trips {
		text += fmt.Sprintf("%+d", p.Factor)
		for _, v := range p.Of {
			text += fmt.Sprintf("*a%d:%d", v.Argument, v.Bytes)
		}
	}
	text += fmt.Sprint(" by ", l.At)
	if l.Workers {
		text += " workers"
	}
	if l.Lanes {
		text += " lanes"
	}
	return text
}

// What GCC made of testdata/loops.c and testdata/reductions.c. It passes a construct's
// variables in the order of its own.
func TestLoops(t *testing.T) {
	for file, kernels := range map[string]map[string]string{
		"testdata/loops.ptx": {
			"all$_omp_fn$0": "+1*a2:4 by 32",
			"all$_omp_fn$1": "-2+1*a2:8 by 32 workers",
			"all$_omp_fn$2": "+1+1*a2:4-1*a3:4 by 1 workers",
			"all$_omp_fn$3": "-2*a2:4+1*a2:4*a3:4 by 32 workers",
			"all$_omp_fn$4": "+64 by 1",
			"all$_omp_fn$5": "+1*a2:4 by 96", // of every third
		},
		"../cuda/testdata/reductions.ptx": {"main$_omp_fn$0": "+1*a2:4 by 32, reduces"},
	} {
		text, err := os.ReadFile(file)
		check(t, err)
		m, err := ptx.Parse(string(text))
		check(t, err)
		all := FactsOf(m)
		for name, want := range kernels {
			got := ""
			for _, l := range all[name].Gang {
				got += l.written()
			}
			if all[name].Reduces {
				got += ", reduces"
			}
			if got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// TestGangsForTrips: how many gangs and workers a loop of n trips gets on a device of 132
// multiprocessors.
func TestGangsForTrips(t *testing.T) {
	byLanes, byWorkers := gangLoop{At: 32}, gangLoop{At: 32, Workers: true}
	rows, wide := gangLoop{At: 1, Workers: true}, gangLoop{At: 1}
	for _, c := range []struct {
		loop    gangLoop
		fixed   [3]uint16
		reduces bool
		n       int64
		want    string
	}{
		{byLanes, [3]uint16{0, 1, 32}, false, -5, "132x1x32"},
		{byLanes, [3]uint16{0, 1, 32}, false, 964, "132x1x32"},
		{byLanes, [3]uint16{0, 1, 32}, false, 1 << 16, "2048x1x32"},
		{byLanes, [3]uint16{0, 1, 32}, false, 1 << 20, "4224x1x32"},
		{byLanes, [3]uint16{0, 1, 32}, false, 1 << 25, "16896x1x32"},
		{byLanes, [3]uint16{0, 1, 32}, true, 1 << 25, "4224x1x32"},
		{byWorkers, [3]uint16{0, 0, 32}, false, 1 << 12, "132x4x32"},
		{byWorkers, [3]uint16{0, 0, 32}, false, 1 << 20, "2112x4x32"},
		{byWorkers, [3]uint16{0, 0, 32}, false, 1 << 27, "16896x4x32"},
		{byWorkers, [3]uint16{0, 16, 32}, false, 1 << 20, "528x16x32"},
		{rows, [3]uint16{0, 0, 32}, false, 964, "241x4x32"},
		{rows, [3]uint16{0, 0, 32}, false, 1 << 20, "16896x4x32"},
		{wide, [3]uint16{0, 0, 32}, false, 4096, "4096x8x32"},
		{byWorkers, [3]uint16{7, 0, 32}, false, 1 << 27, "7x32x32"},
	} {
		k := Launcher{Processors: 132, Threads: 1024, Largest: func() uint32 { return 1024 }}
		k.Fixed = device.Geometry{Gangs: uint32(c.fixed[0]), Workers: uint32(c.fixed[1]), Vector: uint32(c.fixed[2])}
		c.loop.Trips = []product{{Factor: 1, Of: []value{{Argument: 1, Bytes: 8}}}}
		k.Facts.loops = loops{Gang: []gangLoop{c.loop}, Reduces: c.reduces}
		a := goacc.Arguments{Hosts: []uintptr{0, uintptr(unsafe.Pointer(&c.n))}, Sizes: []uintptr{8, 8}, Kinds: []uint16{uint16(goacc.To), uint16(goacc.To)}}
		for range 2 { // the second answer is remembered
			g := k.ResolveFor(device.Geometry{}, &a)
			if got := fmt.Sprintf("%dx%dx%d", g.Gangs, g.Workers, g.Vector); got != c.want || k.Resolve(g) != g {
				t.Errorf("%s, %d trips: %s, want %s", c.loop.written(), c.n, got, c.want)
			}
		}
		a.Kinds[1] = uint16(goacc.ForcePresent)
		if unknown, blind := k.ResolveFor(device.Geometry{}, &a), k.Resolve(device.Geometry{}); unknown != blind {
			t.Errorf("%s of unknown trips: %+v, want %+v", c.loop.written(), unknown, blind)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
