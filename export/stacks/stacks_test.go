package stacks

import (
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Of a part of a trace, where spans around the chosen ones are missing, no
// chosen span stands below a sibling, and device time is that of the chosen
// launches.
func TestStacksOfAPart(t *testing.T) {
	trace := tracetest.Generated(t, 1000)
	filter := store.Filter{Match: func(s *store.Site) bool { return s.Kind == "enqueue_launch" }}
	list, err := Sum(trace, export.Options{Filter: filter})
	if err != nil {
		t.Fatal(err)
	}
	var count, launches, device, want int64
	for _, s := range list {
		if len(s.Frames) != 2 { // the host's function and the launch
			t.Errorf("frames %v", s.Frames)
		}
		count += s.Count
		device += s.Device
	}
	for _, err := range trace.Records(filter) {
		if err != nil {
			t.Fatal(err)
		}
		launches++
	}
	for a, err := range trace.Activities(filter) {
		if err != nil {
			t.Fatal(err)
		}
		want += a.Duration
	}
	if count != launches || device != want || want == 0 {
		t.Errorf("%d launches of %d, %d ns on the device of %d", count, launches, device, want)
	}
}
