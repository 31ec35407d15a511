package threads

import "testing"

// TestSignals runs handlers with large frames on threads that use OpenACC, also
// while they end.
func TestSignals(t *testing.T) {
	program := compile(t, "signals")
	for _, device := range devices {
		for _, installed := range []string{"before", "after"} {
			t.Run(device+"/"+installed, func(t *testing.T) {
				if output := run(t, device, program, installed); output != "" {
					t.Error(output)
				}
			})
		}
	}
}
