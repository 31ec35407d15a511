package store_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"sort"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func records(t testing.TB, trace *store.Trace, f store.Filter) (all []store.Record) {
	t.Helper()
	for r, err := range trace.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *r)
	}
	return all
}

// A window gives exactly the records that touch it, however they nest.
func TestWindows(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 2000, Threads: 3, Seed: 5})
	all := records(t, trace, store.Filter{})
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		from := first + (last-first)*int64(i)/50
		for _, width := range []int64{1, 5_000, (last - first) / 3} {
			var want []int64
			for _, r := range all {
				if r.Start < from+width && (r.Start >= from || r.Span && r.End() > from) {
					want = append(want, r.ID)
				}
			}
			var got []int64
			for _, r := range records(t, trace, store.Filter{From: from, To: from + width}) {
				got = append(got, r.ID)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("window [%d, +%d): records %v, want %v", from, width, got, want)
			}
		}
	}
}

// Whatever the zoom, a timeline accounts for every span once: blocks hold the
// same number and the same time as the spans themselves, and few of them.
func TestTimelineAccountsForEverySpan(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 20_000, Threads: 2, Activity: true, Seed: 9})
	lanes, err := trace.Lanes().All()
	if err != nil {
		t.Fatal(err)
	}
	if len(lanes) != 2*2+2+4 {
		t.Fatalf("%d lanes: %+v", len(lanes), lanes)
	}
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range lanes {
		for _, pixels := range []int{1, 10, 500, 100_000_000} {
			blocks, err := trace.Lanes().Blocks(lane, first, last+1, pixels)
			if err != nil {
				t.Fatal(err)
			}
			var count, busy int64
			seen := map[int64]bool{}
			for i, b := range blocks {
				count += b.Count
				busy += b.Busy
				if b.ID != 0 && seen[b.ID] {
					t.Fatalf("%+v at %d pixels: record %d twice", lane, pixels, b.ID)
				}
				seen[b.ID] = true
				if i > 0 && b.Start < blocks[i-1].Start {
					t.Fatalf("%+v at %d pixels: block %d starts before the one before it", lane, pixels, i)
				}
				if b.End < b.Start || b.Site == nil && b.Work == nil {
					t.Fatalf("block %+v", b)
				}
			}
			if count != lane.Count || busy != lane.Busy {
				t.Errorf("%+v at %d pixels: %d spans of %d ns", lane, pixels, count, busy)
			}
			if pixels < 1000 && len(blocks) > 8*pixels+64 {
				t.Errorf("%+v at %d pixels: %d blocks", lane, pixels, len(blocks))
			}
		}
	}
}

// Zoomed in, blocks are the spans of the window.
func TestTimelineZoomedIn(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 20_000, Threads: 2, Seed: 2})
	lanes, err := trace.Lanes().All()
	if err != nil {
		t.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range lanes {
		if lane.Type != store.LaneSpans {
			continue
		}
		var mine []store.Record
		for _, r := range records(t, trace, store.Filter{Thread: lane.Thread, Spans: true}) {
			if r.Depth == lane.Depth {
				mine = append(mine, r)
			}
		}
		for i := range 20 {
			from := first + (last-first)*int64(i)/20
			to := from + 50_000
			want := map[int64]bool{}
			for _, r := range mine {
				if r.Start < to && r.End() > from {
					want[r.ID] = true
				}
			}
			blocks, err := trace.Lanes().Blocks(lane, from, to, 1_000_000)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks {
				if b.End > from && b.Start < to && !want[b.ID] {
					t.Fatalf("%+v [%d, %d): block %+v is none of the window's", lane, from, to, b)
				}
				delete(want, b.ID)
			}
			if len(want) > 0 {
				t.Fatalf("%+v [%d, %d): spans %v are missing", lane, from, to, want)
			}
		}
	}
}

// Whatever the window, each span that touches it is in exactly one block, and
// each block holds the spans it says: at the edges, across pauses, at every zoom.
func TestTimelineAtRandomWindows(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 20_000, Threads: 2, Activity: true, Pauses: true, Seed: 11})
	lanes, err := trace.Lanes().All()
	if err != nil {
		t.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for _, lane := range lanes {
		members, err := trace.Lanes().Blocks(lane, first, last+1, math.MaxInt32)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			width := max(int64(float64(last-first)*math.Exp2(-25*random.Float64())), 1)
			from := first + random.Int64N(last-first-width+2)
			switch m := members[random.IntN(len(members))]; random.IntN(4) {
			case 0:
				from = m.Start
			case 1:
				from = m.End
			case 2:
				from = m.End - width
			}
			to, pixels := from+width, 1+random.IntN(400)
			blocks, err := trace.Lanes().Blocks(lane, from, to, pixels)
			if err != nil {
				t.Fatal(err)
			}
			told := fmt.Sprintf("%+v [%d, %d) at %d pixels", lane, from, to, pixels)
			if len(blocks) > 2*pixels+128 {
				t.Errorf("%s: %d blocks", told, len(blocks))
			}
			next := 0 // of members
			for i, b := range blocks {
				if i > 0 && b.Start < blocks[i-1].End && lane.Type != store.LaneInstants {
					t.Fatalf("%s: block %+v overlaps the one before", told, b)
				}
				if b.Count > 1 && float64(b.End-b.Start) > 8*float64(width)/float64(pixels)+1 && len(blocks) < pixels/2 {
					t.Errorf("%s: block %+v is too wide", told, b)
				}
				for ; next < len(members) && members[next].Start < b.Start; next++ {
					if m := members[next]; m.Start < to && (m.Start >= from || m.End > from) {
						t.Fatalf("%s: %+v is missing before block %+v", told, m, b)
					}
				}
				var count, busy int64
				for ; next < len(members) && members[next].Start <= b.End && count < b.Count; next++ {
					count++
					busy += members[next].Busy
				}
				if count != b.Count || busy != b.Busy || b.Count == 1 && b.ID != members[next-1].ID && b.ID != 0 {
					t.Fatalf("%s: block %+v holds %d spans of %d ns", told, b, count, busy)
				}
			}
			for ; next < len(members); next++ {
				if m := members[next]; m.Start < to && (m.Start >= from || m.End > from) {
					t.Fatalf("%s: %+v is missing at the end", told, m)
				}
			}
		}
	}
}

// The curve of device memory keeps the highest and the last value at any width.
func TestMemory(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 30_000, Seed: 4})
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	exact, err := trace.Memory().Curve(1, 0, 0, 0)
	if err != nil || len(exact) == 0 {
		t.Fatalf("%d points, %v", len(exact), err)
	}
	highest := func(points []store.MemoryPoint) (high int64) {
		for _, p := range points {
			high = max(high, p.High)
		}
		return high
	}
	for _, pixels := range []int{1, 7, 300} {
		points, err := trace.Memory().Curve(1, first, last+1, pixels)
		if err != nil {
			t.Fatal(err)
		}
		if len(points) > 16*pixels+64 || highest(points) != highest(exact) || points[len(points)-1].Last != exact[len(exact)-1].Last {
			t.Errorf("%d pixels: %d points, highest %d, last %d; want highest %d, last %d", pixels, len(points), highest(points),
				points[len(points)-1].Last, highest(exact), exact[len(exact)-1].Last)
		}
	}
}

// presentAt is what the present tables had at a time.
func presentAt(t *testing.T, trace *store.Trace, time int64) (list []store.Mapping) {
	t.Helper()
	if err := trace.Memory().Mappings(store.Filter{From: time, To: time + 1}, func(m *store.Mapping) bool {
		list = append(list, *m)
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// The present table at a time is what creates and deletes before it leave.
func TestPresentTable(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 12_000, Seed: 4})
	all := records(t, trace, store.Filter{Kinds: []string{"create", "delete"}})
	for i := 0; i < len(all); i += len(all) / 20 {
		at := all[i].Start
		live := map[uint64]int64{}
		for _, r := range all {
			if r.Start > at {
				break
			}
			if r.Site.Kind == "create" {
				live[r.Host] = r.ID
			} else {
				delete(live, r.Host)
			}
		}
		got := map[int64]bool{}
		for _, m := range presentAt(t, trace, at) {
			got[m.Record] = true
		}
		for _, id := range live {
			if !got[id] {
				t.Fatalf("at %d: record %d is missing from %v", at, id, got)
			}
		}
	}
}

// The views are what people query: one row per raw event, sums that agree.
func TestViews(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 3000, Threads: 2, Activity: true})
	number := func(query string) (n int64) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			n = s.ColumnInt64(0)
			return nil
		}}); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return n
	}
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ query, same string }{
		{"SELECT count(*) FROM events", fmt.Sprintf("SELECT %d", meta.Events)},
		{"SELECT count(*) FROM events WHERE kind = 'enqueue_launch_end'", "SELECT count(*) FROM kernels"},
		{"SELECT count(*) FROM (SELECT DISTINCT thread, sequence FROM events)", "SELECT count(*) FROM events"},
		{"SELECT count(*) FROM spans", "SELECT sum(count) FROM sources"},
		{"SELECT sum(exclusive_time) FROM spans", "SELECT sum(exclusive_time) FROM sources"},
		{"SELECT sum(exclusive_time) FROM spans", "SELECT sum(duration) FROM spans WHERE parent IS NULL"},
		{"SELECT count(*) FROM device_activity WHERE record IS NULL", "SELECT 0"},
		{"SELECT sum(device_time) FROM kernels", "SELECT sum(duration) FROM device_activity WHERE kind = 'kernel'"},
		{"SELECT sum(bytes) FROM transfers WHERE direction = 'upload'", "SELECT sum(uploaded_bytes) FROM variables"},
		{"SELECT count(*) FROM allocations WHERE kind = 'alloc' AND ended IS NOT NULL", "SELECT count(*) FROM releases WHERE kind = 'free'"},
		{"SELECT sum(operations) FROM queues", "SELECT count(*) FROM device_activity"},
		{"SELECT max(used) FROM memory", "SELECT max(peak_bytes) FROM devices"},
		{"SELECT count(*) FROM waits", "SELECT count(*) FROM events WHERE kind = 'wait_start'"},
		{"SELECT count(*) FROM queue_occupancy", "SELECT 0"},
		{"SELECT count(*) FROM errors", "SELECT count(*) FROM loss"},
		{"SELECT count(*) FROM processes", "SELECT count(DISTINCT process) FROM threads"},
		{"SELECT count(*) FROM existing_data", "SELECT 0"},
	} {
		if got, want := number(c.query), number(c.same); got != want {
			t.Errorf("%s gives %d, %s gives %d", c.query, got, c.same, want)
		}
	}
}

// Without device activity, queues are bounded by enqueue and wait.
func TestBoundsWithoutActivity(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 1000})
	bounds, err := trace.Occupancies(0)
	if err != nil || len(bounds) == 0 {
		t.Fatalf("%d bounds, %v", len(bounds), err)
	}
	var operations int64
	for _, b := range bounds {
		operations += b.Operations
		if b.To <= b.From {
			t.Errorf("bound %+v", b)
		}
	}
	works, err := trace.Sums().WorkTotals(store.Filter{})
	if err != nil || len(works) != 0 {
		t.Errorf("%d totals of activities, %v", len(works), err)
	}
	totals, err := trace.Sums().Totals(store.Filter{Kinds: []string{
		model.SpanName(model.EnqueueLaunchStart), model.SpanName(model.EnqueueUploadStart), model.SpanName(model.EnqueueDownloadStart),
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range totals {
		operations -= x.Count
	}
	if operations != 0 {
		t.Errorf("bounds hold %d operations too many", operations)
	}
}

// A writer that goes on with an unfinished trace ends with the same trace as
// one that was never interrupted.
func TestResume(t *testing.T) {
	t.Run("measured", func(t *testing.T) { testResume(t, generate.Options{Spans: 4000, Threads: 2, Activity: true, Seed: 3}) })
	t.Run("not measured", func(t *testing.T) { testResume(t, generate.Options{Spans: 4000, Threads: 2, Seed: 4}) })
}

func testResume(t *testing.T, options generate.Options) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), "whole.db")
	if _, err := generate.Trace(whole, options); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "trace.db")
	s := generate.New(options)
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, s); err != nil {
		t.Fatal(err)
	}
	// Every 1000 items the writer is left in the middle and another one goes on,
	// with a model of its own that knows only what the trace holds.
	m := s.Model
	n, events, drawn, used, most := 0, int64(0), int64(0), int64(0), int64(0)
	turn := func() error {
		if n++; n%1000 != 0 {
			return nil
		}
		if err := w.Commit(); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		most = max(most, used)
		if now, lanes := written(t, path); now.Events != events || now.Used != used || lanes != drawn {
			t.Errorf("after %d events, of which lanes have %d, and with %d bytes in use the trace says %d, %d and %d", events, drawn, used, now.Events, lanes, now.Used)
		}
		m = model.New(nil, nil)
		w, err = write.Resume(path, m)
		return err
	}
	s.Write = func(step *model.Step) error {
		if m != s.Model {
			e := *step.Event
			step = m.Apply(&e)
		}
		for _, sample := range step.Samples {
			used = sample.Value
		}
		if err := w.Write(step); err != nil {
			return err
		}
		events++
		if step.Phase != model.Ended {
			drawn++
		}
		return turn()
	}
	s.Activity = func(a *model.Activity, enqueue int64, device model.DeviceID, queue model.QueueID) error {
		if m != s.Model {
			enqueue, device, queue = m.ApplyActivity(a)
		}
		if err := w.WriteActivity(a, enqueue, device, queue); err != nil {
			return err
		}
		drawn++
		return turn()
	}
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if most == 0 {
		t.Error("memory was never in use where it was looked at")
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	// Lanes may be numbered in another order.
	const (
		rollup       = "(SELECT type, owner, depth, level, start, hex(groups) FROM rollup JOIN lane ON lane.id = lane)"
		sampleRollup = "(SELECT device, level, start, hex(groups) FROM sample_rollup)"
	)
	for _, table := range []string{"record", "datum", "ending", "activity", "sample", "total", rollup, sampleRollup, "occupancy", "site_detail"} {
		if got, want := dump(t, path, table), dump(t, whole, table); got != want {
			t.Errorf("%s differs from that of the uninterrupted trace: %s and %s", table, got, want)
		}
	}
}

// written is how far a trace is, and how much its lanes have.
func written(t *testing.T, path string) (now store.Now, lanes int64) {
	t.Helper()
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if now, err = trace.Now(); err != nil {
		t.Fatal(err)
	}
	list, err := trace.Lanes().All()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		lanes += list[i].Count
	}
	return now, lanes
}

// dump sums a table up so that any difference shows.
func dump(t testing.TB, path, table string) string {
	t.Helper()
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	var lines []string
	if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT * FROM "+table, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		line := ""
		for i := range s.ColumnCount() {
			line += s.ColumnText(i) + " "
		}
		lines = append(lines, line)
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	var sum uint64 = 14695981039346656037
	for _, line := range lines {
		for _, c := range []byte(line) {
			sum = (sum ^ uint64(c)) * 1099511628211
		}
	}
	return fmt.Sprintf("%d rows, %x", len(lines), sum)
}

func TestMappingsThatNeverEnd(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 30_000, Seed: 4})
	leaks := 0
	if err := trace.Memory().Mappings(store.Filter{}, func(m *store.Mapping) bool {
		if m.End == math.MaxInt64 {
			leaks++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if leaks == 0 {
		t.Error("the generated program leaks now and then; no leak was found")
	}
}
