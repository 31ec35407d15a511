package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestInterval holds the interval of a median against a table of the binomial
// distribution: of n sorted values, the first and last that bound it.
func TestInterval(t *testing.T) {
	for _, test := range []struct{ n, low, high int }{
		{1, 1, 1}, {2, 1, 2}, {5, 1, 5}, {6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {12, 3, 10}, {20, 6, 15}, {40, 14, 27},
	} {
		values := make([]float64, test.n)
		for i := range values {
			values[i] = float64(test.n - i)
		}
		if low, high := interval(values); low != float64(test.low) || high != float64(test.high) {
			t.Errorf("of %d values: %g to %g, want %d to %d", test.n, low, high, test.low, test.high)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{4, 1}, 2.5}, {[]float64{9, 1, 2}, 2}, {[]float64{1, 9, 2, 4}, 3}} {
		if got := median(test.values); got != test.want {
			t.Errorf("of %v: %g, want %g", test.values, got, test.want)
		}
	}
}

// A row has a ratio of each turn, not of the medians, and says where the program
// counted more launches than the trace.
func TestRow(t *testing.T) {
	s := series{
		alone:    []sample{{wall: 1, cpu: 1, loop: 0.5, launches: 12}, {wall: 2, cpu: 2, loop: 1, launches: 12}, {wall: 4, cpu: 4, loop: 2, launches: 12}},
		profiled: []sample{{wall: 2, cpu: 1, loop: 0.5, collector: 1e-4}, {wall: 2, cpu: 2, loop: 1, collector: 1e-4}, {wall: 4, cpu: 4, loop: 4, collector: 1e-4}},
		trace:    traceFigures{launches: 10, events: 100, transfers: 5, bytes: 2000, kernelSeconds: 0.5},
	}
	got := strings.Fields(row(workload{name: "name"}, runtime{"accscope", "sim"}, s))
	want := strings.Fields("name accscope sim 10 of 12 10.0 0.50 2.000 2.000 2.000 2.000" +
		" 1.000 (1.000-2.000) 1.000 (1.000-1.000) 1.000 (1.000-2.000) 50000.0 2.000 2.000 10.0 - 200 20.0")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
