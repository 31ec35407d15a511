package write_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/accscope/accscope/collector/model"
	"github.com/accscope/accscope/collector/store"
	"github.com/accscope/accscope/collector/store/generate"
	"github.com/accscope/accscope/collector/store/write"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// rowsOf are the rows that a query on a trace gives, as text.
func rowsOf(t *testing.T, path, query string) (out []string) {
	t.Helper()
	trace, err := store.Open(path, store.Checked())
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	err = sqlitex.Execute(trace.Conn(), query, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		line := ""
		for i := range s.ColumnCount() {
			line += fmt.Sprint(s.ColumnText(i), " ")
		}
		out = append(out, line)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Samples lie in the innermost span of their thread; a thread that raised no event has
// none. A trace that is merged of several has the samples of all, and what was lost.
func TestCPUSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if _, err := generate.Trace(path, generate.Options{Spans: 500, Threads: 2, Own: true}); err != nil {
		t.Fatal(err)
	}
	w, err := write.Resume(path, model.New(nil, nil))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // as a collector that goes on with what another one had begun
		c, err := w.BeginCPUSamples()
		if err != nil {
			t.Fatal(err)
		}
		for i, at := range rowsOf(t, path, "SELECT tid, start + 1 FROM spans JOIN threads USING (thread) ORDER BY record") {
			var tid int
			var time int64
			if _, err := fmt.Sscan(at, &tid, &time); err != nil {
				t.Fatal(err)
			}
			if err := c.Add(write.CPUSample{Process: 1, TID: tid, Time: time, Weight: 1000, Stack: []uint64{uint64(0x1000 + i%3), 0x2000}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Add(write.CPUSample{Process: 1, TID: 1 << 20, Time: 5, Weight: 1000}); err != nil {
			t.Fatal(err)
		}
		if err := c.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.SetLostSamples(1, 9), w.Finish()); err != nil {
		t.Fatal(err)
	}
	const sums = "SELECT doing, count(*), count(record), sum(weight), count(DISTINCT stack) FROM cpu_samples GROUP BY doing ORDER BY doing"
	const innermost = `SELECT count(*) FROM cpu_samples c WHERE c.record IS NOT (SELECT s.record FROM spans s
		WHERE s.thread = c.thread AND s.start <= c.time AND c.time < s.end ORDER BY s.depth DESC LIMIT 1)`
	if got := rowsOf(t, path, innermost); got[0] != "0 " {
		t.Errorf("%s samples are not in the innermost span", got[0])
	}
	if got := rowsOf(t, path, "SELECT count(*) - (SELECT count(*) FROM spans) FROM cpu_samples"); got[0] != "1 " {
		t.Errorf("beside one for each span there are %s samples", got[0])
	}
	const asSpans = `SELECT DISTINCT c.doing, CASE s.kind WHEN 'wait' THEN 'waiting' WHEN 'mpi' THEN 'MPI' WHEN 'frame' THEN 'else' WHEN 'range' THEN 'else' ELSE 'OpenACC' END
		FROM cpu_samples c JOIN spans s USING (record) ORDER BY 1, 2`
	if got := rowsOf(t, path, asSpans); !reflect.DeepEqual(got, []string{"MPI MPI ", "OpenACC OpenACC ", "else else ", "waiting waiting "}) {
		t.Errorf("doing, and what the innermost span says: %q", got)
	}
	if got := rowsOf(t, path, "SELECT depth, address FROM cpu_stacks WHERE stack = 2"); !reflect.DeepEqual(got, []string{"0 4096 ", "1 8192 "}) {
		t.Errorf("a stack: %q", got)
	}
	merged := filepath.Join(t.TempDir(), "merged.db")
	if err := write.Merge(merged, []write.Input{{Path: path}, {Path: path, Offset: 1 << 40}}); err != nil {
		t.Fatal(err)
	}
	if got := rowsOf(t, merged, innermost); got[0] != "0 " {
		t.Errorf("merged: %s samples are not in the innermost span", got[0])
	}
	twice := rowsOf(t, path, "SELECT doing, 2 * count(*), 2 * count(record), 2 * sum(weight), 2 * count(DISTINCT nullif(stack, 0)) + max(stack = 0) FROM cpu_samples GROUP BY doing ORDER BY doing")
	if got := rowsOf(t, merged, sums); !reflect.DeepEqual(got, twice) {
		t.Errorf("merged: %q, want %q", got, twice)
	}
	if got := rowsOf(t, merged, "SELECT process, samples FROM loss WHERE reason = 'samples'"); !reflect.DeepEqual(got, []string{"1 9 ", "2 9 "}) {
		t.Errorf("lost: %q", got)
	}
}
