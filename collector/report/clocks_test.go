package report

import (
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store"
)

func TestClocks(t *testing.T) {
	on := func(hosts ...store.Host) (list []store.Process) {
		for _, host := range hosts {
			list = append(list, store.Process{On: host}, store.Process{On: host}) // two ranks of each
		}
		return list
	}
	head := store.Host{ID: 1, Name: "head", Uncertainty: -1}
	for _, c := range []struct {
		name      string
		processes []store.Process
		lines     []string
		off       string
	}{
		{"one host", on(head), nil, ""},
		{"set by messages", on(head, store.Host{ID: 2, Name: "n1", ClockOffset: 5e9, Uncertainty: 34e3}, store.Host{ID: 3, Name: "n2", ClockOffset: -1, Uncertainty: 51e3}),
			[]string{"n1: offset 5s ± 34µs", "n2: offset -1ns ± 51µs"}, "2 set by messages, at most 51 us off"},
		{"by the time of day", on(head, store.Host{ID: 2, Name: "n1", ClockOffset: 5e9, Uncertainty: -1}),
			[]string{"n1: offset 5s, set by the time of day: its error is not known"}, "1 set by the time of day, how far off is not known"},
		{"both", on(store.Host{ID: 2, Name: "n1", ClockOffset: 5e9, Uncertainty: -1}, store.Host{ID: 3, Name: "n2", ClockOffset: 7, Uncertainty: 1000}),
			[]string{"n1: offset 5s, set by the time of day: its error is not known", "n2: offset 7ns ± 1µs"},
			"1 set by messages, at most 1 us off; 1 set by the time of day, how far off is not known"},
	} {
		if got := Clocks(hosts(c.processes)); !slices.Equal(got, c.lines) {
			t.Errorf("%s: %q, want %q", c.name, got, c.lines)
		}
		if got := ClockError(c.processes); got != c.off {
			t.Errorf("%s: %q, want %q", c.name, got, c.off)
		}
	}
}
