package ingest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/ingest"
	"github.com/accscope/accscope/collector/store"
	"golang.org/x/sys/unix"
)

// While events are taken in that are older than the present, the collector and
// what is seen live say by how much, and when it finishes, how much of that is
// done. When all has been taken in, nothing is behind.
func TestBehind(t *testing.T) {
	session := t.TempDir()
	command, _ := load(t, session, 1, 30_000)
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	for _, finish := range []bool{false, true} {
		var in *ingest.Ingester
		var collector, told time.Duration
		trace := filepath.Join(t.TempDir(), "trace.db")
		done := []float64{0}
		now := func() int64 { // asked while it takes in, too
			if in != nil {
				collector = max(collector, in.Behind())
				done = append(done, in.Finished())
				if in.Events() > 0 && told == 0 {
					told = behind(t, trace)
				}
			}
			var ts unix.Timespec
			if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
				t.Error(err)
			}
			return ts.Nano() + int64(time.Hour)
		}
		in, err := ingest.Open(ingest.Options{Session: session, Trace: trace, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		if finish {
			err = in.Finish()
		} else {
			_, err = in.Poll()
		}
		if err != nil {
			t.Fatal(err)
		}
		if collector < time.Hour || collector > 2*time.Hour {
			t.Errorf("finish %v: events of an hour ago, it says %v", finish, collector)
		}
		if told < time.Hour || told > collector {
			t.Errorf("finish %v: meanwhile the trace says %v", finish, told)
		}
		if rest, told := in.Behind(), behind(t, trace); rest != 0 || told != 0 {
			t.Errorf("finish %v: %v behind when all is taken in, and by the trace %v", finish, rest, told)
		}
		done = append(done, in.Finished())
		if last := done[len(done)-1]; finish && last < 0.9 {
			t.Errorf("when all is taken in, %g is said to be done", last)
		}
		for i := range done[1:] {
			if done[i+1] < done[i] || done[i+1] > 1 || !finish && done[i+1] != 0 {
				t.Errorf("finish %v: done are %v", finish, done)
			}
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}

// behind is what a trace says.
func behind(t *testing.T, path string) time.Duration {
	t.Helper()
	trace, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	now, err := trace.Now()
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Behind)
}
