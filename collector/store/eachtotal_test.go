package store_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// Totals that come one after the other are those that are read together: of all processes,
// of one, of a thread, of some kinds, and of a trace that is limited.
func TestEachTotal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Ranks: 5, Threads: 2, Spans: 4000, Activity: true, Own: true, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	for _, of := range [][]model.ProcessID{nil, {2}, {1, 4}} {
		for _, filter := range []store.Filter{{}, {Process: 2}, {Thread: 3}, {Kinds: []string{"enqueue_launch"}}, {From: 1_100_000, To: 2_000_000}} {
			whole, single := tracetest.Open(t, path), tracetest.Open(t, path)
			if of != nil {
				whole.OnlyProcesses(of)
				single.OnlyProcesses(of)
			}
			want, err := whole.Sums().Totals(filter)
			if err != nil {
				t.Fatal(err)
			}
			var got []store.Total
			if err := single.Sums().Each(filter, func(x *store.Total) error {
				got = append(got, *x)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("of %v, %+v: %d totals, want %d, or other ones", of, filter, len(got), len(want))
			}
			if len(want) == 0 && of == nil {
				t.Errorf("%+v: there are no totals", filter)
			}
		}
	}
}
