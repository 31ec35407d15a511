package ingest_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/accscope/accscope/collector/ingest"
	"golang.org/x/sys/unix"
)

// TestFollowingGivesWay: the thread that follows programs is nicer than all others while
// it does so, and the process is as before when it has ended.
func TestFollowingGivesWay(t *testing.T) {
	own := niceOf(t, unix.Gettid())
	if own == 19 {
		t.Skip("nothing is nicer than this test")
	}
	nicer := min(own+10, 19)
	in, err := ingest.Open(ingest.Options{Session: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- in.Run(ctx) }()
	for _, want := range []int{1, 0} {
		for begun := time.Now(); threadsOfNice(t, nicer) != want; time.Sleep(time.Millisecond) {
			if time.Since(begun) > time.Minute {
				t.Fatalf("%d threads have nice value %d, want %d", threadsOfNice(t, nicer), nicer, want)
			}
		}
		cancel()
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func threadsOfNice(t *testing.T, nice int) (count int) {
	t.Helper()
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		number, err := strconv.Atoi(thread.Name())
		if err != nil {
			t.Fatal(err)
		}
		if niceOf(t, number) == nice {
			count++
		}
	}
	return count
}

// niceOf is a thread's nice value, 20 of one that has ended.
func niceOf(t *testing.T, thread int) int {
	t.Helper()
	claim, err := unix.Getpriority(unix.PRIO_PROCESS, thread)
	if err == unix.ESRCH {
		return 20
	}
	if err != nil {
		t.Fatal(err)
	}
	return 20 - claim
}

// TestFollowingLeavesTheRest: when following is to end, what has not been taken in by then
// is left for Finish, which nothing holds up.
func TestFollowingLeavesTheRest(t *testing.T) {
	session := t.TempDir()
	command, counters := load(t, session, 1, 1000)
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	in, err := ingest.Open(ingest.Options{Session: session, Trace: filepath.Join(t.TempDir(), "trace.db")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := in.Run(ctx); err != nil || in.Events() != 0 {
		t.Errorf("%d events are taken in, %v", in.Events(), err)
	}
	if err := in.Finish(); err != nil {
		t.Fatal(err)
	}
	if all := counted(t, counters, 1); uint64(in.Events()) != all {
		t.Errorf("%d events of %d", in.Events(), all)
	}
}
