package main

import (
	"fmt"
	"strings"
	"testing"
)

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
