// Package tracetest makes, for tests, finished traces with host spans and device
// activity.
package tracetest

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
)

// File writes a trace of so many host spans into the test's folder and gives its
// path. The same seed gives the same trace.
func File(t testing.TB, spans int, seed uint64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 2, Activity: true, Seed: seed}); err != nil {
		t.Fatal(err)
	}
	return path
}

// Annotated is File with what is a program's own: each iteration is a frame, with a call of
// MPI, a mark, and a range around the rest.
func Annotated(t testing.TB, spans int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "annotated.db")
	if _, err := generate.Trace(path, generate.Options{Spans: spans, Threads: 2, Activity: true, Own: true, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	return path
}

// Change runs SQL statements on the trace at path.
func Change(t testing.TB, path string, statements ...string) {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sqlitex.ExecuteScript(conn, strings.Join(statements, ";"), nil), conn.Close()); err != nil {
		t.Fatal(err)
	}
}

// Spell is a statement that brings site_detail up to date after a change of sites
// or strings.
const Spell = `UPDATE site_detail SET (device, queue, name, source_file, function) = (SELECT s.device, s.queue, n.text, f.text, fn.text
	FROM site s JOIN string n ON n.id = s.name JOIN place p ON p.id = s.place JOIN string f ON f.id = p.file JOIN string fn ON fn.id = p.function
	WHERE s.id = site_detail.site);
	UPDATE site_detail SET kernel = iif(kernel IS NULL, NULL, name), variable = iif(variable IS NULL, NULL, name)`

// Open opens a trace until the test ends.
func Open(t testing.TB, path string) *store.Trace {
	t.Helper()
	trace, err := store.Open(path)
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

// Generated makes a trace and opens it.
func Generated(t testing.TB, spans int) *store.Trace {
	t.Helper()
	return Open(t, File(t, spans, 1))
}
