package write_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A merged trace holds what its parts hold, in one order of time.
func TestMerge(t *testing.T) {
	folder := t.TempDir()
	var inputs []write.Input
	var events, records int64
	for i, o := range []generate.Options{{Spans: 500, Seed: 1, Activity: true}, {Spans: 700, Threads: 2, Seed: 2}} {
		input := write.Input{Path: filepath.Join(folder, string(rune('a'+i))+".db"), Offset: int64(i) * 12_345}
		n, err := generate.Trace(input.Path, o)
		if err != nil {
			t.Fatal(err)
		}
		events += n
		trace, err := store.Open(input.Path)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := trace.Meta()
		if err != nil {
			t.Fatal(err)
		}
		records += meta.Records
		trace.Close()
		// Facts of one part hold for the whole.
		conn, err := sqlite.OpenConn(input.Path, sqlite.OpenReadWrite)
		if err == nil {
			err = errors.Join(sqlitex.Execute(conn, "INSERT INTO meta VALUES (?, ?)", &sqlitex.ExecOptions{
				Args: []any{[]string{"traceparent", "filter_min_bytes"}[i], i + 4096}}), conn.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input)
	}
	path := filepath.Join(folder, "merged.db")
	if err := write.Merge(path, inputs); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	meta, err := trace.Meta()
	if err != nil {
		t.Fatal(err)
	}
	if meta.Events != events || meta.Records != records || meta.Lateness != 0 {
		t.Errorf("%d events in %d records, %d late; want %d in %d", meta.Events, meta.Records, meta.Lateness, events, records)
	}
	if meta.Facts["traceparent"] != "4096" || meta.Facts["filter_min_bytes"] != "4097" {
		t.Errorf("facts %v", meta.Facts)
	}
	processes, err := trace.Processes()
	if err != nil || len(processes) != 2 || processes[1].On.ClockOffset != 12_345 {
		t.Errorf("processes %+v, %v", processes, err)
	}
	threads, err := trace.Threads()
	if err != nil || len(threads) != 3 {
		t.Errorf("threads %+v, %v", threads, err)
	}
}

// Times count from where the earliest part's do, whichever comes first, and the
// clock of the first stays the one that the others are set against.
func TestMergeOfAnEarlierPart(t *testing.T) {
	folder := t.TempDir()
	const earlier = 5_000_000_000
	var inputs []write.Input
	for i := range 2 {
		input := write.Input{Path: filepath.Join(folder, string(rune('a'+i))+".db"), Offset: -int64(i) * earlier}
		if _, err := generate.Trace(input.Path, generate.Options{Spans: 50, Seed: 1}); err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, input)
	}
	type facts struct {
		origin, first int64
		starts        []int64 // of the processes' first records
	}
	read := func(path string) facts {
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		meta, err := trace.Meta()
		if err != nil {
			t.Fatal(err)
		}
		f := facts{origin: meta.Origin, first: meta.First}
		if err := sqlitex.Execute(trace.Conn(), "SELECT min(time) FROM events GROUP BY process ORDER BY process", &sqlitex.ExecOptions{
			ResultFunc: func(row *sqlite.Stmt) error {
				f.starts = append(f.starts, row.ColumnInt64(0))
				return nil
			}}); err != nil {
			t.Fatal(err)
		}
		return f
	}
	part := read(inputs[0].Path)
	path := filepath.Join(folder, "merged.db")
	if err := write.Merge(path, inputs); err != nil {
		t.Fatal(err)
	}
	merged := read(path)
	if merged.origin != part.origin-earlier || merged.first != part.first {
		t.Errorf("origin %d, first %d; want %d and %d", merged.origin, merged.first, part.origin-earlier, part.first)
	}
	if len(merged.starts) != 2 || merged.starts[0] != part.starts[0]+earlier || merged.starts[1] != part.starts[0] {
		t.Errorf("processes begin at %v; want %d after %d", merged.starts, part.starts[0]+earlier, part.starts[0])
	}
}

// Traces without a process, as of a collector that got no agent, are no hindrance, wherever
// they stand.
func TestMergeOfEmptyTraces(t *testing.T) {
	folder := t.TempDir()
	var empty []write.Input
	for _, name := range []string{"a.db", "b.db"} {
		w, err := write.Create(filepath.Join(folder, name), 1000, model.New(nil, nil))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Finish(), w.Close()); err != nil {
			t.Fatal(err)
		}
		empty = append(empty, write.Input{Path: filepath.Join(folder, name)})
	}
	full := write.Input{Path: filepath.Join(folder, "full.db")}
	events, err := generate.Trace(full.Path, generate.Options{Spans: 50, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		inputs []write.Input
		want   int64
	}{
		"first": {[]write.Input{empty[0], full, empty[1]}, events},
		"last":  {[]write.Input{full, empty[0]}, events},
		"all":   {empty, 0},
	} {
		path := filepath.Join(folder, "merged-"+name+".db")
		if err := write.Merge(path, c.inputs); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		meta, err := trace.Meta()
		if err = errors.Join(err, trace.Close()); err != nil || meta.Events != c.want || !meta.Complete {
			t.Errorf("%s: %d events, complete %v (%v), want %d", name, meta.Events, meta.Complete, err, c.want)
		}
	}
}
