package export

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/report"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// A part of a trace begins with what held until then; what is of other processes, or
// where only some events are wanted, is left out.
func TestCounters(t *testing.T) {
	path := tracetest.File(t, 100, 1)
	tracetest.Change(t, path, "INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 3, 'Big GPU', 'power', 'mW'), (3, 1, 2, NULL, NULL, 'cpu', '%')",
		"INSERT INTO counter_value VALUES (1, 1000, 50), (1, 5000, 150), (2, 2000, 300), (3, 3000, 7)")
	trace := tracetest.Open(t, path)
	for _, c := range []struct {
		name    string
		options Options
		want    []string
	}{
		{"all", Options{}, []string{"cpu of 1: 1000 50", "cpu of 1: 5000 150", "cpu of 2: 3000 7", "power of 0: 2000 300"}},
		{"a part", Options{Filter: store.Filter{From: 2500, To: 5000}}, []string{"cpu of 1: 2500 50", "cpu of 2: 3000 7", "power of 0: 2500 300"}},
		{"a part that begins with a value", Options{Filter: store.Filter{From: 5000}}, []string{"cpu of 1: 5000 150", "cpu of 2: 5000 7", "power of 0: 5000 300"}},
		{"a process", Options{Filter: store.Filter{Process: 2}}, []string{"cpu of 2: 3000 7", "power of 0: 2000 300"}},
		{"a kernel", Options{Report: report.Filter{Kernel: "k"}}, nil},
		{"some sites", Options{Filter: store.Filter{Match: func(*store.Site) bool { return true }}}, nil},
	} {
		var got []string
		if err := c.options.Counters(trace, func(x *store.Counter) (func(store.CounterValue) error, error) {
			return func(v store.CounterValue) error {
				got = append(got, fmt.Sprintf("%s of %d: %d %d", x.Name, x.Process, v.Time, v.Value))
				return nil
			}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
