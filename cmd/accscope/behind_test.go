package main

import (
	"bytes"
	"context"
	"testing"
	"time"
)

// While the program runs, a trace that falls behind is told of once; what comes in
// with the usual delay is not.
func TestTellsThatTheTraceIsBehind(t *testing.T) {
	for _, test := range []struct {
		late []time.Duration // at each look; then the program ends
		want string
	}{
		{[]time.Duration{0, 40 * time.Millisecond, 1900 * time.Millisecond}, ""},
		{[]time.Duration{0, 3210 * time.Millisecond, 9 * time.Second}, "accscope: the trace is 3.21 s behind the program, and will be finished some time after it\n"},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		var said bytes.Buffer
		tellBehind(ctx, &said, func() time.Duration {
			if len(test.late) == 0 {
				cancel()
				return 0
			}
			late := test.late[0]
			test.late = test.late[1:]
			return late
		}, time.Microsecond)
		cancel()
		if said.String() != test.want {
			t.Errorf("said %q, want %q", said.String(), test.want)
		}
	}
}
