package cpusamples

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/accscope/accscope/runtime/compilers"
	"github.com/accscope/accscope/runtime/leftover"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { os.Exit(leftover.Main(m)) }

// available skips a test where the system gives no samples.
func available(t *testing.T) {
	t.Helper()
	if err := Available(); err != nil {
		t.Skip(err)
	}
}

// sampled runs a program under a recorder and gives what was sampled.
func sampled(t *testing.T, rate int, name string, args ...string) (samples []Sample, lost uint64) {
	t.Helper()
	folder := t.TempDir()
	r, err := New(folder, rate)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(name, args...)
	if err := r.Start(command.Start); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := Files(folder)
	if err != nil || len(files) != 1 || !IsFile(filepath.Base(files[0])) {
		t.Fatalf("files %q, %v", files, err)
	}
	_, samples, lostBy, err := contents(t, files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range lostBy {
		lost += n
	}
	return samples, lost
}

func compile(t testing.TB, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if output, err := exec.Command(compilers.C(), "-O2", "-g", "-pthread", "-o", program, filepath.Join("testdata", source)).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

// Threads that begin later, processes that are forked, and what one goes on as by exec are
// sampled, each for the processor time that it took, on the clock of the trace.
func TestThreadsAndProcesses(t *testing.T) {
	available(t)
	before := now(t)
	samples, _ := sampled(t, 1000, compile(t, "family.c"))
	after := now(t)
	threads, processes := map[int]int{}, map[int]int{}
	for _, s := range samples {
		threads[s.TID]++
		processes[s.PID]++
		if s.Time < before || s.Time > after {
			t.Errorf("a sample at %d, outside of [%d, %d]", s.Time, before, after)
		}
	}
	busy := func(of map[int]int) (n int) {
		for _, samples := range of {
			if samples >= 50 { // of the 100 ms of processor time that each takes
				n++
			}
		}
		return n
	}
	if busy(processes) != 3 || busy(threads) != 4 {
		t.Errorf("processes %v, threads %v; want 3 and 4 with 100 samples", processes, threads)
	}
}

func now(t *testing.T) int64 {
	t.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}

// Many short processes take no more descriptors than one.
func TestManyProcesses(t *testing.T) {
	available(t)
	folder := t.TempDir()
	r, err := New(folder, DefaultRate)
	if err != nil {
		t.Fatal(err)
	}
	open := len(descriptors(t))
	command := exec.Command("sh", "-c", "i=0; while [ $i -lt 1000 ]; do /bin/true; i=$((i+1)); done")
	if err := r.Start(command.Run); err != nil {
		t.Error(err)
	}
	if now := len(descriptors(t)); now > open+2 { // the poller of Go's own
		t.Errorf("%d descriptors, before %d", now, open)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func descriptors(t *testing.T) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// What is started beside the program is not sampled.
func TestOthersAreNotSampled(t *testing.T) {
	available(t)
	folder, program := t.TempDir(), compile(t, "work.c")
	r, err := New(folder, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(exec.Command("true").Run); err != nil {
		t.Error(err)
	}
	for range 20 { // on whichever threads there are
		if err := exec.Command(program, "short").Run(); err != nil {
			t.Error(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, samples, _, err := contents(t, filepath.Join(folder, fmt.Sprint(prefix, os.Getpid()))); err != nil || len(samples) > 20 {
		t.Errorf("%d samples, %v", len(samples), err)
	}
}

// A program that is not started after all leaves nothing behind.
func TestNotStarted(t *testing.T) {
	available(t)
	open := len(descriptors(t))
	r, err := New(t.TempDir(), DefaultRate)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if now := len(descriptors(t)); now != open {
		t.Errorf("%d descriptors, before %d", now, open)
	}
}

// What the kernel says becomes what to do.
func TestRefused(t *testing.T) {
	for err, want := range map[error]string{
		unix.EMFILE: "ulimit -n", unix.ENOSYS: "perf_event_open", unix.EPERM: "perf_event",
	} {
		if told := refused(err); !errors.Is(told, ErrRefused) || !strings.Contains(told.Error(), want) {
			t.Errorf("%v: %v", err, told)
		}
	}
}
