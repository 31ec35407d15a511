package main

import (
	"testing"
	"time"
)

// How long the rest takes follows from how much has been done, once that is known.
func TestFinishingLine(t *testing.T) {
	for _, test := range []struct {
		share        float64
		behind, took time.Duration
		want         string
	}{
		{0, 0, time.Second, "accscope: importing: 1234 events"},
		{0.25, 0, 10 * time.Second, "accscope: importing: 25%, 1234 events, about 30 s left"},
		{0.25, 3210 * time.Millisecond, 10 * time.Second, "accscope: importing: 25%, 1234 events, 3.21 s behind the program's end, about 30 s left"},
		{0.01, 0, 10 * time.Second, "accscope: importing: 1%, 1234 events"},
		{1, 0, 10 * time.Second, "accscope: importing: 100%, 1234 events"},
	} {
		if got := finishingLine("importing", test.share, 1234, test.behind, test.took); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
