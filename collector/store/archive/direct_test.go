package archive_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/tracetest"
)

// An archive whose rows come without a trace says what the trace of the same events says,
// also of spans whose ends come long after their transaction and of data that are never freed.
func TestArchiveWithoutATrace(t *testing.T) {
	for name, o := range map[string]generate.Options{
		"ranks":    {Spans: 4000, Ranks: 5, Threads: 2, Activity: true, Own: true, Seed: 9},
		"one":      {Spans: 3000, Seed: 4},
		"an empty": {Spans: 0, Seed: 4},
	} {
		t.Run(name, func(t *testing.T) {
			path, folder := filepath.Join(t.TempDir(), "trace.db"), filepath.Join(t.TempDir(), "archive")
			if _, err := generate.Trace(path, o); err != nil {
				t.Fatal(err)
			}
			if err := generate.Archive(folder, o, 700, 333); err != nil {
				t.Fatal(err)
			}
			trace, archived := tracetest.Open(t, path), tracetest.Open(t, folder)
			var views []string
			if err := sqlitex.ExecuteTransient(trace.Conn(), "SELECT name FROM sqlite_schema WHERE type = 'view'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				views = append(views, s.ColumnText(0))
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
			tables := []string{"record", "activity", "ending", "datum", "site", "total", "work_total", "lane", "unended", "landmark", "process", "meta"}
			if len(views) < 20 {
				t.Fatalf("%d views", len(views))
			}
			for _, from := range slices.Concat(tables, views) {
				query := "SELECT * FROM " + from
				got, want := answer(t, archived.Conn(), query), answer(t, trace.Conn(), query)
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %d rows, want %d", from, len(got), len(want))
				}
			}
			if o.Spans > 0 {
				if got, want := readings(t, archived), readings(t, trace); !reflect.DeepEqual(got, want) {
					t.Error("what Go reads differs")
				}
			}
			late := int64(0)
			for _, p := range manifest(t, folder).Tables[archive.Record.Name] {
				if p.Late {
					late += p.Rows
				}
			}
			if records := int64(len(answer(t, trace.Conn(), "SELECT 1 FROM record"))); late > records/3 || o.Own && late == 0 {
				t.Errorf("%d of %d records were held back", late, records)
			}
			if _, known := manifest(t, folder).Copies["site_detail"]; !known {
				t.Error("nothing tells other readers what sites are")
			}
		})
	}
}

// Sums over the files are those that SQL has, whatever the numbers are by which they are.
func TestSums(t *testing.T) {
	_, folder := made(t, generate.Options{Spans: 3000, Ranks: 5, Threads: 2, Activity: true, Own: true, Seed: 3}, 700)
	trace := tracetest.Open(t, folder)
	opened, err := archive.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	for _, c := range [][3]string{{"record", "site", "duration"}, {"record", "sequence", "inner_time"}, {"record", "time", "id"}, {"activity", "work", "duration"}, {"datum", "address", "bytes"}} {
		want := map[int64]archive.Sum{}
		query := fmt.Sprintf("SELECT %s, count(%s), sum(%[2]s) FROM %s GROUP BY 1 HAVING count(%[2]s) > 0", c[1], c[2], c[0])
		if err := sqlitex.ExecuteTransient(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			want[s.ColumnInt64(0)] = archive.Sum{Rows: s.ColumnInt64(1), Total: s.ColumnInt64(2)}
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		got, err := opened.Sums(c[0], c[1], c[2], 3)
		if err != nil || len(want) < 2 || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %d sums, want %d (%v)", c, len(got), len(want), err)
		}
	}
	for table, column := range map[string]string{"spans": "site", "record": "spans"} {
		if _, err := opened.Sums(table, "site", column, 1); !errors.Is(err, schema.ErrTables) {
			t.Errorf("%s, %s: %v", table, column, err)
		}
	}
}

// A writer that is stopped takes no more rows, and there is no archive.
func TestStop(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "archive")
	w, err := archive.Create(folder, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(archive.Datum, archive.AllRanks, 1, 2, 3, 4); err != nil {
		t.Fatal(err)
	}
	w.Stop()
	if w.Add(archive.Datum, archive.AllRanks, 2, 2, 3, 4) == nil || w.Finish("run", true) == nil || archive.Is(folder) {
		t.Error("it goes on")
	}
}
