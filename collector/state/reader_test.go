package state_test

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/state"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

func at(t *testing.T, r *state.Reader, time int64) *state.State {
	t.Helper()
	s, err := r.At(time)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func text(t *testing.T, s *state.State) string {
	t.Helper()
	data, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The state at a time is the same however it was come to: at once, step by step, or
// from a later time.
func TestSameFromEverywhere(t *testing.T) {
	trace := tracetest.Generated(t, 3000)
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	stepwise, back := state.New(trace), state.New(trace)
	at(t, back, state.Newest)
	const steps = 37
	for step := range int64(steps + 1) {
		time := first + (last-first)*step/steps
		want := text(t, at(t, state.New(trace), time))
		if got := text(t, at(t, stepwise, time)); got != want {
			t.Fatalf("at %d, step by step:\n%s\nat once:\n%s", time, got, want)
		}
		if step%9 == 0 {
			if got := text(t, at(t, back, time)); got != want {
				t.Fatalf("at %d, from later:\n%s\nat once:\n%s", time, got, want)
			}
		}
	}
	end := at(t, stepwise, state.Newest)
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	if end.Events != meta.Events || end.Now != last {
		t.Errorf("%d events until %d, the trace has %d until %d", end.Events, end.Now, meta.Events, last)
	}
}

// The sums at the end are those of the trace's tables, and what is live is the
// present table.
func TestSumsAreTheTraces(t *testing.T) {
	trace := tracetest.Generated(t, 20_000)
	s := at(t, state.New(trace), state.Newest)
	works, err := trace.Sums().WorkTotals(store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var time, bytes, uploads, launches int64
	for i := range works {
		if works[i].Work.Kind == "kernel" {
			time += works[i].Time
			launches += works[i].Count
		}
	}
	totals, err := trace.Sums().Totals(store.Filter{Kinds: []string{"enqueue_upload"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range totals {
		bytes += totals[i].Bytes
		uploads += totals[i].Count
	}
	d := s.Devices[0]
	kernels, measured := int64(0), int64(0)
	for _, k := range s.Kernels {
		kernels += k.Timed.Time
		measured += k.Timed.Count
	}
	if d.KernelTime != time || kernels != time || measured != launches || d.Launches != launches || d.Uploads.Bytes != bytes || d.Uploads.Count != uploads || time == 0 {
		t.Errorf("%d ns in %d kernels (%d ns, %d launches), %d bytes in %d uploads; the trace has %d ns in %d kernels and %d bytes in %d uploads",
			kernels, measured, d.KernelTime, d.Launches, d.Uploads.Bytes, d.Uploads.Count, time, launches, bytes, uploads)
	}
	_, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	middle := last / 2
	var present []store.Mapping
	for ; len(present) == 0 && middle < last; middle += 1000 {
		if err := trace.Memory().Mappings(store.Filter{From: middle + 1000, To: middle + 1001}, func(m *store.Mapping) bool {
			present = append(present, *m)
			return true
		}); err != nil {
			t.Fatal(err)
		}
	}
	s = at(t, state.New(trace), middle)
	if len(present) == 0 || len(present) != s.Devices[0].MappingSum {
		t.Fatalf("%d mappings, the present table has %d", s.Devices[0].MappingSum, len(present))
	}
	for i, m := range s.Devices[0].Mappings {
		if p := present[i]; m.Record != p.Record || m.Since != p.Start || m.Bytes != p.Bytes || m.Host != p.Host {
			t.Errorf("mapping %+v, in the present table %+v", m, p)
		}
	}
	points, err := trace.Memory().Curve(1, 0, middle+1, 0)
	if err != nil {
		t.Fatal(err)
	}
	highest := slices.MaxFunc(points, func(a, b store.MemoryPoint) int { return cmp.Compare(a.High, b.High) }).High
	if d := s.Devices[0]; d.Used != points[len(points)-1].Last || d.Peak != highest || d.Used == 0 {
		t.Errorf("%d bytes in use, at most %d; the curve has %d and %d", d.Used, d.Peak, points[len(points)-1].Last, highest)
	}
}

// A trace that is being written is read as far as it has been committed, each row
// once, and comes to what a reader of the finished trace finds.
func TestFollows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	session := generate.New(generate.Options{Spans: 6000, Activity: true, Threads: 2, Seed: 3})
	w, err := write.Create(path, 0, session.Model)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close() //nolint:errcheck // it was finished
	if err := generate.Introduce(w, session); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	trace := tracetest.Open(t, path)
	r := state.New(trace)
	steps, looks := 0, 0
	session.Write = func(step *model.Step) error {
		if err := w.Write(step); err != nil {
			return err
		}
		// In the middle of what threads do.
		if steps++; steps%397 != 0 {
			return nil
		}
		depth := 0
		session.Model.OpenSpans(func(*model.Span) { depth++ })
		if err := w.Commit(); err != nil {
			return err
		}
		s, err := r.At(state.Newest)
		if err != nil {
			return err
		}
		looks++
		open := 0
		for _, x := range s.Threads {
			open += len(x.Stack)
		}
		if s.Events != int64(steps) || open != depth {
			t.Errorf("after %d events with %d open spans it has %d with %d", steps, depth, s.Events, open)
		}
		return nil
	}
	session.Activity = w.WriteActivity
	if err := session.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	followed := at(t, r, state.Newest)
	if looks < 10 || followed.Events != session.Events {
		t.Fatalf("%d looks, %d events of %d", looks, followed.Events, session.Events)
	}
	if want := at(t, state.New(trace), state.Newest); !reflect.DeepEqual(text(t, followed), text(t, want)) {
		t.Errorf("followed:\n%s\nread at once:\n%s", text(t, followed), text(t, want))
	}
	// What was read before is not looked at again: it may be gone.
	tracetest.Change(t, path, "DELETE FROM record WHERE id < (SELECT max(id) / 2 FROM record)", "DELETE FROM activity WHERE id < (SELECT max(id) / 2 FROM activity)",
		"DELETE FROM occupancy", "DELETE FROM sample", "DELETE FROM rollup", "DELETE FROM sample_rollup", "DELETE FROM total", "DELETE FROM work_total")
	if again := at(t, r, state.Newest); text(t, again) != text(t, followed) {
		t.Errorf("without what is old:\n%s\nbefore:\n%s", text(t, again), text(t, followed))
	}
}
