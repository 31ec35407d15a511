package archive_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/archive"
	"github.com/accscope/accscope/collector/store/archive/convert"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
)

// An archive that is written while its trace is, by a writer that is killed now and then,
// has each row once, and is read as the trace: spans whose ends come long after their windows
// and data that are never freed are in it as in the trace.
func TestGrowsWithItsTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	folder := filepath.Join(t.TempDir(), "archive")
	o := convert.Options{By: "test", FileRows: 1500}
	grow := func() *convert.Growing {
		g, err := convert.Grow(folder, path, o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := grow()
	if closed, err := g.Take(); closed || err != nil {
		t.Fatalf("without a trace: %v, %v", closed, err)
	}
	s := generate.New(generate.Options{Spans: 4000, Ranks: 5, Threads: 2, Activity: true, Own: true, Seed: 9})
	w, err := write.Create(path, 0, s.Model)
	if err != nil {
		t.Fatal(err)
	}
	if err := generate.Introduce(w, s); err != nil {
		t.Fatal(err)
	}
	windows := 0
	named := map[string]int64{} // files that a manifest named, with their bytes
	s.Write = func(step *model.Step) error {
		// At odd numbers of rows, in the middle of spans.
		if w.Pending() < 333 {
			return w.Write(step)
		}
		if err := w.Commit(); err != nil {
			return err
		}
		closed, err := g.Take()
		if err != nil {
			return err
		}
		if closed {
			windows++
			m := manifest(t, folder)
			if m.Complete || m.Growing == nil {
				t.Errorf("the manifest says that it is whole")
			}
			for _, parts := range m.Tables {
				for _, p := range parts {
					if before, is := named[p.Name]; is && before != p.Bytes {
						t.Errorf("%s had %d B, and has %d", p.Name, before, p.Bytes)
					}
					named[p.Name] = p.Bytes
					if info, err := os.Stat(filepath.Join(folder, p.Name)); err != nil || info.Size() != p.Bytes {
						t.Errorf("%s: %v", p.Name, err)
					}
				}
			}
			if _, err := store.Open(folder); !errors.Is(err, archive.ErrGrowing) {
				t.Errorf("opened meanwhile: %v", err)
			}
			if _, err := os.Stat(filepath.Join(folder, "site_detail.parquet")); err != nil {
				t.Error(err)
			}
			if windows%2 == 0 { // killed, with a file that no manifest names and one that is not whole
				for _, name := range []string{"part-000099.parquet", "part-000098.parquet.unfinished"} {
					if err := os.WriteFile(filepath.Join(folder, "record", "ranks=0-0", name), []byte("PAR1"), 0o666); err != nil {
						t.Error(err)
					}
				}
				g.Close()
				g = grow()
			}
		}
		return w.Write(step)
	}
	s.Activity = w.WriteActivity
	if err := s.Run(); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if windows < 3 {
		t.Errorf("%d windows", windows)
	}
	if err := g.Finish(); err != nil {
		t.Fatal(err)
	}
	m := manifest(t, folder)
	if !m.Complete || m.Growing != nil {
		t.Error("the manifest does not say that it is whole")
	}
	late := int64(0)
	for _, p := range m.Tables["record"] {
		if p.Late {
			late += p.Rows
		}
	}
	if late == 0 || late > 400 {
		t.Errorf("%d records were held back", late)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, parts := range m.Tables {
		listed += len(parts)
	}
	if len(files) != listed {
		t.Errorf("there are %d files, the manifest names %d", len(files), listed)
	}

	trace, archived := tracetest.Open(t, path), tracetest.Open(t, folder)
	for _, table := range archive.Tables {
		query := "SELECT * FROM " + table.Name + " ORDER BY " + table.Columns[0]
		if got, want := answer(t, archived.Conn(), query), answer(t, trace.Conn(), query); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows, want %d, or others", table.Name, len(got), len(want))
		}
	}
	if got, want := readings(t, archived), readings(t, trace); !reflect.DeepEqual(got, want) {
		t.Error("it is not read as the trace is")
	}

	// What is complete is no archive to be gone on with: it is made anew.
	g = grow()
	if archive.Is(folder) {
		t.Error("the manifest is left")
	}
	if err := g.Finish(); err != nil {
		t.Fatal(err)
	}
	if got, want := readings(t, tracetest.Open(t, folder)), readings(t, trace); !reflect.DeepEqual(got, want) {
		t.Error("made anew it is not read as the trace is")
	}
}

// A trace that has other rows than its archive does not become a whole one.
func TestGrowingCountsRows(t *testing.T) {
	path := tracetest.File(t, 300, 1)
	folder := filepath.Join(t.TempDir(), "archive")
	g, err := convert.Grow(folder, path, convert.Options{FileRows: 50})
	if err != nil {
		t.Fatal(err)
	}
	if closed, err := g.Take(); !closed || err != nil {
		t.Fatalf("%v, %v", closed, err)
	}
	tracetest.Change(t, path, "DELETE FROM record WHERE id = 7")
	if err := g.Finish(); err == nil {
		t.Error("nobody counts")
	}
	if m := manifest(t, folder); m.Complete || m.Growing == nil {
		t.Error("the manifest says that it is whole")
	}
}
