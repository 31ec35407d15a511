package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
)

// ranksTrace is a trace of so many ranks, of which one is slow.
func ranksTrace(t *testing.T, ranks, slow int, activity bool) *store.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 60 * ranks, Ranks: ranks, Queues: 2, Activity: activity, Slow: slow + 1, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

func tableOf(t *testing.T, d *Document, key string) *Table {
	t.Helper()
	for _, table := range d.Tables {
		if table.Key == key {
			return table
		}
	}
	return nil
}

// Of a thousand ranks a report and a map show the median and those that stand out, among
// them the slow one; few are read.
func TestThousandRanks(t *testing.T) {
	const ranks, slow = 1000, 617
	trace := ranksTrace(t, ranks, slow, true)
	d, err := Build(trace, Options{})
	if err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, d, "ranks")
	if table == nil || len(table.Rows) != 1+mostRanks {
		t.Fatalf("ranks: %+v", table)
	}
	if table.Rows[0][0] != "median of 1000" || !strings.Contains(table.Note, "of 1000 ranks") {
		t.Errorf("%v, %s", table.Rows[0], table.Note)
	}
	found := false
	for _, row := range table.Rows[1:] {
		if row[0] == fmt.Sprint("rank ", slow) {
			found = row[3].(int64) > 2*table.Rows[0][3].(int64)
		}
		if over := row[len(row)-1].(string); len(over) != rankParts || strings.Trim(over, heat) != "" || strings.TrimSpace(over) == "" {
			t.Errorf("%s over time: %q", row[0], over)
		}
	}
	if !found {
		t.Errorf("rank %d does not stand out: %v", slow, table.Rows)
	}
	imbalance := tableOf(t, d, "imbalance")
	if imbalance == nil || len(imbalance.Rows) == 0 {
		t.Fatalf("imbalance: %+v", imbalance)
	}
	for _, row := range imbalance.Rows {
		if row[7] != int64(slow) || row[3].(int64) < 2 || row[8].(float64) < 0.6 || row[8].(float64) > 0.9 {
			t.Errorf("imbalance %v, want rank %d with about 0.75", row, slow)
		}
	}
	path := tableOf(t, d, "critical_path")
	if path == nil || !strings.Contains(path.Title, fmt.Sprint("rank ", slow)) || len(path.Rows) < 3 {
		t.Fatalf("critical path: %+v", path)
	}
	var sum int64
	for _, row := range path.Rows {
		sum += row[1].(int64)
	}
	first, last, err := trace.Extent()
	if err != nil || sum != last-first {
		t.Errorf("the path takes %d, the run %d, %v", sum, last-first, err)
	}
	m, err := MapRanks(trace, first, last, 100, 64, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Ranks != ranks || !m.Folded || len(m.Rows) != 64 || m.Sampled != MostSampled || len(m.Median) != 100 || !m.Device {
		t.Errorf("%d ranks, folded %v, %d rows, %d sampled, %d parts, device %v", m.Ranks, m.Folded, len(m.Rows), m.Sampled, len(m.Median), m.Device)
	}
	// A part of the run, and of the ranks.
	m, err = MapRanks(trace, first, (first+last)/2, 50, 64, func(rank int64) bool { return rank < 3 })
	if err != nil || m.Ranks != 3 || m.Folded || len(m.Rows) != 3 || m.Rows[2].Rank != 2 || m.Sampled != 3 {
		t.Errorf("%+v, %v", m, err)
	}
}

// The busy fractions of a map add up to what the lanes have.
func TestMapRanksAddsUp(t *testing.T) {
	for _, activity := range []bool{true, false} {
		trace := ranksTrace(t, 3, 1, activity)
		first, last, err := trace.Extent()
		if err != nil {
			t.Fatal(err)
		}
		m, err := MapRanks(trace, first, last, 10, 8, nil)
		if err != nil || len(m.Rows) != 3 || m.Device != activity {
			t.Fatalf("%+v, %v", m, err)
		}
		for _, r := range m.Rows {
			var use float64
			for _, v := range r.Use {
				use += v * float64(last-first) / 10
			}
			// Two queues that are busy at once are one device that is.
			if use > 1.01*float64(r.Busy) || use < 0.45*float64(r.Busy) {
				t.Errorf("activity %v, rank %d: %.0f ns over time, %d in all", activity, r.Rank, use, r.Busy)
			}
		}
	}
}

// One rank, or a choice of one, is no matter of ranks.
func TestOneRank(t *testing.T) {
	for ranks, filter := range map[int]Filter{1: {}, 2: {Rank: new(int64)}} {
		d, err := Build(ranksTrace(t, ranks, 0, true), Options{Filter: filter})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"ranks", "imbalance", "critical_path"} {
			if table := tableOf(t, d, key); table != nil {
				t.Errorf("%d ranks: there is a table %s", ranks, key)
			}
		}
	}
}

// The path through a wait goes from its end back along what ended last.
func TestBack(t *testing.T) {
	list := []ran{{0, 40, 40, "kernel a"}, {10, 20, 40, "upload"}, {45, 70, 70, "kernel b"}, {60, 65, 70, "download"}, {90, 200, 200, "kernel c"}}
	for _, c := range []struct {
		from, to int64
		want     string
	}{
		{0, 80, "map[kernel a:40 kernel b:25 waiting, nothing ran:15]"},
		{5, 30, "map[kernel a:25]"},
		{41, 44, "map[waiting, nothing ran:3]"},
		{62, 100, "map[kernel b:8 kernel c:10 waiting, nothing ran:20]"},
		{300, 310, "map[waiting, nothing ran:10]"},
		{5, 5, "map[]"},
	} {
		path := map[string]int64{}
		back(list, c.from, c.to, path)
		if got := fmt.Sprint(path); got != c.want {
			t.Errorf("%d to %d: %s, want %s", c.from, c.to, got, c.want)
		}
	}
}
