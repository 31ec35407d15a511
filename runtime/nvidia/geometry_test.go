package nvidia

import (
	"testing"

	"github.com/accscope/accscope/runtime/device"
)

// Of each dimension it is known who gave it: what the compiler fixed stands before what the
// construct asks for, and that before the environment; the vector's length is never the
// environment's.
func TestGivers(t *testing.T) {
	const compiler, clause, environment, chosen = device.GivenByCompiler, device.GivenByClause, device.GivenByEnvironment, device.Chosen
	for name, test := range map[string]struct {
		fixed, asked, defaults device.Geometry
		want                   device.Givers
	}{
		"open":        {want: device.Givers{chosen, chosen, chosen}},
		"compiler":    {device.Geometry{Gangs: 4, Vector: 32}, device.Geometry{Gangs: 8}, device.Geometry{Gangs: 2}, device.Givers{compiler, chosen, compiler}},
		"clause":      {device.Geometry{}, device.Geometry{Gangs: 8, Workers: 2}, device.Geometry{Gangs: 2}, device.Givers{clause, clause, chosen}},
		"environment": {device.Geometry{}, device.Geometry{Vector: 64}, device.Geometry{Gangs: 2, Workers: 2, Vector: 128}, device.Givers{environment, environment, clause}},
		"no vector":   {device.Geometry{}, device.Geometry{}, device.Geometry{Vector: 128}, device.Givers{chosen, chosen, chosen}},
	} {
		l := Launcher{Processors: 132, Threads: 1024, Fixed: test.fixed, Defaults: test.defaults, Largest: func() uint32 { return 1024 }}
		if got := l.Givers(test.asked); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		for i, n := range dimensions(l.Resolve(test.asked)) {
			given := map[device.Giver]uint32{compiler: dimensions(test.fixed)[i], clause: dimensions(test.asked)[i], environment: dimensions(test.defaults)[i], chosen: n}[test.want[i]]
			if n != given {
				t.Errorf("%s: dimension %d is %d, and %d where it was given", name, i, n, given)
			}
		}
	}
}

func dimensions(g device.Geometry) [3]uint32 { return [3]uint32{g.Gangs, g.Workers, g.Vector} }
