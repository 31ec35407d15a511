package write_test

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Every view of a merged trace answers what it answers of the parts together, and each
// lane of its timeline is that of its part: of traces of this version and of earlier
// ones, finished and not, with whatever a trace may hold.
func TestMergeAnswersAsItsParts(t *testing.T) {
	folder := t.TempDir()
	generated := func(name string, o generate.Options) string {
		path := filepath.Join(folder, name+".db")
		if _, err := generate.Trace(path, o); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parts := []string{
		generated("ranks", generate.Options{Spans: 2000, Ranks: 2, Threads: 2, Activity: true, Own: true, Seed: 1}),
		generated("unmeasured", generate.Options{Spans: 1500, Seed: 2}),
		generated("everything", generate.Options{Spans: 900, Threads: 2, Activity: true, Pauses: true, Seed: 3}),
		unfinished(t, filepath.Join(folder, "unfinished.db")),
		generated("empty", generate.Options{}),
	}
	// What the generator does not make.
	tracetest.Change(t, parts[2],
		"INSERT INTO string VALUES (1000, 'late.c'), (1001, 'before')",
		"INSERT INTO existing VALUES (1, 1, 5, 64, 128, 256, 1001, 1, 2, 3, NULL, NULL)",
		"INSERT INTO existing SELECT 2, 1, 5, 640, 1280, 2560, 1001, 0, 1, 0, r.time, r.id FROM record r JOIN site s ON s.id = r.site WHERE s.kind = 9 ORDER BY r.id LIMIT 1",
		"UPDATE record SET link = id + 2 WHERE id = (SELECT ended_by FROM existing WHERE id = 2)",
		"UPDATE record SET link = 0 WHERE id + link = (SELECT ended_by FROM existing WHERE id = 2) AND link > 0",
		"INSERT INTO dependency SELECT NULL, a.id, b.id, 2000000 + 1000 * a.id, 50 * b.id, 1000, 33 FROM queue a JOIN queue b ON a.id < b.id",
		"INSERT INTO lost VALUES (1, NULL, 'full', 7, 700), (1, 2, 'space', 3, 30)",
		"INSERT INTO counter VALUES (1, 1, 1, NULL, NULL, 'cpu', '%'), (2, 1, NULL, 0, 'H', 'power', 'mW')",
		"INSERT INTO counter_value VALUES (1, 1000, 5), (1, 3000, 6), (2, 2000, 7)",
		"INSERT INTO stack VALUES (1, 0, 4096), (2, 1, 8192)",
		"INSERT INTO frame VALUES (1, 8192, 'a.out', 4, 'inner', 'late.c', 7, 1, 9, NULL)",
		"UPDATE site SET stack = 2 WHERE id < 5",
		"UPDATE site_detail SET stack = 2 WHERE site < 5",
		"INSERT INTO sample SELECT device, time + 1, used + 1, record FROM (SELECT s.device, r.time, r.inner_time AS used, r.id AS record FROM record r "+
			"JOIN site s ON s.id = r.site WHERE s.kind = 8 AND r.inner_time >= 0 ORDER BY r.id LIMIT 3)",
	)
	earlier, err := filepath.Glob("../../ingest/testdata/*/trace.db.gz")
	if err != nil || len(earlier) == 0 {
		t.Fatalf("no traces of earlier versions: %v", err)
	}
	for i, packed := range earlier {
		parts = append(parts, unpacked(t, packed, filepath.Join(folder, fmt.Sprintf("earlier%d.db", i))))
	}
	for _, test := range []struct {
		name  string
		parts []string
	}{
		{"finished", slices.Concat(parts[:3], parts[4:5])},
		{"unfinished among them", parts[:5]},
		{"one", parts[2:3]},
		{"earlier versions", append(slices.Clone(parts[5:]), parts[5])},
	} {
		t.Run(test.name, func(t *testing.T) {
			var inputs []write.Input
			for i, path := range test.parts {
				inputs = append(inputs, write.Input{Path: path, Offset: int64(i%3-1) * 1_234_567})
			}
			inputs[0].Offset = 0
			path := filepath.Join(t.TempDir(), "merged.db")
			if err := write.Merge(path, inputs); err != nil {
				t.Fatal(err)
			}
			merged := tracetest.Open(t, path)
			first := 0 // process of the part, of those of the merged trace
			want := map[string][]string{}
			for _, part := range test.parts {
				// Finishing makes the sums and rollups that are compared.
				if part == parts[3] {
					part = finished(t, part)
				}
				trace := tracetest.Open(t, part)
				names := newNaming(t, trace, first)
				if first += len(names.starts); len(names.starts) == 0 {
					continue
				}
				all := newNaming(t, merged, 0)
				shift := all.starts[first-1] - names.starts[len(names.starts)-1]
				for view, rows := range answers(t, trace, names, shift) {
					want[view] = append(want[view], rows...)
				}
			}
			got := answers(t, merged, newNaming(t, merged, 0), 0)
			for view := range got {
				slices.Sort(want[view])
				slices.Sort(got[view])
				for i := range max(len(want[view]), len(got[view])) {
					var a, b string
					if i < len(want[view]) {
						a = want[view][i]
					}
					if i < len(got[view]) {
						b = got[view][i]
					}
					if a != b {
						t.Errorf("%s: %d rows, the parts have %d; row %d is\n%s, of the parts\n%s", view, len(got[view]), len(want[view]), i, b, a)
						break
					}
				}
			}
			if len(got["events"]) == 0 || len(got["timeline"]) == 0 {
				t.Errorf("%d events, %d blocks of lanes", len(got["events"]), len(got["timeline"]))
			}
		})
	}
}

// unfinished writes a trace that its collector left, with spans that are open.
func unfinished(t *testing.T, path string) string {
	t.Helper()
	s := generate.New(generate.Options{Spans: 700, Threads: 2, Activity: true, Seed: 4})
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, s); err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	s.Activity = w.WriteActivity
	s.Write = func(step *model.Step) error {
		if s.Events > 1003 {
			return enough
		}
		return w.Write(step)
	}
	if err := s.Run(); !errors.Is(err, enough) {
		t.Fatal(err)
	}
	if err := errors.Join(w.Commit(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// finished is a copy of an unfinished trace that is.
func finished(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "finished.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, last, err := trace.Extent()
	if err := errors.Join(err, trace.Close()); err != nil {
		t.Fatal(err)
	}
	m := model.New(nil, nil)
	w, err := write.Resume(path, m)
	if err != nil {
		t.Fatal(err)
	}
	// As the merged trace has it, what goes on lasts until what is known.
	for _, thread := range m.Threads() {
		if err := w.Interrupted(thread.ID, m.Interrupt(thread.ID, 0, last)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

func unpacked(t *testing.T, packed, path string) string {
	t.Helper()
	file, err := os.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	content, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// naming gives the numbers of a trace names that are the same in one that it is merged
// into.
type naming struct {
	names  map[string]map[int64]string // by what is numbered
	starts []int64                     // of the processes, by number
}

// newNaming reads a trace whose processes follow on so many others.
func newNaming(t *testing.T, trace *store.Trace, others int) *naming {
	t.Helper()
	n := &naming{names: map[string]map[int64]string{"stack": {0: "none"}}}
	for _, x := range []struct{ what, query string }{
		{"process", fmt.Sprintf("SELECT id, 'P' || (%d + row_number() OVER (ORDER BY id)) FROM process", others)},
		{"host", "SELECT id, name FROM host"},
		{"thread", "SELECT id, process, 'T' || row_number() OVER (PARTITION BY process ORDER BY id) FROM thread"},
		{"device", "SELECT id, process, 'D' || type || '.' || number FROM device"},
		{"queue", "SELECT id, device, 'Q' || number FROM queue"},
		{"record", "SELECT r.id, s.thread, 'R' || r.sequence FROM record r JOIN site s ON s.id = r.site"},
		{"activity", "SELECT a.id, w.queue, 'A' || row_number() OVER (PARTITION BY w.queue ORDER BY a.id) FROM activity a JOIN work w ON w.id = a.work"},
		{"stack", "SELECT id, parent, 'S' || address FROM stack WHERE id > 0 ORDER BY id"},
	} {
		within := n.names[map[string]string{"thread": "process", "device": "process", "queue": "device", "record": "thread", "activity": "queue", "stack": "stack"}[x.what]]
		if n.names[x.what] == nil {
			n.names[x.what] = make(map[int64]string)
		}
		rows(t, trace, x.query, func(s *sqlite.Stmt) {
			name := s.ColumnText(s.ColumnCount() - 1)
			if within != nil {
				name = within[s.ColumnInt64(1)] + "/" + name
			}
			n.names[x.what][s.ColumnInt64(0)] = name
		})
	}
	rows(t, trace, "SELECT start FROM process ORDER BY id", func(s *sqlite.Stmt) { n.starts = append(n.starts, s.ColumnInt64(0)) })
	return n
}

func rows(t *testing.T, trace *store.Trace, query string, f func(*sqlite.Stmt)) {
	t.Helper()
	if err := sqlitex.ExecuteTransient(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		f(s)
		return nil
	}}); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// numbered are the columns of the views that number something, and what.
var numbered = map[string]string{"process": "process", "thread": "thread", "device": "device", "queue": "queue", "awaited": "queue", "record": "record",
	"parent": "record", "ended_by": "record", "allocation": "record", "activity": "activity", "stack": "stack", "host": "host"}

// times are their columns that are times; not those of devices' own clocks.
var times = []string{"time", "start", "end", "enqueued", "recorded", "ended"}

// own are columns that number what has no other name, or depend on the clock of the first part.
var own = []string{"site", "dependency", "id", "counter", "clock_offset", "clock_uncertainty"}

// answers are the rows of each view, and the blocks of each lane, with times shift later.
func answers(t *testing.T, trace *store.Trace, names *naming, shift int64) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	var views []string
	// What is known of each part alone, nobody asks a merged trace. Gaps are noted in it
	// that follow from what else is known of parts which note none.
	rows(t, trace, "SELECT name FROM sqlite_temp_schema WHERE type = 'view' AND name NOT IN ('known', 'going_on', 'gaps')", func(s *sqlite.Stmt) { views = append(views, s.ColumnText(0)) })
	for _, view := range views {
		all[view] = nil
		rows(t, trace, "SELECT * FROM "+view, func(s *sqlite.Stmt) {
			var line strings.Builder
			for i := range s.ColumnCount() {
				column, value := s.ColumnName(i), s.ColumnText(i)
				switch {
				case slices.Contains(own, column):
					continue
				case s.ColumnType(i) == sqlite.TypeNull:
					value = "NULL"
				case s.ColumnType(i) == sqlite.TypeText:
				case column == "peer" && view != "communication": // there it is a rank
					value = cmp.Or(names.names["device"][s.ColumnInt64(i)], "unknown "+value)
				case numbered[column] != "":
					value = cmp.Or(names.names[numbered[column]][s.ColumnInt64(i)], "unknown "+value)
				case slices.Contains(times, column):
					value = fmt.Sprint(s.ColumnInt64(i) + shift)
				}
				fmt.Fprintf(&line, "%s=%s ", column, value)
			}
			all[view] = append(all[view], line.String())
		})
	}
	lanes, err := trace.Lanes().All()
	if err != nil {
		t.Fatal(err)
	}
	for _, lane := range lanes {
		owner := names.names["thread"][int64(lane.Thread)]
		if lane.Type == store.LaneQueue {
			owner = names.names["queue"][int64(lane.Queue)]
		}
		blocks, err := trace.Lanes().Blocks(lane, lane.First, lane.Last, 40)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if b.Open {
				b.End, b.Busy = b.Start, 0 // until the end of the trace
			}
			all["timeline"] = append(all["timeline"], fmt.Sprintf("%s %s %d: %d to %d, busy %d, %d of %d bytes", lane.Type, owner, lane.Depth, b.Start+shift, b.End+shift,
				b.Busy, b.Count, b.Bytes))
		}
	}
	return all
}
