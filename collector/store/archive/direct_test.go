package archive_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/generate"
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
