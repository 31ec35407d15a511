package store_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/schema"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const hashed = "SELECT direction, thread, content, overwritten FROM transfers WHERE content IS NOT NULL ORDER BY record LIMIT 4"

// Hashes of transfers lead to their rows, also in a trace merged of two, and of one of the
// version before hashes, which reads as one without.
func TestContents(t *testing.T) {
	path := generated(t, generate.Options{Spans: 2000}).Path()
	change := func(sql string) {
		t.Helper()
		conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(sqlitex.ExecuteScript(conn, sql, nil), conn.Close()); err != nil {
			t.Fatal(err)
		}
	}
	change("DROP VIEW transfers; DROP VIEW clocks; DROP VIEW cpu_functions; DROP VIEW cpu_samples; DROP VIEW cpu_stacks; DROP TABLE content; DROP TABLE clock; DROP TABLE cpu_sample; DROP TABLE cpu_stack; DROP VIEW kernel_counters; DROP VIEW kernel_lines; DROP TABLE kernel_count; DROP TABLE line_count; DROP VIEW cards; DROP TABLE card; DROP TABLE kernel_estimate; DROP VIEW host_transfers; DROP VIEW kernels; DROP TABLE work_detail; PRAGMA user_version = 3;")
	none := func() {
		t.Helper()
		trace, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer trace.Close()
		if n, err := schema.Integer(trace.Conn(), "SELECT count(content) + count(overwritten) FROM transfers"); err != nil || n != 0 {
			t.Errorf("%d hashes, %v", n, err)
		}
	}
	none()
	w, err := write.Resume(path, model.New(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	none()
	change("INSERT INTO content SELECT s.thread, r.sequence, r.id - 5, iif(s.kind = 22, -r.id, NULL) FROM record r JOIN site s ON s.id = r.site WHERE s.kind IN (20, 22)")
	want := rows(t, path, "SELECT direction, thread, record - 5, iif(direction = 'download', -record, NULL) FROM transfers ORDER BY record LIMIT 4")
	if got := rows(t, path, hashed); len(got) != 4 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	merged := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(merged, []write.Input{{Path: path}, {Path: path, Offset: 1 << 40}}); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, merged, hashed); !reflect.DeepEqual(got, want) {
		t.Errorf("merged: %q, want %q", got, want)
	}
	once := rows(t, path, "SELECT count(*) * 2, count(DISTINCT thread) * 2 FROM transfers WHERE content IS NOT NULL")
	if got := rows(t, merged, "SELECT count(*), count(DISTINCT thread) FROM transfers WHERE content IS NOT NULL"); !reflect.DeepEqual(got, once) {
		t.Errorf("merged: %q, want %q", got, once)
	}
}
