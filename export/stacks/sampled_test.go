package stacks

import (
	"fmt"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/export"
)

// Samples lead from main to where they were taken, and are counted once: by thread, by what it
// was in, and by stack. A choice of processes and times has its own, one of events none.
func TestSamples(t *testing.T) {
	trace := tracetest.Open(t, tracetest.Sampled(t))
	for _, c := range []struct {
		filter store.Filter
		want   []string
	}{
		{store.Filter{}, []string{"else main:12 step:30 20 ns 2", "OpenACC main:12 step:30 10 ns 1", "MPI main:12 /lib/libm.so+0x40:0 10 ns 1", "else 0x3ee:0 10 ns 1", "waiting main:12 step:31 10 ns 1"}},
		{store.Filter{From: 1015, To: 1025}, []string{"waiting main:12 step:31 10 ns 1"}},
		{store.Filter{Process: 9}, nil},
		{store.Filter{Kinds: []string{"alloc"}}, nil},
		{store.Filter{Within: new(store.Within)}, nil},
	} {
		list, err := Samples(trace, export.Options{Filter: c.filter})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range list {
			text := x.Doing
			for _, f := range x.Frames {
				text += fmt.Sprintf(" %s:%d", f.Name, f.Line)
			}
			got = append(got, fmt.Sprintf("%s %d ns %d", text, x.Time, x.Count))
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.filter, got, c.want)
		}
	}
}
