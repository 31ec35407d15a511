package threads

import "testing"

// TestCancel cancels threads inside OpenACC calls, the process's first among them:
// the request acts at the thread's next cancellation point, no lock stays held, and
// the other threads go on.
func TestCancel(t *testing.T) {
	program := compile(t, "cancels")
	for _, device := range devices {
		for _, c := range [][]string{{"first"}, {"first", "20"}, {"later", "200"}} {
			t.Run(device+"/"+c[0], func(t *testing.T) {
				if output := run(t, device, program, c...); output != "" {
					t.Error(output)
				}
			})
		}
	}
}
