package store_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// The sums of device activity are those of the rows, by work, thread and site,
// also where all of it comes long after what caused it.
func TestWorkTotalsOfLateActivity(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	s := generate.New(generate.Options{Spans: 90_000, Threads: 2, Activity: true, Seed: 6})
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, s); err != nil {
		t.Fatal(err)
	}
	var late []func() error
	s.Write = w.Write
	s.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
		kept := *a
		late = append(late, func() error { return w.WriteActivity(&kept, enqueue, device, queue) })
		return nil
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	for _, write := range late {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	sums := func(f store.Filter) map[[3]int64]store.WorkTotal {
		works, err := trace.Sums().WorkTotals(f)
		if err != nil {
			t.Fatal(err)
		}
		by := map[[3]int64]store.WorkTotal{}
		for _, x := range works {
			if x.Site == nil {
				t.Fatalf("%+v: its cause is not known", x)
			}
			by[[3]int64{x.Work.ID, int64(x.Thread), x.Site.ID}] = x
		}
		return by
	}
	// A window that holds everything is read from the rows.
	kept, read := sums(store.Filter{}), sums(store.Filter{From: 1})
	if len(kept) != len(read) || len(kept) == 0 {
		t.Fatalf("%d sums, %d of the rows", len(kept), len(read))
	}
	for key, want := range read {
		if kept[key] != want {
			t.Errorf("%v: %+v, of the rows %+v", key, kept[key], want)
		}
	}
}

// In a window the devices' times are those of what Records gives for it.
func TestWorkTotalsOfAWindow(t *testing.T) {
	path := tracetest.File(t, 5_000, 9)
	tracetest.Change(t, path, "UPDATE record SET time = time - 2000000", "UPDATE activity SET start = start - 2000000",
		"UPDATE rollup SET start = start - 2000000")
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	// Half of the windows begin in the middle of an enqueue.
	var begins []int64
	for r, err := range trace.Spans(store.Filter{Kinds: []string{"enqueue_launch"}}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Start <= 0 {
			continue
		}
		if begins = append(begins, r.Start+r.Duration/2, r.End()); len(begins) == 20 {
			break
		}
	}
	// What came before the trace's origin has negative times.
	begins = append(begins, 0)
	for _, from := range begins {
		f := store.Filter{From: from, To: from + (last-first)/50}
		records := map[int64]bool{}
		for r, err := range trace.Records(f) {
			if err != nil {
				t.Fatal(err)
			}
			records[r.ID] = true
		}
		var want, got [2]int64
		for a, err := range trace.Activities(store.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if records[a.Record] {
				want[0]++
				want[1] += a.Duration
			}
		}
		works, err := trace.Sums().WorkTotals(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range works {
			got[0] += x.Count
			got[1] += x.Time
		}
		if got != want || want[0] == 0 {
			t.Errorf("from %d: %d activities in %d ns, of the rows %d in %d ns", from, got[0], got[1], want[0], want[1])
		}
	}
}

// Sizes that are not known count as 0 in every sum: in those kept while rows come
// in, those made of the rows of a window, and those made again for a trace that
// another writer went on with.
func TestSumsOfUnknownSizes(t *testing.T) {
	// Few of the largest known, so that 64 bits hold the sum.
	sizes := append(slices.Repeat([]uint64{1000, 1<<64 - 1, model.UnknownSize}, 20), model.UnknownSize-1)
	for _, resumed := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "trace.db")
		s := generate.New(generate.Options{Spans: 500, Activity: true, Seed: 6})
		w, err := write.Create(path, 0, s.Model)
		if err != nil {
			t.Fatal(err)
		}
		if err := generate.Introduce(w, s); err != nil {
			t.Fatal(err)
		}
		var records, activities, want, wantOfActivities int64
		s.Write = func(step *model.Step) error {
			size := sizes[records%int64(len(sizes))]
			if step.Phase == model.Ended {
				step.Event.Bytes = step.Span.Start.Bytes
				return w.Write(step)
			}
			if step.Event.Bytes = size; step.Phase == model.Started {
				step.Span.Start.Bytes = size
			}
			want += model.Size(size)
			records++
			return w.Write(step)
		}
		s.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
			x := *a
			x.Bytes = sizes[activities%int64(len(sizes))]
			wantOfActivities += model.Size(x.Bytes)
			activities++
			return w.WriteActivity(&x, enqueue, device, queue)
		}
		if err := s.Run(); err != nil {
			t.Fatal(err)
		}
		if resumed {
			if err := w.Commit(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if w, err = write.Resume(path, model.New(nil, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		trace := tracetest.Open(t, path)
		for _, filter := range []store.Filter{{}, {From: 1}} {
			totals, err := trace.Sums().Totals(filter)
			if err != nil {
				t.Fatal(err)
			}
			var got, gotOfActivities int64
			for _, x := range totals {
				got += x.Bytes
			}
			works, err := trace.Sums().WorkTotals(filter)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range works {
				gotOfActivities += x.Bytes
			}
			if got != want || gotOfActivities != wantOfActivities {
				t.Errorf("resumed %v, %+v: records of %d bytes, activities of %d; want %d and %d", resumed, filter, got, gotOfActivities, want, wantOfActivities)
			}
		}
	}
}
