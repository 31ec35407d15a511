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

// TestMaskedSignals sends the process signals that its only thread blocks: no thread
// of the runtime's runs the handlers, which could make no call there.
func TestMaskedSignals(t *testing.T) {
	program := compile(t, "masked")
	for _, device := range devices {
		t.Run(device, func(t *testing.T) {
			if output := run(t, device, program); output != "5 here, 0 elsewhere\n" {
				t.Error(output)
			}
		})
	}
}
