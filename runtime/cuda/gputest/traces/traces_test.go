// Package traces checks the traces that runtime/cuda/gputest/run.sh brings back
// from a real GPU.
package traces

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// most is more than any link of a GPU carries today, in bytes a nanosecond.
const most = 100.0

type span struct {
	queue, start, end, bytes int64
	kernel                   bool
}

// TestTraces checks that device times add up: operations of a queue do not
// overlap, a transfer's rate is plausible, and kernels take as long as CUDA's own
// events on the queue's stream say.
func TestTraces(t *testing.T) {
	results := os.Getenv("ACCSCOPE_GPU_RESULTS")
	if results == "" {
		t.Skip("set ACCSCOPE_GPU_RESULTS to the folder of results of run.sh")
	}
	traces, err := filepath.Glob(filepath.Join(results, "*.db"))
	if err != nil || len(traces) == 0 {
		t.Fatalf("no traces in %s (%v)", results, err)
	}
	for _, trace := range traces {
		name := strings.TrimSuffix(filepath.Base(trace), ".db")
		t.Run(name, func(t *testing.T) {
			spans := read(t, trace)
			kernels := check(t, spans)
			t.Logf("%d operations, kernels %.4f ms", len(spans), float64(kernels)/1e6)
			timed, err := os.ReadFile(strings.TrimSuffix(trace, ".db") + ".ms")
			if err != nil {
				return // not the program that times its kernels itself
			}
			want, err := strconv.ParseFloat(strings.TrimSpace(string(timed)), 64)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(kernels) / 1e6; got < 0.95*want || got > 1.05*want {
				t.Errorf("kernels took %.4f ms in the trace and %.4f ms by CUDA's events", got, want)
			}
		})
	}
}

func read(t *testing.T, trace string) []span {
	t.Helper()
	db, err := sqlite.OpenConn(trace, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var spans []span
	err = sqlitex.Execute(db, "SELECT queue, start, end, bytes, kind = 'kernel' FROM device_activity ORDER BY queue, start, end",
		&sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			spans = append(spans, span{s.ColumnInt64(0), s.ColumnInt64(1), s.ColumnInt64(2), s.ColumnInt64(3), s.ColumnBool(4)})
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) == 0 {
		t.Error("no device activity")
	}
	return spans
}

// apart is how far the clocks that measured two operations may be: kernels take their
// own times, and others measure the transfers.
func apart(a, b span) int64 {
	if a.kernel != b.kernel {
		return 2000
	}
	return 0
}

// check returns the time of all kernels.
func check(t *testing.T, spans []span) (kernels int64) {
	t.Helper()
	for i, s := range spans {
		if i > 0 && spans[i-1].queue == s.queue && s.start < spans[i-1].end-apart(s, spans[i-1]) {
			t.Errorf("operation %d of queue %d starts %d ns before the one before it ends", i, s.queue, spans[i-1].end-s.start)
		}
		if s.end < s.start || s.end == s.start && (s.kernel || s.bytes > 0) {
			t.Errorf("operation %d takes %d ns", i, s.end-s.start)
		}
		if s.kernel {
			kernels += s.end - s.start
		} else if rate := float64(s.bytes) / float64(max(s.end-s.start, 1)); rate > most {
			t.Errorf("operation %d moves %d bytes at %.0f GB/s", i, s.bytes, rate)
		}
	}
	return kernels
}
