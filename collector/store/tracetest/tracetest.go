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

// Gaps notes gaps in the trace at path.
func Gaps(t testing.TB, path string, gaps ...store.Gap) {
	t.Helper()
	statements := []string{"INSERT OR REPLACE INTO meta VALUES ('" + store.GapsNoted + "', 1)"}
	for _, g := range gaps {
		key, value := g.Note()
		statements = append(statements, "INSERT INTO meta VALUES ('"+key+"', '"+value+"')")
	}
	Change(t, path, statements...)
}

// Toggled is File with two gaps: in the second quarter of its time callbacks were off, and from
// the middle of the first to its end those of uploads on the first thread.
func Toggled(t testing.TB, spans int) (path string, gaps []store.Gap) {
	t.Helper()
	path = File(t, spans, 1)
	trace := Open(t, path)
	threads, err := trace.Threads()
	if err != nil {
		t.Fatal(err)
	}
	first, last, err := trace.Extent()
	if err != nil {
		t.Fatal(err)
	}
	of, quarter := threads[0], (last-first)/4
	gaps = []store.Gap{{Process: of.Process, Thread: of.ID, Start: first + quarter/2, End: first + quarter, Reason: store.GapToggled, Detail: "upload"},
		{Process: of.Process, Start: first + quarter, End: first + 2*quarter, Reason: store.GapToggled}}
	Gaps(t, path, gaps...)
	return path, gaps
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
