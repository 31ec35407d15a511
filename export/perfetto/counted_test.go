package perfetto

import (
	"testing"

	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// A kernel's slices on the device say what it did inside, of a launch on average.
func TestCountedKernels(t *testing.T) {
	im := imported(t, tracetest.Open(t, tracetest.Counted(t, 300)), export.Options{})
	kernels := 0
	for _, track := range im.Tracks {
		for _, s := range track.Slices {
			said := map[string]any{}
			for _, a := range s.Arguments {
				said[a.Name] = a.Value
			}
			if s.Category != "activity_kernel" {
				if said["instructions_per_launch"] != nil {
					t.Errorf("%s is no kernel: %v", s.Name, said)
				}
				continue
			}
			kernels++
			for name, want := range map[string]any{"instructions_per_launch": 6400.0, "sectors_per_load": 32.0, "lanes_per_instruction": 24.875, "imbalance": 4.0, "estimated_occupancy": 0.75, "traffic_used": 0.214} {
				if said[name] != want {
					t.Errorf("%s: %s is %v, want %v", s.Name, name, said[name], want)
				}
			}
		}
	}
	if kernels == 0 {
		t.Error("there are no kernels")
	}
}
