package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/tracetest"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func generated(t testing.TB, o generate.Options) *store.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, o); err != nil {
		t.Fatal(err)
	}
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
	})
	return trace
}

// A finished trace is one file, without the companions of a database in use.
func TestFinishLeavesOneFile(t *testing.T) {
	trace := generated(t, generate.Options{Spans: 1000})
	entries, err := os.ReadDir(filepath.Dir(trace.Path()))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "trace.db" {
		t.Errorf("folder holds %v", entries)
	}
}

// What goes in comes out: every event with every field, in order.
func TestEventsGiveBackEveryField(t *testing.T) {
	for _, activity := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "trace.db")
		s := generate.New(generate.Options{Spans: 3000, Threads: 3, Activity: activity, Seed: 7})
		w, err := write.Create(path, 0, s.Model)
		if err != nil {
			t.Fatal(err)
		}
		if err := generate.Introduce(w, s); err != nil {
			t.Fatal(err)
		}
		var in []model.Event
		s.Write = func(step *model.Step) error {
			e := *step.Event
			if e.Pair != 0 {
				e.Pair = 1
			}
			in = append(in, e)
			return w.Write(step)
		}
		s.Activity = w.WriteActivity
		if err := s.Run(); err != nil {
			t.Fatal(err)
		}
		if err := w.Finish(); err != nil {
			t.Fatal(err)
		}
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		out := tracetest.Events(t, trace, s.Model.Names())
		if len(out) != len(in) {
			t.Fatalf("%d events came out, %d went in", len(out), len(in))
		}
		for i := range out {
			if !reflect.DeepEqual(out[i], in[i]) {
				t.Fatalf("event %d is\n%+v, went in as\n%+v", i, out[i], in[i])
			}
		}
	}
}

// A trace whose tables are others, as those were while the version was being
// made, is refused with what to do, before a query fails in the middle.
func TestOpenRefusesOtherTables(t *testing.T) {
	for _, change := range []string{
		"DROP TABLE dependency",
		"ALTER TABLE meta RENAME TO facts",
		"ALTER TABLE thread RENAME COLUMN number TO rank",
		"ALTER TABLE occupancy DROP COLUMN bytes",
	} {
		trace := generated(t, generate.Options{Spans: 100})
		conn, err := sqlite.OpenConn(trace.Path(), sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		// The views would be in the way.
		var script strings.Builder
		if err := sqlitex.Execute(conn, "SELECT name FROM sqlite_schema WHERE type = 'view'", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			fmt.Fprintf(&script, "DROP VIEW %s;", s.ColumnText(0))
			return nil
		}}); err != nil {
			t.Fatal(err)
		}
		if err := sqlitex.ExecuteScript(conn, script.String()+change+";", nil); err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		opened, err := store.Open(trace.Path())
		if !errors.Is(err, schema.ErrTables) || !strings.Contains(err.Error(), "record it again") {
			t.Errorf("%s: Open gives %v", change, err)
		}
		if err == nil {
			opened.Close() //nolint:errcheck // it should not be open
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	path := generated(b, generate.Options{Spans: 1000}).Path()
	for b.Loop() {
		trace, err := store.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		if err := trace.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
