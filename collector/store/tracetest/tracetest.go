// Package tracetest makes, for tests, finished traces with host spans and device
// activity.
package tracetest

import (
	"path/filepath"
	"testing"

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
